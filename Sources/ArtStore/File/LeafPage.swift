// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A table's page with one row on it.
///
/// Source: https://www.sqlite.org/fileformat.html, sections 1.6 and 2.1.
struct LeafPage {
  private let bytes: [UInt8]
  private var offset = 0
  private(set) var columns: [Column] = []

  enum Column {
    case null
    case integer(Int)
    case text(String)
  }

  /// Nil for a page that is no table leaf with exactly one row, all on this page.
  init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    guard bytes.count >= 12, bytes[0] == 0x0D, bytes[3] == 0, bytes[4] == 1 else { return nil }
    offset = Int(bytes[8]) << 8 | Int(bytes[9])
    guard let length = varint(), varint() != nil, length <= bytes.count - 35 else { return nil }
    let start = offset
    guard let headerLength = varint(), headerLength <= length, start + length <= bytes.count else {
      return nil
    }
    var kinds: [Int] = []
    while offset < start + headerLength {
      guard let kind = varint() else { return nil }
      kinds.append(kind)
    }
    guard offset == start + headerLength else { return nil }
    for kind in kinds {
      guard let column = column(kind, end: start + length) else { return nil }
      columns.append(column)
    }
  }

  private mutating func varint() -> Int? {
    var value = 0
    for _ in 0..<8 {
      guard offset < bytes.count else { return nil }
      let byte = bytes[offset]
      offset += 1
      value = value << 7 | Int(byte & 0x7F)
      if byte < 0x80 { return value }
    }
    return nil
  }

  private mutating func column(_ kind: Int, end: Int) -> Column? {
    switch kind {
    case 0: return .null
    case 1...6: return integer(bytes: [1, 2, 3, 4, 6, 8][kind - 1], end: end).map(Column.integer)
    case 8, 9: return .integer(kind - 8)
    case 13... where !kind.isMultiple(of: 2):
      let length = (kind - 13) / 2
      guard length <= end - offset else { return nil }
      defer { offset += length }
      return String(validating: bytes[offset..<offset + length], as: UTF8.self).map(Column.text)
    default: return nil
    }
  }

  private mutating func integer(bytes count: Int, end: Int) -> Int? {
    guard count <= end - offset else { return nil }
    defer { offset += count }
    let first = Int(Int8(bitPattern: bytes[offset]))
    return bytes[offset + 1..<offset + count].reduce(first) { $0 << 8 | Int($1) }
  }
}

extension ArtRow {
  /// The row on a page of `art`; nil when it is not one, or does not fit its sum.
  init?(onlyRowOf page: LeafPage) {
    let columns = page.columns
    guard columns.count == Self.columns, case .text(let id) = columns[1], case .text(let canvas) = columns[2],
      case .integer(let revision) = columns[5], case .integer(let emojiCount) = columns[7],
      case .integer(let logBytes) = columns[8], case .integer(let digest) = columns[9],
      case .integer(let sum) = columns[10]
    else { return nil }
    let stored = Stored(
      id: id, canvas: canvas, background: columns[3].text, pending: columns[4].text, revision: revision,
      head: columns[6].text, emojiCount: emojiCount, logBytes: logBytes, digest: digest, sum: sum)
    // A row that means nothing is read again through SQLite, which says what is wrong.
    guard stored.sum == stored.expectedSum, let row = try? ArtRow(stored) else { return nil }
    self = row
  }
}

extension LeafPage.Column {
  fileprivate var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
}
