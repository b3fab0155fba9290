// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtWatch
import ArtWorker
import Glibc
import Synchronization

/// How a workspace opens its folder and its documents.
public struct WorkspaceSettings: Sendable {
  /// Whether documents in subfolders are included.
  public var isRecursive = false
  /// Whether subfolders whose names begin with a point are left out.
  public var skipsHiddenFolders = false
  /// The number of folders that are followed at most, with the workspace's own.
  public var mostFolders = 100_000
  /// Where open documents keep their unsaved edits.
  public var journal = JournalLocation.standard
  /// When open documents save themselves.
  public var autosave = AutosavePolicy()
  /// Which pending backgrounds of open documents are fetched.
  public var pending = PendingMode.changed
  /// Whether pending backgrounds may come from any address.
  public var allowsPrivate = false
  /// Whether the user wants warnings of refused backgrounds; nil for no choice.
  public var warnings: WarningChoice?
  /// Whether the front end can ask the question that goes with a warning.
  public var asksAboutWarnings = true
  /// A document is read again when nothing has happened to its file for this long.
  public var quiet = Duration.milliseconds(20)
  /// The helper programs.
  public var helpers = HelperPrograms.installed
  /// Which conflict copies are merged by themselves, and whether each document is guarded: see `MergingFolder`. Nil for neither.
  public var merges: MergingFolder.Mode?
  /// A reason to scan the folder every two seconds instead of watching it; normally nil.
  public var pollBecause: String?

  /// The defaults.
  public init() {}
}

