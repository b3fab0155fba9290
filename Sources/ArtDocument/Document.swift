// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Synchronization

/// The folder in which a document journals its unsaved edits, so that they outlive the program.
public enum JournalLocation: Sendable {
  /// The state folder of this machine: `$EMOJIART_STATE`, else `$XDG_STATE_HOME/emojiart`, else
  /// `~/.local/state/emojiart`.
  case standard
  /// Another folder. The program itself must restore journals from there.
  case folder(JournalFolder)
  /// No journal: a program that is killed loses its unsaved edits.
  case none

  func folder() throws(ArtError) -> JournalFolder? {
    switch self {
    case .standard: try JournalFolder.standard()
    case .folder(let folder): folder
    case .none: nil
    }
  }
}

// MARK: - Document

/// An open document: it applies edits in memory, saves itself, reports its state, and has undo and redo.
///
/// An edit takes this path: `perform` plans it on the content, applies it, numbers it, appends it to the log and to
/// the journal, counts the change and emits events. A later save writes the net rows and the new log entries in one
/// transaction, on top of what other programs saved meanwhile; the document adopts their edits then, or at the next
/// refresh. The file is open only during these operations. `WorkingCopy` holds the content and its edits; the
/// document connects it with the store, the journal, the clock and the listeners.
///
/// If a document is deallocated without `close`, its unsaved edits stay in the journal, and the next program that
/// edits the document restores them. Without a journal they are lost.
///
/// The actor has an executor of its own and accesses the store on a second thread. So a locked file or a slow disk
/// does not block Swift's thread pool, and a running save does not delay edits.
public actor Document {
  /// Where the document is stored.
  public nonisolated var store: any DocumentStore { location.store.withLock { $0 } }
  /// The document's name in messages: the path of its file.
  public nonisolated var path: String { store.path }
  /// The origin of this program's edits.
  public nonisolated let origin: Origin
  /// The state of the document's life cycle.
  public var state: DocumentState { life.state }
  /// Whether there are unsaved changes.
  public var hasUnsavedChanges: Bool { changeCount.unsaved > 0 }
  /// The number of unsaved changes.
  public var unsavedChanges: Int { changeCount.unsaved }
  /// A token for the changes made until now, for `isSaved`.
  public var changeToken: SaveToken { changeCount.token }
  /// The document as it is now. The next edit copies the whole content while another copy exists.
  public var content: DocumentContent { copy.content }
  /// The number of changes of the content since the document was opened.
  public var version: Int { copy.version }
  /// The last state known to be durably in the store.
  public var saved: DocumentBase { copy.base }
  /// The document as it is now, with its version and state.
  public var snapshot: DocumentSnapshot {
    DocumentSnapshot(
      version: copy.version, content: copy.content, saved: copy.base, state: life.state,
      unsaved: changeCount.unsaved)
  }

  /// The results of restoring orphaned journals when the document was opened, or became editable.
  public nonisolated var recovered: [RecoveryOutcome] { recoveries.withLock { $0 } }
  private let recoveries: Mutex<[RecoveryOutcome]>

  private nonisolated let location: StoreLocation
  var copy: WorkingCopy
  var life = DocumentLife()
  private var changeCount = ChangeCount()
  private var autosave: Autosave
  /// The journal of unsaved edits; nil without one, and after closing.
  private var journal: Journal?
  /// What a document that could not be edited lacks.
  let preparation: Preparation
  /// Whether the file may have a row about the journal.
  private var isRegistered = false
  /// The file that the document was in when this program read or saved it last; nil before, and if it cannot be held.
  var held: HeldFile?
  /// Whether this program has named or removed a version. That is no edit: a state that lacks it has the same revision.
  var hasChangedVersions = false
  /// The states that other programs have replaced, and that are not merged yet, oldest first.
  var replaced: [ReplacedState] = []
  /// The last segment of the journal whose edits are all saved.
  private var savedSegment = 0
  /// The removal of the journal when the document closes.
  private var journalRemoval: Task<Void, Never>?
  private(set) var runningSave: RunningSave?
  /// The running refresh, and why it could not read the store. A refresh and a save never run at the same time.
  var runningRefresh: Task<ArtError?, Never>?
  /// The number of refreshes and saves started, and the number of the newest one that read the store.
  var generation = (begun: 0, completed: 0)
  /// The stamp of the store at the last refresh.
  var stamp: FileStamp?
  var blocker = SaveBlocker()
  /// The largest number of unsaved edits. Tests set it.
  var capacity = 1_000_000
  /// How long a save waits for a locked document; nil for as long as its reason says. Tests set it.
  var saveTimeout: Duration?
  let waiters = Waiters()
  /// The number of callers waiting for the document to close.
  private(set) var closing = 0
  private var autosaveTimer: (due: Duration, task: Task<Void, Never>)?
  var refreshTimer: Task<Void, Never>?
  var refreshInterval: Duration?
  var hintTask: Task<Void, Never>?
  let timeline: Timeline
  private let time: @Sendable () -> Int
  private let storeQueue = SerialQueue()
  private nonisolated let listeners: Broadcast<DocumentEvent>
  /// The version up to which events have been emitted.
  private nonisolated let emittedVersion: EmittedVersion
  private nonisolated let executor = ThreadExecutor()

  /// The document's own executor.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private final class EmittedVersion: Sendable {
    let value = Mutex(0)
  }

  /// The current store, readable outside the actor.
  private final class StoreLocation: Sendable {
    let store: Mutex<any DocumentStore>
    init(_ store: any DocumentStore) { self.store = Mutex(store) }
  }

  /// What happens before a document can be edited: orphaned journals are restored, and it gets a journal of its own.
  struct Preparation: Sendable {
    let location: JournalLocation
    let restorer: Author
    /// Tests set it.
    let readOnlyReason: (@Sendable () throws(ArtError) -> String?)?

    /// Why a store cannot be saved; nil if it seems that it can.
    func readOnlyReason(of store: any DocumentStore) throws(ArtError) -> String? {
      if let readOnlyReason { try readOnlyReason() } else { try store.readOnlyReason() }
    }

    /// Restores the orphaned journals, and returns their folder; nil without one.
    func prepare(
      _ store: any DocumentStore
    ) throws(ArtError) -> (folder: JournalFolder?, recovered: [RecoveryOutcome]) {
      guard let folder = try location.folder() else { return (nil, []) }
      return (folder, try store.restoreOrphans(in: folder, by: restorer))
    }
  }

  struct RunningSave {
    var task: Task<ArtError?, Never>
    /// The changes that the save contains.
    var token: SaveToken
    var reason: SaveReason
  }

  // MARK: Opening

  /// Opens a document for an author with an optional name and session. Each opening draws a new origin. Orphaned
  /// journals in the journal's folder are restored first. A file that cannot be written is opened read-only. Throws
  /// what reading a file throws, `badValue` for an invalid name, and what creating a journal throws.
  ///
  /// `refreshInterval` is the time between two refreshes, besides those of saves and hints; nil for none. `clock`
  /// times saves and refreshes, `time` stamps edits in milliseconds since 1970, and ids are drawn from `generator`.
  public static func open(
    _ store: some DocumentStore, author name: String? = nil, session: SessionID? = nil,
    journal location: JournalLocation = .standard, autosave policy: AutosavePolicy = AutosavePolicy(),
    refreshInterval: Duration? = .seconds(2), clock: some Clock<Duration> = ContinuousClock(),
    time: @escaping @Sendable () -> Int = WallClock.milliseconds,
    using generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) async throws(ArtError) -> Document {
    try await open(
      store, readOnlyBecause: nil, author: name,
      session: session, journal: location, autosave: policy, refreshInterval: refreshInterval, clock: clock,
      time: time,
      using: generator)
  }

  static func open(
    _ store: some DocumentStore, readOnlyBecause reason: (@Sendable () throws(ArtError) -> String?)?,
    author name: String?, session: SessionID? = nil, journal location: JournalLocation,
    autosave policy: AutosavePolicy,
    refreshInterval: Duration?, clock: some Clock<Duration>, time: @escaping @Sendable () -> Int,
    using generator: any RandomNumberGenerator & Sendable
  ) async throws(ArtError) -> Document {
    var generator = generator
    let author = try Author(origin: Origin(using: &generator), name: name, session: session)
    let restorer = try Author(origin: Origin(using: &generator), name: name)
    let preparation = Preparation(location: location, restorer: restorer, readOnlyReason: reason)
    typealias Opened = (
      reason: String?, folder: JournalFolder?, recovered: [RecoveryOutcome], stamp: FileStamp,
      content: DocumentContent, file: HeldFile?
    )
    let opened = try await ThreadPool.shared.value {
      () throws(ArtError) -> Opened in
      let reason = try preparation.readOnlyReason(of: store)
      let (folder, recovered) = try reason == nil ? preparation.prepare(store) : (nil, [])
      // The stamp is taken before reading: the next refresh notices a later write.
      let (file, stamp) = (store.hold(nil), try store.stamp())
      let found = try store.find(by: author.origin, holding: file)
      // If another file has come meanwhile, the next access compares that one with the file which was there first.
      return (reason, folder, recovered, stamp, found.content, found.file ?? file)
    }
    let document = Document(
      store,
      WorkingCopy(opened.content, by: author, using: generator), opened.stamp, opened.file,
      opened.recovered, preparation, policy, refreshInterval, Timeline(clock), time)
    try await document.begin(readOnlyBecause: opened.reason, journal: opened.folder)
    return document
  }

  private init(
    _ store: some DocumentStore, _ copy: WorkingCopy, _ stamp: FileStamp, _ held: HeldFile?,
    _ recovered: [RecoveryOutcome], _ preparation: Preparation, _ policy: AutosavePolicy,
    _ refreshInterval: Duration?, _ timeline: Timeline, _ time: @escaping @Sendable () -> Int
  ) {
    location = StoreLocation(store)
    recoveries = Mutex(recovered)
    self.preparation = preparation
    self.copy = copy
    self.stamp = stamp
    self.held = held
    self.refreshInterval = refreshInterval
    self.timeline = timeline
    self.time = time
    origin = copy.origin
    autosave = Autosave(policy)
    let emitted = EmittedVersion()
    emittedVersion = emitted
    listeners = Broadcast { .resync(version: emitted.value.withLock { $0 }) }
  }

  private func begin(readOnlyBecause reason: String?, journal folder: JournalFolder?) throws(ArtError) {
    try makeJournal(in: folder)
    emit(life.opened(readOnlyBecause: reason))
    scheduleRefresh()
  }

  private func makeJournal(in folder: JournalFolder?) throws(ArtError) {
    guard journal == nil, let folder else { return }
    journal = try store.makeJournal(in: folder, on: copy.base, origin: origin, author: copy.client.author)
  }

  /// Notes what a refresh has found: why the document cannot be saved, or that it can, and the folder for its journal. Without a journal it
  /// stays as it is, and the next refresh tries again.
  func noteAccess(_ reason: String?, journal folder: JournalFolder?, _ recovered: [RecoveryOutcome]) {
    recoveries.withLock { $0 += recovered }
    if let reason {
      guard !hasUnsavedChanges, closing == 0 else { return }
      emit(life.editingDisabled(because: reason))
    } else if case .editingDisabled = life.state {
      do throws(ArtError) { try makeJournal(in: folder) } catch { return }
      emit(life.editingEnabled())
    }
  }

  // MARK: Listening

  /// The events from now on, for one of any number of listeners. A listener with more than `capacity` events waiting
  /// gets `resync` in their place. Without `ownEdits` the changes of this document's clients are left out, and so are
  /// their versions.
  public nonisolated func events(capacity: Int = 256, ownEdits: Bool = true) -> DocumentEvents {
    events(capacity: capacity) { event in
      if case .changed(let change) = event { ownEdits || !change.cause.isOwn } else { true }
    }
  }

  /// The events that a filter selects.
  package nonisolated func events(
    capacity: Int, where isWanted: @escaping @Sendable (DocumentEvent) -> Bool
  ) -> DocumentEvents {
    listeners.subscribe(capacity: capacity, where: isWanted)
  }

  /// A snapshot, and the events from then on. The snapshot with the changes applied in order always equals the
  /// content, and the last state among the events is the document's state. After `resync` a listener takes a new
  /// snapshot and skips changes up to its version.
  public func follow(capacity: Int = 256) -> (snapshot: DocumentSnapshot, events: DocumentEvents) {
    (snapshot, events(capacity: capacity))
  }

  /// Has a function called with every event from now on, inside the document: it must not wait.
  package nonisolated func forwardEvents(to receive: @escaping @Sendable ([DocumentEvent]) -> Void) {
    listeners.forward(to: receive)
  }

  /// The version up to which events have been emitted.
  package nonisolated var lastVersion: @Sendable () -> Int {
    { [emittedVersion] in emittedVersion.value.withLock { $0 } }
  }

  func emit(_ state: DocumentState?) {
    if let state { listeners.send(.state(state)) }
  }

  func emit(_ events: [DocumentEvent]) {
    guard !events.isEmpty else { return }
    emittedVersion.value.withLock { $0 = copy.version }
    listeners.send(events)
  }

  // MARK: Editing

  /// Performs requests one after the other, and answers each. A failed request has no effect on the document and on
  /// the next requests. When this returns, all edits are in the journal; if writing the journal fails, all requests
  /// fail.
  public func perform(_ requests: [ClientRequest]) -> [Result<DocumentAnswer, ArtError>] {
    do throws(ArtError) { try checkEditable() } catch { return requests.map { _ in .failure(error) } }
    let answers = copy.perform(requests, unsaved: changeCount.unsaved, time: time)
    let entries = copy.uncommitted
    do throws(ArtError) {
      try journal?.append(entries, on: copy.base)
    } catch {
      copy.rollBack()
      return answers.map { answer in if case .success = answer { .failure(error) } else { answer } }
    }
    let changes = copy.commit()
    count(entries)
    emit(changes.map(DocumentEvent.changed))
    if !changes.isEmpty { step() }
    return answers
  }

  /// The answer to a client's request that was performed before, under the same tag; nil for a new one. For work before the request that need
  /// not be done twice. Throws `requestTooOld` as performing does.
  public func answer(
    repeating tag: RequestTag, by client: DocumentClient? = nil, since: KnownHead? = nil
  ) throws(ArtError) -> DocumentAnswer? {
    try copy.answer(repeating: tag, by: client, since: since, unsaved: changeCount.unsaved)
  }

  private func count(_ entries: [LoggedEdit]) {
    guard !entries.isEmpty else { return }
    let now = timeline.now()
    for entry in entries {
      switch entry.kind {
      case .edit, .merge, .repair, .refuse: changeCount.update(.done)
      case .undo: changeCount.update(.undone)
      case .redo: changeCount.update(.redone)
      }
      autosave.changed(at: now)
    }
  }

  /// Throws `closed` for a document that is closed or being closed, and one that cannot be edited.
  package func checkEditable() throws(ArtError) {
    switch life.state {
    case _ where closing > 0: throw .closedDocument(path)
    case .closed: throw .closedDocument(path)
    case .editingDisabled(let reason): throw .readOnlyDocument(path, reason)
    case .open, .saving, .error: return
    }
  }

  /// Sets the background. The picture's bytes are durably in the file before the edit is made; the edit is journaled
  /// like any other. `pending` is the URL under which the picture was pending: if another URL, or none, is pending by
  /// now, nothing is done.
  ///
  /// Returns nil if it has no effect, and when the task is cancelled before the edit is made. Throws `closed`, what
  /// planning throws and what writing a file throws; then the document is unchanged.
  ///
  /// A file stores a limited number of pictures, so three newer pictures of other programs may displace the bytes
  /// before the edit is saved. The save then makes the picture's URL pending instead, and emits
  /// `DocumentEvent.dropped`.
  @discardableResult
  public func setBackground(
    _ picture: CheckedPicture, from url: String?, pending: String? = nil, keepsCanvas: Bool = false,
    by client: DocumentClient? = nil, tag: RequestTag? = nil
  ) async throws(ArtError) -> LoggedEdit? {
    try checkEditable()
    let background = try Background(picture, from: url)
    guard pending == nil || content.pending?.url == pending else { return nil }
    let (store, id, recent) = (store, content.id, copy.unsaved.pictures + copy.saving.pictures)
    let stored = try await wait { [held] () throws(ArtError) in
      try store.keep(picture, in: id, recent: recent, holding: held)
    }
    copy.pictureStored(background.digest, among: stored)
    // No suspension from here on.
    guard !Task.isCancelled else { return nil }
    let edit = BackgroundEdit.set(background, keepsCanvas: keepsCanvas, pending: pending)
    return try perform(ClientRequest(.background(edit), by: client, tag: tag)).entries.first
  }

  /// Whether there is capacity for more unsaved edits.
  public var hasCapacity: Bool { unsavedChanges < capacity && !(journal?.isFull ?? false) }

  /// Returns when there is capacity for more unsaved edits, usually at once. Edits accumulate, within a bound, while
  /// a disk is slow or saving fails. Returns also when the task is cancelled.
  public func waitForCapacity() async {
    while !hasCapacity, life.state != .closed, !Task.isCancelled { await waiters.wait(waiters.ticket) }
  }

  // MARK: Saving

  /// The edits that no save has begun to save.
  package var unsavedEdits: UnsavedEdits { copy.unsaved }

  /// Whether the token's changes are saved.
  public func isSaved(_ token: SaveToken) -> Bool { changeCount.isSaved(token) }

  /// Saves all changes made until now, on top of what other programs saved meanwhile. Returns when they are durable.
  /// Throws what writing a file throws, and `replaced` when another document is at the path; the edits are kept then.
  public func save() async throws(ArtError) { try await save(.asked) }

  func save(_ reason: SaveReason) async throws(ArtError) {
    let goal = changeCount.token
    while !changeCount.isSaved(goal) {
      guard life.state != .closed else { throw .closedDocument(path) }
      if let running = runningSave {
        let error = await running.task.value
        // An autosave has a short timeout, so its error does not end an explicit save.
        if let error, running.reason != .autosave, goal.isCovered(by: running.token) { throw error }
      } else if let runningRefresh {
        _ = await runningRefresh.value
      } else if let error = await startSave(reason).task.value {
        throw error
      }
    }
  }

  /// Performs the next step of the autosave machine.
  func step() {
    guard life.state != .closed, closing == 0, runningRefresh == nil else { return }
    switch autosave.next(at: timeline.now()) {
    case .idle: break
    case .save: _ = startSave(.autosave)
    case .wait(let until): setTimer(until)
    }
  }

  /// Sets the timer for the machine's next step, unless an earlier one is set.
  private func setTimer(_ due: Duration) {
    if let autosaveTimer {
      guard due < autosaveTimer.due else { return }
      autosaveTimer.task.cancel()
    }
    let task = Task { [weak self, timeline] in
      do { try await timeline.sleep(due) } catch { return }
      await self?.timerFired(due)
    }
    autosaveTimer = (due, task)
  }

  /// A timer that fired although it was cancelled finds another timer set, or none.
  private func timerFired(_ due: Duration) {
    guard autosaveTimer?.due == due else { return }
    autosaveTimer = nil
    step()
  }

  /// Starts a save of all changes made until now. No other save is running.
  private func startSave(_ reason: SaveReason) -> RunningSave {
    generation.begun += 1
    let (number, token, pictures) = (generation.begun, changeCount.token, copy.ownPictures)
    let edits = copy.beginSave()
    let (segment, isJournalled) = (journal?.cut(), journal != nil)
    isRegistered = isRegistered || isJournalled
    autosave.saveBegan()
    emit(life.saveBegan())
    let store = store.waiting(atMost: saveTimeout ?? reason.timeout)
    let task = Task { () -> ArtError? in
      do throws(ArtError) {
        let outcome = try await save(edits, isJournalled: isJournalled, to: store)
        saved(token, outcome, segment, pictures)
        generation.completed = max(generation.completed, number)
        return nil
      } catch {
        failed(error)
        return error
      }
    }
    let running = RunningSave(task: task, token: token, reason: reason)
    runningSave = running
    return running
  }

  private func saved(_ token: SaveToken, _ outcome: SaveOutcome, _ segment: Int?, _ pictures: Set<String>) {
    runningSave = nil
    if let segment {
      savedSegment = segment
      trimJournal()
    }
    changeCount.clear(upTo: token)
    blocker = SaveBlocker()
    let events = copy.saved(outcome, pictures: pictures)
    hold(outcome.file)
    autosave.saveSucceeded()
    emit(events + [.saved(revision: copy.base.revision)])
    emit(life.saveSucceeded())
    waiters.release()
    mergeReplaced()
    step()
  }

  private func failed(_ error: ArtError) {
    runningSave = nil
    // An I/O error leaves the outcome unknown; every other error means that nothing was written.
    copy.saveFailed(isUnknown: error.code == .inputOutput)
    autosave.saveFailed(at: timeline.now())
    emit(life.saveFailed(error))
    step()
  }

  /// Removes saved segments from the journal. A failure is harmless: the file records that they are saved, and the
  /// next save or refresh tries again.
  func trimJournal() {
    do throws(ArtError) { try journal?.remove(upTo: savedSegment) } catch { return }
    waiters.release()
  }

  /// Sets the store at the document's new path. Saves and refreshes that start from now on use it.
  package nonisolated func move(to store: some DocumentStore) { location.store.withLock { $0 = store } }

  // MARK: Closing

  /// Saves all changes and closes; edits are refused meanwhile. If saving fails, the document stays open in the state
  /// `error` and accepts edits again.
  public func close() async throws(ArtError) {
    closing += 1
    defer { stopClosing() }
    try await save(.closing)
    try await mergeBeforeClosing()
    await removeJournal()
    end()
  }

  /// Closes without saving. Unsaved edits stay in the journal; the next program that edits the document restores
  /// them.
  public func abandon() async {
    closing += 1
    defer { stopClosing() }
    await setReplacedAside()
    journal?.abandon()
    journal = nil
    end()
  }

  /// Closes without saving. Unsaved edits are lost.
  public func closeDiscardingChanges() async {
    closing += 1
    defer { stopClosing() }
    await setReplacedAside()
    changeCount.update(.cleared)
    copy.discardUnsaved()
    autosave = Autosave(autosave.policy)
    await removeJournal()
    end()
  }

  /// Resumes autosaves if the document could not be closed.
  private func stopClosing() {
    closing -= 1
    step()
  }

  func waitUntilIdle() async {
    while true {
      if let runningSave {
        _ = await runningSave.task.value
      } else if let runningRefresh {
        _ = await runningRefresh.value
      } else {
        return
      }
    }
  }

  /// Removes the journal, once for all callers, when none of its edits is needed any more.
  private func removeJournal() async {
    if journalRemoval == nil, let journal {
      self.journal = nil
      journalRemoval = Task { await remove(journal) }
    }
    await journalRemoval?.value
  }

  /// Removes the document's row about the journal only after the journal is marked as finished. A failure at any step
  /// leaves a journal that is marked as finished.
  private func remove(_ journal: Journal) async {
    do throws(ArtError) {
      try journal.close()
      if isRegistered {
        let (store, origin) = (store, origin)
        try await wait { () throws(ArtError) in try store.forget(origin) }
      }
      try journal.release()
    } catch {
      journal.abandon()
    }
  }

  private func end() {
    autosaveTimer?.task.cancel()
    autosaveTimer = nil
    autosave = Autosave(autosave.policy)
    held = nil
    emit(life.closed())
    listeners.finish()
    refreshTimer?.cancel()
    hintTask?.cancel()
    waiters.release()
  }

  // MARK: Waiting for the store

  func wait<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await storeQueue.value(of: work)
  }
}
