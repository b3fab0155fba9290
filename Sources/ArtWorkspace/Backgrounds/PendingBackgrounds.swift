// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtWorker

/// Fetches the pending backgrounds of documents, by the rules for untrusted URLs: two at once, and each by one program on a
/// machine.
///
///     folder, document ──something is pending──▶ PendingSchedule ──begin──▶ lock ──▶ is it still pending?
///                                                      ▲                                │
///                           one edit, an event  ◀──────┴──── BackgroundFetcher ◀────────┘
///
/// It edits the files of a folder's documents, and the folder reports these edits like any other.
public actor PendingBackgrounds {
  /// The outcome of a pending background. A refusal or an error is reported once, until its kind changes.
  public enum Event: Sendable, Equatable {
    /// It was set; the document's revision with it.
    case set(PendingLocation, Background, revision: Int)
    /// It was refused. Unless the refusal is transient, it is not pending any more.
    case rejected(PendingLocation, Refusal, url: String)
    /// It could not be fetched for another reason than the picture, and will be tried again.
    case failed(PendingLocation, ArtError, url: String)
  }

  private let mode: PendingMode
  private let fetcher: BackgroundFetcher
  private let allowsPrivate: Bool
  private let author: String?
  private let lockFolder: String?
  private let time: @Sendable () -> Int
  private let timeline: Timeline
  private var sources: [any PendingSource] = []
  private var followers: [Task<Void, Never>] = []
  private var schedule = PendingSchedule()
  private var locks: [PendingKey: FetchLock] = [:]
  private var fetches: [PendingKey: Task<Void, Never>] = [:]
  private var timer: (due: Duration, task: Task<Void, Never>)?
  private var isRefreshing = false
  private var mustRefreshAgain = false
  private var isClosed = false
  private nonisolated let broadcast = Broadcast<Event>()
  private nonisolated let executor = ThreadExecutor()

  /// An executor of its own, because file operations block it.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// An object that fetches nothing until `follow`. `author` is the author of the edits. `locks` is the folder of the locks that
  /// all programs on this machine share; nil stands for one in the state folder. `time` returns the time of an edit in
  /// milliseconds since 1970; `clock` is for delays.
  public init(
    _ mode: PendingMode = .changed, _ fetcher: BackgroundFetcher = BackgroundFetcher(),
    allowsPrivate: Bool = false, author: String? = nil, locks folder: String? = nil,
    clock: some Clock<Duration> = ContinuousClock(),
    time: @escaping @Sendable () -> Int = WallClock.milliseconds
  ) {
    self.mode = mode
    self.fetcher = fetcher
    self.allowsPrivate = allowsPrivate
    self.author = author
    lockFolder = folder
    self.time = time
    timeline = Timeline(clock)
  }

  /// The events from now on, for one of any number of listeners. A very slow listener misses the oldest.
  public nonisolated func events() -> EventSequence<Event> { broadcast.subscribe(capacity: 1_024) }

  /// Begins to fetch the pending backgrounds of a folder's documents. `only` are their paths; nil stands for all. The caller
  /// closes the folder.
  public func follow(_ folder: DocumentFolder, only: [String]? = nil) async {
    let paths = only.map { Set($0.map { FilePath($0) }) }
    await follow(FolderPending(folder, only: paths, author: author, time: time))
  }

  /// Begins to fetch the pending background of an open document.
  public func follow(_ document: Document) async { await follow(DocumentPending(document)) }

  func follow(_ source: any PendingSource) async {
    guard mode != .none, !isClosed else { return }
    sources.append(source)
    followers.append(
      Task { [weak self] in
        await source.follow { [weak self] in await self?.refresh() }
      })
    await refresh()
  }

  /// Cancels all fetches, and returns when they have ended.
  public func close() async {
    isClosed = true
    timer?.task.cancel()
    timer = nil
    for task in followers { task.cancel() }
    for task in fetches.values { task.cancel() }
    for task in fetches.values { await task.value }
    fetches = [:]
    locks = [:]
    broadcast.finish()
  }

  /// Reads what is pending, and starts and cancels fetches accordingly.
  private func refresh() async {
    mustRefreshAgain = true
    guard !isRefreshing else { return }
    isRefreshing = true
    defer { isRefreshing = false }
    while mustRefreshAgain, !isClosed {
      mustRefreshAgain = false
      var wanted: [PendingKey: [PendingLocation: Int]] = [:]
      for (number, source) in sources.enumerated() {
        for (document, key, revision) in await source.pending(mode) {
          wanted[key, default: [:]][PendingLocation(source: number, document: document)] = revision
        }
      }
      guard !isClosed else { return }
      for key in schedule.want(wanted, at: timeline.now()) {
        fetches.removeValue(forKey: key)?.cancel()
        locks[key] = nil
      }
      step()
    }
  }

  /// Starts what is due, and schedules the next step.
  private func step() {
    while !isClosed {
      switch schedule.next(at: timeline.now()) {
      case .begin(let key):
        schedule.began(key)
        fetches[key] = Task { await fetch(key) }
        continue
      case .wait(let until):
        guard timer?.due != until else { return }
        timer?.task.cancel()
        timer = (
          until,
          Task { [weak self, timeline] in
            // A cancelled timer has been replaced.
            do { try await timeline.sleep(until) } catch { return }
            await self?.wake()
          }
        )
      case .idle:
        timer?.task.cancel()
        timer = nil
      }
      return
    }
  }

  private func wake() {
    guard !Task.isCancelled else { return }
    timer = nil
    step()
  }
}

