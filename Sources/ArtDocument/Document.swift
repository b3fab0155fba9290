// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// A document that a program keeps open: it takes edits in memory, saves itself, says in which state it is, and
/// undoes and redoes.
///
/// The way of an edit: `perform` plans it on the content, applies it, numbers it, appends it to the log, counts the
/// change and tells the listeners; a save later writes the net rows and the new entries of the log in one
/// transaction. Between calls the file is not open.
///
/// A document that is let go without `close` loses what it has not saved.
public actor Document {
  /// The file.
  public nonisolated let file: DocumentFile
  /// Where the document is in its life.
  public var state: DocumentState { life.state }
  /// Whether there are changes that no save holds yet.
  public var hasUnsavedChanges: Bool { changeCount.unsaved > 0 }
  /// How many.
  public var unsavedChanges: Int { changeCount.unsaved }
  /// Stands for the changes made until now; `isSaved` tells of it later.
  public var changeToken: SaveToken { changeCount.token }
  /// The document as it is now.
  public internal(set) var content: DocumentContent

  var life = DocumentLife()
  var changeCount = ChangeCount()
  var autosave: Autosave
  /// What the file holds, as far as this program knows.
  var base: DocumentBase
  /// Entries of the log that no save holds yet.
  var unsaved: [LoggedEdit] = []
  var runningSave: RunningSave?
  /// How many are waiting for the document to be closed.
  var closing = 0
  var timer: (due: Duration, task: Task<Void, Never>)?
  let thread = FileThread()
  let timeline: Timeline
  nonisolated let broadcast = Broadcast()
  private let time: @Sendable () -> Int
  private var author: Author
  private var generator: any RandomNumberGenerator & Sendable

  /// Opens a document for an author with that name, if any; each opening is an origin of its own. Throws what reading
  /// a file throws, and `badValue` for a name that is none. A file that cannot be written is opened to be looked at.
  ///
  /// `clock` decides when to save, `time` tells in milliseconds since 1970 when an edit was made, and ids are drawn
  /// from `generator`.
  public static func open(
    _ file: DocumentFile, author name: String? = nil, autosave policy: AutosavePolicy = AutosavePolicy(),
    clock: some Clock<Duration> = ContinuousClock(),
    time: @escaping @Sendable () -> Int = millisecondsSince1970,
    using generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) async throws(ArtError) -> Document {
    let thread = FileThread()
    let reason = try await thread.run { () throws(ArtError) in try file.readOnlyReason() }
    return try await open(
      file, readOnlyBecause: reason, author: name, autosave: policy, clock: clock, time: time,
      using: generator)
  }

  static func open(
    _ file: DocumentFile, readOnlyBecause reason: String?, author name: String?,
    autosave policy: AutosavePolicy,
    clock: some Clock<Duration>, time: @escaping @Sendable () -> Int,
    using generator: any RandomNumberGenerator & Sendable
  ) async throws(ArtError) -> Document {
    var generator = generator
    let author = try Author(origin: Origin(using: &generator), name: name)
    let content = try await FileThread().run { () throws(ArtError) in try file.read() }
    let document = Document(file, content, author, policy, Timeline(clock), time, generator)
    await document.opened(readOnlyBecause: reason)
    return document
  }

  private init(
    _ file: DocumentFile, _ content: DocumentContent, _ author: Author, _ policy: AutosavePolicy,
    _ timeline: Timeline, _ time: @escaping @Sendable () -> Int,
    _ generator: any RandomNumberGenerator & Sendable
  ) {
    self.file = file
    self.content = content
    self.author = author
    self.timeline = timeline
    self.time = time
    self.generator = generator
    autosave = Autosave(policy)
    base = DocumentBase(content)
  }

  /// What happens from now on, for one listener of any number. It is told to resync when more than `capacity`
  /// events wait for it.
  public nonisolated func events(capacity: Int = 256) -> DocumentEvents {
    broadcast.subscribe(capacity: capacity)
  }

  private func opened(readOnlyBecause reason: String?) {
    tell(life.opened(readOnlyBecause: reason))
  }

  /// Whether a save holds the changes that the token stands for.
  public func isSaved(_ token: SaveToken) -> Bool { changeCount.isSaved(token) }

  func tell(_ state: DocumentState?) {
    if let state { broadcast.send(.state(state)) }
  }
}

extension Document {
  /// Does an action. Returns nil when it has no effect. Throws `closed`, and what planning the action throws;
  /// then nothing is changed.
  @discardableResult
  public func perform(_ action: Action) throws(ArtError) -> LoggedEdit? {
    try checkEditable()
    var chance = generator
    let plan = try action.plan(on: content, using: &chance)
    generator = chance
    return try perform(plan.edit)
  }

  /// Does an edit. Returns nil when it has no effect. Throws `closed` and `tooLarge`; then nothing is changed.
  @discardableResult
  public func perform(_ edit: Edit) throws(ArtError) -> LoggedEdit? {
    try checkEditable()
    return try take(edit.name, edit.changes, kind: .edit)
  }

  /// Takes back this program's newest edit that stands. Throws `nothingToUndo` and `closed`.
  @discardableResult
  public func undo() throws(ArtError) -> LoggedEdit {
    try checkEditable()
    return try take(try UndoPlan.undo(in: content, by: author.origin), "undo")
  }

  /// Does again what this program undid last. Throws `nothingToUndo` and `closed`.
  @discardableResult
  public func redo() throws(ArtError) -> LoggedEdit {
    try checkEditable()
    return try take(try UndoPlan.redo(in: content, by: author.origin), "redo")
  }

  private func take(_ plan: UndoPlan?, _ word: String) throws(ArtError) -> LoggedEdit {
    guard let plan, let entry = try take(plan.name, plan.changes, kind: plan.kind, skipped: plan.skipped)
    else { throw .nothingTo(word) }
    return entry
  }

  /// An edit without effect is not taken; an undo or redo is, so that the next one goes on behind it.
  private func take(
    _ name: String, _ changes: [Change], kind: LoggedEdit.Kind, skipped: [Change] = []
  ) throws(ArtError) -> LoggedEdit? {
    let applied = try content.apply(changes)
    guard !applied.changes.isEmpty || kind != .edit else { return nil }
    let stamp = author.stamp(at: time())
    let entry = LoggedEdit(
      id: stamp.id, revision: content.revision + 1, time: stamp.time, save: base.revision + 1, kind: kind,
      author: stamp.author, edit: Edit(name: name, changes: applied.changes), inverse: applied.inverse,
      dropped: skipped + applied.dropped)
    content.append(entry)
    unsaved.append(entry)
    countChange(kind)
    broadcast.send(.edited(entry))
    step()
    return entry
  }

  private func countChange(_ kind: LoggedEdit.Kind) {
    switch kind {
    case .edit: changeCount.update(.done)
    case .undo: changeCount.update(.undone)
    case .redo: changeCount.update(.redone)
    }
    autosave.changed(at: timeline.now())
  }

  private func checkEditable() throws(ArtError) {
    switch life.state {
    case _ where closing > 0: throw .closedDocument(file.path)
    case .closed: throw .closedDocument(file.path)
    case .editingDisabled(let reason): throw .readOnlyDocument(file.path, reason)
    case .open, .saving, .error: return
    }
  }
}
