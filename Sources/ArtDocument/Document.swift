// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Dispatch
import Synchronization

/// Where a document keeps the edits that no save holds yet, so that they outlive the program.
public enum JournalPlace: Sendable {
  /// In this machine's state folder: `$EMOJIART_STATE`, else `$XDG_STATE_HOME/emojiart`, else
  /// `~/.local/state/emojiart`.
  case standard
  /// In a folder of the program's choice, which must then restore from there itself.
  case folder(JournalFolder)
  /// Nowhere: a program that is killed loses what it has not saved.
  case none

  func folder() throws(ArtError) -> JournalFolder? {
    switch self {
    case .standard: try JournalFolder.standard()
    case .folder(let folder): folder
    case .none: nil
    }
  }
}

/// A reason to look at the store: somebody may have written to it.
public struct RefreshHint: Sendable {
  /// Whether no program is writing to the store: a store that cannot be read then is an error.
  public let isQuiet: Bool
  /// Is told when the refresh is over, and whether the store could be read: otherwise nobody says when it can be, and the source
  /// gives the hint again.
  public let done: @Sendable (Bool) async -> Void

  /// A hint.
  public init(isQuiet: Bool = true, done: @escaping @Sendable (Bool) async -> Void = { _ in }) {
    self.isQuiet = isQuiet
    self.done = done
  }
}

/// Why a save is made; it sets how long a document that another program holds is waited for.
private enum SaveReason {
  case asked
  case autosave
  case closing

  var timeout: Duration {
    switch self {
    case .asked, .closing: .seconds(5)
    // No caller waits for an autosave, and a failed one is repeated.
    case .autosave: .seconds(1)
    }
  }
}

