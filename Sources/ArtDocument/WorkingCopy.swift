// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// A document in memory with its unsaved edits, as a pure state machine: no file, no thread, no clock.
///
///     perform ──▶ performed ──commit──▶ unsaved ──beginSave──▶ saving ──saved──▶ in the store (base)
///                     └─────rollBack──▶ nothing       ▲            └──saveFailed──▶ unsaved
///                                                     └── edits performed during a save stay here
///     adopt: another program saved, and nothing is unsaved
///
/// - `content` is `base`, the state of the store, with `saving`, `unsaved` and the performed edits on top.
/// - `version` increases by one with each committed change of the content, and with each save of other programs that
/// is adopted.
/// - Every method that changes the content returns the events to emit, in order. A snapshot of an earlier version
/// with the changes since then applied to it equals the content.
/// - Every `perform` is followed by `commit` or `rollBack` before anything else.
struct WorkingCopy: Sendable {
  /// The document as it is now.
  private(set) var content: DocumentContent
  /// The number of changes since the document was opened.
  private(set) var version = 0
  /// The known state of the store.
  private(set) var base: DocumentBase
  /// Edits that neither a finished nor a running save contains.
  private(set) var unsaved = UnsavedEdits()
  /// Edits that the running save contains.
  private(set) var saving = UnsavedEdits()
  /// The pictures that this program has put into the store, or found there, and that the store still had at the last check.
  private(set) var ownPictures: Set<String> = []
  /// The saved contents that other states have replaced since they were taken, oldest first; nil for one of which not each edit is known.
  private var replaced: [DocumentContent?] = []
  /// The last edit that this program has saved.
  private(set) var lastSaved: EditID?
  /// The saved edits that were reported as lost.
  private var lost: Set<EditID> = []
  private var performed: [Performed] = []
  /// The content's head and the author's numbering before the performed edits.
  private var before: (head: EditID?, author: Author)?
  private var author: Author
  private var generator: any RandomNumberGenerator & Sendable

  private struct Performed: Sendable {
    let entry: LoggedEdit
    let isBackground: Bool
  }

  init(
    _ content: DocumentContent, by author: Author, using generator: any RandomNumberGenerator & Sendable
  ) {
    self.content = content
    self.author = author
    self.generator = generator
    base = DocumentBase(content)
  }

  /// The origin of this program's edits.
  var origin: Origin { author.origin }
  /// The program's own client.
  var client: DocumentClient { author.client }

  // MARK: Editing

  /// Performs requests in memory, one after the other, and answers each. A failed request has no effect on the
  /// document and on the next requests. The caller must call `commit` or `rollBack` next. `unsaved` is the number of
  /// unsaved changes.
  mutating func perform(
    _ requests: [ClientRequest], unsaved: Int, time: () -> Int
  ) -> [Result<DocumentAnswer, ArtError>] {
    assert(performed.isEmpty, "what was performed before is committed or rolled back")
    before = (content.head, author)
    var answers: [Result<DocumentAnswer, ArtError>] = []
    answers.reserveCapacity(requests.count)
    for request in requests {
      let mark = mark
      do throws(ArtError) {
        answers.append(.success(try perform(request, unsaved: unsaved, time: time)))
      } catch {
        rollBack(to: mark)
        answers.append(.failure(error))
      }
    }
    return answers
  }

  /// The performed edits that are not committed yet.
  var uncommitted: [LoggedEdit] { performed.map(\.entry) }

  /// Commits the performed edits and returns their changes.
  mutating func commit() -> [ContentChange] {
    defer { performed.removeAll(keepingCapacity: true) }
    // Not after each edit: cutting an array has a cost.
    defer { if content.log.count > UnsavedEdits.logged + UnsavedEdits.slack { content.trimLog() } }
    return performed.map { done in
      unsaved.append(done.entry)
      version += 1
      return ContentChange(of: done.entry, isBackground: done.isBackground, before: version - 1)
    }
  }

  /// Reverts the performed edits.
  mutating func rollBack() {
    guard let before else { return }
    rollBack(to: Mark(count: 0, head: before.head, author: before.author))
  }

  private struct Mark {
    let count: Int
    let head: EditID?
    let author: Author
  }

  private var mark: Mark { Mark(count: performed.count, head: content.head, author: author) }

  private mutating func rollBack(to mark: Mark) {
    content.revert(performed[mark.count...].map(\.entry)[...], to: mark.head)
    performed.removeSubrange(mark.count...)
    author = mark.author
  }

