// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Another program that is writing: in this one any other opening of the file would end its lock.
final class ExclusiveLock {
  private let shell = Process()
  private let words = Pipe()

  init(_ path: String) throws {
    let answers = Pipe()
    shell.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    shell.arguments = [path]
    shell.standardInput = words
    shell.standardOutput = answers
    try shell.run()
    // What is to be rolled back lies in a journal.
    let begin = "BEGIN EXCLUSIVE; CREATE TABLE mine(value)"
    try words.fileHandleForWriting.write(contentsOf: Data(".bail on\n\(begin);\nSELECT 'held';\n".utf8))
    try #require(try answers.fileHandleForReading.read(upToCount: 5) == Data("held\n".utf8))
  }

  func release() {
    try? words.fileHandleForWriting.close()
    shell.waitUntilExit()
  }

  deinit { release() }
}
