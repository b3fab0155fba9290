// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtWorkspace
import Glibc

extension Outcome {
  /// Starts the work on its own thread. The caller handles signals and must not block when Dispatch has no free
  /// thread. Throws `inputOutput` when no thread can be started.
  static func onThread(_ work: @escaping @Sendable () async -> Value) throws(ArtError) -> Outcome<Value> {
    try prepareThreads()
    let outcome = Outcome()
    do throws(SystemError) {
      try Threads.begin { outcome.begin(work, done: {}) }
    } catch {
      throw .noThread(error)
    }
    return outcome
  }
}

/// Prepares a command for threads: those that it needs at once, at most. Eight are that of the work, Dispatch's own, one of Swift's, two of
/// `ThreadPool`, and two and the process of one helper. A helper process reports its own lack of threads. Call it before the first other thread. A
/// command that stops itself on Ctrl-Z has SIGTSTP blocked before. Throws `inputOutput`.
func prepareThreads(_ count: Int = 8) throws(ArtError) {
  let isStopped = !SignalSource.isBlocked(SIGTSTP)
  try ProgramStart.prepareThreads(count, isStopped: isStopped) { Output.printError($0) }
}
