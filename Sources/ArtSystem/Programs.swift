// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Programs of others.
public enum Programs {
  /// Whether a program can be run: a path with a slash, or a name in a folder of `PATH`.
  public static func isThere(_ name: String) -> Bool {
    let folders =
      name.utf8.contains(UInt8(ascii: "/"))
      ? [""]
      : (Environment["PATH"] ?? "/bin:/usr/bin")
        .split(separator: ":", omittingEmptySubsequences: false).map { $0.isEmpty ? "./" : "\($0)/" }
    return folders.contains { FileStatus.isRegularFile(at: $0 + name, access: X_OK) }
  }
}

/// The soft limit on this process's open files (`ulimit -Sn`). A program that holds many files raises it for itself. Programs that it starts
/// get the former limit: old ones break where they may open more than 1,024 files, or close as many as they may open.
public enum OpenFileLimit {
  private static let former = Mutex<rlim_t?>(nil)

  /// Raises the limit as far as the system permits, and returns it; nil if it cannot be raised.
  public static func raise() -> Int? {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return nil }
    let before = limit.rlim_cur
    limit.rlim_cur = limit.rlim_max
    guard setrlimit(resource, &limit) == 0 else { return nil }
    former.withLock { $0 = $0 ?? before }
    return Int(clamping: limit.rlim_cur)
  }

  /// The words that start a program with the former limit: the same ones if the limit was not raised, or if there is no such program.
  public static func wordsBeneath(_ words: [String]) -> [String] {
    guard let former = former.withLock(\.self), let name = words.first, Programs.isThere(name) else {
      return words
    }
    let limit = former == rlim_t.max ? "unlimited" : "\(former)"
    // Of util-linux. A shell would leave out variables whose names are none to it.
    if Programs.isThere("/usr/bin/prlimit") { return ["/usr/bin/prlimit", "-n\(limit):"] + words }
    return ["/bin/sh", "-c", #"ulimit -Sn "$0" && exec "$@""#, limit] + words
  }
}
