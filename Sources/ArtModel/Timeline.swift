// SPDX-License-Identifier: Apache-2.0

/// Time as pure machines see it: durations since it was made.
package struct Timeline: Sendable {
  /// What time it is.
  package let now: @Sendable () -> Duration
  /// Sleeps until then; throws when the task is cancelled.
  package let sleep: @Sendable (_ until: Duration) async throws -> Void

  /// The time of a clock, from now on.
  package init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }
}
