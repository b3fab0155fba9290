// SPDX-License-Identifier: Apache-2.0

import Glibc

enum Time {
  /// `2026-11-21 09:30:05` in the local time zone, from seconds since 1970.
  static func local(_ seconds: Int, seconds withSeconds: Bool = true) -> String {
    var time = time_t(seconds)
    var parts = tm()
    guard localtime_r(&time, &parts) != nil else { return "?" }
    return format(parts, withSeconds ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%d %H:%M")
  }

  /// `2026-11-21T08:30:05.123Z`, from milliseconds since 1970.
  static func utc(milliseconds: Int) -> String? {
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    return rest < 0 ? utc(seconds - 1, milliseconds: rest + 1000) : utc(seconds, milliseconds: rest)
  }

  /// The same from seconds; nil for a time outside the calendar.
  static func utc(_ seconds: Int, milliseconds: Int = 0) -> String? {
    var time = time_t(seconds)
    var parts = tm()
    guard gmtime_r(&time, &parts) != nil else { return nil }
    let fraction = String(milliseconds)
    return format(parts, "%Y-%m-%dT%H:%M:%S.") + String(repeating: "0", count: 3 - fraction.count) + fraction
      + "Z"
  }

  private static func format(_ parts: tm, _ pattern: String) -> String {
    var parts = parts
    var buffer = [CChar](repeating: 0, count: 64)
    let count = strftime(&buffer, buffer.count, pattern, &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
