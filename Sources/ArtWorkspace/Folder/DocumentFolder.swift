// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtWatch
import Glibc

/// An open folder of documents: the documents in it and the events of their changes, by whatever program.
///
/// A state is in `documents` before its event is emitted. A listener that applies each event to its own list has the folder's
/// documents. `renamed` to the path of another document also removes that document.
public actor DocumentFolder {
  /// The folder's path, as it was given.
  public nonisolated let path: String
  nonisolated let broadcast: Broadcast<FolderEvent>
  /// Emits when a background becomes pending or stops being pending.
  nonisolated let pendingBroadcast = Broadcast<Void>()
  /// Emits what no event of the folder says. Nil stands for more than a slow listener can be told of.
  nonisolated let quietChanges = Broadcast<QuietChange?>(overflow: { nil })
  /// File operations block this thread instead of the threads of Swift's concurrency.
  private let executor = ThreadExecutor()
  /// An executor of its own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  /// The path without symbolic links, and a slash.
  private nonisolated let root: String
  /// The prefix of a document's path in messages.
  private let shownRoot: String
  private nonisolated let source: any EventSource
  private let timeline: Timeline
  private var known = KnownDocuments()
  /// How often in a row each document was found in use by another program.
  private var busyRetries: [FilePath: Int] = [:]
  /// Documents that are unreadable but not reported yet: their stamps, and the ends of their grace periods.
  private var unreadable: [FilePath: (stamp: FileStamp, until: Duration)] = [:]
  private var emittedPendingChanges = 0
  private var isClosed = false
  private var listening: Task<Void, Never>?

  /// Why changes are found by scanning the folder periodically; nil while the system reports them.
  public private(set) var degraded: String?

  private init(
    path: String, root: String, source: any EventSource, timeline: Timeline,
    observer: (@Sendable ([FolderEvent]) -> Void)?
  ) {
    broadcast = Broadcast(overflow: { .resync }, observer: observer)
    self.path = path
    self.root = FilePath(root).endsWithSlash ? root : root + "/"
    shownRoot = path == "." || path == "./" ? "" : FilePath(path).endsWithSlash ? path : path + "/"
    self.source = source
    self.timeline = timeline
  }

  deinit {
    let source = source
    Task { await source.close() }
  }

  /// Opens a folder, and returns when each document has been refreshed. `only` is the name of the one document of interest; nil
  /// stands for all. `pollBecause` is a reason to scan the folder every two seconds instead of watching it. Throws
  /// `noSuchDocument`, `notPermitted`, `inputOutput`, `unavailable`.
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

  /// Opens a folder with another source of events; `source` receives the path without symbolic links. `observer` receives the
  /// events before any listener does, and before the source is asked for the next event.
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
    var isScanned = false
    while !isScanned {
      switch await source.next() {
      case .scanned(let scan):
        await refreshFirst(scan.files.map { FilePath($0) }, clock)
        isScanned = true
      case .degraded(let reason): degraded = reason
      case .watching: degraded = nil
      case .changed: break
      case nil: throw .unwatched(path)
      }
    }
    let source = source
    listening = Task { [weak self] in
      while let event = await source.next() {
        guard let self else { return }
        await self.receive(event)
      }
      await self?.close()
    }
  }

  /// The documents, sorted by path.
  public var documents: [FolderDocument] { known.list }

  /// The documents directly in a folder of this one, in no order.
  func documents(in folder: FilePath) -> [FolderDocument] { known.documents(in: folder) }

  /// The document at a path; nil if there is none.
  func document(_ path: FilePath) -> FolderDocument? { known.document(path) }

  /// The events from now on, for one of any number of listeners. A listener that is too slow gets one `resync` in place of the
  /// events that it missed, and should read `documents`. To miss nothing, subscribe first and read `documents` then.
  public nonisolated func events(capacity: Int = 1_024) -> EventSequence<FolderEvent> {
    broadcast.subscribe(capacity: capacity)
  }

  /// Stops watching. Each listener's sequence ends after the events that are queued for it.
  public func close() async {
    isClosed = true
    await source.close()
    broadcast.finish()
    pendingBroadcast.finish()
    quietChanges.finish()
  }

  /// Has a function called with the path of each file that comes to a document's path, before any event of it; it must not wait. Nil ends it.
  nonisolated func forwardArrivals(to receive: (@Sendable (FilePath) -> Void)?) {
    source.forwardArrivals(to: receive)
  }

  /// The absolute path of a document.
  nonisolated func absolute(_ path: FilePath) -> String { root + path.string }

  /// The file of a document.
  func file(_ path: FilePath) -> DocumentFile {
    var file = DocumentFile(absolute(path), timeout: .milliseconds(100))
    file.name = shownRoot + path.string
    file.followsLinks = false
    return file
  }
}

