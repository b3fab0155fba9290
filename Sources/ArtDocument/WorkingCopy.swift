// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// A document in memory with the edits that its store does not hold yet, as a pure machine: no file, no thread, no clock.
///
///     perform ──▶ performed ──commit──▶ unsaved ──beginSave──▶ saving ──saved──▶ in the store (base)
///                     └─────rollBack──▶ nothing       ▲            └──saveFailed──▶ unsaved
///                                                     └── what is performed while a save runs stays here
///     adopt: others saved, and nothing is unsaved
///
/// - `content` is what the store holds (`base`), and on top of it `saving`, `unsaved` and what was performed.
/// - `version` grows by one with each change of the content that is committed, and with each save of others that is taken in.
/// - Every method that changes the content returns what listeners are to hear, in its order. A snapshot of an earlier version with the
///   changes since then applied to it is the content.
/// - Between two calls nothing is performed and not committed.
struct WorkingCopy: Sendable {
  /// The document as it is now.
  private(set) var content: DocumentContent
  /// The count of changes since the document was opened.
  private(set) var version = 0
  /// What the store holds, as far as this program knows.
  private(set) var base: DocumentBase
  /// Edits that no save holds, and that no running save will hold.
  private(set) var unsaved = UnsavedEdits()
  /// Edits that the running save will hold.
  private(set) var saving = UnsavedEdits()
  /// The pictures that this program has put into the store, and that were there when it did so last.
  private(set) var ownPictures: Set<String> = []
  private var performed: [Performed] = []
  /// The content's head and the program's numbers before what was performed.
  private var before: (head: EditID?, author: Author)?
  private var author: Author
  private var generator: any RandomNumberGenerator & Sendable

  private struct Performed: Sendable {
    let entry: LoggedEdit
    let isBackground: Bool
  }

  init(_ content: DocumentContent, by author: Author, using generator: any RandomNumberGenerator & Sendable) {
    self.content = content
    self.author = author
    self.generator = generator
    base = DocumentBase(content)
  }

  /// The mark of this program's edits.
  var origin: Origin { author.origin }
  /// The program's own client.
  var client: DocumentClient { author.client }
  /// The document and its version.
  var snapshot: DocumentSnapshot {
    DocumentSnapshot(version: version, content: content, saved: base)
  }

  // MARK: Editing

  /// Does what is asked in memory, one request after the other, and answers each. A request that fails leaves no trace and does not
  /// keep the next ones from being done. `commit` or `rollBack` is to follow at once. `unsaved` is how many changes no save holds.
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

  /// The edits that were performed and are not committed yet.
  var uncommitted: [LoggedEdit] { performed.map(\.entry) }

  /// What was performed is kept from here on.
  mutating func commit() -> [ContentChange] {
    defer { performed.removeAll(keepingCapacity: true) }
    // Not after each edit: it would cost more than it brings.
    defer { if content.log.count > UnsavedEdits.logged + UnsavedEdits.slack { trimLog() } }
    return performed.map { made in
      unsaved.append(made.entry)
      version += 1
      return ContentChange(of: made.entry, isBackground: made.isBackground, before: version - 1)
    }
  }

