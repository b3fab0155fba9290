// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport

/// A running `emojiart edit bees --json`, or another command, whose input and output a test holds. Its calls block: see `onThread`.
final class StreamProcess {
  private let process = Process()
  private let input: Int32
  private let output: Int32
  private var read: [UInt8] = []

  init(
    in run: CommandRun, command: [String] = ["edit", "bees", "--json"], _ options: [String] = [],
    adding variables: [String: String] = [:]
  ) throws {
    let (stdin, stdout) = (Pipe.unshared(), Pipe.unshared())
    process.executableURL = run.place.appending(path: "bin/emojiart")
    process.arguments = command + options
    process.currentDirectoryURL = run.place.appending(path: "work")
    process.environment = run.environment.merging(variables) { _, new in new }
    process.standardInput = stdin
    process.standardOutput = stdout
    input = fcntl(stdin.fileHandleForWriting.fileDescriptor, F_DUPFD_CLOEXEC, 0)
    output = fcntl(stdout.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 0)
    _ = fcntl(input, F_SETFL, O_NONBLOCK)
    try process.start()
    try stdin.fileHandleForWriting.close()
    try stdout.fileHandleForReading.close()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    close(output)
  }

  /// Writes lines until the pipe stays full for `timeout`, and returns how many bytes were written. The number is not exact.
  func offer(_ lines: String, timeout: Duration = .seconds(1)) -> Int {
    // A program that has ended must not end the test. Ignoring the signal would be inherited.
    var pipeSignal = sigset_t()
    sigemptyset(&pipeSignal)
    sigaddset(&pipeSignal, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipeSignal, nil)
    let bytes = Array(lines.utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
      if count > 0 {
        written += count
        continue
      }
      var ready = pollfd(fd: input, events: Int16(POLLOUT), revents: 0)
      guard errno == EAGAIN, poll(&ready, 1, Int32(timeout / .milliseconds(1))) == 1,
        ready.revents & Int16(POLLERR) == 0
      else { break }
    }
    return written
  }

  func send(_ lines: String...) throws {
    let text = lines.map { $0 + "\n" }.joined()
    guard offer(text, timeout: Hang.limit) == text.utf8.count else {
      throw Hang("a program that reads \(lines)")
    }
  }

  func endInput() { close(input) }

  var processID: Int32 { process.processIdentifier }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// The next line; nil at the end.
  func line() throws -> String? {
    var searched = 0
    while true {
      if let end = read[searched...].firstIndex(of: 0x0A) {
        defer { read.removeFirst(end + 1) }
        return String(decoding: read[..<end], as: UTF8.self)
      }
      searched = read.count
      var piece = [UInt8](repeating: 0, count: 1 << 16)
      try waitUntilReadable(output, for: "a line of the process \(processID)")
      let count = Glibc.read(output, &piece, piece.count)
      guard count > 0 else { return nil }
      read += piece[..<count]
    }
  }

  /// Discards the present output, without waiting for more.
  func discardOutput() {
    read = []
    var (piece, ready) = (
      [UInt8](repeating: 0, count: 1 << 16), pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    )
    while poll(&ready, 1, 0) == 1, Glibc.read(output, &piece, piece.count) > 0 {}
  }

  /// All lines to the end. A program that goes on writing hangs, too.
  func rest() throws -> [String] {
    let end = ContinuousClock.now + Hang.limit
    var lines: [String] = []
    while let line = try line() {
      lines.append(line)
      guard ContinuousClock.now < end else { throw Hang("the end of a process after \(line)") }
    }
    return lines
  }

  /// Reads up to and including the first line that contains a text.
  func lines(until text: String) throws -> [String] {
    let end = ContinuousClock.now + Hang.limit
    var lines: [String] = []
    while let line = try line() {
      lines.append(line)
      if line.contains(text) { return lines }
      guard ContinuousClock.now < end else { throw Hang("\(text) after \(line)") }
    }
    throw Project.Missing(what: "\(text) in \(lines.suffix(5))")
  }

  /// Waits for the end: the status, or minus the signal.
  func end() -> Int32 {
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }
}

extension CommandRun {
  /// The output of a script, which must succeed.
  func output(of script: String) async throws -> String {
    let file = place.appending(path: "script-\(UUID().uuidString)")
    try Data(script.utf8).write(to: file)
    let outcome = try await run(script: file)
    guard outcome.status == 0 else { throw Project.Missing(what: "\(script): \(outcome.stderr)") }
    return outcome.stdout
  }
}
