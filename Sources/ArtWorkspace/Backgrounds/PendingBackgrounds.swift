// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtWorker

/// Fetches what is pending in documents, with the rules for URLs that nobody typed here: two at once, one program on a
/// machine for each.
///
///     folder, document ──something is pending──▶ PendingSchedule ──begin──▶ lock ──▶ is it still pending?
///                                                      ▲                                │
///                           one edit, an event  ◀──────┴──── BackgroundFetcher ◀────────┘
///
/// What it does to a folder's documents it does to their files, and the folder tells of it as of anybody's edit.
public actor PendingBackgrounds {
  /// What became of one that was pending. What is refused or in the way is told once for each kind, until it is another.
  public enum Event: Sendable, Equatable {
    /// It is the background now; the document's revision with it.
    case taken(PendingPlace, Background, revision: Int)
    /// It was refused. Unless that is transient, it is not pending any more.
    case rejected(PendingPlace, Refusal, url: String)
    /// Something was in the way, which is not the picture's fault: it is tried again.
    case failed(PendingPlace, ArtError, url: String)
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
  private var isLooking = false
  private var mustLookAgain = false
  private var isClosed = false
  private nonisolated let broadcast = Broadcast<Event>()
  private nonisolated let executor = ThreadExecutor("emojiart.pending-backgrounds")

  /// A thread of its own: files are waited for.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Fetches nothing before it follows something. `author` names whoever the edits are by; `locks` is the folder in which all
  /// that fetch on this machine say so, and nil for one in the state folder; `time` tells in milliseconds since
  /// 1970 when one was made, and `clock` decides when to try again.
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

  /// What happens from now on, for one listener of any number; one that is very slow misses the oldest.
  public nonisolated func events() -> EventSequence<Event> { broadcast.subscribe(capacity: 1_024) }

  /// Fetches what is pending in the documents of a folder from now on; `only` are their paths, and nil stands for all. Whoever
  /// has opened the folder closes it.
  public func follow(_ folder: DocumentFolder, only: Set<String>? = nil) async {
    let paths = only.map { Set($0.map { FilePath($0) }) }
    await follow(FolderPending(folder, only: paths, author: author, time: time))
  }

  /// Fetches what is pending in a document that is open.
  public func follow(_ document: Document) async { await follow(DocumentPending(document)) }

  func follow(_ source: any PendingSource) async {
    guard mode != .none, !isClosed else { return }
    sources.append(source)
    followers.append(
      Task { [weak self] in
        await source.follow { [weak self] in await self?.look() }
      })
    await look()
  }

  /// Ends: what is being fetched is cancelled, and nothing of it is left.
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

  /// Looks what is pending, and begins or gives up what is to be.
  private func look() async {
    mustLookAgain = true
    guard !isLooking else { return }
    isLooking = true
    defer { isLooking = false }
    while mustLookAgain, !isClosed {
      mustLookAgain = false
      var wanted: [PendingKey: [PendingPlace: Int]] = [:]
      for (number, source) in sources.enumerated() {
        for (document, key, revision) in await source.pending(mode) {
          wanted[key, default: [:]][PendingPlace(source: number, document: document)] = revision
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

  /// Begins what is due, and waits for what will be.
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
            // Whoever is cancelled has been replaced.
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

  /// One that is pending, from its lock to its end. After each wait: who is cancelled is not wanted any more.
  private func fetch(_ key: PendingKey) async {
    do throws(ArtError) {
      if locks[key] == nil { locks[key] = try FetchLock.acquire(key.document, key.url, in: lockFolder) }
      guard locks[key] != nil else { return tryAgainSoon(key) }
      // Another program may have fetched it just now.
      let seen = try await look(for: key)
      guard !Task.isCancelled else { return }
      guard seen.values.contains(where: \.isPending) else { return finish(key, seen) }
    } catch {
      guard !Task.isCancelled else { return }
      return error.code == .busy ? tryAgainSoon(key) : fail(key, schedule.places(of: key), error)
    }
    // Who is not wanted any more has it to the end: what was done may not be in the file yet, where others look.
    let lock = locks[key]
    defer { withExtendedLifetime(lock) {} }
    let outcome = await outcome(of: key)
    guard !Task.isCancelled else { return }
    switch outcome {
    case .picture(let picture):
      await settle(key) { (source, document) throws(ArtError) in
        try await source.take(picture, key, in: document)
      } tell: { place, sight in
        sight.background.map { .taken(place, $0, revision: sight.revision) }
      }
    case .refused(let refusal) where refusal.isTransient:
      if schedule.cameToNothing(key, refusal.reason.rawValue, at: timeline.now()) {
        for place in schedule.places(of: key) { broadcast.send(.rejected(place, refusal, url: key.url)) }
      }
      goOn(after: key)
    case .refused(let refusal):
      await settle(key) { (source, document) throws(ArtError) in
        try await source.refuse(refusal.reason, key, in: document)
      } tell: { place, _ in
        .rejected(place, refusal, url: key.url)
      }
    case .failed(let error): fail(key, schedule.places(of: key), error)
    // Only who is not wanted any more is cancelled.
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

  /// Where it is still pending.
  private func look(for key: PendingKey) async throws(ArtError) -> [PendingPlace: PendingSight] {
    var seen: [PendingPlace: PendingSight] = [:]
    for place in schedule.places(of: key) {
      seen[place] = try await sources[place.source].isPending(key, in: place.document)
    }
    return seen
  }

  /// Makes an edit in each document that waits for it, and tells at once of each that was made.
  private func settle(
    _ key: PendingKey,
    _ edit: (any PendingSource, String) async throws(ArtError) -> PendingSight,
    tell: (PendingPlace, PendingSight) -> Event?
  ) async {
    var seen: [PendingPlace: PendingSight] = [:]
    var failure: (place: PendingPlace, error: ArtError)?
    for place in schedule.places(of: key) {
      do throws(ArtError) {
        let sight = try await edit(sources[place.source], place.document)
        seen[place] = sight
        if sight.isPending, let event = tell(place, sight) { broadcast.send(event) }
      } catch {
        failure = failure ?? (place, error)
      }
      guard !Task.isCancelled else { return }
    }
    if let failure { fail(key, [failure.place], failure.error) } else { finish(key, seen) }
  }

  private func finish(_ key: PendingKey, _ seen: [PendingPlace: PendingSight]) {
    schedule.finished(key, seen.mapValues(\.revision))
    locks[key] = nil
    goOn(after: key)
  }

  /// Something was in the way; the lock is kept, because others would meet it, too.
  private func fail(_ key: PendingKey, _ places: [PendingPlace], _ error: ArtError) {
    // The folder is about to tell what has become of the document.
    if error.code == .noSuchDocument { return tryAgainSoon(key) }
    if schedule.cameToNothing(key, "\(error.code)", at: timeline.now()) {
      for place in places { broadcast.send(.failed(place, error, url: key.url)) }
    }
    goOn(after: key)
  }

  private func tryAgainSoon(_ key: PendingKey) {
    schedule.heldElsewhere(key, at: timeline.now())
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
  /// What becomes pending in a document that was known before: a file that merely appears makes nobody call out.
  case changed
  /// All, but for what a person chose to leave unfetched.
  case all
}

/// A pending background: of which document, from where. Copies of a document share it, and are fetched for together.
struct PendingKey: Sendable, Hashable {
  let document: DocumentID
  let url: String
}

/// Where a document with a pending background is.
public struct PendingPlace: Sendable, Hashable {
  /// Which of the followed folders or documents it belongs to, by their order.
  public let source: Int
  /// Its path in the folder.
  public let document: String

  /// A place.
  public init(source: Int, document: String) {
    self.source = source
    self.document = document
  }

  /// By their bytes: two paths that look alike are two files.
  public static func == (left: PendingPlace, right: PendingPlace) -> Bool {
    left.source == right.source && FilePath(left.document) == FilePath(right.document)
  }

  /// By their bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(source)
    hasher.combine(FilePath(document))
  }
}

/// Documents in which something may be pending: those of an open folder, or one that is open itself. Documents are called by
/// their paths. What works on files runs where it is called: a thread that may wait.
protocol PendingSource: Sendable {
  /// Tells each time that something is pending which was not, or no longer, from the source's making on; to one listener. Ends
  /// with what it is about.
  func follow(_ hear: @Sendable () async -> Void) async
  /// What is pending and may be fetched, and in which revision of the document it was seen.
  func pending(_ mode: PendingMode) async -> [(document: String, key: PendingKey, revision: Int)]
  /// Looks at the file whether that is still pending, and at which revision the document is. Throws what reading throws.
  nonisolated(nonsending) func isPending(_ key: PendingKey, in document: String) async throws(ArtError)
    -> PendingSight
  /// Makes the picture the background, if that is still pending. Throws what editing throws; then nothing is changed.
  nonisolated(nonsending) func take(
    _ picture: CheckedPicture, _ key: PendingKey, in document: String
  ) async throws(ArtError) -> PendingSight
  /// Gives it up, if that is still pending, because it was refused for good.
  nonisolated(nonsending) func refuse(
    _ reason: Refusal.Reason, _ key: PendingKey, in document: String
  ) async throws(ArtError) -> PendingSight
}

/// A document as it was found, or as it is after an edit.
struct PendingSight: Sendable, Equatable {
  var revision: Int
  /// Whether it was found pending.
  var isPending: Bool
  /// The background that it has.
  var background: Background?
}

extension PendingBackground {
  /// Whether nobody has chosen to leave it unfetched.
  var isWanted: Bool { reason != "offline" }
}

/// Which pending background is fetched when, as a pure machine. Times are durations since one moment of the caller's choice.
///
///                began                held elsewhere: again in 2 s
///     waiting ───────────▶ running ───────────────────────────────────────────▶ waiting
///                            │   └─── came to nothing: again in 1 min, then twice that, an hour at most
///                            └─ finished: taken, refused for good, or not pending any more ─▶ done
///
///     done    ── wanted in a later state of its document than the one it was finished in ──▶ waiting
///     any     ── not wanted any more ──▶ gone
///
/// - At most `atOnce` are running.
/// - What is finished stays known until it is not wanted: who wants it may not have seen yet that it is not pending.
struct PendingSchedule {
  enum Next: Equatable {
    /// Nothing to do until something happens.
    case idle
    /// Ask again then.
    case wait(until: Duration)
    /// Begin with that one.
    case begin(PendingKey)
  }

  private enum Phase: Equatable {
    case waiting(until: Duration)
    case running
    /// With each document in that revision.
    case done([PendingPlace: Int])
  }

  private struct Entry {
    /// Where its documents are, and in which revision each was seen.
    var places: [PendingPlace: Int]
    var phase: Phase
    /// The order in which they came.
    let number: Int
    var failures = 0
    /// What has been told of why it comes to nothing.
    var told: String?
  }

  /// How many are fetched at once.
  static let atOnce = 2
  /// How long one that another program fetches is left alone.
  static let heldPause = Duration.seconds(2)
  /// How long one that came to nothing is left alone, at first and at most.
  static let (firstPause, longestPause) = (Duration.seconds(60), Duration.seconds(3_600))

  private var entries: [PendingKey: Entry] = [:]
  private var nextNumber = 0

  /// What is pending now, and in which revision of each document. Returns what is not wanted any more: whoever fetches it
  /// gives up.
  mutating func want(_ wanted: [PendingKey: [PendingPlace: Int]], at now: Duration) -> [PendingKey] {
    defer { checkInvariants() }
    for (key, places) in wanted.sorted(by: { $0.key.url < $1.key.url }) {
      guard var entry = entries[key] else {
        entries[key] = Entry(places: places, phase: .waiting(until: now), number: nextNumber)
        nextNumber += 1
        continue
      }
      entry.places = places
      if case .done(let seen) = entry.phase, places.contains(where: { $1 > seen[$0] ?? -1 }) {
        entry.phase = .waiting(until: now)
        entry.told = nil
      }
      entries[key] = entry
    }
    let gone = entries.keys.filter { wanted[$0] == nil }
    for key in gone { entries[key] = nil }
    return gone
  }

  /// What is to be done now.
  func next(at now: Duration) -> Next {
    let running = entries.values.count { $0.phase == .running }
    guard running < Self.atOnce else { return .idle }
    let waiting = entries.compactMap { key, entry -> (key: PendingKey, until: Duration, number: Int)? in
      if case .waiting(let until) = entry.phase { (key, until, entry.number) } else { nil }
    }
    guard let first = waiting.min(by: { ($0.until, $0.number) < ($1.until, $1.number) }) else { return .idle }
    return first.until <= now ? .begin(first.key) : .wait(until: first.until)
  }

  /// Where the documents are that wait for it.
  func places(of key: PendingKey) -> [PendingPlace] {
    entries[key].map { $0.places.keys.sorted { ($0.source, $0.document) < ($1.source, $1.document) } } ?? []
  }

  mutating func began(_ key: PendingKey) { set(key) { $0.phase = .running } }

  /// Another program on this machine fetches it.
  mutating func heldElsewhere(_ key: PendingKey, at now: Duration) {
    set(key) { $0.phase = .waiting(until: now + Self.heldPause) }
  }

  /// It was refused for now, or something was in the way. Returns whether that is to be told: it is once for each kind.
  mutating func cameToNothing(_ key: PendingKey, _ kind: String, at now: Duration) -> Bool {
    var isNews = false
    set(key) { entry in
      entry.phase = .waiting(until: now + Self.pause(after: entry.failures))
      entry.failures += 1
      isNews = entry.told != kind
      entry.told = kind
    }
    return isNews
  }

  /// It was taken, refused for good, or is not pending any more, in that revision of each document.
  mutating func finished(_ key: PendingKey, _ seen: [PendingPlace: Int]) {
    set(key) { entry in
      entry.phase = .done(seen)
      entry.failures = 0
      // What was seen before it was finished, of one that is not among these.
      if entry.places.contains(where: { seen[$0.key] == nil }) { entry.phase = .waiting(until: .zero) }
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

  /// Stops a debug build when a promise of this type does not hold.
  private func checkInvariants() {
    assert(entries.values.count { $0.phase == .running } <= Self.atOnce, "two are fetched at once")
    assert(entries.values.allSatisfy { !$0.places.isEmpty }, "nobody is waited for in vain")
  }
}
