// SPDX-License-Identifier: Apache-2.0

/// How a person names an emoji: an id or its beginning, the emoji itself, the second of them, or the last one.
public enum Reference: Hashable, Sendable, CustomStringConvertible {
  /// An id or the beginning of one.
  case id(EmojiID.Prefix)
  /// The emoji itself; with an ordinal, which of them in z-order, from 1 at the bottom.
  case text(EmojiText, ordinal: Int?)
  /// `@last`: the one that came in last and is still there.
  case last

  /// Reads what was typed. Throws `badValue`.
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

  /// The text, or nil where it is none: then it may still be something else.
  private static func optionalText(_ typed: String) -> EmojiText? {
    do throws(ArtError) { return try EmojiText(typed) } catch { return nil }
  }

  /// What a person types.
  public var description: String {
    switch self {
    case .id(let prefix): prefix.description
    case .text(let text, nil): text.string
    case .text(let text, let ordinal?): "\(text):\(ordinal)"
    case .last: "@last"
    }
  }
}

extension Reference {
  /// The one emoji that it names. Throws `noSuchEmoji`, `ambiguous`, and what reading throws.
  public func resolve(in art: some ArtReading) throws(ArtError) -> Emoji {
    switch self {
    case .id(let prefix):
      let found = try art.emojis(prefix: prefix, limit: 4)
      return try only(of: found.prefix(3), more: found.count > 3) { "\($0.id) \($0.text)" }
    case .text(let text, let ordinal):
      let key = text.comparisonKey
      let found = try art.emojisInOrder().filter { $0.text.comparisonKey == key }
      if let ordinal {
        guard ordinal <= found.count else { throw .noSuchEmoji(description) }
        return found[ordinal - 1]
      }
      var place = 0
      return try only(of: found.prefix(3), more: found.count > 3) { emoji in
        place += 1
        return "\(emoji.id) (\(emoji.text):\(place))"
      }
    case .last:
      guard let emoji = try Self.lastAdded(in: art) else { throw .noSuchEmoji(description) }
      return emoji
    }
  }

  private func only(
    of found: ArraySlice<Emoji>, more: Bool, candidate: (Emoji) -> String
  ) throws(ArtError) -> Emoji {
    guard let first = found.first else { throw .noSuchEmoji(description) }
    guard found.count == 1 else { throw .ambiguous(description, found.map(candidate), more: more) }
    return first
  }

  /// The newest edit that added an emoji which is still there tells which.
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

/// Which emoji a command is about.
public enum Selection: Hashable, Sendable {
  /// Every emoji of the document.
  case all
  /// The ones named.
  case references([Reference])

  /// The emoji, in the order they were named, or bottom to top. Throws `badValue` when two references name the
  /// same one, and what resolving throws.
  public func resolve(in art: some ArtReading) throws(ArtError) -> [Emoji] {
    guard case .references(let references) = self else { return try art.emojisInOrder() }
    var emojis: [Emoji] = []
    var seen: Set<EmojiID> = []
    for reference in references {
      let emoji = try reference.resolve(in: art)
      guard seen.insert(emoji.id).inserted else { throw .namedTwice(reference.description) }
      emojis.append(emoji)
    }
    return emojis
  }
}
