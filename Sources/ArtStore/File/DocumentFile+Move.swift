// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

extension DocumentFile {
  /// Gives the document's file another path on the same file system, where nothing stands, durably. What a save that was killed has
  /// left is dealt with before, and no save of others runs meanwhile: a rollback journal stays under the old name, and would be played
  /// back onto whatever stands there next.
  ///
  /// Returns the file at its new path. Throws `exists` where something stands there or beside it, `badValue` for a symbolic link and for
  /// a path on another file system, `noSuchDocument`, `notADocument`, `busy`, `notPermitted`, `inputOutput`; then the file is
  /// where it was.
  public func move(to path: String) throws(ArtError) -> DocumentFile {
    let deadline = Deadline(timeout)
    let new = DocumentFile(path, timeout: timeout, notice: notice)
    var tries = 0
    while true {
      try checkPlain()
      try settle()
      let file = try locate()
      let isWritable = access(file.path, W_OK) == 0
      let guarded = try GuardedFile(file, writable: isWritable)
      defer { withExtendedLifetime(guarded) {} }
      // Who may not write can hold back those who write, but for one that has begun.
      try guarded.lock(isWritable ? .exclusive : .shared, deadline)
      let isReserved = try guarded.isReserved()
      let now = try locate()
      var status = stat()
      if now.path == file.path, !guarded.hasMoved, !isReserved, lstat(file.journalPath, &status) != 0 {
        try new.checkMovable()
        try rename(file.path, to: path)
        return new
      }
      guard deadline.wait(tries) else { throw .busyDocument(self.path) }
      tries += 1
    }
  }

  /// Throws `badValue` for a symbolic link: its target would be moved, and the link would lead nowhere.
  private func checkPlain() throws(ArtError) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return }
    throw ArtError(.badValue, "\(path) is a symbolic link; name the document that it leads to")
  }

  /// Throws `exists` where something lies beside the new path that SQLite would mix in, and for a name that is too long.
  private func checkMovable() throws(ArtError) {
    try checkCreatable()
    var status = stat()
    if lstat(path + "-journal", &status) == 0 { throw .leftover(path + "-journal") }
  }

  private func rename(_ old: String, to new: String) throws(ArtError) {
    do throws(SystemError) {
      try FilePath.rename(old, to: new)
    } catch {
      throw .notMoved(path, new, error.number)
    }
    try PlainFile.syncFolder(of: new)
    try PlainFile.syncFolder(of: old)
  }
}

extension ArtError {
  fileprivate static func busyDocument(_ name: String) -> ArtError {
    ArtError(.busy, "\(name) is in use by another program; try again")
  }

  fileprivate static func notMoved(_ old: String, _ new: String, _ number: Int32) -> ArtError {
    let cause = SystemError.text(of: number)
    switch number {
    case EEXIST: return ArtError(.exists, "\(new) exists already; choose another name")
    case EXDEV:
      return ArtError(
        .badValue, "\(new) is on another file system than \(old); duplicate it there, and delete this one")
    case ENOENT, ENOTDIR:
      return ArtError(.noSuchDocument, "no folder to move \(old) to \(new); make it first")
    case EACCES, EPERM, EROFS: return ArtError(.notPermitted, "cannot move \(old) to \(new): \(cause)")
    case ENOSPC, EDQUOT: return ArtError(.diskFull, "cannot move \(old) to \(new): \(cause)")
    case ENAMETOOLONG:
      return ArtError(.badValue, "the name \(new.prefix(40))… is too long for the file system")
    default: return ArtError(.inputOutput, "cannot move \(old) to \(new): \(cause)")
    }
  }
}
