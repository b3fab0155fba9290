// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import ArtSystem
import ArtWorkspace
import Glibc
import Synchronization

/// Folders that are watched until somebody ends it. One thread waits for what happens, and writes it:
///
///     WatchedFolder ──events──▶ WatchInbox ──▶ ReportedDocuments ──▶ notices ──▶ stdout
///                                                                   └──▶ ChangeQueue ──▶ CommandRunner
///
/// Nothing grows without bound: while stdout takes nothing no event is taken, and a folder whose events were not taken
/// for long is asked for its documents, and the difference is told.
struct Watching {
  /// A folder and what was told of it.
  struct Part {
    let place: FollowedFolder
    let folder: WatchedFolder
    var report: FolderReport
    /// After how many milliseconds it is tried again.
    var retry: Int32 = 250
  }

  private var parts: [Part]
  private let settings: WatchSettings
  private let inbox: WatchInbox
  private let runner: CommandRunner?
  private var queue = ChangeQueue()
  private var lines = WatchLines()
  /// Whether a change was told, and with `--once` it is over.
  private var isOver = false

  /// Folders that were opened.
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

  /// Tells what happens until it is over: with `--once`, after one change. Returns how COMMAND ended then. Throws what
  /// stdout does not take.
  mutating func run() throws(ArtError) -> CommandRunner.End? {
    for index in parts.indices {
      let look = parts[index].folder.look
      let seen = Outcome { await look() }.wait()
      let events = parts[index].folder.events
      let inbox = inbox
      Task.detached { for await event in events { await inbox.put(event, from: index) } }
      lines.makeRoom(for: seen.documents.map { parts[index].place.argument(for: $0.path) })
      for notice in parts[index].report.begin(seen) { try tell(notice, of: index, isChange: false) }
      try catchUp(index, isBeginning: true)
    }
    while true {
      let taken = inbox.take()
      for (index, event) in taken.events where !isOver { try take(event, from: index) }
      for event in taken.backgrounds where !isOver { try take(event) }
      if let end = try runCommands() { return end }
      if isOver, runner == nil { return nil }
      try wait()
    }
  }

  /// Waits for something to do; throws when nobody reads any more. A document that `--since` is about is tried again now and
  /// then: that it can be read need not be news.
  private mutating func wait() throws(ArtError) {
    let pending = isOver ? nil : parts.firstIndex { $0.report.isBehind }
    var ready = [
      pollfd(fd: inbox.wakeup.readEnd, events: Int16(POLLIN), revents: 0),
      // Tells of a pipe that nobody reads any more.
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

  private mutating func take(_ event: FolderEvent, from index: Int) throws(ArtError) {
    if let document = parts[index].report.replaced(by: event) { endForCommand(document, of: index) }
    let look = parts[index].folder.look
    let notices = parts[index].report.receive(event) { Outcome { await look() }.wait() }
    for notice in notices where !isOver { try tell(notice, of: index) }
  }

  /// What was taken is told as the edit that it is. What was refused is no change of the document by itself.
  private mutating func take(_ event: PendingBackgrounds.Event) throws(ArtError) {
    switch event {
    case .set: break
    case .rejected(let place, let refusal, let url):
      try tell(.rejected(place.document, refusal, url: url), of: place.source, isChange: false)
      let path = FilePath.path(of: place.document, in: parts[place.source].place.folder)
      RefusalMessages.tell(refusal, of: DocumentFile(path), settings.warning, asked: nil, mayAsk: false)
    case .failed(let place, let error, let url):
      let notice = FolderNotice.unfetched(place.document, reason: error, url: url)
      try tell(notice, of: place.source, isChange: false)
    }
  }

  /// COMMAND has to hear of the end of a document in whose place another one has come, should that one go on.
  private mutating func endForCommand(_ document: String, of index: Int) {
    guard runner != nil else { return }
    queue.put(ChangeQueue.Change(document: parts[index].place.argument(for: document), event: "removed"))
  }

  /// With `--since`: tells what came after that revision, if the document can be read.
  private mutating func catchUp(_ index: Int, isBeginning: Bool = false) throws(ArtError) {
    for notice in parts[index].report.catchUp(isBeginning: isBeginning).notices where !isOver {
      var isChange = true
      if isBeginning, case .damaged = notice { isChange = false }
      try tell(notice, of: index, isChange: isChange)
    }
  }

  /// Writes a notice at once, and has COMMAND run for a change.
  private mutating func tell(_ notice: FolderNotice, of index: Int, isChange: Bool = true) throws(ArtError) {
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
    } else if let text = WatchLines.aside(notice, place.title) {
      Output.complain(text)
    }
    try Output.flush()
    guard let name, isChange else { return }
    isOver = settings.isOnce
    guard runner != nil else { return }
    var change = ChangeQueue.Change(document: name, event: notice.name, revision: notice.revision)
    if case .renamed(_, let from, _) = notice { change.from = place.argument(for: from) }
    queue.put(change)
  }
}

extension Watching {
  /// Looks how COMMAND ended, and runs it for the next change. Returns its end when that is the last thing to wait for.
  private mutating func runCommands() throws(ArtError) -> CommandRunner.End? {
    guard let runner else { return nil }
    if let end = runner.takeEnd() {
      if let trouble = end.trouble(of: runner.words[0]) { Output.complain(trouble) }
      if isOver { return end }
    }
    while !runner.isRunning, let change = queue.next() {
      do throws(ArtError) {
        try runner.start([
          "EMOJIART_DOCUMENT": change.document, "EMOJIART_EVENT": change.event,
          "EMOJIART_FROM": change.from ?? "", "EMOJIART_REVISION": change.revision.map(String.init) ?? "",
        ])
      } catch {
        Output.complain(error.message)
        // As a shell says it of what is not there.
        if isOver { return .status(127) }
      }
    }
    return nil
  }
}

extension CommandRunner.End {
  /// What a person should know of it; nil when all went well.
  fileprivate func trouble(of command: String) -> String? {
    switch self {
    case .status(0): nil
    case .status(let status): "\(command) ended with status \(status)"
    case .signal(let number): "\(command) was ended by signal \(number)"
    }
  }
}

// MARK: What it is made of

/// A folder that is being watched, as far as `emojiart watch` needs it. A test hands in its own events.
struct WatchedFolder: Sendable {
  /// What happens in it. Subscribed to before anything else is asked.
  let events: EventSequence<FolderEvent>
  /// Its documents as they are now, and why the system does not tell of changes.
  let look: @Sendable () async -> (documents: [FolderDocument], degraded: String?)
  /// Ends the watching.
  let close: @Sendable () async -> Void
  /// Has what is pending in it fetched.
  var fetch: @Sendable (PendingBackgrounds) async -> Void = { _ in }

