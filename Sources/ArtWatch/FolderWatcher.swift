// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// Watches a folder, with inotify where possible and by scanning otherwise. Its events are only hints to
/// refresh: the content of the files decides.
///
///     starting ──survey──▶ attached: the helper reports all changes  ◀─────────────────────┐
///                 │            │ helper ended, folder moved, events lost: survey         │ `watching`
///                 ▼            ▼                                                         │
///              degraded: a survey every `pollEvery`, which tries to attach again ────────┘
///
/// All work is done in `next()`. Between two calls, events are merged in the `Inbox`. While nothing happens,
/// the call waits without a timer.
public actor FolderWatcher {
  private let walk: FolderWalk
  private let settings: WatchSettings
  private let timeline: Timeline
  private let start: InotifyHelper.Start
  /// Returns the type of a remote file system by its device number.
  private let remoteKind: @Sendable (UInt) -> String?
  /// Wakes `next()`; a test sees whether it waits.
  nonisolated let wakeup = Wakeup()
  private nonisolated let arrivals: Arrivals
  private let executor = ThreadExecutor()

  private var debouncer: Debouncer
  private var tree = WatchTree()
  /// The watches on the ancestors of the watched folder.
  private var guards: Set<Int32> = []
  /// Whether events of the guards may have been lost.
  private var mustRewatchAncestors = false
  /// When the identity of the watched folder is checked again, where an ancestor cannot be watched.
  private var rootDue: Duration?
  private var helper: Helper?
  private var restarts = RestartBackoff()
  /// Why the last helper ended, and until when no other is started.
  private var pause: (why: ArtError, until: Duration)?
  /// The reason of the last `degraded` event; nil while all changes are reported.
  private var degradedReason: String?
  /// When the folder is scanned again while it is degraded.
  private var pollDue: Duration?
  /// Whether a scan has been reported.
  private var hasScanned = false
  private var ready: [WatchEvent] = []
  /// The next scan, after all events in `ready` have been returned.
  private var scan: Debouncer.Scan?
  private var isClosed = false
  private var isBusy = false

  /// A running helper.
  private struct Helper: Sendable {
    let process: InotifyHelper
    let inbox: Inbox
    let ended: Wakeup
  }

  /// A queue of the watcher's own, because scanning folders blocks.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Starts to watch a folder, given by its absolute path without symbolic links. The first event is a scan of
  /// the whole folder, after a `degraded` event if changes cannot be reported.
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
    arrivals = Arrivals(walk)
    self.remoteKind = remoteKind
    timeline = Timeline(clock)
    debouncer = Debouncer(quiet: settings.quiet, maxDelay: settings.maxDelay)
    debouncer.scheduleScan(.root, at: .zero)
  }

  deinit { helper?.process.end() }

  /// Waits for the next event. Nil after `close`, when the task is cancelled, and for a second call while one
  /// waits. Changes between two calls are merged.
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
      drainInbox()
      // One time for all: what is due at it is merged into one scan.
      let now = timeline.now()
      checkRoot(at: now)
      let due = debouncer.removeDue(at: now)
      if !due.refreshes.isEmpty {
        ready.append(.changed(due.refreshes.map { WatchedFile($0.path.string, isQuiet: $0.isQuiet) }))
      }
      scan = due.scan
      if let time = pollDue, time <= now {
        scan = Debouncer.Scan(folder: .root, reason: scan?.reason)
      }
      if ready.isEmpty, scan == nil, !isClosed { await sleep() }
    }
    return nil
  }

  /// Waits until the next work is due, or until something happens.
  private func sleep() async {
    let due = [debouncer.nextDue, pollDue, rootDue].compactMap { $0 }.min()
    if let inbox = helper?.inbox, inbox.setAlarm(due) { return }
    await wait(until: due)
  }

  /// Waits for a wakeup, at most until a time.
  private func wait(until due: Duration?) async {
    guard let due else { return await wakeup.wait() }
    let alarm = Task.detached { [timeline, wakeup] in
      do { try await timeline.sleep(due) } catch { return }
      wakeup.wake()
    }
    await wakeup.wait()
    alarm.cancel()
    // It may be about to wake: that must not come later, when nothing happens.
    await alarm.value
  }

  /// Schedules another `changed` event for a file, after a delay or earlier.
  public func recheck(at path: String, after delay: Duration) {
    guard !isClosed else { return }
    debouncer.schedule(FilePath(path), at: timeline.now() + delay)
    wakeup.wake()
  }

  /// Has a function called with the path of each file that comes to a wanted path, at once, on another thread. It must not wait. Nothing is
  /// reported while the folder is scanned periodically. Nil ends it.
  package nonisolated func forwardArrivals(to receive: (@Sendable (FilePath) -> Void)?) {
    arrivals.forward(to: receive)
  }

  /// Stops watching; returns when the helper has ended.
  public func close() async {
    isClosed = true
    ready = []
    wakeup.wake()
    let last = helper
    detach()
    await last?.ended.wait()
  }
}

