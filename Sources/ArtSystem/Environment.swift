// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The variables of this process's environment.
public enum Environment {
  /// A variable that is set and not empty.
  public static subscript(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// A variable as it is set, empty or not.
  public static func raw(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// `NAME=value` with a zero byte at its end, the bytes as they are: a path in them need not be a text. Nil where it is not set.
  static func definition(of name: String) -> [CChar]? {
    guard let value = getenv(name) else { return nil }
    return "\(name)=".utf8.map { CChar(bitPattern: $0) }
      + UnsafeBufferPointer(start: value, count: strlen(value) + 1)
  }
}