/// An open folder of documents for any number of clients.
///
///     clients ──▶ Session ──┐
///     clients ──▶ Session ──┴─▶ SharedDocument ── Document ──▶ file          one Document for all sessions of a file
///                                      ▲
///     one helper ──▶ one watcher ──▶ WatchRelay ──▶ DocumentFolder ──▶ events of the folder
///
/// - A document is open once for all its sessions, by whatever paths they opened it: the registry compares paths, then the
///   files themselves (device and inode).
/// - When a file is renamed within the folder, its sessions follow. When another state of the document replaces it, the document
///   refreshes. When it is removed, the sessions get `removed`, and their edits are kept.
/// - One watcher and one helper process report changes for the folder and all of its open documents.
public actor Workspace {
  /// The folder's path, as it was given.
  public nonisolated let path: String
  private nonisolated let settings: WorkspaceSettings
  /// The absolute path, with a slash.
  nonisolated let root: String
  private let folder: DocumentFolder
  private let relay: WatchRelay
  /// What merges the copies of documents; nil if nothing does.
  private let merging: MergingFolder?
  nonisolated let fetcher: BackgroundFetcher
  let registry: Registry
  private(set) var opening = Openings<Task<Result<SharedDocument, ArtError>, Never>>()
  /// Files that are on their way into the trash.
  var deleting: Set<FileIdentity> = []
  private var isClosed = false
  private nonisolated let executor = ThreadExecutor()

  /// An executor of its own, because file operations block it.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens a folder, and returns when each of its documents has been refreshed. Throws what `DocumentFolder.open` throws.
  public static func open(
    _ path: String, _ settings: WorkspaceSettings = WorkspaceSettings(),
    clock: some Clock<Duration> = ContinuousClock()
  ) async throws(ArtError) -> Workspace {
    var watch = WatchSettings(ending: DocumentFile.ending, helpers: settings.helpers)
    watch.isRecursive = settings.isRecursive
    watch.skipsHiddenFolders = settings.skipsHiddenFolders
    watch.mostFolders = settings.mostFolders
    watch.quiet = settings.quiet
    watch.pollBecause = settings.pollBecause
    return try await open(path, settings, clock: clock) { [watch] in FolderWatcher($0, watch, clock: clock) }
  }

  static func open(
    _ path: String, _ settings: WorkspaceSettings, clock: some Clock<Duration>,
    _ source: (String) -> any EventSource
  ) async throws(ArtError) -> Workspace {
    let registry = Registry()
    let root = try DocumentFolder.root(of: path)
    let relay = WatchRelay(source(root)) { registry.send($0) }
    let folder = try await DocumentFolder.open(
      path, clock: clock,
      observer: { registry.observe($0, in: FilePath(root).endsWithSlash ? root : root + "/") }
    ) { _ in
      relay
    }
    let workspace = Workspace(path, root, settings, folder, relay, registry)
    await workspace.merging?.begin()
    return workspace
  }

  private init(
    _ path: String, _ root: String, _ settings: WorkspaceSettings, _ folder: DocumentFolder,
    _ relay: WatchRelay, _ registry: Registry
  ) {
    self.path = path
    self.root = FilePath(root).endsWithSlash ? root : root + "/"
    self.settings = settings
    self.folder = folder
    self.relay = relay
    self.registry = registry
    merging =
      settings.merges.map {
        MergingFolder(folder, $0, by: Self.recovery(settings, by: nil, report: { _ in }))
      }
    fetcher = BackgroundFetcher(helpers: settings.helpers)
  }

  // MARK: The folder

  /// The documents of the folder, sorted by path.
  public var documents: [FolderDocument] { get async { await folder.documents } }

  /// The documents directly in a subfolder, in no order; `""` is the workspace's own folder.
  public func documents(in subfolder: String) async -> [FolderDocument] {
    await folder.documents(in: FilePath(subfolder))
  }

  /// The document at a path, as the folder knows it; nil if there is none.
  public func document(_ path: String) async -> FolderDocument? { await folder.document(FilePath(path)) }

  /// Why open documents are not saved, by their paths.
  package var saveFailures: [FilePath: ArtError] {
    get async {
      var failures: [FilePath: ArtError] = [:]
      for shared in registry.all {
        if case .error(let error) = await shared.document.state { failures[shared.path] = error }
      }
      return failures
    }
  }

  /// What is merged from now on; nil in a workspace that merges nothing.
  public nonisolated func merges() -> EventSequence<MergingFolder.Event>? { merging?.events() }

  /// Why copies of documents are not merged, by the documents' paths.
  package var mergeFailures: [FilePath: ArtError] { get async { await merging?.failuresByPath ?? [:] } }

  /// The conflict copies of a document that are merged only on request; their paths.
  public func waitingCopies(of path: String) async -> [String] {
    await merging?.waiting(of: FilePath(path)) ?? []
  }

  /// Whether this user may not write the document's file.
  public nonisolated func isReadOnly(_ path: String) -> Bool {
    access(root + path, W_OK) != 0 && errno != ENOENT
  }

  /// Recovery for use cases in this workspace, with its folder of journals.
  public nonisolated func recovery(
    by author: String?, report: @escaping @Sendable (Recovery.Notice) -> Void = { _ in }
  ) -> Recovery {
    Self.recovery(settings, by: author, report: report)
  }

  private static func recovery(
    _ settings: WorkspaceSettings, by author: String?, report: @escaping @Sendable (Recovery.Notice) -> Void
  ) -> Recovery {
    var folder: JournalFolder?
    if case .folder(let own) = settings.journal { folder = own }
    return Recovery(author: author, journals: folder, report: report)
  }

  /// How many edits killed programs have left, by their documents. A journal that cannot be read counts as one edit.
  public nonisolated func orphanedEdits() -> [DocumentID: Int] {
    var edits: [DocumentID: Int] = [:]
    for journal in recovery(by: nil).journals() {
      guard let head = journal.head else { continue }
      var count = 1
      do throws(ArtError) { count = try journal.contents().entries.count } catch {
        // What it has is unknown, and may be edits: opening the document says what is wrong with it.
      }
      if count > 0 { edits[head.base.id, default: 0] += count }
    }
    return edits
  }

  /// Why changes are found by scanning the folder periodically; nil while the system reports them.
  public var degraded: String? { get async { await folder.degraded } }

  /// The events of the folder from now on: see `DocumentFolder.events`.
  public nonisolated func events(capacity: Int = 1_024) -> EventSequence<FolderEvent> {
    folder.events(capacity: capacity)
  }

  /// What no event of the folder says of the documents directly in a folder, from now on: see `QuietChange`. Nil stands for more than a slow
  /// listener can be told of.
  package nonisolated func quietChanges(in parent: FilePath) -> EventSequence<QuietChange?> {
    folder.quietChanges.subscribe(
      capacity: 1_024, where: { $0.map { $0.path.parent == parent } ?? true })
  }

  /// Closes every document, and the folder. A document that cannot be saved keeps its journal. Returns the first such error.
  @discardableResult
  public func close() async -> ArtError? {
    isClosed = true
    await merging?.close()
    var first: ArtError?
    for shared in registry.all {
      let failure = await shared.end()
      first = first ?? failure?.error
    }
    await folder.close()
    return first
  }

  // MARK: Sessions

  /// Opens a session of the document at a path in the folder. Throws `badValue` for a path that leads out of the folder or to a hidden file,
  /// and what `Document.open` throws.
  public func open(_ path: String, as client: DocumentClient) async throws(ArtError) -> Session {
    let relative = try document(at: path)
    try ConflictCopy.refuseEdits(of: documentFile(relative))
    while true {
      guard !isClosed else { throw .closedWorkspace(self.path) }
      let shared = try await share(relative)
      if let session = shared.attach(client) { return session }
      // Its last session was closing it; open it again then.
      await shared.ended()
    }
  }

  /// The document at a path, opened if necessary.
  private func share(_ path: FilePath) async throws(ArtError) -> SharedDocument {
    let file = documentFile(path)
    guard let identity = FileIdentity(at: file.path) else {
      if let shared = registry.document(at: path) { return shared }
      // `stamp` throws the error for a missing file; if the file exists by now, the search is repeated.
      _ = try file.stamp()
      return try await share(path)
    }
    guard !deleting.contains(identity) else { throw .beingDeleted(path.string) }
    if let shared = registry.document(at: path, is: identity) { return shared }
    if let shared = registry.document(at: path) {
      // Another file at the path: another state of the document, or another document.
      let found = try file.base()
      if found.id == shared.id {
        shared.identity = identity
        return shared
      }
      if let now = registry.path(of: shared, in: await folder.documents, root) {
        shared.move(to: now, documentFile(now))
      }
    }
    if let shared = registry.document(is: identity) {
      // A hard link of the file, or its new path.
      if FileIdentity(at: documentFile(shared.path).path) != identity { shared.move(to: path, file) }
      return shared
    }
    let shared = try await (opening[identity] ?? begin(path, file, identity)).value.get()
    guard isClosed else { return shared }
    // The workspace was closed while the document was being opened.
    _ = await shared.end()
    throw .closedWorkspace(self.path)
  }

  private func begin(
    _ path: FilePath, _ file: DocumentFile, _ identity: FileIdentity
  ) -> Task<Result<SharedDocument, ArtError>, Never> {
    let number = opening.next
    let task = Task { [settings, relay, fetcher, registry] () -> Result<SharedDocument, ArtError> in
      // Whoever waits for this task may go on later than others who open the document anew.
      defer { opening.remove(number, of: identity) }
      do throws(ArtError) {
        let document = try await Document.open(
          file, journal: settings.journal, autosave: settings.autosave, refreshInterval: nil)
        let shared = SharedDocument(
          document, await document.content.id, path, identity, settings, relay, fetcher, registry)
        await shared.begin()
        registry.add(shared)
        return .success(shared)
      } catch {
        return .failure(error)
      }
    }
    opening.add(task, of: identity)
    return task
  }

  /// The file of a document, for reading. Reading waits at most one second for other programs. Throws `badValue` for a path outside the folder,
  /// and for a hidden file.
  public nonisolated func file(_ path: String) throws(ArtError) -> DocumentFile {
    var file = documentFile(try document(at: path))
    file.timeout = .seconds(1)
    return file
  }

  /// The file of a document.
  nonisolated func documentFile(_ path: FilePath) -> DocumentFile {
    var file = DocumentFile(root + path.string)
    file.name = path.string
    file.followsLinks = false
    return file
  }

  nonisolated func checked(_ path: String) throws(ArtError) -> FilePath {
    let path = FilePath(path)
    guard !path.isRoot, !path.isAbsolute, !path.components.contains(".."),
      !path.components.contains("."),
      FilePath(path.components.joined(separator: "/")) == path
    else { throw .outsideWorkspace(path.string) }
    return path
  }

  // MARK: Life cycle

  /// Applies a life cycle event to all documents. Throws the first error of saving one.
  public func send(_ event: LifeCycleEvent, of life: LifeCycle) async throws(ArtError) {
    let all = registry.all
    let sent = await result { () async throws(ArtError) in
      try await life.send(event, to: all.map(\.document))
    }
    for shared in all { await shared.finishIfClosed() }
    try sent.get()
  }
}

