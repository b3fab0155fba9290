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

  private static func format(_ parts: tm, _ pattern: String) -> String {
    var parts = parts
    var buffer = [CChar](repeating: 0, count: 64)
    let count = strftime(&buffer, buffer.count, pattern, &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
