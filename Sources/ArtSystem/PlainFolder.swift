// SPDX-License-Identifier: Apache-2.0

import CArtSystem
import Glibc

/// Opening by paths that were resolved before.
package enum PlainPath {
  /// open(2) of an absolute path that follows no symbolic link, neither at its end nor on the way: a link that is there now was put there
  /// meanwhile, and the error is ELOOP. Where the kernel has no openat2(2), before Linux 5.6, only a link at the end is refused.
  package static func open(_ path: String, _ flags: Int32, mode: mode_t = 0) -> Int32 {
    csystem_open_plain(path, flags | O_CLOEXEC, mode)
  }
}

/// A folder that is held open. Paths below `path` lead into it also after something else was put in its place, until this object is released.
package final class PlainFolder: Sendable {
  private let descriptor: Int32

  /// Opens a folder by an absolute path without links. Throws the error of open(2).
  package init(_ path: String) throws(SystemError) {
    descriptor = PlainPath.open(path, oPath | O_DIRECTORY)
    guard descriptor >= 0 else { throw SystemError("open", path) }
  }

  deinit { close(descriptor) }

  /// A path of the folder in this process: proc(5), `/proc/self/fd`.
  package var path: String { "/proc/self/fd/\(descriptor)" }

  /// A path of an entry.
  package func path(of name: String) -> String { "\(path)/\(name)" }
}

/// O_PATH of <fcntl.h>, which Swift does not import.
package let oPath: Int32 = 0o10000000
