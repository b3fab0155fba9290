// SPDX-License-Identifier: Apache-2.0

/// A user's reference to emoji: an id or its prefix, the emoji itself, the nth of equal ones or several of them, a caption's words, or the last
/// added one.
public enum Reference: Hashable, Sendable, CustomStringConvertible {
  /// An id or a prefix of one, or a caption whose words are `word`. It is ambiguous if both exist, unless the id is whole.
  case id(EmojiID.Prefix, word: String? = nil)
  /// The emoji's text. If a caption's words are the whole `word`, which ends like ordinals, that is meant.
  case text(EmojiText, Ordinals = .only, word: String? = nil)
  /// The words of a caption, as one line; `word` as above.
  case words(String, Ordinals = .only, word: String? = nil)
  /// `@last`: the last added emoji that still exists.
  case last

  /// Which of the emoji with equal texts, in z-order from 1 at the bottom.
  public enum Ordinals: Hashable, Sendable, CustomStringConvertible {
    /// The only one there is.
    case only
    /// The ones from the first number to the last one, which is the same for a single one: `:2`, `:2-4`.
    case range(ClosedRange<Int>)
    /// `:*`: all of them.
    case all

    /// As users type it behind a text.
    public var description: String {
      switch self {
      case .only: ""
      case .range(let range):
        range.count == 1 ? ":\(range.lowerBound)" : ":\(range.lowerBound)-\(range.upperBound)"
      case .all: ":*"
      }
    }

    /// Divides what a user typed into the text and the ordinals behind its last colon. Nil for ordinals that count from zero or
    /// backwards.
    package static func split(_ typed: String) -> (text: Substring, ordinals: Ordinals)? {
      guard let colon = typed.lastIndex(of: ":"), colon != typed.startIndex else {
        return (typed[...], .only)
      }
      let (text, rest) = (typed[..<colon], typed[colon...].dropFirst())
      if rest == "*" { return (text, .all) }
      if let number = Int(rest), number < 1 { return nil }
      let ends = rest.split(separator: "-", omittingEmptySubsequences: false)
      guard (1...2).contains(ends.count), ends.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) })
      else {
        return (typed[...], .only)
      }
      let numbers = ends.compactMap { Int($0) }
      guard numbers.count == ends.count, numbers[0] >= 1, numbers[numbers.count - 1] >= numbers[0] else {
        return nil
      }
      return (text, .range(numbers[0]...numbers[numbers.count - 1]))
    }
  }

  /// Parses a reference. A line feed between two lines is the same as `\n`, and no id begins with a hyphen. Throws `badValue`.
  public init(_ typed: String) throws(ArtError) {
    if typed.utf8.contains(0x0A), typed.utf8.last != 0x0A, Self.isCaption(typed[...]) {
      try self.init(Words.typed(typed))
    } else if typed == "@last" {
      self = .last
    } else if !typed.hasPrefix("-"), let prefix = EmojiID.Prefix(typed: typed) {
      self = .id(prefix, word: typed)
    } else {
      guard let (text, ordinals) = Ordinals.split(typed) else {
        // Words such as `at 7:00`: nothing else is before a colon and a zero.
        guard let colon = typed.lastIndex(of: ":"), Self.isCaption(typed[..<colon]) else {
          throw .badReference(typed)
        }
        self = .words(typed)
        return
      }
      let word = ordinals != .only && Self.isCaption(text) ? typed : nil
      if let text = Self.optionalText(String(text)) {
        self = .text(text, ordinals, word: word)
      } else if Self.isCaption(text) {
        self = .words(String(text), ordinals, word: word)
      } else {
        throw .badReference(typed)
      }
    }
  }

  /// The text; nil if it is invalid, because it may be another kind of reference.
  private static func optionalText(_ typed: String) -> EmojiText? {
    do throws(ArtError) { return try EmojiText(typed) } catch { return nil }
  }

  /// Whether it may be a caption's words. They hold a letter, a digit or a blank, and do not begin with `@` or `:`, which begin other names.
  private static func isCaption(_ typed: Substring) -> Bool {
    guard let first = typed.first, first != "@", first != ":",
      typed.contains(where: { ($0.isLetter || $0.isNumber || $0 == " ") && !EmojiText.isEmoji($0) })
    else { return false }
    do throws(ArtError) {
      _ = try Words(String(typed))
      return true
    } catch {
      return false
    }
  }

  /// Whether it may stand for more than one emoji.
  public var isPlural: Bool {
    switch self {
    case .text(_, .all, word: _), .words(_, .all, word: _): true
    case .text(_, .range(let range), word: _), .words(_, .range(let range), word: _): range.count > 1
    case .id, .text, .words, .last: false
    }
  }

  /// The reference as users type it.
  public var description: String {
    switch self {
    case .id(let prefix, let word): word ?? prefix.description
    case .text(let text, let ordinals, let word): word ?? "\(text)\(ordinals)"
    case .words(let words, let ordinals, let word): word ?? "\(words)\(ordinals)"
    case .last: "@last"
    }
  }
}

