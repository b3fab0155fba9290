// SPDX-License-Identifier: Apache-2.0

import ArtModel
import TestSupport
import Testing

@testable import ArtDocument
@testable import ArtStore

extension WorkingCopy {
  /// The snapshot of an open document.
  fileprivate var snapshot: DocumentSnapshot {
    DocumentSnapshot(version: version, content: content, saved: base, state: .open, unsaved: 0)
  }
}

/// Programs that edit one document in memory at random, and listeners that follow each of them by its events.
///
/// The law: a snapshot with the later changes applied in order equals the content, for every listener, whenever it has applied all
/// its pending events.
///
///     Program = WorkingCopy + journal + listeners     others: commands, restores, backups
///         └──── save, refresh, kill and restore ────▶ MemoryStore ◀────┘
///
/// The same seed plays the same steps. No step blocks: a save runs from the step that begins it to the step that ends it, and
/// others come between.
struct ListenerLaw {
  /// Counts of what was tried.
  struct Tally: Equatable {
    var steps = 0
    var episodes = 0
    var edits = 0
    var undos = 0
    var reverts = 0
    var repeated = 0
    /// Requests that two programs performed before either had saved, and their edits that were left out.
    var twins = 0
    var leftOut = 0
    var saves = 0
    var rebases = 0
    var failedSaves = 0
    var unknownSaves = 0
    var kills = 0
    var restoredEdits = 0
    var renamed = 0
    var dropped = 0
    var backups = 0
    var merges = 0
    var resyncs = 0
    var checks = 0
    /// Listeners whose content differed from the document's.
    var broken = 0

    static func + (left: Tally, right: Tally) -> Tally {
      var sum = Tally()
      for field in fields { sum[keyPath: field] = left[keyPath: field] + right[keyPath: field] }
      return sum
    }

    private static var fields: [WritableKeyPath<Tally, Int>] {
      [
        \.steps, \.episodes, \.edits, \.undos, \.reverts, \.repeated, \.twins,
        \.leftOut, \.saves, \.rebases, \.failedSaves,
        \.unknownSaves, \.kills, \.restoredEdits, \.renamed, \.dropped, \.backups, \.merges, \.resyncs,
        \.checks,
        \.broken,
      ]
    }

    var text: String {
      """
      \(steps) steps in \(episodes) episodes: \(edits) edits, \(undos) undos and redos, \(reverts) returns, \(repeated) requests repeated, \
      \(twins) performed by two programs (\(leftOut) edits left out), \
      \(saves) saves (\(rebases) onto others', \(failedSaves) failed, \(unknownSaves) unknown), \(kills) kills, \
      \(restoredEdits) edits restored, \(renamed) ids renamed, \(dropped) edits dropped, \(backups) backups, \(merges) merged beneath edits, \
      \(resyncs) resyncs; \(checks) listeners compared, \(broken) wrong
      """
    }
  }

  /// How a listener applies a change.
  enum Reading {
    /// Its effect.
    case effects
    /// What its edits set, as if they had been made last. This is wrong where unsaved edits were rebased on top of them; it is the
    /// control.
    case edits
  }

  /// A listener with a mailbox of limited capacity.
  struct Listener {
    var content: DocumentContent
    var version: Int
    var waiting: [DocumentEvent] = []
    let capacity: Int

    init(_ snapshot: DocumentSnapshot, capacity: Int) {
      content = snapshot.content
      version = snapshot.version
      self.capacity = capacity
    }

    mutating func receive(_ events: [DocumentEvent], resyncAt version: Int) {
      for event in events {
        if waiting.count < capacity { waiting.append(event) } else { waiting = [.resync(version: version)] }
      }
    }

