// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// One edit, or one go of undos, of a document that is not open: straight on its file's rows, in one transaction. What programs
/// that are gone have left for the document is restored first.
public struct FileEditing: Sendable {
  private let file: DocumentFile
  private let recovery: Recovery
  private let expected: Int?

  /// For the document in a file; `expected` is the revision that it must be at, and nil stands for any.
  public init(_ file: DocumentFile, by recovery: Recovery, expecting expected: Int? = nil) {
    self.file = file
    self.recovery = recovery
    self.expected = expected
  }

  /// Does an action as one edit. Throws what `DocumentFile.perform` and restoring throw; then nothing is changed.
  public func perform(_ action: Action) throws(ArtError) -> PerformedAction {
    var author = try recovery.newAuthor()
    let time = WallClock.milliseconds()
    try recovery.restoreFirst(file)
    return try file.perform(action, by: &author, at: time, expecting: expected)
  }

  /// Goes up to `count` steps along the log in one save. Throws `nothingToUndo`, and what `DocumentFile.edit` and restoring throw; then
  /// nothing is changed.
  public func step(_ direction: UndoDirection, _ count: Int) throws(ArtError) -> (run: UndoRun, revision: Int)
  {
    var author = try recovery.newAuthor()
    try recovery.restoreFirst(file)
    return try file.edit(expecting: expected) { (transaction) throws(ArtError) in
      let time = WallClock.milliseconds()
      var steps = try UndoSteps(direction, in: transaction)
      let run = try UndoRun(count) { () throws(ArtError) in
        try steps.next(in: transaction)
      } perform: { (plan) throws(ArtError) in
        let done = try transaction.perform(plan, stamp: author.stamp(at: time))
        steps.performed(done.entry)
        return UndoRun.Step(entry: done.entry, left: done.left, lost: done.lost)
      } pending: {
        transaction.pending
      }
      guard let run else { throw .nothingTo(direction.rawValue) }
      return (run, transaction.revision)
    }
  }
}
