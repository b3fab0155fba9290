// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Synchronization

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
