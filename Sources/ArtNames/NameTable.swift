// SPDX-License-Identifier: Apache-2.0

import CEmojiNames
import Glibc

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
