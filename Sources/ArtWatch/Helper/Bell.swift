// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Wakes one who waits. Rung while nobody waits, it wakes the next one at once.
final class Bell: Sendable {
  private struct State {
    var isRung = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Whether somebody waits.
  var isAwaited: Bool { state.withLock { $0.waiter != nil } }

  func ring() {
    let waiter = state.withLock { state in
      state.isRung = state.waiter == nil
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Waits for it. Whoever waited before goes on.
  func wait() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let free = state.withLock { state -> CheckedContinuation<Void, Never>? in
        if state.isRung {
          state.isRung = false
          return continuation
        }
        defer { state.waiter = continuation }
        return state.waiter
      }
      free?.resume()
    }
  }
}
