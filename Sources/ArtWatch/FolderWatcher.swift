// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

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

extension FolderWatcher {
  /// Takes what the helper has told.
  func takeEvents() {
    guard let helper else { return }
    let contents = helper.inbox.take()
    for (source, happening) in contents.events { take(source, happening) }
    let now = timeline.now()
    if let reason = contents.lost {
      mustGuardAgain = true
      debouncer.changed(.root, reason: reason, at: now)
    }
    if let end = contents.end { giveUpHelper(end) }
  }

  private func take(_ source: Inbox.Source, _ happening: Inbox.Happening) {
    let mask = happening.mask
    if guards.contains(source.watch) { return lost(at: happening.last) }
    guard let folder = tree.path(of: source.watch) else { return }
    if source.name.isEmpty { return takeOwn(source.watch, of: folder, happening) }
    if let file = walk.wanted(source.name, in: folder) {
      debouncer.happened(to: file, at: happening.first)
      debouncer.happened(to: file, at: happening.last)
    }
    if mask.contains(.folder), walk.isRecursive, folder.depth < FolderWalk.deepest,
      let name = String(validating: source.name, as: UTF8.self), walk.hasPath(folder.appending(name))
    {
      debouncer.changed(folder.appending(name), at: happening.first)
      debouncer.changed(folder.appending(name), at: happening.last)
    }
  }

  /// Something happened to a watched folder itself.
  private func takeOwn(_ watch: Int32, of folder: FilePath, _ happening: Inbox.Happening) {
    let moved: EventMask = [.selfMoved, .selfDeleted, .unmounted, .ignored]
    let isMoved = !happening.mask.isDisjoint(with: moved)
    if isMoved, folder.isRoot { return lost(at: happening.last) }
    if happening.mask.contains(.ignored) { tree.drop(watch) }
    if isMoved || happening.mask.contains(.attributes) { debouncer.changed(folder, at: happening.last) }
  }

  /// Where no event tells that a folder above has moved, whether the watched one stands at its path still.
  func checkRoot() {
    let now = timeline.now()
    guard let due = rootDue, due <= now else { return }
    rootDue = now + settings.pollEvery
    guard let known = tree.folders[.root]?.identity else { return }
    do throws(ArtError) {
      if try walk.rootIdentity() == known { return }
    } catch {
      // The survey that follows says why it cannot be looked into.
    }
    lost(at: now)
  }

  /// The watched folder, or one above it, was moved or removed: what stands at its path now is to be watched.
  private func lost(at time: Duration) {
    detach()
    debouncer.changed(.root, reason: ArtError.folderReplaced(walk.root).cause, at: time)
  }
}

extension FolderWatcher {
  /// A pause before a new start that is not worth a notice.
  private static var shortPause: Duration { .seconds(1) }
  /// How long the helper may take for an answer.
  static var patienceWithHelper: Duration { .seconds(5) }
  /// Commands that are on their way at most, in bytes: less than a pipe holds, so that sending never waits.
  private static var commandsOnTheWay: Int { 32_768 }

  /// Has a helper that answers, with guards on the folders above. Throws `unavailable`.
  func connect() async throws(ArtError) {
    if helper != nil, !mustGuardAgain { return }
    let program: HelperProgram
    do throws(HelperFailure) { program = try settings.helpers.program("emojiart-inotify") } catch {
      throw .helperMissing()
    }
    let isNew = helper == nil
    if isNew, let pause, timeline.now() < pause.until { throw pause.why }
    do throws(ArtError) {
      if isNew { try await begin(program) }
      try await guardAncestors()
      if isNew { restarts.started(at: timeline.now()) }
    } catch {
      detach()
      pause = (error, restarts.ended(at: timeline.now()))
      throw error
    }
  }

  private func begin(_ program: HelperProgram) async throws(ArtError) {
    let inbox = Inbox(wakeup, now: timeline.now, quiet: settings.quiet)
    let gone = Wakeup()
    let process = try start(
      program, { inbox.put($0) },
      {
        inbox.put($0); gone.wake()
      })
    helper = Helper(process: process, inbox: inbox, gone: gone)
    try await greet(inbox)
  }

  /// The helper is of no use any more: another one is started, soon, or the folder is looked through without it.
  func giveUpHelper(_ why: ArtError) {
    detach()
    let now = timeline.now()
    let due = restarts.ended(at: now)
    pause = (why, due)
    let isSoon = due - now <= Self.shortPause
    // A scan gives its reason only when another one has been started by then.
    debouncer.rescan(.root, reason: .startedAgain(why), at: isSoon ? due : now)
  }