  /// The answer to a request that was performed before, under the same tag; nil for a new one. Throws as `entries` does.
  func answer(
    repeating tag: RequestTag, by client: DocumentClient?, since: KnownHead?, unsaved: Int
  ) throws(ArtError) -> DocumentAnswer? {
    let repeated = try entries(tagged: tag, by: client, since: since)
    guard !repeated.isEmpty else { return nil }
    return DocumentAnswer(
      entries: repeated, emojis: subjects(of: repeated), unsaved: unsaved + performed.count, lost: [],
      isRepeated: true)
  }

  private mutating func perform(
    _ request: ClientRequest, unsaved: Int, time: () -> Int
  ) throws(ArtError) -> DocumentAnswer {
    if let tag = request.tag,
      let repeated = try answer(repeating: tag, by: request.client, since: request.since, unsaved: unsaved)
    {
      return repeated
    }
    let first = performed.count
    var (subjects, lost): ([Emoji], [Background]) = ([], [])
    switch request.request {
    case .undo(let count): lost = try step(.undo, count, request, time: time)
    case .redo(let count): lost = try step(.redo, count, request, time: time)
    case .takeBack(let edit):
      guard let plan = try UndoPlan.undo(of: edit, in: content) else { throw .notStanding(edit) }
      lost = try make(plan, request, time: time)
    case .revert(let revision, let head):
      let plan = try RevertPlan(to: revision, head: head, in: content)
      if let edit = plan.edit { lost = try make(edit, request, time: time) }
    case .revertToVersion(let version, let art, let picture):
      if let picture { pictureFound(picture) }
      let plan = try RevertPlan(to: version, art, in: content)
      if let edit = plan.edit { lost = try make(edit, request, time: time) }
    case .action, .edit, .background, .group:
      if let plan = try plan(request.request) {
        _ = try make(plan.edit, isBackground: request.request.isBackground, request, time: time)
        subjects = plan.subjects
      }
    }
    let emojis = subjects.map { content.emoji($0.id) ?? $0 }
    return DocumentAnswer(
      entries: performed[first...].map(\.entry), emojis: emojis,
      offCanvas: try offCanvas(among: emojis, after: request.request), unsaved: unsaved + performed.count,
      lost: lost)
  }

  private func offCanvas(among emojis: [Emoji], after request: DocumentRequest) throws(ArtError) -> OffCanvas
  {
    guard case .action(let action) = request else { return OffCanvas() }
    return try action.offCanvas(among: emojis, of: content)
  }

  /// The existing emoji that edits touched. Entries with several tags are left out: a restore merges the edits of
  /// many requests, so the emoji of a single request are not known.
  private func subjects(of entries: [LoggedEdit]) -> [Emoji] {
    var known: Set<EmojiID> = []
    return entries.filter { $0.stamp.tags.count == 1 }.flatMap(\.edit.changes).compactMap { change in
      guard let id = change.field.emoji, known.insert(id).inserted else { return nil }
      return content.emoji(id)
    }
  }

  /// The edit that a request leads to; nil if it has no effect.
  private mutating func plan(_ request: DocumentRequest) throws(ArtError) -> PlannedEdit? {
    switch request {
    case .action(let action):
      var random = generator
      defer { generator = random }
      return try action.plan(on: content, using: &random)
    case .edit(let edit): return PlannedEdit(edit: edit, subjects: [])
    case .background(let edit): return try edit.plan(on: content).map { PlannedEdit(edit: $0, subjects: []) }
    case .group(let name, let requests): return try plan(requests, as: name)
    case .undo, .redo, .takeBack, .revert, .revertToVersion: throw .groupedUndo()
    }
  }

  /// Several requests as one edit with their joint effect.
  private mutating func plan(_ requests: [DocumentRequest], as name: String) throws(ArtError) -> PlannedEdit {
    var (changes, inverse): ([Change], [Change]) = ([], [])
    // Applying an inverse cannot fail: it restores values that were valid.
    defer { do throws(ArtError) { _ = try content.apply(inverse) } catch { assertionFailure(error.cause) } }
    var subjects: [Emoji] = []
    for request in requests {
      guard let plan = try plan(request) else { continue }
      let applied = try content.apply(plan.edit.changes)
      changes += applied.changes
      inverse = applied.inverse + inverse
      subjects += plan.subjects
    }
    let effect = ContentEffect(of: changes, inverse: inverse)
    return PlannedEdit(edit: Edit(name: name, changes: effect.changes), subjects: subjects)
  }

  private mutating func step(
    _ direction: UndoDirection, _ count: Int, _ request: ClientRequest, time: () -> Int
  ) throws(ArtError) -> [Background] {
    let owner = (request.client ?? client).session.map(EditOwner.session) ?? .origin(origin)
    var lost: [Background] = []
    var didStep = false
    for _ in 0..<max(1, count) {
      let plan =
        switch direction {
        case .undo: try UndoPlan.undo(in: content, by: owner)
        case .redo: try UndoPlan.redo(in: content, by: owner)
        }
      guard let plan else { break }
      lost += try make(plan, request, time: time)
      didStep = true
    }
    guard didStep else { throw .nothingOwnTo(direction.rawValue) }
    return lost
  }

