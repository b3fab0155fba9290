// SPDX-License-Identifier: Apache-2.0

import ArtModel

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
