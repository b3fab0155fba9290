// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A running stream that a test sends lines to.
final class LiveStream {
  /// The answers and events that have been read.
  private(set) var lines: [[String: Any]] = []
  private let process = Process()
  private let input = Pipe.unshared()
  private let output = Pipe.unshared()
  private let errorsPath: String
  private var rest = Data()

  init(_ stream: StreamCase, under wrapper: [String] = [], _ options: [String] = StreamCase.options) throws {
    errorsPath = stream.space["errors"]
    try write([], to: errorsPath)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = wrapper + [emojiart, "edit", stream.file.path, "--json"] + options
    process.environment = ProcessInfo.processInfo.environment.merging(stream.environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errorsPath))
    // A program that has ended is recognised by its missing answers.
    try process.start()
  }

  var processID: pid_t { process.processIdentifier }

  /// Stops the program, until all of its threads have stopped.
  func freeze() throws {
    kill(processID, SIGSTOP)
    try TestSupport.wait(for: "a stopped program") {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/task").allSatisfy {
        try String(contentsOfFile: "/proc/\(processID)/task/\($0)/stat", encoding: .utf8).contains(") T ")
      }
    }
  }

  func thaw() { kill(processID, SIGCONT) }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  func send(_ lines: [String]) throws {
    try input.fileHandleForWriting.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
  }

  /// Reads until the condition is met. Throws at the end of the output.
  func wait(for what: String, until isMet: ([[String: Any]]) -> Bool) throws {
    while !isMet(lines) {
      guard try read(for: what) else {
        throw MissingAnswer(
          what: what, lines: "\(lines)", errors: try String(contentsOfFile: errorsPath, encoding: .utf8))
      }
    }
  }

  /// False at the end.
  private func read(for what: String) throws -> Bool {
    try waitUntilReadable(
      output.fileHandleForReading.fileDescriptor, for: "\(what), after \(lines.suffix(5))")
    let more = output.fileHandleForReading.availableData
    rest += more
    guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return !more.isEmpty }
    lines += try StreamCase.parse(rest[...end])
    rest = Data(rest[(end + 1)...])
    return !more.isEmpty
  }

  /// The answer with this tag.
  func answer(to tag: String) throws -> [String: Any] {
    func isAnswer(_ line: [String: Any]) -> Bool { "\(line["tag"] ?? "")" == tag }
    try wait(for: "the answer to \(tag)") { $0.contains(where: isAnswer) }
    return try #require(lines.first(where: isAnswer))
  }

  /// Ends its input and waits for its end.
  func end() throws -> StreamEnd {
    try input.fileHandleForWriting.close()
    while try read(for: "the end of a stream") {}
    process.waitUntilExit()
    let errors = try String(contentsOfFile: errorsPath, encoding: .utf8)
    return StreamEnd(
      status: process.terminationStatus, isCrash: process.terminationReason == .uncaughtSignal, lines: lines,
      errors: errors)
  }
}

/// The output of a stream ended without what a test waited for.
struct MissingAnswer: Error, CustomStringConvertible {
  let what: String
  let lines: String
  let errors: String
  var description: String { "waited in vain for \(what); \(errors) \(lines)" }
}
