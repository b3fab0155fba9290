// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

extension DocumentFile {
  /// Moves the document's file to an unused path on the same file system, durably. A move that a power cut may undo is a notice.
  ///
  /// A hot journal is resolved first, and other programs' saves are locked out meanwhile: a rollback journal
  /// would stay under the old name and be played back onto the next file there.
  ///
  /// Returns the file at its new path. Throws `exists` if anything is at the path or beside it, `badValue`
  /// for a symbolic link and for a path on another file system, `noSuchDocument`, `notADocument`, `busy`,
  /// `notPermitted`, `inputOutput`; the file is not moved then.
  public func move(to path: String) throws(ArtError) -> DocumentFile { try move(to: path, comingBack: false) }

  /// The same; a document that comes back to a path may have a name there that is too long to be made.
  package func move(to path: String, comingBack isBack: Bool) throws(ArtError) -> DocumentFile {
    let deadline = Deadline(timeout)
    let new = DocumentFile(path, timeout: timeout, notice: notice)
    var tries = 0
    while true {
      try checkNoLink()
      try resolveHotJournal()
      let file = try locate()
      let isWritable = access(file.path.string, W_OK) == 0
      let guarded = try GuardedFile(file, writable: isWritable)
      defer { withExtendedLifetime(guarded) {} }
      // Without the right to write, a shared lock holds back other writers, except one that has begun.
      try guarded.lock(isWritable ? .exclusive : .shared, deadline)
      let isReserved = try guarded.isReserved()
      let now = try locate()
      var status = stat()
      if now.isAtPath(of: file), !guarded.hasMoved, !isReserved, lstat(file.journalPath, &status) != 0 {
        try new.checkMovable(comingBack: isBack)
        try rename(file, to: path)
        return new
      }
      guard deadline.wait(tries) else { throw .busyDocument(self.path) }
      tries += 1
    }
  }

  /// Throws `badValue` for a symbolic link: moving its target would leave the link dangling.
  public func checkNoLink() throws(ArtError) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return }
    throw ArtError(.badValue, "\(path) is a symbolic link; name the document that it leads to", about: path)
  }

  /// Throws `exists` if a file beside the new path would be mixed in by SQLite, and for a name that is too
  /// long.
  private func checkMovable(comingBack isBack: Bool) throws(ArtError) {
    try checkCreatable(comingBack: isBack)
    var status = stat()
    if lstat(path + "-journal", &status) == 0 { throw .leftover(path + "-journal") }
  }

  private func rename(_ file: LocatedFile, to new: String) throws(ArtError) {
    // What another program puts in the place of the folder meanwhile is not moved.
    let folder: PlainFolder
    do throws(SystemError) { folder = try PlainFolder(file.path.folder) } catch {
      throw .notMoved(path, new, error.number)
    }
    defer { withExtendedLifetime(folder) {} }
    let old = folder.path(of: file.path.name)
    do throws(SystemError) {
      try FilePath.rename(old, to: new)
    } catch {
      // On a network file system the answer of a rename that was made can be lost.
      guard FileIdentity(at: new) == file.identity, FileIdentity(at: old) == nil else {
        throw .notMoved(path, new, error.number)
      }
    }
    syncNames(new, file.path.string)
  }
}

extension ArtError {
  fileprivate static func busyDocument(_ name: String) -> ArtError {
    ArtError(.busy, "\(name) is in use by another program; try again", about: name)
  }

  fileprivate static func notMoved(_ old: String, _ new: String, _ number: Int32) -> ArtError {
    let cause = SystemError.text(of: number)
    switch number {
    case EEXIST: return ArtError(.exists, "\(new) exists already", about: new, remedy: .chooseName)
    case EXDEV:
      return ArtError(
        .badValue, "\(new) is on another file system than \(old); duplicate it there, and delete this one",
        about: old)
    case ENOENT, ENOTDIR:
      return ArtError(.noSuchDocument, "no folder to move \(old) to \(new); make it first", about: old)
    case EACCES, EPERM, EROFS:
      return ArtError(.notPermitted, "cannot move \(old) to \(new): \(cause)", about: old)
    case ENOSPC, EDQUOT: return ArtError(.diskFull, "cannot move \(old) to \(new): \(cause)", about: old)
    case ENAMETOOLONG:
      return ArtError(.badValue, "the name \(new.prefix(40))… is too long for the file system")
    default: return ArtError(.inputOutput, "cannot move \(old) to \(new): \(cause)", about: old)
    }
  }
}
