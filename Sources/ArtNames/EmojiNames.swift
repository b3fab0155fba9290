// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Search in the names and keywords of all emoji, from Unicode's CLDR data.
public enum EmojiNames {
  /// The result of a search.
  public struct Found: Equatable, Sendable {
    /// The best matches, at most as many as requested.
    public let emojis: [NamedEmoji]
    /// The number of all matches.
    public let count: Int

    /// Creates a result.
    public init(emojis: [NamedEmoji], count: Int) {
      self.emojis = emojis
      self.count = count
    }
  }

  /// Whether a word contains anything searchable: a letter, a digit, `#`, `*` or `+`.
  public static func canSearch(_ word: String) -> Bool { NameQuery([word]) != nil }

  /// The emoji for which each word, or a word that begins with it, occurs in the name, the shortcodes or the keywords; best
  /// first: whole names, shortcodes, whole words, prefixes. Nil where the words contain nothing searchable.
  ///
  /// What is found by the names of another language comes before what is found by English ones. Words with the same stem count only
  /// where nothing else is found.
  public static func search(
    _ words: [String], tone: ToneChoice = .none, in language: EmojiLanguage = .english, limit: Int
  ) -> Found? {
    guard let rows = rows(words, in: language) else { return nil }
    var emojis: [NamedEmoji] = []
    var count = 0
    for row in rows {
      guard emojis.count < limit else {
        count += tone == .all ? 1 + row.versions.parts(at: UInt8(ascii: " ")).count : 1
        continue
      }
      let chosen = NamedEmoji.chosen(tone, of: row, in: language)
      count += chosen.count
      emojis += chosen.prefix(limit - emojis.count)
    }
    return Found(emojis: emojis, count: count)
  }

  /// The English lines of what a search finds, best first.
  private static func rows(_ words: [String], in language: EmojiLanguage) -> [NameTable.Row]? {
    guard let plain = NameQuery(words) else { return nil }
    guard !language.isEnglish, let query = NameQuery(words, in: language) else {
      return NameTable.own.rows(plain)
    }
    var found: Set<String> = []
    let own = NameTable(language).rows(query).compactMap { row in
      found.insert(row.emoji.text)
      return NameTable.own.row(of: row.emoji)
    }
    let english = NameTable.own.rows(plain, byStem: own.isEmpty)
    return own + english.filter { !found.contains($0.emoji.text) }
  }

  /// The names of an emoji, in the requested tones or in its own; U+FE0F is ignored. Empty for anything but one
  /// emoji of the table. What has no name in the language has its English one.
  public static func names(
    of emoji: String, tone: ToneChoice = .none, in language: EmojiLanguage = .english
  ) -> [NamedEmoji] {
    guard let (row, named) = entry(of: emoji) else { return [] }
    return tone == .none
      ? language.named([named], row) : NamedEmoji.chosen(tone, of: row, in: language)
  }

  private static func entry(of emoji: String) -> (row: NameTable.Row, named: NamedEmoji)? {
    guard
      emoji.unicodeScalars.contains(where: { !$0.isASCII && ($0.properties.isEmoji || $0.value == 0x20E3) })
    else { return nil }
    let wanted = Array(emoji.utf8)
    let isToned = !SkinTone.tones(in: emoji).isEmpty
    var found: (NameTable.Row, NamedEmoji)?
    NameTable.own.forEach { row in
      if !isToned {
        if isSame(row.emoji, wanted) { found = (row, NamedEmoji(row)) }
      } else if let version = row.versions.parts(at: UInt8(ascii: " ")).first(where: { isSame($0, wanted) }) {
        found = (row, NamedEmoji(version.text, of: row))
      }
      return found == nil
    }
    return found
  }

  /// Whether two texts are equal apart from U+FE0F. Nothing is copied, because all of the table is compared.
  private static func isSame(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    var (left, right) = (left[...], right[...])
    while true {
      while left.starts(with: selector) { left = left.dropFirst(selector.count) }
      while right.starts(with: selector) { right = right.dropFirst(selector.count) }
      guard let byte = left.popFirst() else { return right.isEmpty }
      guard right.popFirst() == byte else { return false }
    }
  }

  private static let selector: [UInt8] = [0xEF, 0xB8, 0x8F]
}

// MARK: - Results

/// An emoji and its names.
public struct NamedEmoji: Equatable, Sendable {
  /// The emoji in its fully qualified form.
  public let emoji: String
  /// The name between colons: `waving-hand-light-skin-tone`.
  public let shortcode: String
  /// Unicode's name, in English if no other language was asked for: `waving hand: light skin tone`.
  public private(set) var name: String
  /// Other search words of the same language, as shortcodes.
  public private(set) var keywords: [String]
  /// The shortcodes of GitHub and then of Slack that also name it, without a skin tone; spelled as shortcodes are.
  public let aliases: [String]
  /// Its skin tones: none, one, or two for two people.
  public let tones: [SkinTone]

  /// The emoji without a skin tone.
  init(_ row: NameTable.Row) {
    emoji = row.emoji.text
    shortcode = row.shortcode.text
    name = row.name.text
    keywords = row.keywords.parts(at: UInt8(ascii: "|")).map(\.text)
    aliases = row.aliases.parts(at: UInt8(ascii: "|")).map(\.text)
    tones = []
  }

  /// A variant with skin tones.
  init(_ version: String, of row: NameTable.Row) {
    let tones = SkinTone.tones(in: version)
    emoji = version
    shortcode = ([row.shortcode.text] + tones.map { "\($0.rawValue)-skin-tone" }).joined(separator: "-")
    name = Self.name(row.name.text, tones.map { "\($0.rawValue) skin tone" })
    keywords = row.keywords.parts(at: UInt8(ascii: "|")).map(\.text)
    aliases = row.aliases.parts(at: UInt8(ascii: "|")).map(\.text)
    self.tones = tones
  }

  /// The variants with skin tones.
  static func versions(of row: NameTable.Row) -> [NamedEmoji] {
    row.versions.parts(at: UInt8(ascii: " ")).map { NamedEmoji($0.text, of: row) }
  }

  /// The emoji in the requested tones, with the names of a language. The row is English.
  static func chosen(
    _ tone: ToneChoice, of row: NameTable.Row, in language: EmojiLanguage = .english
  ) -> [NamedEmoji] {
    switch tone {
    case .none: return language.named([NamedEmoji(row)], row)
    case .all: return language.named([NamedEmoji(row)] + versions(of: row), row)
    case .tone(let tone):
      return language.named([versions(of: row).first { $0.tones == [tone] } ?? NamedEmoji(row)], row)
    }
  }

  /// This emoji with the names of another language's row. `tones` are the names of all skin tones in it.
  func named(_ row: NameTable.Row, tones names: [String]) -> NamedEmoji {
    let names = Dictionary(uniqueKeysWithValues: zip(SkinTone.allCases, names))
    var named = self
    named.name = Self.name(row.name.text, tones.map { names[$0] ?? $0.rawValue })
    named.keywords = row.keywords.parts(at: UInt8(ascii: "|")).map(\.text)
    return named
  }

  private static func name(_ name: String, _ tones: [String]) -> String {
    tones.isEmpty ? name : name + (name.contains(":") ? ", " : ": ") + tones.joined(separator: ", ")
  }
}
