// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Glibc

/// Folders for documents that come in.
enum FolderMaking {
  /// Makes a folder where there is none, and those that it is in, durably. Throws `exists` where something else stands, `notPermitted`,
  /// `diskFull`, `inputOutput`.
  static func make(_ folder: String) throws(ArtError) {
    var status = stat()
    if stat(folder, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else {
        throw ArtError(.exists, "\(folder) is no folder; choose another one with --into")
      }
      return
    }
    guard errno == ENOENT else { throw .notMade(folder, errno) }
    guard lstat(folder, &status) != 0 else { throw .notMade(folder, EEXIST) }
    let parent = PathParts(folder).folder
    if parent != folder { try make(parent) }
    guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw .notMade(folder, errno) }
    sync(parent)
  }

  /// A folder that may not be read, or a file system of another kind, cannot be made to wait.
  private static func sync(_ folder: String) {
    let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { return }
    fsync(file)
    close(file)
  }
}

extension ArtError {
  fileprivate static func notMade(_ folder: String, _ number: Int32) -> ArtError {
    let cause = String(cString: strerror(number))
    switch number {
    case EACCES, EPERM, EROFS: return ArtError(.notPermitted, "cannot make the folder \(folder): \(cause)")
    case ENOSPC, EDQUOT: return ArtError(.diskFull, "cannot make the folder \(folder): \(cause)")
    case ENAMETOOLONG:
      return ArtError(.badValue, "the name \(folder.prefix(40))… is too long for the file system")
    case ENOENT, EEXIST:
      return ArtError(.exists, "\(folder) is a link to what is not there; choose another one")
    default: return ArtError(.inputOutput, "cannot make the folder \(folder): \(cause)")
    }
  }
}
