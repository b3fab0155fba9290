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
  nonisolated let broadcast = Broadcast<FolderEvent>(overflow: { .resync })
  /// Tells that something is pending which was not, or no longer.
  nonisolated let pendingBroadcast = Broadcast<Void>()
  /// Files are waited for here, not on the threads of Swift's concurrency.
  private let executor = ThreadExecutor("emojiart.folder")
  /// A thread of its own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  /// The path without symbolic links, and a slash.
  let root: String
  /// What messages put before a document's path.
  private let shownRoot: String
  let source: any NewsSource
  let timeline: Timeline
  var known = KnownDocuments()
  /// How often each document was found in use by another program, without success between.
  var busyLooks: [FilePath: Int] = [:]
  /// Those that cannot be read, as they were found, and until when they may be half-written: nothing was told of that yet.
  var doubts: [FilePath: (stamp: FileStamp, until: Duration)] = [:]
  var toldPendingChanges = 0
  private(set) var isClosed = false
  private var listening: Task<Void, Never>?

  /// Why changes are found by looking through the folder every so often; nil while the system tells of them.
  public internal(set) var degraded: String?

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
  /// through every two seconds instead of asking the system, and says why. `helpers` is where `emojiart-inotify` is looked for.
  public static func open(
    _ path: String, isRecursive: Bool = false, only: String? = nil, pollBecause: String? = nil,
    helpers: HelperPrograms = .installed,
    clock: some Clock<Duration> = ContinuousClock()
  ) async throws(ArtError) -> DocumentFolder {
    var settings = WatchSettings(ending: DocumentFile.ending, helpers: helpers)
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
        await lookFirst(at: scan.files.map { FilePath($0) }, clock)
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
  func file(_ path: FilePath) -> DocumentFile {
    var file = DocumentFile(root + path.string, patience: .milliseconds(100))
    file.name = shownRoot + path.string
    file.followsLinks = false
    return file
  }
}