// MARK: - Events of the helper

extension FolderWatcher {
  /// Applies the events that the helper has reported.
  private func drainInbox() {
    guard let helper else { return }
    let contents = helper.inbox.drain()
    for (source, event) in contents.events { apply(event, from: source) }
    let now = timeline.now()
    if let reason = contents.lossReason {
      mustRewatchAncestors = true
      debouncer.folderChanged(.root, reason: reason, at: now)
    }
    if let end = contents.end { abandonHelper(end) }
  }

  private func apply(_ event: Inbox.MergedEvent, from source: Inbox.Source) {
    let mask = event.mask
    if guards.contains(source.watch) { return rootLost(at: event.last) }
    guard let folder = tree.path(of: source.watch) else { return }
    if source.name.isEmpty { return applySelfEvent(event, of: folder, source.watch) }
    if let file = walk.wanted(source.name, in: folder) {
      debouncer.recordEvent(for: file, at: event.first)
      debouncer.recordEvent(for: file, at: event.last)
    }
    if mask.contains(.folder), walk.isRecursive, folder.depth < FolderWalk.deepest,
      let name = String(validating: source.name, as: UTF8.self), walk.wantsFolder(name),
      walk.hasPath(folder.appending(name))
    {
      debouncer.folderChanged(folder.appending(name), at: event.first)
      debouncer.folderChanged(folder.appending(name), at: event.last)
    }
  }

  /// An event of a watched folder itself.
  private func applySelfEvent(_ event: Inbox.MergedEvent, of folder: FilePath, _ watch: Int32) {
    let moved: EventMask = [.selfMoved, .selfDeleted, .unmounted, .ignored]
    let isMoved = !event.mask.isDisjoint(with: moved)
    if isMoved, folder.isRoot { return rootLost(at: event.last) }
    if event.mask.contains(.ignored) { tree.drop(watch) }
    if isMoved || event.mask.contains(.attributes) { debouncer.folderChanged(folder, at: event.last) }
  }

  /// Checks the identity of the watched folder, where no event reports that an ancestor was moved.
  private func checkRoot(at now: Duration) {
    guard let due = rootDue, due <= now else { return }
    rootDue = now + settings.pollEvery
    guard let known = tree.folders[.root]?.identity else { return }
    do throws(ArtError) {
      if try walk.rootIdentity() == known { return }
    } catch {
      // The survey that follows reports the error.
    }
    rootLost(at: now)
  }

  /// The watched folder or an ancestor was moved or removed: the folder that is now at the path is watched
  /// instead.
  private func rootLost(at time: Duration) {
    detach()
    debouncer.folderChanged(.root, reason: ArtError.folderReplaced(walk.root).cause, at: time)
  }
}

// MARK: - The helper

