// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

extension Document {
  /// Does an action. Returns nil when it has no effect. Throws `closed`, and what planning the action throws;
  /// then nothing is changed.
  @discardableResult
  public func perform(_ action: Action) throws(ArtError) -> LoggedEdit? {
    try answer(.action(action)).entries.first
  }

  /// Does an edit. Returns nil when it has no effect. Throws `closed` and `tooLarge`; then nothing is changed.
  @discardableResult
  public func perform(_ edit: Edit) throws(ArtError) -> LoggedEdit? {
    try answer(.edit(edit)).entries.first
  }

  /// Takes back this program's newest edit that stands. Throws `nothingToUndo` and `closed`.
  @discardableResult
  public func undo() throws(ArtError) -> LoggedEdit {
    guard let entry = try answer(.undo(1)).entries.first else { throw .nothingOwnTo("undo") }
    return entry
  }

  /// Does again what this program undid last. Throws `nothingToUndo` and `closed`.
  @discardableResult
  public func redo() throws(ArtError) -> LoggedEdit {
    guard let entry = try answer(.redo(1)).entries.first else { throw .nothingOwnTo("redo") }
    return entry
  }

  func answer(_ request: DocumentRequest) throws(ArtError) -> DocumentAnswer {
    guard let result = perform([request]).first else { throw .closedDocument(file.path) }
    return try result.get()
  }

  /// Does what is asked, one after the other, and answers each. A request that fails leaves no trace and does not keep
  /// the next ones from being done. All that was done is in the journal when this returns; where it cannot be put there
  /// nothing is done.
  public func perform(_ requests: [DocumentRequest]) -> [Result<DocumentAnswer, ArtError>] {
    let (head, author) = (content.head, author)
    var answers: [Result<DocumentAnswer, ArtError>] = []
    answers.reserveCapacity(requests.count)
    for request in requests { answers.append(answer(to: request)) }
    let entries = made
    made.removeAll(keepingCapacity: true)
    do throws(ArtError) {
      try journal?.append(entries, on: base)
    } catch {
      // As if nothing had been asked.
      content.takeBack(entries[...], to: head)
      self.author = author
      return answers.map { answer in if case .success = answer { .failure(error) } else { answer } }
    }
    for entry in entries { unsaved.append(entry) }
    // Not after each edit: it would cost more than it brings.
    if content.log.count > UnsavedEdits.logged + UnsavedEdits.slack { trimLog() }
    countChanges(entries)
    return answers
  }

  private func countChanges(_ entries: [LoggedEdit]) {
    guard !entries.isEmpty else { return }
    let now = timeline.now()
    for entry in entries {
      switch entry.kind {
      case .edit: changeCount.update(.done)
      case .undo: changeCount.update(.undone)
      case .redo: changeCount.update(.redone)
      }
      autosave.changed(at: now)
    }
    broadcast.send(entries.lazy.map(DocumentEvent.edited))
    step()
  }

  func checkEditable() throws(ArtError) {
    switch life.state {
    case _ where closing > 0: throw .closedDocument(file.path)
    case .closed: throw .closedDocument(file.path)
    case .editingDisabled(let reason): throw .readOnlyDocument(file.path, reason)
    case .open, .saving, .error: return
    }
  }
}

extension Document {
  /// Does what is asked in memory, all of it or nothing.
  private func answer(to request: DocumentRequest) -> Result<DocumentAnswer, ArtError> {
    let (count, head, author) = (made.count, content.head, author)
    do throws(ArtError) {
      return .success(try make(request))
    } catch {
      content.takeBack(made[count...], to: head)
      made.removeSubrange(count...)
      self.author = author
      return .failure(error)
    }
  }

  /// Does what is asked in memory.
  private func make(_ request: DocumentRequest) throws(ArtError) -> DocumentAnswer {
    try checkEditable()
    switch request {
    case .action(let action):
      var chance = generator
      let plan = try action.plan(on: content, using: &chance)
      generator = chance
      let taken = try take(plan.edit.name, plan.edit.changes, kind: .edit)
      return answer(taken.map { [$0.entry] } ?? [], plan.subjects.map { content.emoji($0.id) ?? $0 })
    case .edit(let edit):
      return answer(try take(edit.name, edit.changes, kind: .edit).map { [$0.entry] } ?? [])
    case .background(let edit):
      guard let plan = try edit.plan(on: content) else { return answer([]) }
      return answer(try take(plan.name, plan.changes, kind: .edit).map { [$0.entry] } ?? [])
    case .undo(let count): return try go(.undo, count)
    case .redo(let count): return try go(.redo, count)
    }
  }

  private func answer(
    _ entries: [LoggedEdit], _ emojis: [Emoji] = [], lost: [Background] = []
  ) -> DocumentAnswer {
    DocumentAnswer(entries: entries, emojis: emojis, unsaved: changeCount.unsaved + made.count, lost: lost)
  }

  private func go(_ direction: UndoDirection, _ count: Int) throws(ArtError) -> DocumentAnswer {
    var entries: [LoggedEdit] = []
    var lost: [Background] = []
    while entries.count < max(1, count) {
      let plan =
        switch direction {
        case .undo: try UndoPlan.undo(in: content, by: .origin(origin))
        case .redo: try UndoPlan.redo(in: content, by: .origin(origin))
        }
      guard let plan, let taken = try take(plan.name, plan.changes, kind: plan.kind, skipped: plan.skipped)
      else { break }
      entries.append(taken.entry)
      lost += taken.lost
    }
    guard !entries.isEmpty else { throw .nothingOwnTo(direction.rawValue) }
    return answer(entries, lost: lost)
  }

  /// An edit without effect is not taken; an undo or redo is, so that the next one goes on behind it.
  private func take(
    _ name: String, _ changes: [Change], kind: LoggedEdit.Kind, skipped: [Change] = []
  ) throws(ArtError) -> (entry: LoggedEdit, lost: [Background])? {
    let time = time()
    let applied = try content.apply(changes, of: kind, at: time)
    guard !applied.changes.isEmpty || kind != .edit else { return nil }
    let stamp = author.stamp(at: time)
    let entry = LoggedEdit(
      stamp, revision: content.revision + 1, save: base.revision + 1, kind: kind,
      edit: Edit(name: name, changes: applied.changes), inverse: applied.inverse,
      dropped: skipped + applied.dropped)
    content.append(entry)
    made.append(entry)
    return (entry, applied.lost)
  }
}
