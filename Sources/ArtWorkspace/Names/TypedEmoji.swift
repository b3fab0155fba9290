// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtNames
import ArtStore

extension EmojiText {
  /// What a person types for a new label: the emoji itself, `:name:`, or `@palette:3`. Throws `badText` with what is near,
  /// `badValue` with what a palette has, and what reading the palettes throws.
  public init(typed word: String) throws(ArtError) {
    if let name = Self.name(in: word) {
      self = try EmojiNames.emoji(named: name)
    } else {
      do throws(ArtError) {
        try self.init(word)
      } catch {
        guard Palettes.isPick(word) else { throw Self.lackingColons(word) ?? error }
        self = try PaletteStore().palettes().pick(word)
      }
    }
  }

  /// The same for several words.
  public static func typed(_ words: [String]) throws(ArtError) -> [EmojiText] {
    var texts: [EmojiText] = []
    for word in words { texts.append(try EmojiText(typed: word)) }
    return texts
  }

  /// What stands between two colons. A label may have colons about an emoji.
  fileprivate static func name(in word: String) -> String? {
    guard word.utf8.count > 2, word.hasPrefix(":"), word.hasSuffix(":") else { return nil }
    let name = String(word.dropFirst().dropLast())
    return name.contains(where: EmojiText.isEmoji) ? nil : name
  }

  /// What to say of a name without its colons, or without one of them.
  private static func lackingColons(_ word: String) -> ArtError? {
    let name = word.filter { $0 != ":" }
    let letters = name.unicodeScalars.filter(\.properties.isAlphabetic)
    guard letters.count > 1,
      name.unicodeScalars.allSatisfy({
        $0.properties.isAlphabetic || "0123456789-_ ".unicodeScalars.contains($0)
      })
    else { return nil }
    // What is no name is told as what it is: no emoji.
    guard let text = try? EmojiNames.emoji(named: name) else { return nil }
    return ArtError(.badText, "\"\(word)\" has no emoji in it; did you mean :\(name): \(text)?", about: word)
  }
}

extension Reference {
  /// What a person types for an emoji that is there: all that `init(_:)` reads, and `:name:` in the place of the emoji itself, or
  /// `:name::2`. Throws `badText` with what is near, and `badValue`.
  public init(typed word: String) throws(ArtError) {
    guard let (name, ordinal) = Self.name(in: word) else {
      self = try Reference(word)
      return
    }
    self = try Reference("\(EmojiNames.emoji(named: name))\(ordinal)")
  }

  /// A name between colons, and what stands behind them, such as `:2`.
  private static func name(in word: String) -> (name: String, ordinal: Substring)? {
    if let name = EmojiText.name(in: word) { return (name, "") }
    guard let colon = word.lastIndex(of: ":"), Int(word[colon...].dropFirst()) != nil,
      let name = EmojiText.name(in: String(word[..<colon]))
    else { return nil }
    return (name, word[colon...])
  }
}

/// Emoji found by words, or words found by emoji.
public struct EmojiSearch: Sendable {
  /// Why nothing was searched for.
  public enum Failure: Error, Equatable, Sendable {
    /// Words and emoji stand together; a search is for one of the two.
    case mixed
    /// That is neither a word nor one emoji.
    case unsearchable(String)
    /// Nothing is found by these words; the emoji whose names are near them.
    case nothing(String, near: [NamedEmoji])
  }

  /// The best ones, as many as were asked for.
  public let emojis: [NamedEmoji]
  /// How many there are in all.
  public let count: Int

  /// Searches for words; each emoji in the place of a word is answered by its name. `limit` is how many are wanted, from 1.
  public init(_ words: [String], tone: ToneChoice = .none, limit: Int) throws(Failure) {
    let found = try Self.found(words, tone, limit)
    guard !found.emojis.isEmpty else {
      let typed = words.joined(separator: " ")
      throw .nothing(typed, near: EmojiNames.names(near: typed))
    }
    (emojis, count) = (found.emojis, found.count)
  }

  private static func found(
    _ words: [String], _ tone: ToneChoice, _ limit: Int
  ) throws(Failure) -> EmojiNames.Found {
    let named = words.map { EmojiNames.names(of: $0, tone: tone) }
    if !named.contains([]) {
      let all = named.flatMap { $0 }
      return EmojiNames.Found(emojis: Array(all.prefix(limit)), count: all.count)
    }
    guard named.allSatisfy(\.isEmpty) else { throw .mixed }
    if let bad = words.first(where: { !EmojiNames.canSearch($0) }) { throw .unsearchable(bad) }
    return EmojiNames.search(words, tone: tone, limit: limit) ?? EmojiNames.Found(emojis: [], count: 0)
  }
}

