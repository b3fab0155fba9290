// SPDX-License-Identifier: Apache-2.0

/// The next undo or redo, determined from the log.
///
/// The log is an append-only list of edits, undos and redos. An entry *stands* unless a standing undo or redo reverts
/// it.
///
///     edit E ──undo──▶ U(E): E is reverted ──redo──▶ R(U): E stands again ──undo──▶ U'(E) …
///
/// - Undo reverts the newest standing edit. When the log has none left, it reverts the newest standing redo whose
/// edit has left the log.
/// - Redo reverts the newest standing undo. The next edit ends redo: the search stops at the first edit.
/// - Both set only the fields that have not been set since (`LaterWrites`); the other values belong to later edits.
public struct UndoPlan: Sendable, Equatable {
  /// The name of the original action, as in `Undo move 🐝`.
  public let name: String
  /// Undo or redo, and the entry that it reverts.
  public let kind: LoggedEdit.Kind
  /// The user's name of the entry that is reverted, if given.
  public let author: String?
  /// The changes to apply.
  public let changes: [Change]
  /// The changes that are skipped because a later edit set the same field.
  public let skipped: [Change]

  /// The next undo; nil when the log has nothing to undo. `owner` restricts it to the edits of one program or
  /// session.
  public static func undo(
    in art: some ArtReading, by owner: EditOwner? = nil
  ) throws(ArtError) -> UndoPlan? {
    var walk = UndoWalk(.undo, by: owner)
    if let plan = try walk.next(in: art) { return plan }
    guard let target = walk.orphanedRedo else { return nil }
    var again = UndoWalk(.back(target, as: .undo(target)), by: owner)
    return try again.next(in: art)
  }

  /// The next redo; nil when nothing was undone, or an edit was made since. `owner` restricts it to the undos of one
  /// program or session, and then only that owner's edits end it.
  public static func redo(
    in art: some ArtReading, by owner: EditOwner? = nil
  ) throws(ArtError) -> UndoPlan? {
    var walk = UndoWalk(.redo, by: owner)
    return try walk.next(in: art)
  }

  /// Takes back a certain edit, whoever made it, or the undo with that id, which is a redo; nil when the log does not have it, or when
  /// it is taken back already.
  public static func undo(of edit: EditID, in art: some ArtReading) throws(ArtError) -> UndoPlan? {
    var walk = UndoWalk(.standing(edit), by: nil)
    return try walk.next(in: art)
  }

  /// The newest undo that stands and has changed something, with whatever came after it; nil without one.
  package static func standingUndo(in art: some ArtReading) throws(ArtError) -> LoggedEdit? {
    var reverted: Set<EditID> = []
    var found: LoggedEdit?
    try art.newestEdits { (entry) throws(ArtError) in
      guard !reverted.contains(entry.id) else { return true }
      if case .undo = entry.kind, !entry.inverse.isEmpty { found = entry }
      if let named = entry.kind.revertedID { reverted.insert(named) }
      return found == nil
    }
    return found
  }

  /// Plans an undo or redo again, on a document with other programs' new edits; nil when the entry that it reverts
  /// has left the log.
  static func again(_ kind: LoggedEdit.Kind, in art: some ArtReading) throws(ArtError) -> UndoPlan? {
    guard let target = kind.revertedID else { return nil }
    var walk = UndoWalk(.back(target, as: kind), by: nil)
    return try walk.next(in: art)
  }

  fileprivate init(_ kind: LoggedEdit.Kind, reverting entry: LoggedEdit, after later: LaterWrites) {
    name = entry.edit.name
    self.kind = kind
    author = entry.author
    changes = entry.inverse.filter { !later.stand(on: $0.field) }
    skipped = entry.inverse.filter { later.stand(on: $0.field) }
  }
}

// MARK: - Several steps

/// Several undos or redos in a row that read the log once: each step continues where the previous one ended.
package struct UndoSteps: Sendable {
  private let direction: UndoDirection
  private var walk: UndoWalk
  /// The entries not visited yet, oldest first.
  private var entries: [LoggedEdit] = []
  private var pending: LoggedEdit?

  /// Prepares undos or redos on a document.
  package init(_ direction: UndoDirection, in art: some ArtReading) throws(ArtError) {
    self.direction = direction
    walk = UndoWalk(direction == .undo ? .undo : .redo, by: nil)
    var entries: [LoggedEdit] = []
    try art.newestEdits { (entry) throws(ArtError) in
      entries.append(entry)
      return true
    }
    self.entries = entries.reversed()
  }

  /// The next step; nil when nothing is left. The caller applies the step and calls `performed` before it asks for
  /// the next one.
  package mutating func next(in art: some ArtReading) throws(ArtError) -> UndoPlan? {
    if let plan = step() { return plan }
    switch direction {
    case .undo: return try UndoPlan.undo(in: art)
    case .redo: return try UndoPlan.redo(in: art)
    }
  }

  private mutating func step() -> UndoPlan? {
    while let entry = entries.popLast() {
      switch walk.visit(entry) {
      case .advance: break
      case .end: entries = []
      case .found(let plan):
        pending = entry
        return plan
      }
    }
    return nil
  }

  /// Records the log entry of the step that was applied.
  package mutating func performed(_ entry: LoggedEdit) {
    guard let pending else { return }
    walk.resume(after: pending, revertedBy: entry)
    self.pending = nil
  }
}

