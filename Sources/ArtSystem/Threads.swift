// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Threads of this process's own, for what only waits.
public enum Threads {
  /// Which signals a new thread takes.
  public enum Signals: Sendable {
    /// Those of the thread that begins it.
    case inherited
    /// None but those that a fault in it raises, which are left alone for the crash report.
    case none
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs a body on a thread that nothing joins. Throws where none can be begun; then the body has not run.
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

  /// Begins that many threads at once and ends them again. Dispatch waits for ever where a thread cannot be begun: whoever relies on
  /// it asks here first. Throws where one could not be begun.
  public static func check(_ count: Int) throws(SystemError) {
    let gate = Gate()
    var threads: [pthread_t] = []
    var failure: SystemError?
    for _ in 0..<count where failure == nil {
      var thread = pthread_t()
      let number = create(&thread, .inherited, Unmanaged.passUnretained(gate).toOpaque()) { gate in
        // The C library reserves address space for a thread when it first allocates, and keeps it for the next one.
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
    // A thread inherits the mask of the one that begins it.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] { sigdelset(&all, fault) }
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return pthread_create(&thread, nil, start, argument)
  }

  /// What threads wait at until it is opened.
  private final class Gate: Sendable {
    private let isOpen = DispatchSemaphore(value: 0)

    /// Waits, and lets the next one through.
    func wait() {
      isOpen.wait()
      isOpen.signal()
    }

    func open() { isOpen.signal() }
  }
}

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

/// Wakes a thread that waits in poll(2), however often it is woken before it looks. For one that lives as long as the program.
public struct WakeupPipe: Sendable {
  /// Readable when it was woken.
  public let readEnd: Int32
  private let writeEnd: Int32

  /// Makes one. Throws what pipe(2) says.
  public init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError("pipe") }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  /// May be called by any thread. A full pipe wakes as well as it can.
  public func wake() { _ = write(writeEnd, [1], 1) }

  /// Has it wait for the next `wake`.
  public func clear() {
    var bytes = [UInt8](repeating: 0, count: 256)
    while read(readEnd, &bytes, bytes.count) > 0 {}
  }
}
