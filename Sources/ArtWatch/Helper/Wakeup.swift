// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Wakes a task that waits. A wakeup while no task waits lets the next one go on at once.
final class Wakeup: Sendable {
  private struct State {
    var isPending = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Whether a task waits.
  var isAwaited: Bool { state.withLock { $0.waiter != nil } }

  func wake() {
    let waiter = state.withLock { state in
      state.isPending = state.waiter == nil
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Waits for the next wakeup. A task that waited before goes on.
  func wait() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let free = state.withLock { state -> CheckedContinuation<Void, Never>? in
        if state.isPending {
          state.isPending = false
          return continuation
        }
        defer { state.waiter = continuation }
        return state.waiter
      }
      free?.resume()
    }
  }
}
