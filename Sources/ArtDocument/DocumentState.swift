// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Synchronization

/// The state of a document's life cycle.
public enum DocumentState: Sendable, Equatable {
  /// Not open: closed, or not yet opened.
  case closed
  /// Open, with no save running.
  case open
  /// Open, with a save running. Edits are accepted.
  case saving
  /// The last save failed. The edits are kept, and saving is repeated until it succeeds.
  case error(ArtError)
  /// Open read-only, for the given reason.
  case editingDisabled(String)
}

// MARK: - Machine

/// The life cycle of a document, as a pure state machine.
///
///                opened(canEdit)             saveBegan
///     closed ───────────────────▶ open ─────────────────▶ saving
///       ▲  │                      ▲ ▲                      │  │
///       │  │                      │ └──────────────────────┘  │ saveFailed
///       │  │ opened(read-only)    │       saveSucceeded       ▼
///       │  └──▶ editingDisabled   └──────────────────────── error ⟲ saveBegan, saveFailed
///       │              │                 saveSucceeded        │
///       └──────────────┴── closed (from every state) ─────────┘
///
/// - A refresh that finds that the file can be saved, or that it cannot, goes to `open` from `editingDisabled`, and back. With unsaved edits
/// it does not go there: a save reports why it fails.
/// - A refresh that does not find the file, or finds another document in its place, goes to `error` like a failed
/// save. The next successful refresh or save ends it.
/// - A save may be running in `saving` and `error`. A save that retries after an error leaves the state at `error`,
/// so that a lasting problem is reported once.
/// - Every method returns the new state, or nil if the state stays the same.
struct DocumentLife: Equatable {
  private(set) var state = DocumentState.closed
  private(set) var isSaving = false

  mutating func opened(readOnlyBecause reason: String?) -> DocumentState? {
    go(to: reason.map(DocumentState.editingDisabled) ?? .open)
  }

  mutating func saveBegan() -> DocumentState? {
    assert(state != .closed, "a closed document saves nothing")
    isSaving = true
    if case .error = state { return nil }
    return go(to: .saving)
  }

  mutating func saveSucceeded() -> DocumentState? {
    isSaving = false
    return go(to: .open)
  }

  mutating func saveFailed(_ error: ArtError) -> DocumentState? {
    isSaving = false
    return go(to: .error(error))
  }

  /// Reports a failed refresh while nothing is unsaved. `refreshSucceeded` ends that error.
  mutating func refreshFailed(_ error: ArtError) -> DocumentState? {
    if case .editingDisabled = state { return nil }
    return go(to: .error(error))
  }

  mutating func refreshSucceeded() -> DocumentState? {
    guard case .error = state else { return nil }
    return go(to: .open)
  }

  /// Ends `editingDisabled`.
  mutating func editingEnabled() -> DocumentState? {
    guard case .editingDisabled = state else { return nil }
    return go(to: .open)
  }

  /// Nothing is unsaved, and no save runs.
  mutating func editingDisabled(because reason: String) -> DocumentState? {
    assert(state != .closed && !isSaving, "a refresh of an open document found it")
    return go(to: .editingDisabled(reason))
  }

  mutating func closed() -> DocumentState? { go(to: .closed) }

  private mutating func go(to new: DocumentState) -> DocumentState? {
    guard new != state else { return nil }
    state = new
    checkInvariants()
    return new
  }

  /// Stops a debug build when an invariant does not hold.
  private func checkInvariants() {
    switch state {
    case .saving: assert(isSaving, "saving is said only while a save runs")
    case .open, .closed, .editingDisabled: assert(!isSaving, "no save runs unnoticed")
    case .error: break
    }
  }
}

// MARK: - Life cycle of the program

/// Events in a program's life cycle, named like those of UIKit's scenes.
public enum LifeCycleEvent: String, Sendable, CaseIterable {
  /// The user is active.
  case active
  /// The user is not active any more, for now or for good.
  case inactive
  /// The program may be suspended: documents save themselves, and with a gate no file is opened until `foreground` or
  /// `terminate`.
  case background
  /// The program continues after a suspension: documents refresh.
  case foreground
  /// The program ends: documents save themselves and close.
  case terminate
}

