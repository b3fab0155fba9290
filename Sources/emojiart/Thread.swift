// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

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
