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
    time: @escaping @Sendable () -> Int = millisecondsSince1970
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
      if locks[key] == nil { locks[key] = try FetchLock.take(key.document, key.url, in: lockFolder) }
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
    let request = BackgroundRequest(url, isTyped: false, allowsPrivate: allowsPrivate)
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