// MARK: Refreshing

extension DocumentFolder {
  /// The first pause before a document is refreshed again that is in use, or was unreadable at an unsettled moment.
  private static let busyRetry = Duration.milliseconds(50)
  /// Grace period before a missing file is reported as removed: it may have been renamed, or may be replaced by a program that
  /// unlinks first.
  private static let removalGrace = Duration.milliseconds(250)
  /// Grace period before an unreadable file is reported, from when it was first found so: a program that copies it may have
  /// paused.
  private static let unreadableGrace = Duration.seconds(2)

  /// Applies an event of the watcher.
  private func receive(_ event: WatchEvent) async {
    guard !isClosed else { return }
    switch event {
    case .changed(let files):
      let reasons = files.map { (FilePath($0.path), $0.isQuiet ? RefreshReason.quiet : .forced) }
      await refresh(Dictionary(reasons, uniquingKeysWith: max))
    case .scanned(let scan):
      let reason = scan.folder.isEmpty ? RefreshReason.listed : .unsettled
      let paths = scan.files.map { FilePath($0) } + known.paths(below: scan.folder)
      await refresh(Dictionary(paths.map { ($0, reason) }, uniquingKeysWith: max))
      // While the folder is scanned periodically, `degraded` has said so already.
      if let reason = scan.reason, degraded == nil, !isClosed { broadcast.send(.rescanned(reason)) }
    case .degraded(let reason):
      degraded = reason
      broadcast.send(.degraded(reason))
    case .watching: degraded = nil
    }
  }

  /// The timeout for all documents that other programs hold when the folder is opened.
  private static let firstTimeout = Duration.seconds(1)

  /// Reads each document for the first time, without events and by its own row alone. A document that is being saved or written
  /// is read again after a pause, and then again by the watcher.
  private func refreshFirst(_ paths: [FilePath], _ clock: some Clock<Duration>) async {
    let unread = paths.filter { !isClosed && !refreshFirst($0, timeout: .zero) }
    guard !unread.isEmpty, !isClosed else { return }
    do {
      try await clock.sleep(for: Self.busyRetry)
    } catch {
      // Return at once when cancelled.
    }
    let end = ContinuousClock.now + Self.firstTimeout
    for path in unread where !isClosed {
      guard !refreshFirst(path, timeout: end - .now) else { continue }
      await source.recheck(at: path.string, after: busyDelay(path))
    }
  }

  /// Whether the document was read or is missing.
  private func refreshFirst(_ path: FilePath, timeout: Duration) -> Bool {
    var file = file(path)
    file.timeout = timeout
    var stamp: FileStamp?
    known[path] = nil
    do throws(ArtError) {
      stamp = try file.stampIfThere()
      guard let stamp else { return true }
      let (base, pending, versions) = try file.firstLook()
      known[path] = KnownDocument(
        base: base, versions: versions, identity: stamp.identity, stamp: stamp, pending: pending)
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
      // A path without a stamp is refreshed and reported in its turn.
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

  /// Refreshes one document and emits its events. Returns the delay until it must be refreshed again, or nil.
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
      let found = try file.readWhole()
      busyRetries[path] = nil
      unreadable[path] = nil
      adopt(found, at: path, stamp, &batch)
      return nil
    } catch {
      switch error.code {
      case .noSuchDocument: return handleMissing(path, reason)
      case .busy: return busyDelay(path)
      default: return receive(trouble: error, at: path, stamp, reason)
      }
    }
  }

