// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Dispatch
import Glibc
import Synchronization

/// Keeps this process from being stopped (Ctrl-Z) while it has a lock: every other program would wait for it. Each use of a
/// file that may lock it is inside the gate; the process is stopped only while the gate is closed and no thread is inside.
///
///               enter, leave                           close: threads outside wait, threads inside go on
///       ┌──── open, n inside ────────────────────────────────▶ closed, n inside
///       │        ▲                                                   │ the last thread leaves
///       │        └─── open: the waiting threads enter ◀──────── closed, none inside: the process may be stopped
///       └─ leave, enter
///
/// A thread inside may enter again: an edit that restores a journal first opens several connections.
///
/// | program | who stops it on Ctrl-Z |
/// |---|---|
/// | has one thread | the system; the signal is blocked while that thread is inside (`delay`) |
/// | has several threads | a thread of the gate (`followStops`), or one that saves first, and then calls `stopProcess` |
public final class FileGate: Sendable {
  /// The gate of this process. Every connection to a file, and every plain file access that locks, goes
  /// through it.
  public static let shared = FileGate()

  private struct State {
    var isClosed = false
    /// The number of passes of each thread, and whether its signal is unblocked when it has none left.
    var inside: [pthread_t: (count: Int, unblocks: Bool)] = [:]
    var waiting: [DispatchSemaphore] = []
    /// Signalled when the last thread leaves.
    var emptied: [DispatchSemaphore] = []
    var delayed: Int32?
  }

  private let state = Mutex(State())
  private let idle = Waiters()

  /// An open gate.
  init() {}

  /// Whether it is closed.
  var isClosed: Bool { state.withLock(\.isClosed) }
  /// The number of threads that wait to enter.
  package var waitingThreads: Int { state.withLock(\.waiting.count) }
  /// The number of tasks that wait until no thread is inside.
  var waitingTasks: Int { idle.count }

  /// Delays a signal while the thread that would receive it is inside. For a program with one thread: another one would receive the signal.
  /// Unblocks it: whoever started the program may have it blocked.
  public func delay(_ signal: Int32) {
    state.withLock { $0.delayed = signal }
    Self.unblock(signal)
  }

  /// Closes the gate: no thread enters. Threads inside go on: see `waitUntilIdle`.
  public func close() { state.withLock { $0.isClosed = true } }

  /// Returns when no thread is inside, the gate is open again, or the task is cancelled.
  public func waitUntilIdle() async {
    while !Task.isCancelled {
      let ticket = idle.ticket
      guard state.withLock({ $0.isClosed && !$0.inside.isEmpty }) else { return }
      await idle.wait(ticket)
    }
  }

  /// Opens the gate, and wakes the threads that wait to enter.
  public func open() {
    let waiting = state.withLock { state in
      state.isClosed = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for thread in waiting { thread.signal() }
    idle.release()
  }

  /// Closes the gate, and returns when no thread is inside. After the timeout it opens the gate again, and returns false. Blocks the thread,
  /// which must not be inside.
  func closeWhenEmpty(_ timeout: DispatchTimeInterval) -> Bool {
    let emptied = DispatchSemaphore(value: 0)
    let isEmpty = state.withLock { state in
      state.isClosed = true
      if !state.inside.isEmpty { state.emptied.append(emptied) }
      return state.inside.isEmpty
    }
    if isEmpty || emptied.wait(timeout: .now() + timeout) == .success { return true }
    // Who waits for a file that does not answer must not keep the others out for ever.
    open()
    return false
  }

  /// The use of a file, from opening to closing. `init` blocks while the gate is closed.
  final class Pass {
    private let gate: FileGate
    private let thread = pthread_self()

    init(_ gate: FileGate = .shared) {
      self.gate = gate
      gate.enter(thread)
    }

    deinit { gate.leave(thread) }
  }

  private func enter(_ thread: pthread_t) {
    while true {
      let semaphore = state.withLock { state -> DispatchSemaphore? in
        if let inside = state.inside[thread] {
          state.inside[thread] = (inside.count + 1, inside.unblocks)
          return nil
        }
        guard state.isClosed else {
          state.inside[thread] = (1, state.delayed.map(Self.block) ?? false)
          return nil
        }
        let semaphore = DispatchSemaphore(value: 0)
        state.waiting.append(semaphore)
        return semaphore
      }
      guard let semaphore else { return }
      semaphore.wait()
    }
  }

  private func leave(_ thread: pthread_t) {
    let (isIdle, emptied, unblocked) = state.withLock { state -> (Bool, [DispatchSemaphore], Int32?) in
      guard let inside = state.inside[thread] else { return (false, [], nil) }
      guard inside.count == 1 else {
        state.inside[thread] = (inside.count - 1, inside.unblocks)
        return (false, [], nil)
      }
      state.inside[thread] = nil
      let isIdle = state.inside.isEmpty
      defer { if isIdle { state.emptied = [] } }
      return (isIdle, isIdle ? state.emptied : [], inside.unblocks ? state.delayed : nil)
    }
    for thread in emptied { thread.signal() }
    if isIdle { idle.release() }
    // A connection is used and closed by one thread. The signal mask of another thread is not changed.
    if let unblocked, thread == pthread_self() { Self.unblock(unblocked) }
  }

  /// Blocks a signal in this thread; false if it was blocked already.
  private static func block(_ signal: Int32) -> Bool {
    var (set, before) = (sigset_t(), sigset_t())
    sigemptyset(&set)
    sigaddset(&set, signal)
    guard pthread_sigmask(SIG_BLOCK, &set, &before) == 0 else { return false }
    return sigismember(&before, signal) == 0
  }

  /// Unblocks a signal in this thread. If it is pending, it is delivered here.
  private static func unblock(_ signal: Int32) {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, signal)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }
}

// MARK: - Stopping the process

extension FileGate {
  /// The signals that stop a program with several threads. A terminal that is set to stop background programs that write
  /// (`stty tostop`) lets one write that blocks SIGTTOU.
  private static let stops = [SIGTSTP, SIGTTOU]
  /// How long a stop waits for threads that are inside.
  public static let timeout = DispatchTimeInterval.seconds(10)

  /// Has a thread stop this process when SIGTSTP comes and no thread is inside, unless SIGCONT comes before that. Call it before there is another
  /// thread: the signals are blocked in this one and in all that begin after it. `report` is called when the process was not stopped. Throws where no thread can be started.
  public func followStops(report: @escaping @Sendable () -> Void) throws(SystemError) {
    try SignalSource(Self.stops + [SIGCONT]).follow { number in
      if number != SIGCONT, !self.stopProcess(by: number) { report() }
    }
  }

  /// Stops this process by a signal that is blocked in this thread, as Ctrl-Z does, and returns when it is continued. No thread is inside then,
  /// and this one must not be. If threads are still inside after the timeout, the process is not stopped: false.
  @discardableResult
  public func stopProcess(by number: Int32 = SIGTSTP, timeout: DispatchTimeInterval = timeout) -> Bool {
    guard closeWhenEmpty(timeout) else { return false }
    signal(number, SIG_DFL)
    SignalSource.stop(by: number)
    open()
    return true
  }
}
