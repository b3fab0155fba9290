// SPDX-License-Identifier: Apache-2.0

/// A generator that can replay its numbers, so that an edit planned again, on another file, gives its emoji the same
/// ids.
package struct ReplayedGenerator<Source: RandomNumberGenerator>: RandomNumberGenerator {
  private var source: Source
  private var drawn: [UInt64] = []
  private var index = 0

  /// Draws new numbers from a source.
  package init(_ source: Source) { self.source = source }

  /// Replays the numbers from the first one on.
  package mutating func restart() { index = 0 }

  /// The next number.
  package mutating func next() -> UInt64 {
    if index == drawn.count { drawn.append(source.next()) }
    index += 1
    return drawn[index - 1]
  }
}

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
