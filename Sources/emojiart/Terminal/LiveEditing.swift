// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtWorkspace
import Dispatch
import Synchronization

/// A document that is edited on the screen: its session, and the editor that the keys go to. Edits are answered when they are in the
/// journal, and saved by themselves.
struct LiveEditing {
  var editor: LiveEditor
  /// The bytes of the background.
  private(set) var picture: [UInt8]?
  /// The first refusal of an edit that the screen has not shown yet.
  var refusal: ArtError?
  private let session: Session
  private let events: Events
  private let listening: Outcome<Void>
  private let lifeCycle = LifeCycle(closing: .shared)
  private var background: Background?
  private var recent = RecentAdditions()
  private var snapshot: DocumentSnapshot
  /// How often the content or the picture has changed.
  private(set) var changes = 0

  /// What happened to the document since the last look.
  private final class Events: Sendable {
    private let contents = Mutex((isNew: false, message: String?.none))

    func put(_ message: String?) {
      contents.withLock { $0 = (true, message ?? $0.message) }
    }

    func take() -> (isNew: Bool, message: String?) {
      contents.withLock { contents in
        defer { contents = (false, nil) }
        return contents
      }
    }
  }

  /// Opens the document. `wakeup` is triggered when something has happened. Throws what `Session.open` throws.
  init(_ file: DocumentFile, _ wakeup: WakeupPipe) throws(ArtError) {
    let author = try CurrentSettings.ofCommand[.author]?.text
    let client = try DocumentClient(author: author)
    let size = try CurrentSettings.option(nil, else: .size).map { (typed) throws(ArtError) in
      try Length(size: typed)
    }
    let session = try Outcome {
      await result { () async throws(ArtError) in
        try await Session.open(file, as: client, isEdited: true)
      }
    }.wait().get()
    let (heard, events) = (session.listen(), Events())
    (self.session, self.events) = (session, events)
    listening = Outcome {
      for await event in heard {
        let text = Self.text(of: event)
        events.put(text.isEmpty ? nil : text)
        wakeup.wake()
      }
    }
    Outcome { await session.begin() }.wait()
    snapshot = Outcome { await session.snapshot }.wait()
    editor = LiveEditor(snapshot.content, size: size ?? .standard)
    refresh()
  }

  /// What a user must know of an event. The view shows the document in any case.
  static func text(of event: SessionEvent) -> String {
    switch event {
    case .document(.changed(let change)) where !change.cause.isOwn && !change.isComplete:
      "others changed much"
    case .document(.resync): "much happened meanwhile"
    default: StreamMessages.text(of: event)
    }
  }

  /// Whether something has happened since the last call; what a user must know becomes the editor's message.
  mutating func hasEvents() -> Bool {
    let taken = events.take()
    if let message = taken.message?.split(separator: "\n").last { editor.message = String(message) }
    return taken.isNew
  }

  /// Takes the present content. One that is known already costs nothing.
  mutating func refresh() {
    let (session, version) = (session, snapshot.version)
    snapshot = Outcome { await session.snapshot }.wait()
    if snapshot.version != version {
      editor.adopt(snapshot.content)
      changes += 1
    }
    guard snapshot.content.background != background else { return }
    let content = snapshot.content
    let read = Outcome {
      await result { () async throws(ArtError) in try await session.picture(of: content) }
    }.wait()
    switch read {
    case .success(let bytes):
      (background, picture) = (content.background, bytes)
      changes += 1
    case .failure(let error): editor.message = error.message
    }
  }

  /// Performs a request, and takes the content after it; a notice becomes the editor's message. Returns false when it was refused.
  mutating func perform(_ request: DocumentRequest) -> Bool {
    let session = session
    let answer = Outcome {
      await result { () async throws(ArtError) in try await session.perform(request) }
    }.wait()
    switch answer {
    case .success(let answer):
      recent.note(request)
      switch request {
      case .undo: editor.message = Self.text(of: answer.entries, left: answer.left, .undo)
      case .redo: editor.message = Self.text(of: answer.entries, left: answer.left, .redo)
      default: break
      }
      refresh()
      if case .action(.add) = request { editor.select(answer.emojis.last?.id) }
      if let notice = answer.offCanvas.notice { editor.message = notice }
      return true
    case .failure(let error):
      refusal = refusal ?? error
      return false
    }
  }

  /// What one undo or redo did, and what of it later edits prevented: `left` counts the changes that stay. Nil without an entry.
  static func text(of entries: [LoggedEdit], left: Int, _ direction: UndoDirection) -> String? {
    guard let entry = entries.last else { return nil }
    let notes = direction.notes(entries, of: 1, left: left)
    // A note about an entry that changes nothing begins with its title.
    return ((entry.changesNothing ? [] : [entry.title]) + notes).joined(separator: "; ")
  }

  /// Performs the gesture.
  mutating func settle() {
    for request in editor.settle().compactMap(\.request) where !perform(request) { return }
  }

  /// What is saved, for the line above.
  var state: String {
    let count = snapshot.unsaved
    switch snapshot.state {
    case .error(let error): return "not saved: \(error.message)"
    case .editingDisabled(let reason): return "read-only: \(reason)"
    case .open, .closed, .saving: return count == 0 ? "saved" : "\(count) unsaved"
    }
  }

  /// Saves before the process stops, and opens no files from then on.
  func pause() {
    send(.inactive)
    send(.background)
  }

  /// Goes on after a stop.
  func goOn() {
    send(.foreground)
    send(.active)
  }

  /// An error is the document's state, which is shown.
  private func send(_ event: LifeCycleEvent) {
    let (session, lifeCycle) = (session, lifeCycle)
    _ = Outcome {
      await result { () async throws(ArtError) in try await session.send(event, of: lifeCycle) }
    }.wait()
  }

  /// Performs the gesture, saves and closes, within that time if one is given. Returns what went wrong: an edit that was refused without
  /// being shown, and a save that failed, of which the edits are in the journal then.
  mutating func end(atMost time: DispatchTimeInterval? = nil) -> [ArtError] {
    let (session, recent, requests) = (session, recent, editor.settle().compactMap(\.request))
    let ending = Outcome { () -> (refusal: ArtError?, failure: Session.SavingFailure?) in
      var (additions, refusal) = (recent, ArtError?.none)
      for request in requests {
        let answer = await result { () async throws(ArtError) in try await session.perform(request) }
        if case .failure(let error) = answer { refusal = error }
      }
      let failure = await session.end()
      additions.keep()
      return (refusal, failure)
    }
    let ended = time.map { ending.wait(atMost: $0) } ?? ending.wait()
    let path = session.filePath
    guard let ended else {
      let late = ArtError.notSaved(max(snapshot.unsaved, 1), in: path, .notInTime(path))
      return [refusal.map(Self.notMade), late].compactMap(\.self)
    }
    return [
      (refusal ?? ended.refusal).map(Self.notMade),
      ended.failure.map { .notSaved($0.unsaved, in: path, $0.error) },
    ].compactMap(\.self)
  }

  /// The error for an edit that was refused when the screen was left.
  private static func notMade(_ error: ArtError) -> ArtError {
    error.withCause("the last edit was not made: \(error.cause)")
  }
}
