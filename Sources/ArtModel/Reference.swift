// SPDX-License-Identifier: Apache-2.0

/// A user's reference to an emoji: an id or its prefix, the emoji itself, the nth of equal ones, or the last added
/// one.
public enum Reference: Hashable, Sendable, CustomStringConvertible {
  /// An id or a prefix of one.
  case id(EmojiID.Prefix)
  /// The emoji's text. The ordinal selects one of several in z-order, from 1 at the bottom.
  case text(EmojiText, ordinal: Int?)
  /// `@last`: the last added emoji that still exists.
  case last

  /// Parses a reference. Throws `badValue`.
  public init(_ typed: String) throws(ArtError) {
    if typed == "@last" {
      self = .last
    } else if let prefix = EmojiID.Prefix(typed: typed) {
      self = .id(prefix)
    } else if let reference = try Self.emoji(typed) {
      self = reference
    } else {
      throw .badReference(typed)
    }
  }

  private static func emoji(_ typed: String) throws(ArtError) -> Reference? {
    if let colon = typed.lastIndex(of: ":"), colon != typed.startIndex,
      let ordinal = Int(typed[typed.index(after: colon)...])
    {
      guard ordinal >= 1 else { throw .badReference(typed) }
      guard let text = optionalText(String(typed[..<colon])) else { return nil }
      return .text(text, ordinal: ordinal)
    }
    return optionalText(typed).map { .text($0, ordinal: nil) }
  }

  /// The text; nil if it is invalid, because it may be another kind of reference.
  private static func optionalText(_ typed: String) -> EmojiText? {
    do throws(ArtError) { return try EmojiText(typed) } catch { return nil }
  }

  /// The reference as users type it.
  public var description: String {
    switch self {
    case .id(let prefix): prefix.description
    case .text(let text, nil): text.string
    case .text(let text, let ordinal?): "\(text):\(ordinal)"
    case .last: "@last"
    }
  }
}

// MARK: - Resolving

extension Reference {
  /// The one emoji that the reference names. Throws `noSuchEmoji`, `ambiguous`, and what the document's read methods
  /// throw.
  public func resolve(in art: some ArtReading) throws(ArtError) -> Emoji {
    switch self {
    case .id(let prefix):
      let matches = try art.emojis(prefix: prefix, limit: 4)
      return try only(of: matches.prefix(3), more: matches.count > 3) { "\($0.id) \($0.text)" }
    case .text(let text, let ordinal):
      let key = text.comparisonKey
      let matches = try art.emojisInOrder().filter { $0.text.comparisonKey == key }
      if let ordinal {
        guard ordinal <= matches.count else { throw .noSuchEmoji(description) }
        return matches[ordinal - 1]
      }
      var ordinal = 0
      return try only(of: matches.prefix(3), more: matches.count > 3) { emoji in
        ordinal += 1
        return "\(emoji.id) (\(emoji.text):\(ordinal))"
      }
    case .last:
      guard let emoji = try Self.lastAdded(in: art) else { throw .noSuchEmoji(description) }
      return emoji
    }
  }

  private func only(
    of matches: ArraySlice<Emoji>, more: Bool, candidate: (Emoji) -> String
  ) throws(ArtError) -> Emoji {
    guard let first = matches.first else { throw .noSuchEmoji(description) }
    guard matches.count == 1 else { throw .ambiguous(description, matches.map(candidate), more: more) }
    return first
  }

  /// The last existing emoji that the log says was added.
  private static func lastAdded(in art: some ArtReading) throws(ArtError) -> Emoji? {
    var last: Emoji?
    try art.newestEdits { (entry) throws(ArtError) in
      for case .add(let added) in entry.edit.changes.reversed() where last == nil {
        last = try art.emoji(added.id)
      }
      return last == nil
    }
    return last
  }
}

/// The emoji that a command applies to.
public enum EmojiSelection: Hashable, Sendable {
  /// Every emoji of the document.
  case all
  /// The named ones.
  case references([Reference])

  /// The emoji in the order in which they are named, or bottom to top for `all`. Throws `badValue` if two references
  /// name the same emoji, and what `Reference.resolve` throws.
  public func resolve(in art: some ArtReading) throws(ArtError) -> [Emoji] {
    guard case .references(let references) = self else { return try art.emojisInOrder() }
    var emojis: [Emoji] = []
    var ids: Set<EmojiID> = []
    for reference in references {
      let emoji = try reference.resolve(in: art)
      guard ids.insert(emoji.id).inserted else { throw .namedTwice(reference.description) }
      emojis.append(emoji)
    }
    return emojis
  }
}
