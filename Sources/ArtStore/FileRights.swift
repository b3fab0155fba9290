// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

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
  public func give(to descriptor: Int32, name: String) throws(ArtError) {
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
