// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CStore
import Glibc

extension FileImage {
  /// The file of a copy, in the one form that a merge writes: the same content gives the same bytes. The log is cut to its capacity, and
  /// what leaves it goes to the archive. Throws `tooLarge`.
  fileprivate init(_ copy: DocumentCopy) throws(ArtError) {
    let content = copy.content
    var art = ArtRow(id: content.id, canvas: content.canvas)
    (art.fill, art.background, art.pending) = (content.fill, content.background, content.pending)
    try self.init(name: copy.name, art: art, spills: true)
    try insert(content.emojisInOrder())
    for row in copy.archive { try insert(row.values, into: .archive) }
    try insert(content.log)
    art = self.art
    (art.revision, art.head) = (content.revision, content.head)
    self.art = art
    try trimLog()
    for origin in copy.origins.sorted(by: { $0.key.bits < $1.key.bits }) {
      try insert([.text(origin.key.description), .integer(origin.value)], into: .origin)
    }
    for (number, row) in copy.sortedAside.enumerated() {
      try insert(
        [
          .integer(number + 1), .text(row.source), .text(row.row), .text(row.reason), .integer(row.time),
        ], into: .aside)
    }
    for version in copy.versions.values.sorted(by: { $0.key < $1.key }) {
      try insert(version.values, into: .version)
    }
    for (number, digest) in copy.pictureOrder.enumerated() {
      guard let bytes = copy.pictures[digest] else { continue }
      try insertPicture(bytes, digest: digest, number: number + 1)
    }
  }

  /// Moves the oldest edits to the archive.
  private mutating func trimLog() throws(ArtError) {
    try art.write(on: connection)
    try connection.execute("COMMIT; BEGIN")
    let transaction = try DocumentTransaction(connection, begin: "SAVEPOINT trimming")
    try transaction.finish()
    art = transaction.art
    try connection.execute("RELEASE trimming")
  }

  /// The bytes of the file in the one form. It is built again, because where the pages of this one lie tells how many edits left the log. The
  /// numbers in its header that count changes, and name SQLite's version, follow from the state.
  fileprivate func canonicalBytes() throws(ArtError) -> [UInt8] {
    try art.write(on: connection)
    try connection.execute("COMMIT")
    let scratch = try Scratch()
    defer { scratch.remove() }
    try Statement("VACUUM INTO ?", on: connection).run(.text(scratch.document))
    guard var bytes = try PlainFile.read(scratch.document, limit: Format.largestFile) else {
      throw .system("read", scratch.document, ENOENT)
    }
    var sum = RowSum("counter")
    sum.integer(art.digest.value)
    sum.optional(art.head?.description)
    // The change counter and the counter for which the size is valid, which must be equal; and SQLite's version, here that of the oldest one
    // that is supported: https://www.sqlite.org/fileformat.html, section 1.3.
    let counter = UInt32(truncatingIfNeeded: sum.value)
    for (offset, value) in [(24, counter), (92, counter), (96, 3_040_001)] {
      for index in 0..<4 {
        bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * index))
      }
    }
    return bytes
  }
}

extension DocumentCopy {
  /// The copy's file in the one form, and its bytes. If they are more than a document may have, it is the file without the archive. Throws
  /// `tooLarge`.
  func canonicalFile() throws(ArtError) -> (image: FileImage, bytes: [UInt8]) {
    do throws(ArtError) {
      let image = try FileImage(self)
      return (image, try image.canonicalBytes())
    } catch {
      guard error.code == .tooLarge, let smaller = withoutArchive else { throw error }
      let image = try FileImage(smaller)
      return (image, try image.canonicalBytes())
    }
  }

  fileprivate var sortedAside: [AsideRow] {
    aside.sorted { ($0.time, $0.source, $0.row, $0.reason) < ($1.time, $1.source, $1.row, $1.reason) }
  }
}

extension VersionRow {
  fileprivate var key: String { id.description }
}
