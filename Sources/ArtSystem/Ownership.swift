// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Who decides what is at a path, where other users may write to folders on the way.
package enum Ownership {
  /// What a path leads to.
  package enum End: Sendable, Equatable {
    /// An absolute path without links. Only links of the kernel's own, such as those in /proc/self/fd, may be in it. The path need not exist.
    case path(String)
    /// A symbolic link of this other user.
    case foreignLink(uid_t)
  }

  private static let mostLinks = 40

  /// Whether a user may decide for this one: this user, root, and the owner of `/`, which in a user namespace stands for root.
  package static func isTrusted(_ user: uid_t) -> Bool {
    if user == geteuid() || user == 0 { return true }
    var status = stat()
    return lstat("/", &status) == 0 && status.st_uid == user
  }

  /// Follows the symbolic links at the end of a path as long as they belong to trusted users. Links of the folders on the way are followed
  /// whosever they are. Throws the errors of realpath(3), open(2) and readlink(2).
  package static func end(of path: String) throws(SystemError) -> End {
    var path = path
    for _ in 0..<mostLinks {
      let parts = FilePath(path)
      guard ![".", "..", ""].contains(parts.name) else { return .path(try FilePath.resolved(path)) }
      let folder = try FilePath.resolved(parts.folder)
      let place = FilePath.path(of: parts.name, in: folder)
      guard let link = try Link(place) else { return .path(place) }
      guard isTrusted(link.owner) else { return .foreignLink(link.owner) }
      let next = FilePath(link.target).isAbsolute ? link.target : FilePath.path(of: link.target, in: folder)
      var status = stat()
      // The text of such a link is no path.
      if lstat(next, &status) != 0, stat(place, &status) == 0 { return .path(place) }
      path = next
    }
    throw SystemError("open", path, number: ELOOP)
  }

  /// Whether only trusted users can make or replace what is at an absolute path. Each link and each folder on the way must belong to one of them,
  /// and nobody else may write to these folders.
  ///
  /// A folder with the sticky bit, such as /tmp, is an exception: users cannot replace each other's files there. It is accepted if the next part of
  /// the path exists.
  package static func isOwn(_ path: String) -> Bool {
    guard FilePath(path).isAbsolute else { return false }
    var left = Array(FilePath(path).components.reversed())
    var folder = "/"
    var links = 0
    while let name = left.popLast() {
      if name == "." { continue }
      if name == ".." {
        folder = FilePath(folder).folder
        continue
      }
      let next = FilePath.path(of: name, in: folder)
      var status = stat()
      guard lstat(next, &status) == 0 else { return errno == ENOENT && isClosed(folder) }
      guard isTrusted(status.st_uid) else { return false }
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        guard !isOpen(status) || status.st_mode & S_ISVTX != 0 else { return false }
        folder = next
      case S_IFLNK:
        links += 1
        guard links <= mostLinks, let target = linkTarget(AT_FDCWD, next) else { return false }
        if FilePath(target).isAbsolute { folder = "/" }
        left += FilePath(target).components.reversed()
      // Nothing can be below it, as with a cache at /dev/null.
      default: return true
      }
    }
    return isClosed(folder)
  }

  /// Whether others than trusted users may make something in a folder of a trusted user, whose own group has the owner's number.
  package static func isOpen(_ folder: stat) -> Bool {
    folder.st_mode & S_IWOTH != 0 || folder.st_mode & S_IWGRP != 0 && folder.st_gid != folder.st_uid
  }

  private static func isClosed(_ folder: String) -> Bool {
    var status = stat()
    return lstat(folder, &status) == 0 && isTrusted(status.st_uid) && !isOpen(status)
  }

  /// A symbolic link: its owner and its text are those of one and the same link.
  private struct Link {
    let owner: uid_t
    let target: String

    /// Nil for anything else, and for nothing.
    init?(_ path: String) throws(SystemError) {
      let descriptor = open(path, oPath | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else {
        if errno == ENOENT { return nil }
        throw SystemError("open", path)
      }
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw SystemError("stat", path) }
      guard status.st_mode & S_IFMT == S_IFLNK else { return nil }
      guard let target = linkTarget(descriptor, "") else {
        throw SystemError("readlink", path, number: EILSEQ)
      }
      (self.owner, self.target) = (status.st_uid, target)
    }
  }

  /// The text of a symbolic link; nil where it cannot be read, or is no UTF-8. An empty path stands for the descriptor itself.
  private static func linkTarget(_ descriptor: Int32, _ path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlinkat(descriptor, path, &bytes, bytes.count)
    guard count > 0, count < bytes.count else { return nil }
    return String(validating: bytes[..<count], as: UTF8.self)
  }
}