  private func greet(_ inbox: Inbox) async throws(ArtError) {
    let deadline = timeline.now() + Self.patienceWithHelper
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

  /// A folder above that moves takes the watched one with it, which no event of its own tells. From the top down: what
  /// moves above a folder that is not guarded yet is told by then.
  private func guardAncestors() async throws(ArtError) {
    var ancestors: [String] = []
    var path = walk.root
    while path != "/", let slash = path.lastIndex(of: "/") {
      path = slash == path.startIndex ? "/" : String(path[..<slash])
      ancestors.append(path)
    }
    let former = guards
    guards = []
    rootDue = nil
    mustGuardAgain = false
    ancestors.reverse()
    for answer in try await ask(ancestors.map { ("guard", $0) }) {
      switch answer {
      case .watching(let watch, _): guards.insert(watch)
      // It may be passed through and not be read, as other people's folders often are.
      case .failed(_, EACCES), .failed(_, EPERM): rootDue = timeline.now() + settings.pollEvery
      case .failed(_, let number): throw .cannotWatch(walk.root, number)
      default: throw .helperSilent()
      }
    }
    unwatch(former.subtracting(guards).filter { tree.path(of: $0) == nil })
  }

  /// Sends commands, and returns their answers in that order. Throws `unavailable` when the helper does not give them.
  func ask(_ commands: [(verb: String, path: String)]) async throws(ArtError) -> [HelperLine] {
    guard let helper else { throw .helperSilent() }
    var answers: [HelperLine] = []
    var sizes: [Int] = []
    var asked = 0
    var deadline = timeline.now() + Self.patienceWithHelper
    while answers.count < commands.count {
      var line: [UInt8] = []
      while sizes.count < commands.count {
        let next = command(commands[sizes.count])
        let onTheWay = sizes[answers.count...].reduce(0, +)
        if onTheWay > 0, onTheWay + next.count > Self.commandsOnTheWay { break }
        sizes.append(next.count)
        line += next
      }
      helper.inbox.expectAnswers(sizes.count - asked)
      asked = sizes.count
      if !line.isEmpty { try helper.process.send(line) }
      let more = helper.inbox.takeAnswers()
      answers += more
      if more.isEmpty {
        try await waitForHelper(helper.inbox.peek().end, until: deadline)
      } else {
        deadline = timeline.now() + Self.patienceWithHelper
      }
    }
    return answers
  }

  private func command(_ command: (verb: String, path: String)) -> [UInt8] {
    Array("\(command.verb) ".utf8) + EscapedBytes.write(command.path.utf8) + [UInt8(ascii: "\n")]
  }

  func unwatch(_ watches: [Int32]) {
    guard let helper, !watches.isEmpty else { return }
    do throws(ArtError) {
      for start in stride(from: 0, to: watches.count, by: 1_024) {
        let lines = watches[start..<min(start + 1_024, watches.count)].map { "unwatch \($0)\n" }
        try helper.process.send(Array(lines.joined().utf8))
      }
    } catch {
      // Its end is on the way, and takes all watches with it.
    }
  }

  /// Lets go of the helper and of all that it watched.
  func detach() {
    helper?.process.end()
    helper = nil
    tree = WatchTree()
    guards = []
    mustGuardAgain = false
    rootDue = nil
  }
}

extension FolderWatcher {
  func perform(_ scan: Debouncer.Scan) async {
    guard !isClosed else { return }
    if scan.folder.isRoot || tree.folders[.root] == nil { return await survey(scan.reason) }
    do throws(ArtError) {
      let found = try await lookThrough(scan.folder, isWatched: true, again: false)
      tell(found.files, in: scan.folder, scan.reason)
      if let why = found.trouble { degrade(why) }
    } catch {
      degrade(error)
    }
  }