  /// Records a document that was read, and emits its events.
  private func adopt(
    _ whole: WholeDocument, at path: FilePath, _ stamp: FileStamp, _ batch: inout RefreshBatch
  ) {
    let content = whole.content
    var events: [FolderEvent] = []
    let old = oldPath(of: content.id, stamp.identity, now: path)
    if known[path] == nil, let document = conflictingDocument(path, content.id) {
      // A program that carries files has put the copy there, or renamed the document to it: the document is another file by now.
      events.append(.conflict(path.string, of: document.string, revision: content.revision))
      known[path] = KnownDocument(
        base: DocumentBase(content), versions: whole.versions, edits: KnownEdits(content),
        identity: stamp.identity, stamp: stamp)
      batch.add(document, .unsettled)
    } else if let old {
      events.append(.renamed(path.string, from: old.string))
      known[path] = known[old]
      known[old] = nil
      // Another file may be at the old path.
      batch.add(old, .unsettled)
    }
    let hasOtherVersions = known[path]?.hasOtherVersions(than: whole.versions, in: content.id) ?? false
    events += Comparison(path: path.string, known: known[path]).events(finding: content)
    if hasOtherVersions {
      let names = whole.versions.values.compactMap(\.self).sorted()
      events.append(.versions(path.string, names: names, revision: content.revision))
    }
    var found = KnownDocument(
      base: DocumentBase(content), versions: whole.versions, edits: KnownEdits(content),
      identity: stamp.identity, stamp: stamp)
    found.adoptPending(content, after: known[path])
    let before = known[path]
    known[path] = found
    broadcast.send(events)
    if events.isEmpty, let before { tellQuietChange(path, from: before, to: found) }
  }

  /// Tells what no event says of a document that was read again.
  private func tellQuietChange(_ path: FilePath, from before: KnownDocument, to now: KnownDocument) {
    guard before.stamp != now.stamp || before.trouble != now.trouble else { return }
    quietChanges.send(QuietChange(path: path, isReplaced: before.identity != now.identity))
  }

  /// Notifies listeners when what is pending has changed.
  private func emitPending() {
    guard known.pendingChanges != emittedPendingChanges else { return }
    emittedPendingChanges = known.pendingChanges
    pendingBroadcast.send(())
  }

  /// The known document of which a file is a conflict copy, by its path and the document's id.
  private func conflictingDocument(_ path: FilePath, _ id: DocumentID) -> FilePath? {
    guard let document = ConflictCopy.document(of: path.string).map({ FilePath($0) }),
      known[document]?.base?.id == id
    else { return nil }
    return document
  }

  /// The previous path of a document that was found here: a path where the same file was and is not any more.
  private func oldPath(of id: DocumentID, _ identity: FileIdentity, now path: FilePath) -> FilePath? {
    guard known[path]?.identity != identity else { return nil }
    return known.paths(of: identity).first { other in
      guard other != path, known[other]?.base?.id == id else { return false }
      // A path that cannot be read counts as unchanged: at worst `added` is emitted instead of `renamed`.
      do throws(ArtError) { return try file(other).stampIfThere()?.identity != identity } catch {
        return false
      }
    }
  }

  /// Refreshes the other hard links of a file: the kernel reports a write only under the name that was used, which may be removed
  /// by now.
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

  /// Records that a document is unreadable. Nothing is emitted while it may still be being written.
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
    // A file without a stamp keeps its known identity; an unknown file has none.
    if let identity = stamp?.identity ?? before?.identity {
      known[path] = KnownDocument(
        base: before?.base, versions: before?.versions, trouble: error, edits: before?.edits,
        identity: identity, stamp: stamp,
        pending: before?.pending,
        becamePending: before?.becamePending ?? false)
      broadcast.send(events)
      if events.isEmpty, !isOfDisk, let before, let now = known[path] {
        tellQuietChange(path, from: before, to: now)
      }
    }
    // No event reports that a disk works again, so the document is refreshed again.
    guard isOfDisk else {
      busyRetries[path] = nil
      return nil
    }
    known[path]?.stamp = nil
    return busyDelay(path, atMost: .seconds(10))
  }

  /// Records that no file is at a path, and reports the removal after its grace period: the file may have been renamed.
  private func handleMissing(_ path: FilePath, _ reason: RefreshReason) -> Duration? {
    busyRetries[path] = nil
    unreadable[path] = nil
    guard let document = known[path] else { return nil }
    if reason != .listed {
      let now = timeline.now()
      let until = document.missingUntil ?? now + Self.removalGrace
      known[path]?.missingUntil = until
      if until > now { return until - now }
    }
    known[path] = nil
    broadcast.send(.removed(path.string))
    return nil
  }

  /// The pause before a document in use is refreshed again: 50 ms, doubled each time.
  private func busyDelay(_ path: FilePath, atMost: Duration = .seconds(1)) -> Duration {
    let retries = min(busyRetries[path] ?? 0, 10)
    busyRetries[path] = retries + 1
    return min(Self.busyRetry * (1 << retries), atMost)
  }
}

// MARK: Pending backgrounds

