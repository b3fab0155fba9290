// SPDX-License-Identifier: Apache-2.0

import CSystem
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

/// This process; for programs that are ours: a program that links this library decides for itself.
public enum OwnProcess {
  /// Ends this process with status 69 and a line on stderr where there is no /proc.
  public static func requireProc() { csystem_require_proc() }

  /// The words that it was begun with, its own name first. Not `CommandLine.arguments`, which is empty where /proc/self/cmdline
  /// cannot be opened. What is no UTF-8 has replacement characters in it.
  public static var arguments: [String] {
    (0..<csystem_argument_count()).map { String(cString: csystem_argument($0)) }
  }

  /// The index of the first argument that is no UTF-8 text; nil when all are.
  public static var firstArgumentThatIsNoText: Int? {
    (0..<csystem_argument_count()).first { String(validatingCString: csystem_argument($0)) == nil }.map {
      Int($0)
    }
  }

  /// From here on no other process of this user may open its memory, nor its environment, and it leaves no core file (prctl(2),
  /// PR_SET_DUMPABLE). Programs that it starts are not affected.
  public static func hideMemory() { csystem_hide_memory() }

  /// The running program's path without symbolic links; nil where the system does not say.
  public static var path: String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &bytes, bytes.count)
    guard count > 0, count < bytes.count else { return nil }
    return String(validating: bytes[..<count], as: UTF8.self)
  }
}
