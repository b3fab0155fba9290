// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// When a helper that ended is started again: at once the first time, then after pauses that grow.
struct HelperPauses {
  private var last: (error: ArtError, time: Duration)?
  private var pause = Duration.zero

  mutating func ended(_ error: ArtError, at now: Duration) {
    // One that ran for a while has earned a new try.
    if let last, now - last.time < .seconds(60) {
      pause = min(max(pause * 2, .seconds(1)), .seconds(60))
    } else {
      pause = .zero
    }
    last = (error, now)
  }

  /// Why none is started now; nil when one may be.
  func trouble(at now: Duration) -> ArtError? {
    guard let last, now < last.time + pause else { return nil }
    return last.error
  }
}