  private mutating func make(
    _ plan: UndoPlan, _ request: ClientRequest, time: () -> Int
  ) throws(ArtError) -> [Background] {
    try checkRevision()
    let time = time()
    let applied = try content.apply(plan, at: time)
    log(plan.name, applied, kind: plan.kind, request, at: time)
    return applied.lost
  }

  /// Applies an edit and appends its entry. An edit without effect gives no entry; an undo or redo always does, so
  /// that the next one continues behind it. Returns the backgrounds whose bytes are not stored any more.
  private mutating func make(
    _ edit: Edit, isBackground: Bool = false, _ request: ClientRequest, time: () -> Int
  ) throws(ArtError) -> [Background] {
    try checkRevision()
    let time = time()
    let applied = try content.apply(edit.changes, at: time)
    guard !applied.changes.isEmpty else { return [] }
    log(edit.name, applied, kind: edit.kind, isBackground: isBackground, request, at: time)
    return applied.lost
  }

  /// Throws for an edit that no save could write.
  private func checkRevision() throws(ArtError) {
    guard content.revision < Limits.revision else { throw .tooManyRevisions() }
  }

  private mutating func log(
    _ name: String, _ applied: AppliedEdit, kind: LoggedEdit.Kind, isBackground: Bool = false,
    _ request: ClientRequest, at time: Int
  ) {
    let entry = LoggedEdit(
      author.stamp(at: time, by: request.client, tag: request.tag), revision: content.revision + 1,
      save: base.revision + 1, kind: kind, edit: Edit(name: name, changes: applied.changes),
      inverse: applied.inverse, dropped: applied.dropped)
    content.append(entry)
    performed.append(Performed(entry: entry, isBackground: isBackground))
  }

  /// The edits of an earlier request of a client with the same tag; empty if there was none. Throws `requestTooOld` if the log is too
  /// short to decide that.
  private func entries(
    tagged tag: RequestTag, by client: DocumentClient?, since: KnownHead?
  ) throws(ArtError) -> [LoggedEdit] {
    let session = (client ?? self.client).session
    var found: [LoggedEdit] = []
    var isKnown = since == .beginning && content.log.first?.revision ?? 1 == 1
    for entry in content.log.reversed() {
      // Edits before the request's base cannot be its own.
      if since == .edit(entry.id) {
        isKnown = true
        break
      }
      guard entry.session == session else { continue }
      if entry.stamp.tags.contains(tag) { found.append(entry) }
      // An entry with the maximum of tags may lack older ones.
      if entry.stamp.tags.count >= Limits.editTags { isKnown = false }
    }
    guard found.isEmpty, since != nil else { return found.reversed() }
    guard isKnown else { throw .requestTooOld(tag) }
    return []
  }

  // MARK: Saving

  /// Begins a save of all changes made until now. No other save is running.
  mutating func beginSave() -> NetEdits {
    assert(saving.isEmpty, "one save at a time")
    let edits = NetEdits(unsaved, of: content, since: base, after: lastSaved)
    saving = unsaved
    unsaved = UnsavedEdits()
    return edits
  }

  /// Ends a successful save. `known` are the own pictures at its start.
  mutating func saved(_ outcome: SaveOutcome, pictures known: Set<String>) -> [DocumentEvent] {
    ownPictures.subtract(known.subtracting(outcome.pictures))
    let repeated = outcome.rebased?.own.repeated ?? [:]
    let last = saving.entries.last { repeated[$0.id] == nil }?.id
    // What was adopted may lack the edits that were saved before this save.
    defer { lastSaved = last ?? lastSaved }
    saving = UnsavedEdits()
    var events: [DocumentEvent] = []
    if let rebased = outcome.rebased {
      let own = rebased.own
      events = own.events
      events += adopt(
        rebased.content, at: outcome.base, rebased.others, recorded: rebased.savedBefore, isRebased: true,
        renamed: own.renamed, twins: own.twins)
    } else {
      content.markSaved(after: base.revision, upTo: outcome.base.revision, save: base.revision + 1)
      base = outcome.base
    }
    setPictures(outcome.pictures)
    content.trimLog()
    return events
  }

  /// Ends a failed save. `isUnknown` means that it may have written its edits.
  mutating func saveFailed(isUnknown: Bool) {
    if isUnknown { saving.seal() }
    saving.append(unsaved)
    unsaved = saving
    saving = UnsavedEdits()
  }

  /// Discards the unsaved edits.
  mutating func discardUnsaved() { unsaved = UnsavedEdits() }

