// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Events that wait for one listener. When more come than it holds, all are dropped and one `resync` takes their
/// place: a listener is behind, or up to date, but never wrong.
final class Mailbox: Sendable {
  private struct Contents {
    var events: [DocumentEvent] = []
    var waiter: CheckedContinuation<DocumentEvent?, Never>?
    var isOver = false
  }

  private let contents = Mutex(Contents())
  private let capacity: Int

  init(capacity: Int) { self.capacity = max(1, capacity) }

  func put(_ event: DocumentEvent) {
    let waiter = contents.withLock { contents -> CheckedContinuation<DocumentEvent?, Never>? in
      guard !contents.isOver else { return nil }
      if let waiter = contents.waiter {
        contents.waiter = nil
        return waiter
      }
      if contents.events.count < capacity {
        contents.events.append(event)
      } else {
        contents.events = [.resync]
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
  func take() async -> DocumentEvent? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = contents.withLock { contents -> DocumentEvent?? in
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
