// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtProcess
import ArtStore
import ArtWatch
import Glibc

/// A folder of documents that is open: its documents, and what happens to them, whoever does it.
///
/// What is told and what `documents` answers are one: no listener hears of a state before it can be asked for. A listener
/// that applies each event to its own list has the folder's documents. `renamed` to the path of another document means
/// that the other one is gone.
public actor DocumentFolder {
  /// The folder's path, as it was given.
  public nonisolated let path: String
  nonisolated let broadcast = Broadcast<FolderEvent>(overflow: .resync)
  /// Tells that something is pending which was not, or no longer.
  nonisolated let pendingBroadcast = Broadcast<Void>(overflow: nil)
  /// Files are waited for here, not on the threads of Swift's concurrency.
  private let executor = ThreadExecutor("emojiart.folder")
  /// A thread of its own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  /// The path without symbolic links, and a slash.
  private let root: String
  /// What messages put before a document's path.
  private let shownRoot: String
  private let source: any NewsSource
  private let timeline: Timeline
  private var known = KnownDocuments()
  /// How often each document was found in use by another program, without success between.
  private var busyLooks: [DocumentPath: Int] = [:]
  /// Those that cannot be read, as they were found, and until when they may be half-written: nothing was told of that yet.
  private var doubts: [DocumentPath: (stamp: FileStamp, until: Duration)] = [:]
  private var toldPendingChanges = 0
  private var isClosed = false
  private var listening: Task<Void, Never>?

  /// Why changes are found by looking through the folder every so often; nil while the system tells of them.
  public private(set) var degraded: String?

  private init(path: String, root: String, source: any NewsSource, timeline: Timeline) {
    self.path = path
    self.root = root.hasSuffix("/") ? root : root + "/"
    shownRoot = path == "." || path == "./" ? "" : path.hasSuffix("/") ? path : path + "/"
    self.source = source
    self.timeline = timeline
  }

  deinit {
    let source = source
    Task { await source.close() }
  }

  /// Opens a folder; returns when each document has been looked at. Throws `noSuchDocument`, `notPermitted`,
  /// `inputOutput`, `unavailable`. `only` is the one document that is wanted, by its name. `pollBecause` has the folder looked
  /// through every two seconds instead of asking the system, and says why.
  public static func open(
    _ path: String, isRecursive: Bool = false, only: String? = nil, pollBecause: String? = nil,
    clock: some Clock<Duration> = ContinuousClock()
  ) async throws(ArtError) -> DocumentFolder {
    var settings = WatchSettings(ending: DocumentFile.ending)
    settings.isRecursive = isRecursive
    settings.only = only
    settings.pollBecause = pollBecause
    return try await open(path, clock: clock) { [settings] in FolderWatcher($0, settings, clock: clock) }
  }

  /// The same with news from elsewhere; `source` is handed the path without symbolic links.
  static func open(
    _ path: String, clock: some Clock<Duration> = ContinuousClock(), _ source: (String) -> any NewsSource
  ) async throws(ArtError) -> DocumentFolder {
    let root = try findRoot(path)
    let folder = DocumentFolder(path: path, root: root, source: source(root), timeline: Timeline(clock))
    do throws(ArtError) {
      try await folder.begin(clock)
    } catch {
      await folder.close()
      throw error
    }
    return folder
  }

  private static func findRoot(_ path: String) throws(ArtError) -> String {
    guard let resolved = realpath(path, nil) else { throw .folder(path, errno) }
    defer { free(resolved) }
    var status = stat()
    guard lstat(resolved, &status) == 0 else { throw .folder(path, errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .folder(path, ENOTDIR) }
    guard access(resolved, R_OK | X_OK) == 0 else { throw .folder(path, errno) }
    return String(cString: resolved)
  }

  private func begin(_ clock: some Clock<Duration>) async throws(ArtError) {
    var isLookedThrough = false
    while !isLookedThrough {
      switch await source.next() {
      case .scanned(let scan):
        await lookFirst(at: scan.files.map { DocumentPath($0) }, clock)
        isLookedThrough = true
      case .degraded(let reason): degraded = reason
      case .watching: degraded = nil
      case .look: break
      case nil: throw .unwatched(path)
      }
    }
    let source = source
    listening = Task { [weak self] in
      while let news = await source.next() {
        guard let self else { return }
        await self.hear(news)
      }
      await self?.close()
    }
  }

  /// The documents as they are known now, sorted by path.
  public var documents: [FolderDocument] { known.list }

  /// What happens from now on, for one listener of any number. One that is too slow is told `resync` once in the place of what it has
  /// missed, and should look at `documents`. A listener that subscribes first and asks for `documents` then misses nothing.
  public nonisolated func events(capacity: Int = 1_024) -> EventSequence<FolderEvent> {
    broadcast.subscribe(capacity: capacity)
  }

  /// Ends watching; the listeners' sequences end after what waits for them.
  public func close() async {
    isClosed = true
    await source.close()
    broadcast.finish()
    pendingBroadcast.finish()
  }

  /// The file of a document.
  func file(_ path: DocumentPath) -> DocumentFile {
    var file = DocumentFile(root + path.string, patience: .milliseconds(100))
    file.name = shownRoot + path.string
    file.followsLinks = false
    return file
  }
}

// MARK: Refreshing

extension DocumentFolder {
  /// How long one that is being saved, is held, or was met unreadable by chance is left alone at least.
  private static let shortWhile = Duration.milliseconds(50)
  /// How long one that is gone is waited for: under another name, or written anew by a tool that removes it first.
  private static let goneWhile = Duration.milliseconds(250)
  /// How long one that cannot be read may be half-written, though nobody writes to it: what copies it may falter. From when
  /// it was found so.
  private static let doubtfulWhile = Duration.seconds(2)

  /// Takes in what the watcher says.
  private func hear(_ news: WatchNews) async {
    guard !isClosed else { return }
    switch news {
    case .look(let files):
      let reasons = files.map { (DocumentPath($0.path), $0.isQuiet ? LookReason.quiet : .forced) }
      await look(at: Dictionary(reasons, uniquingKeysWith: max))
    case .scanned(let scan):
      let reason = scan.folder.isEmpty ? LookReason.listed : .unsettled
      let paths = scan.files.map { DocumentPath($0) } + known.paths(below: scan.folder)
      await look(at: Dictionary(paths.map { ($0, reason) }, uniquingKeysWith: max))
      // While the folder is looked through every so often, that says it all.
      if let reason = scan.reason, degraded == nil, !isClosed { broadcast.send(.rescanned(reason)) }
    case .degraded(let reason):
      degraded = reason
      broadcast.send(.degraded(reason))
    case .watching: degraded = nil
    }
  }

  /// How long documents that other programs hold are waited for when the folder is opened, all together.
  private static let firstPatience = Duration.seconds(1)

  /// The first look at each document: by its own row alone. Nothing is told of it. What is being saved or written just then
  /// is looked at once more, and comes again after that.
  private func lookFirst(at paths: [DocumentPath], _ clock: some Clock<Duration>) async {
    let doubtful = paths.filter { !isClosed && !lookFirst(at: $0, patience: .zero) }
    guard !doubtful.isEmpty, !isClosed else { return }
    do {
      try await clock.sleep(for: Self.shortWhile)
    } catch {
      // Who is cancelled does not wait.
    }
    let end = ContinuousClock.now + Self.firstPatience
    for path in doubtful where !isClosed {
      guard !lookFirst(at: path, patience: end - .now) else { continue }
      await source.lookAgain(at: path.string, after: busyDelay(path))
    }
  }

  /// Whether the document is whole, or gone.
  private func lookFirst(at path: DocumentPath, patience: Duration) -> Bool {
    var file = file(path)
    file.patience = patience
    var stamp: FileStamp?
    known[path] = nil
    do throws(ArtError) {
      stamp = try file.stampIfThere()
      guard let stamp else { return true }
      let (base, pending) = try file.quickState()
      known[path] = KnownDocument(base: base, identity: stamp.identity, stamp: stamp, pending: pending)
      return true
    } catch {
      if error.code == .noSuchDocument { return true }
      guard let stamp else { return false }
      known[path] = KnownDocument(trouble: error.code == .busy ? nil : error, identity: stamp.identity)
      return false
    }
  }

  private func look(at reasons: [DocumentPath: LookReason]) async {
    var now: [DocumentPath: FileIdentity] = [:]
    for path in reasons.keys where !isClosed {
      // What cannot be asked for is met again, and told, when its turn comes.
      if let stamp = try? file(path).stampIfThere() { now[path] = stamp.identity }
      if now.count.isMultiple(of: 1_024) { await Task.yield() }
    }
    var batch = LookBatch(reasons, now: now) { known[$0]?.identity }
    while !isClosed, let (path, reason) = batch.next() {
      if let delay = look(at: path, reason, &batch) { await source.lookAgain(at: path.string, after: delay) }
      // Who asks for the documents, or closes the folder, does not wait for the whole batch.
      await Task.yield()
    }
  }

  /// Looks at one document and tells what is new. Returns after how long it must be looked at again; nil when it need not.
  private func look(at path: DocumentPath, _ reason: LookReason, _ batch: inout LookBatch) -> Duration? {
    let file = file(path)
    let before = known[path]
    var stamp: FileStamp?
    defer {
      lookAtOtherNames(of: path, before, stamp, &batch)
      tellOfPending()
    }
    do throws(ArtError) {
      stamp = try file.stampIfThere()
      guard let stamp else { return lose(path, reason) }
      known[path]?.missingUntil = nil
      if let old = before?.stamp, stamp.showsNothing(since: old) {
        doubts[path] = nil
        return nil
      }
      let content = try file.read()
      busyLooks[path] = nil
      doubts[path] = nil
      take(content, at: path, stamp, &batch)
      return nil
    } catch {
      switch error.code {
      case .noSuchDocument: return lose(path, reason)
      case .busy: return busyDelay(path)
      default: return take(trouble: error, at: path, stamp, reason)
      }
    }
  }

  /// A document is whole.
  private func take(
    _ content: DocumentContent, at path: DocumentPath, _ stamp: FileStamp, _ batch: inout LookBatch
  ) {
    var events: [FolderEvent] = []
    if let old = oldPath(of: content.id, stamp.identity, now: path) {
      events.append(.renamed(path.string, from: old.string))
      known[path] = known[old]
      known[old] = nil
      // Something else may stand there.
      batch.add(old, .unsettled)
    }
    events += Comparison(path: path.string, known: known[path]).events(finding: content)
    var found = KnownDocument(base: DocumentBase(content), identity: stamp.identity, stamp: stamp)
    found.takePending(content, after: known[path])
    known[path] = found
    broadcast.send(events)
  }

  /// Who fetches what is pending looks what there is, and is told no more than that it should.
  private func tellOfPending() {
    guard known.pendingChanges != toldPendingChanges else { return }
    toldPendingChanges = known.pendingChanges
    pendingBroadcast.send(())
  }

  /// Where the document that has turned up here stood before: it is no longer there, and it is the same file.
  private func oldPath(of id: DocumentID, _ identity: FileIdentity, now path: DocumentPath) -> DocumentPath? {
    guard known[path]?.identity != identity else { return nil }
    return known.paths(of: identity).first { other in
      guard other != path, known[other]?.base?.id == id else { return false }
      // Where nobody can look it is taken to be there still: the worst is `added` in the place of `renamed`.
      do throws(ArtError) { return try file(other).stampIfThere()?.identity != identity } catch {
        return false
      }
    }
  }

  /// Who writes through one name of a file is not told of under the others; the name may be gone since.
  private func lookAtOtherNames(
    of path: DocumentPath, _ before: KnownDocument?, _ stamp: FileStamp?, _ batch: inout LookBatch
  ) {
    if let stamp, stamp.hardLinks > 1 {
      for other in known.paths(of: stamp.identity)
      where known[other]?.stamp != stamp && doubts[other]?.stamp != stamp {
        batch.add(other, .unsettled)
      }
    }
    if let before, before.identity != stamp?.identity {
      for other in known.paths(of: before.identity) where other != path { batch.add(other, .unsettled) }
    }
  }

  /// A document is unreadable. While it may be being written nothing is said.
  private func take(
    trouble error: ArtError, at path: DocumentPath, _ stamp: FileStamp?, _ reason: LookReason
  ) -> Duration? {
    guard reason == .quiet else { return reason == .forced ? nil : Self.shortWhile }
    let events = Comparison(path: path.string, known: known[path]).events(findingTrouble: error)
    let isOfDisk = error.code == .inputOutput || error.code == .diskFull
    if !events.isEmpty, !isOfDisk, let stamp {
      let now = timeline.now()
      if doubts[path]?.stamp != stamp { doubts[path] = (stamp, until: now + Self.doubtfulWhile) }
      if let until = doubts[path]?.until, until > now { return until - now }
    }
    doubts[path] = nil
    let before = known[path]
    // One that cannot be asked for keeps what it was; of one that was never met there is nothing to keep.
    if let identity = stamp?.identity ?? before?.identity {
      known[path] = KnownDocument(
        base: before?.base, trouble: error, identity: identity, stamp: stamp, pending: before?.pending,
        isPendingNews: before?.isPendingNews ?? false)
      broadcast.send(events)
    }
    // The file itself tells nothing of the end of these.
    guard isOfDisk else {
      busyLooks[path] = nil
      return nil
    }
    known[path]?.stamp = nil
    return busyDelay(path, atMost: .seconds(10))
  }

  /// Nothing stands at a path. It may have another name now, which comes to be looked at meanwhile.
  private func lose(_ path: DocumentPath, _ reason: LookReason) -> Duration? {
    busyLooks[path] = nil
    doubts[path] = nil
    guard let lost = known[path] else { return nil }
    if reason != .listed {
      let now = timeline.now()
      let until = lost.missingUntil ?? now + Self.goneWhile
      known[path]?.missingUntil = until
      if until > now { return until - now }
    }
    known[path] = nil
    broadcast.send(.removed(path.string))
    return nil
  }

  /// How long a document is left alone that another program holds: 50 ms, and longer each time.
  private func busyDelay(_ path: DocumentPath, atMost: Duration = .seconds(1)) -> Duration {
    let looks = min(busyLooks[path] ?? 0, 10)
    busyLooks[path] = looks + 1
    return min(Self.shortWhile * (1 << looks), atMost)
  }
}

// MARK: What is pending

extension DocumentFolder {
  /// What is pending and may be fetched.
  func pending(_ mode: PendingMode) -> [(path: DocumentPath, key: PendingKey, revision: Int)] {
    guard mode != .none, !isClosed else { return [] }
    return known.withPending.compactMap { path, document in
      guard let base = document.base, let pending = document.pending, pending.isWanted,
        mode == .all || document.isPendingNews
      else { return nil }
      return (path, PendingKey(document: base.id, url: pending.url), base.revision)
    }
  }
}

/// Where an open folder hears that it should look: the watcher, or a test that says so itself.
protocol NewsSource: Sendable {
  /// Waits for the next news; nil after `close`. The first that is told of files is a scan of all of the folder.
  func next() async -> WatchNews?
  /// Has a file come again as one to look at.
  func lookAgain(at path: String, after delay: Duration) async
  /// Ends it.
  func close() async
}

extension FolderWatcher: NewsSource {}

// Names of folders are as they were given.
extension ArtError {
  /// Why a folder cannot be opened.
  fileprivate static func folder(_ name: String, _ number: Int32) -> ArtError {
    let cause = String(cString: strerror(number))
    switch number {
    case ENOENT: return ArtError(.noSuchDocument, "no folder \(name)")
    case ENOTDIR: return ArtError(.noSuchDocument, "\(name) is not a folder")
    case EACCES, EPERM:
      return ArtError(.notPermitted, "not permitted to look into \(name): \(cause); look at its permissions")
    default: return ArtError(.inputOutput, "cannot look into \(name): \(cause)")
    }
  }

  /// Nothing is heard of the folder.
  fileprivate static func unwatched(_ name: String) -> ArtError {
    ArtError(
      .unavailable, "the folder \(name) cannot be watched: the watcher ended before it had looked; try again")
  }
}
