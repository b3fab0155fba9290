// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A call of the system that failed.
public struct SystemError: Error, Sendable, Hashable {
  /// The call, as its manual page is named: `realpath`.
  public let call: String
  /// What it was about; nil where it was about no path.
  public let path: String?
  /// The error number, as in errno(3).
  public let number: Int32

  /// A failure; by default with the error number that the thread's last call left.
  public init(_ call: String, _ path: String? = nil, number: Int32 = errno) {
    self.call = call
    self.path = path
    self.number = number
  }

  /// The system's own text for the number, such as `Permission denied`.
  public var text: String { Self.text(of: number) }

  /// The system's own text for an error number.
  public static func text(of number: Int32) -> String { String(cString: strerror(number)) }
}