/// What opens documents, by their files: one for each file, until it is removed by its number. One that ends late does not remove a newer
/// one of the same file.
struct Openings<Opening> {
  private var all: [FileIdentity: (number: Int, opening: Opening)] = [:]
  /// The number of the one that is added next.
  private(set) var next = 0

  subscript(file: FileIdentity) -> Opening? { all[file]?.opening }

  mutating func add(_ opening: Opening, of file: FileIdentity) {
    all[file] = (next, opening)
    next += 1
  }

  mutating func remove(_ number: Int, of file: FileIdentity) {
    if all[file]?.number == number { all[file] = nil }
  }
}

/// The open documents of a workspace.
final class Registry: Sendable {
  private let documents = Mutex<[SharedDocument]>([])

  var all: [SharedDocument] { documents.withLock { $0 } }

  func add(_ shared: SharedDocument) { documents.withLock { $0.append(shared) } }

  func remove(_ shared: SharedDocument) { documents.withLock { $0.removeAll { $0 === shared } } }

  func document(at path: FilePath) -> SharedDocument? { all.first { $0.path == path } }

  func document(at path: FilePath, is identity: FileIdentity) -> SharedDocument? {
    all.first { $0.path == path && $0.identity == identity }
  }

  func document(is identity: FileIdentity) -> SharedDocument? { all.first { $0.identity == identity } }

