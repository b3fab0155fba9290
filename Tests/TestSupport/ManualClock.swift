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

  private typealias Watcher = CheckedContinuation<Void, Never>

  private struct State {
    var now = Instant()
    var sleepers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var cancelled: Set<Int> = []
    var next = 0
    var watchers: [(count: Int, continuation: Watcher)] = []

    /// Removes and returns the watchers whose number of sleepers is reached.
    mutating func readyWatchers() -> [Watcher] {
      let asleep = sleepers.count
      defer { watchers.removeAll { $0.count <= asleep } }
      return watchers.filter { $0.count <= asleep }.map(\.continuation)
    }
  }

  private let state = Mutex(State())

  package init() {}

  package var now: Instant { state.withLock(\.now) }
  package var minimumResolution: Duration { .nanoseconds(1) }

  // No continuation is resumed under the lock: resuming takes the lock of its task, under which a cancellation handler waits for this one.

  package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let (end, watchers) = state.withLock { state -> (Result<Void, any Error>?, [Watcher]) in
          if state.cancelled.contains(number) { return (.failure(CancellationError()), []) }
          if deadline <= state.now { return (.success(()), []) }
          state.sleepers[number] = (deadline, continuation)
          return (nil, state.readyWatchers())
        }
        if let end { continuation.resume(with: end) }
        for watcher in watchers { watcher.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.cancelled.insert(number)
        return state.sleepers.removeValue(forKey: number)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Moves the time and wakes the sleepers whose deadline has come.
  package func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.sorted { $0.key < $1.key }.map(\.value.continuation)
    }
    for sleeper in woken { sleeper.resume() }
  }

  /// The number of tasks that sleep now.
  package var asleep: Int { state.withLock(\.sleepers.count) }

  /// Waits until at least this number of tasks sleep.
  package func sleepers(_ count: Int) async throws {
    if asleep >= count { return }
    try await result(for: "\(count) sleeping tasks") {
      await withCheckedContinuation { continuation in
        let watchers = self.state.withLock { state in
          state.watchers.append((count, continuation))
          return state.readyWatchers()
        }
        for watcher in watchers { watcher.resume() }
      }
    }
  }
}
