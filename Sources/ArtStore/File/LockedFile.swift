// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// A document's file that this process has open and locked, and the folder in which it is. What another program puts in the place of either
/// meanwhile is not taken for it: status and rights are those of the descriptor, and names lead into this folder.
///
/// Valid as long as the connection or the `GuardedFile` that has opened the file.
struct LockedFile {
  /// The file, by its descriptor.
  let file: LocatedFile
  /// Its folder.
  let folder: PlainFolder
  private let descriptor: Int32

  /// Nil if the file is no longer in that folder under that name. Throws `inputOutput`, `notPermitted`.
  init?(_ found: LocatedFile, _ descriptor: Int32) throws(ArtError) {
    do throws(SystemError) {
      let status = try FileStatus(of: descriptor)
      folder = try PlainFolder(found.path.folder)
      file = LocatedFile(found.path, found.name, status.raw)
    } catch {
      // A folder that is gone, or a link in its place.
      guard ![ENOENT, ENOTDIR, ELOOP].contains(error.number) else { return nil }
      throw ArtError(error, cannot: "look at", found.name)
    }
    self.descriptor = descriptor
    guard FileIdentity(at: place) == file.identity else { return nil }
  }

  /// A path of the file in this process, also after its folder has another name. It is for no message.
  var place: String { folder.path(of: file.path.name) }

  /// The same of the file whose name ends with that, such as the journal.
  func place(of ending: String) -> String { place + ending }

  /// Removes that file: unlink(2).
  func unlink(_ ending: String) -> Int32 {
    withExtendedLifetime(folder) { Glibc.unlink(place(of: ending)) }
  }

  /// The file's permissions. Throws `inputOutput`.
  func rights() throws(ArtError) -> FileRights { try FileRights(of: descriptor, name: file.name) }

  /// Gives the file other permissions. Throws as `FileRights.apply`.
  func apply(_ rights: FileRights) throws(ArtError) { try rights.apply(to: descriptor, name: file.name) }

  /// Makes the file and its name durable. Throws what synchronising throws.
  func sync() throws(ArtError) {
    guard fsync(descriptor) == 0 else { throw .system("write", file.name) }
    try PlainFile.syncFolder(of: file.path.string)
  }

  /// Throws `notPermitted` if a file beside this one cannot be removed: it is a folder, or another user's in a folder with the sticky bit.
  func checkRemovable(_ ending: String) throws(ArtError) {
    let name = file.name + ending
    var (above, status) = (stat(), stat())
    guard stat(folder.path, &above) == 0, lstat(place(of: ending), &status) == 0 else {
      // Another program has removed it.
      guard errno != ENOENT, errno != ENAMETOOLONG else { return }
      throw .system("look at", name)
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw .notPermitted("remove", name, "it is a folder; move it away")
    }
    let user = geteuid()
    guard above.st_mode & S_ISVTX != 0, user != 0, user != above.st_uid, user != status.st_uid else { return }
    let orEdit = ending == DocumentFile.journalEnding ? ", or edit the document" : ""
    throw .notPermitted(
      "remove", name, "it belongs to the user \(status.st_uid), who must remove it\(orEdit)")
  }
}
