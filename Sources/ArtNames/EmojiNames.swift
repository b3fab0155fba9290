// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CEmojiNames
import Glibc

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

  /// The emoji for which each word, or a word that begins with it, occurs in the name or the keywords; best
  /// first: whole names, whole words, prefixes. Nil where the words contain nothing searchable.
  ///
  /// What is found by the names of another language comes before what is found by English ones.
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
    guard let query = NameQuery(words) else { return nil }
    let english = NameTable.own.rows(query)
    guard !language.isEnglish, let query = NameQuery(words, in: language) else { return english }
    var found: Set<String> = []
    let own = NameTable(language).rows(query).compactMap { row in
      found.insert(row.emoji.text)
      return NameTable.own.row(of: row.emoji)
    }
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

// MARK: - Languages

/// A language in which emoji have names, by its BCP 47 code. English is also the language of shortcodes.
///
/// The table of a language is data in the program. It is read when something is looked up in that language, and costs nothing before.
public enum EmojiLanguage: String, CaseIterable, Sendable {
  case english = "en"
  case german = "de"

  /// The language of a BCP 47 tag such as `de-AT`, in any case; nil for one without a table.
  public init?(tag: String) {
    let primary = tag.utf8.prefix { $0 != UInt8(ascii: "-") }
    self.init(rawValue: String(decoding: primary, as: UTF8.self).lowercased())
  }

  /// Not by `==`, which would compare the codes.
  var isEnglish: Bool { if case .english = self { true } else { false } }

  /// Gives versions of one emoji the names of this language, if it has one for the emoji.
  func named(_ versions: [NamedEmoji], _ row: NameTable.Row) -> [NamedEmoji] {
    guard !isEnglish else { return versions }
    let table = NameTable(self)
    guard let own = table.row(of: row.emoji) else { return versions }
    return versions.map { $0.named(own, tones: table.tones) }
  }
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
  /// Its skin tones: none, one, or two for two people.
  public let tones: [SkinTone]

  /// The emoji without a skin tone.
  init(_ row: NameTable.Row) {
    emoji = row.emoji.text
    shortcode = row.shortcode.text
    name = row.name.text
    keywords = row.keywords.parts(at: UInt8(ascii: "|")).map(\.text)
    tones = []
  }

