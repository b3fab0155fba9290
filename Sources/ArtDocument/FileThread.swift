// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Dispatch

/// A thread of its own for work on one file: it may wait for seconds for a lock, and must not keep the threads of
/// Swift's concurrency waiting.
struct FileThread: Sendable {
  private let queue = DispatchQueue(label: "emojiart.file")

  func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws(ArtError) -> Value
  ) async throws(ArtError) -> Value {
    let result = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Result<Value, ArtError>(catching: work)) }
    }
    return try result.get()
  }
}

/// Time as the document's machines see it: durations since it was made.
struct Timeline: Sendable {
  let now: @Sendable () -> Duration
  let sleep: @Sendable (_ until: Duration) async throws -> Void

  init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }
}