extension FolderWatcher {
  /// A delay before a restart that is too short to report.
  private static var shortPause: Duration { .seconds(1) }
  /// The most bytes of commands without an answer: less than a pipe holds, so that `send` never blocks.
  private static var inFlightLimit: Int { 32_768 }

  /// Starts a helper if there is none, and watches the ancestors. Throws `unavailable`.
  private func connect() async throws(ArtError) {
    if helper != nil, !mustRewatchAncestors { return }
    let program: HelperProgram
    do throws(HelperFailure) { program = try settings.helpers.program("emojiart-inotify") } catch {
      throw .helperMissing()
    }
    let isNew = helper == nil
    if isNew, let pause, timeline.now() < pause.until { throw pause.why }
    do throws(ArtError) {
      if isNew { try await startHelper(program) }
      try await watchAncestors()
      if isNew { restarts.started(at: timeline.now()) }
    } catch {
      detach()
      pause = (error, restarts.ended(at: timeline.now()))
      throw error
    }
  }

  private func startHelper(_ program: HelperProgram) async throws(ArtError) {
    let inbox = Inbox(wakeup, now: timeline.now, quiet: settings.quiet, arrivals: arrivals)
    let ended = Wakeup()
    let process = try start(
      program, { inbox.receive($0) },
      {
        inbox.receive($0); ended.wake()
      })
    helper = Helper(process: process, inbox: inbox, ended: ended)
    try await waitForGreeting(inbox)
  }

  /// Ends a helper that is of no use. Another one is started after the delay of `restarts`; until then the
  /// folder is scanned.
  private func abandonHelper(_ why: ArtError) {
    detach()
    let now = timeline.now()
    let due = restarts.ended(at: now)
    pause = (why, due)
    let isSoon = due - now <= Self.shortPause
    // A scan reports its reason only if another helper has been started by then.
    debouncer.scheduleScan(.root, reason: .startedAgain(why), at: isSoon ? due : now)
  }

  private func waitForGreeting(_ inbox: Inbox) async throws(ArtError) {
    let deadline = timeline.now() + settings.helperTimeout
    while true {
      let contents = inbox.peek()
      switch contents.greeting {
      case .ready(HelperLine.version): return
      case .ready(let version): throw .helperVersion(version)
      case .failed(_, let number): throw .cannotInitialize(number)
      default: break
      }
      try await waitForHelper(contents.end, until: deadline)
    }
  }

  private func waitForHelper(_ end: ArtError?, until deadline: Duration) async throws(ArtError) {
    if let end { throw end }
    if isClosed { throw ArtError(.closed, "the watcher was closed") }
    if timeline.now() >= deadline { throw .helperSilent() }
    await wait(until: deadline)
  }

  /// Watches the ancestors: when one of them is moved, the watched folder gets no event of its own. From the
  /// top down, so that a move of an ancestor that is not watched yet is reported by one above it.
  private func watchAncestors() async throws(ArtError) {
    var ancestors: [String] = []
    var path = walk.root
    while path != "/", let slash = path.lastIndex(of: "/") {
      path = slash == path.startIndex ? "/" : String(path[..<slash])
      ancestors.append(path)
    }
    let former = guards
    guards = []
    rootDue = nil
    mustRewatchAncestors = false
    ancestors.reverse()
    for answer in try await ask(ancestors.map { ("guard", $0) }) {
      switch answer {
      case .watching(let watch, _): guards.insert(watch)
      // A folder that may be passed through but not read, as homes of other users often are.
      case .failed(_, EACCES), .failed(_, EPERM): rootDue = timeline.now() + settings.pollEvery
      case .failed(_, let number): throw .cannotWatch(walk.root, number)
      default: throw .helperSilent()
      }
    }
    unwatch(former.subtracting(guards).filter { tree.path(of: $0) == nil })
  }

