// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Threads of this process for blocking work.
public enum Threads {
  /// The signal mask of a new thread.
  public enum Signals: Sendable {
    /// That of the thread that starts it.
    case inherited
    /// All signals are blocked except those of a fault, which must reach the crash handler.
    case none
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs a closure on a detached thread. Throws where no thread can be started; the closure has not run then.
  public static func begin(
    signals: Signals = .inherited, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    let kept = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let number = create(&thread, signals, kept.toOpaque()) { argument in
      if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
      return nil
    }
    guard number == 0 else {
      kept.release()
      throw SystemError("pthread_create", number: number)
    }
    pthread_detach(thread)
  }

  /// Starts that many threads at once and ends them again. Dispatch waits for ever where a thread cannot be
  /// started, so a program calls this before it relies on Dispatch. Throws where a thread could not be started.
  public static func check(_ count: Int) throws(SystemError) {
    let gate = Gate()
    var threads: [pthread_t] = []
    var failure: SystemError?
    for _ in 0..<count where failure == nil {
      var thread = pthread_t()
      let number = create(&thread, .inherited, Unmanaged.passUnretained(gate).toOpaque()) { gate in
        // The C library reserves address space at a thread's first allocation, and keeps it for the next
        // thread.
        free(malloc(1))
        if let gate { Unmanaged<Gate>.fromOpaque(gate).takeUnretainedValue().wait() }
        return nil
      }
      if number == 0 {
        threads.append(thread)
      } else {
        failure = SystemError("pthread_create", number: number)
      }
    }
    gate.open()
    for thread in threads { pthread_join(thread, nil) }
    if let failure { throw failure }
  }

  private static func create(
    _ thread: inout pthread_t, _ signals: Signals, _ argument: UnsafeMutableRawPointer,
    _ start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
  ) -> Int32 {
    guard signals == .none else { return pthread_create(&thread, nil, start, argument) }
    // A thread inherits the mask of the thread that starts it.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] { sigdelset(&all, fault) }
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return pthread_create(&thread, nil, start, argument)
  }

  /// Blocks threads until it is opened.
  private final class Gate: Sendable {
    private let isOpen = DispatchSemaphore(value: 0)

    /// Waits, and releases the next waiter.
    func wait() {
      isOpen.wait()
      isOpen.signal()
    }

    func open() { isOpen.signal() }
  }
}

// MARK: - Wakeup

/// Wakes a thread that waits in poll(2). Several wakeups before it runs count as one. The pipe lives as long as
/// the program.
public struct WakeupPipe: Sendable {
  /// Readable after a wakeup.
  public let readEnd: Int32
  private let writeEnd: Int32

  /// Creates the pipe. Throws the error of pipe(2).
  public init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError("pipe") }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  /// Wakes the thread; any thread may call it. A full pipe is readable already, so a failed write is harmless.
  public func wake() { _ = write(writeEnd, [1], 1) }

  /// Resets the pipe, so that it is readable only after the next `wake`.
  public func clear() {
    var bytes = [UInt8](repeating: 0, count: 256)
    while read(readEnd, &bytes, bytes.count) > 0 {}
  }
}
