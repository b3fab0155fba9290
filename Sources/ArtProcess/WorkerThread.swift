// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread that a worker has for itself, because all that it does is wait.
enum WorkerThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs that on a thread that takes no signals and that nobody waits for. Gives 0 or the error number.
  static func run(_ body: @escaping @Sendable () -> Void) -> Int32 {
    // The thread inherits the mask. What a fault in it raises is left alone, for the crash report.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] { sigdelset(&all, fault) }
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let kept = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, kept.toOpaque())
    guard error == 0 else {
      kept.release()
      return error
    }
    pthread_detach(thread)
    return 0
  }
}