    /// Applies the pending events. Returns whether each followed the version before it.
    mutating func catchUp(_ reading: Reading, now snapshot: DocumentSnapshot) -> (fits: Bool, resyncs: Int) {
      var (fits, resyncs) = (true, 0)
      for event in waiting {
        switch event {
        case .resync:
          (content, version) = (snapshot.content, snapshot.version)
          resyncs += 1
        case .changed(let change) where change.after <= version: break
        case .changed(let change):
          fits = fits && change.before == version
          apply(change, reading)
          version = change.after
        case .state, .saved, .dropped, .setAside, .renamed, .repeated: break
        }
      }
      waiting = []
      return (fits, resyncs)
    }

    private mutating func apply(_ change: ContentChange, _ reading: Reading) {
      guard reading == .edits, change.isComplete, !change.cause.isOwn else {
        return content.apply(change.effect)
      }
      for entry in change.edits { _ = try? content.apply(entry.edit.changes) }
    }
  }

  /// A program that has the document open.
  struct Program {
    var copy: WorkingCopy
    var listeners: [Listener] = []
    /// Acknowledged edits that no save holds, as far as the program knows.
    var journal: [LoggedEdit] = []
    var save: (edits: NetEdits, pictures: Set<String>, journal: Int)?
    var asked: [ClientRequest] = []
  }

  private var random: SplitMix64
  private let store: MemoryStore
  private var programs: [Program] = []
  private var others: Author
  private var backup: DocumentContent
  private let clients: [DocumentClient]
  private let ids: [EmojiID]
  private let reading: Reading
  private var requests = 0
  /// The tags of requests that had an effect.
  private var made: Set<RequestTag> = []
  private(set) var tally = Tally()
  /// The first failure.
  private(set) var failure: String?

  init(seed: UInt64, reading: Reading = .effects) throws {
    var random = SplitMix64(seed: seed)
    ids = (0..<8).map { _ in EmojiID.random(using: &random) }
    let first = DocumentContent(id: DocumentID(using: &random), canvas: .standard)
    backup = first
    store = MemoryStore(first)
    others = try Author(origin: Origin(using: &random))
    clients = try [
      DocumentClient(author: "ada", session: SessionID(using: &random)),
      DocumentClient(author: "bob", session: SessionID(using: &random)), DocumentClient(author: "eve"),
    ]
    self.random = random
    self.reading = reading
    for _ in 0..<2 { try start() }
    tally.episodes = 1
  }

  /// Plays the given number of steps, and compares every listener at the end.
  mutating func play(_ steps: Int) throws {
    for _ in 0..<steps where failure == nil || reading == .edits {
      tally.steps += 1
      try step()
    }
    for index in programs.indices {
      for listener in programs[index].listeners.indices { check(index, listener) }
    }
  }

  private mutating func below(_ count: Int) -> Int { random.below(count) }

  // MARK: Steps

  private mutating func step() throws {
    let index = below(programs.count)
    switch below(40) {
    case 0...13: try edit(index)
    case 14...17: try undo(index)
    case 18: repeatRequest(index)
    case 19: try setBackground(index)
    case 20: failToJournal(index)
    case 21...25: if programs[index].save == nil { beginSave(index) } else { try endSave(index) }
    case 26...27: refresh(index)
    case 28...29: try otherEdits()
    case 30: try kill(index)
    case 31: if below(4) == 0 { putBackupBack() } else { backup = store.read() }
    case 32: programs[index].listeners.append(listener(of: index))
    case 33: if !programs[index].listeners.isEmpty { programs[index].listeners.removeFirst() }
    case 34: try revert(index)
    default: if !programs[index].listeners.isEmpty { check(index, below(programs[index].listeners.count)) }
    }
  }

  private mutating func start() throws {
    let author = try Author(origin: Origin(using: &random))
    programs.append(
      Program(copy: WorkingCopy(store.read(), by: author, using: SplitMix64(seed: random.next()))))
    let index = programs.count - 1
    for _ in 0..<2 { programs[index].listeners.append(listener(of: index)) }
  }

  private mutating func listener(of index: Int) -> Listener {
    Listener(programs[index].copy.snapshot, capacity: [3, 100][below(2)])
  }

