// SPDX-License-Identifier: Apache-2.0

import CArtSystem
import Glibc

/// The variables of this process's environment.
public enum Environment {
  /// The value of a variable; nil where it is not set, or empty.
  public static subscript(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// The value of a variable, which may be empty; nil where it is not set.
  public static func raw(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// `NAME=value` with a terminating zero byte; nil where the variable is not set. Bytes, because a path in it
  /// need not be UTF-8.
  static func definition(of name: String) -> [CChar]? {
    guard let value = getenv(name) else { return nil }
    return "\(name)=".utf8.map { CChar(bitPattern: $0) }
      + UnsafeBufferPointer(start: value, count: strlen(value) + 1)
  }
}

// MARK: - The user's folders

/// The user's folders after https://specifications.freedesktop.org/basedir-spec. Relative paths in the
/// variables, `HOME` included, are ignored, as the specification asks.
public struct XDGFolders {
  private let variable: (String) -> String?

  /// Reads this process's environment.
  public init() { self.init { Environment[$0] } }

  /// Reads variables with a closure, which returns nil for a variable that is not set or empty.
  public init(_ variable: @escaping (String) -> String?) { self.variable = variable }

  /// The user's home folder.
  public var home: String? { absolute("HOME") }
  /// State that survives restarts, such as a history: `$XDG_STATE_HOME`, else `~/.local/state`.
  public var state: String? { own("XDG_STATE_HOME", else: ".local/state") }
  /// Settings: `$XDG_CONFIG_HOME`, else `~/.config`.
  public var config: String? { own("XDG_CONFIG_HOME", else: ".config") }
  /// Files that may be deleted at any time: `$XDG_CACHE_HOME`, else `~/.cache`.
  public var cache: String? { own("XDG_CACHE_HOME", else: ".cache") }
  /// Data: `$XDG_DATA_HOME`, else `~/.local/share`.
  public var data: String? { own("XDG_DATA_HOME", else: ".local/share") }
  /// Sockets and files that end with the session: `$XDG_RUNTIME_DIR`; nil also for root where it is not root's alone.
  public var runtime: String? {
    absolute("XDG_RUNTIME_DIR").flatMap { geteuid() != 0 || Ownership.isOwn($0) ? $0 : nil }
  }
  /// Data of all users: `$XDG_DATA_DIRS`, in order of precedence.
  public var sharedData: [String] {
    (variable("XDG_DATA_DIRS") ?? "").split(separator: ":").map(String.init).filter {
      FilePath($0).isAbsolute
    }
  }

  private func absolute(_ name: String) -> String? {
    variable(name).flatMap { FilePath($0).isAbsolute ? $0 : nil }
  }

  /// A folder to write to, and to read settings from. For root it only counts if root alone decides what is in it. `sudo -E` passes on the home
  /// of another user: that user could not remove what root creates there, and may have prepared files that root would read.
  private func own(_ name: String, else folder: String) -> String? {
    let candidates = [absolute(name), home.map { "\($0)/\(folder)" }].compactMap(\.self)
    guard geteuid() == 0, !candidates.isEmpty else { return candidates.first }
    return (candidates + ["/root/\(folder)"]).first(where: Ownership.isOwn)
  }
}

// MARK: - This process

/// This process. For our own programs only: a program that links this library makes these choices itself.
public enum OwnProcess {
  /// Ends this process with status 69 and a line on stderr where there is no /proc.
  public static func requireProc() { csystem_require_proc() }

  /// The command line, program name first. `CommandLine.arguments` is empty where /proc/self/cmdline cannot be
  /// opened. Invalid UTF-8 is replaced by U+FFFD.
  public static var arguments: [String] {
    (0..<csystem_argument_count()).map { String(cString: csystem_argument($0)) }
  }

  /// The index of the first argument that is not valid UTF-8; nil when all are.
  public static var firstNonUTF8Argument: Int? {
    (0..<csystem_argument_count()).first { String(validatingCString: csystem_argument($0)) == nil }.map {
      Int($0)
    }
  }

  /// Makes this process undumpable (prctl(2), PR_SET_DUMPABLE): other processes of this user cannot read its
  /// memory or environment, and it leaves no core file. Does not affect programs that it starts.
  public static func hideMemory() { csystem_hide_memory() }

  /// Gives large blocks of memory, such as pictures, back to the system when they are freed: see mallopt(3), M_MMAP_THRESHOLD.
  public static func returnFreedMemory() { csystem_return_freed_memory() }

  /// The path of the running program without symbolic links; nil where /proc does not give it.
  public static var path: String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &bytes, bytes.count)
    guard count > 0, count < bytes.count else { return nil }
    return String(validating: bytes[..<count], as: UTF8.self)
  }
}