extension PendingBackgrounds {
  private enum Outcome {
    case picture(CheckedPicture)
    case refused(Refusal)
    case failed(ArtError)
    case cancelled
  }

  /// Fetches one pending background, from its lock to its end. After each wait it checks for cancellation.
  private func fetch(_ key: PendingKey) async {
    do throws(ArtError) {
      if locks[key] == nil { locks[key] = try FetchLock.acquire(key.document, key.url, in: lockFolder) }
      guard locks[key] != nil else { return tryAgainSoon(key) }
      // Another program may have fetched it just now.
      let states = try await pendingStates(of: key)
      guard !Task.isCancelled else { return }
      guard states.values.contains(where: \.isPending) else { return finish(key, states) }
    } catch {
      guard !Task.isCancelled else { return }
      return error.code == .busy ? tryAgainSoon(key) : fail(key, schedule.locations(of: key), error)
    }
    // A cancelled fetch keeps its lock to the end: its edit may not be in the file yet, where other programs look.
    let lock = locks[key]
    defer { withExtendedLifetime(lock) {} }
    let outcome = await outcome(of: key)
    guard !Task.isCancelled else { return }
    switch outcome {
    case .picture(let picture):
      await finish(key) { (source, document) throws(ArtError) in
        try await source.apply(picture, key, in: document)
      } event: { location, state in
        state.background.map { .set(location, $0, revision: state.revision) }
      }
    case .refused(let refusal) where refusal.isTransient:
      if schedule.fetchFailed(key, refusal.reason.rawValue, at: timeline.now()) {
        for location in schedule.locations(of: key) {
          broadcast.send(.rejected(location, refusal, url: key.url))
        }
      }
      goOn(after: key)
    case .refused(let refusal):
      await finish(key) { (source, document) throws(ArtError) in
        try await source.refuse(refusal.reason, key, in: document)
      } event: { location, _ in
        .rejected(location, refusal, url: key.url)
      }
    case .failed(let error): fail(key, schedule.locations(of: key), error)
    // A fetch is cancelled only when its background is not wanted any more.
    case .cancelled: tryAgainSoon(key)
    }
  }

  private func outcome(of key: PendingKey) async -> Outcome {
    let url: BackgroundURL
    do throws(Refusal) { url = try BackgroundURL(key.url) } catch { return .refused(error) }
    let request = BackgroundRequest(url, isUserInitiated: false, allowsPrivate: allowsPrivate)
    do throws(BackgroundFailure) { return .picture(try await fetcher.fetch(request).picture) } catch {
      switch error {
      case .refused(let refusal): return .refused(refusal)
      case .failed(let error): return .failed(error)
      case .cancelled: return .cancelled
      }
    }
  }

  /// The documents in which it is still pending.
  private func pendingStates(of key: PendingKey) async throws(ArtError) -> [PendingLocation: PendingState] {
    var states: [PendingLocation: PendingState] = [:]
    for location in schedule.locations(of: key) {
      states[location] = try await sources[location.source].isPending(key, in: location.document)
    }
    return states
  }

  /// Makes an edit in each document that waits for the picture, and reports each edit at once.
  private func finish(
    _ key: PendingKey,
    _ edit: (any PendingSource, String) async throws(ArtError) -> PendingState,
    event makeEvent: (PendingLocation, PendingState) -> Event?
  ) async {
    var states: [PendingLocation: PendingState] = [:]
    var failure: (location: PendingLocation, error: ArtError)?
    for location in schedule.locations(of: key) {
      do throws(ArtError) {
        let state = try await edit(sources[location.source], location.document)
        states[location] = state
        if state.isPending, let event = makeEvent(location, state) { broadcast.send(event) }
      } catch {
        failure = failure ?? (location, error)
      }
      guard !Task.isCancelled else { return }
    }
    if let failure { fail(key, [failure.location], failure.error) } else { finish(key, states) }
  }

