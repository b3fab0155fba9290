// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a test waited for in vain. It is no bound on how long anything may take: a test that has waited so long hangs, and ends with
/// this.
package struct Hang: Error, CustomStringConvertible {
  package let what: String
  package init(_ what: String) { self.what = what }
  package var description: String { "waited in vain for \(what)" }

  /// After how long a wait is a hang, however busy the machine is.
  package static let limit = Duration.seconds(900)
  fileprivate static let milliseconds = Int32(limit / .milliseconds(1))
  /// The same for what waits with Dispatch.
  package static var deadline: DispatchTime { .now() + .milliseconds(Int(milliseconds)) }
}

/// Waits until something holds that no event tells of. Throws `Hang`, also when the task is cancelled.
package func until(
  _ what: @autoclosure () -> String, isolation: isolated (any Actor)? = #isolation,
  _ holds: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + Hang.limit
  while try await !holds() {
    guard !Task.isCancelled, ContinuousClock.now < end else { throw Hang(what()) }
    await Task.yield()
  }
}

/// The same on a thread that may block. A file or another process is looked at again and again.
package func wait(for what: @autoclosure () -> String, until holds: () throws -> Bool) throws {
  let end = ContinuousClock.now + Hang.limit
  while try !holds() {
    guard ContinuousClock.now < end else { throw Hang(what()) }
    usleep(2_000)
  }
}

/// Waits until a descriptor can be read, or its other end is closed.
package func waitUntilReadable(_ descriptor: Int32, for what: @autoclosure () -> String) throws {
  var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  while true {
    let count = poll(&ready, 1, Hang.milliseconds)
    if count > 0 { return }
    guard count < 0, errno == EINTR else { throw Hang(what()) }
  }
}

extension DispatchSemaphore {
  /// Waits for a signal.
  package func wait(for what: @autoclosure () -> String) throws {
    guard wait(timeout: Hang.deadline) == .success else { throw Hang(what()) }
  }
}

/// Does what blocks on a thread of its own: those of Swift's concurrency are few.
package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
  }
}