  /// Looks through everything, and has the system tell of it as far as it does.
  func survey(_ reason: String?) async {
    var why: ArtError?
    var files: [FilePath]? = []
    var cost = Duration.zero
    do throws(ArtError) {
      if let root = try walk.rootIdentity() {
        why = try await attach(root)
        let found = try await lookThrough(.root, isWatched: why == nil, again: reason != nil)
        files = found.files
        cost = found.cost
        why = why ?? found.trouble
      } else {
        detach()
        why = .folderGone(walk.root)
      }
    } catch {
      // What cannot be looked into is not empty.
      files = hasScanned ? nil : []
      why = error
    }
    if isClosed { return }
    var reason = reason
    if let why {
      degrade(why, cost: cost)
      // Nothing has come right again by this: `watching` will say so, and its scan why.
      reason = nil
    } else {
      pollDue = nil
      if trouble != nil {
        trouble = nil
        ready.append(.watching)
        reason = reason ?? .toldAgain
      }
    }
    if let files { tell(files, in: .root, reason) }
  }

  /// Has a helper, where one is of use; otherwise returns why not.
  private func attach(_ root: FileIdentity) async throws(ArtError) -> ArtError? {
    if let because = settings.pollBecause { return ArtError(.unavailable, because) }
    if let kind = remoteKind(root.device) { return .remoteFileSystem(walk.root, kind) }
    if let known = tree.folders[.root], known.identity != root { detach() }
    do throws(ArtError) { try await connect() } catch { return error }
    return nil
  }

  private func tell(_ files: [FilePath], in folder: FilePath, _ reason: String?) {
    guard !isClosed else { return }
    hasScanned = true
    ready.append(.scanned(FolderScan(folder.string, files: files.sorted().map(\.string), reason: reason)))
  }

  /// From now on the folder is looked through every so often: a tenth of the time at most.
  func degrade(_ why: ArtError, cost: Duration = .zero) {
    guard !isClosed else { return }
    pollDue = timeline.now() + max(settings.pollEvery, cost * 10)
    if trouble == why.cause { return }
    trouble = why.cause
    ready.append(.degraded(why.cause))
  }

  /// Looks through a folder and what lies below it: each folder is watched first, so that nothing that comes later is
  /// missed, then listed. Throws when what lies there cannot be told.
  private func lookThrough(
    _ top: FilePath, isWatched: Bool, again: Bool
  ) async throws(ArtError) -> (files: [FilePath], trouble: ArtError?, cost: Duration) {
    var cost = Duration.zero
    var files: [FilePath] = []
    var seen: Set<FilePath> = []
    var trouble: ArtError?
    var devices: Set<UInt> = []
    var level = [top]
    while !level.isEmpty {
      var next: [FilePath] = []
      for start in stride(from: 0, to: level.count, by: 256) {
        let batch = level[start..<min(start + 256, level.count)]
        if isWatched, trouble == nil { trouble = await watch(batch, again: again) }
        let began = timeline.now()
        for folder in batch {
          guard let contents = try walk.contents(of: folder) else { continue }
          seen.insert(folder)
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
      if seen.count + next.count > FolderWalk.mostFolders {
        trouble = trouble ?? .tooManyFolders(walk.root)
        next = Array(next.prefix(FolderWalk.mostFolders - seen.count))
      }
      level = next
    }
    unwatch(tree.remove(within: top, except: seen))
    return (files, trouble, cost)
  }

  /// Returns what kept one of them from being watched.
  private func watch(_ folders: ArraySlice<FilePath>, again: Bool) async -> ArtError? {
    let wanted = folders.filter { again || tree.folders[$0] == nil }
    if wanted.isEmpty { return nil }
    do throws(ArtError) {
      let answers = try await ask(wanted.map { ("watch", walk.absolute($0)) })
      var trouble: ArtError?
      for (folder, answer) in zip(wanted, answers) {
        switch answer {
        case .watching(let watch, let identity):
          let entry = WatchTree.Entry(watch: watch, identity: identity)
          if let former = tree.put(folder, entry) { unwatch([former]) }
        // Gone meanwhile, no folder any more, or nobody's business: listing it will tell.
        case .failed(_, ENOENT), .failed(_, ENOTDIR), .failed(_, ELOOP), .failed(_, EACCES),
          .failed(_, EPERM):
          break
        case .failed(_, let number): trouble = trouble ?? .cannotWatch(walk.root, number)
        default: trouble = trouble ?? .helperSilent()
        }
      }
      return trouble
    } catch {
      giveUpHelper(error)
      return error
    }
  }

  /// Whether the folder that was watched is the one that was listed. Otherwise its place was taken in between.
  private func verify(_ folder: FilePath, _ identity: FileIdentity) {
    guard let entry = tree.folders[folder], entry.identity != identity else { return }
    unwatch(tree.remove(within: folder))
    debouncer.changed(folder, at: timeline.now())
  }
}
