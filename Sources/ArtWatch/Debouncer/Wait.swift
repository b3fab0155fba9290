// SPDX-License-Identifier: Apache-2.0

/// What one file or folder waits for.
struct Wait: Equatable {
  /// The first and the last of what happened since it was looked at.
  private var restless: (first: Duration, last: Duration)?
  /// When somebody wants it looked at in any case.
  private var appointed: Duration?

  var isEmpty: Bool { restless == nil && appointed == nil }

  mutating func happened(at now: Duration) {
    // Times come from two threads, and may be handed in a little out of order.
    restless = restless.map { (min($0.first, now), max($0.last, now)) } ?? (now, now)
  }

  mutating func appoint(_ time: Duration) { appointed = min(appointed ?? time, time) }

  /// Takes in what another one waits for.
  mutating func join(_ other: Wait) {
    if let more = other.restless {
      happened(at: more.first)
      happened(at: more.last)
    }
    if let time = other.appointed { appoint(time) }
  }

  func due(_ quiet: Duration, _ timeout: Duration) -> Duration {
    guard let restless else { return appointed ?? .zero }
    // The look that what happened brings is soon enough for an appointment, too.
    return min(restless.last + quiet, restless.first + timeout)
  }

  func isQuiet(at now: Duration, _ quiet: Duration) -> Bool {
    restless.map { $0.last + quiet <= now } ?? true
  }

  /// What it waits for after a look; nil for nothing.
  func taken(at now: Duration, _ quiet: Duration) -> Wait? {
    var left = Wait()
    if let restless, !isQuiet(at: now, quiet) { left.restless = (max(restless.first, now), restless.last) }
    if let appointed, appointed > now { left.appointed = appointed }
    return left.isEmpty ? nil : left
  }

  static func == (left: Wait, right: Wait) -> Bool {
    left.restless?.first == right.restless?.first && left.restless?.last == right.restless?.last
      && left.appointed == right.appointed
  }
}
