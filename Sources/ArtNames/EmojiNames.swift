// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CEmojiNames
import Glibc

/// Search in the English names and keywords of all emoji, from Unicode's CLDR data.
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
  public static func search(_ words: [String], tone: ToneChoice = .none, limit: Int) -> Found? {
    guard let query = NameQuery(words) else { return nil }
    var hits: [(rank: NameQuery.Rank, row: NameTable.Row)] = []
    NameTable.own.forEach(having: query.needle) { row, position in
      if let rank = query.rank(row, at: position) { hits.append((rank, row)) }
    }
    hits.sort { $0.rank < $1.rank }
    var emojis: [NamedEmoji] = []
    var count = 0
    for hit in hits {
      guard emojis.count < limit else {
        count += tone == .all ? 1 + hit.row.versions.parts(at: UInt8(ascii: " ")).count : 1
        continue
      }
      let chosen = NamedEmoji.chosen(tone, of: hit.row)
      count += chosen.count
      emojis += chosen.prefix(limit - emojis.count)
    }
    return Found(emojis: emojis, count: count)
  }

  /// The names of an emoji, in the requested tones or in its own; U+FE0F is ignored. Empty for anything but one
  /// emoji of the table.
  public static func names(of emoji: String, tone: ToneChoice = .none) -> [NamedEmoji] {
    guard let (row, named) = entry(of: emoji) else { return [] }
    return tone == .none ? [named] : NamedEmoji.chosen(tone, of: row)
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
  /// Unicode's English name: `waving hand: light skin tone`.
  public let name: String
  /// Other search words, as shortcodes.
  public let keywords: [String]
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
    let name = row.name.text
    emoji = version
    shortcode = ([row.shortcode.text] + tones.map { "\($0.rawValue)-skin-tone" }).joined(separator: "-")
    self.name =
      name + (name.contains(":") ? ", " : ": ")
      + tones.map { "\($0.rawValue) skin tone" }.joined(separator: ", ")
    keywords = row.keywords.parts(at: UInt8(ascii: "|")).map(\.text)
    self.tones = tones
  }

  /// The variants with skin tones.
  static func versions(of row: NameTable.Row) -> [NamedEmoji] {
    row.versions.parts(at: UInt8(ascii: " ")).map { NamedEmoji($0.text, of: row) }
  }

  /// The emoji in the requested tones.
  static func chosen(_ tone: ToneChoice, of row: NameTable.Row) -> [NamedEmoji] {
    switch tone {
    case .none: return [NamedEmoji(row)]
    case .all: return [NamedEmoji(row)] + versions(of: row)
    case .tone(let tone):
      return [versions(of: row).first { $0.tones == [tone] } ?? NamedEmoji(row)]
    }
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
    /// `hearts` for `heart`.
    case singular
  }

  private let whole: [UInt8]
  private let words: [[UInt8]]

  /// Nil where the words contain nothing searchable.
  init?(_ words: [String]) {
    whole = Array(Shortcode.of(words.joined(separator: " ")).utf8)
    self.words = whole.split(separator: Self.hyphen).map(Array.init)
    guard !self.words.isEmpty else { return nil }
  }

  /// A text that the table's line of every match contains: the longest word, without a plural `s` that the
  /// match may lack.
  var needle: [UInt8] {
    let longest = words.max { $0.count < $1.count } ?? []
    return Self.singular(longest).map(Array.init) ?? longest
  }

  /// Nil where the emoji does not match.
  func rank(_ row: NameTable.Row, at position: Int) -> Rank? {
    var worst = Fit.name
    if !row.shortcode.elementsEqual(whole) {
      for word in words {
        guard let fit = Self.fit(word, row) else { return nil }
        if fit.rawValue > worst.rawValue { worst = fit }
      }
    }
    return Rank(
      fit: worst, isNoKeyword: !row.hasKeyword(whole), nameWords: row.shortcode.count { $0 == Self.hyphen },
      keywordBytes: row.keywords.count,
      endsDifferently: !row.shortcode.reversed().starts(with: whole.reversed()),
      position: position)
  }

  private static let hyphen = UInt8(ascii: "-")

  private static func fit(_ word: [UInt8], _ row: NameTable.Row) -> Fit? {
    let name = match(of: word, in: row.shortcode)
    if name == .word { return .nameWord }
    let keyword = match(of: word, in: row.keywords)
    if keyword == .word { return .keywordWord }
    if name == .beginning { return .nameBeginning }
    if keyword == .beginning { return .keywordBeginning }
    guard let singular = singular(word) else { return nil }
    let isThere =
      match(of: singular, in: row.shortcode) == .word || match(of: singular, in: row.keywords) == .word
    return isThere ? .singular : nil
  }

  /// Nil for a word that has no singular to search for.
  private static func singular(_ word: [UInt8]) -> ArraySlice<UInt8>? {
    word.count > 3 && word.last == UInt8(ascii: "s") ? word.dropLast() : nil
  }

  private enum Match { case none, beginning, word }

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

/// The table of names, read in place from the program's data. Only matches are converted to `String`.
struct NameTable {
  /// A slice of the table.
  typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  /// A line of the table: one emoji, in columns separated by tabs.
  struct Row {
    let emoji: Bytes
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

    /// The variants with skin tones, separated by spaces: light to dark, then two people with two tones.
    var versions: Bytes {
      var left = rest
      _ = left.removePrefix(upTo: UInt8(ascii: "\t"))
      return left
    }
  }

  private let bytes: UnsafeBufferPointer<UInt8>

  /// The table that is compiled into this program.
  static var own: NameTable {
    NameTable(UnsafeBufferPointer(start: emoji_names(), count: emoji_names_size))
  }

  /// The memory of `bytes` must outlive the table.
  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Calls `body` with each emoji, in Unicode's order, until it returns false.
  func forEach(_ body: (Row) -> Bool) {
    var left = bytes[...]
    while !left.isEmpty {
      let line = left.removePrefix(upTo: UInt8(ascii: "\n"))
      guard body(Row(line)) else { return }
    }
  }

  /// Calls `body` with each emoji whose line contains a text, and with the index of that line.
  func forEach(having text: [UInt8], _ body: (Row, Int) -> Void) {
    var left = bytes[...]
    while let hit = left.firstIndex(of: text) {
      let newline = left[..<hit].lastIndex(of: UInt8(ascii: "\n"))
      let start = newline.map { $0 + 1 } ?? left.startIndex
      left = left[start...]
      body(Row(left.removePrefix(upTo: UInt8(ascii: "\n"))), start)
    }
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
  func hasKeyword(_ wanted: [UInt8]) -> Bool {
    var left = keywords
    while !left.isEmpty {
      if left.removePrefix(upTo: UInt8(ascii: "|")).elementsEqual(wanted) { return true }
    }
    return false
  }
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

  /// The parts between separators; an empty slice has none.
  func parts(at byte: UInt8) -> [Self] {
    var left = self
    var parts: [Self] = []
    while !left.isEmpty { parts.append(left.removePrefix(upTo: byte)) }
    return parts
  }

  var text: String { String(decoding: UnsafeBufferPointer(rebasing: self), as: UTF8.self) }
}
