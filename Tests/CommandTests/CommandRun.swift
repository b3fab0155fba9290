// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A run of a case in folders of its own: `work`, where the script begins, `state`, `config`, which does not exist yet, and `tmp`
/// for scratch files.
struct CommandRun {
  let place: URL
  private let program: URL

  /// The seconds after which a case hangs; it is then killed with all its children.
  private let limit: Int

  init(limit: Int = 900) throws {
    self.limit = limit
    place = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "emojiart-cli-\(UUID().uuidString)")
    program = try Project.program
    // Readable for the user that `unprivileged` changes to.
    for name in ["", "work", "state", "tmp", "bin", "share", "share/fonts"] {
      try makeFolder(place.appending(path: name), mode: 0o755)
    }
    try FileManager.default.createSymbolicLink(
      at: place.appending(path: "bin/emojiart"), withDestinationURL: program)
    try Data().write(to: place.appending(path: "share/fonts/TwemojiMozilla.ttf"))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o1777], ofItemAtPath: place.appending(path: "tmp").path)
  }

  func remove() throws { try FileManager.default.removeItem(at: place) }

  /// Runs a case's script, and replaces the random parts of its output.
  func run(_ test: CommandCase) async throws -> CommandCase.Outcome {
    let start = Date()
    let raw = try await run(
      script: test.folder.appending(path: "cmd"), stdin: test.folder.appending(path: "stdin"))
    var normaliser = Normaliser(here: place.appending(path: "work").path, place: place.path, start...Date())
    normaliser.learn(raw.stdout + raw.stderr)
    return CommandCase.Outcome(
      stdout: normaliser.plain(raw.stdout), stderr: normaliser.plain(raw.stderr), status: raw.status)
  }

  /// The first of a case's needs that this machine lacks, in words; empty if it has all.
  func lacks(_ needs: String) async throws -> String {
    let script = place.appending(path: "needs")
    let words = needs.split(whereSeparator: \.isWhitespace).map { "'\($0)'" }
    try Data("exec lacks \(words.joined(separator: " "))".utf8).write(to: script)
    let outcome = try await run(script: script)
    guard outcome.status == 0 || outcome.status == 1, outcome.stderr.isEmpty else {
      throw Project.Missing(what: "\(needs)\(outcome.stderr)")
    }
    return outcome.stdout.trimmingCharacters(in: .newlines)
  }

  /// The environment of a case's programs.
  var environment: [String: String] {
    [
      "PATH": "\(place.path)/bin:\(Project.fixtures.path)/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
      "HOME": place.appending(path: "work").path, "TZ": "UTC", "LANG": "C.UTF-8",
      "TMPDIR": place.appending(path: "tmp").path, "EMOJIART_STATE": place.appending(path: "state").path,
      "EMOJIART_CONFIG": place.appending(path: "config").path,
      "FIXTURES": Project.fixtures.path,
      // What is there instead of fonts of outlines that the machine may have, or not.
      "XDG_DATA_DIRS": place.appending(path: "share").path,
      // A pager waits for keys.
      "EMOJIART_PAGER": "",
    ]
  }

  func run(script: URL, stdin: URL? = nil, in folder: URL? = nil) async throws -> CommandCase.Outcome {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/timeout")
    // timeout(1) makes a process group of its own, and kills all of it.
    process.arguments = ["-s", "KILL", "\(limit)", "sh", "-eu", script.path]
    process.currentDirectoryURL = folder ?? place.appending(path: "work")
    process.environment = environment
    let input = stdin.flatMap { FileHandle(forReadingAtPath: $0.path) }
    process.standardInput = input ?? FileHandle.nullDevice
    let (stdout, stderr) = (try outputFile("stdout"), try outputFile("stderr"))
    process.standardOutput = stdout
    process.standardError = stderr
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in continuation.resume() }
      do { try process.start() } catch { continuation.resume(throwing: error) }
    }
    for file in [stdout, stderr] { try file.close() }
    return CommandCase.Outcome(
      stdout: try text("stdout"), stderr: try text("stderr"),
      status: process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    )
  }

  private func outputFile(_ name: String) throws -> FileHandle {
    let file = place.appending(path: name)
    guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
      throw Project.Missing(what: file.path)
    }
    return try FileHandle(forWritingTo: file)
  }

  private func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: place.appending(path: name)), as: UTF8.self)
  }

  private func makeFolder(_ folder: URL, mode: Int) throws {
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: mode])
  }
}