/// Undo or redo.
public enum UndoDirection: String, Sendable {
  case undo
  case redo
}

// MARK: - Reading the log

/// A walk through the log from the newest entry to the one to revert.
private struct UndoWalk: Sendable {
  enum Goal {
    case undo
    /// The edit with that id, if it stands.
    case standing(EditID)
    /// The entry with that id, for an undo or redo that names it.
    case back(EditID, as: LoggedEdit.Kind)
    case redo
  }

  enum Step {
    case advance
    case found(UndoPlan)
    case end
  }

  private let goal: Goal
  private let owner: EditOwner?
  private var later = LaterWrites()
  /// Entries that a standing entry reverts.
  private var reverted: Set<EditID> = []
  /// The entry that each undo and redo reverts, the edits of the log, and the standing redos, newest first.
  private var names: [EditID: EditID] = [:]
  private var edits: Set<EditID> = []
  private var standingRedos: [EditID] = []

  init(_ goal: Goal, by owner: EditOwner?) {
    self.goal = goal
    self.owner = owner
  }

  mutating func next(in art: some ArtReading) throws(ArtError) -> UndoPlan? {
    var plan: UndoPlan?
    try art.newestEdits { (entry) throws(ArtError) in
      switch visit(entry) {
      case .advance: return true
      case .end: return false
      case .found(let result):
        plan = result
        return false
      }
    }
    return plan
  }

  mutating func visit(_ entry: LoggedEdit) -> Step {
    let isOwn = owner?.owns(entry) ?? true
    let stands = !reverted.contains(entry.id)
    switch (goal, entry.kind) {
    case (.undo, let kind) where !kind.isStep && isOwn && stands && !entry.inverse.isEmpty:
      return .found(UndoPlan(.undo(entry.id), reverting: entry, after: later))
    case (.standing(let target), _) where entry.id == target:
      guard stands, !entry.inverse.isEmpty else { return .end }
      switch entry.kind {
      case .edit, .merge, .repair, .refuse:
        return .found(UndoPlan(.undo(entry.id), reverting: entry, after: later))
      case .undo: return .found(UndoPlan(.redo(entry.id), reverting: entry, after: later))
      case .redo: return .end
      }
    case (.back(let target, let kind), _) where entry.id == target:
      return .found(UndoPlan(kind, reverting: entry, after: later))
    case (.redo, let kind) where !kind.isStep && isOwn:
      return .end
    case (.redo, .undo) where isOwn && stands:
      return .found(UndoPlan(.redo(entry.id), reverting: entry, after: later))
    default: break
    }
    note(entry, isOwn: isOwn, stands: stands)
    later.add(entry)
    return .advance
  }

  private mutating func note(_ entry: LoggedEdit, isOwn: Bool, stands: Bool) {
    switch entry.kind {
    case .edit, .merge, .repair, .refuse: edits.insert(entry.id)
    case .undo(let named), .redo(let named):
      names[entry.id] = named
      if stands { reverted.insert(named) }
      if case .redo = entry.kind, stands, isOwn, !entry.inverse.isEmpty { standingRedos.append(entry.id) }
    }
  }

  /// After a complete walk: the newest standing redo whose edit has left the log. The names in a log from elsewhere may form a
  /// circle, which leads to no edit.
  var orphanedRedo: EditID? {
    standingRedos.first { redo in
      var id = redo
      for _ in 0..<names.count {
        guard let named = names[id] else { break }
        id = named
      }
      return !edits.contains(id)
    }
  }

  /// Continues after an entry that was just reverted. The fields that the step could not set still count as written.
  mutating func resume(after entry: LoggedEdit, revertedBy done: LoggedEdit) {
    later.add(entry, without: Set(done.edit.changes.lazy.map(\.field)))
  }
}

/// The writes of each field after some entry, collected while walking back to it.
///
/// Writes cancel in pairs: an undo cancels the earlier write that it reverted, and a redo cancels the undo that it
/// reverted. If all writes of a field cancel, the field has the value that the entry set. An undo may also have made
/// a URL pending in place of a background without stored bytes; if its edit did not set the pending background, that
/// write cancels by itself.
private struct LaterWrites: Sendable {
  /// For each field, the writes that are not cancelled yet, newest first.
  private var open: [Field: [Write]] = [:]

  private struct Write: Sendable {
    var id: EditID
    var kind: LoggedEdit.Kind
    /// Whether it is a pending URL that stands for a background, which the reverted entry did not write.
    var isSubstitute: Bool
  }

  /// Adds the writes of an entry. Only its effective changes count.
  mutating func add(_ entry: LoggedEdit, without cancelled: Set<Field> = []) {
    add(entry, to: Set(entry.edit.changes.lazy.map(\.field)).subtracting(cancelled))
  }

