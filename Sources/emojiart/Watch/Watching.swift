// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import ArtSystem
import ArtWorkspace
import Glibc
import Synchronization

/// Watches folders until the program is ended. One thread waits for events, and writes notices:
///
///     WatchedFolder ──events──▶ WatchInbox ──▶ FolderReport ──▶ notices ──▶ stdout
///                                                               └──▶ ChangeQueue ──▶ CommandRunner
///
/// Memory is bounded: while stdout blocks, no events are read. A folder whose event queue has overflowed sends a
/// resync, and the difference to its current documents is reported.
struct Watching {
  /// A watched folder and the state of its report.
  struct Part {
    let place: FollowedFolder
    let folder: WatchedFolder
    var report: FolderReport
    /// Milliseconds until the next attempt to catch up.
    var retry: Int32 = 250
  }

  private var parts: [Part]
  private let settings: WatchSettings
  private let inbox: WatchInbox
  private let runner: CommandRunner?
  private var queue = ChangeQueue()
  private var lines = WatchLines()
  /// Whether a change was reported and `--once` ends the program.
  private var isOver = false

  /// `folders` are open already.
  init(
    _ folders: [(place: FollowedFolder, folder: WatchedFolder)], _ settings: WatchSettings,
    _ inbox: WatchInbox,
    _ runner: CommandRunner?
  ) {
    parts = folders.map {
      Part(
        place: $0.place, folder: $0.folder,
        report: FolderReport(
          of: $0.place.folder, only: $0.place.names.map { Set($0.keys) }, since: settings.since))
    }
    self.settings = settings
    self.inbox = inbox
    self.runner = runner
  }

  /// Reports events until the end: with `--once`, after one change. Returns how COMMAND ended then. Throws
  /// `inputOutput` when stdout cannot be written.
  mutating func run() throws(ArtError) -> CommandRunner.End? {
    for index in parts.indices {
      let readDocuments = parts[index].folder.readDocuments
      let current = Outcome { await readDocuments() }.wait()
      let events = parts[index].folder.events
      let inbox = inbox
      Task.detached { for await event in events { await inbox.put(event, from: index) } }
      lines.widen(for: current.documents.map { parts[index].place.argument(for: $0.path) })
      for notice in parts[index].report.begin(current) { try report(notice, of: index, isChange: false) }
      try catchUp(index, isBeginning: true)
    }
    while true {
      let batch = inbox.drain()
      // Before the change of the document that follows from it.
      for (index, event) in batch.merges where !isOver { try receive(event, from: index) }
      for (index, event) in batch.events where !isOver { try receive(event, from: index) }
      for event in batch.backgrounds where !isOver { try receive(event) }
      if let end = try runCommands() { return end }
      if isOver, runner == nil { return nil }
      try wait()
    }
  }

  /// Waits for events. Throws when the reader of stdout has gone. A document for `--since` that could not be read is
  /// retried now and then: there may be no event when it becomes readable.
  private mutating func wait() throws(ArtError) {
    let pending = isOver ? nil : parts.firstIndex { $0.report.isBehind }
    var ready = [
      pollfd(fd: inbox.wakeup.readEnd, events: Int16(POLLIN), revents: 0),
      // `poll` reports POLLERR when the reader of the pipe has gone.
      pollfd(fd: 1, events: 0, revents: 0),
    ]
    let count = poll(&ready, nfds_t(ready.count), pending.map { parts[$0].retry } ?? -1)
    if count == 0, let pending {
      parts[pending].retry = min(parts[pending].retry * 2, 8_000)
      try catchUp(pending)
    }
    guard count > 0 else { return }
    if ready[1].revents & Int16(POLLERR) != 0 { throw .brokenPipe }
    inbox.wakeup.clear()
  }

  private mutating func receive(_ event: FolderEvent, from index: Int) throws(ArtError) {
    if let document = parts[index].report.replaced(by: event) { endForCommand(document, of: index) }
    let readDocuments = parts[index].folder.readDocuments
    let notices = parts[index].report.receive(event) { Outcome { await readDocuments() }.wait() }
    for notice in notices where !isOver { try report(notice, of: index) }
  }

  /// A merge is reported as a change, too; here are the conflicts.
  private mutating func receive(_ event: MergingFolder.Event, from index: Int) throws(ArtError) {
    let place = parts[index].place
    switch event {
    case .merged(let document, let result):
      let words = MergeWords(result, document: place.argument(for: document))
      if settings.isJSON {
        try Output.json(words.notice)
      } else {
        for line in words.lines(isDone: true) { try Output.line(line) }
      }
      try Output.flush()
    case .failed(_, let error): Output.printError(error.message)
    // Only a studio waits to be asked.
    case .waiting: break
    }
  }