/// A document that a program keeps open: it takes edits in memory, saves itself, says in which state it is, and
/// undoes and redoes.
///
/// The way of an edit: `perform` plans it on the content, applies it, numbers it, appends it to the log, puts it into
/// the journal, counts the change and tells the listeners; a save later writes the net rows and the new entries of the
/// log in one transaction. What others saved meanwhile is taken in then, or at the next refresh. Between calls the file is
/// not open. What the edits do to the content is the business of `WorkingCopy`; the document connects it with the store, the
/// journal, the clock and the listeners.
///
/// What a document that is let go without `close` has not saved stays in its journal, and is restored by whoever edits
/// the document next; without a journal it is lost.
///
/// It works on an executor of its own, and waits for the store on a second one: neither a locked file nor a slow disk holds up
/// Swift's threads, and a running save does not hold up edits.
public actor Document {
  /// Where the document is kept.
  public nonisolated var store: any DocumentStore { place.store.withLock { $0 } }
  /// What messages call the document: the path of its file.
  public nonisolated var path: String { store.path }
  /// The mark of this program's edits.
  public nonisolated let origin: Origin
  /// Where the document is in its life.
  public var state: DocumentState { life.state }
  /// Whether there are changes that no save holds yet.
  public var hasUnsavedChanges: Bool { changeCount.unsaved > 0 }
  /// How many.
  public var unsavedChanges: Int { changeCount.unsaved }
  /// Stands for the changes made until now; `isSaved` tells of it later.
  public var changeToken: SaveToken { changeCount.token }
  /// The document as it is now. Holding a copy makes the next edit copy all of it.
  public var content: DocumentContent { copy.content }
  /// The count of changes of the content since the document was opened.
  public var version: Int { copy.version }
  /// The state that is durably in the store, as far as this program knows.
  public var saved: DocumentBase { copy.base }
  /// The content and its version.
  public var snapshot: DocumentSnapshot { copy.snapshot }

  /// What became of orphaned journals when the document was opened.
  public nonisolated let recovered: [RecoveryOutcome]

  private nonisolated let place: Place
  private var copy: WorkingCopy
  private var life = DocumentLife()
  private var changeCount = ChangeCount()
  private var autosave: Autosave
  /// Keeps the unsaved edits; nil where the document has none, or is closed.
  private var journal: Journal?
  /// Whether the file may have a row about the journal.
  private var isKnownToFile = false
  /// Up to which segment of the journal all is saved.
  private var savedSegment = 0
  /// The journal's removal, when the document closes.
  private var journalRemoval: Task<Void, Never>?
  private var runningSave: RunningSave?
  /// Never at the same time as a save.
  private(set) var runningRefresh: Task<Void, Never>?
  /// How many refreshes and saves have begun, and the newest of them that has seen the store.
  private(set) var generation = (begun: 0, seen: 0)
  /// The store as it was at the last refresh.
  var stamp: FileStamp?
  private(set) var blocker = SaveBlocker()
  /// Unsaved edits that are kept at most. A test sets it.
  var capacity = 1_000_000
  let waiters = Waiters()
  /// How many callers are waiting for the document to be closed.
  private(set) var closing = 0
  private var autosaveTimer: (due: Duration, task: Task<Void, Never>)?
  private var refreshTimer: Task<Void, Never>?
  private var refreshInterval: Duration?
  private var following: Task<Void, Never>?
  private let timeline: Timeline
  private let time: @Sendable () -> Int
  private let storeQueue = DispatchQueue(label: "emojiart.store")
  private nonisolated let listeners: Broadcast<DocumentEvent>
  /// The version that listeners have been told of.
  private nonisolated let toldVersion: ToldVersion
  private nonisolated let executor = ThreadExecutor("emojiart.document")

  /// The document's own executor.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private final class ToldVersion: Sendable {
    let value = Mutex(0)
  }

  /// Where the document is kept by now.
  private final class Place: Sendable {
    let store: Mutex<any DocumentStore>
    init(_ store: any DocumentStore) { self.store = Mutex(store) }
  }

  private struct RunningSave {
    var task: Task<ArtError?, Never>
    /// What it will hold.
    var token: SaveToken
    var reason: SaveReason
  }

  // MARK: Opening

  /// Opens a document for an author with that name and session, if any; each opening is an origin of its own. Throws what reading
  /// a file throws, `badValue` for a name that is none, and what making a journal throws. A file that cannot be written
  /// is opened to be looked at. Orphaned journals in the journal's folder are restored first, and the file's `notice` is told.
  ///
  /// `refreshInterval` is how often the store is looked at for what others did, besides at each save and each of `hints`; nil for
  /// never. `clock` decides when to save, `time` tells in milliseconds since 1970 when an edit was made, and ids are drawn from
  /// `generator`.
  public static func open(
    _ store: some DocumentStore, author name: String? = nil, session: SessionID? = nil,
    journal place: JournalPlace = .standard, autosave policy: AutosavePolicy = AutosavePolicy(),
    refreshInterval: Duration? = .seconds(2), clock: some Clock<Duration> = ContinuousClock(),
    time: @escaping @Sendable () -> Int = millisecondsSince1970,
    using generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) async throws(ArtError) -> Document {
    try await open(
      store, readOnlyBecause: { () throws(ArtError) in try store.readOnlyReason() }, author: name,
      session: session, journal: place, autosave: policy, refreshInterval: refreshInterval, clock: clock,
      time: time,
      using: generator)
  }

  static func open(
    _ store: some DocumentStore, readOnlyBecause reason: @escaping @Sendable () throws(ArtError) -> String?,
    author name: String?, session: SessionID? = nil, journal place: JournalPlace,
    autosave policy: AutosavePolicy,
    refreshInterval: Duration?, clock: some Clock<Duration>, time: @escaping @Sendable () -> Int,
    using generator: any RandomNumberGenerator & Sendable
  ) async throws(ArtError) -> Document {
    var generator = generator
    let author = try Author(origin: Origin(using: &generator), name: name, session: session)
    let restorer = try Author(origin: Origin(using: &generator), name: name)
    typealias Opened = (
      reason: String?, folder: JournalFolder?, recovered: [RecoveryOutcome], stamp: FileStamp,
      content: DocumentContent
    )
    let opened = try await wait(on: DispatchQueue(label: "emojiart.opening")) {
      () throws(ArtError) -> Opened in
      let reason = try reason()
      let folder = try reason == nil ? place.folder() : nil
      let recovered = try folder.map { (folder) throws(ArtError) in
        try store.restoreOrphans(in: folder, by: restorer)
      }
      // The stamp is taken first: what comes after it is seen by the next refresh.
      let stamp = try store.stamp()
      return (reason, folder, recovered ?? [], stamp, try store.read())
    }
    let document = Document(
      store, WorkingCopy(opened.content, by: author, using: generator), opened.stamp, opened.recovered,
      policy,
      refreshInterval, Timeline(clock), time)
    try await document.begin(readOnlyBecause: opened.reason, journal: opened.folder)
    return document
  }

  private init(
    _ store: some DocumentStore, _ copy: WorkingCopy, _ stamp: FileStamp, _ recovered: [RecoveryOutcome],
    _ policy: AutosavePolicy, _ refreshInterval: Duration?, _ timeline: Timeline,
    _ time: @escaping @Sendable () -> Int
  ) {
    place = Place(store)
    self.recovered = recovered
    self.copy = copy
    self.stamp = stamp
    self.refreshInterval = refreshInterval
    self.timeline = timeline
    self.time = time
    origin = copy.origin
    autosave = Autosave(policy)
    let told = ToldVersion()
    toldVersion = told
    listeners = Broadcast { .resync(version: told.value.withLock { $0 }) }
  }

  private func begin(readOnlyBecause reason: String?, journal folder: JournalFolder?) throws(ArtError) {
    if let folder {
      journal = try store.makeJournal(
        in: folder, on: copy.base, origin: origin, author: copy.client.author)
    }
    tell(life.opened(readOnlyBecause: reason))
    scheduleRefresh()
  }

  // MARK: Listening

  /// What happens from now on, for one listener of any number, with or without own edits. It is told to
  /// resync when more than `capacity` events wait for it. A listener without own edits misses their versions.
  public nonisolated func events(capacity: Int = 256, ownEdits: Bool = true) -> DocumentEvents {
    events(capacity: capacity) { event in
      if case .changed(let change) = event { ownEdits || !change.cause.isOwn } else { true }
    }
  }

  /// The same for what a listener wants.
  package nonisolated func events(
    capacity: Int, where isWanted: @escaping @Sendable (DocumentEvent) -> Bool
  ) -> DocumentEvents {
    listeners.subscribe(capacity: capacity, where: isWanted)
  }

  /// The document as it is, and what happens from then on: the snapshot with the changes applied to it in their order is the
  /// content at every moment. After `resync` a listener takes a new snapshot and passes over changes up to its version.
  public func follow(capacity: Int = 256) -> (snapshot: DocumentSnapshot, events: DocumentEvents) {
    (snapshot, events(capacity: capacity))
  }

  /// Has a function called with every event from now on, inside the document: it must not wait.
  package nonisolated func forwardEvents(to receive: @escaping @Sendable ([DocumentEvent]) -> Void) {
    listeners.forward(to: receive)
  }

  /// Gives the version that listeners have been told of.
  package nonisolated var lastVersion: @Sendable () -> Int {
    { [toldVersion] in toldVersion.value.withLock { $0 } }
  }

  private func tell(_ state: DocumentState?) {
    if let state { listeners.send(.state(state)) }
  }

  private func tell(_ events: [DocumentEvent]) {
    guard !events.isEmpty else { return }
    toldVersion.value.withLock { $0 = copy.version }
    listeners.send(events)
  }

  // MARK: Editing

  /// Does an action. Returns nil when it has no effect. Throws `closed`, and what planning the action throws;
  /// then nothing is changed.
  @discardableResult
  public func perform(_ action: Action) throws(ArtError) -> LoggedEdit? {
    try perform(ClientRequest(.action(action))).entries.first
  }

  /// Does an edit. Returns nil when it has no effect. Throws `closed` and `tooLarge`; then nothing is changed.
  @discardableResult
  public func perform(_ edit: Edit) throws(ArtError) -> LoggedEdit? {
    try perform(ClientRequest(.edit(edit))).entries.first
  }

  /// Clears the background, has one fetched later, or gives one up. Returns nil when it has no effect. Throws `closed`, and what
  /// planning throws; then nothing is changed.
  @discardableResult
  public func perform(_ edit: BackgroundEdit) throws(ArtError) -> LoggedEdit? {
    try perform(ClientRequest(.background(edit))).entries.first
  }

  /// Takes back the newest edit of the client that stands. Throws `nothingToUndo` and `closed`.
  @discardableResult
  public func undo(by client: DocumentClient? = nil) throws(ArtError) -> LoggedEdit {
    guard let entry = try perform(ClientRequest(.undo(1), by: client)).entries.first else {
      throw .nothingOwnTo("undo")
    }
    return entry
  }

  /// Does again what the client undid last. Throws `nothingToUndo` and `closed`.
  @discardableResult
  public func redo(by client: DocumentClient? = nil) throws(ArtError) -> LoggedEdit {
    guard let entry = try perform(ClientRequest(.redo(1), by: client)).entries.first else {
      throw .nothingOwnTo("redo")
    }
    return entry
  }

  /// Does what one client asks. Throws what keeps it from being done; then nothing is changed.
  @discardableResult
  public func perform(_ request: ClientRequest) throws(ArtError) -> DocumentAnswer {
    guard let result = perform([request]).first else { throw .closedDocument(path) }
    return try result.get()
  }

  /// Does what the program itself asks, and answers each request.
  public func perform(_ requests: [DocumentRequest]) -> [Result<DocumentAnswer, ArtError>] {
    perform(requests.map { ClientRequest($0) })
  }

  /// Does what is asked, one after the other, and answers each. A request that fails leaves no trace and does not keep
  /// the next ones from being done. All that was done is in the journal when this returns; where it cannot be put there
  /// nothing is done.
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
    tell(changes.map(DocumentEvent.changed))
    if !changes.isEmpty { step() }
    return answers
  }

  private func count(_ entries: [LoggedEdit]) {
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
  }

  private func checkEditable() throws(ArtError) {
    switch life.state {
    case _ where closing > 0: throw .closedDocument(path)
    case .closed: throw .closedDocument(path)
    case .editingDisabled(let reason): throw .readOnlyDocument(path, reason)
    case .open, .saving, .error: return
    }
  }

  /// Sets the background: the picture's bytes are in the file, durably, before the edit is made, and the edit is journalled like
  /// any other. `pending` is the URL that it was pending by, if it was; where that is not pending any more, it is not set.
  ///
  /// Returns nil when it has no effect, and when the task is cancelled before the edit is made. Throws `closed`, what planning
  /// throws and what writing a file throws; then the document is as it was.
  ///
  /// Others may take the bytes' room before the edit is saved, by three pictures of their own. The save then makes another edit
  /// of it, which has the picture fetched again, and `DocumentEvent.dropped` tells.
  @discardableResult
  public func setBackground(
    _ picture: CheckedPicture, from url: String?, pending: String? = nil, keepsCanvas: Bool = false,
    by client: DocumentClient? = nil, tag: RequestTag? = nil
  ) async throws(ArtError) -> LoggedEdit? {
    try checkEditable()
    let background = try Background(picture, from: url)
    guard pending == nil || content.pending?.url == pending else { return nil }
    let (store, id, recent) = (store, content.id, copy.unsaved.pictures + copy.saving.pictures)
    let held = try await wait { () throws(ArtError) in try store.keep(picture, in: id, recent: recent) }
    copy.keptPicture(background.digest, among: held)
    // From here on nobody can come between.
    guard !Task.isCancelled else { return nil }
    let edit = BackgroundEdit.set(background, keepsCanvas: keepsCanvas, pending: pending)
    return try perform(ClientRequest(.background(edit), by: client, tag: tag)).entries.first
  }

  /// Whether there is capacity for more unsaved edits.
  public var hasCapacity: Bool { unsavedChanges < capacity && !(journal?.isFull ?? false) }

  /// Returns when there is capacity for more unsaved edits, at once as a rule: while a disk is slow or a document cannot be
  /// saved, edits are kept, but not without bound. Returns also when the task is cancelled.
  public func waitForCapacity() async {
    while !hasCapacity, life.state != .closed, !Task.isCancelled { await waiters.wait(waiters.ticket) }
  }

  // MARK: Saving

  /// Whether a save holds the changes that the token stands for.
  public func isSaved(_ token: SaveToken) -> Bool { changeCount.isSaved(token) }

  /// Saves what is changed until now, on top of what others saved meanwhile. Returns when it is durable. Throws what
  /// writing a file throws, and `replaced` when another document stands at the path; the edits are kept then.
  public func save() async throws(ArtError) { try await save(.asked) }

  private func save(_ reason: SaveReason) async throws(ArtError) {
    let goal = changeCount.token
    while !changeCount.isSaved(goal) {
      guard life.state != .closed else { throw .closedDocument(path) }
      if let running = runningSave {
        let error = await running.task.value
        // An autosave is impatient: its error does not speak for those who asked.
        if let error, running.reason != .autosave, goal.isCovered(by: running.token) { throw error }
      } else if let runningRefresh {
        await runningRefresh.value
      } else if let error = await startSave(reason).task.value {
        throw error
      }
    }
  }

  /// Does what the autosave machine says is next.
  private func step() {
    guard life.state != .closed, closing == 0, runningRefresh == nil else { return }
    switch autosave.next(at: timeline.now()) {
    case .idle: break
    case .save: _ = startSave(.autosave)
    case .wait(let until): setTimer(until)
    }
  }

  /// Asks the machine again then, or earlier if that was wanted before.
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

  /// One that was cancelled too late to stay asleep finds another one in its place, or none.
  private func timerFired(_ due: Duration) {
    guard autosaveTimer?.due == due else { return }
    autosaveTimer = nil
    step()
  }

  /// Begins a save of what is changed until now. No other one is running.
  private func startSave(_ reason: SaveReason) -> RunningSave {
    generation.begun += 1
    let (number, token, pictures) = (generation.begun, changeCount.token, copy.ownPictures)
    let edits = copy.beginSave()
    let (segment, isJournalled) = (journal?.cut(), journal != nil)
    isKnownToFile = isKnownToFile || isJournalled
    autosave.saveBegan()
    tell(life.saveBegan())
    let store = store.waiting(atMost: reason.timeout)
    let task = Task { () -> ArtError? in
      do throws(ArtError) {
        let outcome = try await wait { () throws(ArtError) in
          try store.save(edits, isJournalled: isJournalled)
        }
        saved(token, outcome, segment, pictures)
        generation.seen = max(generation.seen, number)
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
      removeSaved()
    }
    changeCount.clear(upTo: token)
    blocker = SaveBlocker()
    let events = copy.saved(outcome, pictures: pictures)
    autosave.saveSucceeded()
    tell(events + [.saved(revision: copy.base.revision)])
    tell(life.saveSucceeded())
    waiters.release()
    step()
  }

  private func failed(_ error: ArtError) {
    runningSave = nil
    // An I/O error leaves the outcome unknown; every other error means that nothing was written.
    copy.saveFailed(isUnknown: error.code == .inputOutput)
    autosave.saveFailed(at: timeline.now())
    tell(life.saveFailed(error))
    step()
  }

  /// Removes what is saved from the journal. What cannot be removed is in the file, which says so; the next save or refresh
  /// tries again.
  private func removeSaved() {
    do throws(ArtError) { try journal?.remove(upTo: savedSegment) } catch { return }
    waiters.release()
  }

  // MARK: Refreshing

  /// Looks whether others have edited the document, and takes in what they did; edits that no save holds come on top of
  /// that by a save. What goes wrong is told by the state, unless the store may be being written just now: `isQuiet` says
  /// that it is not.
  ///
  /// Returns when a refresh, or a save, which refreshes, too, has begun after the call and is over. False when the store could
  /// not be read: nobody will tell when it can be, so it should be tried again.
  @discardableResult
  public func refresh(isQuiet: Bool = true) async -> Bool {
    removeSaved()
    let before = generation.begun
    while generation.seen <= before {
      guard life.state != .closed, closing == 0 else { return true }
      if let runningSave {
        _ = await runningSave.task.value
      } else if let runningRefresh {
        await runningRefresh.value
      } else {
        await startRefresh(isQuiet).value
        // One that failed and was not to be told has seen nothing.
        if !isQuiet { return generation.seen > before }
      }
    }
    return blocker.readError == nil
  }

  /// Has the document refresh at each hint, until the sequence ends or the document is closed. One sequence at a time.
  public func refresh(at hints: some AsyncSequence<RefreshHint, Never> & Sendable) {
    following?.cancel()
    guard life.state != .closed else { return }
    following = Task { [weak self] in
      for await hint in hints {
        guard let self, !Task.isCancelled else { return }
        await hint.done(self.refresh(isQuiet: hint.isQuiet))
      }
    }
  }

  /// Has the clock refresh every so often, too, or, with nil, not any more.
  public func refresh(every interval: Duration?) {
    guard interval != refreshInterval else { return }
    refreshInterval = interval
    refreshTimer?.cancel()
    scheduleRefresh()
  }

  private func scheduleRefresh() {
    guard let refreshInterval, life.state != .closed else { return }
    refreshTimer = Task { [weak self, timeline] in
      do { try await timeline.sleep(timeline.now() + refreshInterval) } catch { return }
      await self?.refreshTimerFired()
    }
  }

  private func refreshTimerFired() async {
    // A save that runs refreshes.
    if runningSave == nil { await refresh() }
    // Another clock may have been set meanwhile.
    if !Task.isCancelled { scheduleRefresh() }
  }

  /// The store as a refresh finds it.
  private enum RefreshResult: Sendable {
    /// In the state that is known.
    case unchanged(FileStamp)
    /// In another one, with nothing to put on top of it.
    case changed(FileStamp, DocumentContent)
    /// In another one, which a save is to take in.
    case conflict(DocumentBase)
    /// It cannot be read.
    case failed(ArtError)
  }

  private func startRefresh(_ isQuiet: Bool) -> Task<Void, Never> {
    generation.begun += 1
    let (number, old, base, isDirty) = (generation.begun, stamp, copy.base, hasUnsavedChanges)
    let store = store.waiting(atMost: SaveReason.autosave.timeout)
    let task = Task {
      do throws(ArtError) {
        let result = try await wait { () throws(ArtError) -> RefreshResult in
          let stamp = try store.stamp()
          if let old, stamp.showsNothing(since: old) { return .unchanged(stamp) }
          // Most of what is new are this program's own saves.
          let found = try store.base()
          if found == base { return .unchanged(stamp) }
          // A save is not to meet what is half-written.
          if isDirty, isQuiet { return .conflict(found) }
          let content = try store.read()
          guard content.id == base.id else { throw .replaced(store.path) }
          return isDirty ? .conflict(found) : .changed(stamp, content)
        }
        await refreshed(result, number)
      } catch {
        runningRefresh = nil
        if isQuiet { await refreshed(.failed(error), number) } else { step() }
      }
    }
    runningRefresh = task
    return task
  }

  private func refreshed(_ result: RefreshResult, _ number: Int) async {
    runningRefresh = nil
    generation.seen = max(generation.seen, number)
    // It may have been closed meanwhile.
    guard life.state != .closed else { return }
    let isHeldUp = if case .error = life.state { true } else { false }
    let isDue: Bool
    switch result {
    case .unchanged(let stamp):
      self.stamp = stamp
      isDue = blocker.foundNothing(isHeldUp: isHeldUp)
    case .changed(let stamp, let found):
      self.stamp = stamp
      isDue = blocker.foundNothing(isHeldUp: isHeldUp)
      tell(copy.adopt(found))
    case .conflict(let found):
      // A save that fails touches the file, too: only what others do is a reason to try again before its time.
      isDue = blocker.found(found, isHeldUp: isHeldUp)
    case .failed(let error):
      isDue = blocker.failed(error.code)
      if error.code != .busy {
        stamp = nil
        if !hasUnsavedChanges { tell(life.refreshFailed(error)) }
      }
    }
    if blocker.readError == nil, !hasUnsavedChanges { tell(life.refreshSucceeded()) }
    if isDue, hasUnsavedChanges, closing == 0 {
      // Its error is told by the state.
      do throws(ArtError) { try await save(.autosave) } catch {}
    }
    step()
  }

  /// The document's file has another path; saves and refreshes that begin from now on go there.
  package nonisolated func move(to store: some DocumentStore) { place.store.withLock { $0 = store } }

  // MARK: Closing

  /// Saves what is changed and closes; edits are refused meanwhile. When saving fails the document stays open, in the
  /// state `error`, and takes edits again.
  public func close() async throws(ArtError) {
    closing += 1
    defer { stopClosing() }
    try await save(.closing)
    await removeJournal()
    end()
  }

  /// Closes without saving, and leaves what no save holds in the journal: whoever edits the document next restores it.
  public func abandon() async {
    closing += 1
    defer { stopClosing() }
    await waitUntilIdle()
    journal?.abandon()
    journal = nil
    end()
  }

  /// Closes without saving: what no save holds is lost.
  public func closeDiscardingChanges() async {
    closing += 1
    defer { stopClosing() }
    await waitUntilIdle()
    changeCount.update(.cleared)
    copy.discardUnsaved()
    autosave = Autosave(autosave.policy)
    await removeJournal()
    end()
  }

  /// A document that could not be closed goes on saving itself.
  private func stopClosing() {
    closing -= 1
    step()
  }

  private func waitUntilIdle() async {
    while true {
      if let runningSave {
        _ = await runningSave.task.value
      } else if let runningRefresh {
        await runningRefresh.value
      } else {
        return
      }
    }
  }

  /// Removes the journal, of which nothing is needed any more; once, whoever asks.
  private func removeJournal() async {
    if journalRemoval == nil, let journal {
      self.journal = nil
      journalRemoval = Task { await remove(journal) }
    }
    await journalRemoval?.value
  }

  /// The document forgets the journal only when that is gone for good; whatever fails leaves something that says of itself
  /// that it is done.
  private func remove(_ journal: Journal) async {
    do throws(ArtError) {
      try journal.close()
      if isKnownToFile {
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
    tell(life.closed())
    listeners.finish()
    refreshTimer?.cancel()
    following?.cancel()
    waiters.release()
  }

  // MARK: Waiting for the store

  private func wait<Value: Sendable>(
    _ work: @escaping @Sendable () throws(ArtError) -> Value
  ) async throws(ArtError) -> Value {
    try await Self.wait(on: storeQueue, work)
  }

  /// A locked file may be waited for, for seconds: edits go on meanwhile.
  private static func wait<Value: Sendable>(
    on queue: DispatchQueue, _ work: @escaping @Sendable () throws(ArtError) -> Value
  ) async throws(ArtError) -> Value {
    let result = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Result<Value, ArtError>(catching: work)) }
    }
    return try result.get()
  }
}
