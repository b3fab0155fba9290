// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The clock of the machine.
public enum WallClock {
  /// The time in milliseconds since 1970, as the log records it.
  public static func milliseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time.milliseconds
  }
}

extension timespec {
  /// The time in milliseconds, clamped to `Int`: a file's time can be any value that was set.
  var milliseconds: Int {
    let (whole, overflow) = Int(tv_sec).multipliedReportingOverflow(by: 1_000)
    guard !overflow else { return tv_sec < 0 ? .min : .max }
    let (sum, isBeyond) = whole.addingReportingOverflow(Int(tv_nsec) / 1_000_000)
    return isBeyond ? .max : sum
  }
}
