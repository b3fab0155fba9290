// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
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
  nonisolated let broadcast: Broadcast<FolderEvent>
  /// Tells that something is pending which was not, or no longer.
  nonisolated let pendingBroadcast = Broadcast<Void>()
  /// Files are waited for here, not on the threads of Swift's concurrency.
  private let executor = ThreadExecutor("emojiart.folder")
  /// A thread of its own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  /// The path without symbolic links, and a slash.
  private let root: String
  /// What messages put before a document's path.
  private let shownRoot: String
  private let source: any EventSource
  private let timeline: Timeline
  private var known = KnownDocuments()
  /// How often in a row each document was found in use by another program.
  private var busyRetries: [FilePath: Int] = [:]
  /// Documents that cannot be read, as they were found, and the end of the grace period; nothing was emitted yet.
  private var unreadable: [FilePath: (stamp: FileStamp, until: Duration)] = [:]
  private var emittedPendingChanges = 0
  private var isClosed = false
  private var listening: Task<Void, Never>?

  /// Why changes are found by looking through the folder every so often; nil while the system tells of them.
  public private(set) var degraded: String?

  private init(
    path: String, root: String, source: any EventSource, timeline: Timeline,
    observer: (@Sendable ([FolderEvent]) -> Void)?
  ) {
    broadcast = Broadcast(overflow: { .resync }, observer: observer)
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

  /// The same with events from elsewhere; `source` is handed the path without symbolic links. `observer` is called with what happens
  /// before any listener hears of it, and before the source is asked for the next event.
  static func open(
    _ path: String, clock: some Clock<Duration> = ContinuousClock(),
    observer: (@Sendable ([FolderEvent]) -> Void)? = nil, _ source: (String) -> any EventSource
  ) async throws(ArtError) -> DocumentFolder {
    let root = try root(of: path)
    let folder = DocumentFolder(
      path: path, root: root, source: source(root), timeline: Timeline(clock), observer: observer)
    do throws(ArtError) {
      try await folder.begin(clock)
    } catch {
      await folder.close()
      throw error
    }
    return folder
  }

  /// The path of a folder without symbolic links. Throws `noSuchDocument`, `notPermitted`, `inputOutput`.
  static func root(of path: String) throws(ArtError) -> String {
    do throws(SystemError) {
      let resolved = try FilePath.resolved(path)
      guard try FileStatus(ofLinkAt: resolved).isFolder else {
        throw SystemError("opendir", path, number: ENOTDIR)
      }
      guard access(resolved, R_OK | X_OK) == 0 else { throw SystemError("access", path) }
      return resolved
    } catch {
      throw .folder(path, error.number)
    }
  }

  private func begin(_ clock: some Clock<Duration>) async throws(ArtError) {
    var isLookedThrough = false
    while !isLookedThrough {
      switch await source.next() {
      case .scanned(let scan):
        await refreshFirst(scan.files.map { FilePath($0) }, clock)
        isLookedThrough = true
      case .degraded(let reason): degraded = reason
      case .watching: degraded = nil
      case .changed: break
      case nil: throw .unwatched(path)
      }
    }
    let source = source
    listening = Task { [weak self] in
      while let news = await source.next() {
        guard let self else { return }
        await self.receive(news)
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
  func file(_ path: FilePath) -> DocumentFile {
    var file = DocumentFile(root + path.string, timeout: .milliseconds(100))
    file.name = shownRoot + path.string
    file.followsLinks = false
    return file
  }
}

// MARK: Refreshing

extension DocumentFolder {
  /// The first pause before a document that is in use, or was unreadable at an unsettled moment, is refreshed again.
  private static let busyRetry = Duration.milliseconds(50)
  /// Grace period before a missing file is reported as removed: it may have been renamed, or may be replaced by a program that unlinks first.
  private static let removalGrace = Duration.milliseconds(250)
  /// Grace period before a file that cannot be read is reported: a copy of it may have stalled half-way. From when it was found so.
  private static let unreadableGrace = Duration.seconds(2)

  /// Receives what the watcher reports.
  private func receive(_ news: WatchEvent) async {
    guard !isClosed else { return }
    switch news {
    case .changed(let files):
      let reasons = files.map { (FilePath($0.path), $0.isQuiet ? RefreshReason.quiet : .forced) }
      await refresh(Dictionary(reasons, uniquingKeysWith: max))
    case .scanned(let scan):
      let reason = scan.folder.isEmpty ? RefreshReason.listed : .unsettled
      let paths = scan.files.map { FilePath($0) } + known.paths(below: scan.folder)
      await refresh(Dictionary(paths.map { ($0, reason) }, uniquingKeysWith: max))
      // While the folder is looked through every so often, that says it all.
      if let reason = scan.reason, degraded == nil, !isClosed { broadcast.send(.rescanned(reason)) }
    case .degraded(let reason):
      degraded = reason
      broadcast.send(.degraded(reason))
    case .watching: degraded = nil
    }
  }

  /// The timeout for all documents that other programs hold when the folder is opened.
  private static let firstTimeout = Duration.seconds(1)

  /// Reads each document for the first time, by its own row alone; no event comes of it. One that is being saved or written just then
  /// is read once more, and again after that.
  private func refreshFirst(_ paths: [FilePath], _ clock: some Clock<Duration>) async {
    let doubtful = paths.filter { !isClosed && !refreshFirst($0, timeout: .zero) }
    guard !doubtful.isEmpty, !isClosed else { return }
    do {
      try await clock.sleep(for: Self.busyRetry)
    } catch {
      // Return at once when cancelled.
    }
    let end = ContinuousClock.now + Self.firstTimeout
    for path in doubtful where !isClosed {
      guard !refreshFirst(path, timeout: end - .now) else { continue }
      await source.recheck(at: path.string, after: busyDelay(path))
    }
  }

  /// Whether the document is whole, or gone.
  private func refreshFirst(_ path: FilePath, timeout: Duration) -> Bool {
    var file = file(path)
    file.timeout = timeout
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

  private func refresh(_ reasons: [FilePath: RefreshReason]) async {
    var now: [FilePath: FileIdentity] = [:]
    for path in reasons.keys where !isClosed {
      // A path without a stamp is refreshed, and reported, in its turn.
      if let stamp = try? file(path).stampIfThere() { now[path] = stamp.identity }
      if now.count.isMultiple(of: 1_024) { await Task.yield() }
    }
    var batch = RefreshBatch(reasons, now: now) { known[$0]?.identity }
    while !isClosed, let (path, reason) = batch.next() {
      if let delay = refresh(path, reason, &batch) { await source.recheck(at: path.string, after: delay) }
      // Calls for the documents, and for closing the folder, run between two documents of a batch.
      await Task.yield()
    }
  }

  /// Refreshes one document and emits what is new. Returns after how long it must be refreshed again; nil when it need not.
  private func refresh(_ path: FilePath, _ reason: RefreshReason, _ batch: inout RefreshBatch)
    -> Duration?
  {
    let file = file(path)
    let before = known[path]
    var stamp: FileStamp?
    defer {
      refreshOtherNames(of: path, before, stamp, &batch)
      emitPending()
    }
    do throws(ArtError) {
      stamp = try file.stampIfThere()
      guard let stamp else { return handleMissing(path, reason) }
      known[path]?.missingUntil = nil
      if let old = before?.stamp, stamp.provesUnchanged(since: old) {
        unreadable[path] = nil
        return nil
      }
      let content = try file.read()
      busyRetries[path] = nil
      unreadable[path] = nil
      adopt(content, at: path, stamp, &batch)
      return nil
    } catch {
      switch error.code {
      case .noSuchDocument: return handleMissing(path, reason)
      case .busy: return busyDelay(path)
      default: return receive(trouble: error, at: path, stamp, reason)
      }
    }
  }

  /// A document is whole.
  private func adopt(
    _ content: DocumentContent, at path: FilePath, _ stamp: FileStamp, _ batch: inout RefreshBatch
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
    found.adoptPending(content, after: known[path])
    known[path] = found
    broadcast.send(events)
  }

  /// Has listeners look for what is pending.
  private func emitPending() {
    guard known.pendingChanges != emittedPendingChanges else { return }
    emittedPendingChanges = known.pendingChanges
    pendingBroadcast.send(())
  }

  /// Where the document that has turned up here stood before: it is no longer there, and it is the same file.
  private func oldPath(of id: DocumentID, _ identity: FileIdentity, now path: FilePath) -> FilePath? {
    guard known[path]?.identity != identity else { return nil }
    return known.paths(of: identity).first { other in
      guard other != path, known[other]?.base?.id == id else { return false }
      // Where the path cannot be read the file counts as still there: at worst `added` is emitted in the place of `renamed`.
      do throws(ArtError) { return try file(other).stampIfThere()?.identity != identity } catch {
        return false
      }
    }
  }

  /// The kernel reports a write only under the hard link that was used; that name may be gone since.
  private func refreshOtherNames(
    of path: FilePath, _ before: KnownDocument?, _ stamp: FileStamp?, _ batch: inout RefreshBatch
  ) {
    if let stamp, stamp.hardLinks > 1 {
      for other in known.paths(of: stamp.identity)
      where known[other]?.stamp != stamp && unreadable[other]?.stamp != stamp {
        batch.add(other, .unsettled)
      }
    }
    if let before, before.identity != stamp?.identity {
      for other in known.paths(of: before.identity) where other != path { batch.add(other, .unsettled) }
    }
  }

  /// A document is unreadable. While it may be being written nothing is emitted.
  private func receive(
    trouble error: ArtError, at path: FilePath, _ stamp: FileStamp?, _ reason: RefreshReason
  ) -> Duration? {
    guard reason == .quiet else { return reason == .forced ? nil : Self.busyRetry }
    let events = Comparison(path: path.string, known: known[path]).events(findingTrouble: error)
    let isOfDisk = error.code == .inputOutput || error.code == .diskFull
    if !events.isEmpty, !isOfDisk, let stamp {
      let now = timeline.now()
      if unreadable[path]?.stamp != stamp { unreadable[path] = (stamp, until: now + Self.unreadableGrace) }
      if let until = unreadable[path]?.until, until > now { return until - now }
    }
    unreadable[path] = nil
    let before = known[path]
    // A file without a stamp keeps the identity that it had; a file that was never seen has none.
    if let identity = stamp?.identity ?? before?.identity {
      known[path] = KnownDocument(
        base: before?.base, trouble: error, identity: identity, stamp: stamp, pending: before?.pending,
        isPendingNews: before?.isPendingNews ?? false)
      broadcast.send(events)
    }
    // No event says that a disk works again.
    guard isOfDisk else {
      busyRetries[path] = nil
      return nil
    }
    known[path]?.stamp = nil
    return busyDelay(path, atMost: .seconds(10))
  }

  /// No file stands at a path. It may have another name now, which is refreshed meanwhile.
  private func handleMissing(_ path: FilePath, _ reason: RefreshReason) -> Duration? {
    busyRetries[path] = nil
    unreadable[path] = nil
    guard let lost = known[path] else { return nil }
    if reason != .listed {
      let now = timeline.now()
      let until = lost.missingUntil ?? now + Self.removalGrace
      known[path]?.missingUntil = until
      if until > now { return until - now }
    }
    known[path] = nil
    broadcast.send(.removed(path.string))
    return nil
  }

  /// The pause before a document that another program holds is refreshed again: 50 ms, doubled each time.
  private func busyDelay(_ path: FilePath, atMost: Duration = .seconds(1)) -> Duration {
    let looks = min(busyRetries[path] ?? 0, 10)
    busyRetries[path] = looks + 1
    return min(Self.busyRetry * (1 << looks), atMost)
  }
}

// MARK: What is pending

extension DocumentFolder {
  /// What is pending and may be fetched.
  func pending(_ mode: PendingMode) -> [(path: FilePath, key: PendingKey, revision: Int)] {
    guard mode != .none, !isClosed else { return [] }
    return known.withPending.compactMap { path, document in
      guard let base = document.base, let pending = document.pending, pending.isWanted,
        mode == .all || document.isPendingNews
      else { return nil }
      return (path, PendingKey(document: base.id, url: pending.url), base.revision)
    }
  }
}

/// Where the events of an open folder come from: the watcher, or a test.
protocol EventSource: Sendable {
  /// Waits for the next news; nil after `close`. The first that is told of files is a scan of all of the folder.
  func next() async -> WatchEvent?
  /// Has a file come again as one to look at.
  func recheck(at path: String, after delay: Duration) async
  /// Ends it.
  func close() async
}

extension FolderWatcher: EventSource {}

// Names of folders are as they were given.
extension ArtError {
  /// Why a folder cannot be opened.
  fileprivate static func folder(_ name: String, _ number: Int32) -> ArtError {
    let cause = SystemError.text(of: number)
    switch number {
    case ENOENT: return ArtError(.noSuchDocument, "no folder \(name)", about: name)
    case ENOTDIR: return ArtError(.noSuchDocument, "\(name) is not a folder", about: name)
    case EACCES, EPERM:
      return ArtError(
        .notPermitted, "not permitted to look into \(name): \(cause); look at its permissions", about: name)
    default: return ArtError(.inputOutput, "cannot look into \(name): \(cause)", about: name)
    }
  }

  /// Nothing is heard of the folder.
  fileprivate static func unwatched(_ name: String) -> ArtError {
    ArtError(
      .unavailable, "the folder \(name) cannot be watched: the watcher ended before it had looked; try again",
      about: name)
  }
}

/// What happens in a folder. Paths are relative to it.
public enum FolderEvent: Sendable, Equatable {
  /// A document has come.
  case added(String, revision: Int)
  /// A document is in another state; a notice for each save.
  case changed(String, DocumentChange)
  /// A document has moved on further than its log goes back: look at all of it.
  case movedOn(String, revision: Int)
  /// A document is gone.
  case removed(String)
  /// A document has another name.
  case renamed(String, from: String)
  /// A document cannot be read; told once, until it is whole again or there is another kind of trouble.
  case damaged(String, reason: ArtError)
  /// Something may have been missed, and everything was looked at again; what was found was told before.
  case rescanned(String)
  /// Changes are found by looking through the folder every so often; why, and what can be done.
  case degraded(String)
  /// This listener has missed events: it should look at the folder's documents.
  case resync
}

/// What others did to a document, in one save as a rule.
public struct DocumentChange: Sendable, Equatable {
  /// The edits of one save, oldest first; none when the document is another state of itself, a backup for one, or is whole again.
  public let edits: [LoggedEdit]
  /// The texts of the emoji that the edits are about, as far as they are known.
  public let texts: [EmojiID: String]
  /// The document's revision after them.
  public let revision: Int
  /// Whether the edits are all that happened. Otherwise look at all of the document.
  public let isComplete: Bool

  /// A change.
  public init(edits: [LoggedEdit], texts: [EmojiID: String], revision: Int, isComplete: Bool) {
    self.edits = edits
    self.texts = texts
    self.revision = revision
    self.isComplete = isComplete
  }
}

/// A document of a folder.
public struct FolderDocument: Sendable, Equatable {
  /// Its path, relative to the folder.
  public let path: String
  /// The state it is in; nil when it cannot be read, and when it was not read yet: another program has held it since the
  /// folder was opened.
  public let base: DocumentBase?
  /// Why it cannot be read, as it was found last; nil when nothing is wrong with it, or not for long enough to be told.
  public let trouble: ArtError?

  /// A document.
  public init(path: String, base: DocumentBase?, trouble: ArtError?) {
    self.path = path
    self.base = base
    self.trouble = trouble
  }
}
