// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// A small file that is always replaced or removed whole, by one program after the other: who reads it sees the old or the new,
/// and a kill leaves one of them.
///
///     PATH        what is there; where it is a link, the file that it leads to is replaced
///     PATH.new    what is being written, under the lock on the folder; a kill may leave it there
struct ReplacedFile {
  let path: String
  /// The bytes that are read at most.
  let limit: Int
  /// How long another program is waited for.
  var timeout: Duration = .seconds(1)
  /// Whether what was written outlasts a loss of power.
  var isDurable = true
  /// Nobody but these programs keeps anything there: it is for nobody else's eyes, no link is followed, and what is no such
  /// file, or larger, counts as nothing and is replaced.
  var isPrivate = false

  /// What is there; nil where nothing is. Throws `notADocument` where it is no regular file, `tooLarge`, `inputOutput`,
  /// `notPermitted`.
  func read() throws(ArtError) -> [UInt8]? { try read(at: target()) }

  /// Changes what is there; `change` is given that and gives what is to be there, nil where nothing is, and what this returns.
  /// The folder is made when it is not there. Throws what reading and `change` throw, `diskFull`, and `busy` when another
  /// program does not let go of it.
  func update<Value>(
    _ change: ([UInt8]?) throws(ArtError) -> (bytes: [UInt8]?, value: Value)
  ) throws(ArtError) -> Value {
    let folder = FilePath(path).folder
    try StateFolder.makeFolders(folder)
    let target = try target()
    let lock = try FolderLock(FilePath(target).folder, timeout: timeout)
    defer { withExtendedLifetime(lock) {} }
    let before = try read(at: target)
    let (after, value) = try change(before)
    guard after != before else { return value }
    // A kill may have left it.
    try Self.unlink(target + ".new")
    if let after { try replace(target, with: after) } else { try Self.unlink(target) }
    if isDurable { try PlainFile.syncFolder(of: target) }
    return value
  }

  private func replace(_ target: String, with bytes: [UInt8]) throws(ArtError) {
    let new = target + ".new"
    var status = stat()
    let old = try !isPrivate && stat(target, &status) == 0 ? FileRights(at: target) : nil
    try PlainFile.create(new, bytes, like: old, isDurable: isDurable)
    guard rename(new, target) == 0 else { throw .system("write", target) }
  }

  private static func unlink(_ path: String) throws(ArtError) {
    guard Glibc.unlink(path) == 0 || errno == ENOENT else { throw .system("remove", path) }
  }

  /// Where it really is: people keep their settings elsewhere, and link to them.
  private func target() throws(ArtError) -> String {
    var status = stat()
    guard !isPrivate, lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return path }
    do throws(SystemError) { return try FilePath.resolved(path) } catch {
      throw ArtError(error, cannot: "follow the link", path)
    }
  }

  private func read(at target: String) throws(ArtError) -> [UInt8]? {
    var status = stat()
    guard lstat(target, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .system("look at", target)
    }
    let isRegular = status.st_mode & S_IFMT == S_IFREG
    if isPrivate, !isRegular || status.st_size > limit { return nil }
    guard isRegular else {
      throw ArtError(.notADocument, "\(path) is no regular file; move it away")
    }
    return try PlainFile.read(target, limit: limit)
  }
}

/// Who may do what with a file: its owner, its group, its mode, and its access control list. A file that replaces
/// another one gets the same rights, and never more.
public struct FileRights: Sendable, Equatable {
  /// The user whose file it is.
  public let owner: uid_t
  /// The group that the middle bits of the mode are about, unless there is a list: then they are the most that the list may give.
  public let group: gid_t
  /// The nine bits of the mode.
  public let mode: mode_t
  /// The list, as the system keeps it; nil where there is none.
  private let list: [UInt8]?

  private static let attribute = "system.posix_acl_access"

  /// Those of an open file, of which that status was just read. Throws `inputOutput` where the list cannot be read.
  public init(of descriptor: Int32, _ status: stat, name: String) throws(ArtError) {
    (owner, group, mode) = (status.st_uid, status.st_gid, status.st_mode & 0o777)
    do throws(SystemError) {
      list = try FileSystem.attribute(Self.attribute, of: descriptor)
    } catch {
      throw ArtError(error, cannot: "read the rights of", name)
    }
  }

  /// Those of the file at a path.
  init(at path: String) throws(ArtError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw .system("read the rights of", path) }
    defer { PlainFile.close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system("read the rights of", path) }
    try self.init(of: descriptor, status, name: path)
  }

  /// Gives them to a new file. Where the group cannot be kept, the new one gets no more than all others have. Throws what the system says.
  public func apply(to descriptor: Int32, name: String) throws(ArtError) {
    // Only root may give a file away; another one's group goes where it may.
    let keepsGroup = fchown(descriptor, owner, group) == 0 || fchown(descriptor, uid_t.max, group) == 0
    // The folder may have given the new file a list of its own.
    do throws(SystemError) {
      try FileSystem.setAttribute(Self.attribute, of: descriptor, to: nil)
    } catch {
      throw ArtError(error, cannot: "set the rights of", name)
    }
    let others = mode & 0o707 | (mode & 0o007) << 3
    guard let list, keepsGroup else {
      // Beside a list the middle bits say nothing of the group.
      let own = keepsGroup ? mode : others
      guard fchmod(descriptor, own) == 0 else { throw .system("set the rights of", name) }
      return
    }
    guard fchmod(descriptor, mode & 0o707) == 0 else { throw .system("set the rights of", name) }
    do throws(SystemError) {
      try FileSystem.setAttribute(Self.attribute, of: descriptor, to: list)
    } catch {
      // The group has no rights then, which is too few and not too many.
    }
  }
}
