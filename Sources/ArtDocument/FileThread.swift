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
