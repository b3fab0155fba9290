// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CEmojiNames
import Glibc

/// The English names and keywords of all emoji, from Unicode's own data.
public enum EmojiNames {
  /// What a search gives.
  public struct Found: Equatable, Sendable {
    /// The best, no more than were asked for.
    public let emojis: [NamedEmoji]
    /// How many there are.
    public let count: Int

    /// `emojis` of `count` that there are.
    public init(emojis: [NamedEmoji], count: Int) {
      self.emojis = emojis
      self.count = count
    }
  }

  /// Whether there is anything to look for in a word: a letter, a digit, `#`, `*` or `+`.
  public static func canSearch(_ word: String) -> Bool { NameQuery([word]) != nil }

  /// The emoji whose names or keywords have all of the words or words that begin with them, best first: the name itself, whole
  /// words, beginnings. nil where the words have nothing to look for in them.
  public static func search(_ words: [String], tone: ToneChoice = .none, limit: Int) -> Found? {
    guard let query = NameQuery(words) else { return nil }
    var hits: [(rank: NameQuery.Rank, row: NameTable.Row)] = []
    NameTable.own.forEach(having: query.mark) { row, place in
      if let rank = query.rank(row, at: place) { hits.append((rank, row)) }
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

  /// What an emoji is called, in the tones that are asked for, else in its own; compared without U+FE0F. None for what is not one
  /// emoji of the table.
  public static func names(of emoji: String, tone: ToneChoice = .none) -> [NamedEmoji] {
    guard let (row, named) = entry(of: emoji) else { return [] }
    return tone == .none ? [named] : NamedEmoji.chosen(tone, of: row)
  }

  private static func entry(of emoji: String) -> (row: NameTable.Row, named: NamedEmoji)? {
    guard
      emoji.unicodeScalars.contains(where: { !$0.isASCII && ($0.properties.isEmoji || $0.value == 0x20E3) })
    else { return nil }
    let wanted = withoutSelectors(emoji.utf8)
    let isToned = !SkinTone.tones(in: emoji).isEmpty
    var found: (NameTable.Row, NamedEmoji)?
    NameTable.own.forEach { row in
      if !isToned {
        if withoutSelectors(row.emoji) == wanted { found = (row, NamedEmoji(row)) }
      } else if let version = row.versions.parts(at: UInt8(ascii: " ")).first(where: {
        withoutSelectors($0) == wanted
      }) {
        found = (row, NamedEmoji(version.text, of: row))
      }
      return found == nil
    }
    return found
  }

  private static func withoutSelectors(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var plain: [UInt8] = []
    for byte in bytes {
      plain.append(byte)
      if byte == 0x8F, plain.suffix(3) == [0xEF, 0xB8, 0x8F] { plain.removeLast(3) }
    }
    return plain
  }
}

/// An emoji and what it is called.
public struct NamedEmoji: Equatable, Sendable {
  /// The emoji itself, in its full form.
  public let emoji: String
  /// What is typed between colons: `waving-hand-light-skin-tone`.
  public let shortcode: String
  /// Unicode's English name: `waving hand: light skin tone`.
  public let name: String
  /// What else it is found by, as shortcodes.
  public let keywords: [String]
  /// Its skin tones: none, one, or two of two people.
  public let tones: [SkinTone]

  /// Without a skin tone.
  init(_ row: NameTable.Row) {
    emoji = row.emoji.text
    shortcode = row.shortcode.text
    name = row.name.text
    keywords = row.keywords.parts(at: UInt8(ascii: "|")).map(\.text)
    tones = []
  }

  /// A version in skin tones.
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

  /// The versions in skin tones.
  static func versions(of row: NameTable.Row) -> [NamedEmoji] {
    row.versions.parts(at: UInt8(ascii: " ")).map { NamedEmoji($0.text, of: row) }
  }

  /// An emoji in the tones that are asked for.
  static func chosen(_ tone: ToneChoice, of row: NameTable.Row) -> [NamedEmoji] {
    switch tone {
    case .none: return [NamedEmoji(row)]
    case .all: return [NamedEmoji(row)] + versions(of: row)
    case .tone(let tone):
      return [versions(of: row).first { $0.tones == [tone] } ?? NamedEmoji(row)]
    }
  }
}

/// Words that emoji are looked for by; each must fit the name or a keyword.
struct NameQuery {
  /// How well an emoji fits: the smaller the better.
  struct Rank: Comparable {
    /// How its worst word fits.
    let fit: Fit
    /// Whether the query is no keyword.
    let isOther: Bool
    /// The fewer words the name and the keywords have, the more they are about the query.
    let nameWords: Int
    let keywordBytes: Int
    /// Whether the name ends with another word: a red heart is a heart, a heart decoration is not.
    let endsOtherwise: Bool
    /// Where it stands in Unicode's order.
    let place: Int

    static func < (left: Rank, right: Rank) -> Bool {
      left.order < right.order
    }

    private var order: (Int, Int, Int, Int, Int, Int) {
      (fit.rawValue, isOther ? 1 : 0, nameWords, keywordBytes, endsOtherwise ? 1 : 0, place)
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

  /// nil where nothing is left to look for.
  init?(_ words: [String]) {
    whole = Array(Shortcode.of(words.joined(separator: " ")).utf8)
    self.words = whole.split(separator: Self.hyphen).map(Array.init)
    guard !self.words.isEmpty else { return nil }
  }

  /// What stands in the line of every emoji that fits: the longest word, without an `s` that it may be found without.
  var mark: [UInt8] {
    let longest = words.max { $0.count < $1.count } ?? []
    return Self.singular(longest).map(Array.init) ?? longest
  }

  /// nil for what does not fit.
  func rank(_ row: NameTable.Row, at place: Int) -> Rank? {
    var worst = Fit.name
    if !row.shortcode.elementsEqual(whole) {
      for word in words {
        guard let fit = Self.fit(word, row) else { return nil }
        if fit.rawValue > worst.rawValue { worst = fit }
      }
    }
    return Rank(
      fit: worst, isOther: !row.hasKeyword(whole), nameWords: row.shortcode.count { $0 == Self.hyphen },
      keywordBytes: row.keywords.count,
      endsOtherwise: !row.shortcode.reversed().starts(with: whole.reversed()),
      place: place)
  }

  private static let hyphen = UInt8(ascii: "-")

  private static func fit(_ word: [UInt8], _ row: NameTable.Row) -> Fit? {
    let name = reach(of: word, in: row.shortcode)
    if name == .word { return .nameWord }
    let keyword = reach(of: word, in: row.keywords)
    if keyword == .word { return .keywordWord }
    if name == .beginning { return .nameBeginning }
    if keyword == .beginning { return .keywordBeginning }
    guard let singular = singular(word) else { return nil }
    let isThere =
      reach(of: singular, in: row.shortcode) == .word || reach(of: singular, in: row.keywords) == .word
    return isThere ? .singular : nil
  }

  /// nil for a word that is looked for as it is only.
  private static func singular(_ word: [UInt8]) -> ArraySlice<UInt8>? {
    word.count > 3 && word.last == UInt8(ascii: "s") ? word.dropLast() : nil
  }

  private enum Reach { case none, beginning, word }

  /// How far a word goes along with one of a column, each of which begins at the start, after a hyphen or after `|`.
  private static func reach(of word: some RandomAccessCollection<UInt8>, in column: NameTable.Bytes) -> Reach
  {
    var best = Reach.none
    var start = column.startIndex
    while start < column.endIndex {
      let rest = column[start...]
      if rest.starts(with: word) {
        let end = start + word.count
        if end == column.endIndex || isParting(column[end]) { return .word }
        best = .beginning
      }
      guard let next = rest.firstIndex(where: isParting) else { break }
      start = next + 1
    }
    return best
  }

  private static func isParting(_ byte: UInt8) -> Bool { byte == hyphen || byte == UInt8(ascii: "|") }
}

/// The table of names as its bytes stand in the program. Only what is found becomes text.
struct NameTable {
  /// A part of the table.
  typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  /// One emoji: a line whose columns are parted by tabulators.
  struct Row {
    let emoji: Bytes
    let shortcode: Bytes
    /// Shortcodes with `|` between them.
    let keywords: Bytes
    private let rest: Bytes

    init(_ line: Bytes) {
      var left = line
      emoji = left.cut(at: UInt8(ascii: "\t"))
      shortcode = left.cut(at: UInt8(ascii: "\t"))
      keywords = left.cut(at: UInt8(ascii: "\t"))
      rest = left
    }

    var name: Bytes {
      var left = rest
      return left.cut(at: UInt8(ascii: "\t"))
    }

    /// Its versions in the skin tones with blanks between them: light to dark, then those of two people in two tones.
    var versions: Bytes {
      var left = rest
      _ = left.cut(at: UInt8(ascii: "\t"))
      return left
    }
  }

  private let bytes: UnsafeBufferPointer<UInt8>

  /// The table of this program.
  static var own: NameTable {
    NameTable(UnsafeBufferPointer(start: emoji_names(), count: emoji_names_size))
  }

  /// `bytes` stay where they are as long as the table is used.
  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Gives every emoji to `body`, in Unicode's order, until that says false.
  func forEach(_ body: (Row) -> Bool) {
    var left = bytes[...]
    while !left.isEmpty {
      let line = left.cut(at: UInt8(ascii: "\n"))
      guard body(Row(line)) else { return }
    }
  }

  /// Gives those emoji to `body` in whose lines a text stands, and where each line begins.
  func forEach(having text: [UInt8], _ body: (Row, Int) -> Void) {
    var left = bytes[...]
    while let hit = left.firstPlace(of: text) {
      let newline = left[..<hit].lastIndex(of: UInt8(ascii: "\n"))
      let start = newline.map { $0 + 1 } ?? left.startIndex
      left = left[start...]
      body(Row(left.cut(at: UInt8(ascii: "\n"))), start)
    }
  }

  /// The first emoji of which something is true.
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
  /// Whether a keyword is just this.
  func hasKeyword(_ wanted: [UInt8]) -> Bool {
    var left = keywords
    while !left.isEmpty {
      if left.cut(at: UInt8(ascii: "|")).elementsEqual(wanted) { return true }
    }
    return false
  }
}

extension NameTable.Bytes {
  /// Takes what stands before a byte, and the byte; all where it is not there.
  mutating func cut(at byte: UInt8) -> Self {
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

  /// Where some bytes stand in it first.
  func firstPlace(of wanted: [UInt8]) -> Int? {
    let offset = withContiguousStorageIfAvailable { part -> Int? in
      wanted.withUnsafeBufferPointer { wanted -> Int? in
        guard let start = part.baseAddress, let text = wanted.baseAddress,
          let place = emoji_names_search(start, part.count, text, wanted.count)
        else { return nil }
        return place - start
      }
    }
    return offset.flatMap { $0 }.map { startIndex + $0 }
  }

  /// The parts between a byte; none of nothing.
  func parts(at byte: UInt8) -> [Self] {
    var left = self
    var parts: [Self] = []
    while !left.isEmpty { parts.append(left.cut(at: byte)) }
    return parts
  }

  var text: String { String(decoding: UnsafeBufferPointer(rebasing: self), as: UTF8.self) }
}
