// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A row of `image` without its bytes. `docs/FORMAT.md` says how many pictures are kept, and which ones go
/// first.
struct StoredPicture: Equatable {
  let number: Int
  let digest: String
  let bytes: Int
}

extension DocumentTransaction {
  /// Stores a picture, if it is not stored yet, and evicts others if the capacity is exceeded. The edit that
  /// sets the background should follow, in the same transaction or soon.
  ///
  /// `recent` are the digests of backgrounds in memory that are not saved yet, the last one first. Throws
  /// `tooLarge` if the file would be too large, and `damaged` if a stored picture is.
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
    // Evict first, so that the new picture can use the freed pages.
    try evictPictures(for: picture.bytes.count, among: stored, recent)
    art.digest.add(
      try PlainTable.insertPicture(picture.bytes, digest: digest, number: newest + 1, on: connection))
  }

  /// The verified bytes of a picture; nil if it is not stored. Throws `damaged`.
  public func picture(_ digest: String) throws(ArtError) -> [UInt8]? {
    let row = try statement("\(PlainTable.image.select) WHERE digest = ?1 ORDER BY number DESC LIMIT 1")
    try row.bind(.text(digest))
    defer { row.reset() }
    guard try row.step() else { return nil }
    _ = try PlainTable.image.verify(row, of: name)
    return Array(try row.blob(2))
  }

  /// The stored pictures, newest first. Their bytes are not verified.
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

  /// Removes pictures until one more of that many bytes fits. The present background and those of named versions stay. The pictures that
  /// were the background the longest time ago go first. `coming` is 0 if none more comes. Throws `tooLarge` if the versions leave no room.
  private func evictPictures(
    for newBytes: Int, among stored: [StoredPicture], _ recent: [String] = [], coming: Int = 1
  ) throws(ArtError) {
    let allBytes = stored.reduce(newBytes) { $0 + $1.bytes }
    // Whichever of them versions need, all fit. To know which, the content of every version is read.
    guard stored.count + coming > Format.pictures || allBytes > Format.pictureBytes else { return }
    let pinned = try versionPictures()
    let pinnedBytes = stored.filter { pinned.contains($0.digest) }.reduce(0) { $0 + $1.bytes }
    let others = stored.filter { !pinned.contains($0.digest) }
    let limit = min(Format.pictureBytes, Format.allPictureBytes - pinnedBytes)
    let bytes = others.reduce(newBytes) { $0 + $1.bytes }
    guard others.count + coming > Format.pictures || bytes > limit else { return }
    let present = others.first { $0.digest == art.background?.digest }
    var slots = Format.pictures - coming - (present == nil ? 0 : 1)
    var capacity = limit - newBytes - (present?.bytes ?? 0)
    guard pinnedBytes == 0 || pinnedBytes + newBytes + (present?.bytes ?? 0) <= Format.allPictureBytes else {
      throw .tooManyPictures(name)
    }
    for picture in try byAge(others, recent) where picture != present {
      if slots > 0, picture.bytes <= capacity {
        slots -= 1
        capacity -= picture.bytes
      } else {
        try remove(picture)
      }
    }
  }

  /// Removes pictures that a removed version kept, until the others fit.
  func evictUnkeptPictures() throws(ArtError) {
    try evictPictures(for: 0, among: storedPictures(), coming: 0)
  }

  /// Pictures by when they were last the background, or will be, the last one first. A picture that the log
  /// does not mention counts as the background since it was stored.
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

  /// The sum of a picture's row. Throws `damaged` if the bytes do not match the sum or the digest.
  private func verifiedSum(of picture: StoredPicture) throws(ArtError) -> Int {
    let row = try statement("\(PlainTable.image.select) WHERE number = ?1")
    try row.bind(.integer(picture.number))
    defer { row.reset() }
    guard try row.step() else { throw .damaged(name, "a stored picture is missing") }
    return try PlainTable.image.verify(row, of: name)
  }

  /// Lets the pages of a large picture go to the file before the commit, so that they are not in memory
  /// twice. Readers wait a little longer then. The free list is verified first, because the picture's first
  /// page may come from it.
  private func allowSpilling(for bytes: Int) throws(ArtError) {
    guard bytes > Format.largestUnspilled else { return }
    try connection.allowSpilling()
  }
}

extension Background {
  /// A background of that picture. A URL that is too long is left out. Throws `badValue`.
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
  /// The background and its verified bytes; nil if there is no background, or its bytes are lost. Throws what
  /// `read` throws.
  public func background() throws(ArtError) -> (background: Background, bytes: [UInt8])? {
    try read { (transaction) throws(ArtError) in
      guard let background = transaction.background, let bytes = try transaction.picture(background.digest)
      else { return nil }
      return (background, bytes)
    }
  }

  /// The verified bytes of a picture; nil if it is not in the file. Throws what `read` throws.
  public func picture(_ digest: String) throws(ArtError) -> [UInt8]? {
    try read { (transaction) throws(ArtError) in try transaction.picture(digest) }
  }

  /// Stores a picture durably without an edit: revision and head stay as they are. Evicts others as
  /// `DocumentTransaction.keep` does. Returns the digests of all stored pictures.
  ///
  /// `recent` are the digests of backgrounds in memory that are not saved yet, the last one first. Throws
  /// `replaced` if another document is at the path, and what `edit` throws.
  public func keep(
    _ picture: CheckedPicture, in document: DocumentID, recent: [String] = [],
    holding former: HeldFile? = nil
  ) throws(ArtError) -> Set<String> {
    try edit { (transaction) throws(ArtError) in
      guard transaction.id == document else { throw .replaced(path) }
      try refuseTakenOver(transaction, after: former)
      try transaction.keep(picture, recent: recent)
      // A stored picture may be in memory only.
      if !transaction.hasChanges { try transaction.touch() }
      return Set(try transaction.storedPictures().map(\.digest))
    }
  }
}

// MARK: - The lock of a fetch

/// The right to fetch a pending background, for one program on this machine at a time. It is a lock file in
/// the state folder, which the system unlocks when its program ends.
public final class FetchLock: Sendable {
  private let lock: JournalLock

  private init(_ lock: JournalLock) { self.lock = lock }

  /// Locks a document's pending background; nil while another holder has the lock. `folder` has all these
  /// lock files; nil stands for one in the state folder. Throws `inputOutput`, `notPermitted`, `diskFull`.
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
      // The empty file that remains is used again the next time.
    }
  }
}
