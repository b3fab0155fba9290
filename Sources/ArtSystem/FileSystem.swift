// SPDX-License-Identifier: Apache-2.0

import CArtSystem
import Glibc

/// Properties of file systems, and extended attributes.
public enum FileSystem {
  /// The type of the file system at a path, `f_type` of statfs(2). Throws the error of statfs.
  public static func kind(at path: String) throws(SystemError) -> UInt32 {
    var status = statfs()
    guard statfs(path, &status) == 0 else { throw SystemError("statfs", path) }
    return UInt32(truncatingIfNeeded: status.f_type)
  }

  /// The most bytes of a file's name in a folder, by pathconf(3); 255, Linux's `NAME_MAX`, where the file system does not say.
  public static func longestName(in folder: String) -> Int {
    let count = pathconf(folder, Int32(_PC_NAME_MAX))
    return count > 0 ? count : 255
  }

  /// An extended attribute of an open file, at most 64 KiB, which is Linux's limit. Nil where the file has no
  /// such attribute, or its file system has none at all. Throws the error of fgetxattr(2).
  public static func attribute(_ name: String, of descriptor: Int32) throws(SystemError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = fgetxattr(descriptor, name, &bytes, bytes.count)
    guard count < 0 else { return Array(bytes.prefix(count)) }
    let error = SystemError("fgetxattr")
    guard hasNone(error) else { throw error }
    return nil
  }

  /// The names of an open file's extended attributes that users set, `user.…`; none where its file system has none. Throws the error of
  /// flistxattr(2).
  public static func userAttributes(of descriptor: Int32) throws(SystemError) -> [String] {
    // Linux's limit for all names.
    var bytes = [CChar](repeating: 0, count: 65_536)
    let count = flistxattr(descriptor, &bytes, bytes.count)
    guard count >= 0 else {
      let error = SystemError("flistxattr")
      guard hasNone(error) else { throw error }
      return []
    }
    let names = bytes.prefix(count).split(separator: 0).map { $0.map { UInt8(bitPattern: $0) } }
    return names.compactMap { String(validating: $0, as: UTF8.self) }.filter {
      $0.utf8.starts(with: "user.".utf8)
    }
  }

  /// Sets an extended attribute of an open file; nil removes it. Throws the error of fsetxattr(2) or
  /// fremovexattr(2).
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

// MARK: - Identity and status

/// Identifies a file independently of its name: a rename keeps it, and hard links share it. After the file is
/// deleted, the system may give the number to a new file.
public struct FileIdentity: Sendable, Hashable {
  /// The number of the file system.
  public let device: UInt
  /// The number of the file in its file system.
  public let inode: UInt

  /// Creates an identity from its numbers.
  public init(device: UInt, inode: UInt) {
    self.device = device
    self.inode = inode
  }

  /// The identity in a result of stat(2).
  public init(_ status: stat) {
    self.init(device: UInt(status.st_dev), inode: UInt(status.st_ino))
  }

  /// The identity of the file at a path; symbolic links are not followed. Nil when `lstat` fails.
  public init?(at path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// When the file at a path was made, which tells it from a later one with its numbers; symbolic links are not followed. Nil where the file
  /// system does not keep it.
  package static func birthTime(at path: String) -> timespec? {
    var time = timespec()
    return csystem_birth_time(path, &time) ? time : nil
  }
}

/// The result of stat(2) for a file.
public struct FileStatus: Sendable {
  /// The structure that stat(2) filled.
  public let raw: stat

  /// The status of the file at a path; follows symbolic links. Throws the error of stat(2).
  public init(at path: String) throws(SystemError) {
    var raw = stat()
    guard stat(path, &raw) == 0 else { throw SystemError("stat", path) }
    self.raw = raw
  }

  /// The status of the entry at a path; does not follow a symbolic link. Throws the error of lstat(2).
  public init(ofLinkAt path: String) throws(SystemError) {
    var raw = stat()
    guard lstat(path, &raw) == 0 else { throw SystemError("lstat", path) }
    self.raw = raw
  }

  /// The status of an open file. Throws the error of fstat(2).
  public init(of descriptor: Int32) throws(SystemError) {
    var raw = stat()
    guard fstat(descriptor, &raw) == 0 else { throw SystemError("fstat") }
    self.raw = raw
  }

  /// The file's identity.
  public var identity: FileIdentity { FileIdentity(raw) }
  /// The file's size in bytes.
  public var size: Int { Int(raw.st_size) }
  /// Whether it is a regular file.
  public var isRegularFile: Bool { raw.st_mode & S_IFMT == S_IFREG }
  /// Whether it is a folder.
  public var isFolder: Bool { raw.st_mode & S_IFMT == S_IFDIR }
  /// Whether it is a symbolic link.
  public var isLink: Bool { raw.st_mode & S_IFMT == S_IFLNK }

