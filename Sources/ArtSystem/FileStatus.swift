// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Which file stands at a path: a rename keeps it, hard links share it, and a file that was removed leaves it to the next.
public struct FileIdentity: Sendable, Hashable {
  /// The number of the file system.
  public let device: UInt
  /// The file's number in it.
  public let inode: UInt

  /// A file of these numbers.
  public init(device: UInt, inode: UInt) {
    self.device = device
    self.inode = inode
  }

  /// The file that this status is of.
  public init(_ status: stat) {
    self.init(device: UInt(status.st_dev), inode: UInt(status.st_ino))
  }

  /// The identity of the file at a path; symbolic links are not followed. Nil when `lstat` fails.
  public init?(at path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}

/// What stat(2) says of a file.
public struct FileStatus: Sendable {
  /// All of it.
  public let raw: stat

  /// Of what a path leads to, through symbolic links. Throws what stat(2) says.
  public init(at path: String) throws(SystemError) {
    var raw = stat()
    guard stat(path, &raw) == 0 else { throw SystemError("stat", path) }
    self.raw = raw
  }

  /// Of what lies at a path, a symbolic link itself. Throws what lstat(2) says.
  public init(ofLinkAt path: String) throws(SystemError) {
    var raw = stat()
    guard lstat(path, &raw) == 0 else { throw SystemError("lstat", path) }
    self.raw = raw
  }

  /// Of an open file. Throws what fstat(2) says.
  public init(of descriptor: Int32) throws(SystemError) {
    var raw = stat()
    guard fstat(descriptor, &raw) == 0 else { throw SystemError("fstat") }
    self.raw = raw
  }

  /// Which file it is.
  public var identity: FileIdentity { FileIdentity(raw) }
  /// Bytes.
  public var size: Int { Int(raw.st_size) }
  /// Whether it is a regular file.
  public var isRegularFile: Bool { raw.st_mode & S_IFMT == S_IFREG }
  /// Whether it is a folder.
  public var isFolder: Bool { raw.st_mode & S_IFMT == S_IFDIR }
  /// Whether it is a symbolic link.
  public var isLink: Bool { raw.st_mode & S_IFMT == S_IFLNK }

  /// Whether a path leads to a regular file that can be seen and, where that is asked for, executed or read (`X_OK`, `R_OK`).
  public static func isRegularFile(at path: String, access mode: Int32 = F_OK) -> Bool {
    var raw = stat()
    return stat(path, &raw) == 0 && raw.st_mode & S_IFMT == S_IFREG && access(path, mode) == 0
  }

  /// Whether a path leads to a folder that can be seen.
  public static func isFolder(at path: String) -> Bool {
    var raw = stat()
    return stat(path, &raw) == 0 && raw.st_mode & S_IFMT == S_IFDIR
  }
}
