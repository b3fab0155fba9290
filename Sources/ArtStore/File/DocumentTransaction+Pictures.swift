// SPDX-License-Identifier: Apache-2.0

import ArtModel

// The bytes of backgrounds, a row each: at most four, the present one's among them, and 64 MiB in all. When another picture comes
// and there is no room, those go first that were the background the longest time ago. That the log tells. One of which it does not
// speak, whose edit is still to come or is too old for it, counts as the background since it came.

/// A row of `image` without its bytes.
struct StoredPicture: Equatable {
  let number: Int
  let digest: String
  let bytes: Int
}

extension DocumentTransaction {
  /// Keeps the picture's bytes, unless they are kept already, and of the others as many as there is room for. What sets the background
  /// is to follow, in the same transaction or soon.
  ///
  /// `recent` are the digests of what is or was the background in memory and is not saved yet, the last one first. Throws
  /// `tooLarge` when the file would be, and `damaged` when those that are kept already are.
  public func keep(_ picture: CheckedPicture, recent: [String] = []) throws(ArtError) {
    let digest = picture.digest
    let stored = try storedPictures()
    if let existing = stored.first(where: { $0.digest == digest }) {
      _ = try verifiedSum(of: existing)
      return
    }
    let newest = stored.first?.number ?? 0
    guard newest < Format.largestNumber else { throw .tooLargeFile(name) }
    try allowSpilling(for: picture.bytes.count)
    // First: what goes leaves its pages to what comes.
    try evictPictures(for: picture.bytes.count, among: stored, recent)
    art.digest.add(
      try PlainTable.insertPicture(picture.bytes, digest: digest, number: newest + 1, on: connection))
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
    let rows = try statement("SELECT number, digest, length(bytes) FROM image ORDER BY number DESC")
    try rows.bind()
    defer { rows.reset() }
    var pictures: [StoredPicture] = []
    while try rows.step() {
      pictures.append(
        StoredPicture(number: try rows.integer(0), digest: try rows.text(1), bytes: try rows.integer(2)))
    }
    return pictures
  }

  /// Removes pictures until there is room for one more of so many bytes. The present background stays.
  private func evictPictures(
    for newBytes: Int, among stored: [StoredPicture], _ recent: [String]
  ) throws(ArtError) {
    let bytes = stored.reduce(newBytes) { $0 + $1.bytes }
    guard stored.count + 1 > Format.pictures || bytes > Format.pictureBytes else { return }
    let present = stored.first { $0.digest == art.background?.digest }
    var slots = Format.pictures - 1 - (present == nil ? 0 : 1)
    var capacity = Format.pictureBytes - newBytes - (present?.bytes ?? 0)
    for picture in try byAge(stored, recent) where picture != present {
      if slots > 0, picture.bytes <= capacity {
        slots -= 1
        capacity -= picture.bytes
      } else {
        try remove(picture)
      }
    }
  }

  /// Pictures in the order in which they were the background, or are about to be, the last one first.
  private func byAge(_ stored: [StoredPicture], _ recent: [String]) throws(ArtError) -> [StoredPicture] {
    let logged = try recentPictures(among: Set(stored.map(\.digest)))
    var order = logged.flatMap { digest in stored.filter { $0.digest == digest } }
    for picture in stored where !logged.contains(picture.digest) {
      order.insert(picture, at: order.firstIndex { $0.number < picture.number } ?? order.endIndex)
    }
    let first = recent.flatMap { digest in stored.filter { $0.digest == digest } }
    var seen: Set<Int> = []
    return (first + order).filter { seen.insert($0.number).inserted }
  }

  func remove(_ picture: StoredPicture) throws(ArtError) {
    try allowSpilling(for: picture.bytes)
    let sum = try verifiedSum(of: picture)
    try statement("DELETE FROM image WHERE number = ?1").run(.integer(picture.number))
    art.digest.remove(sum)
  }

