// SPDX-License-Identifier: Apache-2.0

/// A path in its folder and its name. Slashes are found by their byte: a name may begin with a scalar that joins the
/// slash before it to one character, such as a skin tone.
public struct PathParts: Sendable, Equatable {
  /// What stands before the last slash, that one included; empty where there is none.
  public let prefix: String
  /// What stands behind it.
  public let name: String

  /// Splits a path.
  public init(_ path: String) {
    let scalars = path.unicodeScalars
    let cut = scalars.lastIndex(of: "/").map { scalars.index(after: $0) } ?? scalars.startIndex
    prefix = String(scalars[..<cut])
    name = String(scalars[cut...])
  }

  /// The folder, `.` where the path names none.
  public var folder: String {
    let scalars = prefix.unicodeScalars
    if scalars.isEmpty { return "." }
    return scalars.count == 1 ? prefix : String(scalars.dropLast())
  }

  /// The parts of a path between its slashes, without the empty ones.
  public static func components(_ path: String) -> [String] {
    path.unicodeScalars.split(separator: "/").map { String($0) }
  }

  /// Whether a path is more than a name.
  public static func hasSlash(_ path: String) -> Bool { path.unicodeScalars.contains("/") }
}
