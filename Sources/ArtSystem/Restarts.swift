// SPDX-License-Identifier: Apache-2.0

/// When a helper that ended is started again. Times are those of any clock that only goes forward.
///
/// ```
///              started                     ended, had run for 10 s: due at once
///   waiting -----------> running(since) --------------------------------------.
///   (due) ^                   |                                               |
///      |  |                   | ended before: due after the pause, which      |
///      '--'                   v doubles, 100 ms up to 30 s                    |
///     ended: the       waiting(due) <-----------------------------------------'
///     start failed
/// ```
/// In every state the pause, the one after the next short run, is within its bounds; it begins anew after a long run.
public struct Restarts: Sendable {
  private enum State: Equatable {
    case waiting
    case running(since: Duration)
  }

  /// A helper that ran for that long is well.
  static let longRun = Duration.seconds(10)
  static let shortestPause = Duration.milliseconds(100)
  static let longestPause = Duration.seconds(30)

  private var state = State.waiting
  private var pause = shortestPause

  /// Nothing has been started yet.
  public init() {}

  /// It was started.
  public mutating func started(at now: Duration) {
    state = .running(since: now)
    checkInvariants()
  }

  /// It ended, or could not be started. Gives the time to start it again, `now` or later.
  public mutating func ended(at now: Duration) -> Duration {
    defer { checkInvariants() }
    let wasWell = if case .running(let since) = state { now - since >= Self.longRun } else { false }
    state = .waiting
    guard !wasWell else {
      pause = Self.shortestPause
      return now
    }
    defer { pause = min(pause * 2, Self.longestPause) }
    return now + pause
  }

  private func checkInvariants() {
    assert(pause >= Self.shortestPause && pause <= Self.longestPause)
  }
}