  private mutating func emit(_ index: Int, _ events: [DocumentEvent]) {
    for event in events {
      switch event {
      case .renamed: tally.renamed += 1
      case .repeated: tally.leftOut += 1
      case .dropped: tally.dropped += 1
      case .changed(let change): if change.cause == .rebase { tally.rebases += 1 }
      case .state, .saved, .setAside, .resync: break
      }
    }
    let version = programs[index].copy.version
    for listener in programs[index].listeners.indices {
      programs[index].listeners[listener].receive(events, resyncAt: version)
    }
  }

  private mutating func check(_ index: Int, _ listener: Int) {
    let snapshot = programs[index].copy.snapshot
    let (fits, resyncs) = programs[index].listeners[listener].catchUp(reading, now: snapshot)
    let follower = programs[index].listeners[listener]
    tally.checks += 1
    tally.resyncs += resyncs
    guard !fits || follower.version != snapshot.version || !follower.content.looksLike(snapshot.content)
    else {
      return
    }
    tally.broken += 1
    let difference = ContentEffect(from: follower.content, to: snapshot.content)
    failure =
      failure ?? "step \(tally.steps), version \(follower.version) of \(snapshot.version): \(difference)"
    // The control continues from the correct content.
    programs[index].listeners[listener] = Listener(snapshot, capacity: follower.capacity)
  }

  // MARK: Editing

  private mutating func emoji() throws -> Emoji {
    Emoji(
      id: ids[below(ids.count)], text: try EmojiText(["🐝", "🌸", "🐛"][below(3)]),
      position: try Point(x: Double(below(5)), y: Double(below(5))), size: try FontSize(Double(1 + below(4))),
      z: below(6))
  }

  private mutating func change() throws -> Change {
    let emoji = try emoji()
    switch below(13) {
    case 0...3: return .add(emoji)
    case 4: return .remove(emoji.id)
    case 5...7: return .move(emoji.id, to: emoji.position)
    case 8: return .resize(emoji.id, to: emoji.size)
    case 9: return .setText(emoji.id, to: emoji.text)
    case 10: return .order(emoji.id, to: emoji.z)
    case 11:
      switch below(3) {
      case 0: return .rotate(emoji.id, to: try Rotation(degrees: Double(90 * below(4))))
      case 1: return .mirror(emoji.id, to: below(2) == 0)
      default: return .color(emoji.id, to: [Color(red: 255, green: 204, blue: 0), .black][below(2)])
      }
    default:
      if below(2) == 0 { return .setCanvas(try Canvas(width: 1 + below(3), height: 1)) }
      if below(2) == 0 { return .setFill([nil, .black][below(2)]) }
      return .setPending(
        below(2) == 0
          ? nil
          : try PendingBackground(
            url: "https://example.org/\(below(2))", since: 1, reason: "dns", anchor: .topLeft))
    }
  }

  private mutating func changes() throws -> [Change] {
    var changes: [Change] = []
    for _ in 0...below(3) { changes.append(try change()) }
    return changes
  }

  private mutating func request(_ index: Int) throws -> ClientRequest {
    var request = DocumentRequest.edit(Edit(name: "edit", changes: try changes()))
    if below(6) == 0 {
      request = .group(
        name: "gesture",
        [request, .edit(Edit(name: "more", changes: try changes())), .edit(Edit(name: "", changes: []))])
    }
    let isTagged = below(3) == 0
    requests += 1
    return ClientRequest(
      request, by: below(4) == 0 ? nil : clients[below(clients.count)],
      tag: isTagged ? RequestTag("request-\(requests)") : nil,
      since: isTagged ? KnownHead(programs[index].copy.base) : nil)
  }

  private mutating func edit(_ index: Int) throws {
    var requests: [ClientRequest] = []
    for _ in 0...below(3) { requests.append(try request(index)) }
    perform(index, requests)
    programs[index].asked += requests.filter { $0.tag != nil }
    // A client that gets no answer sends its request to another program.
    let other = below(programs.count)
    guard other != index, let twin = requests.first(where: { $0.tag != nil && $0.client?.session != nil })
    else { return }
    tally.twins += 1
    perform(other, [twin], isTwin: true)
  }

