// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Foundation
import TestSupport
import Testing

@testable import ArtWorker

@Suite("The program emojiart-worker", .timeLimit(.minutes(10))) struct ProgramTests {
  private static let decode = #"{"decode":{"bytes":3,"limits":{"bytes":3,"pixels":9,"side":3}}}"#

  /// Runs the program with that input; gives its lines, its stderr and its status.
  private func run(
    _ input: String, _ arguments: [String] = ["decode"], output: FileHandle? = nil
  ) throws -> (lines: [String], errors: String, status: Int32) {
    let process = Process()
    let (stdin, stdout, stderr) = (Pipe.unshared(), Pipe.unshared(), Pipe.unshared())
    process.executableURL = URL(fileURLWithPath: try HelperPrograms.installed.program("emojiart-worker").path)
    process.arguments = arguments
    process.standardInput = stdin
    process.standardOutput = output ?? stdout
    process.standardError = stderr
    try process.start()
    // The program may end without reading all of its input.
    try? stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try stdin.fileHandleForWriting.close()
    let written = output == nil ? stdout.fileHandleForReading.readDataToEndOfFile() : Data()
    let complaint = stderr.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationReason == .exit)
    return (
      String(decoding: written, as: UTF8.self).split(separator: "\n").map(String.init),
      String(decoding: complaint, as: UTF8.self), process.terminationStatus
    )
  }

  @Test("the worker greets, answers the requests in order, and ends with its input")
  func answers() throws {
    let none = try run("")
    #expect(none.lines == [#"{"hello":7}"#] && none.errors.isEmpty && none.status == 0)
    let two = try run("\(Self.decode)\nabc\(Self.decode)\n\n\n\n")
    #expect(two.lines.count == 3 && two.errors.isEmpty && two.status == 0)
    for line in two.lines.dropFirst() { #expect(line.contains(#""reason":"notAnImage""#)) }
  }

  @Test(
    "an invalid request ends the worker with status 65 and one line on stderr",
    arguments: [
      "nonsense\n", "\n", "{}\n", "{\"decode\":{}}\n", "\(decode)\nab", "\(decode)", "{\"draw\":{}}\n",
      "{\"decode\":{\"bytes\":4,\"limits\":{\"bytes\":3,\"pixels\":9,\"side\":3}}}\nabcd",
      "{\"decode\":{\"bytes\":-1,\"limits\":{\"bytes\":3,\"pixels\":9,\"side\":3}}}\n",
      "{\"decode\":{\"bytes\":999999999999,\"limits\":{\"bytes\":999999999999,\"pixels\":9,\"side\":3}}}\n",
    ])
  func broken(_ input: String) throws {
    let run = try run(input)
    #expect(run.lines == [#"{"hello":7}"#] && run.status == 65)
    #expect(run.errors.hasPrefix("emojiart-worker: ") && run.errors.hasSuffix("\n"))
    #expect(run.errors.split(separator: "\n").count == 1)
  }

  private static let draw =
    #"{"draw":{"canvas":{"height":3,"width":4},"format":{"png":{"height":1,"width":1}},"#
    + #""isTransparent":false,"region":{"height":3,"width":4,"x":0,"y":0}}}"#

  /// A drawing beside which that many follow.
  private static func panel(_ left: Int) -> String {
    #"{"draw":{"canvas":{"height":3,"width":4},"details":{"panelsLeft":\#(left)},"#
      + #""format":{"png":{"height":1,"width":1}},"#
      + #""isTransparent":false,"region":{"height":3,"width":4,"x":0,"y":0}}}"# + "\n"
  }

  private static let drawing = WorkerVerb.draw(FontPaths(colors: ["/nothing.ttf"]), []).arguments

  @Test(
    "an incomplete or invalid request to draw ends the worker with status 65 and one line on stderr",
    arguments: [
      "{\"draw\":{}}\n", "{\"picture\":1}\na", "{\"picture\":1}\na{\"picture\":1}\nb\(draw)\n",
      "{\"picture\":1}\na\(decode)\nabc", "{\"labels\":{\"bytes\":2,\"total\":1}}\n[]",
      "{\"labels\":{\"bytes\":2,\"total\":1}}\n[]\(draw)\n",
      "{\"labels\":{\"bytes\":2,\"total\":1}}\n{}\(draw)\n",
      "{\"labels\":{\"bytes\":9,\"total\":1}}\n[[\"\",1,1]]\(draw)\n",
      "{\"labels\":{\"bytes\":2000000,\"total\":1}}\n",
      "{\"picture\":999999999}\n", "\(draw)", "\(panel(1))\(panel(1))", panel(2),
    ])
  func brokenDrawing(_ input: String) throws {
    let run = try run(input, Self.drawing)
    #expect(run.lines == [#"{"hello":7}"#] && run.status == 65)
    #expect(run.errors.hasPrefix("emojiart-worker: ") && run.errors.split(separator: "\n").count == 1)
  }

  @Test("each request to draw has one answer")
  func drawings() throws {
    let labels = #"{"labels":{"bytes":16,"total":1}}"# + "\n" + #"[["🐝",1,1,1]]"#
    let run = try run("\(Self.draw)\n\(labels)\(Self.draw)\n\(Self.draw)\n", Self.drawing)
    #expect(run.status == 0 && run.errors.isEmpty && run.lines.count == 4)
    for line in run.lines.dropFirst() { #expect(line.contains(#""reason":"noFont""#), "\(line)") }
  }

  @Test("drawings side by side have one answer, when the last one is there")
  func panels() throws {
    let run = try run("\(Self.panel(1))\(Self.draw)\n\(Self.draw)\n\(Self.panel(1))", Self.drawing)
    #expect(run.status == 0 && run.errors.isEmpty && run.lines.count == 3)
    for line in run.lines.dropFirst() { #expect(line.contains(#""reason":"noFont""#), "\(line)") }
  }

  @Test("a drawing has the labels of its own request, and not those of an earlier one")
  func ownLabels() throws {
    // Texts that the font lacks are named in the answer.
    func request(_ texts: String...) -> String {
      guard !texts.isEmpty else { return "\(Self.draw)\n" }
      let labels = "[" + texts.map { #"["\#($0)",1,1,1]"# }.joined(separator: ",") + "]"
      return #"{"labels":{"bytes":\#(labels.utf8.count),"total":\#(texts.count)}}"#
        + "\n\(labels)\(Self.draw)\n"
    }
    let input = request("🐝漢") + request() + request("🐝字", "🐝漢") + request("🐝")
    let run = try run(input, WorkerVerb.draw(FontPaths(colors: EmojiFont.find(nil)), []).arguments)
    #expect(run.status == 0 && run.errors.isEmpty)
    let drawn = run.lines.compactMap { line in
      line.firstRange(of: #"{"drawn""#).map { line[$0.lowerBound...] }
    }
    let expected = [["🐝漢"], [], ["🐝字", "🐝漢"], []].map { texts in
      let lacking = texts.map { "\"\($0)\"" }.joined(separator: ",")
      return #"{"drawn":{"lacking":[\#(lacking)],"lackingCount":\#(texts.count)}}"#
    }
    #expect(drawn.map(String.init) == expected, "\(run.lines)")
  }

  @Test("requests before an invalid one are answered")
  func brokenLater() throws {
    let run = try run("\(Self.decode)\nabcnonsense\n")
    #expect(run.lines.count == 2 && run.status == 65)
  }

  @Test("a worker whose output is closed ends with status 74, and by no signal")
  func unread() throws {
    let pipe = Pipe.unshared()
    try pipe.fileHandleForReading.close()
    #expect(try run("", output: pipe.fileHandleForWriting).status == 74)
  }

  @Test(
    "a worker without a known verb and its arguments ends with status 64 and reports that it has no commands",
    arguments: [
      [], ["--help"], ["fetch", "png"], ["decode", "svg"], ["draw", "font=/f", "-x"], ["measure", "png"],
      ["sandbox", "x"], ["store", "x"],
    ])
  func commands(_ arguments: [String]) throws {
    let run = try run("", arguments)
    #expect(run.status == 64 && run.lines.isEmpty && run.errors.contains("has no commands"))
  }

  private static let fetch =
    #"{"fetch":{"allowsPrivate":false,"isTyped":true,"limits":{"bytes":1,"connect":1,"redirects":0,"total":1},"#
    + #""proxies":{},"url":"http://127.0.0.1:1/"}}"#

  @Test(
    "G1 a worker ends with status 65 at a request that it was not started for",
    arguments: [
      ("\(decode)\nabc", ["fetch"]), ("\(decode)\nabc", ["draw"]), ("\(fetch)\n", ["decode"]),
      ("\(fetch)\n", ["draw"]), ("\(draw)\n", ["decode"]), ("\(draw)\n", ["fetch"]),
      ("\(fetch)\n", ["store"]),
    ])
  func otherVerb(_ input: String, _ arguments: [String]) throws {
    let run = try run(input, arguments)
    #expect(run.lines == [#"{"hello":7}"#] && run.status == 65)
    #expect(run.errors.contains("was not started for"))
  }

  @Test("emojiart and the worker that was built with it have the same version")
  func sameVersion() async throws {
    do throws(BackgroundFailure) {
      _ = try await BackgroundFetcher().check(Array("no picture".utf8))
      Issue.record("the bytes were accepted")
    } catch {
      let result = Result<CheckedPicture, BackgroundFailure>.failure(error)
      #expect(result.refusal?.reason == .notAnImage, "\(error)")
    }
  }
}

@Suite("The parent process of a worker", .timeLimit(.minutes(10))) struct ParentTests {
  @Test(
    "G8 no process is left of a program that is killed while it fetches or decodes",
    arguments: [true, false])
  func killed(isFetching: Bool) async throws {
    let held = "stage there; forever"
    let worker = isFetching ? try ScriptedWorker(fetch: held) : try ScriptedWorker(decode: held)
    let parent = Process()
    parent.executableURL = URL(fileURLWithPath: try HelperPrograms.installed.program("WorkerParent").path)
    parent.arguments = ["fetch", worker.program.path]
    try parent.start()
    // The program is killed at once, so that none of its timeouts can end the worker.
    let process = parent.processIdentifier
    try await worker.reaches("there") { kill(process, SIGKILL) }
    #expect(try await worker.hasEnded())
    parent.waitUntilExit()
    #expect(parent.terminationReason == .uncaughtSignal)
  }

  @Test("G8 no process is left of a program that is killed while it draws")
  func killedDrawing() async throws {
    let worker = try ScriptedWorker(draw: "say '{\"part\":3}'; printf abc; stage there; forever")
    let parent = Process()
    parent.executableURL = URL(fileURLWithPath: try HelperPrograms.installed.program("WorkerParent").path)
    parent.arguments = ["draw", worker.program.path]
    try parent.start()
    let process = parent.processIdentifier
    try await worker.reaches("there") { kill(process, SIGKILL) }
    #expect(try await worker.hasEnded())
    parent.waitUntilExit()
    #expect(parent.terminationReason == .uncaughtSignal)
  }

  @Test(
    "a program that passes on the parts of a drawing needs memory for a few parts only, however large the drawing is"
  )
  func drawingMemory() async throws {
    let length = WorkerReply.partLimit
    func worker(_ parts: Int) throws -> ScriptedWorker {
      let part = "say '{\"part\":\(length)}'; head -c \(length) /dev/zero"
      return try ScriptedWorker(
        draw: "i=0; while [ $i -lt \(parts) ]; do \(part); i=$((i+1)); done; \(ScriptedWorker.drawn)")
    }
    let (small, large) = (try worker(4), try worker(64))
    func growth(_ how: String) throws -> Int {
      let parent = Process()
      let output = Pipe.unshared()
      parent.executableURL = URL(fileURLWithPath: try HelperPrograms.installed.program("WorkerParent").path)
      parent.arguments = [how, small.program.path, large.program.path]
      parent.standardOutput = output
      try parent.start()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      parent.waitUntilExit()
      #expect(parent.terminationStatus == 0)
      let words = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        .compactMap { Int($0) }
      try #require(words.count == 2)
      return words[1] - words[0]
    }
    let (passed, whole) = (try growth("measure-parts"), try growth("measure-whole"))
    print("a drawing of 65536 KiB: the peak grew by \(passed) KiB passed on, by \(whole) KiB held whole")
    #expect(whole >= 60_000, "the measurement includes the bytes")
    #expect(passed < 8_000)
  }

  @Test("a program holds the largest body once in memory")
  func memory() async throws {
    let worker = try ScriptedWorker(fetch: "say '{\"body\":20971520}'; head -c 20971520 /dev/zero")
    let small = try ScriptedWorker()
    let parent = Process()
    let output = Pipe.unshared()
    parent.executableURL = URL(fileURLWithPath: try HelperPrograms.installed.program("WorkerParent").path)
    parent.arguments = ["measure", small.program.path, worker.program.path]
    parent.standardOutput = output
    try parent.start()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    parent.waitUntilExit()
    #expect(parent.terminationStatus == 0)
    let words = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap {
      Int($0)
    }
    try #require(words.count == 2)
    let growth = words[1] - words[0]
    print("a body of 20480 KiB: the peak grew by \(growth) KiB")
    #expect(growth >= 20_000, "the measurement includes the body")
    #expect(growth < 30_000, "the body is held once")
  }
}
