// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// A small file that programs replace or remove as a whole, one after the other. A reader sees the old content or the new one, also
/// after a kill.
///
///     PATH        the content; if it is a link, the file that it leads to is replaced, but for `shared`
///     PATH.new    the new content while it is written, under the lock on the folder; a kill may leave it
package struct ReplacedFile {
  let path: String
  /// The most bytes that are read.
  let limit: Int
  /// How long to wait for another program's lock.
  var timeout: Duration = .seconds(1)
  /// Whether the content survives a power cut once it was written.
  var isDurable = true
  /// Whether only emojiart uses the path: the file has mode 0600, links are not followed, and anything but a
  /// regular file of at most `limit` bytes counts as missing and is replaced.
  var isPrivate = false
  /// Whether others may write to the folder: no link is followed, and the folder and the file must be this user's.
  private var isShared = false

  init(
    path: String, limit: Int, timeout: Duration = .seconds(1), isDurable: Bool = true, isPrivate: Bool = false
  ) {
    (self.path, self.limit, self.timeout) = (path, limit, timeout)
    (self.isDurable, self.isPrivate) = (isDurable, isPrivate)
  }

  /// A file of at most that many bytes, which other programs read and write, too, in a folder of documents. Neighbours may have put
  /// something there: `update` throws `notPermitted` for a folder or a file of another user, and `notADocument` for a link.
  package static func shared(_ path: String, limit: Int) -> ReplacedFile {
    var file = ReplacedFile(path: path, limit: limit)
    file.isShared = true
    return file
  }

  /// The content; nil if there is none. Throws `notADocument` if it is no regular file, `tooLarge`,
  /// `inputOutput`, `notPermitted`.
  func read() throws(ArtError) -> [UInt8]? { try read(at: target()) }

  /// Changes the content under a lock. `change` receives the content, nil if there is none, and returns the
  /// new one, nil to remove the file, and the result of this call. The folder is created if it is missing.
  /// Throws what reading and `change` throw, `diskFull`, and `busy` if another program keeps the lock.
  package func update<Value>(
    _ change: ([UInt8]?) throws(ArtError) -> (bytes: [UInt8]?, value: Value)
  ) throws(ArtError) -> Value {
    let folder = FilePath(path).folder
    try StateFolder.makeFolders(folder)
    if isShared { for path in [folder, path] { try Self.checkOwner(of: path) } }
    let target = try target()
    let lock = try FolderLock(FilePath(target).folder, timeout: timeout)
    defer { withExtendedLifetime(lock) {} }
    let before = try read(at: target)
    let (after, value) = try change(before)
    guard after != before else { return value }
    // A killed program may have left it.
    try Self.unlink(target + ".new")
    if let after { try replace(target, with: after) } else { try Self.unlink(target) }
    if isDurable { Self.syncFolder(of: target) }
    return value
  }

  private func replace(_ target: String, with bytes: [UInt8]) throws(ArtError) {
    let new = target + ".new"
    var status = stat()
    let old = try !isPrivate && stat(target, &status) == 0 ? FileRights(at: target) : nil
    try PlainFile.create(new, bytes, like: old, isDurable: isDurable)
    guard rename(new, target) == 0 else { throw .system("write", target) }
  }

  /// The change is done by then: where a folder cannot be synchronised, only a power cut may undo it.
  private static func syncFolder(of path: String) {
    do throws(ArtError) { try PlainFile.syncFolder(of: path) } catch {}
  }

  private static func unlink(_ path: String) throws(ArtError) {
    guard Glibc.unlink(path) == 0 || errno == ENOENT else { throw .system("remove", path) }
  }

  private static func checkOwner(of path: String) throws(ArtError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw .system("look at", path)
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw ArtError(
        .notPermitted, "\(path) belongs to another user (\(status.st_uid)), and is left alone", about: path)
    }
  }

  /// The file to replace: users keep their settings elsewhere and link to them.
  private func target() throws(ArtError) -> String {
    var status = stat()
    guard !isPrivate, !isShared, lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else {
      return path
    }
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
      throw ArtError(.notADocument, "\(path) is no regular file; move it away", about: path)
    }
    return try PlainFile.read(target, limit: limit)
  }
}

// MARK: - Permissions

/// The permissions of a file: owner, group, mode, and access control list; and the extended attributes that users set, such as tags. A
/// file that replaces another one gets the same permissions, or fewer, and the attributes.
public struct FileRights: Sendable, Equatable {
  /// The owner.
  public let owner: uid_t
  /// The group. Its bits in the mode are the group's rights, or, if there is a list, the most that the list
  /// can grant.
  public let group: gid_t
  /// The nine bits of the mode.
  public let mode: mode_t
  /// The access control list, as the system stores it; nil if there is none.
  private let list: [UInt8]?
  private let attributes: [String: [UInt8]]

  private static let attribute = "system.posix_acl_access"

  /// The permissions of an open file with that status. Throws `inputOutput` if the list cannot be read.
  public init(of descriptor: Int32, _ status: stat, name: String) throws(ArtError) {
    (owner, group, mode) = (status.st_uid, status.st_gid, status.st_mode & 0o777)
    do throws(SystemError) {
      list = try FileSystem.attribute(Self.attribute, of: descriptor)
      var attributes: [String: [UInt8]] = [:]
      for name in try FileSystem.userAttributes(of: descriptor) {
        attributes[name] = try FileSystem.attribute(name, of: descriptor)
      }
      self.attributes = attributes
    } catch {
      throw ArtError(error, cannot: "read the rights of", name)
    }
  }