  private mutating func undo(_ index: Int) throws {
    let client = below(4) == 0 ? nil : clients[below(clients.count)]
    perform(index, [ClientRequest(below(3) == 0 ? .redo(1 + below(2)) : .undo(1 + below(2)), by: client)])
    tally.undos += 1
  }

  /// A client goes back to a revision, which the log reaches or does not.
  private mutating func revert(_ index: Int) throws {
    let content = programs[index].copy.content
    let known = try content.reachableRevisions
    if known.lowerBound != content.log.first.map({ $0.revision - 1 }) ?? content.revision {
      failure = failure ?? "step \(tally.steps): the log is reached back to \(known.lowerBound) only"
    }
    let revision = below(content.revision + 2)
    let answers = perform(index, [ClientRequest(.revert(to: revision), by: clients[below(clients.count)])])
    guard case .success(let answer)? = answers.first else {
      if known.contains(revision) { failure = failure ?? "step \(tally.steps): no return to \(revision)" }
      return
    }
    tally.reverts += 1
    let then = try content.content(at: revision)
    if answer.lost.isEmpty, !programs[index].copy.content.looksLike(then) {
      failure = failure ?? "step \(tally.steps): the return to \(revision) gave another art"
    }
  }

  /// A client that received no answer repeats its request.
  private mutating func repeatRequest(_ index: Int) {
    guard !programs[index].asked.isEmpty else { return }
    let asked = programs[index].asked[below(programs[index].asked.count)]
    let before = programs[index].copy.content
    let answers = perform(index, [asked])
    guard case .success(let answer)? = answers.first, answer.isRepeated else { return }
    tally.repeated += 1
    if !before.looksLike(programs[index].copy.content) {
      failure = failure ?? "a repeated answer changed something"
    }
  }

  @discardableResult
  private mutating func perform(
    _ index: Int, _ requests: [ClientRequest], isTwin: Bool = false
  ) -> [Result<DocumentAnswer, ArtError>] {
    let answers = programs[index].copy.perform(requests, unsaved: 0, time: { 1 })
    programs[index].journal += programs[index].copy.uncommitted
    let changes = programs[index].copy.commit()
    tally.edits += changes.count
    emit(index, changes.map(DocumentEvent.changed))
    for (request, answer) in zip(requests, answers) where !isTwin {
      guard let tag = request.tag, case .success(let answer) = answer else { continue }
      guard !answer.isRepeated, !answer.entries.isEmpty else { continue }
      if !made.insert(tag).inserted { failure = failure ?? "the request \(tag) was made twice" }
    }
    return answers
  }

  /// A write to the journal fails: the request has no effect.
  private mutating func failToJournal(_ index: Int) {
    guard let request = try? request(index) else { return }
    let before = programs[index].copy.snapshot
    _ = programs[index].copy.perform([request], unsaved: 0, time: { 1 })
    programs[index].copy.rollBack()
    let after = programs[index].copy.snapshot
    if after.version != before.version || after.content != before.content {
      failure = failure ?? "an edit that could not be journalled left a trace"
    }
  }

  private mutating func setBackground(_ index: Int) throws {
    let digest = String(String(repeating: String(below(6)), count: 32))
    let held = try store.keep(digest, in: programs[index].copy.content.id)
    programs[index].copy.pictureStored(digest, among: held)
    let background = try Background(
      digest: digest, mediaType: "image/png", size: Canvas(width: 1 + below(3), height: 2),
      url: below(2) == 0 ? nil : "https://example.org/\(digest)")
    perform(index, [ClientRequest(.background(.set(background, keepsCanvas: below(2) == 0)))])
  }

  /// A log has one edit of each request. Copies that were edited apart may have one each, and a merge keeps both.
  private mutating func checkTags() {
    guard tally.merges == 0 else { return }
    var known: Set<String> = []
    for entry in store.read().log {
      guard let session = entry.session else { continue }
      for tag in entry.stamp.tags where !known.insert("\(session) \(tag)").inserted {
        failure = failure ?? "step \(tally.steps): the request \(tag) is in the log twice"
      }
    }
  }

