// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// How long who reads many documents waits for those that other programs hold: all together, for a program that does not let go
/// of one may hold them all.
public struct SharedTimeout<Time: Clock> where Time.Duration == Duration {
  /// What each document is waited for in any case: nearly every save is over by then.
  public static var least: Duration { .milliseconds(100) }

  private var left: Duration
  private let clock: Time

  /// So much for all of them.
  public init(_ whole: Duration, clock: Time) {
    left = whole
    self.clock = clock
  }

  /// Reads the document at a path, which waits no longer than is left. Throws what reading throws.
  public mutating func read<Value>(
    _ path: String, _ read: (DocumentFile) throws(ArtError) -> Value
  ) throws(ArtError) -> Value {
    let begin = clock.now
    do throws(ArtError) {
      return try read(DocumentFile(path, timeout: max(left, Self.least)))
    } catch {
      if error.code == .busy { left -= begin.duration(to: clock.now) }
      throw error
    }
  }
}

extension SharedTimeout where Time == ContinuousClock {
  /// So much for all of them.
  public init(_ whole: Duration) { self.init(whole, clock: ContinuousClock()) }
}