  /// What was performed could not be kept: the content is as if nothing had been asked.
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
    content.takeBack(performed[mark.count...].map(\.entry)[...], to: mark.head)
    performed.removeSubrange(mark.count...)
    author = mark.author
  }

  private mutating func perform(
    _ asked: ClientRequest, unsaved: Int, time: () -> Int
  ) throws(ArtError) -> DocumentAnswer {
    let repeated = try entries(answering: asked)
    if !repeated.isEmpty {
      return DocumentAnswer(
        entries: repeated, emojis: subjects(of: repeated), unsaved: unsaved + performed.count, lost: [],
        isRepeated: true)
    }
    let first = performed.count
    var (subjects, lost): ([Emoji], [Background]) = ([], [])
    switch asked.request {
    case .undo(let count): lost = try step(.undo, count, asked, time: time)
    case .redo(let count): lost = try step(.redo, count, asked, time: time)
    case .action, .edit, .background, .group:
      if let plan = try plan(asked.request) {
        _ = try make(plan.edit, isBackground: asked.request.isBackground, asked, time: time)
        subjects = plan.subjects
      }
    }
    return DocumentAnswer(
      entries: performed[first...].map(\.entry), emojis: subjects.map { content.emoji($0.id) ?? $0 },
      unsaved: unsaved + performed.count, lost: lost)
  }

  /// The emoji that edits were about which are there. A restore made one edit of many requests: which of its emoji a request was about
  /// cannot be told.
  private func subjects(of entries: [LoggedEdit]) -> [Emoji] {
    var known: Set<EmojiID> = []
    return entries.filter { $0.stamp.tags.count == 1 }.flatMap(\.edit.changes).compactMap { change in
      guard let id = change.field.emoji, known.insert(id).inserted else { return nil }
      return content.emoji(id)
    }
  }

  /// The edit that a request is about; nil when it has no effect.
  private mutating func plan(_ request: DocumentRequest) throws(ArtError) -> PlannedEdit? {
    switch request {
    case .action(let action):
      var chance = generator
      defer { generator = chance }
      return try action.plan(on: content, using: &chance)
    case .edit(let edit): return PlannedEdit(edit: edit, subjects: [])
    case .background(let edit): return try edit.plan(on: content).map { PlannedEdit(edit: $0, subjects: []) }
    case .group(let name, let requests): return try plan(requests, as: name)
    case .undo, .redo: throw .groupedUndo()
    }
  }

  /// Several requests as one edit: what they come to when they are made one after the other.
  private mutating func plan(_ requests: [DocumentRequest], as name: String) throws(ArtError) -> PlannedEdit {
    var (changes, inverse): ([Change], [Change]) = ([], [])
    // An inverse sets what was there before: no bound keeps it from that.
    defer { do throws(ArtError) { _ = try content.apply(inverse) } catch { assertionFailure(error.message) } }
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
    _ direction: UndoDirection, _ count: Int, _ asked: ClientRequest, time: () -> Int
  ) throws(ArtError) -> [Background] {
    let owner = (asked.client ?? client).session.map(EditOwner.session) ?? .origin(origin)
    var lost: [Background] = []
    var isAnything = false
    for _ in 0..<max(1, count) {
      let plan =
        switch direction {
        case .undo: try UndoPlan.undo(in: content, by: owner)
        case .redo: try UndoPlan.redo(in: content, by: owner)
        }
      guard let plan else { break }
      let edit = Edit(name: plan.name, changes: plan.changes)
      lost += try make(edit, kind: plan.kind, skipped: plan.skipped, asked, time: time)
      isAnything = true
    }
    guard isAnything else { throw .nothingOwnTo(direction.rawValue) }
    return lost
  }

  /// An edit without effect is not made; an undo or redo is, so that the next one goes on behind it. Returns the backgrounds whose bytes
  /// are not kept.
  private mutating func make(
    _ edit: Edit, kind: LoggedEdit.Kind = .edit, skipped: [Change] = [], isBackground: Bool = false,
    _ asked: ClientRequest, time: () -> Int
  ) throws(ArtError) -> [Background] {
    let time = time()
    let applied = try content.apply(edit.changes, of: kind, at: time)
    guard !applied.changes.isEmpty || kind != .edit else { return [] }
    let entry = LoggedEdit(
      author.stamp(at: time, by: asked.client, tag: asked.tag), revision: content.revision + 1,
      save: base.revision + 1, kind: kind, edit: Edit(name: edit.name, changes: applied.changes),
      inverse: applied.inverse, dropped: skipped + applied.dropped)
    content.append(entry)
    performed.append(Performed(entry: entry, isBackground: isBackground))
    return applied.lost
  }

  /// The edits that the same request led to before, none when it was not made. Throws `movedOn` when that cannot be told.
  private func entries(answering asked: ClientRequest) throws(ArtError) -> [LoggedEdit] {
    guard let tag = asked.tag else { return [] }
    let session = (asked.client ?? client).session
    var found: [LoggedEdit] = []
    var isKnown = asked.since == .beginning && content.log.first?.revision ?? 1 == 1
    for entry in content.log.reversed() {
      // What came before the request was first made cannot be of it.
      if asked.since == .edit(entry.id) {
        isKnown = true
        break
      }
      guard entry.session == session else { continue }
      if entry.stamp.tags.contains(tag) { found.append(entry) }
      // One with so many tags may lack older ones.
      if entry.stamp.tags.count >= Limits.editTags { isKnown = false }
    }
    guard found.isEmpty, asked.since != nil else { return found.reversed() }
    guard isKnown else { throw .requestTooOld(tag) }
    return []
  }

  // MARK: Saving

  /// Begins a save of what is unsaved until now. No other one is running.
  mutating func beginSave() -> NetEdits {
    assert(saving.isEmpty, "one save at a time")
    let edits = NetEdits(unsaved, of: content, since: base)
    saving = unsaved
    unsaved = UnsavedEdits()
    return edits
  }

  /// The save that ran succeeded. `known` are the own pictures when it began.
  mutating func saved(_ outcome: SaveOutcome, pictures known: Set<String>) -> [DocumentEvent] {
    ownPictures.subtract(known.subtracting(outcome.pictures))
    saving = UnsavedEdits()
    var events: [DocumentEvent] = []
    if let rebased = outcome.rebased {
      let own = rebased.own
      events = own.renamed.map { .renamed($0, to: $1) } + own.dropped.map { .dropped($0.id, $0.changes) }
      events += adopt(
        rebased.content, at: outcome.base, rebased.others, isRebased: true, renamed: own.renamed)
    } else {
      content.markSaved(after: base.revision, upTo: outcome.base.revision, save: base.revision + 1)
      base = outcome.base
    }
    setPictures(outcome.pictures)
    trimLog()
    return events
  }

  /// The save that ran failed. `isUnknown` says that nobody knows whether it wrote anything.
  mutating func saveFailed(isUnknown: Bool) {
    if isUnknown { saving.seal() }
    saving.append(unsaved)
    unsaved = saving
    saving = UnsavedEdits()
  }

  /// What is not saved is lost from here on.
  mutating func discardUnsaved() { unsaved = UnsavedEdits() }

  // MARK: Others' saves

  /// Takes in what the store holds now. Nothing is unsaved.
  mutating func adopt(_ found: DocumentContent) -> [DocumentEvent] {
    guard let others = ExternalChange(in: found, since: base, besides: origin) else { return [] }
    return adopt(found, at: DocumentBase(found), others, isRebased: false)
  }

  /// Goes on from content that is in the store, with what is unsaved on top of it.
  private mutating func adopt(
    _ saved: DocumentContent, at base: DocumentBase, _ others: ExternalChange?, isRebased: Bool,
    renamed: [EmojiID: EmojiID] = [:]
  ) -> [DocumentEvent] {
    let old = content
    var events: [DocumentEvent] = []
    self.base = base
    content = saved
    setPictures(saved.pictures)
    if !unsaved.isEmpty {
      var chance = generator
      let own = content.rejoin(unsaved, save: base.revision + 1, renamed: renamed, using: &chance)
      generator = chance
      unsaved = own.edits
      events += own.renamed.filter { renamed[$0.key] == nil }.map { .renamed($0, to: $1) }
      events += own.dropped.map { .dropped($0.id, $0.changes) }
    }
    let effect = ContentEffect(from: old, to: content)
    guard !effect.isEmpty || others?.hasChanges ?? false else { return events }
    version += 1
    let change = ContentChange(
      of: others, effect, isRebased: isRebased, before: version - 1, revision: content.revision,
      saved: base)
    return events + [.changed(change)]
  }

  // MARK: Pictures

  /// The store has that picture of this program's now, and `held` are all that it has.
  mutating func keptPicture(_ digest: String, among held: Set<String>) {
    ownPictures = ownPictures.intersection(held).union([digest])
    setPictures(held)
  }

  /// Notes which pictures the store holds. What was read before this program's own last picture came does not know of it; that
  /// the store holds one no more is found by the save at the latest.
  private mutating func setPictures(_ pictures: Set<String>) {
    content.setPictures(pictures.union(ownPictures))
  }

  /// Cuts the log to about what a file keeps.
  private mutating func trimLog() { content.trimLog(entries: UnsavedEdits.logged, changes: Self.logChanges) }

  /// Changes and inverses: about what a file's 8 MiB hold.
  private static var logChanges: Int { 200_000 }
}

extension DocumentRequest {
  fileprivate var isBackground: Bool { if case .background = self { true } else { false } }
}
