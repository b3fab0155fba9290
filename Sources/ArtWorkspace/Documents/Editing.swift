// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// Edits a closed document, undoes several edits, or goes back to a revision, in one transaction on its file. Orphaned journals are restored
/// first.
public struct FileEditing: Sendable {
  private let file: DocumentFile
  private let recovery: Recovery
  private let expected: Int?

  /// Edits the document in a file. `expected` is the required revision; nil stands for any.
  public init(_ file: DocumentFile, by recovery: Recovery, expecting expected: Int? = nil) {
    self.file = file
    self.recovery = recovery
    self.expected = expected
  }

  /// Performs an action as one edit. Throws what `DocumentFile.perform` and restoring throw; then nothing is changed.
  public func perform(_ action: Action) throws(ArtError) -> PerformedAction {
    var author = try recovery.newAuthor()
    let time = WallClock.milliseconds()
    try recovery.prepareEdit(of: file)
    return try file.perform(action, by: &author, at: time, expecting: expected)
  }

  /// Undoes or redoes up to `count` edits in one save. Throws `nothingToUndo`, and what `DocumentFile.edit` and restoring throw;
  /// then nothing is changed.
  public func step(_ direction: UndoDirection, _ count: Int) throws(ArtError) -> (run: UndoRun, revision: Int)
  {
    try run { (transaction, perform) throws(ArtError) in
      var steps = try UndoSteps(direction, in: transaction)
      let run = try UndoRun(count) { () throws(ArtError) in
        try steps.next(in: transaction)
      } perform: { (plan) throws(ArtError) in
        let step = try perform(plan)
        steps.performed(step.entry)
        return step
      } pending: {
        transaction.pending
      }
      guard let run else {
        if direction == .redo, let undo = try UndoPlan.standingUndo(in: transaction) {
          throw .nothingToRedo(since: undo)
        }
        throw .nothingTo(direction.rawValue)
      }
      return run
    }
  }

  /// Takes back one edit or one undo, whoever made it and whatever came after it; what later edits have set stays. Throws `nothingToUndo`
  /// if the log does not have it, or it is taken back already, and as above.
  public func undo(_ edit: EditID) throws(ArtError) -> (run: UndoRun, revision: Int) {
    guard let result = try undo({ (_) throws(ArtError) in [edit] }) else { throw .notStanding(edit) }
    return result
  }

  /// Takes back those of several edits that stand, the newest first, in one save; nil if none does. An edit and its undo have no effect
  /// together, and stay. Throws as above.
  func takeBack(_ edits: Set<EditID>) throws(ArtError) -> (run: UndoRun, revision: Int)? {
    try undo { (transaction) throws(ArtError) in
      var (found, steps): ([LoggedEdit], [EditID: EditID]) = ([], [:])
      try transaction.newestEdits { (entry) throws(ArtError) in
        if let reverted = entry.kind.revertedID { steps[entry.id] = reverted }
        if edits.contains(entry.id) { found.append(entry) }
        return true
      }
      return found.compactMap { entry in
        guard let reverted = entry.kind.revertedID else { return entry.id }
        guard !edits.contains(reverted) else { return nil }
        // A redo goes by an undo of the edit that it has made again.
        if case .redo = entry.kind { return steps[reverted] }
        return entry.id
      }
    }
  }

  /// Takes back those of some edits that stand, in their order; nil if none does.
  private func undo(
    _ targets: (DocumentTransaction) throws(ArtError) -> [EditID]
  ) throws(ArtError) -> (run: UndoRun, revision: Int)? {
    do throws(ArtError) {
      return try run { (transaction, perform) throws(ArtError) in
        var rest = try targets(transaction)[...]
        let run = try UndoRun(rest.count) { () throws(ArtError) in
          while let edit = rest.popFirst() {
            if let plan = try UndoPlan.undo(of: edit, in: transaction) { return plan }
          }
          return nil
        } perform: { (plan) throws(ArtError) in
          try perform(plan)
        } pending: {
          transaction.pending
        }
        guard let run else { throw .nothingTo("undo") }
        return run
      }
    } catch {
      guard error.code == .nothingToUndo else { throw error }
      return nil
    }
  }

  /// Runs undos or redos in one save.
  private func run(
    _ body: (DocumentTransaction, (UndoPlan) throws(ArtError) -> UndoRun.Step) throws(ArtError) -> UndoRun
  ) throws(ArtError) -> (run: UndoRun, revision: Int) {
    var author = try recovery.newAuthor()
    try recovery.prepareEdit(of: file)
    return try file.edit(expecting: expected) { (transaction) throws(ArtError) in
      let time = WallClock.milliseconds()
      let run = try body(transaction) { (plan) throws(ArtError) in
        let done = try transaction.perform(plan, stamp: author.stamp(at: time))
        return UndoRun.Step(entry: done.entry, left: done.left, lost: done.lost, author: plan.author)
      }
      return (run, transaction.revision)
    }
  }

  /// Makes the art what it was at a revision, as one edit. `head` is the edit of that revision as the caller knows it; nil stands for any.
  /// Throws what `RevertPlan`, `DocumentFile.edit` and restoring throw; then nothing is changed.
  ///
  /// Restored edits count: the revisions are those that `Recovery.content(of:)` has. If the file is replaced during the save, it is planned
  /// anew on the new file.
  public func revert(to revision: Int, head: EditID? = nil) throws(ArtError) -> RevertedDocument {
    try revert { (transaction) throws(ArtError) in
      try RevertPlan(to: revision, head: head, in: transaction)
    }
  }

  /// Makes the edit of a plan.
  func revert(
    _ plan: (DocumentTransaction) throws(ArtError) -> RevertPlan
  ) throws(ArtError) -> RevertedDocument {
    var author = try newAuthor()
    return try edit { (transaction) throws(ArtError) in
      let plan = try plan(transaction)
      let done = try transaction.perform(plan, stamp: author.stamp(at: WallClock.milliseconds()))
      let lost = done.lost.map { UndoRun.LostBackground($0, pending: transaction.pending) }
      return RevertedDocument(entry: done.entry, lost: lost, revision: transaction.revision)
    }
  }
}

extension FileEditing {
  /// This program as an author, with a new origin.
  func newAuthor() throws(ArtError) -> Author { try recovery.newAuthor() }

  /// Changes the document in one transaction, after orphaned edits were restored.
  func edit<Result>(
    _ body: (DocumentTransaction) throws(ArtError) -> Result
  ) throws(ArtError) -> Result {
    try recovery.prepareEdit(of: file)
    return try file.edit(expecting: expected, body)
  }
}

/// The result of going back to a revision of a closed document.
public struct RevertedDocument: Sendable {
  /// The edit; nil if nothing differed, or only backgrounds that are lost: then none was made.
  public let entry: LoggedEdit?
  /// The backgrounds that could not be restored because their bytes are not stored any more.
  public let lost: [UndoRun.LostBackground]
  /// The document's revision after it.
  public let revision: Int
}
