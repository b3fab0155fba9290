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

/// The threads of all blocking work. One begins where work waits and none is idle, up to a limit; it ends where it finds no work and another one
/// is idle already, so that no timer runs. Where no thread can be begun, work waits until one of those that there are is free; Dispatch's queues would wait for a new
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
    /// What wakes the thread that waits for work and has not been woken.
    var idle: DispatchSemaphore?
  }

  private let state = Mutex(State())
  private let limit: Int
  private let begin: Begin

  /// Creates a pool without threads, with a limit of their number.
  package init(
    limit: Int = 64,
    begin: @escaping Begin = { body throws(SystemError) in try Threads.begin(signals: .none, body) }
  ) {
    self.limit = limit
    self.begin = begin
  }

  /// The number of threads.
  package var threads: Int { state.withLock(\.threads) }

  /// Whether one waits for work.
  package var isIdle: Bool { state.withLock { $0.idle != nil } }

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
      if let idle = state.idle.take() { return (idle, false) }
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
    while true {
      switch next(wakeup) {
      case .work(let work): work()
      case .wait: wakeup.wait()
      case .end: return
      }
    }
  }

  /// What a thread does next.
  private enum Next {
    case work(@Sendable () -> Void)
    /// It is idle until it is woken.
    case wait
    case end
  }

  private func next(_ wakeup: DispatchSemaphore) -> Next {
    state.withLock { state in
      if !state.work.isEmpty { return .work(state.work.removeFirst()) }
      guard state.idle == nil else {
        state.threads -= 1
        return .end
      }
      state.idle = wakeup
      return .wait
    }
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
