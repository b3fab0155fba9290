// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtWatch
import ArtWorker
import Synchronization

/// A document that is open for its sessions.
///
///     open ──attach──▶ open ──the last session ends: save──▶ closing ──▶ closed
///                                       └──saving fails: open
final class SharedDocument: Sendable {
  private struct State {
    var path: FilePath
    var identity: FileIdentity?
    var sessions: [Session] = []
    var hasBegun = false
    var isEnding = false
    /// The session and tag of each request for a background that is not answered yet, by the request's mark.
    var requests: [String: (session: Session, tag: String?, line: Int?)] = [:]
    var marks = 0
  }

  let id: DocumentID
  let document: Document
  /// The file, if the document is in memory until its end.
  private let draft: Draft?
  /// The fetches of backgrounds.
  let backgrounds: DocumentBackgrounds
  private let root: String
  private let relay: WatchRelay
  /// Whether the relay reports for this document only, and is closed with it.
  private let ownsRelay: Bool
  private let registry: Registry
  private let number: Int
  private let hints: AsyncStream<RefreshHint>
  private let otherNames = OtherNames()
  private let state: Mutex<State>
  private let receiver: Receiver
  private let waiters = Waiters()
  private let settings: WorkspaceSettings
  /// The helper programs.
  var helpers: HelperPrograms { settings.helpers }

  /// Receives the events of backgrounds until the document is initialised.
  private final class Receiver: Sendable {
    let document = Mutex<SharedDocument?>(nil)
  }

  init(
    _ document: Document, _ id: DocumentID, _ path: FilePath, _ identity: FileIdentity?,
    _ settings: WorkspaceSettings, _ relay: WatchRelay, ownsRelay: Bool = false,
    _ fetcher: BackgroundFetcher, _ registry: Registry, _ draft: Draft? = nil
  ) {
    self.document = document
    self.draft = draft
    self.id = id
    self.relay = relay
    self.ownsRelay = ownsRelay
    self.registry = registry
    self.settings = settings
    root = FilePath(document.path).without(ending: path.string).string
    (number, hints) = relay.follow(path) { [otherNames] in await otherNames.refresh(document) }
    state = Mutex(State(path: path, identity: identity))
    let receiver = Receiver()
    self.receiver = receiver
    backgrounds = DocumentBackgrounds(
      document, fetcher, pending: settings.pending, allowsPrivate: settings.allowsPrivate,
      succeeded: { RefusalWarnings(of: DocumentFile(document.path)).forget() },
      report: { event in receiver.document.withLock { $0 }?.receive(event) })
    receiver.document.withLock { $0 = self }
    document.forwardEvents { [weak self] events in
      guard let self else { return }
      for session in self.state.withLock(\.sessions) {
        session.events.send(events.lazy.map { .document($0) })
      }
    }
  }

  var path: FilePath { state.withLock(\.path) }

  var identity: FileIdentity? {
    get { state.withLock(\.identity) }
    set { state.withLock { $0.identity = newValue } }
  }

  /// Begins to follow other programs' changes and to fetch pending backgrounds; once.
  func begin() async {
    let hasBegun = state.withLock { state in
      defer { state.hasBegun = true }
      return state.hasBegun
    }
    if hasBegun { return }
    await document.refresh(at: hints)
    if ownsRelay {
      // The relay's first hint comes when the system reports changes.
      Task { [relay] in await relay.run() }
    } else {
      // Changes since the file was read give no hint, so the document refreshes now.
      await document.refresh()
      await otherNames.refresh(document)
    }
    await backgrounds.begin()
  }

  /// Adds a session; nil when the document is being closed.
  func attach(_ client: DocumentClient) -> Session? {
    state.withLock { state in
      guard !state.isEnding else { return nil }
      let session = Session(client, of: self)
      state.sessions.append(session)
      return session
    }
  }

  /// The first session of a newly opened document.
  func first(_ client: DocumentClient) -> Session {
    let session = Session(client, of: self)
    state.withLock { $0.sessions.append(session) }
    return session
  }

