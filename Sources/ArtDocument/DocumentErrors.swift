// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

extension ArtError {
  static func closedDocument(_ name: String) -> ArtError {
    ArtError(.closed, "\(name) is closed; open it again to edit it")
  }

  static func readOnlyDocument(_ name: String, _ reason: String) -> ArtError {
    ArtError(.notPermitted, "\(name) can only be looked at: \(reason)")
  }
}

/// Milliseconds since 1970: what the log says of when an edit was made.
func wallClock() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
}
