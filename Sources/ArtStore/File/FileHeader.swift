// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// The first 100 bytes of a SQLite file, looked at before SQLite does.
///
/// Source: https://www.sqlite.org/fileformat.html, section 1.3.
struct FileHeader {
  static let length = 100
  /// Whether another program switched the file to WAL mode.
  let isWAL: Bool
  /// Whether pages and texts are as we write them. VACUUM by a stranger may have made it otherwise.
  let isPlain: Bool
  /// How long the file should be; nil where a program that is older than this field has written it last.
  let wholeSize: Int?

  /// Throws `notADocument`, `newerFormat`, `tooLarge` and `damaged`.
  init(_ bytes: [UInt8], size: Int, name: String) throws(ArtError) {
    guard !bytes.isEmpty else {
      throw .notADocument(name, "it is empty, as a blank one of an EmojiArt app may be; \(Self.advice(name))")
    }
    guard size <= Format.largestFile else { throw .tooLargeFile(name) }
    guard bytes.starts(with: "SQLite format 3\0".utf8) else {
      throw .notADocument(name, Self.guess(bytes, name))
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

  /// What a file without SQLite's mark seems to be.
  private static func guess(_ bytes: [UInt8], _ name: String) -> String {
    switch DocumentText(beginning: bytes) {
    case .own: return "it is one written as JSON; \(advice(name))"
    case .course: return "it is one of an EmojiArt app, as JSON; \(advice(name))"
    case .otherJSON: return "it is JSON text"
    case nil: break
    }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) || bytes.starts(with: [0xFF, 0xD8]) {
      return "it is a picture"
    }
    if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }) {
      return "it is text"
    }
    return "it is some other kind of file"
  }

  private static func advice(_ name: String) -> String {
    "`emojiart import \(shellWord(name)) --as NAME` brings it in"
  }

  /// A name as a shell takes it for one word.
  private static func shellWord(_ name: String) -> String {
    let special = " \t\n!\"#$&'()*;<>?[\\]^`{|}~".utf8
    guard name.utf8.contains(where: special.contains) else { return name }
    return "'" + name.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}

/// What a file system tells of a file without reading it. Where two differ somebody may have changed the document; the
/// document's own row tells whether. Where two are equal, `provesUnchanged(since:)` tells whether that says anything.
public struct FileStamp: Sendable, Equatable {
  /// Which file it is.
  public let identity: FileIdentity
  /// How many names the file has.
  public let hardLinks: Int
  private let size: Int
  private let modified: Int
  private let changed: Int
  /// When it was looked at, in nanoseconds since 1970.
  private let time: Int

  /// Two writes within one tick of the file system's clock leave the same times. The coarsest tick in use is that of
  /// FAT, two seconds.
  static let tick = 2_000_000_000

  init(_ status: stat, at time: Int) {
    identity = FileIdentity(status)
    hardLinks = Int(status.st_nlink)
    size = Int(status.st_size)
    modified = Self.nanoseconds(status.st_mtim)
    changed = Self.nanoseconds(status.st_ctim)
    self.time = time
  }

  /// The stamp of a store in memory after so many writes: each leaves another one.
  init(writes: Int) {
    identity = FileIdentity(device: 0, inode: 0)
    hardLinks = 1
    (size, modified, changed, time) = (writes, 0, 0, .max)
  }

  /// Whether the next write leaves another stamp: not while the last one is younger than two seconds, or comes from a
  /// clock that is ahead of this machine's. Nor does that of a server whose clock is behind by more than that.
  public var isConclusive: Bool { changed < time - Self.tick }

  /// Whether nobody has written to the file since the earlier stamp was taken. False where that cannot be told: then
  /// read the file.
  public func provesUnchanged(since earlier: FileStamp) -> Bool { self == earlier && earlier.isConclusive }

  /// Whether the file system tells the same, whenever it was asked.
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
  /// The stamp of the file at the path. Take it before reading: it then never vouches for more than was read. Throws what
  /// finding the file throws.
  public func stamp() throws(ArtError) -> FileStamp {
    var status = stat()
    let file = try locate()
    let time = FileStamp.now()
    guard lstat(file.path, &status) == 0 else { throw .document("look at", name) }
    return FileStamp(status, at: time)
  }

  /// The same, and nil when no document can be there: nothing is, or no regular file, or only a link that may not be
  /// followed leads to one. Throws `notPermitted`, `inputOutput`.
  public func stampIfThere() throws(ArtError) -> FileStamp? {
    var status = stat()
    let time = FileStamp.now()
    // Most of what is gone needs no more than this.
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