  /// Sends commands and returns their answers in the same order. Throws `unavailable` where an answer does not
  /// come.
  private func ask(_ commands: [(verb: String, path: String)]) async throws(ArtError) -> [HelperLine] {
    guard let helper else { throw .helperSilent() }
    var answers: [HelperLine] = []
    var sizes: [Int] = []
    var asked = 0
    var deadline = timeline.now() + settings.helperTimeout
    while answers.count < commands.count {
      var line: [UInt8] = []
      while sizes.count < commands.count {
        let next = command(commands[sizes.count])
        let inFlight = sizes[answers.count...].reduce(0, +)
        if inFlight > 0, inFlight + next.count > Self.inFlightLimit { break }
        sizes.append(next.count)
        line += next
      }
      helper.inbox.expectAnswers(sizes.count - asked)
      asked = sizes.count
      if !line.isEmpty { try helper.process.send(line) }
      let more = helper.inbox.drainAnswers()
      answers += more
      if more.isEmpty {
        try await waitForHelper(helper.inbox.peek().end, until: deadline)
      } else {
        deadline = timeline.now() + settings.helperTimeout
      }
    }
    return answers
  }

  private func command(_ command: (verb: String, path: String)) -> [UInt8] {
    Array("\(command.verb) ".utf8) + EscapedBytes.write(command.path.utf8) + [UInt8(ascii: "\n")]
  }

  private func unwatch(_ watches: [Int32]) {
    guard let helper, !watches.isEmpty else { return }
    do throws(ArtError) {
      for start in stride(from: 0, to: watches.count, by: 1_024) {
        let lines = watches[start..<min(start + 1_024, watches.count)].map { "unwatch \($0)\n" }
        try helper.process.send(Array(lines.joined().utf8))
      }
    } catch {
      // The helper has ended, and all its watches with it.
    }
  }

  /// Ends the helper, and all watches with it.
  private func detach() {
    helper?.process.end()
    helper = nil
    tree = WatchTree()
    guards = []
    mustRewatchAncestors = false
    rootDue = nil
  }
}

// MARK: - Scans

extension FolderWatcher {
  private func perform(_ scan: Debouncer.Scan) async {
    guard !isClosed else { return }
    if scan.folder.isRoot || tree.folders[.root] == nil { return await survey(scan.reason) }
    do throws(ArtError) {
      let found = try await scanTree(scan.folder, isWatched: true, rewatch: false)
      report(found.files, in: scan.folder, scan.reason)
      if let why = found.trouble { degrade(why) }
    } catch {
      degrade(error)
    }
  }

  /// Scans everything, after attaching to a helper where that is possible.
  private func survey(_ reason: String?) async {
    var why: ArtError?
    var files: [FilePath]? = []
    var cost = Duration.zero
    do throws(ArtError) {
      if let root = try walk.rootIdentity() {
        why = try await attach(root)
        let found = try await scanTree(.root, isWatched: why == nil, rewatch: reason != nil)
        files = found.files
        cost = found.cost
        why = why ?? found.trouble
      } else {
        detach()
        why = .folderGone(walk.root)
      }
    } catch {
      // A folder that cannot be read is not reported as empty.
      files = hasScanned ? nil : []
      why = error
    }
    if isClosed { return }
    var reason = reason
    if let why {
      degrade(why, cost: cost)
      // The `watching` event that ends this state is followed by a scan with a reason.
      reason = nil
    } else {
      pollDue = nil
      if degradedReason != nil {
        degradedReason = nil
        ready.append(.watching)
        reason = reason ?? .reportedAgain
      }
    }
    if let files { report(files, in: .root, reason) }
  }

  /// Attaches to a helper; returns why that is not possible.
  private func attach(_ root: FileIdentity) async throws(ArtError) -> ArtError? {
    if let because = settings.pollBecause { return ArtError(.unavailable, because) }
    if let kind = remoteKind(root.device) { return .remoteFileSystem(walk.root, kind) }
    if let known = tree.folders[.root], known.identity != root { detach() }
    do throws(ArtError) { try await connect() } catch { return error }
    return nil
  }

