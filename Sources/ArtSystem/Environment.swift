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

/// Where a user's files belong: https://specifications.freedesktop.org/basedir-spec. Relative paths in its variables are not valid, and
/// passed over; so is a relative `HOME`.
public struct XDGFolders {
  private let variable: (String) -> String?

  /// Those of this process's environment.
  public init() { self.init { Environment[$0] } }

  /// Those of other variables; nil for one that is not set, or empty.
  public init(_ variable: @escaping (String) -> String?) { self.variable = variable }

  /// The user's own folder.
  public var home: String? { absolute("HOME") }
  /// For what outlasts a start of the program and is no document: `$XDG_STATE_HOME`, else `~/.local/state`.
  public var state: String? { absolute("XDG_STATE_HOME") ?? inHome(".local/state") }
  /// For settings: `$XDG_CONFIG_HOME`, else `~/.config`.
  public var config: String? { absolute("XDG_CONFIG_HOME") ?? inHome(".config") }
  /// For what may be removed at any time: `$XDG_CACHE_HOME`, else `~/.cache`.
  public var cache: String? { absolute("XDG_CACHE_HOME") ?? inHome(".cache") }
  /// For data: `$XDG_DATA_HOME`, else `~/.local/share`.
  public var data: String? { absolute("XDG_DATA_HOME") ?? inHome(".local/share") }
  /// For everybody's data, the first ones before the others: those of `$XDG_DATA_DIRS`.
  public var sharedData: [String] {
    (variable("XDG_DATA_DIRS") ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
  }

  private func absolute(_ name: String) -> String? { variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
  private func inHome(_ folder: String) -> String? { home.map { "\($0)/\(folder)" } }
}
