// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A folder with one document, and what runs there.
final class Studio {
  let folder: String
  let art: String
  let document: String
  let environment: [String: String]
  /// Listening sockets that outlive servers.
  private(set) var kept: [Int32] = []
  /// The folder with the programs that are built beside the tests.
  static let products =
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("emojiart-studio.\(UUID())").path
    art = folder + "/art"
    document = art + "/bees.emojiart"
    for path in [art, folder + "/run", folder + "/bin"] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    environment = ProcessInfo.processInfo.environment.merging([
      "EMOJIART_STATE": folder + "/state", "EMOJIART_CONFIG": folder + "/config",
      "XDG_RUNTIME_DIR": folder + "/run",
      "PATH": "\(folder)/bin:/usr/bin:/bin", "XDG_CACHE_HOME": folder + "/cache", "LC_ALL": "C.UTF-8",
    ]) { $1 }
    try command(["new", document, "--canvas", "640x480"])
    try command(["add", document, "🐝"])
  }

  deinit {
    for descriptor in kept { close(descriptor) }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// The output of the command, which must succeed.
  @discardableResult
  func command(_ words: [String]) throws -> String { try output(Self.products + "/emojiart", words) }

  /// The output of a program, which must succeed.
  func output(_ path: String, _ words: [String]) throws -> String {
    let program = try start(path, words)
    program.endInput()
    var lines: [String] = []
    while let more = try program.lines() { lines += more }
    guard try program.wait() == 0 else { throw ProgramError(what: "\(words): \(try errors())") }
    return lines.joined(separator: "\n")
  }

  func start(_ program: String, _ words: [String]) throws -> SpawnedProgram {
    try SpawnedProgram(program, words, environment: environment, errors: folder + "/errors")
  }

  func errors() throws -> String { try String(contentsOfFile: folder + "/errors", encoding: .utf8) }

  func serve(_ options: [String] = []) throws -> ServerProgram {
    try ServerProgram(beginServing(options), self)
  }

  /// Starts a server, and does not wait for its link. It gets the kept sockets, if there are some, as from systemd.
  func beginServing(_ options: [String] = []) throws -> SpawnedProgram {
    let words = [Self.products + "/emojiart", "serve", document] + options
    guard !kept.isEmpty else { return try start(words[0], Array(words.dropFirst())) }
    let script = #"export LISTEN_PID=$$ LISTEN_FDS=\#(kept.count); exec "$@""#
    return try SpawnedProgram(
      "/bin/sh", ["-c", script, "serve"] + words, environment: environment, errors: folder + "/errors",
      passing: kept)
  }

  /// Keeps listening sockets at one port, which all servers from now on get.
  func keepSockets() throws {
    for descriptor in kept { close(descriptor) }
    kept = []
    kept = try LoopbackSocket.pair().map(\.descriptor)
  }

  func link() throws -> String { try command(["serve", art, "--link"]) }

  func page(_ link: String, client: String, session: String? = nil) throws -> PageProgram {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/bin/studio-page").path
    let words = ["--client", client] + (session.map { ["--session", $0] } ?? []) + [link]
    return try PageProgram(start(script, words), self)
  }

  /// The record of the server.
  func record() throws -> String {
    let place = folder + "/run/emojiart/"
    let names = try FileManager.default.contentsOfDirectory(atPath: place).filter { $0.hasSuffix(".json") }
    return place + (try #require(names.first))
  }

  func journals() throws -> [String] {
    let path = folder + "/state/journal"
    return try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.contains(".") }
  }
}

