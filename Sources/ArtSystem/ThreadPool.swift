// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization

/// Runs blocking work on threads that may block: those of Swift's concurrency must not.
package protocol BlockingQueue: Sendable {
  /// Runs work later, on another thread.
  func run(_ work: @escaping @Sendable () -> Void)
}

extension BlockingQueue {
  /// Runs work on another thread and returns its value. Throws what it throws.
  package func value<Value: Sendable, Failure: Error>(
    of work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await withCheckedContinuation { continuation in
      run { continuation.resume(returning: Result<Value, Failure>(catching: work)) }
    }.get()
  }
}

/// The threads of all blocking work. One begins where work waits and none is idle; it ends after some seconds without work, the last one never.
/// Where no thread can be begun, work waits for those that there are. Dispatch's queues would wait for a new thread instead, for ever, on the
/// thread that gave them the work.
///
/// Invariant: while work waits, a thread is at work, has been woken, or is being begun.
package final class ThreadPool: BlockingQueue {
  /// The pool of this process.
  package static let shared = ThreadPool()

  /// Begins a thread. Throws where that is not possible.
  package typealias Begin = @Sendable (@escaping @Sendable () -> Void) throws(SystemError) -> Void

  private struct State {
    /// What no thread has taken yet, the oldest first.
    var work: [@Sendable () -> Void] = []
    /// All threads, those that are being begun included.
    var threads = 0
    /// The threads that wait, without those that have been woken.
    var idle = 0
  }

  private let state = Mutex(State())
  private let wakeup = DispatchSemaphore(value: 0)
  private let idleTime: DispatchTimeInterval
  private let begin: Begin

  /// Creates a pool without threads. `idleTime` is how long a thread waits for work before it ends.
  package init(
    idleTime: DispatchTimeInterval = .seconds(5),
    begin: @escaping Begin = { body throws(SystemError) in try Threads.begin(signals: .none, body) }
  ) {
    self.idleTime = idleTime
    self.begin = begin
  }

  /// The number of threads.
  package var threads: Int { state.withLock(\.threads) }

  /// Begins the first thread: from then on, work never waits for a thread that cannot be begun. Throws where it cannot be begun.
  package func prepare() throws(SystemError) {
    let isFirst = state.withLock { state in
      guard state.threads == 0 else { return false }
      state.threads = 1
      return true
    }
    guard isFirst else { return }
    do throws(SystemError) {
      try begin(work)
    } catch {
      state.withLock { $0.threads -= 1 }
      throw error
    }
  }

  package func run(_ work: @escaping @Sendable () -> Void) {
    let wakes = state.withLock { state in
      state.work.append(work)
      let wakes = state.idle > 0
      if wakes { state.idle -= 1 } else { state.threads += 1 }
      return wakes
    }
    if wakes { wakeup.signal() } else { beginThread() }
  }

  /// Begins a thread, which is counted already. If that fails, the others do its work; only without any other it tries again.
  private func beginThread() {
    while (try? begin(work)) == nil {
      let hasOthers = state.withLock { state in
        guard state.threads > 1 else { return false }
        state.threads -= 1
        return true
      }
      if hasOthers { return }
      usleep(100_000)
    }
  }

  /// The life of a thread.
  private func work() {
    repeat {
      while let next = nextWork() { next() }
    } while isWoken()
  }

  /// The oldest work; without any, the thread is idle.
  private func nextWork() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard !state.work.isEmpty else {
        state.idle += 1
        return nil
      }
      return state.work.removeFirst()
    }
  }

  /// Waits for work. False when the thread is to end.
  private func isWoken() -> Bool {
    while wakeup.wait(timeout: .now() + idleTime) == .timedOut {
      let ends = state.withLock { state in
        // Without idle threads, this one has just been woken.
        guard state.idle > 0, state.threads > 1 else { return false }
        state.idle -= 1
        state.threads -= 1
        return true
      }
      if ends { return false }
    }
    return true
  }
}

/// Runs blocking work one after the other, in the order in which it was given.
package final class SerialQueue: BlockingQueue {
  private struct State {
    var work: [@Sendable () -> Void] = []
    /// Whether a thread does the work.
    var isRunning = false
  }

  private let state = Mutex(State())

  package init() {}

  package func run(_ work: @escaping @Sendable () -> Void) {
    let isFirst = state.withLock { state in
      state.work.append(work)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if isFirst { ThreadPool.shared.run(runAll) }
  }

  private func runAll() {
    while true {
      let all = state.withLock { state in
        defer { state.work.removeAll() }
        state.isRunning = !state.work.isEmpty
        return state.work
      }
      if all.isEmpty { return }
      for work in all { work() }
    }
  }
}

/// The executor of an actor that does blocking file I/O.
package final class ThreadExecutor: SerialExecutor {
  private let queue = SerialQueue()

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.run { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
