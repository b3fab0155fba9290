// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// The first 100 bytes of a SQLite file, read before SQLite reads them.
///
/// Source: https://www.sqlite.org/fileformat.html, section 1.3.
struct FileHeader {
  static let length = 100
  /// Whether another program switched the file to WAL mode.
  let isWAL: Bool
  /// Whether page size, reserved bytes and text encoding are as written here. VACUUM by another program may
  /// have changed them.
  let isPlain: Bool
  /// The size that the file should have, in bytes; nil if the program that wrote last is older than this
  /// field.
  let wholeSize: Int?

  /// Throws `notADocument`, `newerFormat`, `tooLarge` and `damaged`.
  init(_ bytes: [UInt8], size: Int, name: String) throws(ArtError) {
    guard !bytes.isEmpty else {
      throw .notADocument(
        name, "it is empty, as a blank one of an EmojiArt app may be", remedy: .importFile)
    }
    guard size <= Format.largestFile else { throw .tooLargeFile(name) }
    guard bytes.starts(with: "SQLite format 3\0".utf8) else {
      throw Self.foreign(bytes, name)
    }
    guard bytes.count == Self.length else { throw .damaged(name, "it ends within its header") }
    guard Self.integer(bytes, at: 68) == Format.applicationID else {
      throw .notADocument(name, "it is an SQLite database of another program")
    }
    let version = Self.integer(bytes, at: 60)
    guard version <= Format.version else { throw .newerFormat(name, version) }
    guard version == Format.version else { throw .damaged(name, "it says that it is in format \(version)") }
    isWAL = bytes[18] == 2 || bytes[19] == 2
    let pageSize = Int(bytes[16]) << 8 | Int(bytes[17])
    let isCounted = bytes[24..<28] == bytes[92..<96]
    wholeSize = isCounted ? Self.integer(bytes, at: 28) * pageSize : nil
    isPlain = pageSize == Format.pageSize && bytes[20] == 0 && Self.integer(bytes, at: 56) == 1
  }

  private static func integer(_ bytes: [UInt8], at offset: Int) -> Int {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// What a file without SQLite's magic bytes seems to be.
  private static func foreign(_ bytes: [UInt8], _ name: String) -> ArtError {
    switch DocumentText(beginning: bytes) {
    case .own: .notADocument(name, "it is one written as JSON", remedy: .importFile)
    case .course: .notADocument(name, "it is one of an EmojiArt app, as JSON", remedy: .importFile)
    case .otherJSON: .notADocument(name, "it is JSON text")
    case nil: .notADocument(name, guess(bytes))
    }
  }

  private static func guess(_ bytes: [UInt8]) -> String {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) || bytes.starts(with: [0xFF, 0xD8]) {
      return "it is a picture"
    }
    if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }) {
      return "it is text"
    }
    return "it is some other kind of file"
  }
}

// MARK: - Stamps

/// What `lstat` says of a file. If two stamps differ, the document may have changed; the row of `art` says
/// whether it has. Equal stamps prove nothing on their own: see `provesUnchanged(since:)`.
public struct FileStamp: Sendable, Equatable {
  /// The file's device and inode.
  public let identity: FileIdentity
  /// The number of hard links.
  public let hardLinks: Int
  /// The file's size in bytes.
  public let size: Int
  /// When the file was last written, in nanoseconds since 1970.
  public let modified: Int
  private let changed: Int
  /// When the stamp was taken, in nanoseconds since 1970.
  private let time: Int

  /// Nanoseconds in the coarsest tick of a file system in use, that of FAT. Two writes within a tick leave
  /// the same times.
  static let tick = 2_000_000_000

  init(_ status: stat, at time: Int) {
    identity = FileIdentity(status)
    hardLinks = Int(status.st_nlink)
    size = Int(status.st_size)
    modified = Self.nanoseconds(status.st_mtim)
    changed = Self.nanoseconds(status.st_ctim)
    self.time = time
  }

  /// The stamp of a store in memory after that many writes.
  init(writes: Int) {
    identity = FileIdentity(device: 0, inode: 0)
    hardLinks = 1
    (size, modified, changed, time) = (writes, 0, 0, .max)
  }

  /// Whether a later write must leave another stamp. False while the last change is younger than two seconds,
  /// or its time is in the future of this machine's clock. A file server whose clock is behind by more than
  /// two seconds is not detected.
  public var isConclusive: Bool { changed < time - Self.tick }

  /// Whether the file was certainly not written since the earlier stamp was taken. If false, read the file.
  public func provesUnchanged(since earlier: FileStamp) -> Bool { self == earlier && earlier.isConclusive }

  /// Whether the status is the same; when the stamps were taken does not matter.
  public static func == (left: FileStamp, right: FileStamp) -> Bool {
    left.identity == right.identity && left.hardLinks == right.hardLinks && left.size == right.size
      && left.modified == right.modified && left.changed == right.changed
  }

  private static func nanoseconds(_ time: timespec) -> Int { time.tv_sec &* 1_000_000_000 &+ time.tv_nsec }

  fileprivate static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return nanoseconds(time)
  }
}

extension DocumentFile {
  /// The stamp of the file at the path. Take it before reading, so that it never stands for more than was
  /// read. Throws what finding the file throws.
  public func stamp() throws(ArtError) -> FileStamp {
    var status = stat()
    let file = try locate()
    let time = FileStamp.now()
    guard lstat(file.path.string, &status) == 0 else { throw .document("look at", name) }
    return FileStamp(status, at: time)
  }

  /// The stamp; nil if no document can be at the path: nothing or no regular file exists there, or it is a
  /// link that may not be followed. Throws `notPermitted`, `inputOutput`.
  public func stampIfThere() throws(ArtError) -> FileStamp? {
    var status = stat()
    let time = FileStamp.now()
    // A missing file needs no further calls.
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { throw .system("look at", name) }
      return nil
    }
    guard status.st_mode & S_IFMT == S_IFREG || followsLinks && status.st_mode & S_IFMT == S_IFLNK else {
      return nil
    }
    guard let real = try realPath(), acceptsResolvedPath(to: real) else { return nil }
    guard lstat(real, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { throw .system("look at", name) }
      return nil
    }
    return status.st_mode & S_IFMT == S_IFREG ? FileStamp(status, at: time) : nil
  }
}
