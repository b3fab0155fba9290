// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtWatch
import Glibc

/// Has an open document hear at once of what others do to its file.
///
///     helper ──▶ FolderWatcher, of the folder in which the file really lies ──▶ Document.look
///
/// A document that others write to by another name hears of it by the clock: the system tells it only to who watches
/// the folder of that name. So does one whose path goes through a symbolic link, which may be made to lead elsewhere.
public actor DocumentWatch {
  /// How well the document hears.
  public enum Event: Sendable, Equatable {
    /// The system does not tell of all changes any more: the file is looked at every so often. For people: why, and what
    /// can be done.
    case degraded(String)
    /// The system tells of all changes again.
    case watching
  }

  private let document: Document
  private let watcher: FolderWatcher
  private let name: String
  private let refreshInterval: Duration
  /// Whether the path was seen to go through a symbolic link. It stays so while the link is being made again.
  private var isLinked = false
  private var following: Task<Void, Never>?
  private var isOver = false
  private nonisolated let broadcast = Broadcast<Event>()
  private nonisolated let executor = ThreadExecutor("emojiart.document-watch")

  /// The thread that it lives on: it may wait for the file system.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// A watch for a document that is open, which is the one to close it. `helpers` is where `emojiart-inotify`
  /// is looked for; `refreshInterval` is how often the file is looked at where nobody tells.
  public init(
    _ document: Document, helpers: HelperPrograms = .installed,
    pollBecause reason: String? = nil, refreshInterval: Duration = .seconds(2),
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.document = document
    self.refreshInterval = refreshInterval
    let place = FilePath(Self.realPath(of: document.path))
    name = place.name
    var settings = WatchSettings(ending: name.hasSuffix(".emojiart") ? ".emojiart" : "", helpers: helpers)
    settings.only = name
    settings.pollEvery = refreshInterval
    settings.pollBecause = reason
    watcher = FolderWatcher(place.folder, settings, clock: clock)
  }

  /// What happens from now on, for one listener of any number. Ends with the watch.
  public nonisolated func events() -> EventSequence<Event> { broadcast.subscribe(capacity: 16) }

  /// Begins. What was done to the file since the document was opened is looked for as soon as the system tells of what comes
  /// next: nothing is missed between the two.
  public func begin() {
    guard following == nil, !isOver else { return }
    following = Task { await follow() }
  }

  /// Ends; nothing of it is left.
  public func end() async {
    isOver = true
    await watcher.close()
    await document.refresh(every: nil)
    broadcast.finish()
  }

  private func follow() async {
    while let news = await watcher.next() {
      switch news {
      case .degraded(let reason): broadcast.send(.degraded(reason))
      case .watching: broadcast.send(.watching)
      case .scanned: await look(isQuiet: true)
      case .changed(let files): await look(isQuiet: files.allSatisfy(\.isQuiet))
      }
    }
  }

  private func look(isQuiet: Bool) async {
    // To a watcher that name is a journal's.
    let needsClock = hasOtherNames || name.hasSuffix("-journal")
    await document.refresh(every: needsClock && !isOver ? refreshInterval : nil)
    // What was half-written comes again by itself.
    guard await !document.refresh(isQuiet: isQuiet), isQuiet, !isOver else { return }
    await watcher.recheck(at: name, after: refreshInterval)
  }

  private var hasOtherNames: Bool {
    isLinked = isLinked || Self.goesThroughLink(document.path)
    if isLinked { return true }
    do throws(ArtError) {
      return try document.store.stamp().hardLinks > 1
    } catch {
      // The look that follows tells why.
      return false
    }
  }

  /// The path without symbolic links. Where the file is gone, that of its folder; where that is gone, too, the path as it
  /// is: the watcher says what it misses.
  private static func realPath(of path: String) -> String {
    if let real = FilePath.resolvedIfThere(path) { return real }
    let parts = FilePath(path)
    return "\(FilePath.resolvedIfThere(parts.folder) ?? parts.folder)/\(parts.name)"
  }

  private static func goesThroughLink(_ path: String) -> Bool {
    var prefix = path.utf8.first == 0x2F ? "" : "."
    for part in FilePath(path).components {
      prefix += "/\(part)"
      var status = stat()
      if lstat(prefix, &status) == 0, status.st_mode & S_IFMT == S_IFLNK { return true }
    }
    return false
  }
}
