// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Dispatch
import Glibc
import Synchronization

/// Keeps this process from holding a lock while it is stopped: every other program would wait for the lock until this one
/// is continued. Each opening of a file that may lock it is inside the gate; the process is stopped only while the gate is
/// closed and no thread is inside.
///
///               enter, leave                           close: threads outside wait, threads inside go on
///       ┌──── open, n inside ────────────────────────────────▶ closed, n inside
///       │        ▲                                                   │ the last thread leaves
///       │        └─── open: the waiting threads enter ◀──────── closed, nobody inside: the process may be stopped
///       └─ leave, enter
///
/// A thread that is inside may enter again: an edit that restores a journal first opens more than one connection.
public final class FileGate: Sendable {
  /// The gate of this process. Every connection to a file, and every file that is read by hand, goes through it.
  public static let shared = FileGate()

  private struct State {
    var isClosed = false
    /// How many openings each thread has, and whether a signal is unblocked when it has none any more.
    var inside: [pthread_t: (count: Int, unblocks: Bool)] = [:]
    var waiting: [DispatchSemaphore] = []
    var delayed: Int32?
  }

  private let state = Mutex(State())
  private let idle = Waiters()

  /// An open gate.
  init() {}

  /// Threads that wait to enter.
  package var waitingThreads: Int { state.withLock(\.waiting.count) }
  /// Tasks that wait until no thread is inside.
  var waitingTasks: Int { idle.count }

  /// From here on that signal waits while the thread that would take it is inside. For a program with one thread that takes
  /// signals: Ctrl-Z then stops it when the file is closed.
  public func delay(_ signal: Int32) { state.withLock { $0.delayed = signal } }

  /// Lets no thread enter from here on. Threads that are inside go on: see `waitUntilIdle`.
  public func close() { state.withLock { $0.isClosed = true } }

  /// Returns when no thread is inside, the gate is open again, or the task is cancelled.
  public func waitUntilIdle() async {
    while !Task.isCancelled {
      let ticket = idle.ticket
      guard state.withLock({ $0.isClosed && !$0.inside.isEmpty }) else { return }
      await idle.wait(ticket)
    }
  }

  /// Lets the threads enter that wait, and all others.
  public func open() {
    let waiting = state.withLock { state in
      state.isClosed = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for thread in waiting { thread.signal() }
    idle.release()
  }

  /// An opening of a file, from its beginning to its end. The thread that makes it waits while the gate is closed.
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
    let (isIdle, unblocked) = state.withLock { state -> (Bool, Int32?) in
      guard let inside = state.inside[thread] else { return (false, nil) }
      guard inside.count == 1 else {
        state.inside[thread] = (inside.count - 1, inside.unblocks)
        return (false, nil)
      }
      state.inside[thread] = nil
      return (state.inside.isEmpty, inside.unblocks ? state.delayed : nil)
    }
    if isIdle { idle.release() }
    // A connection is used and closed by one thread; the mask of another one is not touched.
    if let unblocked, thread == pthread_self() { Self.unblock(unblocked) }
  }

  /// Blocks a signal in this thread; false where it was blocked already.
  private static func block(_ signal: Int32) -> Bool {
    var (set, before) = (sigset_t(), sigset_t())
    sigemptyset(&set)
    sigaddset(&set, signal)
    guard pthread_sigmask(SIG_BLOCK, &set, &before) == 0 else { return false }
    return sigismember(&before, signal) == 0
  }

  /// A signal that has come meanwhile is obeyed here.
  private static func unblock(_ signal: Int32) {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, signal)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }
}
