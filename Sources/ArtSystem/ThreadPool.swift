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

/// The threads of all blocking work. One begins where work waits and none is idle, up to a limit; it ends after some seconds without work, the
/// last one never. Where no thread can be begun, work waits until one of those that there are is free; Dispatch's queues would wait for a new
/// thread instead, for ever, on the thread that gave them the work. So work must not wait for other work of the pool.
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
    /// The threads that have begun and not ended.
    var threads = 0
    /// Those that are being begun.
    var beginning = 0
    /// What wakes those that wait and have not been woken, the longest idle first.
    var idle: [DispatchSemaphore] = []
  }

  private let state = Mutex(State())
  private let limit: Int
  private let idleTime: DispatchTimeInterval
  private let begin: Begin

  /// Creates a pool without threads, with a limit of their number. `idleTime` is how long a thread waits for work before it ends.
  package init(
    limit: Int = 64, idleTime: DispatchTimeInterval = .seconds(5),
    begin: @escaping Begin = { body throws(SystemError) in try Threads.begin(signals: .none, body) }
  ) {
    self.limit = limit
    self.idleTime = idleTime
    self.begin = begin
  }

  /// The threads, and those of them that wait for work.
  package var count: (threads: Int, idle: Int) { state.withLock { ($0.threads, $0.idle.count) } }

  /// Begins the first thread. After that, `run` never waits for a thread. Call it before any work is given. Throws if the thread cannot be begun.
  package func prepare() throws(SystemError) {
    let isFirst = state.withLock { state in
      guard state.threads + state.beginning == 0 else { return false }
      state.beginning = 1
      return true
    }
    guard isFirst else { return }
    do throws(SystemError) {
      try begin(start)
    } catch {
      state.withLock { $0.beginning -= 1 }
      throw error
    }
  }

  /// Runs work later, on a thread of the pool. Returns at once where the pool has a thread; without any, one caller stays until one could be
  /// begun.
  package func run(_ work: @escaping @Sendable () -> Void) {
    let (idle, isNew) = state.withLock { state -> (DispatchSemaphore?, Bool) in
      state.work.append(work)
      // The one that has waited least: the others can end.
      if let idle = state.idle.popLast() { return (idle, false) }
      guard state.threads + state.beginning < limit else { return (nil, false) }
      state.beginning += 1
      return (nil, true)
    }
    idle?.signal()
    if isNew { beginThread() }
  }

  /// Begins a thread. If that fails, whatever the error is, the others do the work; only without any other it tries again.
  private func beginThread() {
    while (try? begin(start)) == nil {
      let isNeeded = state.withLock { state in
        let isNeeded = state.threads == 0 && state.beginning == 1 && !state.work.isEmpty
        if !isNeeded { state.beginning -= 1 }
        return isNeeded
      }
      guard isNeeded else { return }
      usleep(100_000)
    }
  }

  /// The life of a thread.
  private func start() {
    state.withLock { state in
      state.beginning -= 1
      state.threads += 1
    }
    // One of its own, so that no other thread takes its signal.
    let wakeup = DispatchSemaphore(value: 0)
    repeat {
      while let next = nextWork(wakeup) { next() }
    } while isWoken(wakeup)
  }

  /// The oldest work; without any, the thread is idle.
  private func nextWork(_ wakeup: DispatchSemaphore) -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard !state.work.isEmpty else {
        state.idle.append(wakeup)
        return nil
      }
      return state.work.removeFirst()
    }
  }

  /// Waits for work. False when the thread is to end.
  private func isWoken(_ wakeup: DispatchSemaphore) -> Bool {
    if wakeup.wait(timeout: .now() + idleTime) == .success { return true }
    let ends = state.withLock { state in
      guard state.threads > 1, let place = state.idle.firstIndex(where: { $0 === wakeup }) else {
        return false
      }
      state.idle.remove(at: place)
      state.threads -= 1
      return true
    }
    if ends { return false }
    // It is the last one, which is woken before another one begins, or its signal is on its way.
    wakeup.wait()
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
    while let next = nextWork() { next() }
  }

  /// The oldest work; none ends the run.
  private func nextWork() -> (@Sendable () -> Void)? {
    state.withLock { state in
      state.isRunning = !state.work.isEmpty
      return state.isRunning ? state.work.removeFirst() : nil
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
