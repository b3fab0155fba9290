// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A clock that stands still until a test moves it.
package final class ManualClock: Clock, Sendable {
  package struct Instant: InstantProtocol {
    package var offset: Duration = .zero

    package init(offset: Duration = .zero) { self.offset = offset }

    package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    package func duration(to other: Instant) -> Duration { other.offset - offset }
    package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant()
    var sleepers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var cancelled: Set<Int> = []
    var next = 0
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  package init() {}

  package var now: Instant { state.withLock(\.now) }
  package var minimumResolution: Duration { .nanoseconds(1) }

  package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        state.withLock { state in
          if state.cancelled.contains(number) { return continuation.resume(throwing: CancellationError()) }
          if deadline <= state.now { return continuation.resume() }
          state.sleepers[number] = (deadline, continuation)
          wake(&state)
        }
      }
    } onCancel: {
      state.withLock { state in
        state.cancelled.insert(number)
        state.sleepers.removeValue(forKey: number)?.continuation.resume(throwing: CancellationError())
      }
    }
  }

  /// Moves the time and wakes whoever has slept long enough.
  package func advance(by duration: Duration) {
    state.withLock { state in
      state.now = state.now.advanced(by: duration)
      for (number, sleeper) in state.sleepers where sleeper.deadline <= state.now {
        state.sleepers[number] = nil
        sleeper.continuation.resume()
      }
    }
  }

  /// Waits until that many sleep.
  package func sleepers(_ count: Int) async {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        state.watchers.append((count, continuation))
        wake(&state)
      }
    }
  }

  private func wake(_ state: inout State) {
    let asleep = state.sleepers.count
    for watcher in state.watchers where watcher.count <= asleep { watcher.continuation.resume() }
    state.watchers.removeAll { $0.count <= asleep }
  }
}
