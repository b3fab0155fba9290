// SPDX-License-Identifier: Apache-2.0

@testable import ArtStore

/// An interrupted save, made from the file before and after it: some first pages are written, and the rollback journal holds all
/// changed pages in their old state.
struct HalfSave {
  let before: [UInt8]
  let after: [UInt8]
  /// The numbers of the pages that differ, ascending, which is the order in which SQLite writes them.
  let pages: [Int]

  init(before: [UInt8], after: [UInt8]) {
    self.before = before
    self.after = after
    pages = (0..<before.count / Format.pageSize).filter {
      Self.page($0, of: before) != Self.page($0, of: after)
    }
  }

  /// The file with this number of pages written.
  func file(written count: Int) -> [UInt8] {
    var file = before
    for page in pages.prefix(count) {
      let start = page * Format.pageSize
      file.replaceSubrange(start..<start + Format.pageSize, with: Self.page(page, of: after))
    }
    return file
  }

  /// The journal, synced. Source: https://www.sqlite.org/fileformat.html, section 3.
  var journal: [UInt8] {
    let nonce: UInt32 = 0x1234_5678
    var journal: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    for number in [pages.count, Int(nonce), before.count / Format.pageSize, 512, Format.pageSize] {
      journal += Self.big(UInt32(number))
    }
    journal += [UInt8](repeating: 0, count: 512 - journal.count)
    for page in pages {
      let bytes = Array(Self.page(page, of: before))
      var sum = nonce
      for index in stride(from: bytes.count - 200, to: 0, by: -200) { sum &+= UInt32(bytes[index]) }
      journal += Self.big(UInt32(page + 1)) + bytes + Self.big(sum)
    }
    return journal
  }

  private static func page(_ number: Int, of file: [UInt8]) -> ArraySlice<UInt8> {
    let start = number * Format.pageSize
    guard start < file.count else { return [] }
    return file[start..<min(start + Format.pageSize, file.count)]
  }

  private static func big(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
  }
}
