// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtWorker
import Synchronization

/// A document that is open for its sessions.
///
///     open ──attach──▶ open ──the last session ends: save──▶ closing ──▶ closed
///                                       └──saving fails: open
final class SharedDocument: Sendable {
  private struct State {
    var path: FilePath
    var identity: FileIdentity
    var sessions: [Session] = []
    var isEnding = false
    /// The sessions whose requests for backgrounds are being answered, by the mark that the request got.
    var requests: [String: (session: Session, tag: String?)] = [:]
    var marks = 0
  }

  let id: DocumentID
  let document: Document
  let backgrounds: DocumentBackgrounds
  private let root: String
  private let relay: WatchRelay
  private let registry: Registry
  private let number: Int
  private let hints: AsyncStream<RefreshHint>
  private let state: Mutex<State>
  private let hearing: Hearing
  private let waiters = Waiters()
  private let warnings: WarningChoice?

  /// What hears of backgrounds before the document is whole.
  private final class Hearing: Sendable {
    let document = Mutex<SharedDocument?>(nil)
  }

  init(
    _ document: Document, _ id: DocumentID, _ path: FilePath, _ identity: FileIdentity,
    _ settings: WorkspaceSettings, _ relay: WatchRelay, _ fetcher: BackgroundFetcher, _ registry: Registry
  ) {
    self.document = document
    self.id = id
    self.relay = relay
    self.registry = registry
    warnings = settings.warnings
    root = String(document.path.dropLast(path.string.count))
    (number, hints) = relay.follow(path)
    state = Mutex(State(path: path, identity: identity))
    let hearing = Hearing()
    self.hearing = hearing
    backgrounds = DocumentBackgrounds(document, fetcher, pending: settings.pending) { event in
      hearing.document.withLock { $0 }?.receive(event)
    }
    hearing.document.withLock { $0 = self }
  }

  var path: FilePath { state.withLock(\.path) }

  var identity: FileIdentity {
    get { state.withLock(\.identity) }
    set { state.withLock { $0.identity = newValue } }
  }

  func begin() async {
    await document.refresh(at: hints)
    // What was done to the file since it was read gives no hint any more.
    await document.refresh()
    await backgrounds.begin()
    let events = document.events(capacity: 4_096)
    Task { [weak self] in
      for await event in events { self?.send(.document(event)) }
    }
  }

  /// A new session; nil when the document is being closed.
  func attach(_ client: DocumentClient) -> Session? {
    state.withLock { state in
      guard !state.isEnding else { return nil }
      let session = Session(client, of: self)
      state.sessions.append(session)
      return session
    }
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

  /// The file has another path.
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

  /// Ends a session, and with the last one the document. Throws what saving throws; then the session stays.
  func close(_ session: Session) async throws(ArtError) {
    let isLast = state.withLock { state in
      guard !state.isEnding, state.sessions.contains(where: { $0 === session }) else { return false }
      if state.sessions.count == 1 {
        state.isEnding = true
        return true
      }
      state.sessions.removeAll { $0 === session }
      return false
    }
    guard isLast else { return session.events.finish() }
    do throws(ArtError) {
      try await document.save()
      await backgrounds.close()
      try await document.close()
    } catch {
      state.withLock { $0.isEnding = false }
      waiters.release()
      throw error
    }
    finish()
  }

  /// Closes the document whatever its sessions do, or leaves it with its journal where it cannot be saved; why. The sessions hear the
  /// event when the document was saved.
  func end(saying event: SessionEvent? = nil) async -> ArtError? {
    while !state.withLock({ state in
      defer { state.isEnding = true }
      return !state.isEnding
    }) {
      // Its last session is closing it; where that fails the document is still open.
      await ended()
      guard registry.all.contains(where: { $0 === self }) else { return nil }
    }
    await backgrounds.close()
    var failure: ArtError?
    do throws(ArtError) {
      try await document.close()
    } catch {
      failure = error
      await document.abandon()
    }
    if let event, failure == nil { send(event) }
    finish()
    return failure
  }

  /// Returns when the document is closed, or stays open after all.
  func ended() async {
    while true {
      let ticket = waiters.ticket
      guard state.withLock(\.isEnding), registry.all.contains(where: { $0 === self }), !Task.isCancelled
      else { return }
      await waiters.wait(ticket)
    }
  }

  private func finish() {
    registry.remove(self)
    relay.unfollow(number)
    hearing.document.withLock { $0 = nil }
    let sessions = state.withLock { state in
      defer { state.sessions = [] }
      return state.sessions
    }
    for session in sessions { session.events.finish() }
    waiters.release()
  }

  // MARK: Backgrounds

  /// The mark of a session's request.
  func note(_ tag: String?, of session: Session) -> String {
    state.withLock { state in
      state.marks += 1
      let mark = "\(state.marks)"
      state.requests[mark] = (session, tag)
      // A newer request drops an older one, of which no event comes then.
      state.requests["\(state.marks - 16)"] = nil
      return mark
    }
  }

  private func receive(_ event: DocumentBackgrounds.Event) {
    let asked = event.tag.flatMap { mark in state.withLock { $0.requests.removeValue(forKey: mark) } }
    let told = DocumentBackgrounds.Event(
      event.outcome, url: event.url, isRequested: event.isRequested, tag: asked?.tag)
    // The session that began it, or for one that was pending all; it may be gone by now.
    if event.isRequested { asked?.session.events.send(.background(told)) } else { send(.background(told)) }
    guard let session = asked?.session ?? state.withLock({ $0.sessions.first }) else { return }
    let store = RefusalWarnings(of: DocumentFile(document.path))
    switch event.outcome {
    case .set: if event.isRequested { store.forget() }
    case .rejected(let refusal):
      let url = event.isRequested ? event.url : nil
      if let warning = store.warning(of: refusal, warnings, asked: url, canAsk: true) {
        session.events.send(.warning(warning))
      }
    case .failed: break
    }
  }
}