  // MARK: Others' saves

  /// Adopts the content of the store. There are no unsaved edits. `recorded` is the sequence number of this program's last edit that the store
  /// records as saved.
  mutating func adopt(_ found: DocumentContent, recorded: Int?) -> [DocumentEvent] {
    guard
      let others = ExternalChange(in: found, since: base, knowing: KnownEdits(content), besides: origin)
    else { return [] }
    return adopt(found, at: DocumentBase(found), others, recorded: recorded, isRebased: false)
  }

  /// Adopts content of the store and rebases the unsaved edits on it.
  private mutating func adopt(
    _ saved: DocumentContent, at base: DocumentBase, _ others: ExternalChange?, recorded: Int?,
    isRebased: Bool,
    renamed: [EmojiID: EmojiID] = [:], twins: [EditID: EditID] = [:]
  ) -> [DocumentEvent] {
    guardEdits(besides: saved, others, recorded: recorded)
    let old = content
    var events: [DocumentEvent] = []
    self.base = base
    content = saved
    setPictures(saved.pictures)
    if !unsaved.isEmpty {
      var random = generator
      let rebased = content.rebase(
        unsaved, save: base.revision + 1, renamed: renamed, twins: twins, using: &random)
      generator = random
      unsaved = rebased.edits
      events += rebased.events(besides: renamed)
    }
    let effect = ContentEffect(from: old, to: content)
    guard !effect.isEmpty || others?.hasChanges ?? false else { return events }
    version += 1
    let change = ContentChange(
      of: others, effect, isRebased: isRebased, before: version - 1, revision: content.revision,
      saved: base)
    return events + [.changed(change)]
  }

  // MARK: Edits that were lost

  /// Keeps the saved content if another program has put a state in its place that lacks edits which this program had saved.
  /// A state that records the last one as saved has had all of them.
  private mutating func guardEdits(besides found: DocumentContent, _ others: ExternalChange?, recorded: Int?)
  {
    guard let others, !others.isComplete, let lastSaved, recorded ?? 0 < lastSaved.sequence else { return }
    guard let saved = savedContent else { return replaced.append(nil) }
    if !lacking(saved, besides: found).isEmpty { replaced.append(saved) }
  }

  /// The edits of this program that a content has and another one lacks, but for those that were reported as lost.
  private func lacking(_ saved: DocumentContent, besides found: DocumentContent) -> [EditID] {
    let there = Set(found.log.lazy.map(\.id))
    return saved.log.lazy.map(\.id).filter {
      $0.origin == origin && !there.contains($0) && !lost.contains($0)
    }
  }

  /// The content in the known state of the store; nil where some of the later edits are known by their net changes only.
  var savedContent: DocumentContent? {
    let count = content.log.reversed().prefix { $0.revision > base.revision }.count
    guard content.revision - base.revision == count else { return nil }
    var saved = content
    saved.revert(content.log.suffix(count), to: base.head)
    return saved
  }

  /// The saved contents that other states have replaced since the last time.
  mutating func takeReplaced() -> [DocumentContent?] {
    defer { replaced = [] }
    return replaced
  }

  /// Reports as lost what this program had saved in that content, and the document lacks. Returns the number of edits.
  mutating func loseEdits(of saved: DocumentContent) -> Int {
    let edits = lacking(saved, besides: content)
    lost.formUnion(edits)
    return edits.count
  }

  // MARK: Pictures

  /// Notes that the store has a picture of this program's, with all pictures that the store has now.
  mutating func pictureStored(_ digest: String, among stored: Set<String>) {
    ownPictures = ownPictures.intersection(stored).union([digest])
    setPictures(stored)
  }

  /// Notes that the store has a picture which the content does not list, because it has not been refreshed since.
  private mutating func pictureFound(_ digest: String) {
    ownPictures.insert(digest)
    setPictures(content.pictures)
  }

  /// Notes which pictures the store has. Content that was read before this program's last picture was stored does not
  /// list it. If the store does not have it any more, the next save finds out.
  private mutating func setPictures(_ pictures: Set<String>) {
    content.setPictures(pictures.union(ownPictures))
  }
}

extension RebasedEdits {
  /// What clients of the rebased edits have to know.
  package var events: [DocumentEvent] { events(besides: [:]) }

  fileprivate func events(besides known: [EmojiID: EmojiID]) -> [DocumentEvent] {
    renamed.filter { known[$0.key] == nil }.map { .renamed($0, to: $1) }
      + repeated.map { .repeated($0, as: $1) } + dropped.map { .dropped($0.id, $0.changes) }
  }
}

extension DocumentRequest {
  fileprivate var isBackground: Bool { if case .background = self { true } else { false } }
}