  private func finish(_ key: PendingKey, _ states: [PendingLocation: PendingState]) {
    schedule.finished(key, states.mapValues(\.revision))
    locks[key] = nil
    goOn(after: key)
  }

  /// Reports an error. The lock is kept, because other programs would meet the same error.
  private func fail(_ key: PendingKey, _ locations: [PendingLocation], _ error: ArtError) {
    // The folder is about to report what became of the document, or the document is being closed, which may fail.
    if [.noSuchDocument, .closed].contains(error.code) { return tryAgainSoon(key) }
    if schedule.fetchFailed(key, "\(error.code)", at: timeline.now()) {
      for location in locations { broadcast.send(.failed(location, error, url: key.url)) }
    }
    goOn(after: key)
  }

  private func tryAgainSoon(_ key: PendingKey) {
    schedule.fetchedElsewhere(key, at: timeline.now())
    goOn(after: key)
  }

  private func goOn(after key: PendingKey) {
    fetches[key] = nil
    step()
  }
}

/// Which pending backgrounds are fetched.
public enum PendingMode: String, Sendable, CaseIterable {
  /// None.
  case none
  /// Those that become pending in a document that was known before. A file that merely appears causes no request.
  case changed
  /// All, except those that the user chose not to fetch.
  case all
}

/// A document and the URL of its pending background. Copies of a document share one key and one fetch.
struct PendingKey: Sendable, Hashable {
  let document: DocumentID
  let url: String
}

/// A document with a pending background.
public struct PendingLocation: Sendable, Hashable {
  /// The index of the followed folder or document.
  public let source: Int
  fileprivate let documentPath: FilePath
  /// The document's path in the folder.
  public var document: String { documentPath.string }

  /// A location.
  public init(source: Int, document: String) {
    self.source = source
    documentPath = FilePath(document)
  }
}

/// Documents with pending backgrounds: those of an open folder, or one open document. Documents are named by their paths. Methods
/// that work on files run on the caller's thread, which may block.
protocol PendingSource: Sendable {
  /// Calls `refresh` each time that a background becomes pending or stops being pending; for one listener. Returns when the source
  /// is closed.
  func follow(_ refresh: @Sendable () async -> Void) async
  /// The pending backgrounds that may be fetched, with their documents' revisions.
  func pending(_ mode: PendingMode) async -> [(document: String, key: PendingKey, revision: Int)]
  /// Reads from the file whether this background is still pending, and the document's revision. Throws what reading throws.
  nonisolated(nonsending) func isPending(_ key: PendingKey, in document: String) async throws(ArtError)
    -> PendingState
  /// Sets the picture, if it is still pending. Throws what editing throws; then nothing is changed.
  nonisolated(nonsending) func apply(
    _ picture: CheckedPicture, _ key: PendingKey, in document: String
  ) async throws(ArtError) -> PendingState
  /// Removes the pending background after a permanent refusal, if it is still pending.
  nonisolated(nonsending) func refuse(
    _ reason: Refusal.Reason, _ key: PendingKey, in document: String
  ) async throws(ArtError) -> PendingState
}

/// The state of a document's pending background, as it was read or after an edit.
struct PendingState: Sendable, Equatable {
  var revision: Int
  /// Whether the background was still pending.
  var isPending: Bool
  /// The document's background.
  var background: Background?
}

extension PendingBackground {
  /// Whether it may be fetched: the user has not chosen to work offline.
  var isWanted: Bool { reason != "offline" }
}

/// Decides when each pending background is fetched, as a pure state machine. Times are durations since a moment of the caller's
/// choice.
///
///                began                fetched elsewhere: again in 2 s
///     waiting ───────────▶ running ───────────────────────────────────────────▶ waiting
///                            │   └─── failed: again in 1 min, then twice that, an hour at most
///                            └─ finished: set, permanently refused, or not pending any more ─▶ done
///
///     done    ── wanted in a later state of its document than the one it was finished in ──▶ waiting
///     any     ── not wanted any more ──▶ removed
///
/// - At most `atOnce` are running.
/// - A finished one stays known until it is not wanted: the caller's next state may still have it as pending.
struct PendingSchedule {
  enum Next: Equatable {
    /// Nothing to do until the next event.
    case idle
    /// Ask again at that time.
    case wait(until: Duration)
    /// Start this one.
    case begin(PendingKey)
  }

