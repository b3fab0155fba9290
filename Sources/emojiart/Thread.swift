// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace
import Dispatch
import Glibc

/// Begins a thread, whose signals are those of this one. Throws `inputOutput`.
func beginThread(_ body: @escaping @Sendable () -> Void) throws(ArtError) {
  final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  var thread = pthread_t()
  let held = Unmanaged.passRetained(Body(body))
  let number = pthread_create(
    &thread, nil,
    { held in
      if let held { Unmanaged<Body>.fromOpaque(held).takeRetainedValue().run() }
      return nil
    }, held.toOpaque())
  guard number != 0 else { return }
  held.release()
  throw .noThread(number)
}

extension Outcome {
  /// Begins the work on a thread of its own, so that the caller, who takes signals, does not wait where Dispatch has no thread for
  /// it. Throws `inputOutput` where threads cannot be begun.
  static func onThread(_ work: @escaping @Sendable () async -> Value) throws(ArtError) -> Outcome<Value> {
    try checkThreads()
    let outcome = Outcome()
    try beginThread { outcome.begin(work, done: {}) }
    return outcome
  }
}

/// Threads that a command has at once, at most, where it waits for others: those of Swift's concurrency, of Dispatch and of a helper
/// program. A helper that lacks one of its own says so itself.
private let threadsAtOnce = 8

/// Begins as many threads as a command may need at once, and ends them, before it relies on Dispatch, which waits for ever where one
/// cannot be begun. Throws `inputOutput`.
func checkThreads() throws(ArtError) {
  let gate = Gate()
  var threads: [pthread_t] = []
  var failure: ArtError?
  for _ in 0..<threadsAtOnce where failure == nil {
    var thread = pthread_t()
    let number = pthread_create(
      &thread, nil,
      { gate in
        // The C library reserves address space for a thread when it first allocates, and keeps it for the next one.
        free(malloc(1))
        if let gate { Unmanaged<Gate>.fromOpaque(gate).takeUnretainedValue().wait() }
        return nil
      }, Unmanaged.passUnretained(gate).toOpaque())
    if number == 0 { threads.append(thread) } else { failure = .noThread(number) }
  }
  gate.open()
  for thread in threads { pthread_join(thread, nil) }
  if let failure { throw failure }
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

extension ArtError {
  fileprivate static func noThread(_ number: Int32) -> ArtError {
    ArtError(.inputOutput, "cannot begin a thread: \(String(cString: strerror(number))); raise `ulimit -u`")
  }
}
