// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The end of a program, and its output.
struct Ended {
  let status: Int32
  let output: String
  let errors: String
  /// Whether a signal ended it.
  let isCrash: Bool
}

/// The command line program that was built with these tests.
let emojiart: String = {
  if let path = ProcessInfo.processInfo.environment["EMOJIART_BINARY"] { return path }
  let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  return own.deletingLastPathComponent().appendingPathComponent("emojiart").path
}()

/// Copies the program and some of its helpers into a folder, which is made, and returns the copy's path. It may have been built where
/// only root may go.
func copyOfProgram(with helpers: [String] = [], in folder: String) throws -> String {
  let copy = folder + "/emojiart"
  guard access(copy, X_OK) != 0 else { return copy }
  mkdir(folder, 0o755)
  let built = URL(fileURLWithPath: emojiart).resolvingSymlinksInPath().deletingLastPathComponent()
  let programs = (["emojiart"] + helpers).map { built.appendingPathComponent($0).path }
  // `cp` copies them in a process of its own: a program that another test starts meanwhile would inherit a copy that is open for
  // writing here, and such a program cannot be run.
  let copied = try run("cp", programs + [folder], environment: [:])
  try #require(copied.status == 0, "\(copied)")
  return copy
}

/// Runs a program to its end. A program that hangs is terminated, and a line is printed.
func run(
  _ program: String, _ arguments: [String], environment: [String: String] = [:]
) throws -> Ended {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: program.contains("/") ? program : "/usr/bin/env")
  process.arguments = program.contains("/") ? arguments : [program] + arguments
  TestState.use()
  var variables = ProcessInfo.processInfo.environment
  variables["EMOJIART_STATE"] = TestState.path
  // Private copies of a killed program are removed with the folder.
  variables["TMPDIR"] = TestState.path
  variables.merge(environment) { $1 }
  process.environment = variables
  let output = Pipe.unshared()
  let errors = Pipe.unshared()
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = output
  process.standardError = errors
  try process.start()
  let limit = DispatchWorkItem {
    print("\(Hang("the end of \(program) \(arguments)"))")
    process.terminate()
  }
  DispatchQueue.global().asyncAfter(deadline: Hang.deadline, execute: limit)
  let group = DispatchGroup()
  nonisolated(unsafe) var written = Data()
  group.enter()
  DispatchQueue.global().async {
    written = errors.fileHandleForReading.readDataToEndOfFile()
    group.leave()
  }
  let text = output.fileHandleForReading.readDataToEndOfFile()
  try group.wait(for: "what \(program) writes to stderr")
  process.waitUntilExit()
  limit.cancel()
  return Ended(
    status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
    errors: String(decoding: written, as: UTF8.self),
    isCrash: process.terminationReason == .uncaughtSignal)
}

/// Runs SQL in the real `sqlite3` shell, and returns its output.
@discardableResult
func shell(_ path: String, _ sql: String) throws -> String {
  let ended = try run("sqlite3", ["-bail", path, sql])
  try #require(ended.status == 0, "sqlite3: \(ended.errors)")
  return ended.output
}
