// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// What a file system tells of a file without reading it. Where two differ somebody may have changed the document; the
/// document's own row tells whether. Where two are equal, `showsNothing(since:)` tells whether that says anything.
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

  /// Whether the next write leaves another stamp: not while the last one is younger than two seconds, or comes from a
  /// clock that is ahead of this machine's. Nor does that of a server whose clock is behind by more than that.
  public var canBeTrusted: Bool { changed < time - Self.tick }

  /// Whether nobody has written to the file since the earlier stamp was taken. False where that cannot be told: then
  /// read the file.
  public func showsNothing(since earlier: FileStamp) -> Bool { self == earlier && earlier.canBeTrusted }

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
    guard let real = try realPath(), leadsStraight(to: real) else { return nil }
    guard lstat(real, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { throw .system("look at", name) }
      return nil
    }
    return status.st_mode & S_IFMT == S_IFREG ? FileStamp(status, at: time) : nil
  }
}
