// SPDX-License-Identifier: Apache-2.0

/// What the next undo or redo does, read off the log.
///
/// The log is a list of edits, undos and redos; nothing in it is ever changed. An entry *stands* unless a standing
/// undo or redo names it.
///
///     edit E ──undo──▶ U(E): E is taken back ──redo──▶ R(U): E stands again ──undo──▶ U'(E) …
///
/// - Undo takes the newest edit that stands. When none is left in the log, it takes the newest redo that stands and
///   whose edit has left the log.
/// - Redo takes the newest undo that stands, and ends with the next edit: walking back it stops at an edit.
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

  /// The next undo; nil when nothing in the log can be taken back. `owner` restricts it to the edits of one
  /// program or one session.
  public static func undo(
    in art: some ArtReading, by owner: EditOwner? = nil
  ) throws(ArtError) -> UndoPlan? {
    var walk = UndoWalk(.undo, by: owner)
    if let plan = try walk.next(in: art) { return plan }
    guard let target = walk.orphanedRedo else { return nil }
    var again = UndoWalk(.back(target, as: .undo(target)), by: owner)
    return try again.next(in: art)
  }

  /// The next redo; nil when nothing was undone, or an edit came since. `owner` restricts it to the undos of one
  /// program or one session, and then only its edits end it.
  public static func redo(
    in art: some ArtReading, by owner: EditOwner? = nil
  ) throws(ArtError) -> UndoPlan? {
    var walk = UndoWalk(.redo, by: owner)
    return try walk.next(in: art)
  }

  /// The same undo or redo on a document to which somebody else's edits have come; nil when what it takes back has
  /// left the log.
  static func again(_ kind: LoggedEdit.Kind, in art: some ArtReading) throws(ArtError) -> UndoPlan? {
    switch kind {
    case .edit: return nil
    case .undo(let target), .redo(let target):
      var walk = UndoWalk(.back(target, as: kind), by: nil)
      return try walk.next(in: art)
    }
  }

  fileprivate init(_ kind: LoggedEdit.Kind, taking entry: LoggedEdit, after later: LaterWrites) {
    name = entry.edit.name
    self.kind = kind
    changes = entry.inverse.filter { !later.stand(on: $0.field) }
    skipped = entry.inverse.filter { later.stand(on: $0.field) }
  }
}

/// Several undos or redos in a row, each of which goes on where the one before it ended: the log is walked once.
public struct UndoSteps: Sendable {
  private let direction: UndoDirection
  private var walk: UndoWalk
  /// The log as it was, newest first.
  private var entries: [LoggedEdit] = []
  private var taken: LoggedEdit?

  /// The steps that undo, or redo, begin with.
  public init(_ direction: UndoDirection, in art: some ArtReading) throws(ArtError) {
    self.direction = direction
    walk = UndoWalk(direction == .undo ? .undo : .redo, by: nil)
    var entries: [LoggedEdit] = []
    try art.newestEdits { (entry) throws(ArtError) in
      entries.append(entry)
      return true
    }
    self.entries = entries.reversed()
  }

  /// The next step; nil when nothing is left. The step is to be performed on the document and told by `performed`
  /// before the one after it is asked for.
  public mutating func next(in art: some ArtReading) throws(ArtError) -> UndoPlan? {
    if let plan = step() { return plan }
    switch direction {
    case .undo: return try UndoPlan.undo(in: art)
    case .redo: return try UndoPlan.redo(in: art)
    }
  }

  private mutating func step() -> UndoPlan? {
    while let entry = entries.popLast() {
      switch walk.visit(entry) {
      case .on: break
      case .end: entries = []
      case .take(let plan):
        taken = entry
        return plan
      }
    }
    return nil
  }

  /// The step was performed as that entry of the log.
  public mutating func performed(_ entry: LoggedEdit) {
    guard let taken else { return }
    walk.leave(taken, takenBackBy: entry)
    self.taken = nil
  }
}

/// A direction along the log.
public enum UndoDirection: String, Sendable {
  case undo
  case redo
}

/// A walk from the newest entry of the log towards the oldest, to the one that is to be taken back.
private struct UndoWalk: Sendable {
  enum Goal {
    case undo
    /// The entry of that id, by an undo or redo that names it.
    case back(EditID, as: LoggedEdit.Kind)
    case redo
  }

  enum Step {
    case on
    case take(UndoPlan)
    case end
  }

