// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Foundation
import TestSupport
import Testing

/// A folder that is removed after the test, with plain system calls in it: Foundation writes through temporary files.
final class Scratch {
  let path: String

  init() throws {
    let root = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
    path = "\(root)/emojiart-process-\(UUID())"
    try #require(mkdir(path, 0o700) == 0)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a name.
  subscript(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file in place.
  func write(_ name: String, _ text: String = "") throws {
    let file = open(self[name], O_CREAT | O_WRONLY | O_CLOEXEC, 0o700)
    try #require(file >= 0)
    if !text.isEmpty { try #require(Glibc.write(file, text, text.utf8.count) == text.utf8.count) }
    close(file)
  }
}

/// A program that was built with the tests.
func built(_ name: String) throws -> HelperProgram { try HelperPrograms.installed.program(name) }

/// Runs a program that is no worker; the process is killed with the value.
final class OtherProcess {
  let process = Process()
  let input = Pipe.unshared()
  let output = Pipe.unshared()
  private let isOver = DispatchSemaphore(value: 0)

  init(_ path: String, _ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    let isOver = isOver
    process.terminationHandler = { _ in isOver.signal() }
    try process.start()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// Waits until the process has ended.
  var hasEnded: Bool {
    get throws {
      try isOver.wait(for: "the end of \(process.executableURL?.path ?? "a program")")
      return true
    }
  }
}
