// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Synchronization

/// Where a document is in its life.
public enum DocumentState: Sendable, Equatable {
  /// Not open: it was closed, or not opened yet.
  case closed
  /// Open, and no save is running.
  case open
  /// Open, and a save is running; edits go on.
  case saving
  /// The last save failed. The edits are kept and saved again and again, until one save succeeds.
  case error(ArtError)
  /// Open to be looked at; it cannot be edited, for that reason.
  case editingDisabled(String)
}

/// The life of a document, as a pure machine.
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
/// - A refresh that finds the file gone, or another document in its place, goes to `error` as a failed save does; the
///   next refresh that finds it, or the next save, ends it.
/// - `saving` and `error` are the states in which a save may be running; a save that tries again after an error
///   leaves the state at `error`, so that a trouble that lasts is told once.
/// - Every method returns the new state when there is one to tell, nil when nothing changed.
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

  /// A refresh, while nothing is unsaved, found the store as it should be, or not. The second ends what the first began.
  mutating func refreshFailed(_ error: ArtError) -> DocumentState? {
    if case .editingDisabled = state { return nil }
    return go(to: .error(error))
  }

  mutating func refreshSucceeded() -> DocumentState? {
    guard case .error = state else { return nil }
    return go(to: .open)
  }

  mutating func closed() -> DocumentState? { go(to: .closed) }

  private mutating func go(to new: DocumentState) -> DocumentState? {
    guard new != state else { return nil }
    state = new
    checkInvariants()
    return new
  }

  /// Stops a debug build when a promise of this type does not hold.
  private func checkInvariants() {
    switch state {
    case .saving: assert(isSaving, "saving is said only while a save runs")
    case .open, .closed, .editingDisabled: assert(!isSaving, "no save runs unnoticed")
    case .error: break
    }
  }
}

/// What becomes of a program, seen from outside; the names are those of UIKit's scenes.
public enum LifeCycleEvent: String, Sendable, CaseIterable {
  /// A person is at it.
  case active
  /// No person is at it any more, for now or for good.
  case inactive
  /// It may be stopped from here on: what is open saves itself, and with a gate no file is open until `foreground` or `terminate`.
  case background
  /// It goes on after it was stopped: what is open looks at its files again.
  case foreground
  /// It ends: what is open saves itself and closes.
  case terminate
}

/// The life of a program as its documents and anyone else hear of it. A program feeds it with what it knows: signals, a
/// window that is hidden, a connection that ends.
public final class LifeCycle: Sendable {
  private let broadcast = Broadcast<LifeCycleEvent>()
  private let gate: FileGate?
  private let isInBackground = Mutex(false)

  /// A life of which nothing has been heard. `gate` is closed from `background`, when the documents are saved, to `foreground` or
  /// `terminate`: `.shared` for a program that is stopped in between, nil for one that goes on.
  public init(closing gate: FileGate? = nil) { self.gate = gate }

  /// What happens from now on, for one listener of any number; one that is very slow misses the oldest.
  public func events() -> EventSequence<LifeCycleEvent> { broadcast.subscribe(capacity: 64) }

  /// Tells every listener, and has the documents do what it means, side by side; returns when they have. Throws the first error of a
  /// document that could not be saved.
  public func send(_ event: LifeCycleEvent, to documents: [Document]) async throws(ArtError) {
    broadcast.send(event)
    note(event)
    let turns = documents.map { document in
      Task { () -> ArtError? in
        do throws(ArtError) { try await document.follow(event) } catch { return error }
        return nil
      }
    }
    var first: ArtError?
    for turn in turns {
      let error = await turn.value
      first = first ?? error
    }
    if event == .background { await closeGate() }
    if let first { throw first }
  }

  private func note(_ event: LifeCycleEvent) {
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

  /// A turn that came while the documents were being saved leaves the gate open.
  private func closeGate() async {
    isInBackground.withLock { if $0 { gate?.close() } }
    await gate?.waitUntilIdle()
  }
}

extension Document {
  /// Does what a turn in the program's life means for a document. Throws what saving throws.
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

/// What is in the way of saves, as refreshes find it. Every method tells whether what was found is a reason to save at
/// once what is unsaved:
///
///     found                     a reason to save at once
///     known, or taken in        when something was in the way, and is gone
///     another state             when no save is held up, or when one is by something else
///     what cannot be read       the first time: the save tells why
///     busy                      never: whoever holds it has not written yet, and what was in the way may be still
///
/// A save that succeeds ends it.
struct SaveBlocker: Equatable {
  /// Why the store could not be read; nil when it could be, or was saved since.
  private(set) var readError: ArtError.Code?
  /// The state of the store that a save was to take in.
  private(set) var base: DocumentBase?

  private var wasUnreadable: Bool { readError != nil && readError != .busy }

  mutating func foundNothing(isHeldUp: Bool) -> Bool {
    defer { self = SaveBlocker() }
    return wasUnreadable || isHeldUp && base != nil
  }

  mutating func found(_ found: DocumentBase, isHeldUp: Bool) -> Bool {
    defer { self = SaveBlocker(base: found) }
    return !isHeldUp || wasUnreadable || found != base
  }

  mutating func failed(_ code: ArtError.Code) -> Bool {
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
    ArtError(.badValue, "an undo or a redo cannot be part of a group; ask for it by itself")
  }

  static func requestTooOld(_ tag: RequestTag) -> ArtError {
    ArtError(
      .movedOn,
      "whether the request \(tag) was done cannot be told any more: the history does not go back to when it was made; "
        + "look at the document and ask again under another tag")
  }

  /// A document that can only be looked at, and why.
  public static func readOnlyDocument(_ name: String, _ reason: String) -> ArtError {
    ArtError(.notPermitted, "\(name) can only be looked at: \(reason)", about: name)
  }
}