/// A running server.
final class ServerProgram {
  let link: String
  private let program: SpawnedProgram
  private let studio: Studio
  /// The id of the process.
  var id: pid_t { program.id }
  /// The port on loopback.
  var port: Int { link.firstMatch(of: /:(\d+)\//).flatMap { Int($0.output.1) } ?? 0 }
  /// The name and the port.
  var host: String { link.firstMatch(of: /http:\/\/([^\/]*)\//).map { String($0.output.1) } ?? "" }

  init(_ program: SpawnedProgram, _ studio: Studio) throws {
    (self.program, self.studio) = (program, studio)
    var lines: [String] = []
    while lines.isEmpty {
      guard let more = try program.lines() else {
        throw ProgramError(what: "no server: \(try studio.errors())")
      }
      lines += more
    }
    link = lines[0]
  }

  func kill() {
    program.kill()
    _ = try? program.wait()
  }

  /// Whether it has ended, and nobody has waited for it.
  func hasEnded() throws -> Bool {
    try String(contentsOfFile: "/proc/\(program.id)/stat", encoding: .utf8).contains(") Z ")
  }

  /// Ends it by a signal.
  func end() throws {
    Foundation.kill(program.id, SIGTERM)
    let status = try program.wait()
    let errors = (try? studio.errors()) ?? ""
    #expect(status == 0, "\(errors)")
  }
}

/// A page without a browser: `Fixtures/bin/studio-page`.
final class PageProgram {
  private let program: SpawnedProgram
  private let studio: Studio
  private var lines: [String] = []
  private var tags = 0
  /// The emoji of the document when it was opened, and the head that was saved then, as JSON.
  private(set) var ids: [String] = []
  private(set) var head = "null"
  /// The ticket of its connection.
  var ticket: String {
    lines.first?.firstMatch(of: /"ticket": ?"([0-9a-f]+)"/).map { String($0.output.1) } ?? ""
  }

  /// The identity of the folder.
  var folderID: String {
    lines.first?.firstMatch(of: /"folderID": ?"([0-9a-f]+)"/).map { String($0.output.1) } ?? ""
  }

  init(_ program: SpawnedProgram, _ studio: Studio) throws {
    (self.program, self.studio) = (program, studio)
    try wait(for: "the welcome") { $0.contains { $0.contains(#""welcome""#) } }
  }

  func wait(for what: String, until holds: ([String]) -> Bool) throws {
    while !holds(lines) {
      guard let more = try program.lines() else {
        throw ProgramError(what: "no \(what): \(lines.suffix(5)) \(try studio.errors())")
      }
      lines += more.filter { !$0.isEmpty }
    }
  }

  /// Sends a request, whose tag is `T` unless another is given, and returns its answer.
  @discardableResult
  func ask(_ request: String, tag: String? = nil) throws -> String {
    tags += 1
    let own = tag ?? "tag-\(tags)"
    let count = lines.count
    program.send(Array((request.replacingOccurrences(of: #""T""#, with: "\"\(own)\"") + "\n").utf8))
    func isAnswer(_ line: String) -> Bool {
      line.hasSuffix(#""tag":"\#(own)"}"#) && (line.hasPrefix(#"{"ok""#) || line.hasPrefix(#"{"error""#))
    }
    try wait(for: "the answer to \(request)") { $0.dropFirst(count).contains(where: isAnswer) }
    return lines.dropFirst(count).first(where: isAnswer) ?? ""
  }

  func open() throws {
    let answer = try ask(#"{"open":"bees.emojiart","tag":"T"}"#)
    let json = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any]
    let ok = json?["ok"] as? [String: Any]
    let emojis = (ok?["document"] as? [String: Any])?["emojis"] as? [[String: Any]]
    ids = try #require(emojis, "\(answer)").compactMap { $0["id"] as? String }
    if let id = (ok?["saved"] as? [String: Any])?["head"] as? String { head = "\"\(id)\"" }
  }

  /// Closes the connection.
  func leave() { program.endInput() }

  func http(_ method: String, _ target: String, body: String = "{}") throws -> String {
    let count = lines.count
    program.send(
      Array((#"{"http":{"method":"\#(method)","target":"\#(target)","body":\#(body)}}"# + "\n").utf8))
    try wait(for: target) { $0.dropFirst(count).contains { $0.hasPrefix(#"{"http""#) } }
    return lines.dropFirst(count).first { $0.hasPrefix(#"{"http""#) } ?? ""
  }
}
