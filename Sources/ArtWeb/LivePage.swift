// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import ArtSystem
import ArtWorkspace
import Synchronization

/// Where the messages for a page go.
public protocol PageOutput: Sendable {
  /// Sends a message, and returns when it is written. A page that does not read so holds up its own messages only, and gets `resync`
  /// instead of what it has missed.
  func send(_ message: [UInt8]) async
  /// Whether a message that may get lost would be sent now. It is asked before the message is built.
  var takesLossy: Bool { get }
  /// Sends a message that may get lost; not if the page is slow. Does not block.
  func sendLossy(_ message: [UInt8])
}

/// The session of the document that a page shows, for the progress of a fetch: the background of a document that was left goes on being fetched.
private final class ShownSession: Sendable {
  let session = Mutex<Session?>(nil)
}

/// One connected page: its open document, its requests, and the events that it gets.
///
///     frames ──▶ receive ──▶ runs of edits, one call each ──▶ Session ──▶ answers ──▶ PageOutput
///                                                    Session ──events──▶ deliver ───▶ PageOutput
public actor LivePage {
  private let hub: StudioHub
  private let output: any PageOutput
  /// The user and the session of this page.
  public nonisolated let client: DocumentClient
  private var session: Session?
  private let shown = ShownSession()
  private var listening: Task<Void, Never>?
  /// What tells of copies that are merged into the open document.
  private var merging: Task<Void, Never>?
  private var question: WarningQuestion?
  private var can = UndoNames()
  /// The newest message with these names.
  private var undoTelling: Task<Void, Never>?
  private var recent = RecentAdditions()
  /// Whether the last save of the open document failed.
  private var isSaveFailing = false
  /// The folder that the page shows.
  private var browsed: BrowsedFolder?
  /// The request for whole documents that is being performed. One at a time; other requests need not wait for it.
  private var filing: Task<Void, Never>?

  /// Whether its session has ended. It is asked again after each `await`, before anything is begun.
  private let isOver = Atomic(false)

  /// A page that has proved its session.
  public init(_ client: DocumentClient, of hub: StudioHub, to output: any PageOutput) {
    (self.client, self.hub, self.output) = (client, hub, output)
  }

  /// The page's session has ended: of its messages that wait, none is performed any more.
  public nonisolated func end() { isOver.store(true, ordering: .releasing) }

  private nonisolated var hasEnded: Bool { isOver.load(ordering: .acquiring) }

  /// Performs the messages of one read in order, and answers each.
  public func receive(_ frames: [[UInt8]]) async {
    var run: [PageMessage] = []
    for frame in frames where !hasEnded {
      do throws(ProtocolRequest.Unreadable) {
        let message = try PageMessage(frame)
        if message.documentRequest != nil {
          run.append(message)
          continue
        }
        await edit(run)
        run = []
        await answer(message)
      } catch {
        await edit(run)
        run = []
        await respond(.failed(error.error), error.tag)
      }
    }
    await edit(run)
    recent.keep()
  }

  /// Ends the page: its document is saved, and closed if no other page has it.
  public func close() async {
    await filing?.value
    await leaveFolder()
    await closeDocument()
  }

  // MARK: Answers

  private func respond(_ outcome: ProtocolAnswer.Outcome, _ tag: ProtocolTag?) async {
    await output.send(ProtocolAnswer(outcome, tag: tag).line())
  }

  private func respond(_ tag: ProtocolTag?, _ body: (inout JSONWriter) -> Void) async {
    await output.send(
      Self.object { json in
        body(&json)
        json.member(tag)
      })
  }

  /// Runs work, and answers with its error if it fails.
  private func attempt(
    _ tag: ProtocolTag?, _ work: () async throws(ArtError) -> Void
  ) async {
    do throws(ArtError) { try await work() } catch { await respond(.failed(error), tag) }
  }

  private func opened() throws(ArtError) -> Session {
    guard let session else { throw ArtError(.usage, "no document is open; open one first") }
    return session
  }

  // MARK: Edits

  private func edit(_ run: [PageMessage]) async {
    guard !run.isEmpty, !hasEnded else { return }
    guard let session else {
      for message in run { await attempt(message.tag) { () throws(ArtError) in _ = try opened() } }
      return
    }
    let content = await session.snapshot.content
    var requests: [ClientRequest] = []
    var answered: [(message: PageMessage, fault: ArtError?)] = []
    for var message in run {
      var fault: ArtError?
      let unmeasured = message.unmeasured(in: content)
      // The document answers a repeated edit, and does not perform it again.
      if !unmeasured.isEmpty, await !session.wasPerformed(message.tag?.requestTag) {
        do throws(ArtError) {
          message = try await message.measured(unmeasured, by: session)
        } catch {
          fault = error
        }
      }
      answered.append((message, fault))
      guard fault == nil, let request = message.documentRequest else { continue }
      recent.note(request)
      requests.append(
        ClientRequest(request, by: client, tag: message.tag?.requestTag, since: message.since))
    }
    var results = await perform(requests, session).makeIterator()
    if !requests.isEmpty {
      await tellVersion(session)
      // Before the answers: at no moment the page has neither a pending edit nor the name of its undo.
      await tellUndo(session)
    }
    for (message, fault) in answered {
      if let fault {
        await respond(.failed(fault), message.tag)
      } else if let result = results.next() {
        switch result {
        case .success(let answer): await respond(message.outcome(answer), message.tag)
        case .failure(let error): await respond(.failed(error), message.tag)
        }
      }
    }
  }

  private func perform(
    _ requests: [ClientRequest], _ session: Session
  ) async -> [Result<DocumentAnswer, ArtError>] {
    guard !requests.isEmpty else { return [] }
    while !hasEnded {
      if let results = await session.perform(requests) { return results }
      await session.waitForCapacity()
    }
    return []
  }

  /// Tells the version that has the edits which are answered next: a page waits for its events.
  private func tellVersion(_ session: Session) async {
    let version = await session.version
    await output.send(object("version") { $0.integer(version) })
  }

  // MARK: Everything else

  private func answer(_ message: PageMessage) async {
    guard !hasEnded else { return }
    let tag = message.tag
    switch message.body {
    case .hello, .answer:
      await respond(.failed(ArtError(.usage, "the page has proved its session already")), tag)
    case .open(let document): await attempt(tag) { () throws(ArtError) in try await open(document, tag) }
    case .close:
      await closeDocument()
      await respond(tag) {
        $0.key("ok"); $0.object { _ in }
      }
    case .history(let count):
      await attempt(tag) { () throws(ArtError) in
        let content = try await opened().snapshot.content
        await respond(tag) { $0.history(of: content, last: count, for: client) }
      }
    case .find(let words, let limit, let language):
      let found = await found(words, limit, language)
      let untoned = await hub.font.untoned(among: found)
      await respond(tag) { $0.found(found, untoned: untoned) }
    case .names(let texts, let language):
      await respond(tag) { $0.names(of: texts, in: language) }
    case .palettes:
      await attempt(tag) { () throws(ArtError) in
        let palettes = try PaletteStore().palettes()
        await respond(tag) { $0.palettes(palettes) }
      }
    case .cancel:
      await session?.cancelBackground()
      await respond(tag) {
        $0.key("ok"); $0.object { _ in }
      }
    case .warnings(let answer):
      await attempt(tag) { () throws(ArtError) in
        guard let question else { throw ArtError(.usage, "no warning asks a question") }
        try question.answer(answer)
        self.question = nil
        await respond(tag) {
          $0.key("ok"); $0.object { _ in }
        }
      }
    case .preferences(let changes):
      await attempt(tag) { () throws(ArtError) in
        guard let preferences = hub.preferences else {
          throw ArtError(.unavailable, "this server keeps no preferences")
        }
        try preferences.set(changes)
        await respond(tag) {
          $0.key("ok"); $0.object { _ in }
        }
      }
    case .presence(let presence): hub.show(presence, of: self)
    case .documents(let request): await perform(request, tag)
    case .request(let request):
      await attempt(tag) { () throws(ArtError) in try await perform(request, tag) }
    case .edit, .takeBack, .backTo: break
    }
  }

  /// Performs a request for documents of the folder. What changes documents may take long, so what comes after it does not wait, until that
  /// is such a request, too.
  private func perform(_ request: FolderRequest, _ tag: ProtocolTag?) async {
    switch request {
    case .browse(let folder):
      await leaveFolder()
      let new = BrowsedFolder(folder, of: hub.workspace, to: output, pause: hub.pause)
      await attempt(tag) { () throws(ArtError) in
        try await new.begin(tag)
        browsed = new
        hub.add(new)
      }
    case .list(let folder):
      let listed = BrowsedFolder(folder, of: hub.workspace, to: output, pause: hub.pause)
      await attempt(tag) { () throws(ArtError) in await output.send(try await listed.list(tag)) }
    case .leave:
      await leaveFolder()
      await respond(tag) { json in
        json.key("documents")
        json.object { _ in }
      }
    case .create, .rename, .duplicate, .makeFolder, .repair, .delete, .putBack, .merge:
      await filing?.value
      filing = Task {
        guard !hasEnded else { return }
        await attempt(tag) { () throws(ArtError) in
          let outcome = try await hub.perform(request, by: client)
          await respond(tag) { json in
            json.key("documents")
            outcome.write(to: &json)
          }
        }
      }
    }
  }

  private func leaveFolder() async {
    guard let browsed else { return }
    self.browsed = nil
    hub.remove(browsed)
    await browsed.end()
  }

  /// Performs a request that is no edit of an open document by itself.
  private func perform(_ request: ProtocolRequest, _ tag: ProtocolTag?) async throws(ArtError) {
    let session = try opened()
    switch request.body {
    case .caption(let caption):
      let (known, since) = (tag?.requestTag, request.since)
      let action = try await session.measured([(caption, known)]).first??.get()
      guard !hasEnded else { return }
      let answer =
        if let action {
          try await session.perform(.action(action), tag: known, since: since)
        } else {
          try await session.perform(caption, tag: known, since: since)
        }
      await tellVersion(session)
      await tellUndo(session)
      await respond(ProtocolAnswer.Outcome(answer, to: request), tag)
    case .save:
      try await session.save()
      await respond(
        .saved(revision: await session.revision, unsaved: await session.unsavedChanges), tag)
    case .show(at: nil): await respond(.document(ProtocolDocument(await session.snapshot, hasZ: true)), tag)
    case .show, .revert, .keepVersion, .removeVersion, .versions:
      let outcome = try await request.answer(by: session, hasZ: true)
      await tellVersion(session)
      await tellUndo(session)
      await respond(outcome, tag)
    case .background(let background): try await perform(background, session, tag)
    case .action, .undo, .redo: break
    }
  }

  /// A URL from a page is no URL that the user typed: any text of a page may be dropped. So special addresses are refused, unless the
  /// user has confirmed one in the page.
  private func perform(
    _ background: ProtocolRequest.Background, _ session: Session, _ tag: ProtocolTag?
  ) async throws(ArtError) {
    switch background {
    case .fetch(let typed, let keepsCanvas, let allowsPrivate):
      guard let url = await url(typed, session, tag) else { return }
      let request = BackgroundRequest(
        url, isUserInitiated: false, allowsPrivate: allowsPrivate)
      try await session.setBackground(request, keepsCanvas: keepsCanvas, tag: tag?.text) {
        [output, shown] progress in
        guard shown.session.withLock({ $0 === session }) else { return }
        output.sendLossy(
          LivePage.object { json in
            json.fetched(progress)
            json.member(tag)
          })
      }
      await respond(.fetching(url.redacted), tag)
    case .later(let typed):
      guard let url = await url(typed, session, tag) else { return }
      guard let pending = try PendingBackground(later: url, at: WallClock.milliseconds()) else {
        throw ArtError(.tooLarge, "the URL is too long to be kept for later")
      }
      try await session.changeBackground(.later(pending))
      await tellVersion(session)
      await respond(.edited(ProtocolAnswer.Edited(unsaved: await session.unsavedChanges)), tag)
    case .clear:
      try await session.changeBackground(.clear)
      await tellVersion(session)
      await respond(.edited(ProtocolAnswer.Edited(unsaved: await session.unsavedChanges)), tag)
    }
  }

  /// Parses a URL; reports a refused one as the outcome of its fetch, and returns nil.
  private func url(_ typed: String, _ session: Session, _ tag: ProtocolTag?) async -> BackgroundURL? {
    do throws(Refusal) { return try BackgroundURL(typed) } catch {
      let event = DocumentBackgrounds.Event(
        .rejected(error), url: typed, isRequested: true, tag: tag?.text)
      let warning = session.warning(of: event)
      await respond(.fetching("a URL that is none"), tag)
      await deliver(.background(event), of: session)
      if let warning { await deliver(.warning(warning), of: session) }
      return nil
    }
  }

  /// Begins to check a picture that was uploaded for the open document.
  public func setBackground(
    _ bytes: [UInt8], of document: String, keepsCanvas: Bool, tag: ProtocolTag?
  ) async throws(ArtError) {
    guard !hasEnded else { throw ArtError(.closed, "the session has ended") }
    let session = try opened()
    guard FilePath(session.path) == FilePath(document) else {
      throw ArtError(.usage, "the page has another document open", about: document)
    }
    try await session.setBackground(bytes, keepsCanvas: keepsCanvas, tag: tag?.text)
  }

  /// The emoji that words find and the font has; those with similar names if they find none.
  private func found(_ words: String, _ limit: Int, _ language: EmojiLanguage) async -> [NamedEmoji] {
    let typed = words.split(separator: " ").map(String.init)
    guard !typed.isEmpty else { return [] }
    do throws(EmojiSearch.Failure) {
      return try await EmojiSearch(typed, in: language, limit: limit, drawnBy: hub.font).emojis
    } catch {
      if case .nothing(_, let near) = error { return near }
      return []
    }
  }

  // MARK: The open document

  private func open(_ path: String, _ tag: ProtocolTag?) async throws(ArtError) {
    // A page keeps its document if the other one cannot be opened.
    let session = try await hub.workspace.open(path, as: client)
    await closeDocument()
    self.session = session
    shown.session.withLock { $0 = session }
    let (snapshot, events) = await session.follow()
    let document = ProtocolDocument(snapshot, hasZ: true)
    await tellIdentity(of: snapshot.content.id, session)
    await respond(.document(document), tag)
    can = UndoNames()
    await tellUndo(session)
    await tellRestored(session)
    hub.add(self, session.path)
    listening = Task { [weak self] in
      for await event in events {
        guard let self else { return }
        await self.deliver(event, of: session)
      }
    }
    guard self.session === session, let merges = hub.workspace.merges() else { return }
    let waiting = await hub.workspace.waitingCopies(of: session.path)
    if !waiting.isEmpty { await output.send(Self.object { $0.copies(waiting) }) }
    guard self.session === session else { return }
    merging = Task { [output] in
      for await event in merges {
        switch event {
        case .merged(let path, let result)
        where FilePath(path) == FilePath(session.path) && result.outcome.edits > 0:
          let (edits, conflicts) = (result.outcome.edits, result.outcome.conflicts)
          await output.send(Self.object { $0.merged(edits: edits, conflicts: conflicts) })
        case .waiting(let path, let copies) where FilePath(path) == FilePath(session.path):
          await output.send(Self.object { $0.copies(copies) })
        case .merged, .failed, .waiting: break
        }
      }
    }
  }

  /// Tells which document the next answer has: what a page has kept for another one of that name is not for it.
  private func tellIdentity(of id: DocumentID, _ session: Session) async {
    await output.send(
      object("opening") { json in
        json.object { json in
          json.key("id")
          json.string(id.description)
          json.key("name")
          json.string(session.path)
        }
      })
  }

  /// Tells which edits of killed programs were restored when the document was opened, and which could not be.
  private func tellRestored(_ session: Session) async {
    guard !session.recovered.isEmpty else { return }
    await output.send(Self.object { $0.restored(session.recovered) })
  }

  private func closeDocument() async {
    guard let session else { return }
    // Before the page's own listener ends, so that no outcome of a fetch comes between the two.
    let outcomes = session.listen(ownEdits: false)
    shown.session.withLock { $0 = nil }
    (self.session, question, isSaveFailing) = (nil, nil, false)
    hub.leave(self)
    merging?.cancel()
    listening?.cancel()
    // What is being sent of this document comes before all of the next one.
    await listening?.value
    await merging?.value
    (listening, merging) = (nil, nil)
    if await session.isFetchingBackground {
      closeAfterFetching(session, outcomes)
    } else {
      await Self.close(session)
    }
  }

  /// Waits until the background of a document is fetched, and closes the document then. If the background is refused, tells the page why.
  private func closeAfterFetching(_ session: Session, _ outcomes: EventSequence<SessionEvent>) {
    let telling = Task { [output] in
      for await event in outcomes {
        guard case .warning(let warning) = event else { continue }
        await output.send(
          Self.object { json in
            json.warning(warning)
            json.key("document")
            json.string(session.path)
          })
      }
    }
    Task {
      await session.waitForBackground()
      // Closing ends the events. A document that stays open has none for a page that has left it.
      if await !Self.close(session) { telling.cancel() }
    }
  }

  /// Closes a session; false if its document cannot be saved. That one stays open with its edits and its journal, and goes on trying: ending it
  /// would end the pages that have opened it meanwhile.
  @discardableResult
  private static func close(_ session: Session) async -> Bool {
    do throws(ArtError) { try await session.close() } catch { return false }
    return true
  }

  // MARK: Events

  /// Sends an event of a document, unless the page has opened another one meanwhile.
  private func deliver(_ event: SessionEvent, of session: Session) async {
    guard session === self.session else { return }
    if case .moved(let path) = event { hub.moved(self, to: path) }
    let bytes = await line(of: event, session)
    // Before the event, as before the answers.
    if mayChangeUndo(event) { await tellUndo(session) }
    guard session === self.session else { return }
    if let bytes { await output.send(bytes) }
    await tellFolder(event, session)
  }

  /// Has the pages that show the folder told when saving begins or ceases to fail.
  private func tellFolder(_ event: SessionEvent, _ session: Session) async {
    guard case .document(.state(let state)) = event else { return }
    let isFailing = if case .error = state { true } else { false }
    // A save that is tried again may fail again.
    guard state != .saving, isFailing != isSaveFailing else { return }
    isSaveFailing = isFailing
    await hub.noteState(of: session.path)
  }

  /// Whether the event may change what this page's undo and redo would revert. Computing that reads the log, in the worst case all of it, so
  /// an edit by others, which changes neither, does not cause it.
  private func mayChangeUndo(_ event: SessionEvent) -> Bool {
    switch event {
    case .document(.changed(let change)):
      !change.isComplete || change.cause == .rebase
        || change.edits.contains { $0.kind.isStep || $0.session == client.session }
    // Any event may be missing.
    case .document(.resync): true
    default: false
    }
  }

  private func line(of event: SessionEvent, _ session: Session) async -> [UInt8]? {
    switch event {
    case .document(.saved): return await savedLine(session)
    case .warning(let warning):
      question = warning.question
      return Self.object { $0.warning(warning) }
    case .moved(let path): return object("moved") { $0.string(path) }
    case .removed: return object("removed") { $0.boolean(true) }
    default: return ProtocolEvent(event)?.line()
    }
  }

  /// `saved` with the head, which the page sends with its next edits.
  private func savedLine(_ session: Session) async -> [UInt8] {
    let saved = await session.snapshot.saved
    return object("saved") { SavedState(saved).write(to: &$0) }
  }

  private static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter(urls: .redacted)
    json.object { members(&$0) }
    return json.bytes
  }

  private nonisolated func object(_ name: String, _ value: (inout JSONWriter) -> Void) -> [UInt8] {
    Self.object { json in
      json.key(name)
      value(&json)
    }
  }

  /// Sends what undo and redo would revert, if that has changed. Returns when it is sent. Each call waits for the former one, so the page gets
  /// the newest names last.
  private func tellUndo(_ session: Session) async {
    let former = undoTelling
    let telling = Task {
      await former?.value
      await tellUndoNow(session)
    }
    undoTelling = telling
    await telling.value
  }

  private func tellUndoNow(_ session: Session) async {
    let content = await session.snapshot.content
    do throws(ArtError) {
      let now = try UndoNames(in: content, by: client)
      guard session === self.session, now != can else { return }
      can = now
      await output.send(Self.object { $0.can(now) })
    } catch {
      await respond(.failed(error), nil)
    }
  }

  /// Tells who else has the document open; false if the page is slow, and gets nothing. `peers` are written, and read only if it takes the
  /// message. Does not block.
  nonisolated func show(_ peers: some Sequence<[UInt8]>) -> Bool {
    guard output.takesLossy else { return false }
    output.sendLossy(
      object("peers") { json in json.array { json in for peer in peers { json.verbatim(peer) } } })
    return true
  }

  /// Tells what another page shows now; false if this page is slow. Does not block.
  nonisolated func show(peer: [UInt8]) -> Bool {
    guard output.takesLossy else { return false }
    output.sendLossy(object("peer") { $0.verbatim(peer) })
    return true
  }
}
