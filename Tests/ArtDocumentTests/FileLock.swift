// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Another program that is about to write: in this one any other opening of the file would end its lock.
final class FileLock {
  private let shell = Process()
  private let words = Pipe()

  /// `alone` keeps others from reading, too.
  init(_ path: String, alone: Bool = false) throws {
    let answers = Pipe()
    shell.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    shell.arguments = [path]
    shell.standardInput = words
    shell.standardOutput = answers
    try shell.run()
    let begin = alone ? "BEGIN EXCLUSIVE" : "BEGIN IMMEDIATE"
    try words.fileHandleForWriting.write(contentsOf: Data(".bail on\n\(begin);\nSELECT 'held';\n".utf8))
    try #require(try answers.fileHandleForReading.read(upToCount: 5) == Data("held\n".utf8))
  }

  func release() {
    try? words.fileHandleForWriting.close()
    shell.waitUntilExit()
  }

  deinit { release() }
}
