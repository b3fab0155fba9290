// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtWorkspace

extension Outcome {
  /// Begins the work on a thread of its own, so that the caller, who takes signals, does not wait where Dispatch has no thread for
  /// it. Throws `inputOutput` where threads cannot be begun.
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

/// Threads that a command has at once, at most, where it waits for others: those of Swift's concurrency, of Dispatch and of a helper
/// program. A helper that lacks one of its own says so itself.
private let threadsAtOnce = 8

/// Begins as many threads as a command may need at once, and ends them, before it relies on Dispatch, which waits for ever where one
/// cannot be begun. Throws `inputOutput`.
func checkThreads() throws(ArtError) {
  do throws(SystemError) { try Threads.check(threadsAtOnce) } catch { throw .noThread(error) }
}

extension ArtError {
  /// A thread that cannot be begun.
  static func noThread(_ error: SystemError) -> ArtError {
    ArtError(.inputOutput, "cannot begin a thread: \(error.text); raise `ulimit -u`")
  }
}