  /// Throws `closed` for a session that has ended.
  func checkOpen(_ session: Session) throws(ArtError) {
    guard state.withLock({ $0.sessions.contains { $0 === session } }) else {
      throw ArtError(.closed, "the session of \(path.string) has ended; open the document again")
    }
  }

  func send(_ event: SessionEvent) {
    for session in state.withLock(\.sessions) { session.events.send(event) }
  }

  /// Sets the new path of the file.
  func move(to path: FilePath, _ file: DocumentFile? = nil) {
    var moved = DocumentFile(root + path.string)
    moved.name = path.string
    moved.followsLinks = false
    document.move(to: file ?? moved)
    relay.move(number, to: path)
    state.withLock { $0.path = path }
    send(.moved(to: path.string))
  }

  // MARK: Ending

  private enum Closing {
    /// The session has ended.
    case ended
    /// Other sessions go on.
    case detached
    /// The document is being closed by another call, which may fail.
    case underWay
    /// It was the last session: the document is to be closed.
    case last
  }

  private func beginClosing(_ session: Session) -> Closing {
    state.withLock { state in
      guard state.sessions.contains(where: { $0 === session }) else { return .ended }
      guard !state.isEnding else { return .underWay }
      if state.sessions.count == 1 {
        state.isEnding = true
        return .last
      }
      state.sessions.removeAll { $0 === session }
      return .detached
    }
  }

  /// Ends a session, and with the last one the document. Throws what saving throws; then the session stays.
  func close(_ session: Session) async throws(ArtError) {
    var closing = beginClosing(session)
    while closing == .underWay {
      await ended()
      closing = beginClosing(session)
    }
    if closing == .detached { session.events.finish() }
    guard closing == .last else { return }
    do throws(ArtError) { try await document.close() } catch {
      state.withLock { $0.isEnding = false }
      waiters.release()
      throw error
    }
    await backgrounds.close()
    finish()
    closeRelay()
  }

  /// Closes the document regardless of its sessions. If it cannot be saved, its journal is kept and the error returned. Sessions
  /// get the event after the save. With `discardingChanges` the document is not saved, and unsaved edits are lost.
  func end(
    discardingChanges: Bool = false, saying event: SessionEvent? = nil
  ) async -> Session.SavingFailure? {
    while !state.withLock({ state in
      defer { state.isEnding = true }
      return !state.isEnding
    }) {
      // Its last session is closing it; if that fails, the document stays open.
      await ended()
      guard registry.all.contains(where: { $0 === self }) else { return nil }
    }
    closeRelay()
    await backgrounds.close()
    var failure: Session.SavingFailure?
    if discardingChanges || draft != nil {
      if !discardingChanges { failure = await saveDraft() }
      await document.closeDiscardingChanges()
    } else {
      do throws(ArtError) {
        try await document.close()
      } catch {
        failure = Session.SavingFailure(error: error, unsaved: await document.unsavedChanges)
        await document.abandon()
      }
    }
    if let event, failure == nil { send(event) }
    finish()
    return failure
  }

  /// Saves the edits of a draft, of which no request is performed any more.
  private func saveDraft() async -> Session.SavingFailure? {
    let (edits, snapshot) = (await document.unsavedEdits, await document.snapshot)
    guard let draft, !edits.isEmpty else { return nil }
    send(.document(.state(.saving)))
    do throws(ArtError) {
      let events = try await ThreadPool.shared.value { () throws(ArtError) in
        try draft.save(edits, leadingTo: snapshot.content, at: snapshot.version)
      }
      for event in events + [.state(.open)] { send(.document(event)) }
      return nil
    } catch {
      send(.document(.state(.error(error))))
      return Session.SavingFailure(error: error, unsaved: edits.count)
    }
  }

  /// Ends the sessions if a life cycle event closed the document.
  func finishIfClosed() async {
    guard await document.state == .closed else { return }
    await backgrounds.close()
    finish()
    closeRelay()
  }

  /// Closes the watcher without waiting for it: its thread may hang in a folder whose server does not answer.
  private func closeRelay() {
    guard ownsRelay else { return }
    Task.detached { [relay] in await relay.close() }
  }

