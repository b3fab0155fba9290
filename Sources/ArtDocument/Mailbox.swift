// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Events that wait for one listener. When more come than it holds, the overflow takes the place of them all, if there
/// is one: a listener is behind, or up to date, but never wrong. Otherwise the oldest goes.
final class Mailbox<Event: Sendable>: Sendable {
  private struct Contents {
    var events: [Event] = []
    var waiter: CheckedContinuation<Event?, Never>?
    var isOver = false
  }

  private let contents = Mutex(Contents())
  private let capacity: Int
  private let overflow: Event?

  init(capacity: Int, overflow: Event?) {
    self.capacity = max(1, capacity)
    self.overflow = overflow
  }

  func put(_ event: Event) {
    let waiter = contents.withLock { contents -> CheckedContinuation<Event?, Never>? in
      guard !contents.isOver else { return nil }
      if let waiter = contents.waiter {
        contents.waiter = nil
        return waiter
      }
      if contents.events.count < capacity {
        contents.events.append(event)
      } else if let overflow {
        contents.events = [overflow]
      } else {
        contents.events.removeFirst()
        contents.events.append(event)
      }
      return nil
    }
    waiter?.resume(returning: event)
  }

  func finish() {
    let waiter = contents.withLock { contents in
      contents.isOver = true
      defer { contents.waiter = nil }
      return contents.waiter
    }
    waiter?.resume(returning: nil)
  }

  /// Waits for the next event; nil at the end, when the task is cancelled, and for a second one that waits.
  func take() async -> Event? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = contents.withLock { contents -> Event?? in
          if !contents.events.isEmpty { return .some(contents.events.removeFirst()) }
          if contents.isOver || contents.waiter != nil || Task.isCancelled { return .some(nil) }
          contents.waiter = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      finish()
    }
  }
}