  /// Whether a path leads to a regular file that this process may access; `mode` is `X_OK` or `R_OK` of
  /// access(2).
  public static func isRegularFile(at path: String, access mode: Int32 = F_OK) -> Bool {
    var raw = stat()
    return stat(path, &raw) == 0 && raw.st_mode & S_IFMT == S_IFREG && access(path, mode) == 0
  }

  /// Whether a path leads to a folder.
  public static func isFolder(at path: String) -> Bool {
    var raw = stat()
    return stat(path, &raw) == 0 && raw.st_mode & S_IFMT == S_IFDIR
  }
}

// MARK: - Reading and writing whole files

/// Reads a small file whole. Never use it for a file that may be a document: closing a descriptor drops
/// SQLite's locks on the file, so only ArtStore closes those.
package enum SmallFile {
  /// The bytes of a file; nil where it does not exist. Throws the error of open(2) or read(2), and EFBIG for a
  /// file of more than `limit` bytes.
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

  /// The same as text; nil where the file does not exist, or is not UTF-8.
  package static func text(_ path: String, limit: Int) throws(SystemError) -> String? {
    try read(path, limit: limit).flatMap { String(validating: $0, as: UTF8.self) }
  }
}

/// A file that gets its name only when its content is complete.
///
///     created ──link──▶ at the path, where nothing was
///       ├───replace──▶ at the path, instead of another file
///       ├──exchange──▶ at the path; the other file is at a hidden path
///       └───abandon──▶ deleted
///
/// On a file system without O_TMPFILE, the file has a hidden name from the start; a killed process leaves that
/// file behind. The owner writes to the descriptor, synchronises it and closes it.
package struct UnnamedFile: Sendable {
  /// The descriptor to write to.
  package let descriptor: Int32
  /// The temporary name; nil where the file has none.
  package let hiddenName: String?

  /// Creates a file in a folder. `hiddenPath` is its temporary path where it needs one; nothing may exist
  /// there. `allowsUnnamed` is false to give it a temporary name even where the file system has O_TMPFILE.
  /// Throws the error of open(2).
  package init(
    in folder: String, mode: mode_t, else hiddenPath: @autoclosure () -> String, allowsUnnamed: Bool = true
  ) throws(SystemError) {
    // Without /proc it could not be linked later.
    if allowsUnnamed, access("/proc/self/fd", X_OK) == 0 {
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

  /// Gives the file a name that no other file has. Throws the error of linkat(2), such as EEXIST, or of the ways of
  /// `FilePath.rename` where the file system has no hard links.
  package func link(as path: String) throws(SystemError) {
    guard let hiddenName else {
      guard linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
        throw SystemError("linkat", path)
      }
      return
    }
    // The hidden name stays until `abandon`.
    if Glibc.link(hiddenName, path) == 0 { return }
    let error = SystemError("link", path)
    guard FilePath.lacksCall(error.number) else { throw error }
    try FilePath.rename(hiddenName, to: path)
  }

  /// Replaces the file at a path. The new file is at `hiddenPath` for a moment; nothing may exist there.
  /// `isDue` is called just before the rename; when it returns false, the old file stays. Throws the error of
  /// linkat(2) or rename(2); the old file stays then, too.
  ///
  /// - Returns: Whether the file was replaced.
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

  /// Exchanges the file with the one at a path, in one step. The file that was there is at `other` afterwards, whichever it was; nothing may
  /// exist there before. Throws the error of linkat(2) or renameat2(2), EINVAL or ENOSYS where the file system cannot do it; nothing is
  /// changed then.
  package func exchange(_ path: String, movingOldTo other: String) throws(SystemError) {
    try link(as: other)
    do throws(SystemError) { try FilePath.exchange(other, path) } catch {
      unlink(other)
      throw error
    }
  }

  /// Deletes the hidden name, if there is one.
  package func abandon() { if let hiddenName { unlink(hiddenName) } }
}

// MARK: - Errors

/// A system call that failed.
public struct SystemError: Error, Sendable, Hashable {
  /// The name of the call's manual page: `realpath`.
  public let call: String
  /// The path that the call was given, if any.
  public let path: String?
  /// The error number; see errno(3).
  public let number: Int32

  /// An error; `number` defaults to `errno`, which must still be that of the call.
  public init(_ call: String, _ path: String? = nil, number: Int32 = errno) {
    self.call = call
    self.path = path
    self.number = number
  }

  /// The system's text for the number, such as `Permission denied`.
  public var text: String { Self.text(of: number) }

  /// The system's text for an error number.
  public static func text(of number: Int32) -> String { String(cString: strerror(number)) }
}
