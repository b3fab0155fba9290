// SPDX-License-Identifier: Apache-2.0

import ArtModel

// The bytes of backgrounds. Those of the present one are there, and those of the last three others as far as there is room; a
// higher number is newer.

/// A row of `image` without its bytes.
struct StoredPicture: Equatable {
  let number: Int
  let digest: String
  let bytes: Int
  let sum: Int
}

extension DocumentTransaction {
  /// Keeps the picture's bytes, as the newest, once. Of other pictures the present background stays, and of the rest the last
  /// three, 64 MiB in all; `spared` is another one that stays if it can. Throws `tooLarge` when the file would be.
  public func keep(_ picture: CheckedPicture, sparing spared: String? = nil) throws(ArtError) {
    let digest = picture.digest
    let stored = try storedPictures()
    if stored.first?.digest != digest {
      for old in stored where old.digest == digest { try remove(old) }
      guard let newest = stored.first?.number ?? .some(0), newest < Format.largestNumber else {
        throw .tooLargeFile(name)
      }
      try insert(picture.bytes, digest: digest, number: newest + 1)
    }
    try prunePictures(sparing: [digest, spared].compactMap(\.self))
  }

  /// The bytes of that digest, verified; nil where they are not kept. Throws `damaged`.
  public func picture(_ digest: String) throws(ArtError) -> [UInt8]? {
    let row = try statement("\(PlainTable.image.select) WHERE digest = ?1 ORDER BY number DESC LIMIT 1")
    try row.bind(.text(digest))
    defer { row.reset() }
    guard try row.step() else { return nil }
    _ = try PlainTable.image.verify(row, of: name)
    return Array(try row.blob(2))
  }

  /// The pictures that are kept, newest first; their bytes are not looked at.
  func storedPictures() throws(ArtError) -> [StoredPicture] {
    let rows = try statement("SELECT number, digest, length(bytes), sum FROM image ORDER BY number DESC")
    try rows.bind()
    defer { rows.reset() }
    var pictures: [StoredPicture] = []
    while try rows.step() {
      pictures.append(
        StoredPicture(
          number: try rows.integer(0), digest: try rows.text(1), bytes: try rows.integer(2),
          sum: try rows.integer(3)))
    }
    return pictures
  }

  private func insert(_ bytes: [UInt8], digest: String, number: Int) throws(ArtError) {
    let values: [Statement.Value] = [.integer(number), .text(digest), .blob(bytes)]
    let sum = PlainTable.image.sum(of: values)
    try statement("INSERT INTO image VALUES(?,?,?,?)").run(values[0], values[1], values[2], .integer(sum))
    art.digest.add(sum)
  }

  private func remove(_ picture: StoredPicture) throws(ArtError) {
    try statement("DELETE FROM image WHERE number = ?1").run(.integer(picture.number))
    art.digest.remove(picture.sum)
  }

  /// Cuts the pictures to their room: the present background, and the three that come first of `spared` and then by age.
  func prunePictures(sparing spared: [String]) throws(ArtError) {
    let wanted = [art.background?.digest].compactMap(\.self) + spared
    let stored = try storedPictures()
    let first = wanted.compactMap { digest in stored.first { $0.digest == digest } }
    var others = Format.otherPictures
    var room = Format.pictureBytes
    var seen: Set<String> = []
    for picture in first + stored where seen.insert(picture.digest).inserted {
      let isPresent = picture.digest == art.background?.digest
      if !isPresent { others -= 1 }
      room -= picture.bytes
      if !isPresent, others < 0 || room < 0 { try remove(picture) }
    }
  }
}
