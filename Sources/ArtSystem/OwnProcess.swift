// SPDX-License-Identifier: Apache-2.0

import CSystem
import Glibc

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