  /// A background that was applied is reported as an edit. A refusal alone is no change of the document.
  private mutating func receive(_ event: PendingBackgrounds.Event) throws(ArtError) {
    switch event {
    case .set: break
    case .rejected(let place, let refusal, let url):
      try report(.rejected(place.document, refusal, url: url), of: place.source, isChange: false)
      let path = FilePath.path(of: place.document, in: parts[place.source].place.folder)
      RefusalMessages.warn(refusal, of: DocumentFile(path), settings.warning, asked: nil, mayAsk: false)
    case .failed(let place, let error, let url):
      let notice = FolderNotice.unfetched(place.document, reason: error, url: url)
      try report(notice, of: place.source, isChange: false)
    }
  }

  /// Queues the removal of a document that was replaced by another one under the same name.
  private mutating func endForCommand(_ document: String, of index: Int) {
    guard runner != nil else { return }
    queue.put(
      ChangeQueue.Change(document: FilePath(parts[index].place.argument(for: document)), event: "removed"))
  }

  /// With `--since`: reports the edits after that revision, once the document can be read.
  private mutating func catchUp(_ index: Int, isBeginning: Bool = false) throws(ArtError) {
    for notice in parts[index].report.catchUp(isBeginning: isBeginning).notices where !isOver {
      var isChange = true
      if isBeginning, case .damaged = notice { isChange = false }
      try report(notice, of: index, isChange: isChange)
    }
  }

  /// Writes a notice at once, and queues a change for COMMAND.
  private mutating func report(_ notice: FolderNotice, of index: Int, isChange: Bool = true) throws(ArtError)
  {
    let place = parts[index].place
    let name = notice.document.map(place.argument)
    if settings.isJSON {
      let lines = ProtocolNotice.notices(
        notice, folder: place.folderName, name: place.argument, message: \.message)
      for line in lines {
        try Output.write(line.line)
      }
    } else if let name {
      for line in lines.lines(notice, name, now: WallClock.milliseconds(), called: place.argument) {
        try Output.line(line)
      }
    } else if let text = WatchLines.folderMessage(notice, place.title) {
      Output.printError(text)
    }
    try Output.flush()
    guard let name, isChange else { return }
    // The merge of a conflict copy is the change.
    let isMergedNext = if case .conflict = notice { settings.merges } else { false }
    isOver = settings.isOnce && !isMergedNext
    guard runner != nil else { return }
    var change = ChangeQueue.Change(document: FilePath(name), event: notice.name, revision: notice.revision)
    if case .renamed(_, let from, _) = notice { change.from = FilePath(place.argument(for: from)) }
    queue.put(change)
  }
}

// MARK: - COMMAND

extension Watching {
  /// Checks whether COMMAND has ended, and starts it for the next change. Returns its end if the program is to end
  /// then.
  private mutating func runCommands() throws(ArtError) -> CommandRunner.End? {
    guard let runner else { return nil }
    if let end = runner.consumeEnd() {
      if let trouble = end.trouble(of: runner.command[0]) { Output.printError(trouble) }
      if isOver { return end }
    }
    while !runner.isRunning, let change = queue.next() {
      do throws(ArtError) {
        try runner.start([
          "EMOJIART_DOCUMENT": change.document.string, "EMOJIART_EVENT": change.event,
          "EMOJIART_FROM": change.from?.string ?? "",
          "EMOJIART_REVISION": change.revision.map(String.init) ?? "",
        ])
      } catch {
        Output.printError(error.message)
        // The status that a shell uses for a command that is not found.
        if isOver { return .status(127) }
      }
    }
    return nil
  }
}

extension CommandRunner.End {
  /// A message for the user; nil when COMMAND succeeded.
  fileprivate func trouble(of command: String) -> String? {
    switch self {
    case .status(0): nil
    case .status(let status): "\(command) ended with status \(status)"
    case .signal(let number): "\(command) was ended by signal \(number)"
    }
  }
}

// MARK: - Folders

/// A watched folder as `emojiart watch` uses it. Tests inject their own events.
struct WatchedFolder: Sendable {
  /// Its events. They are subscribed to before `readDocuments` is called.
  let events: EventSequence<FolderEvent>
  /// Reads the current documents, and the reason if the watch is degraded.
  let readDocuments: @Sendable () async -> (documents: [FolderDocument], degraded: String?)
  /// Stops watching.
  let close: @Sendable () async -> Void
  /// Fetches its pending backgrounds.
  var fetch: @Sendable (PendingBackgrounds) async -> Void = { _ in }
  /// What merges its documents' copies.
  var merging: (@Sendable (Recovery) -> MergingFolder)?

