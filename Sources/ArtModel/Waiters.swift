// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Tasks that wait for a common release. A cancelled task returns at once.
///
/// A release between a task's decision to wait and the start of its waiting is not missed:
///
///     let ticket = waiters.ticket        // together with the look at what it waits for
///     await waiters.wait(ticket)         // returns at once if they were released since
package final class Waiters: Sendable {
  /// A point in time between two releases.
  package struct Ticket: Sendable { fileprivate let release: Int }

  private struct State {
    var releases = 0
    var next = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// The current point in time.
  package var ticket: Ticket { Ticket(release: state.withLock(\.releases)) }

  /// The number of waiting tasks.
  package var count: Int { state.withLock(\.waiting.count) }

  /// Returns at the first release after the ticket's time, or when the task is cancelled.
  package func wait(_ ticket: Ticket) async {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          // From here on, a cancellation finds the continuation.
          if state.releases != ticket.release || Task.isCancelled { return true }
          state.waiting[number] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
  }

  /// Resumes all waiting tasks.
  package func release() {
    let all = state.withLock { state in
      state.releases += 1
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for waiter in all { waiter.resume() }
  }
}