  // MARK: Saving

  private mutating func beginSave(_ index: Int) {
    let pictures = programs[index].copy.ownPictures
    let edits = programs[index].copy.beginSave()
    programs[index].save = (edits, pictures, programs[index].journal.count)
  }

  private mutating func endSave(_ index: Int) throws {
    guard let save = programs[index].save else { return }
    programs[index].save = nil
    tally.saves += 1
    let fate = below(10)
    if fate == 0 {
      // Nothing was written.
      tally.failedSaves += 1
      return programs[index].copy.saveFailed(isUnknown: false)
    }
    let outcome = fate == 1 ? nil : try write(save.edits, of: programs[index].copy)
    if fate <= 2 {
      // The outcome is unknown: with 1 the save was not written, with 2 it was.
      tally.unknownSaves += 1
      return programs[index].copy.saveFailed(isUnknown: true)
    }
    guard let outcome else { return }
    checkTags()
    programs[index].journal.removeFirst(save.journal)
    emit(index, programs[index].copy.saved(outcome, pictures: save.pictures))
  }

  /// Writes edits as `Document` does: what the program had saved is merged first into a state that lacks it.
  private mutating func write(_ edits: NetEdits, of copy: WorkingCopy) throws -> SaveOutcome {
    do throws(ArtError) { return try store.save(edits, isJournalled: true) } catch {
      guard error.code == .movedOn else { throw error }
    }
    if let state = ReplacedState(copy.savedContent, in: nil) {
      do throws(ArtError) {
        _ = try store.merge(state)
        tally.merges += 1
      } catch {
        guard error.code == .parted else { throw error }
      }
    }
    return try store.save(edits.onAnyState, isJournalled: true)
  }

  private mutating func refresh(_ index: Int) {
    guard programs[index].save == nil, programs[index].copy.unsaved.isEmpty else { return }
    let found = store.find(by: programs[index].copy.origin, holding: nil)
    emit(index, programs[index].copy.adopt(found.content, recorded: found.savedSequence))
  }

  // MARK: Others

  /// A command that edits or undoes once.
  private mutating func otherEdits() throws {
    var content = store.read()
    let before = DocumentBase(content)
    var unsaved = UnsavedEdits()
    let plan: (name: String, changes: [Change], kind: LoggedEdit.Kind)
    if below(3) == 0, let undo = try below(2) == 0 ? UndoPlan.undo(in: content) : UndoPlan.redo(in: content) {
      plan = (undo.name, undo.changes, undo.kind)
    } else {
      plan = ("command", try changes(), .edit)
    }
    let applied = try content.apply(plan.changes, of: plan.kind, at: 1)
    guard !applied.changes.isEmpty || plan.kind != .edit else { return }
    let entry = LoggedEdit(
      others.stamp(at: 1), revision: content.revision + 1, save: before.revision + 1, kind: plan.kind,
      edit: Edit(name: plan.name, changes: applied.changes), inverse: applied.inverse,
      dropped: applied.dropped)
    content.append(entry)
    unsaved.append(entry)
    _ = try store.save(NetEdits(unsaved, of: content, since: before), isJournalled: false)
  }

  /// Kills the program, restores its acknowledged edits from its journal, and starts another one.
  private mutating func kill(_ index: Int) throws {
    let gone = programs.remove(at: index)
    tally.kills += 1
    // A running save may have reached the store.
    if let save = gone.save, below(2) == 0 { _ = try write(save.edits, of: gone.copy) }
    tally.restoredEdits += gone.journal.count
    try store.restore(gone.journal, at: 2)
    try start()
    // Its clients reconnect and repeat the requests that have no answer.
    programs[programs.count - 1].asked = gone.asked
  }

  /// Another state of the document replaces the file: an edit that is missing in it may be requested and made again.
  private mutating func putBackupBack() {
    tally.backups += 1
    store.replace(backup)
    made = []
  }
}