extension DocumentFolder {
  /// The pending backgrounds that this mode fetches.
  func pending(_ mode: PendingMode) -> [(path: FilePath, key: PendingKey, revision: Int)] {
    guard mode != .none, !isClosed else { return [] }
    return known.withPending.compactMap { path, document in
      guard let base = document.base, let pending = document.pending, pending.isWanted,
        mode == .all || document.becamePending
      else { return nil }
      return (path, PendingKey(document: base.id, url: pending.url), base.revision)
    }
  }
}

/// Where the events of an open folder come from: the watcher, or a test.
protocol EventSource: Sendable {
  /// Waits for the next event; nil after `close`. The first event about files is a scan of the whole folder.
  func next() async -> WatchEvent?
  /// Reports a file again after the delay.
  func recheck(at path: String, after delay: Duration) async
  /// Has a function called with the path of each file that comes to a wanted path, at once; it must not wait. Nil ends it.
  func forwardArrivals(to receive: (@Sendable (FilePath) -> Void)?)
  /// Closes the source; `next` returns nil from then on.
  func close() async
}

extension FolderWatcher: EventSource {}

// Messages call a folder by the path as given.
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

  /// The watcher ended before its first scan.
  fileprivate static func unwatched(_ name: String) -> ArtError {
    ArtError(
      .unavailable,
      "the folder \(name) cannot be watched: the watcher ended before its first scan; try again",
      about: name)
  }
}

/// A change in a folder. Paths are relative to it.
public enum FolderEvent: Sendable, Equatable {
  /// A document was added.
  case added(String, revision: Int)
  /// A conflict copy of a document came beside it: see `ConflictCopy`. It may be the document's former file.
  case conflict(String, of: String, revision: Int)
  /// A document changed; one event for each save.
  case changed(String, DocumentChange)
  /// A document changed by more edits than its log holds: read it again.
  case movedOn(String, revision: Int)
  /// Versions of a document were named or removed; the names of those that it has now, sorted. Its revision stays.
  case versions(String, names: [String], revision: Int)
  /// A document was removed.
  case removed(String)
  /// A document was renamed.
  case renamed(String, from: String)
  /// A document became unreadable; emitted once until it is readable again or the kind of error changes.
  case damaged(String, reason: ArtError)
  /// Events may have been missed, for this reason. The folder was scanned, and the differences were emitted before.
  case rescanned(String)
  /// Changes are found by scanning the folder periodically; why, and what the user can do.
  case degraded(String)
  /// This listener missed events and should read the folder's documents again.
  case resync
}

/// A change of a document by another program, normally one save.
public struct DocumentChange: Sendable, Equatable {
  /// The edits of one save, oldest first. Empty when the document was replaced by another state of itself, such as a backup, or
  /// is readable again.
  public let edits: [LoggedEdit]
  /// The known texts of the emoji that the edits refer to.
  public let texts: [EmojiID: String]
  /// The document's revision after the edits.
  public let revision: Int
  /// Whether the edits are the whole change. Otherwise read the document again.
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
  package let filePath: FilePath
  /// Its path, relative to the folder.
  public var path: String { filePath.string }
  /// Its state; nil while it is unreadable, or not read yet because another program has held it since the folder was opened.
  public let base: DocumentBase?
  /// Why it is unreadable, by the last refresh; nil when it is readable or still in its grace period.
  public let trouble: ArtError?
  /// The file's size in bytes and the time of its last change in milliseconds since 1970, by the last refresh; nil while it is unknown.
  public let file: File?
  package let documentPath: FilePath?
  /// The path of the document of which this is a conflict copy; nil if it is none.
  public var conflictOf: String? { documentPath?.string }

  /// What the file system says of a document's file.
  public struct File: Sendable, Equatable {
    /// The size in bytes.
    public let size: Int
    /// The time of the last change, in milliseconds since 1970.
    public let modified: Int
  }

  /// A document.
  public init(
    path: String, base: DocumentBase?, trouble: ArtError?, file: File? = nil, conflictOf: String? = nil
  ) {
    filePath = FilePath(path)
    documentPath = conflictOf.map { FilePath($0) }
    self.base = base
    self.trouble = trouble
    self.file = file
  }
}

/// The file of a document has changed, and no event of the folder says so. Reasons are: a save fell between the look at the file and its reading;
/// the file was touched, or moved away and back; another file has the same content; the document is unreadable as before, or could not be read
/// when the folder was opened. It is noticed by what `lstat` says, above all by the time of the last change.
package struct QuietChange: Sendable {
  package let path: FilePath
  /// Whether the file has another number. One with the same number may be another file all the same.
  package let isReplaced: Bool
}