  /// Throws `damaged` when the bytes are not those of the row's sum and digest.
  private func verifiedSum(of picture: StoredPicture) throws(ArtError) -> Int {
    let row = try statement("\(PlainTable.image.select) WHERE number = ?1")
    try row.bind(.integer(picture.number))
    defer { row.reset() }
    guard try row.step() else { throw .damaged(name, "a stored picture is missing") }
    return try PlainTable.image.verify(row, of: name)
  }

  /// The pages of a large picture may go to the file before the commit, as SQLite does it: in memory they would be the picture once
  /// more. Readers wait a little longer then. The free list is verified before the first of them is written: the first page that a
  /// picture takes comes from it.
  private func allowSpilling(for bytes: Int) throws(ArtError) {
    guard bytes > Format.largestUnspilled else { return }
    try connection.allowSpilling()
  }
}

extension Background {
  /// The picture as a document's background; a URL that is too long is left out. Throws `badValue`.
  public init(_ picture: CheckedPicture, from url: String?) throws(ArtError) {
    let storedURL = url.flatMap { $0.utf8.count <= Limits.urlBytes ? $0 : nil }
    try self.init(
      digest: picture.digest, mediaType: picture.mediaType, size: picture.size, url: storedURL)
  }
}

extension CheckedPicture {
  /// The digest of its bytes.
  public var digest: String { bytes.withUnsafeBufferPointer { ContentDigest.of($0) } }
}

extension DocumentFile {
  /// The background and its bytes, verified; nil where there is none, or its bytes are lost. Throws what `read` throws.
  public func background() throws(ArtError) -> (background: Background, bytes: [UInt8])? {
    try read { (transaction) throws(ArtError) in
      guard let background = transaction.background, let bytes = try transaction.picture(background.digest)
      else { return nil }
      return (background, bytes)
    }
  }

  /// The bytes of the picture with that digest, verified; nil where they are not in the file. Throws what `read` throws.
  public func picture(_ digest: String) throws(ArtError) -> [UInt8]? {
    try read { (transaction) throws(ArtError) in try transaction.picture(digest) }
  }

  /// Puts a picture's bytes into the document, durably and without an edit: its revision and its head stay as they are. What is
  /// kept besides is as `DocumentTransaction.keep` has it. Returns the digests of all pictures that the file holds.
  ///
  /// `recent` are the digests of what is or was the background in memory, the last one first, where that is not saved yet. Throws
  /// `replaced` when another document stands there, and what `edit` throws.
  public func keep(
    _ picture: CheckedPicture, in document: DocumentID, recent: [String] = []
  ) throws(ArtError) -> Set<String> {
    try edit { (transaction) throws(ArtError) in
      guard transaction.id == document else { throw .replaced(path) }
      try transaction.keep(picture, recent: recent)
      // What is there already may be in memory only.
      if !transaction.hasChanges { try transaction.touch() }
      return Set(try transaction.storedPictures().map(\.digest))
    }
  }
}

/// Who on this machine fetches a pending background: one program, however many watch. The lock is a file in the state
/// folder that the system frees when its program is gone.
public final class FetchLock: Sendable {
  private let lock: JournalLock

  private init(_ lock: JournalLock) { self.lock = lock }

  /// Takes the lock of that document's pending background; nil while another program, or another one of this, holds it.
  /// `folder` is where all of them keep their locks, and nil for one in the state folder. Throws `inputOutput`,
  /// `notPermitted`, `diskFull`.
  public static func acquire(
    _ document: DocumentID, _ url: String, in folder: String? = nil
  ) throws(ArtError) -> FetchLock? {
    let folder = if let folder { folder } else { try StateFolder.create() + "/fetching" }
    try StateFolder.makeFolders(folder)
    let digest = Array(url.utf8).withUnsafeBufferPointer { ContentDigest.of($0) }
    let path = "\(folder)/\(document)-\(digest)"
    return try JournalLock.acquire(path, creating: true, Deadline(.zero)).lock.map(FetchLock.init)
  }

  deinit {
    do throws(ArtError) { try lock.unlink() } catch {
      // An empty file is left, which is locked again the next time.
    }
  }
}