  private enum Phase: Equatable {
    case waiting(until: Duration)
    case running
    /// Finished, with each document's revision.
    case done([PendingLocation: Int])
  }

  private struct Entry {
    /// Its documents, and the revision of each when it was found pending.
    var locations: [PendingLocation: Int]
    var phase: Phase
    /// The order of arrival.
    let number: Int
    var failures = 0
    /// The kind of the failure that was reported last.
    var reportedKind: String?
  }

  /// How many are fetched at once.
  static let atOnce = 2
  /// The delay after another program was found to fetch it.
  static let sharedDelay = Duration.seconds(2)
  /// The delay after a failure, at first and at most.
  static let (firstPause, longestPause) = (Duration.seconds(60), Duration.seconds(3_600))

  private var entries: [PendingKey: Entry] = [:]
  private var nextNumber = 0

  /// Sets what is pending now, with each document's revision. Returns what is not wanted any more, whose fetches must be
  /// cancelled.
  mutating func want(_ wanted: [PendingKey: [PendingLocation: Int]], at now: Duration) -> [PendingKey] {
    defer { checkInvariants() }
    for (key, locations) in wanted.sorted(by: { $0.key.url < $1.key.url }) {
      guard var entry = entries[key] else {
        entries[key] = Entry(locations: locations, phase: .waiting(until: now), number: nextNumber)
        nextNumber += 1
        continue
      }
      entry.locations = locations
      if case .done(let revisions) = entry.phase, locations.contains(where: { $1 > revisions[$0] ?? -1 }) {
        entry.phase = .waiting(until: now)
        entry.reportedKind = nil
      }
      entries[key] = entry
    }
    let unwanted = entries.keys.filter { wanted[$0] == nil }
    for key in unwanted { entries[key] = nil }
    return unwanted
  }

  /// What to do now.
  func next(at now: Duration) -> Next {
    let running = entries.values.count { $0.phase == .running }
    guard running < Self.atOnce else { return .idle }
    let waiting = entries.compactMap { key, entry -> (key: PendingKey, until: Duration, number: Int)? in
      if case .waiting(let until) = entry.phase { (key, until, entry.number) } else { nil }
    }
    guard let first = waiting.min(by: { ($0.until, $0.number) < ($1.until, $1.number) }) else { return .idle }
    return first.until <= now ? .begin(first.key) : .wait(until: first.until)
  }

  /// The documents that wait for it.
  func locations(of key: PendingKey) -> [PendingLocation] {
    entries[key].map {
      $0.locations.keys.sorted { ($0.source, $0.documentPath) < ($1.source, $1.documentPath) }
    }
      ?? []
  }

  mutating func began(_ key: PendingKey) { set(key) { $0.phase = .running } }

  /// Records that another program on this machine fetches it.
  mutating func fetchedElsewhere(_ key: PendingKey, at now: Duration) {
    set(key) { $0.phase = .waiting(until: now + Self.sharedDelay) }
  }

  /// Records a transient refusal or an error. Returns whether to report it: each kind is reported once.
  mutating func fetchFailed(_ key: PendingKey, _ kind: String, at now: Duration) -> Bool {
    var isNew = false
    set(key) { entry in
      entry.phase = .waiting(until: now + Self.pause(after: entry.failures))
      entry.failures += 1
      isNew = entry.reportedKind != kind
      entry.reportedKind = kind
    }
    return isNew
  }

  /// Records that it was set, permanently refused, or is not pending any more, in that revision of each document.
  mutating func finished(_ key: PendingKey, _ revisions: [PendingLocation: Int]) {
    set(key) { entry in
      entry.phase = .done(revisions)
      entry.failures = 0
      // A document that is not among these may still have it as pending.
      if entry.locations.contains(where: { revisions[$0.key] == nil }) {
        entry.phase = .waiting(until: .zero)
      }
    }
  }

  private mutating func set(_ key: PendingKey, _ change: (inout Entry) -> Void) {
    guard var entry = entries[key] else { return }
    change(&entry)
    entries[key] = entry
    checkInvariants()
  }

  private static func pause(after failures: Int) -> Duration {
    var pause = firstPause
    for _ in 0..<failures where pause < longestPause { pause = pause * 2 }
    return min(pause, longestPause)
  }

  /// Stops a debug build if an invariant is broken.
  private func checkInvariants() {
    assert(entries.values.count { $0.phase == .running } <= Self.atOnce, "two are fetched at once")
    assert(entries.values.allSatisfy { !$0.locations.isEmpty }, "nobody is waited for in vain")
  }
}
