// SPDX-License-Identifier: Apache-2.0

import CEmojiNames
import Glibc

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

    var name: Bytes { column(0) }
    /// How much is said of the emoji in English, in bytes; `newer` more for one that came after Emoji 1.0.
    var weight: Int {
      column(1).reduce(0) { $0 < Self.newer ? $0 * 10 + Int(($1 &- UInt8(ascii: "0")) % 10) : $0 }
    }
    /// In English, the variants with skin tones, separated by spaces: light to dark, then two people with two tones.
    var versions: Bytes { column(2) }
    /// In other languages, other spellings of the folded words, separated by `|`: `loewe` for `lowe`.
    var spellings: Bytes { column(2) }
    /// Other whole names: in English, the shortcodes of GitHub and Slack, separated by `|`; in another language, the name in its
    /// other spelling.
    var aliases: Bytes { column(3) }
    /// In English, GitHub's tags, separated by `|`, and its shortcodes that are names of other emoji.
    var tags: Bytes { column(4) }

    /// What is added to the weight of an emoji that came after Emoji 1.0.
    static let newer = 1_000

    /// A column behind the keywords, from 0; empty if the line ends before it.
    private func column(_ index: Int) -> Bytes {
      var left = rest
      for _ in 0..<index { _ = left.removePrefix(upTo: UInt8(ascii: "\t")) }
      return left.removePrefix(upTo: UInt8(ascii: "\t"))
    }
  }

  private let bytes: Bytes
  private let header: Bytes

  /// The English table.
  static var own: NameTable { NameTable(.english) }

  /// The table of a language that is compiled into this program.
  init(_ language: EmojiLanguage) {
    self.init(Self.whole(language), hasTones: !language.isEnglish)
  }

  /// The bytes of the table of a language.
  static func whole(_ language: EmojiLanguage) -> UnsafeBufferPointer<UInt8> {
    let table = emoji_names_in(language.rawValue)
    return UnsafeBufferPointer(start: table.bytes, count: table.size)
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

  /// The emoji that a query finds, best first. What has only the stem of a word counts if nothing else is found, and if `byStem`.
  func rows(_ query: NameQuery, byStem: Bool = true) -> [Row] {
    var hits: [(rank: NameQuery.Rank, row: Row)] = []
    var hasMore = !byStem
    forEach(having: query.needle) { row, position in
      guard let rank = query.rank(row, at: position) else { return }
      if case .stem = rank.fit {
        if hasMore { return }
      } else if !hasMore {
        hits.removeAll()
        hasMore = true
      }
      hits.append((rank, row))
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
