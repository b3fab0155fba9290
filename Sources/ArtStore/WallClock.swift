// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The system's time in milliseconds since 1970: what the log says of when an edit was made.
public func millisecondsSince1970() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
}
