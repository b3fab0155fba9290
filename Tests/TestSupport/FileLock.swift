// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Another program that is about to write: in this one any other opening of the file would end its lock.
package final class FileLock {
  private let shell = Process()
  private let words = Pipe()

  /// The lock could not be had.
  package struct NotHeld: Error {}

  /// `alone` keeps others from reading, too; `writing` leaves a journal beside the file while it is held.
  package init(_ path: String, alone: Bool = false, writing: Bool = false) throws {
    let answers = Pipe()
    shell.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    shell.arguments = [path]
    shell.standardInput = words
    shell.standardOutput = answers
    try shell.run()
    var begin = alone ? "BEGIN EXCLUSIVE;" : "BEGIN IMMEDIATE;"
    if writing { begin += "CREATE TABLE mine(value);" }
    try words.fileHandleForWriting.write(contentsOf: Data(".bail on\n\(begin)\nSELECT 'held';\n".utf8))
    guard try answers.fileHandleForReading.read(upToCount: 5) == Data("held\n".utf8) else { throw NotHeld() }
  }

  /// Rolls back, and returns when the program is gone.
  package func release() {
    // Not by the end of its input alone: a program that another test starts at this moment may have inherited that. Closed twice where
    // a test releases it itself.
    try? words.fileHandleForWriting.write(contentsOf: Data(".exit\n".utf8))
    try? words.fileHandleForWriting.close()
    shell.waitUntilExit()
  }

  deinit { release() }
}
