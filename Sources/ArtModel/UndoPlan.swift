// SPDX-License-Identifier: Apache-2.0

/// What the next undo or redo does, read off the log.
///
/// The log is a list of edits, undos and redos; nothing in it is ever changed. An edit is *taken back* when an
/// undo of it stands that is not itself taken back by a redo.
///
///     edit E ──undo──▶ U(E): E is taken back ──redo──▶ R(U): E stands again ──undo──▶ U'(E) …
///
/// - Undo takes the newest edit that is not taken back.
/// - Redo takes the newest undo that is not taken back, and ends with the next edit: walking back it stops at
///   an edit that is no undo and no redo.
/// - Both touch only fields that nobody has set since (`LaterWrites`): others belong to somebody else by now.
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
    var later = LaterWrites()
    var plan: UndoPlan?
    try art.newestEdits { (entry) throws(ArtError) in
      switch entry.kind {
      case .redo(let undo): redone.insert(undo)
      case .undo(let edit): if !redone.contains(entry.id) { takenBack.insert(edit) }
      case .edit:
        let isOwn = origin == nil || entry.id.origin == origin
        if isOwn, !takenBack.contains(entry.id), !entry.inverse.isEmpty {
          plan = UndoPlan(.undo(entry.id), taking: entry, after: later)
          return false
        }
      }
      later.pass(entry)
      return true
    }
    return plan
  }

  /// The next redo; nil when nothing was undone, or an edit came since. `origin` restricts it to one program's
  /// undos, and then only that program's edits end it.
  public static func redo(
    in art: some ArtReading, by origin: Origin? = nil
  ) throws(ArtError) -> UndoPlan? {
    var redone: Set<EditID> = []
    var later = LaterWrites()
    var plan: UndoPlan?
    try art.newestEdits { (entry) throws(ArtError) in
      if origin == nil || entry.id.origin == origin {
        switch entry.kind {
        case .edit: return false
        case .redo(let undo): redone.insert(undo)
        case .undo:
          if !redone.contains(entry.id) {
            plan = UndoPlan(.redo(entry.id), taking: entry, after: later)
            return false
          }
        }
      } else if case .redo(let undo) = entry.kind {
        redone.insert(undo)
      }
      later.pass(entry)
      return true
    }
    return plan
  }

  private init(_ kind: LoggedEdit.Kind, taking entry: LoggedEdit, after later: LaterWrites) {
    name = entry.edit.name
    self.kind = kind
    changes = entry.inverse.filter { !later.stand(on: $0.field) }
    skipped = entry.inverse.filter { later.stand(on: $0.field) }
  }
}

/// What has become of each field since some entry of the log, gathered while walking back to it.
///
/// Writes cancel in pairs: an undo and the write before it that it took back, a redo and the undo that it took
/// back. A field whose writes have all cancelled is as the entry left it.
private struct LaterWrites {
  /// For each field the writes that have not cancelled yet, newest first.
  private var open: [Field: [Write]] = [:]

  private struct Write {
    var id: EditID
    var kind: LoggedEdit.Kind
  }

  /// Goes back over an entry. Only what it really changed counts.
  mutating func pass(_ entry: LoggedEdit) {
    for field in Set(entry.edit.changes.lazy.map(\.field)) {
      if let last = open[field]?.last, Self.cancels(last, entry) {
        open[field]?.removeLast()
      } else {
        open[field, default: []].append(Write(id: entry.id, kind: entry.kind))
      }
    }
  }

  /// Whether the field is not as the entry left it that the walk has come to.
  func stand(on field: Field) -> Bool { open[field]?.isEmpty == false }

  /// Whether a write and the one before it, with nothing between them, leave the field as it was.
  private static func cancels(_ write: Write, _ earlier: LoggedEdit) -> Bool {
    switch (write.kind, earlier.kind) {
    case (.undo(let edit), .edit): edit == earlier.id
    // The write that an undo finds on a field is that of its edit, or of a redo of it.
    case (.undo, .redo): true
    case (.redo(let undo), .undo): undo == earlier.id
    default: false
    }
  }
}