  /// Returns when the document is closed, or when closing has failed. Ignores cancellation, because callers try again.
  func ended() async {
    await Task.detached { [self] in
      while true {
        let ticket = waiters.ticket
        guard state.withLock(\.isEnding), registry.all.contains(where: { $0 === self }) else { return }
        await waiters.wait(ticket)
      }
    }.value
  }

  private func finish() {
    registry.remove(self)
    relay.unfollow(number)
    receiver.document.withLock { $0 = nil }
    let sessions = state.withLock { state in
      defer { state.sessions = [] }
      return state.sessions
    }
    for session in sessions { session.events.finish() }
    waiters.release()
  }

  // MARK: Backgrounds

  /// Records a session's request, and returns its mark.
  func note(_ tag: String?, _ line: Int?, of session: Session) -> String {
    state.withLock { state in
      state.marks += 1
      let mark = "\(state.marks)"
      state.requests[mark] = (session, tag, line)
      // A newer request drops an older one without an event, so old marks are removed.
      state.requests["\(state.marks - 16)"] = nil
      return mark
    }
  }

  /// Reports the outcome of a background, and warns of a refusal. The tag of a requested background is the request's mark.
  func receive(_ event: DocumentBackgrounds.Event) {
    let asked = event.tag.flatMap { mark in state.withLock { $0.requests.removeValue(forKey: mark) } }
    let answer = DocumentBackgrounds.Event(
      event.outcome, url: event.url, isRequested: event.isRequested, tag: asked?.tag, line: asked?.line)
    // Only the session that requested it gets the event, if it is still open; the event of a pending background goes to all.
    if event.isRequested {
      asked?.session.events.send(.background(answer))
    } else {
      send(.background(answer))
    }
    guard let session = asked?.session ?? state.withLock({ $0.sessions.first }) else { return }
    if let warning = warning(of: event) { session.events.send(.warning(warning)) }
  }

  /// The warning for a refusal; nil for another outcome, and where the user is not to be warned.
  func warning(of event: DocumentBackgrounds.Event) -> RefusalWarning? {
    guard case .rejected(let refusal) = event.outcome else { return nil }
    if event.isRequested, !settings.asksAboutWarnings {
      // Without a question, a picture that the user asked for and does not get is an ordinary error.
      return settings.warnings == .never
        ? nil
        : RefusalWarning(refusal: refusal, isOfFile: event.url == nil, isAnswered: true, question: nil)
    }
    return RefusalWarnings(of: DocumentFile(document.path)).warning(
      of: refusal, settings.warnings, asked: event.isRequested ? event.url : nil,
      canAsk: settings.asksAboutWarnings)
  }
}

/// Refreshes a document periodically while its file has other names: the system reports a write only under the name that was
/// used. The same applies to a path through a symbolic link, whose target may change.
private final class OtherNames: Sendable {
  private static let interval = Duration.seconds(2)

  /// Whether the path went through a symbolic link at the last check. It stays set while the link is being replaced.
  private let isLinked = Mutex(false)
  private let queue = SerialQueue()

  func refresh(_ document: Document) async {
    let needsClock = await queue.value { self.needsClock(document.store) }
    await document.refresh(every: needsClock ? Self.interval : nil)
  }

  private func needsClock(_ store: any DocumentStore) -> Bool {
    let isLinked = isLinked.withLock { isLinked in
      isLinked = isLinked || Self.goesThroughLink(store.path)
      return isLinked
    }
    // The watcher takes a file of that name for a journal.
    if isLinked || FilePath(store.path).hasEnding("-journal") { return true }
    do throws(ArtError) {
      return try store.stamp().hardLinks > 1
    } catch {
      // The next refresh reports the error.
      return false
    }
  }

  private static func goesThroughLink(_ path: String) -> Bool {
    var prefix = path.utf8.first == UInt8(ascii: "/") ? "" : "."
    return FilePath(path).components.contains { part in
      prefix += "/\(part)"
      do throws(SystemError) { return try FileStatus(ofLinkAt: prefix).isLink } catch { return false }
    }
  }
}
