// SPDX-License-Identifier: Apache-2.0

/// A clock for pure state machines: durations since its creation.
package struct Timeline: Sendable {
  /// The current time.
  package let now: @Sendable () -> Duration
  /// Sleeps until a time. Throws when the task is cancelled.
  package let sleep: @Sendable (_ until: Duration) async throws -> Void

  /// Measures time by a clock, from now on.
  package init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }
}
