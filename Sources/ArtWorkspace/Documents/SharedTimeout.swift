// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// How long a command that looks at many documents waits for those that other programs hold: all together, for who does not let go
/// of one may hold them all.
struct SharedPatience<Time: Clock> where Time.Duration == Duration {
  /// What each document is waited for in any case: nearly every save is over by then.
  static var least: Duration { .milliseconds(100) }

  private var left: Duration
  private let clock: Time

  /// So much for all of them.
  init(_ whole: Duration, clock: Time) {
    left = whole
    self.clock = clock
  }

  /// Looks at the document at a path, which waits no longer than is left. Throws what looking throws.
  mutating func look<Seen>(
    at path: String, _ look: (DocumentFile) throws(ArtError) -> Seen
  ) throws(ArtError) -> Seen {
    let begin = clock.now
    do throws(ArtError) {
      return try look(DocumentFile(path, patience: max(left, Self.least)))
    } catch {
      if error.code == .busy { left -= begin.duration(to: clock.now) }
      throw error
    }
  }
}

extension SharedPatience where Time == ContinuousClock {
  /// So much for all of them.
  init(_ whole: Duration) { self.init(whole, clock: ContinuousClock()) }
}
