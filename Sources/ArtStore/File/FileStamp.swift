// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// What a file system tells of a file without reading it. Where two differ somebody may have changed the document; the
/// document's own row tells whether.
public struct FileStamp: Sendable, Equatable {
  private let device: UInt
  private let inode: UInt
  private let size: Int
  private let modified: Int
  private let changed: Int

  fileprivate init(_ status: stat) {
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
    size = Int(status.st_size)
    modified = Self.nanoseconds(status.st_mtim)
    changed = Self.nanoseconds(status.st_ctim)
  }

  private static func nanoseconds(_ time: timespec) -> Int { time.tv_sec &* 1_000_000_000 &+ time.tv_nsec }
}

extension DocumentFile {
  /// The stamp of the file at the path. Throws what finding it throws.
  public func stamp() throws(ArtError) -> FileStamp {
    var status = stat()
    let file = try locate()
    guard lstat(file.path, &status) == 0 else { throw .system("look at", path) }
    return FileStamp(status)
  }
}
