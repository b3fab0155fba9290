// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The real server with pages that are programs, the command, and kills.
@Suite("The studio's server", .serialized, .timeLimit(.minutes(10))) struct StudioServerTests {
  @Test("H6 H8 two pages and a command edit one document, and all end with what is in the file")
  func together() throws {
    let studio = try Studio()
    let server = try studio.serve()
    let ada = try studio.page(server.link, client: "aaaaaaaaaaaa")
    let bob = try studio.page(try studio.link(), client: "bbbbbbbbbbbb")
    for page in [ada, bob] { try page.open() }
    let id = try #require(ada.ids.first)
    try ada.ask(#"{"edit":{"changes":[["move","\#(id)",1,2]],"name":"move"},"tag":"T"}"#)
    try bob.ask(#"{"edit":{"changes":[["resize","\#(id)",77]],"name":"resize"},"tag":"T"}"#)
    try studio.command(["rotate", studio.document, id, "--to", "30"])
    // Each page has heard of all three.
    for page in [ada, bob] {
      try page.wait(for: "all changes") { lines in
        ["\"x\":1", "\"size\":77", "\"rotation\":30"].allSatisfy { part in
          lines.contains { $0.contains(#"{"changed""#) && $0.contains(part) }
        }
      }
    }
    try ada.ask(#"{"save":true,"tag":"T"}"#)
    let shown = try studio.command(["show", studio.document, "--json"])
    for part in ["\"x\":1", "\"y\":2", "\"size\":77", "\"rotation\":30"] {
      #expect(shown.contains(part), "\(shown)")
    }
    // Undo is of one's own edits.
    try bob.ask(#"{"undo":1,"tag":"T"}"#)
    try bob.ask(#"{"save":true,"tag":"T"}"#)
    let undone = try studio.command(["show", studio.document, "--json"])
    #expect(undone.contains("\"x\":1") && undone.contains("\"size\":40"), "\(undone)")
    try server.end()
    #expect(try studio.journals().isEmpty)
  }

  @Test("H6 an edit that was answered outlives a kill of the server, and is made once when it is sent again")
  func killed() throws {
    let studio = try Studio()
    var server = try studio.serve()
    let session = studio.folder + "/session.json"
    var page = try studio.page(server.link, client: "cccccccccccc", session: session)
    try page.open()
    let rounds = 5
    for round in 1...rounds {
      let edit =
        #"{"edit":{"changes":[["add","0000000\#(round)","🐝",\#(round),1,40,\#(round * 10_000_000)]],"name":"add"},"since":\#(page.head),"tag":"edit-\#(round)"}"#
      try page.ask(edit, tag: "edit-\(round)")
      server.kill()
      server = try studio.serve()
      // The page continues its session with the server that was started again.
      page = try studio.page(server.link, client: "cccccccccccc", session: session)
      try page.open()
      #expect(page.ids.contains("0000000\(round)"), "the answered edit is there")
      let answer = try page.ask(edit, tag: "edit-\(round)")
      #expect(answer.contains("repeated"), "\(answer)")
    }
    try server.end()
    let shown = try studio.command(["show", studio.document, "--json"])
    for round in 1...rounds {
      #expect(shown.components(separatedBy: "0000000\(round)").count == 2, "\(shown)")
    }
    print("kills of the server: \(rounds), each answered edit was there once")
  }

  @Test("H9 a folder has one server, which a second one finds by every path of the folder")
  func one() throws {
    let studio = try Studio()
    let server = try studio.serve()
    let origin = try #require(server.link.split(separator: "#").first)
    symlink(studio.art, studio.folder + "/link")
    for words in [["serve", studio.art], ["serve", studio.folder + "/link", "--link"]] {
      let link = try studio.command(words)
      #expect(link.hasPrefix(origin) && link != server.link)
    }
    try server.end()
    // The port and the sessions are kept; no server answers.
    #expect(throws: ProgramError.self) { try studio.command(["serve", studio.art, "--link"]) }
    let next = try studio.serve()
    #expect(next.link.hasPrefix(origin))
    try next.end()
  }

  @Test("H1 the server refuses what its gate refuses, and answers pages with a ticket")
  func requests() throws {
    let studio = try Studio()
    let server = try studio.serve()
    let page = try studio.page(server.link, client: "dddddddddddd")
    try page.open()
    let drawn = try page.http("GET", "/render?document=bees.emojiart&format=png")
    #expect(drawn.contains("\"status\": 200") && drawn.contains("image/png"), "\(drawn)")
    let glyphs = try page.http(
      "POST", "/glyphs", body: #"{"width":100,"height":100,"labels":[{"text":"🐝","x":50,"y":50,"size":64}]}"#)
    #expect(glyphs.contains("\"status\": 200") && glyphs.contains("image/png"), "\(glyphs)")
    let code = try page.http("POST", "/code")
    #expect(code.contains("\"status\": 200"), "\(code)")
    for (target, status) in [
      ("/render?document=../bees.emojiart&format=png", 400),
      ("/render?document=nothing.emojiart&format=png", 404),
      ("/picture?document=bees.emojiart", 404), ("/nothing", 404), ("/live", 403),
    ] {
      #expect(try page.http("GET", target).contains("\"status\": \(status)"), "\(target)")
    }
    let edit =
      #"{"edit":{"changes":[["add","0000000a","Hi",1,1,40,5,{"box":[1,1],"kind":"caption"}]],"name":"add"},"tag":"T"}"#
    #expect(try page.ask(edit).contains("were not measured"))
    let caption = try page.ask(#"{"caption":{"at":"top","size":30,"text":"Hi"},"tag":"T"}"#)
    #expect(caption.contains(#""ok""#), "\(caption)")
    try server.end()
  }

  @Test("H10 a signal ends the server after its pages are told and their edits are saved")
  func signal() throws {
    let studio = try Studio()
    let server = try studio.serve()
    let page = try studio.page(server.link, client: "eeeeeeeeeeee")
    try page.open()
    try page.ask(#"{"add":{"text":"🌻"},"tag":"T"}"#)
    try server.end()
    try page.wait(for: "the goodbye") { $0.contains { $0.contains(#""bye""#) } }
    #expect(try studio.command(["show", studio.document, "--json"]).contains("🌻"))
    #expect(try studio.journals().isEmpty)
  }
}

/// A folder with one document, and what runs there.
private final class Studio {
  let folder: String
  let art: String
  let document: String
  private let environment: [String: String]
  /// The folder with the programs that are built beside the tests.
  private static let products =
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("emojiart-studio.\(UUID())").path
    art = folder + "/art"
    document = art + "/bees.emojiart"
    for path in [art, folder + "/run"] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    environment = ProcessInfo.processInfo.environment.merging([
      "EMOJIART_STATE": folder + "/state", "EMOJIART_CONFIG": folder + "/config",
      "XDG_RUNTIME_DIR": folder + "/run",
      "XDG_CACHE_HOME": folder + "/cache", "LC_ALL": "C.UTF-8",
    ]) { $1 }
    try command(["new", document, "--canvas", "640x480"])
    try command(["add", document, "🐝"])
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// The output of the command, which must succeed.
  @discardableResult
  func command(_ words: [String]) throws -> String {
    let program = try start(Self.products + "/emojiart", words)
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

  func serve() throws -> Server { try Server(start(Self.products + "/emojiart", ["serve", document]), self) }

  func link() throws -> String { try command(["serve", art, "--link"]) }

  func page(_ link: String, client: String, session: String? = nil) throws -> Page {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/bin/studio-page").path
    let words = ["--client", client] + (session.map { ["--session", $0] } ?? []) + [link]
    return try Page(start(script, words), self)
  }

  func journals() throws -> [String] {
    let path = folder + "/state/journals"
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.contains(".") }
  }
}

/// A running server.
private final class Server {
  let link: String
  private let program: SpawnedProgram
  private let studio: Studio

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

  /// Ends it by a signal.
  func end() throws {
    Foundation.kill(program.id, SIGTERM)
    let status = try program.wait()
    let errors = (try? studio.errors()) ?? ""
    #expect(status == 0, "\(errors)")
  }
}

/// A page without a browser: `Fixtures/bin/studio-page`.
private final class Page {
  private let program: SpawnedProgram
  private let studio: Studio
  private var lines: [String] = []
  private var tags = 0
  /// The emoji of the document when it was opened, and the head that was saved then, as JSON.
  private(set) var ids: [String] = []
  private(set) var head = "null"

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

  func http(_ method: String, _ target: String, body: String = "{}") throws -> String {
    let count = lines.count
    program.send(
      Array((#"{"http":{"method":"\#(method)","target":"\#(target)","body":\#(body)}}"# + "\n").utf8))
    try wait(for: target) { $0.dropFirst(count).contains { $0.hasPrefix(#"{"http""#) } }
    return lines.dropFirst(count).first { $0.hasPrefix(#"{"http""#) } ?? ""
  }
}
