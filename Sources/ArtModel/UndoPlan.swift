// SPDX-License-Identifier: Apache-2.0

/// What the next undo or redo does, read off the log.
///
/// The log is a list of edits, undos and redos; nothing in it is ever changed. An edit is *taken back* when an
/// undo of it stands that is not itself taken back by a redo.
///
///     edit E ──undo──▶ U(E): E is taken back ──redo──▶ R(U): E stands again ──undo──▶ U'(E) …
///
/// - Undo takes the newest edit that is not taken back. It touches only fields that no later standing edit
///   has set: those belong to somebody else by now.
/// - Redo takes the newest undo that is not taken back, and ends with the next edit: walking back it stops at
///   an edit that is no undo and no redo.
public struct UndoPlan: Sendable, Equatable {
  /// The name of the action, as in `Undo move 🐝`.
  public let name: String
  /// Whether this is an undo or a redo, and of which entry of the log.
  public let kind: LoggedEdit.Kind
  /// The changes to apply.
  public let changes: [Change]
  /// The changes left out because a later edit set the same field.
  public let skipped: [Change]

  /// The next undo; nil when nothing in the log can be taken back. `origin` restricts it to one program's
  /// edits.
  public static func undo(
    in art: some ArtReading, by origin: Origin? = nil
  ) throws(ArtError) -> UndoPlan? {
    var takenBack: Set<EditID> = []
    var redone: Set<EditID> = []
    var laterFields: Set<Field> = []
    var plan: UndoPlan?
    try art.newestEdits { (entry) throws(ArtError) in
      switch entry.kind {
      case .redo(let undo): redone.insert(undo)
      case .undo(let edit): if !redone.contains(entry.id) { takenBack.insert(edit) }
      case .edit:
        if takenBack.contains(entry.id) || entry.inverse.isEmpty { return true }
        guard origin == nil || entry.id.origin == origin else {
          laterFields.formUnion(entry.edit.changes.lazy.map(\.field))
          return true
        }
        let later = laterFields
        plan = UndoPlan(
          name: entry.edit.name, kind: .undo(entry.id),
          changes: entry.inverse.filter { !later.contains($0.field) },
          skipped: entry.inverse.filter { later.contains($0.field) })
        return false
      }
      return true
    }
    return plan
  }

  /// The next redo; nil when nothing was undone, or an edit came since.
  public static func redo(
    in art: some ArtReading, by origin: Origin? = nil
  ) throws(ArtError) -> UndoPlan? {
    var redone: Set<EditID> = []
    var laterFields: Set<Field> = []
    var plan: UndoPlan?
    try art.newestEdits { (entry) throws(ArtError) in
      guard origin == nil || entry.id.origin == origin else {
        laterFields.formUnion(entry.edit.changes.lazy.map(\.field))
        return true
      }
      switch entry.kind {
      case .edit: return false
      case .redo(let undo):
        redone.insert(undo)
        return true
      case .undo:
        if redone.contains(entry.id) { return true }
        let later = laterFields
        plan = UndoPlan(
          name: entry.edit.name, kind: .redo(entry.id),
          changes: entry.inverse.filter { !later.contains($0.field) },
          skipped: entry.inverse.filter { later.contains($0.field) })
        return false
      }
    }
    return plan
  }
}
