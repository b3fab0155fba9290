// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// The end of a run of `emojiart edit --json`, and its output.
struct StreamEnd {
  let status: Int32
  /// Whether it was killed.
  let isCrash: Bool
  /// Whole lines of stdout.
  let lines: [[String: Any]]
  /// Stderr without strace's messages, except those of its failure.
  let errors: String

  /// The tags of the edits that were answered with ok, in order.
  var acknowledged: [Int] { lines.filter { $0["ok"] != nil }.compactMap { $0["tag"] as? Int } }
  /// The tags of the edits that were answered with an error.
  var refused: [Int] { lines.filter { $0["error"] != nil }.compactMap { $0["tag"] as? Int } }
  /// Whether a save was answered with ok.
  var isSaveAnswered: Bool { lines.contains { $0["ok"] != nil && $0["tag"] as? String == "save" } }
  /// The reported states.
  var states: [String] { lines.compactMap { $0["state"] as? String } }
  /// Whether any failure was reported.
  var isReported: Bool { status != 0 || states.contains("error") || lines.contains { $0["error"] != nil } }
}

extension StreamCase {
  static let options = ["--autosave-delay", "3600"]

  /// Runs a stream until it ends or is killed. Each line arrives in a read of its own.
  func stream(
    _ lines: [String], _ options: [String] = StreamCase.options, under tracer: Tracer? = nil,
    as wrapper: [String] = []
  ) throws -> StreamEnd {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let program =
      wrapper + [tracer == nil ? emojiart : try programWithoutHelper(), "edit", file.path, "--json"] + options
    process.arguments =
      try tracer?.command(for: program, journals: journals.path, answers: outputPath) ?? program
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    try write([], to: outputPath)
    let output = open(outputPath, O_WRONLY | O_APPEND | O_CLOEXEC)
    try #require(output >= 0)
    process.standardOutput = FileHandle(fileDescriptor: output, closeOnDealloc: true)
    let input = try LineSender()
    process.standardInput = input.receiver
    let errors = Pipe.unshared()
    process.standardError = errors
    try process.start()
    let limit = DispatchWorkItem {
      print("\(Hang("the end of a stream that was given \(lines)"))")
      process.terminate()
    }
    DispatchQueue.global().asyncAfter(deadline: Hang.deadline, execute: limit)
    var complaints = Data()
    let isAttached = tracer?.files.isJournal ?? false
    try input.receiver.close()
    if isAttached { input.send([#"{"show":true}"#]) }
    while isAttached, !complaints.contains(" attached"),
      case let more = errors.fileHandleForReading.availableData, !more.isEmpty
    {
      complaints += more
    }
    input.send(lines)
    input.end()
    complaints += errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    limit.cancel()
    // The exit status of strace is not that of the program.
    let status = isAttached ? try tracer.flatMap { try CallTrace($0.trace).status } : nil
    return StreamEnd(
      status: status ?? process.terminationStatus,
      isCrash: isAttached ? status == nil : process.terminationReason == .uncaughtSignal,
      lines: try Self.parse(Data(contentsOf: URL(fileURLWithPath: outputPath))),
      errors: String(decoding: complaints, as: UTF8.self).split(separator: "\n")
        .filter { !$0.hasPrefix("strace: Process ") && !$0.hasPrefix("strace: Requested path ") }
        .joined(separator: "\n"))
  }

  /// The file of the stream's stdout.
  var outputPath: String { space["answers"] }

  /// Lines of JSON. A line without its line break is incomplete and ignored.
  static func parse(_ output: Data) throws -> [[String: Any]] {
    try output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().map {
      try #require(try JSONSerialization.jsonObject(with: $0) as? [String: Any])
    }
  }
}

extension Data {
  fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}

/// Sends a program one line for each read, and then the end of its input.
final class LineSender {
  let receiver: FileHandle
  private let socket: Int32

  init() throws {
    var ends: [Int32] = [0, 0]
    try #require(
      Glibc.socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    socket = ends[1]
    receiver = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
  }

  /// Sends nothing to a program that has ended.
  func send(_ lines: [String]) {
    for line in lines {
      let packet = Array("\(line)\n".utf8)
      guard Glibc.send(socket, packet, packet.count, Int32(MSG_NOSIGNAL)) == packet.count else { break }
    }
  }

  func end() { shutdown(socket, Int32(SHUT_WR)) }

  deinit { close(socket) }
}