  /// Opens the folder of a place. Throws what opening it throws.
  static func open(
    _ place: FollowedFolder, isRecursive: Bool, pollBecause: String?
  ) async throws(ArtError) -> WatchedFolder {
    let only = place.names.flatMap { $0.count == 1 ? $0.keys.first?.string : nil }
    let folder = try await DocumentFolder.open(
      place.folder, isRecursive: isRecursive && place.names == nil, only: only, pollBecause: pollBecause)
    return WatchedFolder(
      events: folder.events(),
      look: { (await folder.documents, await folder.degraded) },
      close: { await folder.close() },
      fetch: { await $0.follow(folder, only: place.names.map { Set($0.keys.map(\.string)) }) })
  }
}

extension FollowedFolder {
  /// The places that a person names, as other commands name documents. Throws `noSuchDocument`, `badValue`.
  static func places(
    _ typed: [String], _ options: CommonOptions, isRecursive: Bool
  ) throws(ArtError) -> [FollowedFolder] {
    let here = typed.isEmpty ? try options.currentFolder() : ""
    return try places(typed, in: here, isRecursive: isRecursive) { (name) throws(ArtError) in
      try options.file(name)
    }
  }

  /// A path that every command takes for a document of this place: a name alone may be read as an option, or be looked for in
  /// another folder.
  func argument(for document: String) -> String {
    if let called = names?[FilePath(document)] { return called }
    let path = name(of: document)
    let isTaken = path.hasPrefix("-") || environment("EMOJIART_FOLDER") != nil
    return isTaken && !FilePath(path).hasSlash ? "./\(path)" : path
  }
}

/// Events on their way from the folders to the thread that writes. It holds few: while stdout takes nothing they wait
/// in the folders, each of which keeps so many and then asks for a new look.
final class WatchInbox: Sendable {
  private struct Contents {
    var events: [(folder: Int, event: FolderEvent)] = []
    var backgrounds: [PendingBackgrounds.Event] = []
  }

  let wakeup: WakeupPipe
  private let waiters = Waiters()
  private let contents = Mutex(Contents())
  private let capacity: Int

  /// Throws `inputOutput`.
  init(capacity: Int = 64) throws(ArtError) {
    self.capacity = capacity
    wakeup = try WakeupPipe.made()
  }

  /// Tasks that wait for room.
  var waitingTasks: Int { waiters.count }

  /// Puts an event of a folder in, and wakes the one who writes; waits while there is no room, unless the task is cancelled.
  func put(_ event: FolderEvent, from folder: Int) async { await put { $0.events.append((folder, event)) } }

  /// The same for what became of a pending background.
  func put(_ event: PendingBackgrounds.Event) async { await put { $0.backgrounds.append(event) } }

  private func put(_ add: (inout Contents) -> Void) async {
    let ticket = waiters.ticket
    let hasCapacity = contents.withLock { contents in
      add(&contents)
      return contents.events.count + contents.backgrounds.count < capacity
    }
    wakeup.wake()
    if !hasCapacity { await waiters.wait(ticket) }
  }

  /// What was there when it was taken out, each kind in its order.
  struct Taken {
    let events: [(folder: Int, event: FolderEvent)]
    let backgrounds: [PendingBackgrounds.Event]
  }

  /// Takes all out.
  func take() -> Taken {
    let taken = contents.withLock { contents in
      defer { contents = Contents() }
      return contents
    }
    waiters.release()
    return Taken(events: taken.events, backgrounds: taken.backgrounds)
  }
}

/// The signals of `emojiart watch`, taken by a thread of their own:
///
///     TSTP                    the process stops when no file is open
///     TERM, INT, HUP, QUIT    with COMMAND only: it is ended, too. The terminal's own signals do not reach its process group
enum WatchSignals {
  /// Blocks the signals in this thread, and in those that it begins, and begins the one that takes them. `runner` is the one of COMMAND.
  /// Throws `inputOutput`.
  static func follow(_ runner: CommandRunner?) throws(ArtError) {
    let source = SignalSource([SIGTSTP] + (runner == nil ? [] : SignalSource.endings))
    do throws(SystemError) {
      try source.follow { number in
        guard number != SIGTSTP else { return SignalSource.stopWithoutOpenFiles() }
        runner?.kill(number)
        SignalSource.die(of: number)
      }
    } catch {
      throw .noThread(error)
    }
  }
}
