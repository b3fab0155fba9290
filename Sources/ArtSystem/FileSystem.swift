// SPDX-License-Identifier: Apache-2.0

import CSystem
import Glibc

/// What lies below files: their file system, and what it keeps beside their bytes.
public enum FileSystem {
  /// The kind of the file system that a path is on, `f_type` of statfs(2). Throws what statfs says.
  public static func kind(at path: String) throws(SystemError) -> UInt32 {
    var status = statfs()
    guard statfs(path, &status) == 0 else { throw SystemError("statfs", path) }
    return UInt32(truncatingIfNeeded: status.f_type)
  }

  /// An extended attribute of an open file, at most 64 KiB, which is all that Linux keeps; nil where it has none, or its file system
  /// has no such attributes. Throws what fgetxattr(2) says.
  public static func attribute(_ name: String, of descriptor: Int32) throws(SystemError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = fgetxattr(descriptor, name, &bytes, bytes.count)
    guard count < 0 else { return Array(bytes.prefix(count)) }
    let error = SystemError("fgetxattr")
    guard hasNone(error) else { throw error }
    return nil
  }

  /// Sets an extended attribute of an open file; nil removes it, if it has it. Throws what the system says.
  public static func setAttribute(
    _ name: String, of descriptor: Int32, to bytes: [UInt8]?
  ) throws(SystemError) {
    if let bytes {
      guard fsetxattr(descriptor, name, bytes, bytes.count, 0) == 0 else { throw SystemError("fsetxattr") }
    } else if fremovexattr(descriptor, name) != 0 {
      let error = SystemError("fremovexattr")
      guard hasNone(error) else { throw error }
    }
  }

  private static func hasNone(_ error: SystemError) -> Bool {
    [ENODATA, EOPNOTSUPP, ENOSYS].contains(error.number)
  }
}

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

/// A small file that is no document, read at once. Of one that may be a document no descriptor is closed but by ArtStore.
package enum SmallFile {
  /// The bytes of a file to its end; nil where it is not there. Throws what open(2) and read(2) say, and EFBIG where it has more
  /// bytes than `limit`.
  package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else {
      let error = SystemError("open", path)
      guard error.number == ENOENT else { throw error }
      return nil
    }
    defer { close(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: min(limit &+ 1, 1 << 16))
    while true {
      let count = Glibc.read(file, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemError("read", path) }
      if count == 0 { return bytes }
      bytes += piece[..<count]
      guard bytes.count <= limit else { throw SystemError("read", path, number: EFBIG) }
    }
  }

  /// The same as text; nil where it is not there, and where it is no UTF-8.
  package static func text(_ path: String, limit: Int) throws(SystemError) -> String? {
    try read(path, limit: limit).flatMap { String(validating: $0, as: UTF8.self) }
  }
}

/// A new file on its way: it has no name until it is whole.
///
///     begun ──link──▶ there, where nothing was
///       └───replace──▶ there, in the place of another file
///       └───abandon──▶ nothing is left
///
/// A file system without such files (O_TMPFILE) gives it a hidden name from the start, under which a kill leaves it behind. The
/// descriptor is its owner's to write to, to make durable and to close.
package struct UnnamedFile: Sendable {
  /// What is written to.
  package let descriptor: Int32
  /// The name that it has on its way; nil where it has none.
  package let hiddenName: String?

  /// Begins one in a folder. `hiddenPath` is where it lies where it must have a name; nothing may be there. `isAsked` is false where
  /// the file system is not to be asked for a file without a name. Throws what open(2) says.
  package init(
    in folder: String, mode: mode_t, else hiddenPath: @autoclosure () -> String, isAsked: Bool = true
  ) throws(SystemError) {
    // Without /proc it could get no name later.
    if isAsked, access("/proc/self/fd", X_OK) == 0 {
      // O_TMPFILE, which Swift does not import: __O_TMPFILE | O_DIRECTORY.
      let descriptor = open(folder, 0o20000000 | O_DIRECTORY | O_WRONLY | O_CLOEXEC, mode)
      if descriptor >= 0 {
        (self.descriptor, hiddenName) = (descriptor, nil)
        return
      }
      guard [EOPNOTSUPP, EISDIR, EINVAL].contains(errno) else { throw SystemError("open", folder) }
    }
    let name = hiddenPath()
    descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw SystemError("open", name) }
    hiddenName = name
  }

  /// Gives it a name that nothing has yet. Throws what linkat(2) says, EEXIST among it. `mayRace` is for a file system that can do so
  /// in no single step: a file that appears at the path between two steps is lost then.
  package func link(as path: String, mayRace: Bool = false) throws(SystemError) {
    guard let hiddenName else {
      guard linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
        throw SystemError("linkat", path)
      }
      return
    }
    // It keeps the hidden name until `abandon`.
    if Glibc.link(hiddenName, path) == 0 { return }
    let error = SystemError("link", path)
    // A file cannot have two names there.
    guard [EPERM, EOPNOTSUPP, ENOSYS].contains(error.number) else { throw error }
    let number = csystem_rename_without_replacing(hiddenName, path)
    if number == 0 { return }
    guard [EINVAL, ENOSYS].contains(number) else { throw SystemError("rename", path, number: number) }
    guard mayRace else { throw error }
    guard FileIdentity(at: path) == nil else { throw SystemError("link", path, number: EEXIST) }
    guard rename(hiddenName, path) == 0 else { throw SystemError("rename", path) }
  }

  /// Puts it in the place of the file at a path; on its way it is at `hiddenPath`, where nothing may be. `isDue` is asked just before;
  /// where it says no, that file stays. Throws what linkat(2) and rename(2) say; then that file stays, too.
  ///
  /// - Returns: Whether it is there.
  package func replace(
    _ path: String, over hiddenPath: @autoclosure () -> String, ifStill isDue: () -> Bool = { true }
  ) throws(SystemError) -> Bool {
    let name = hiddenName ?? hiddenPath()
    if hiddenName == nil { try link(as: name) }
    guard isDue() else {
      unlink(name)
      return false
    }
    guard rename(name, path) == 0 else {
      let error = SystemError("rename", path)
      unlink(name)
      throw error
    }
    return true
  }

  /// Takes the hidden name away, if it has one.
  package func abandon() { if let hiddenName { unlink(hiddenName) } }
}

/// A call of the system that failed.
public struct SystemError: Error, Sendable, Hashable {
  /// The call, as its manual page is named: `realpath`.
  public let call: String
  /// What it was about; nil where it was about no path.
  public let path: String?
  /// The error number, as in errno(3).
  public let number: Int32

  /// A failure; by default with the error number that the thread's last call left.
  public init(_ call: String, _ path: String? = nil, number: Int32 = errno) {
    self.call = call
    self.path = path
    self.number = number
  }

  /// The system's own text for the number, such as `Permission denied`.
  public var text: String { Self.text(of: number) }

  /// The system's own text for an error number.
  public static func text(of number: Int32) -> String { String(cString: strerror(number)) }
}