  /// Opens the folder, and throws the errors of opening it.
  static func open(
    _ place: FollowedFolder, isRecursive: Bool, merges: Bool = false, pollBecause: String?
  ) async throws(ArtError) -> WatchedFolder {
    // Merging needs the events of conflict copies, too.
    let only = merges ? nil : place.names.flatMap { $0.count == 1 ? $0.keys.first?.string : nil }
    let folder = try await DocumentFolder.open(
      place.folder, isRecursive: isRecursive && place.names == nil, only: only, pollBecause: pollBecause)
    return WatchedFolder(
      events: folder.events(),
      readDocuments: { (await folder.documents, await folder.degraded) },
      close: { await folder.close() },
      fetch: { await $0.follow(folder, only: place.names.map { $0.keys.map(\.string) }) },
      merging: { MergingFolder(folder, only: place.names.map { $0.keys.map(\.string) }, by: $0) })
  }
}

extension FollowedFolder {
  /// The folders and documents that the arguments name, as in other commands. Throws `noSuchDocument`, `badValue`.
  static func places(
    _ typed: [String], _ options: CommonOptions, isRecursive: Bool
  ) throws(ArtError) -> [FollowedFolder] {
    let here = typed.isEmpty ? try options.currentFolder() : ""
    return try places(typed, in: here, isRecursive: isRecursive) { (name) throws(ArtError) in
      try options.file(name)
    }
  }

  /// A path of the document that every command accepts. A bare name could be read as an option, or be looked up in
  /// another folder.
  func argument(for document: String) -> String {
    if let called = names?[FilePath(document)] { return called }
    let path = name(of: document)
    let isTaken = path.utf8.first == UInt8(ascii: "-") || environment("EMOJIART_FOLDER") != nil
    return isTaken && !FilePath(path).hasSlash ? "./\(path)" : path
  }
}

// MARK: - Inbox

/// Events on their way from the folders to the writing thread. The capacity is small: while stdout blocks, events
/// queue in the folders, and each folder sends a resync when its queue is full.
final class WatchInbox: Sendable {
  private struct Contents {
    var events: [(folder: Int, event: FolderEvent)] = []
    var backgrounds: [PendingBackgrounds.Event] = []
    var merges: [(folder: Int, event: MergingFolder.Event)] = []
  }

  let wakeup: WakeupPipe
  private let waiters = Waiters()
  private let contents = Mutex(Contents())
  private let capacity: Int

  /// Throws `inputOutput`.
  init(capacity: Int = 64) throws(ArtError) {
    self.capacity = capacity
    wakeup = try WakeupPipe.create()
  }

  /// Tasks waiting for capacity.
  var waitingTasks: Int { waiters.count }

  /// Adds an event of a folder, and wakes the writing thread. Waits while the inbox is full, unless the task is
  /// cancelled.
  func put(_ event: FolderEvent, from folder: Int) async { await put { $0.events.append((folder, event)) } }

  /// Adds the result of a pending background in the same way.
  func put(_ event: PendingBackgrounds.Event) async { await put { $0.backgrounds.append(event) } }

  /// Adds what was merged in a folder in the same way.
  func put(_ event: MergingFolder.Event, from folder: Int) async {
    await put { $0.merges.append((folder, event)) }
  }

  private func put(_ add: (inout Contents) -> Void) async {
    let ticket = waiters.ticket
    let hasCapacity = contents.withLock { contents in
      add(&contents)
      return contents.events.count + contents.backgrounds.count + contents.merges.count < capacity
    }
    wakeup.wake()
    if !hasCapacity { await waiters.wait(ticket) }
  }

  /// The events of one read, each kind in its order.
  struct Batch {
    let events: [(folder: Int, event: FolderEvent)]
    let backgrounds: [PendingBackgrounds.Event]
    let merges: [(folder: Int, event: MergingFolder.Event)]
  }

  /// Removes and returns all events.
  func drain() -> Batch {
    let drained = contents.withLock { contents in
      defer { contents = Contents() }
      return contents
    }
    waiters.release()
    return Batch(events: drained.events, backgrounds: drained.backgrounds, merges: drained.merges)
  }
}

// MARK: - Signals

/// Passes the signals that end `emojiart watch` on to COMMAND: the terminal does not signal its process group.
enum WatchSignals {
  /// Blocks the signals in this thread and all later ones, and starts the thread that handles them. Throws `inputOutput`.
  static func follow(_ runner: CommandRunner) throws(ArtError) {
    do throws(SystemError) {
      try SignalSource().follow { number in
        runner.kill(number)
        SignalSource.die(of: number)
      }
    } catch {
      throw .noThread(error)
    }
  }
}
