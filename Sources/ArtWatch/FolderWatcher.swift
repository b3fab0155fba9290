// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// Watches a folder. It only says "look again": truth is what the files say.
///
///     starting ──survey──▶ attached: the helper tells of every folder           ◀──────┐
///                 │            │ the helper ended, the folder moved, events lost: survey │ `watching`
///                 ▼            ▼                                                         │
///              degraded: a survey every `pollEvery`, which tries to attach again ────────┘
///
/// All work is done in `next()`. Between two calls, what the helper tells is merged in its `Inbox`; while nothing happens
/// the call waits without a timer.
public actor FolderWatcher {
  let walk: FolderWalk
  let settings: WatchSettings
  let timeline: Timeline
  let start: InotifyHelper.Start
  /// The kind of a remote file system, by its device number.
  let remoteKind: @Sendable (UInt) -> String?
  nonisolated let wakeup = Wakeup()
  private let executor = ThreadExecutor("emojiart.watch")

  var debouncer: Debouncer
  var tree = WatchTree()
  /// The watches on the folders above the watched one.
  var guards: Set<Int32> = []
  /// Whether events of the guards may have been lost.
  var mustGuardAgain = false
  /// When the watched folder is looked at by its path, where one above it cannot be guarded.
  var rootDue: Duration?
  var helper: Helper?
  var restarts = Restarts()
  /// What ended the last helper, and until when none is started again.
  var pause: (why: ArtError, until: Duration)?
  /// Why the system does not tell everything, as it was told; nil while it does.
  var trouble: String?
  /// When the folder is looked through again while it is degraded.
  var pollDue: Duration?
  /// Whether anything was looked through yet.
  var hasScanned = false
  var ready: [WatchEvent] = []
  /// What is looked through next, when everything that is ready has been given.
  private var scan: Debouncer.Scan?
  var isClosed = false
  private var isBusy = false

  /// A helper that runs.
  struct Helper: Sendable {
    let process: InotifyHelper
    let inbox: Inbox
    let gone: Wakeup
  }

  /// The watcher has a queue of its own: looking through folders takes time.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Begins to watch a folder, by its absolute path without symbolic links. The first news is a scan of all of it, after
  /// `degraded` where that holds.
  public init(_ folder: String, _ settings: WatchSettings, clock: some Clock<Duration> = ContinuousClock()) {
    self.init(
      folder, settings, clock: clock, start: InotifyHelper.start,
      remoteKind: { RemoteFileSystem.kind(of: $0) })
  }

  init(
    _ folder: String, _ settings: WatchSettings, clock: some Clock<Duration>,
    start: @escaping InotifyHelper.Start, remoteKind: @escaping @Sendable (UInt) -> String?
  ) {
    self.settings = settings
    self.start = start
    walk = FolderWalk(folder, settings)
    self.remoteKind = remoteKind
    timeline = Timeline(clock)
    debouncer = Debouncer(quiet: settings.quiet, timeout: settings.timeout)
    debouncer.rescan(.root, at: .zero)
  }

  deinit { helper?.process.end() }

  /// Waits for the next news; nil after `close`, for a task that is cancelled, and for a second caller meanwhile. What
  /// happens between two calls waits, and is merged.
  public func next() async -> WatchEvent? {
    guard !isBusy else { return nil }
    isBusy = true
    defer { isBusy = false }
    return await withTaskCancellationHandler {
      await produce()
    } onCancel: {
      wakeup.wake()
    }
  }

  private func produce() async -> WatchEvent? {
    while !isClosed, !Task.isCancelled {
      if !ready.isEmpty { return ready.removeFirst() }
      if let scan {
        self.scan = nil
        await perform(scan)
      }
      takeEvents()
      checkRoot()
      let due = debouncer.take(at: timeline.now())
      if !due.looks.isEmpty {
        ready.append(.look(due.looks.map { WatchedFile($0.path.string, isQuiet: $0.isQuiet) }))
      }
      scan = due.scan
      if let time = pollDue, time <= timeline.now() {
        scan = Debouncer.Scan(folder: .root, reason: scan?.reason)
      }
      if ready.isEmpty, scan == nil, !isClosed { await sleep() }
    }
    return nil
  }

  /// Waits for the next thing that is due, or for something that happens.
  private func sleep() async {
    let due = [debouncer.nextDue, pollDue, rootDue].compactMap { $0 }.min()
    if let inbox = helper?.inbox, inbox.expect(at: due) { return }
    await wait(until: due)
  }

  /// Waits for the wakeup, until then at most.
  func wait(until due: Duration?) async {
    guard let due else { return await wakeup.wait() }
    let alarm = Task.detached { [timeline, wakeup] in
      do { try await timeline.sleep(due) } catch { return }
      wakeup.wake()
    }
    await wakeup.wait()
    alarm.cancel()
  }

  /// Has a file come again as one to look at, after that long or earlier.
  public func recheck(at path: String, after delay: Duration) {
    guard !isClosed else { return }
    debouncer.again(FilePath(path), at: timeline.now() + delay)
    wakeup.wake()
  }

  /// Ends watching; returns when the helper is gone.
  public func close() async {
    isClosed = true
    ready = []
    wakeup.wake()
    let last = helper
    detach()
    await last?.gone.wait()
  }
}
