// SPDX-License-Identifier: Apache-2.0

import ArtWorkspace
import Dispatch
import TestSupport
import Testing

@testable import emojiart

@Suite("Waiting") struct WaitingTests {
  @Test("A8 each thread that waits for a result receives it, and can receive it again")
  func outcome() async throws {
    let outcome = Outcome { 7 }
    let values = try await onThread {
      // These would never return if the first wait took the result away.
      (outcome.wait(), outcome.wait(), outcome.wait(atMost: .never), outcome.wait(atMost: .never))
    }
    #expect(values == (7, 7, 7, 7))
    async let first = onThread { outcome.wait() }
    async let second = onThread { outcome.wait() }
    #expect(try await (first, second) == (7, 7))
  }

  @Test("A8 threads that wait before there is a result all receive it")
  func manyWaiters() async throws {
    let mayEnd = DispatchSemaphore(value: 0)
    let outcome = Outcome {
      do { try await onThread { try mayEnd.wait(for: "threads that wait") } } catch { Issue.record(error) }
      return 7
    }
    async let values = (onThread { outcome.wait() }, onThread { outcome.wait(atMost: .never) })
    #expect(outcome.wait(atMost: .nanoseconds(1)) == nil)
    mayEnd.signal()
    #expect(try await values == (7, 7))
  }

  @Test("D21 a task that waits for capacity in the inbox of a watcher returns when it is cancelled")
  func inbox() async throws {
    let inbox = try WatchInbox(capacity: 1)
    let waiting = Task { await inbox.put(.removed("a"), from: 0) }
    try await until("a task that waits for capacity") { inbox.waitingTasks > 0 }
    waiting.cancel()
    await waiting.value
    #expect(inbox.drain().events.count == 1)
  }
}