  /// The present path of a document's file, if it is in the folder.
  func path(of shared: SharedDocument, in known: [FolderDocument], _ root: String) -> FilePath? {
    known.first { FileIdentity(at: root + $0.path) == shared.identity }.map { FilePath($0.path) }
  }

  func send(_ event: SessionEvent) { for shared in all { shared.send(event) } }

  /// Receives the folder's events before any document gets the hint for them.
  func observe(_ events: [FolderEvent], in root: String) {
    for event in events {
      switch event {
      case .renamed(let new, let old): follow(to: FilePath(new), from: FilePath(old), in: root)
      case .added(let path, _): follow(to: FilePath(path), from: nil, in: root)
      case .removed(let path): for shared in all where shared.path == FilePath(path) { shared.send(.removed) }
      case .conflict, .changed, .movedOn, .versions, .damaged, .degraded, .rescanned, .resync: break
      }
    }
  }

  /// Has a document follow its file, which is known by itself and, where it was replaced meanwhile, by its former path. Another document
  /// whose file was at the new path has lost it.
  private func follow(to path: FilePath, from former: FilePath?, in root: String) {
    let identity = FileIdentity(at: root + path.string)
    let byFile = identity.flatMap { identity in
      // A second name of a file is no move.
      all.first { $0.identity == identity && FileIdentity(at: root + $0.path.string) != identity }
    }
    let hasArrived = all.contains { $0.path == path && $0.identity == identity }
    let byPath =
      hasArrived
      ? nil
      : former.flatMap { former in
        all.first { $0.path == former && FileIdentity(at: root + former.string) != $0.identity }
      }
    let moved = byFile ?? byPath
    for other in all where other !== moved && other.path == path && other.identity != identity {
      other.send(.removed)
    }
    if let moved, moved.path != path { moved.move(to: path) }
  }
}

extension ArtError {
  fileprivate static func closedWorkspace(_ path: String) -> ArtError {
    ArtError(.closed, "the folder \(path) is closed; open it again", about: path)
  }

  fileprivate static func beingDeleted(_ path: String) -> ArtError {
    ArtError(.busy, "\(path) is being put into the trash", about: path)
  }

  fileprivate static func outsideWorkspace(_ path: String) -> ArtError {
    ArtError(
      .badValue,
      "\"\(path)\" is no path of a document in the folder; give one without .. that is relative to it",
      about: path)
  }
}
