// SPDX-License-Identifier: Apache-2.0

import ArtFolder
import ArtModel
import ArtStore
import Glibc

/// Folders that are watched until somebody ends it. One thread waits for what happens, and writes it:
///
///     WatchedFolder ──events──▶ WatchInbox ──▶ ToldDocuments ──▶ notices ──▶ stdout
///                                                                   └──▶ ChangeQueue ──▶ CommandRunner
///
/// Nothing grows without bound: while stdout takes nothing no event is taken, and a folder whose events were not taken
/// for long is asked for its documents, and the difference is told.
struct Watching {
  /// A folder and what was told of it.
  struct Part {
    let place: WatchPlace
    let folder: WatchedFolder
    var told: ToldDocuments
    /// The edits after that revision are to be told as soon as the document can be read.
    var since: Int?
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
    _ folders: [(place: WatchPlace, folder: WatchedFolder)], _ settings: WatchSettings, _ inbox: WatchInbox,
    _ runner: CommandRunner?
  ) {
    parts = folders.map {
      Part(
        place: $0.place, folder: $0.folder, told: ToldDocuments(only: $0.place.names.map { Set($0.keys) }),
        since: settings.since)
    }
    self.settings = settings
    self.inbox = inbox
    self.runner = runner
  }

  /// Tells what happens until it is over: with `--once`, after one change. Returns how COMMAND ended then. Throws what
  /// stdout does not take, and what reading a document comes to.
  mutating func run() throws(ArtError) -> CommandRunner.End? {
    for index in parts.indices {
      let look = parts[index].folder.look
      let seen = Outcome { await look() }.wait()
      let events = parts[index].folder.events
      let inbox = inbox
      Task.detached { for await event in events { await inbox.put(event, from: index) } }
      lines.makeRoom(for: seen.documents.map { parts[index].place.name(of: $0.path) })
      for notice in parts[index].told.begin(seen.documents, degraded: seen.degraded) {
        try tell(notice, of: index, isChange: false)
      }
      try tellSince(of: index)
    }
    while true {
      while !isOver, let (index, event) = inbox.take() { try take(event, from: index) }
      if let end = try runCommands() { return end }
      if isOver, runner == nil { return nil }
      try wait()
    }
  }

  /// Waits for something to do; throws when nobody reads any more.
  private func wait() throws(ArtError) {
    var ready = [
      pollfd(fd: inbox.bell.ear, events: Int16(POLLIN), revents: 0),
      // Tells of a pipe that nobody reads any more.
      pollfd(fd: 1, events: 0, revents: 0),
    ]
    guard poll(&ready, nfds_t(ready.count), -1) >= 0 else { return }
    if ready[1].revents & Int16(POLLERR) != 0 { throw .brokenPipe }
    inbox.bell.hush()
  }

  private mutating func take(_ event: FolderEvent, from index: Int) throws(ArtError) {
    var notices: [WatchNotice] = []
    if parts[index].told.mustLook(after: event) {
      let look = parts[index].folder.look
      notices = parts[index].told.catchUp(Outcome { await look() }.wait().documents)
      if event == .resync { notices.append(.rescanned("more happened than could be told in time")) }
    } else if let notice = parts[index].told.take(event) {
      notices = [notice]
    }
    // What the document has come to is told edit by edit as soon as it can be read.
    if parts[index].since != nil, notices.contains(where: \.isOfWhole) {
      return try tellSince(of: index)
    }
    for notice in notices where !isOver { try tell(notice, of: index) }
  }

  /// With `--since`: reads the document, and tells what came after that revision.
  private mutating func tellSince(of index: Int) throws(ArtError) {
    guard let since = parts[index].since, let name = parts[index].place.names?.keys.first?.string else {
      return
    }
    let content: DocumentContent
    do throws(ArtError) {
      content = try DocumentFile(CommonOptions.path(of: name, in: parts[index].place.folder)).read()
    } catch {
      switch error.code {
      // That is told already, or will be.
      case .noSuchDocument, .notADocument, .newerFormat, .damaged, .tooLarge: return
      default: throw error
      }
    }
    parts[index].since = nil
    parts[index].told.read(name, DocumentBase(content))
    for notice in SinceRevision.notices(since: since, in: content, of: name) where !isOver {
      try tell(notice, of: index)
    }
  }

  /// Writes a notice at once, and has COMMAND run for a change.
  private mutating func tell(_ notice: WatchNotice, of index: Int, isChange: Bool = true) throws(ArtError) {
    let place = parts[index].place
    let name = notice.document.map(place.name)
    if settings.isJSON {
      try Output.write(
        WatchJSON.lines(notice, name, folder: place.folderName, called: place.name))
    } else if let name {
      for line in lines.lines(notice, name, now: millisecondsSince1970(), called: place.name) {
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
    if case .renamed(_, let from, _) = notice { change.from = place.name(of: from) }
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

extension WatchNotice {
  /// Whether it is about a document that can be read.
  fileprivate var isOfWhole: Bool {
    switch self {
    case .added, .changed, .resync, .renamed: true
    case .ready, .removed, .damaged, .rescanned, .degraded: false
    }
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
