// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CSQLite
import Glibc

/// What a list tells of a document: its counts, as its own row has them. The row is verified against its sum, the
/// content is not looked at.
public struct DocumentSummary: Sendable, Equatable {
  /// Emoji in it.
  public let emojiCount: Int
  /// The count of edits that it has seen.
  public let revision: Int
  /// Bytes of the file.
  public let size: Int
  /// When the file was last written, in seconds since 1970.
  public let modified: Int
}

extension DocumentFile {
  /// Reads the summary. Two pages of the file are enough: `art` is the first table, its one row lies on page 2.
  /// What does not look like that, and a document that is being written, is read through SQLite. Throws what `read`
  /// throws.
  public func summary() throws(ArtError) -> DocumentSummary {
    if let quick = quickSummary() { return quick }
    let file = try locate()
    let (emojiCount, revision) = try read { (transaction) throws(ArtError) in
      (transaction.emojiCount, transaction.revision)
    }
    var status = stat()
    guard lstat(file.path, &status) == 0 else { throw .system("look at", path) }
    return DocumentSummary(status, emojiCount: emojiCount, revision: revision)
  }

  /// The summary of a file that is as it should be; nil for any other, which is then looked at with care.
  private func quickSummary() -> DocumentSummary? {
    // Looked for before and after: pages that were read while no save was under way had been committed.
    guard !hasJournal else { return nil }
    var status = stat()
    // A header that is not as it should be is looked at again by `read`, which says what is wrong.
    guard let start = OpenFiles.whileNoneIsOpen({ firstPages(&status) }),
      let header = try? FileHeader(
        Array(start.prefix(FileHeader.length)), size: Int(status.st_size), name: path),
      !header.isWAL, header.isPlain,
      let art = LeafPage(Array(start[Format.pageSize...])).flatMap({ ArtRow(onlyRowOf: $0) })
    else { return nil }
    guard !hasJournal else { return nil }
    return DocumentSummary(status, emojiCount: art.emojiCount, revision: art.revision)
  }

  private var hasJournal: Bool {
    var status = stat()
    return lstat(path + "-journal", &status) == 0 || errno != ENOENT
  }

  /// Two pages of a regular file, by plain system calls; nil when they are not there.
  private func firstPages(_ status: inout stat) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let wanted = 2 * Format.pageSize
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
      filled = max(0, pread(file, buffer.baseAddress, wanted, 0))
    }
    return bytes.count == wanted ? bytes : nil
  }
}

extension DocumentSummary {
  fileprivate init(_ status: stat, emojiCount: Int, revision: Int) {
    self.init(
      emojiCount: emojiCount, revision: revision, size: Int(status.st_size), modified: status.st_mtim.tv_sec)
  }
}

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