  /// The permissions of an open file. Throws `inputOutput`.
  init(of descriptor: Int32, name: String) throws(ArtError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system("read the rights of", name) }
    try self.init(of: descriptor, status, name: name)
  }

  /// The permissions of the file at a path.
  init(at path: String) throws(ArtError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw .system("read the rights of", path) }
    defer { PlainFile.close(descriptor) }
    try self.init(of: descriptor, name: path)
  }

  private init(
    _ owner: uid_t, _ group: gid_t, _ mode: mode_t, _ list: [UInt8]?, _ attributes: [String: [UInt8]]
  ) {
    (self.owner, self.group, self.mode) = (owner, group, mode)
    (self.list, self.attributes) = (list, attributes)
  }

  /// Those of a file that only this user may read.
  static var ownersOnly: FileRights { FileRights(geteuid(), getegid(), 0o600, nil, [:]) }

  /// These permissions, where group and others have only what `other` grants them, too. Owner, group and attributes stay.
  func limited(to other: FileRights) -> FileRights {
    var allowed = other.mode & 0o077
    // What a list says of single users and groups is not compared.
    if AccessList.named(list) != AccessList.named(other.list) || list != nil && group != other.group {
      allowed = 0
    } else if group != other.group {
      // To the other file each one's group was any group, and the other file's group is any group to this one.
      allowed = other.mode & 0o007 & (other.mode >> 3)
      allowed |= (other.mode & 0o007) << 3
    }
    let mode = mode & (0o700 | allowed)
    return FileRights(
      owner, group, mode, allowed == 0 ? nil : list.map { AccessList.limited($0, to: mode) }, attributes)
  }

  /// Whether all who may read this file may read the other one, too, but for its owner.
  func isReadable(onlyWhere other: FileRights) -> Bool { limited(to: other).mode & 0o044 == mode & 0o044 }

  /// Whether a file that has come to the place of `former` was put there by somebody else than this user, the owner of `former`, or root.
  func isForeign(to former: FileRights) -> Bool { ![geteuid(), former.owner, 0].contains(owner) }

  /// What became of permissions that were applied.
  public enum Applied: Sendable {
    /// The file has them.
    case all
    /// The owner, the group, the mode or the list cannot be set, by this user or on this file system; somebody has fewer rights.
    case fewer
  }

  /// Applies the permissions to a new file. If the group cannot be set, the new one gets only the rights of
  /// all others. On a file system that refuses to set a mode, the file keeps one that allows no more. Throws `inputOutput`, `notPermitted`.
  @discardableResult
  public func apply(to descriptor: Int32, name: String) throws(ArtError) -> Applied {
    for (name, value) in attributes {
      // A file system with less room for attributes than the old one's: the file is more than its tags.
      do throws(SystemError) { try FileSystem.setAttribute(name, of: descriptor, to: value) } catch {}
    }
    // Only root may change the owner; then at least the group is tried.
    let keepsOwner = fchown(descriptor, owner, group) == 0
    let keepsGroup = keepsOwner || fchown(descriptor, uid_t.max, group) == 0
    // The new file may have inherited a list from its folder.
    do throws(SystemError) {
      try FileSystem.setAttribute(Self.attribute, of: descriptor, to: nil)
    } catch {
      throw ArtError(error, cannot: "set the rights of", name)
    }
    let others = mode & 0o707 | (mode & 0o007) << 3
    guard let list, keepsGroup else {
      // With a list, the middle bits of the mode are not the group's rights.
      let applied = try Self.setMode(keepsGroup ? mode : others, of: descriptor, name)
      return keepsOwner ? applied : .fewer
    }
    guard try Self.setMode(mode & 0o707, of: descriptor, name) == .all else { return .fewer }
    do throws(SystemError) {
      try FileSystem.setAttribute(Self.attribute, of: descriptor, to: list)
    } catch {
      // The group has no rights then: too few is safe, too many is not.
      return .fewer
    }
    return keepsOwner ? .all : .fewer
  }

  /// Sets the mode. FAT, and many network file systems, give each file the same mode and refuse another one.
  private static func setMode(
    _ mode: mode_t, of descriptor: Int32, _ name: String
  ) throws(ArtError) -> Applied {
    guard fchmod(descriptor, mode) != 0 else { return .all }
    let error = ArtError.system("set the rights of", name)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & 0o777 & ~mode == 0 else { throw error }
    return status.st_mode & 0o777 == mode ? .all : .fewer
  }
}

/// The bytes of an access control list, as acl(5) and the kernel's `posix_acl_xattr.h` have them: a version, and entries of a tag, permissions
/// and an id, in little endian.
private enum AccessList {
  private static let (header, entry) = (4, 8)
  private static let (owner, mask, others): (UInt8, UInt8, UInt8) = (0x01, 0x10, 0x20)

  /// The list without what the mode says, too: the permissions of the owner, of the mask and of all others.
  static func named(_ list: [UInt8]?) -> [UInt8]? {
    list.map { changed($0) { tag, permissions in [owner, mask, others].contains(tag) ? 0 : permissions } }
  }

  /// The list with a mask, and permissions of all others, that allow no more than a mode.
  static func limited(_ list: [UInt8], to mode: mode_t) -> [UInt8] {
    changed(list) { tag, permissions in
      switch tag {
      case mask: permissions & UInt8(mode >> 3 & 7)
      case others: permissions & UInt8(mode & 7)
      default: permissions
      }
    }
  }

  private static func changed(_ list: [UInt8], _ change: (_ tag: UInt8, _ permissions: UInt8) -> UInt8)
    -> [UInt8]
  {
    var list = list
    for start in stride(from: header, to: list.count - entry + 1, by: entry) {
      list[start + 2] = change(list[start], list[start + 2])
    }
    return list
  }
}
