// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// A thread of its own for an actor that waits for files: it must not keep the threads of Swift's concurrency waiting.
package final class ThreadExecutor: SerialExecutor {
  private let queue: DispatchQueue

  /// A thread that debuggers show by that name.
  package init(_ label: String) { queue = DispatchQueue(label: label) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
