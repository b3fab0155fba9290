// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Another process that is about to write. In the test's own process any other opening of the file would end its lock.
package final class FileLock {
  private let shell = Process()
  private let words = Pipe.unshared()

  /// The lock could not be taken.
  package struct NotHeld: Error {}

  /// `alone` also keeps others from reading; `writing` leaves a rollback journal beside the file while the lock is held.
  package init(_ path: String, alone: Bool = false, writing: Bool = false) throws {
    let answers = Pipe.unshared()
    shell.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    shell.arguments = [path]
    shell.standardInput = words
    shell.standardOutput = answers
    try shell.start()
    var begin = alone ? "BEGIN EXCLUSIVE;" : "BEGIN IMMEDIATE;"
    if writing { begin += "CREATE TABLE mine(value);" }
    try words.fileHandleForWriting.write(contentsOf: Data(".bail on\n\(begin)\nSELECT 'held';\n".utf8))
    guard try answers.fileHandleForReading.read(upToCount: 5) == Data("held\n".utf8) else { throw NotHeld() }
  }

  /// Rolls back, and returns when the process has ended.
  package func release() {
    // The end of its input is not enough: a program that another test starts at this moment may have inherited the pipe. A test
    // that calls this itself closes the pipe twice.
    try? words.fileHandleForWriting.write(contentsOf: Data(".exit\n".utf8))
    try? words.fileHandleForWriting.close()
    shell.waitUntilExit()
  }

  deinit { release() }
}