/// What a word that a person has begun can become.
public enum EmojiCompletion {
  /// One way to go on.
  public struct Offer: Sendable, Equatable {
    /// What is typed then, in full.
    public let text: String
    /// The emoji that it stands for, where that is not in the text.
    public let emoji: String?
  }

  /// What a word for a new label can become: `:honeybee:`, `@animals:3`. Where the palettes cannot be read none of theirs are offered.
  public static func labels(beginningWith word: String) -> [Offer] {
    names(word) + picks(word)
  }

  private static func names(_ word: String) -> [Offer] {
    guard word.hasPrefix(":") else { return [] }
    return EmojiNames.shortcodes(beginningWith: String(word.dropFirst())).map {
      Offer(text: ":\($0):", emoji: nil)
    }
  }

  /// What can be typed for the emoji of palettes where a word has begun so: all of one palette, else the first of each, so
  /// that whatever is offered can be taken.
  private static func picks(_ word: String) -> [Offer] {
    guard word.isEmpty || Palettes.isPick(word), let palettes = try? PaletteStore().palettes() else {
      return []
    }
    let fitting = palettes.all.filter { palette in
      !palette.emojis.isEmpty && (palette.pick(1).hasPrefix(word) || word.hasPrefix("@\(palette.name):"))
    }
    return fitting.flatMap { palette in
      palette.emojis.prefix(fitting.count == 1 ? Palette.limit : 1).enumerated().map {
        Offer(text: palette.pick($0.offset + 1), emoji: $0.element.string)
      }
    }
  }

  /// What names each of these emoji, which are all of a document: by itself, by its id, and `@last`; by its `:name:` where the word
  /// begins so.
  public static func references(of emojis: [Emoji], beginningWith word: String) -> [String] {
    word.hasPrefix(":")
      ? shortcodes(of: emojis) : texts(of: emojis) + emojis.map(\.id.description) + ["@last"]
  }

  /// `🐝` where there is one, `🐝:1` and `🐝:2` where there are two.
  private static func texts(of emojis: [Emoji]) -> [String] {
    let same = Dictionary(grouping: emojis, by: \.text.comparisonKey).values
    return same.flatMap { group in
      group.count == 1
        ? [group[0].text.string] : group.enumerated().map { "\($1.text):\($0 + 1)" }
    }
    .sorted()
  }

  /// The same by name, `:honeybee:` or `:honeybee::2`; what has no name is left out.
  private static func shortcodes(of emojis: [Emoji]) -> [String] {
    let same = Dictionary(grouping: emojis, by: \.text.comparisonKey)
    return same.flatMap { (text, group) -> [String] in
      guard let name = EmojiNames.names(of: text).first?.shortcode else { return [] }
      return group.count == 1 ? [":\(name):"] : group.indices.map { ":\(name)::\($0 + 1)" }
    }
    .sorted()
  }
}

extension Collection<Emoji> {
  /// How many characters of each id name it alone among these, which are all of a document.
  public var typedLengths: [EmojiID: Int] {
    let ids = map(\.id).sorted()
    var lengths: [EmojiID: Int] = [:]
    for (index, id) in ids.enumerated() {
      let before = index > 0 ? ids[index - 1] : nil
      let after = index + 1 < ids.count ? ids[index + 1] : nil
      lengths[id] = id.uniquePrefixLength(between: before, after)
    }
    return lengths
  }
}

/// The emoji that a client added, until they are kept for the palette `recent`: with each answer to a person, or at the end,
/// because a program that adds thousands a second should not wait for this.
public struct RecentAdditions: Sendable {
  private var added: [EmojiText] = []
  private static let most = 256

  /// Nothing was added yet.
  public init() {}

  /// Takes note of an edit that was answered.
  public mutating func note(_ request: DocumentRequest) {
    guard case .action(.add(let texts, _, _)) = request, texts.count > 1 || texts.last != added.last else {
      return
    }
    added += texts
    guard added.count >= Self.most else { return }
    var recent = RecentEmoji()
    recent.add(added)
    added = recent.emojis.reversed()
  }

  /// Keeps them.
  public mutating func keep() {
    guard !added.isEmpty else { return }
    RecentStore().add(added)
    added.removeAll()
  }
}