  /// The same for some of the fields that the entry writes.
  mutating func add(_ entry: LoggedEdit, to fields: Set<Field>) {
    for field in fields {
      if let last = open[field]?.last, Self.cancels(last, entry) {
        open[field]?.removeLast()
      } else {
        open[field, default: []].append(
          Write(id: entry.id, kind: entry.kind, isSubstitute: field == .pending && entry.setsSubstitute))
      }
    }
    if !entry.edit.changes.contains(where: { $0.field == .pending }) {
      open[.pending]?.removeAll { $0.isSubstitute && $0.kind.revertedID == entry.id }
    }
  }

  /// Whether the field's value was set after the entry at which the walk is.
  func stand(on field: Field) -> Bool { open[field]?.isEmpty == false }

  /// Whether two adjacent writes of a field restore its value.
  private static func cancels(_ write: Write, _ earlier: LoggedEdit) -> Bool {
    switch (write.kind, earlier.kind) {
    case (.undo(let edit), let kind) where !kind.isStep: edit == earlier.id
    // An undo reverts the preceding write of a field, which is its edit or a redo of that edit.
    case (.undo, .redo): true
    case (.redo(let undo), .undo): undo == earlier.id
    default: false
    }
  }
}

// MARK: - Planning many again

/// Where the log of a document has each entry, and where each field is written: many undos and redos can be planned again without a walk
/// through the log for each. `UndoPlan.again` plans the same.
struct WriteIndex {
  private var places: [EditID: Int] = [:]
  private var writes: [Field: [Int]] = [:]
  /// The number of entries that are known.
  private var count = 0

  /// Plans an undo or redo again, on a log that has only grown since the last time; nil when the entry that it reverts is not there.
  mutating func again(_ kind: LoggedEdit.Kind, in log: [LoggedEdit]) -> UndoPlan? {
    readNew(log)
    guard let target = kind.revertedID, let place = places[target] else { return nil }
    let fields = Set(log[place].inverse.lazy.map(\.field))
    var later = LaterWrites()
    if fields.contains(.pending) {
      // A write of the pending background may cancel by an entry that does not write it.
      for index in ((place + 1)..<log.count).reversed() { later.add(log[index]) }
    } else {
      var found: [Int: Set<Field>] = [:]
      for field in fields {
        for index in (writes[field] ?? []).reversed().prefix(while: { $0 > place }) {
          found[index, default: []].insert(field)
        }
      }
      for index in found.keys.sorted(by: >) { later.add(log[index], to: found[index] ?? []) }
    }
    return UndoPlan(kind, reverting: log[place], after: later)
  }

  private mutating func readNew(_ log: [LoggedEdit]) {
    for index in count..<log.count {
      places[log[index].id] = index
      for field in Set(log[index].edit.changes.lazy.map(\.field)) { writes[field, default: []].append(index) }
    }
    count = log.count
  }
}

// MARK: - Performing several steps

/// Several undos or redos at once, on a file's rows or in memory. Each step is an entry of its own.
public struct UndoRun: Sendable {
  /// The result of one step.
  public struct Step: Sendable {
    /// The log entry of the step.
    public let entry: LoggedEdit
    /// The number of changes that were skipped because later edits set the same fields.
    public let left: Int
    /// Backgrounds that could not be restored because their bytes are not stored any more.
    public let lost: [Background]
    /// The user's name of the entry that was reverted, if given.
    public let author: String?

    /// A step with these values.
    public init(entry: LoggedEdit, left: Int, lost: [Background], author: String? = nil) {
      (self.entry, self.left, self.lost, self.author) = (entry, left, lost, author)
    }
  }

  /// A background that could not be restored because its bytes are not stored any more.
  public struct LostBackground: Sendable, Hashable {
    /// The background.
    public let background: Background
    /// Whether its URL is pending again.
    public let isPending: Bool

    /// `pending` is the document's pending background after the step.
    public init(_ background: Background, pending: PendingBackground?) {
      self.background = background
      isPending = background.url != nil && pending?.url == background.url
    }
  }

  /// The entries of the steps, oldest first; never empty.
  public private(set) var entries: [LoggedEdit] = []
  /// The number of changes that were skipped because later edits set the same fields.
  public private(set) var left = 0
  /// Backgrounds that could not be restored, oldest step first.
  public private(set) var lost: [LostBackground] = []
  /// For each entry, the user's name of the entry that it reverts, if given.
  public private(set) var authors: [String?] = []

  /// Performs up to `count` steps, at least one. `next` plans a step, or returns nil when nothing is left; `perform`
  /// applies it, or returns nil when that is not possible; `pending` gives the pending background afterwards. Returns
  /// nil when nothing was done. Throws what the closures throw.
  public init?(
    _ count: Int, next: () throws(ArtError) -> UndoPlan?, perform: (UndoPlan) throws(ArtError) -> Step?,
    pending: () -> PendingBackground?
  ) throws(ArtError) {
    while entries.count < max(1, count), let plan = try next(), let step = try perform(plan) {
      entries.append(step.entry)
      authors.append(step.author)
      left += step.left
      lost += step.lost.map { LostBackground($0, pending: pending()) }
    }
    if entries.isEmpty { return nil }
  }
}
