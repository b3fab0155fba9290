// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import CStore

extension DocumentFile {
  /// Changes the document in one durable transaction on its rows: after the body returns, and before this
  /// does, what it performed is in the file at this path, or an error says that it is not.
  ///
  /// The body may run again, on another file, when the one it ran on was replaced meanwhile. Throws what `read`
  /// throws, `movedOn` when the document is not at the expected revision, `diskFull`, and what the body throws;
  /// then nothing is changed. Where nobody can look whether the edit is in the file, the error says so.
  public func edit<Result>(
    expecting revision: Int? = nil, _ body: (DocumentTransaction) throws(ArtError) -> Result
  ) throws(ArtError) -> Result {
    let deadline = Deadline(timeout)
    var saved: Attempt<Result>?
    for _ in 0..<3 {
      do throws(ArtError) {
        let attempt = try self.attempt(expecting: revision, after: saved, deadline, body)
        if attempt.isDone, let result = attempt.result { return result }
        saved = attempt.transaction == nil ? saved : attempt
      } catch {
        // The edit is in a file that may still stand at the path, or come back to it.
        throw saved == nil ? error : .maybeSaved(path, error)
      }
    }
    throw saved == nil ? .movedAway(path) : .savedElsewhere(path)
  }

  /// One try of an edit.
  private struct Attempt<Result> {
    var isDone = false
    /// What the body returned, when it ran and what it performed was committed.
    var result: Result?
    /// The transaction that was committed to a file which was no longer at the path.
    var transaction: DocumentTransaction?
  }

  private func attempt<Result>(
    expecting revision: Int?, after saved: Attempt<Result>?, _ deadline: Deadline,
    _ body: (DocumentTransaction) throws(ArtError) -> Result
  ) throws(ArtError) -> Attempt<Result> {
    let file = try locate()
    if file.hardLinks > 1 {
      notice("\(path) has \(file.hardLinks) names (hard links); a repair would leave the others behind")
    }
    let transaction = try beginWriting(file, deadline)
    let connection = transaction.connection
    guard let now = try stillStands(file, connection) else { return Attempt() }
    let result: Result
    do throws(ArtError) {
      if mayBeHalfSaved(now, connection) { _ = try transaction.load() }
      if let before = saved?.transaction, let found = saved?.result, try transaction.holds(before) {
        // What stands there now is a copy of the file that the edit is in.
        result = found
        try transaction.touch()
      } else {
        if let revision, transaction.revision != revision {
          throw .movedOn(path, is: transaction.revision, not: revision)
        }
        result = try body(transaction)
        guard transaction.hasChanges || transaction.mustCommit else {
          return Attempt(isDone: true, result: result)
        }
        try transaction.finish()
      }
    } catch {
      // What was read of another file, or of two together, is not what is wrong. Nothing is written.
      if connection.isCopiedOver || connection.hasMoved { return Attempt() }
      throw error
    }
    guard try commit(transaction, to: file) else { return Attempt() }
    var isDone = try stoodStill(file, connection)
    if isDone { isDone = try stillHolds(transaction, file, connection) }
    return Attempt(isDone: isDone, result: result, transaction: transaction)
  }

  /// Opens the file and locks it for writing. A rollback journal beside it is settled first, and so is one that appears just then.
  private func beginWriting(
    _ file: LocatedFile, _ deadline: Deadline
  ) throws(ArtError) -> DocumentTransaction {
    var tries = 0
    while true {
      try HotJournal.settle(file, deadline, notice)
      do throws(ArtError) {
        let connection = try Self.connect(file, .readWrite, deadline)
        let transaction = try DocumentTransaction(connection, begin: "BEGIN IMMEDIATE")
        try HotJournal.clear(file, notice)
        return transaction
      } catch {
        guard error.code == .busy, try HotJournal.mayBeHot(file), deadline.wait(tries) else { throw error }
        tries += 1
      }
    }
  }

  /// Whether a save that was cut short may lie in the file, although no journal lies beside it: the journal has the name that the file
  /// had then. An edit on top of it would be taken back with it, so the document is verified as a whole first.
  ///
  /// The header says so after a kill. After a loss of power it may not: then the file has several names, or its inode was changed after
  /// its last write.
  private func mayBeHalfSaved(_ file: LocatedFile, _ connection: Connection) -> Bool {
    connection.isHalfSaved || file.hardLinks > 1 || !file.wasWrittenLast
      || file_is_mounted(file.path, FilePath(file.path).folder)
  }

  /// A commit that answers an error may have happened all the same: then our edit is in the log. False when nothing was
  /// written, because somebody copied another file over this one.
  private func commit(_ transaction: DocumentTransaction, to file: LocatedFile) throws(ArtError) -> Bool {
    do {
      try transaction.connection.execute("COMMIT")
    } catch {
      guard error.code != .busy else { throw error }
      if transaction.connection.isCopiedOver { return false }
      let isSaved: Bool
      do {
        isSaved = try self.isSaved(transaction, in: file)
      } catch let second {
        // Nobody can look: neither "saved" nor "not saved" would be true.
        throw .maybeSaved(path, second)
      }
      guard isSaved else { throw error }
    }
    return true
  }

  /// Whether the file holds what was committed. If so it is made durable once more: what can be read may be in
  /// memory only.
  private func isSaved(_ transaction: DocumentTransaction, in file: LocatedFile) throws(ArtError) -> Bool {
    // The error that matters is the commit's; a transaction that is over already cannot be rolled back.
    try? transaction.connection.execute("ROLLBACK")
    let found = try beginWriting(file, Deadline(timeout))
    guard try found.holds(transaction) else { return false }
    try found.touch()
    try found.connection.execute("COMMIT")
    return true
  }

  /// The file that is open as it is now, where it is the one at the path that was asked for: SQLite answers OK for a file that was
  /// renamed or replaced meanwhile. Nil where it is not. Throws `movedAway` when none is there.
  private func stillStands(_ file: LocatedFile, _ connection: Connection) throws(ArtError) -> LocatedFile? {
    let now: LocatedFile
    do {
      now = try locate()
    } catch {
      throw error.code == .noSuchDocument ? .movedAway(path) : error
    }
    return now.path == file.path && !connection.hasMoved ? now : nil
  }

  /// The same after a commit: then a file that was moved away holds the edit and may come back, and where nobody can
  /// look neither "saved" nor "not saved" would be true.
  private func stoodStill(_ file: LocatedFile, _ connection: Connection) throws(ArtError) -> Bool {
    do {
      return try stillStands(file, connection) != nil
    } catch {
      throw error.code == .busy ? .savedElsewhere(path) : .maybeSaved(path, error)
    }
  }

  /// Whether the file still holds what was committed to it. Who copies another file over it, as `cp` does, asks for no
  /// lock, and leaves the file that is open the one at its path. Throws when nobody can look.
  private func stillHolds(
    _ transaction: DocumentTransaction, _ file: LocatedFile, _ connection: Connection
  ) throws(ArtError) -> Bool {
    do {
      // The document's own row, which each commit writes, lies on page 2.
      let page = LeafPage(try connection.bytes(count: Format.pageSize, at: Format.pageSize))
      if page.flatMap({ ArtRow(onlyRowOf: $0) }) == transaction.art { return true }
      // Or others have saved since.
      let again = try Self.connect(file, .readOnly, Deadline(timeout))
      return try DocumentTransaction(again, begin: "BEGIN").holds(transaction)
    } catch {
      throw .maybeSaved(path, error)
    }
  }
}