  /// A variant with skin tones.
  init(_ version: String, of row: NameTable.Row) {
    let tones = SkinTone.tones(in: version)
    emoji = version
    shortcode = ([row.shortcode.text] + tones.map { "\($0.rawValue)-skin-tone" }).joined(separator: "-")
    name = Self.name(row.name.text, tones.map { "\($0.rawValue) skin tone" })
    keywords = row.keywords.parts(at: UInt8(ascii: "|")).map(\.text)
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
  fileprivate func named(_ row: NameTable.Row, tones names: [String]) -> NamedEmoji {
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

// MARK: - Queries

/// A search query; every word must match the name or a keyword.
struct NameQuery {
  /// The quality of a match; smaller is better.
  struct Rank: Comparable {
    /// The match of the worst word.
    let fit: Fit
    /// Whether no keyword equals the query.
    let isNoKeyword: Bool
    /// With fewer words, the name and the keywords say less besides the query.
    let nameWords: Int
    let keywordBytes: Int
    /// Whether the name ends with another word: a red heart is a heart, a heart decoration is not.
    let endsDifferently: Bool
    /// The position in Unicode's order.
    let position: Int

    static func < (left: Rank, right: Rank) -> Bool {
      left.order < right.order
    }

    private var order: (Int, Int, Int, Int, Int, Int) {
      (fit.rawValue, isNoKeyword ? 1 : 0, nameWords, keywordBytes, endsDifferently ? 1 : 0, position)
    }
  }

  enum Fit: Int {
    case name
    case nameWord
    case keywordWord
    case nameBeginning
    case keywordBeginning
    /// `hearts` for `heart`, in English.
    case singular
    /// `wagen` in `krankenwagen`, in languages that write compounds as one word.
    case inside
  }

  private let whole: [UInt8]
  private let words: [[UInt8]]
  private let isEnglish: Bool

  /// Nil where the words contain nothing searchable.
  init?(_ words: [String], in language: EmojiLanguage = .english) {
    isEnglish = language.isEnglish
    whole = Array(Shortcode.of(words.joined(separator: " ")).utf8)
    self.words = whole.split(separator: Self.hyphen).map(Array.init)
    guard !self.words.isEmpty else { return nil }
  }

  /// A text that the table's line of every match contains: the longest word, without a plural `s` that the
  /// match may lack.
  var needle: [UInt8] {
    let longest = words.max { $0.count < $1.count } ?? []
    return singular(longest).map(Array.init) ?? longest
  }

  /// Nil where the emoji does not match.
  func rank(_ row: NameTable.Row, at position: Int) -> Rank? {
    var worst = Fit.name
    if !row.shortcode.elementsEqual(whole) {
      for word in words {
        guard let fit = fit(word, row) else { return nil }
        if fit.rawValue > worst.rawValue { worst = fit }
      }
    }
    return Rank(
      fit: worst, isNoKeyword: !isKeyword(of: row), nameWords: row.shortcode.count { $0 == Self.hyphen },
      keywordBytes: row.keywords.count,
      endsDifferently: !row.shortcode.reversed().starts(with: whole.reversed()),
      position: position)
  }

  private func isKeyword(of row: NameTable.Row) -> Bool {
    row.hasKeyword(whole) || !isEnglish && row.spellings.hasPart(whole)
  }

  private static let hyphen = UInt8(ascii: "-")

  private func fit(_ word: [UInt8], _ row: NameTable.Row) -> Fit? {
    let name = Self.match(of: word, in: row.shortcode)
    if name == .word { return .nameWord }
    var keyword = Self.match(of: word, in: row.keywords)
    if !isEnglish { keyword = max(keyword, Self.match(of: word, in: row.spellings)) }
    if keyword == .word { return .keywordWord }
    if name == .beginning { return .nameBeginning }
    if keyword == .beginning { return .keywordBeginning }
    if !isEnglish { return Self.isInside(word, row) ? .inside : nil }
    guard let singular = singular(word) else { return nil }
    let isThere =
      Self.match(of: singular, in: row.shortcode) == .word
      || Self.match(of: singular, in: row.keywords) == .word
    return isThere ? .singular : nil
  }

  /// Nil for a word that has no singular to search for.
  private func singular(_ word: [UInt8]) -> ArraySlice<UInt8>? {
    isEnglish && word.count > 3 && word.last == UInt8(ascii: "s") ? word.dropLast() : nil
  }

  /// Whether a word that is long enough to say something is a part of another one.
  private static func isInside(_ word: [UInt8], _ row: NameTable.Row) -> Bool {
    word.count > 3
      && [row.shortcode, row.keywords, row.spellings].contains { $0.firstIndex(of: word) != nil }
  }

  private enum Match: Int, Comparable {
    case none, beginning, word

    static func < (left: Match, right: Match) -> Bool { left.rawValue < right.rawValue }
  }

  /// The best match of a word in a column, whose words begin at the start, after a hyphen or after `|`.
  private static func match(of word: some RandomAccessCollection<UInt8>, in column: NameTable.Bytes) -> Match
  {
    var best = Match.none
    var start = column.startIndex
    while start < column.endIndex {
      let rest = column[start...]
      if rest.starts(with: word) {
        let end = start + word.count
        if end == column.endIndex || isSeparator(column[end]) { return .word }
        best = .beginning
      }
      guard let next = rest.firstIndex(where: isSeparator) else { break }
      start = next + 1
    }
    return best
  }

  private static func isSeparator(_ byte: UInt8) -> Bool { byte == hyphen || byte == UInt8(ascii: "|") }
}

// MARK: - The table

/// The table of names in one language, read in place from the program's data. Only matches are converted to `String`.
struct NameTable {
  /// A slice of the table.
  typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  /// A line of the table: one emoji, in columns separated by tabs.
  struct Row {
    let emoji: Bytes
    /// In another language than English, the name folded in the same way.
    let shortcode: Bytes
    /// Shortcodes separated by `|`.
    let keywords: Bytes
    private let rest: Bytes

    init(_ line: Bytes) {
      var left = line
      emoji = left.removePrefix(upTo: UInt8(ascii: "\t"))
      shortcode = left.removePrefix(upTo: UInt8(ascii: "\t"))
      keywords = left.removePrefix(upTo: UInt8(ascii: "\t"))
      rest = left
    }

    var name: Bytes {
      var left = rest
      return left.removePrefix(upTo: UInt8(ascii: "\t"))
    }

    /// In English, the variants with skin tones, separated by spaces: light to dark, then two people with two tones.
    var versions: Bytes { last }
    /// In other languages, other spellings of the folded words, separated by `|`: `loewe` for `lowe`.
    var spellings: Bytes { last }

    private var last: Bytes {
      var left = rest
      _ = left.removePrefix(upTo: UInt8(ascii: "\t"))
      return left
    }
  }

  private let bytes: Bytes
  private let header: Bytes

  /// The English table.
  static var own: NameTable { NameTable(.english) }

  /// The table of a language that is compiled into this program.
  init(_ language: EmojiLanguage) {
    switch language {
    case .english: self.init(emoji_names_english())
    case .german: self.init(emoji_names_german(), hasTones: true)
    }
  }

  private init(_ table: emoji_names, hasTones: Bool = false) {
    self.init(UnsafeBufferPointer(start: table.bytes, count: table.size), hasTones: hasTones)
  }

  /// The memory of `bytes` must outlive the table. `hasTones` is whether the first line has the names of the skin tones.
  init(_ bytes: UnsafeBufferPointer<UInt8>, hasTones: Bool = false) {
    var lines = bytes[...]
    header = hasTones ? lines.removePrefix(upTo: UInt8(ascii: "\n")) : lines.prefix(0)
    self.bytes = lines
  }

  /// The names of the skin tones, light to dark. None in English, which makes them of `SkinTone`.
  var tones: [String] { Row(header).name.parts(at: UInt8(ascii: "|")).map(\.text) }

  /// Calls `body` with each emoji, in Unicode's order, until it returns false.
  func forEach(_ body: (Row) -> Bool) {
    var left = bytes
    while !left.isEmpty {
      let line = left.removePrefix(upTo: UInt8(ascii: "\n"))
      guard body(Row(line)) else { return }
    }
  }

  /// Calls `body` with each emoji whose line contains a text, and with the index of that line.
  func forEach(having text: [UInt8], _ body: (Row, Int) -> Void) {
    var left = bytes
    while let hit = left.firstIndex(of: text) {
      let newline = left[..<hit].lastIndex(of: UInt8(ascii: "\n"))
      let start = newline.map { $0 + 1 } ?? left.startIndex
      left = left[start...]
      body(Row(left.removePrefix(upTo: UInt8(ascii: "\n"))), start)
    }
  }

  /// The emoji that a query finds, best first.
  func rows(_ query: NameQuery) -> [Row] {
    var hits: [(rank: NameQuery.Rank, row: Row)] = []
    forEach(having: query.needle) { row, position in
      if let rank = query.rank(row, at: position) { hits.append((rank, row)) }
    }
    hits.sort { $0.rank < $1.rank }
    return hits.map(\.row)
  }

  /// The line of an emoji, which is spelled as in the other tables.
  func row(of emoji: Bytes) -> Row? {
    let wanted = Array(emoji) + [UInt8(ascii: "\t")]
    var left = bytes
    while let hit = left.firstIndex(of: wanted) {
      let isWhole = hit == bytes.startIndex || bytes[hit - 1] == UInt8(ascii: "\n")
      left = left[hit...]
      if isWhole { return Row(left.removePrefix(upTo: UInt8(ascii: "\n"))) }
      left = left.dropFirst(wanted.count)
    }
    return nil
  }

  /// The first emoji that satisfies a condition.
  func first(where isWanted: (Row) -> Bool) -> Row? {
    var found: Row?
    forEach { row in
      if isWanted(row) { found = row }
      return found == nil
    }
    return found
  }
}

extension NameTable.Row {
  /// Whether one of the keywords equals this text.
  func hasKeyword(_ wanted: [UInt8]) -> Bool { keywords.hasPart(wanted) }
}

extension NameTable.Bytes {
  /// Removes and returns the bytes before a separator, or all bytes; removes the separator, too.
  mutating func removePrefix(upTo byte: UInt8) -> Self {
    let length = withContiguousStorageIfAvailable { part -> Int in
      guard let start = part.baseAddress, let end = memchr(start, Int32(byte), part.count) else {
        return part.count
      }
      return UnsafeRawPointer(end) - UnsafeRawPointer(start)
    }
    let part = prefix(length ?? count)
    self = dropFirst(part.count + 1)
    return part
  }

  /// The index of the first occurrence of some bytes.
  func firstIndex(of wanted: [UInt8]) -> Int? {
    let offset = withContiguousStorageIfAvailable { part -> Int? in
      wanted.withUnsafeBufferPointer { wanted -> Int? in
        guard let start = part.baseAddress, let text = wanted.baseAddress,
          let found = emoji_names_search(start, part.count, text, wanted.count)
        else { return nil }
        return found - start
      }
    }
    return offset.flatMap { $0 }.map { startIndex + $0 }
  }

  /// Whether one of the parts between `|` equals these bytes.
  func hasPart(_ wanted: [UInt8]) -> Bool {
    var left = self
    while !left.isEmpty {
      if left.removePrefix(upTo: UInt8(ascii: "|")).elementsEqual(wanted) { return true }
    }
    return false
  }

  /// The parts between separators; an empty slice has none.
  func parts(at byte: UInt8) -> [Self] {
    var left = self
    var parts: [Self] = []
    while !left.isEmpty { parts.append(left.removePrefix(upTo: byte)) }
    return parts
  }

  var text: String { String(decoding: UnsafeBufferPointer(rebasing: self), as: UTF8.self) }
}
