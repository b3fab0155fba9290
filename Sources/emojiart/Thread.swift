// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtWorkspace

extension Outcome {
  /// Starts the work on its own thread. The caller handles signals and must not block when Dispatch has no free
  /// thread. Throws `inputOutput` when no thread can be started.
  static func onThread(_ work: @escaping @Sendable () async -> Value) throws(ArtError) -> Outcome<Value> {
    try checkThreads()
    let outcome = Outcome()
    do throws(SystemError) {
      try Threads.begin { outcome.begin(work, done: {}) }
    } catch {
      throw .noThread(error)
    }
    return outcome
  }
}

/// The threads that a command needs at once, at most: those of Swift's concurrency, of Dispatch and of one helper
/// process. A helper process reports its own lack of threads.
private let threadsAtOnce = 8

/// Starts as many threads as a command may need at once, and ends them. Dispatch would block for ever when it cannot
/// start a thread. Throws `inputOutput`.
func checkThreads() throws(ArtError) {
  do throws(SystemError) { try Threads.check(threadsAtOnce) } catch { throw .noThread(error) }
}

extension ArtError {
  /// The error for a thread that cannot be started.
  static func noThread(_ error: SystemError) -> ArtError {
    ArtError(.inputOutput, "cannot begin a thread: \(error.text); raise `ulimit -u`")
  }
}
