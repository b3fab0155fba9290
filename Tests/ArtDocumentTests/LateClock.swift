// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport

/// A clock whose sleepers wake when the test says so, and ignore cancellation, like a sleeper that was about to wake anyway.
final class LateClock: Clock, Sendable {
  typealias Instant = ManualClock.Instant

  private struct State {
    var sleepers: [CheckedContinuation<Void, Never>] = []
    var watchers: [CheckedContinuation<Void, Never>] = []
    var awake = 0
  }

  private let state = Mutex(State())
  let now = Instant()
  let minimumResolution = Duration.nanoseconds(1)

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        state.sleepers.append(continuation)
        for watcher in state.watchers { watcher.resume() }
        state.watchers = []
      }
    }
    state.withLock { $0.awake += 1 }
  }

  func waitUntilAsleep() async throws {
    try await result(for: "a sleeper") {
      await withCheckedContinuation { continuation in
        self.state.withLock { state in
          if state.sleepers.isEmpty { state.watchers.append(continuation) } else { continuation.resume() }
        }
      }
    }
  }

  func wake() {
    state.withLock { state in
      for sleeper in state.sleepers { sleeper.resume() }
      state.sleepers = []
    }
  }

  func waitUntilAwake() async throws {
    try await until("a sleeper to wake") { state.withLock({ $0.awake != 0 }) }
  }
}
