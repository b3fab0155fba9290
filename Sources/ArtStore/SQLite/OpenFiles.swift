// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// How many files this process has open through SQLite.
///
/// POSIX locks go when any descriptor of their file is closed, by whatever part of the process. While nothing is open
/// through SQLite there is no lock to lose, and a document may be opened, read and closed by plain system calls.
enum OpenFiles {
  private static let count = Mutex(0)

  static func add() { count.withLock { $0 += 1 } }

  static func remove() { count.withLock { $0 -= 1 } }

  /// Runs the body if nothing is open, and lets nothing be opened meanwhile; nil if something is.
  static func whileNoneIsOpen<Result>(_ body: () -> Result?) -> Result? {
    count.withLock { $0 == 0 ? body() : nil }
  }
}