extension UInt8 {
  /// Whether it is an ASCII digit.
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

// MARK: - Resolving

extension Reference {
  /// The one emoji that the reference names. Throws `noSuchEmoji`, `ambiguous`, and what the document's read methods
  /// throw.
  public func resolve(in art: some ArtReading) throws(ArtError) -> Emoji {
    let emojis = try resolveAll(in: art)
    guard emojis.count == 1 else { throw .severalNamed(description) }
    return emojis[0]
  }

  /// The emoji that the reference names, at least one, in z-order. Throws as `resolve` does; `ambiguous` only if the reference is for one
  /// emoji.
  public func resolveAll(in art: some ArtReading) throws(ArtError) -> [Emoji] {
    switch self {
    case .id(let prefix, let word):
      var matches = try art.emojis(prefix: prefix, limit: 4)
      if matches.isEmpty {
        guard let word else { throw .noSuchEmoji(description) }
        return try captions(word, .only, in: art)
      }
      if let word, prefix.length < EmojiID.length {
        let key = EmojiText.referenceKey(of: word)
        matches += try art.captions().filter { $0.text.referenceKey == key && !prefix.matches($0.id) }
      }
      guard matches.count == 1 else {
        throw .ambiguous(
          description, matches.prefix(3).map { "\($0.id) \($0.text.label)" }, more: matches.count > 3)
      }
      return matches
    case .text(let text, let ordinals, let word):
      if let whole = try captions(word, in: art) { return whole }
      let key = text.referenceKey
      return try chosen(
        ordinals, text.string, from: art.emojisInOrder().filter { $0.text.referenceKey == key })
    case .words(let words, let ordinals, let word):
      if let whole = try captions(word, in: art) { return whole }
      return try captions(words, ordinals, in: art)
    case .last:
      guard let emoji = try Self.lastAdded(in: art) else { throw .noSuchEmoji(description) }
      return [emoji]
    }
  }

  private func captions(_ words: String, _ ordinals: Ordinals, in art: some ArtReading) throws(ArtError)
    -> [Emoji]
  {
    try chosen(ordinals, words, from: Self.captions(words, in: art))
  }

  /// The caption that has these words; nil if there is none. Throws `ambiguous`, and what reading throws.
  private func captions(_ word: String?, in art: some ArtReading) throws(ArtError) -> [Emoji]? {
    guard let word else { return nil }
    let matches = try Self.captions(word, in: art)
    return matches.isEmpty ? nil : try chosen(.only, word, from: matches)
  }

  private static func captions(_ words: String, in art: some ArtReading) throws(ArtError) -> [Emoji] {
    let key = EmojiText.referenceKey(of: words)
    return try art.emojisInOrder().filter { $0.text.isCaption && $0.text.referenceKey == key }
  }

  private func chosen(_ ordinals: Ordinals, _ text: String, from matches: [Emoji]) throws(ArtError) -> [Emoji]
  {
    switch ordinals {
    case .all where !matches.isEmpty: return matches
    case .range(let range) where range.upperBound <= matches.count:
      return Array(matches[range.lowerBound - 1..<range.upperBound])
    case .only where matches.count == 1: return matches
    case .only where matches.count > 1:
      let candidates = matches.prefix(3).enumerated().map { "\($1.id) (\(text):\($0 + 1))" }
      throw .ambiguous(description, candidates, more: matches.count > 3, all: "\(text):*")
    default: throw .noSuchEmoji(description)
    }
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
public struct EmojiSelection: Hashable, Sendable {
  /// The named ones; nil for every emoji of the document.
  public var references: [Reference]?
  /// Only those of which a part is in this region; nil for the named ones wherever they are.
  public var region: Region?

  /// A selection with these values.
  public init(_ references: [Reference]? = nil, in region: Region? = nil) {
    (self.references, self.region) = (references, region)
  }

  /// Every emoji of the document.
  public static let all = EmojiSelection()

  /// The named ones.
  public static func references(_ references: [Reference]) -> EmojiSelection { EmojiSelection(references) }

  /// Whether it may stand for more than one emoji.
  public var isPlural: Bool {
    guard let references, region == nil else { return true }
    return references.count != 1 || references[0].isPlural
  }

  /// The emoji in the order in which they are named, or bottom to top where a name stands for several, or none is given. Throws `badValue`
  /// if two references name the same emoji, `noSuchEmoji` for a region without emoji, and what `Reference.resolveAll` throws.
  public func resolve(in art: some ArtReading) throws(ArtError) -> [Emoji] {
    let named = try references.map { (references) throws(ArtError) in try Self.resolve(references, in: art) }
    guard let region else { return if let named { named } else { try art.emojisInOrder() } }
    let rect = try region.rect(on: art.canvas)
    let all = if let named { named } else { try art.emojisInOrder() }
    let found = all.filter { EmojiBox($0).overlaps(rect) }
    guard !found.isEmpty else { throw .noEmoji(in: region.description) }
    return found
  }

  private static func resolve(_ references: [Reference], in art: some ArtReading) throws(ArtError) -> [Emoji]
  {
    var emojis: [Emoji] = []
    var ids: Set<EmojiID> = []
    for reference in references {
      for emoji in try reference.resolveAll(in: art) {
        guard ids.insert(emoji.id).inserted else { throw .namedTwice(reference.description) }
        emojis.append(emoji)
      }
    }
    return emojis
  }
}
