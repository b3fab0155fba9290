// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// A serial queue of its own for an actor that waits for files: Dispatch gives it another thread when all others wait,
/// which the threads of Swift's concurrency must not do.
package final class ThreadExecutor: SerialExecutor {
  private let queue: DispatchQueue

  /// A queue that debuggers show by that name.
  package init(_ label: String) { queue = DispatchQueue(label: label) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
