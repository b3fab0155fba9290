// SPDX-License-Identifier: Apache-2.0

import Glibc

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
