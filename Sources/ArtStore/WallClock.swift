// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The system's time in milliseconds since 1970: what the log says of when an edit was made.
public func millisecondsSince1970() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return time.milliseconds
}

extension timespec {
  /// In milliseconds, at most as many as can be counted: a file system gives any time that somebody set.
  var milliseconds: Int {
    let (whole, overflow) = Int(tv_sec).multipliedReportingOverflow(by: 1_000)
    guard !overflow else { return tv_sec < 0 ? .min : .max }
    let (sum, isBeyond) = whole.addingReportingOverflow(Int(tv_nsec) / 1_000_000)
    return isBeyond ? .max : sum
  }
}