  private func report(_ files: [FilePath], in folder: FilePath, _ reason: String?) {
    guard !isClosed else { return }
    hasScanned = true
    ready.append(.scanned(FolderScan(folder.string, files: files.sorted().map(\.string), reason: reason)))
  }

  /// Scans the folder periodically from now on, for at most a tenth of the time.
  private func degrade(_ why: ArtError, cost: Duration = .zero) {
    guard !isClosed else { return }
    pollDue = timeline.now() + max(settings.pollEvery, cost * 10)
    if degradedReason == why.cause { return }
    degradedReason = why.cause
    ready.append(.degraded(why.cause))
  }

  /// Watches and lists a folder and everything below it. Each folder is watched before it is listed, so that no
  /// later change is missed. Throws where a folder cannot be listed.
  private func scanTree(
    _ top: FilePath, isWatched: Bool, rewatch: Bool
  ) async throws(ArtError) -> (files: [FilePath], trouble: ArtError?, cost: Duration) {
    var cost = Duration.zero
    var files: [FilePath] = []
    var visited: Set<FilePath> = []
    var trouble: ArtError?
    var devices: Set<UInt> = []
    var level = [top]
    while !level.isEmpty {
      var next: [FilePath] = []
      for start in stride(from: 0, to: level.count, by: 256) {
        let batch = level[start..<min(start + 256, level.count)]
        if isWatched, trouble == nil { trouble = await watch(batch, rewatch: rewatch) }
        let began = timeline.now()
        for folder in batch {
          guard let contents = try walk.contents(of: folder) else { continue }
          visited.insert(folder)
          files += contents.files
          next += contents.folders
          if devices.insert(contents.identity.device).inserted,
            let kind = remoteKind(contents.identity.device)
          {
            trouble = trouble ?? .remoteFileSystem(walk.absolute(folder), kind)
          }
          verify(folder, contents.identity)
        }
        cost += timeline.now() - began
      }
      if let deep = next.first, deep.depth > FolderWalk.deepest {
        trouble = trouble ?? .tooDeep(walk.root)
        next = []
      }
      if visited.count + next.count > walk.mostFolders {
        trouble = trouble ?? .tooManyFolders(walk.root, walk.mostFolders)
        next = Array(next.prefix(max(0, walk.mostFolders - visited.count)))
      }
      level = next
    }
    unwatch(tree.remove(within: top, except: visited))
    return (files, trouble, cost)
  }

  /// Watches folders; returns why one of them could not be watched.
  private func watch(_ folders: ArraySlice<FilePath>, rewatch: Bool) async -> ArtError? {
    let wanted = folders.filter { rewatch || tree.folders[$0] == nil }
    if wanted.isEmpty { return nil }
    do throws(ArtError) {
      let answers = try await ask(wanted.map { ("watch", walk.absolute($0)) })
      var trouble: ArtError?
      for (folder, answer) in zip(wanted, answers) {
        switch answer {
        case .watching(let watch, let identity):
          let entry = WatchTree.Entry(watch: watch, identity: identity)
          if let former = tree.put(folder, entry) { unwatch([former]) }
        // Removed, no longer a folder, or not readable: listing it decides.
        case .failed(_, ENOENT), .failed(_, ENOTDIR), .failed(_, ELOOP), .failed(_, EACCES),
          .failed(_, EPERM):
          break
        case .failed(_, let number): trouble = trouble ?? .cannotWatch(walk.root, number)
        default: trouble = trouble ?? .helperSilent()
        }
      }
      arrivals.know(tree)
      return trouble
    } catch {
      abandonHelper(error)
      return error
    }
  }

  /// Checks that the folder that was listed is the one that is watched. Otherwise it was replaced in between.
  private func verify(_ folder: FilePath, _ identity: FileIdentity) {
    guard let entry = tree.folders[folder], entry.identity != identity else { return }
    unwatch(tree.remove(within: folder))
    debouncer.folderChanged(folder, at: timeline.now())
  }
}