/// The life cycle of a program. The program sends the events that it learns of from signals, hidden windows or closed
/// connections; documents and listeners receive them.
public final class LifeCycle: Sendable {
  private let broadcast = Broadcast<LifeCycleEvent>()
  private let gate: FileGate?
  private let isInBackground = Mutex(false)

  /// A life cycle. `gate` closes after `background`, when the documents are saved, and opens at `foreground` or
  /// `terminate`. Use `.shared` for a program that is suspended in between, and nil for one that keeps running.
  public init(closing gate: FileGate? = nil) { self.gate = gate }

  /// The events from now on, for one of any number of listeners. A slow listener misses the oldest ones.
  public func events() -> EventSequence<LifeCycleEvent> { broadcast.subscribe(capacity: 64) }

  /// Emits an event and has all documents handle it concurrently; returns when they are done. Throws the first error
  /// of a document that could not be saved.
  public func send(_ event: LifeCycleEvent, to documents: [Document]) async throws(ArtError) {
    broadcast.send(event)
    track(event)
    let tasks = documents.map { document in
      Task { () -> ArtError? in
        do throws(ArtError) { try await document.follow(event) } catch { return error }
        return nil
      }
    }
    var first: ArtError?
    for task in tasks {
      let error = await task.value
      first = first ?? error
    }
    if event == .background { await closeGate() }
    if let first { throw first }
  }

  private func track(_ event: LifeCycleEvent) {
    switch event {
    case .active, .inactive: break
    case .background: isInBackground.withLock { $0 = true }
    case .foreground, .terminate:
      isInBackground.withLock { isInBackground in
        isInBackground = false
        gate?.open()
      }
    }
  }

  /// If another event came while the documents were being saved, the gate stays open.
  private func closeGate() async {
    isInBackground.withLock { if $0 { gate?.close() } }
    await gate?.waitUntilIdle()
  }
}

extension Document {
  /// Handles an event of the program's life cycle. Throws what saving throws.
  func follow(_ event: LifeCycleEvent) async throws(ArtError) {
    guard state != .closed else { return }
    switch event {
    case .active, .inactive: break
    case .background: try await save()
    case .foreground: await refresh()
    case .terminate: try await close()
    }
  }
}

// MARK: - What prevents saves

/// What prevents saves, as refreshes find it. Every method returns whether unsaved changes should be saved at once:
///
///     result of a refresh              save at once?
///     known state, or adopted          if something prevented saves before
///     conflict with another state      if no save is failing, or the conflict is new
///     the store cannot be read         the first time only: the save reports the error
///     the store is busy                never: nothing has been written yet, and earlier obstacles may remain
///
/// A successful save resets it.
struct SaveBlocker: Equatable {
  /// Why the store could not be read; nil if it could, or was saved since.
  private(set) var readError: ArtError.Code?
  /// The state of the store that a save has to rebase on.
  private(set) var base: DocumentBase?

  private var wasUnreadable: Bool { readError != nil && readError != .busy }

  mutating func refreshed(isSaveFailing: Bool) -> Bool {
    defer { self = SaveBlocker() }
    return wasUnreadable || isSaveFailing && base != nil
  }

  mutating func conflicted(with found: DocumentBase, isSaveFailing: Bool) -> Bool {
    defer { self = SaveBlocker(base: found) }
    return !isSaveFailing || wasUnreadable || found != base
  }

  mutating func readFailed(_ code: ArtError.Code) -> Bool {
    if code == .busy {
      readError = readError ?? .busy
      return false
    }
    defer { readError = code }
    return !wasUnreadable
  }
}

extension SaveBlocker {
  private init(base: DocumentBase) { self.base = base }
}

extension ArtError {
  static func closedDocument(_ name: String) -> ArtError {
    ArtError(.closed, "\(name) is closed; open it again to edit it", about: name)
  }

  static func groupedUndo() -> ArtError {
    ArtError(
      .badValue, "an undo, a redo or a return to a revision cannot be part of a group; ask for it by itself")
  }

  static func requestTooOld(_ tag: RequestTag) -> ArtError {
    ArtError(
      .movedOn,
      "whether the request \(tag) was done cannot be known any more: the history does not go back to when it was made; "
        + "look at the document and ask again under another tag")
  }

  /// A read-only document, and why it is read-only.
  public static func readOnlyDocument(_ name: String, _ reason: String) -> ArtError {
    ArtError(.notPermitted, "\(name) cannot be edited: \(reason)", about: name)
  }
}