  private let goal: Goal
  private let owner: EditOwner?
  private var later = LaterWrites()
  /// Entries that a standing one names.
  private var takenBack: Set<EditID> = []
  /// What each undo and redo names, and which redos stand, newest first.
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
      case .on: return true
      case .end: return false
      case .take(let found):
        plan = found
        return false
      }
    }
    return plan
  }

  mutating func visit(_ entry: LoggedEdit) -> Step {
    let isOwn = owner?.owns(entry) ?? true
    let stands = !takenBack.contains(entry.id)
    switch (goal, entry.kind) {
    case (.undo, .edit) where isOwn && stands && !entry.inverse.isEmpty:
      return .take(UndoPlan(.undo(entry.id), taking: entry, after: later))
    case (.back(let target, let kind), _) where entry.id == target:
      return .take(UndoPlan(kind, taking: entry, after: later))
    case (.redo, .edit) where isOwn:
      return .end
    case (.redo, .undo) where isOwn && stands:
      return .take(UndoPlan(.redo(entry.id), taking: entry, after: later))
    default: break
    }
    note(entry, isOwn: isOwn, stands: stands)
    later.pass(entry)
    return .on
  }

  private mutating func note(_ entry: LoggedEdit, isOwn: Bool, stands: Bool) {
    switch entry.kind {
    case .edit: edits.insert(entry.id)
    case .undo(let named), .redo(let named):
      names[entry.id] = named
      if stands { takenBack.insert(named) }
      if case .redo = entry.kind, stands, isOwn, !entry.inverse.isEmpty { standingRedos.append(entry.id) }
    }
  }

  /// After a walk to the end: the newest redo that stands and whose edit has left the log.
  var orphanedRedo: EditID? {
    standingRedos.first { redo in
      var id = redo
      while let named = names[id] { id = named }
      return !edits.contains(id)
    }
  }

  /// Goes on behind an entry that was taken back just now: the fields that this could not set are still as the
  /// entry left them.
  mutating func leave(_ entry: LoggedEdit, takenBackBy done: LoggedEdit) {
    later.pass(entry, without: Set(done.edit.changes.lazy.map(\.field)))
  }
}

/// What has become of each field since some entry of the log, gathered while walking back to it.
///
/// Writes cancel in pairs: an undo and the write before it that it took back, a redo and the undo that it took
/// back. A field whose writes have all cancelled is as the entry left it. An undo may have made a URL pending for a background
/// whose bytes were not kept: where its edit was not about that, it cancels alone.
private struct LaterWrites: Sendable {
  /// For each field the writes that have not cancelled yet, newest first.
  private var open: [Field: [Write]] = [:]

  private struct Write: Sendable {
    var id: EditID
    var kind: LoggedEdit.Kind
    /// Whether it is about a URL that stands for a background, which its entry did not write.
    var isStandIn: Bool
  }

  /// Goes back over an entry. Only what it really changed counts.
  mutating func pass(_ entry: LoggedEdit, without cancelled: Set<Field> = []) {
    for field in Set(entry.edit.changes.lazy.map(\.field)) where !cancelled.contains(field) {
      if let last = open[field]?.last, Self.cancels(last, entry) {
        open[field]?.removeLast()
      } else {
        open[field, default: []].append(
          Write(id: entry.id, kind: entry.kind, isStandIn: field == .pending && entry.setsStandIn))
      }
    }
    if !entry.edit.changes.contains(where: { $0.field == .pending }) {
      open[.pending]?.removeAll { $0.isStandIn && $0.kind.names == entry.id }
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

/// Several undos or redos in one go, on a document's rows or in memory: each step is an edit of its own.
public struct UndoRun: Sendable {
  /// What a step came to on the document.
  public struct Step: Sendable {
    /// The step's own entry in the log.
    public let entry: LoggedEdit
    /// How many changes stay as they are, because later edits were about the same.
    public let left: Int
    /// Backgrounds that would be back if their bytes were still kept.
    public let lost: [Background]

    /// A step.
    public init(entry: LoggedEdit, left: Int, lost: [Background]) {
      (self.entry, self.left, self.lost) = (entry, left, lost)
    }
  }

  /// A background that would be back if its bytes were still kept.
  public struct LostBackground: Sendable, Hashable {
    /// The background.
    public let background: Background
    /// Whether its URL is pending again.
    public let isPending: Bool

    /// One that was lost in a document where that is pending now.
    public init(_ background: Background, pending: PendingBackground?) {
      self.background = background
      isPending = background.url != nil && pending?.url == background.url
    }
  }

  /// The entries of the steps, oldest first; never empty.
  public private(set) var entries: [LoggedEdit] = []
  /// How many changes stay as they are, because later edits were about the same.
  public private(set) var left = 0
  /// Backgrounds that would be back if their bytes were still kept, oldest step first.
  public private(set) var lost: [LostBackground] = []

  /// Goes up to `count` steps, at least one: `next` plans a step, nil where nothing is left, and `perform` does it on the document, nil
  /// where that is not possible; `pending` is what is pending in the document after it. Returns nil when nothing was done. Throws
  /// what these throw.
  public init?(
    _ count: Int, next: () throws(ArtError) -> UndoPlan?, perform: (UndoPlan) throws(ArtError) -> Step?,
    pending: () -> PendingBackground?
  ) throws(ArtError) {
    while entries.count < max(1, count), let plan = try next(), let step = try perform(plan) {
      entries.append(step.entry)
      left += step.left
      lost += step.lost.map { LostBackground($0, pending: pending()) }
    }
    if entries.isEmpty { return nil }
  }
}
