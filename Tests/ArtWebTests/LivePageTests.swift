// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtDocument
@testable import ArtWeb
@testable import ArtWorkspace

/// Pages without connections, and a folder with the documents `bees.emojiart` and `ants.emojiart`.
private struct Pages {
  let clock = ManualClock()
  let workspace: Workspace
  let hub: StudioHub

  private init(_ folder: String, _ helpers: HelperPrograms) async throws {
    var settings = WorkspaceSettings()
    settings.helpers = helpers
    settings.journal = .folder(JournalFolder(folder + "/journals"))
    settings.pollBecause = "this test needs no watcher"
    var random = SystemRandomNumberGenerator()
    for name in ["bees", "ants"] {
      _ = try DocumentFile("\(folder)/\(name).emojiart").create(canvas: .standard, using: &random)
    }
    workspace = try await Workspace.open(folder, settings)
    hub = StudioHub(workspace, clock: clock)
  }

  /// Runs a test. `helpers` makes the programs that pages need, in a folder.
  static func with(
    helpers: (String) throws -> HelperPrograms = { _ in .installed }, _ body: (Pages) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("emojiart-pages.\(UUID())")
      .path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
    let pages = try await Pages(folder, helpers(folder))
    let failure: (any Error)?
    do {
      try await body(pages)
      failure = nil
    } catch {
      failure = error
    }
    #expect(await pages.workspace.close() == nil)
    if let failure { throw failure }
  }

  /// A page that has opened `bees.emojiart`.
  func open(_ number: UInt64, _ output: Output = Output()) async throws -> (LivePage, Output) {
    let client = try DocumentClient(author: "page \(number)", session: SessionID(lowBits: number))
    let page = LivePage(client, of: hub, to: output)
    _ = await page.ask(#"{"open":"bees.emojiart","tag":"0"}"#, output)
    return (page, output)
  }
}

/// Keeps what is sent to a page.
private final class Output: PageOutput {
  private let sent = Mutex<[String]>([])
  private let lossy = Mutex<[String]>([])
  let isSlow = Mutex(false)
  /// With what the next message begins that is held, and what is held.
  let holds = Mutex<String?>(nil)
  let held = Mutex<CheckedContinuation<Void, Never>?>(nil)

  /// What was sent, and what may get lost.
  var messages: [String] { sent.withLock(\.self) }
  var shown: [String] { lossy.withLock(\.self) }

  var takesLossy: Bool { !isSlow.withLock(\.self) }

  func send(_ message: [UInt8]) async {
    let text = String(decoding: message, as: UTF8.self)
    let waits = holds.withLock { holds in
      guard let start = holds, text.hasPrefix(start) else { return false }
      holds = nil
      return true
    }
    if waits { await withCheckedContinuation { held in self.held.withLock { $0 = held } } }
    sent.withLock { $0.append(text) }
  }

  /// Sends what is held.
  func release() { held.withLock(\.self)?.resume() }

  func sendLossy(_ message: [UInt8]) {
    lossy.withLock { $0.append(String(decoding: message, as: UTF8.self)) }
  }
}

extension Document {
  /// Limits the number of unsaved edits.
  fileprivate func limitCapacity(to count: Int) { capacity = count }
}

/// A program that measures words when the test lets it.
private struct HeldWorker {
  private let go: String

  /// Makes it in a folder.
  init(in folder: String) { go = folder + "/go" }

  func helpers() throws -> HelperPrograms {
    let path = go + ".sh"
    let script = "#!/bin/sh\nread -r _ <'\(go)'\nexec '\(Studio.products)/emojiart-worker' \"$@\"\n"
    try Data(script.utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o755)
    mkfifo(go, 0o600)
    return HelperPrograms(folders: [], paths: ["emojiart-worker": path])
  }

  /// Returns when it has begun: what lets it go on.
  func begun() async throws -> FileHandle {
    var descriptor: Int32 = -1
    try await until("a program that measures") {
      // A pipe without a reader cannot be opened.
      descriptor = open(go, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      return descriptor >= 0
    }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}

extension LivePage {
  /// Sends a request, and returns the answer with its tag.
  fileprivate func ask(_ request: String, _ output: Output) async -> String {
    let count = output.messages.count
    await receive([Array(request.utf8)])
    return output.messages.dropFirst(count).last { $0.contains(#""tag""#) } ?? ""
  }
}

@Suite("Pages without connections", .timeLimit(.minutes(5))) struct LivePageTests {
  @Test(
    "H4 a copy of a caption that is in the document's history is taken, and a box that the page made up is measured"
  )
  func captions() async throws {
    try await Pages.with { pages in
      let (page, output) = try await pages.open(1)
      func edit(_ change: String, tag: String) async -> String {
        await page.ask(#"{"edit":{"changes":[\#(change)],"name":"edit"},"tag":"\#(tag)"}"#, output)
      }
      let added = await page.ask(#"{"caption":{"at":"top","size":30,"text":"Hi"},"tag":"1"}"#, output)
      #expect(added.contains(#""ok""#), "\(added)")
      let shown = await page.ask(#"{"show":true,"tag":"2"}"#, output)
      let id = try #require(shown.firstMatch(of: /"id":"([^"]+)"/), "\(shown)").output.1
      let box = try #require(shown.firstMatch(of: /"box":(\[[^\]]+\])/), "\(shown)").output.1
      // Its first words are only in the log then: as what the edit has replaced.
      let words = await page.ask(#"{"setText":{"ref":"\#(id)","words":"Ho"},"tag":"3"}"#, output)
      #expect(words.contains(#""ok""#), "\(words)")
      let copy = #"["add","0000000a","Hi",1,1,30,5,{"box":\#(box),"kind":"caption"}]"#
      #expect(await edit(copy, tag: "4").contains(#""ok""#))
      let made = copy.replacingOccurrences(of: String(box), with: "[1,1]")
      // A repeated edit is answered, whatever it has.
      #expect(await edit(made, tag: "4").contains(#""repeated":true"#))
      // Captions of another document are one edit: the server measures the words that it does not know.
      let others =
        made.replacingOccurrences(of: "0000000a", with: "0000000b")
        + ","
        + made.replacingOccurrences(of: "0000000a", with: "0000000c").replacingOccurrences(
          of: "Hi", with: "Hello there")
      #expect(await edit(others, tag: "5").contains(#""ok""#))
      let all = await page.ask(#"{"show":true,"tag":"6"}"#, output)
      #expect(all.matches(of: /"text":"(Hi|Ho|Hello there)"/).count == 4, "\(all)")
      #expect(!all.contains(#""box":[1,1]"#), "\(all)")
      #expect(all.contains("\"box\":\(box)"), "\(all)")
      await page.close()
    }
  }

  @Test(
    "D19 a request of a page that does not say what it knew is not done twice, however long the log is by then"
  )
  func lateRepeat() async throws {
    try await Pages.with { pages in
      let (page, output) = try await pages.open(1)
      func edit(_ side: Int, _ tag: String) -> String {
        #"{"edit":{"changes":[["canvas",\#(side),\#(side)]],"name":"canvas"},"tag":"\#(tag)"}"#
      }
      #expect(await page.ask(edit(500, "first"), output).contains(#""ok""#))
      #expect(await page.ask(edit(500, "first"), output).contains(#""repeated":true"#))
      await page.receive((1...1_300).map { Array(edit(600 + $0, "t\($0)").utf8) })
      _ = await page.ask(#"{"save":true,"tag":"save"}"#, output)
      let answer = await page.ask(edit(500, "first"), output)
      #expect(answer.contains(#""code":"movedOn""#), "\(answer)")
      #expect(await page.ask(#"{"show":true,"tag":"show"}"#, output).contains("1900"))
      await page.close()
    }
  }

  @Test("H14 of the messages that wait when a session ends none is performed")
  func endedSession() async throws {
    try await Pages.with { pages in
      let (page, output) = try await pages.open(1)
      let before = output.messages.count
      page.end()
      await page.receive(
        [
          #"{"edit":{"changes":[["canvas",500,500]],"name":"canvas"},"tag":"1"}"#,
          #"{"documents":{"makeFolder":"posters"},"tag":"2"}"#, #"{"show":true,"tag":"3"}"#,
        ].map { Array($0.utf8) })
      #expect(output.messages.count == before)
      await page.close()
      let (later, answers) = try await pages.open(2)
      let shown = await later.ask(#"{"show":true,"tag":"show"}"#, answers)
      #expect(!shown.contains("500"), "\(shown)")
      _ = await later.ask(#"{"documents":{"makeFolder":"posters"},"tag":"4"}"#, answers)
      await later.close()
      #expect(answers.messages.contains { $0.contains(#""documents""#) && $0.contains(#""tag":"4""#) })
    }
  }

  @Test("H14 what comes after a request that is being answered when its session ends is not begun")
  func endedMeanwhile() async throws {
    let edit = #"{"edit":{"changes":[["canvas",500,500]],"name":"canvas"},"tag":"1"}"#
    for (later, trace) in [
      (#"{"documents":{"makeFolder":"posters"},"tag":"2"}"#, "posters"),
      (#"{"version":"draft","tag":"2"}"#, "draft"), (#"{"show":true,"tag":"2"}"#, ""),
    ] {
      for ends in [false, true] {
        try await Pages.with { pages in
          let (page, output) = try await pages.open(1)
          output.holds.withLock { $0 = #"{"version""# }
          let second = edit.replacing("500", with: "600").replacing(#""tag":"1""#, with: #""tag":"3""#)
          let frames = [edit, later, second].map { Array($0.utf8) }
          async let performed: Void = page.receive(frames)
          try await until("the edit's version") { output.held.withLock(\.self) != nil }
          if ends { page.end() }
          output.release()
          await performed
          await page.close()
          let answers = output.messages.filter { $0.contains(#""tag":"2""#) }
          #expect(
            answers.count == (ends ? 0 : 1) && !answers.contains { $0.contains(#""error""#) }, "\(answers)")
          let (other, told) = try await pages.open(2)
          let shown = await other.ask(#"{"show":true,"tag":"show"}"#, told)
          #expect(shown.contains(ends ? "500" : "600") && !shown.contains(ends ? "600" : "500"), "\(shown)")
          let versions = await other.ask(#"{"versions":true,"tag":"versions"}"#, told)
          let listed = await other.ask(#"{"documents":{"list":""},"tag":"list"}"#, told)
          #expect(versions.contains(#""ok""#) && listed.contains("ants.emojiart"), "\(versions) \(listed)")
          #expect(
            trace.isEmpty || (versions + listed).contains(trace) == !ends, "\(trace) \(versions) \(listed)")
          await other.close()
        }
      }
    }
  }

  @Test("H14 an edit that waits for capacity when its session ends is not made")
  func endedWithoutCapacity() async throws {
    try await Pages.with { pages in
      let ((page, output), (other, answers)) = (try await pages.open(1), try await pages.open(2))
      let client = try DocumentClient(author: nil, session: SessionID(lowBits: 3))
      let session = try await pages.workspace.open("bees.emojiart", as: client)
      let document = session.shared.document
      await document.limitCapacity(to: 0)
      let edit = #"{"edit":{"changes":[["canvas",500,500]],"name":"canvas"},"tag":"1"}"#
      async let performed: Void = page.receive([Array(edit.utf8)])
      try await until("an edit that waits") { await document.waiters.count > 0 }
      page.end()
      await document.limitCapacity(to: 1_000_000)
      _ = await other.ask(#"{"add":{"text":"🌸"},"tag":"1"}"#, answers)
      _ = await other.ask(#"{"save":true,"tag":"2"}"#, answers)
      await performed
      #expect(!output.messages.contains { $0.contains(#""tag":"1""#) })
      let shown = await other.ask(#"{"show":true,"tag":"3"}"#, answers)
      #expect(shown.contains("🌸") && !shown.contains("500"), "\(shown)")
      for page in [page, other] { await page.close() }
      try await session.close()
    }
  }

  @Test("H14 words that are being measured when their session ends do not get into the document")
  func endedWhileMeasuring() async throws {
    for request in [
      #"{"caption":{"at":"top","size":30,"text":"Hi"},"tag":"1"}"#,
      #"{"edit":{"changes":[["add","0000000a","Hi",1,1,30,5,{"box":[1,1],"kind":"caption"}]],"name":"add"},"tag":"1"}"#,
    ] {
      for ends in [false, true] {
        var worker: HeldWorker?
        try await Pages.with(
          helpers: { folder in
            let held = HeldWorker(in: folder)
            worker = held
            return try held.helpers()
          }
        ) { pages in
          let (page, output) = try await pages.open(1)
          async let performed: Void = page.receive([Array(request.utf8)])
          let go = try await #require(worker).begun()
          if ends { page.end() }
          try go.write(contentsOf: Data("\n".utf8))
          await performed
          #expect(output.messages.contains { $0.contains(#""ok""#) && $0.contains(#""tag":"1""#) } == !ends)
          await page.close()
          let (other, answers) = try await pages.open(2)
          let shown = await other.ask(#"{"show":true,"tag":"show"}"#, answers)
          #expect(shown.contains("Hi") == !ends, "\(shown)")
          await other.close()
        }
      }
    }
  }

  @Test("a search gives names in the language of its page, by German words and by English ones")
  func find() async throws {
    try await Pages.with { pages in
      let (page, output) = try await pages.open(1)
      func found(_ search: String) async -> String {
        await page.ask(#"{"find":{\#(search)},"tag":"1"}"#, output)
      }
      let bee = #"{"found":[{"name":"Biene","text":"🐝"}],"tag":"1"}"#
      #expect(await found(#""language":"de","limit":1,"words":"Biene""#) == bee)
      #expect(await found(#""language":"de-AT","limit":1,"words":"honeybee""#) == bee)
      #expect(
        await found(#""language":"de","words":"Bihne""#).contains(#""name":"Biene""#), "the nearest name")
      let english = #"{"found":[{"name":"honeybee","text":"🐝"}],"tag":"1"}"#
      #expect(await found(#""limit":1,"words":"honeybee""#) == english)
      #expect(await found(#""language":"xx","limit":1,"words":"honeybee""#) == english)
      // The font lacks the trombone, and the skin tones of people with bunny ears.
      #expect(await found(#""words":"trombone""#) == #"{"found":[],"tag":"1"}"#)
      #expect(
        await found(#""limit":1,"words":"bunny ears""#)
          == #"{"found":[{"name":"people with bunny ears","text":"👯","untoned":true}],"tag":"1"}"#)
      #expect(
        await found(#""limit":1,"words":"raised hand""#)
          == #"{"found":[{"name":"raised hand","text":"✋"}],"tag":"1"}"#)
      await page.close()
    }
  }

  @Test("H8 after a page has opened another document it gets no event of the former one")
  func events() async throws {
    try await Pages.with { pages in
      let (page, output) = try await pages.open(1)
      let (other, otherOutput) = try await pages.open(2)
      output.holds.withLock { $0 = #"{"changed""# }
      // The first event is being written, and the second one waits, when the page opens another document.
      for tag in 1...2 { _ = await other.ask(#"{"add":{"text":"🐝"},"tag":"\#(tag)"}"#, otherOutput) }
      try await until("the event that is held") { output.held.withLock(\.self) != nil }
      async let asked = page.ask(#"{"open":"ants.emojiart","tag":"ants"}"#, output)
      try await until("the page to leave its document") { otherOutput.shown.last == #"{"peers":[]}"# }
      // What could come too early gets its turn.
      for _ in 0..<1_000 { await Task.yield() }
      output.release()
      let opened = await asked
      let events = output.messages.indices.filter { output.messages[$0].hasPrefix(#"{"changed""#) }
      #expect(events.count == 1, "the one that was held")
      #expect(try #require(events.first) < #require(output.messages.firstIndex(of: opened)))
      await page.close()
      await other.close()
    }
  }

  @Test("H4 the page knows the name of its undo before the edit is answered or told")
  func undoName() async throws {
    try await Pages.with { pages in
      let (page, output) = try await pages.open(1)
      for number in 1...20 {
        let event = "\"tags\":[\"\(number)\"]"
        let answer = await page.ask("{\"add\":{\"text\":\"🐝\"},\"tag\":\"\(number)\"}", output)
        try await until("the event") { output.messages.contains { $0.contains(event) } }
        let undone = await page.ask("{\"undo\":1,\"tag\":\"u\(number)\"}", output)
        let messages = output.messages
        let names = messages.indices.filter { messages[$0].hasPrefix("{\"can\"") }
        // One for the edit, and one for its undo.
        #expect(names.count == 2 * number)
        let answered = try #require(messages.firstIndex(of: answer))
        let told = try #require(messages.firstIndex { $0.contains(event) })
        let undoAnswered = try #require(messages.firstIndex(of: undone))
        let (named, back) = (names[2 * number - 2], names[2 * number - 1])
        #expect(named < answered && named < told && answered < back && back < undoAnswered)
      }
      await page.close()
    }
  }

  @Test("H4 an answer to a warning that asked nothing is an error")
  func warnings() async throws {
    try await Pages.with { pages in
      let (page, output) = try await pages.open(1)
      let answer = await page.ask(#"{"warnings":"never","tag":"1"}"#, output)
      #expect(answer.contains(#""error""#) && answer.contains("no warning asks a question"), "\(answer)")
      await page.close()
    }
  }

  @Test(
    "H8 of a page's presence the others get the first at once and the last of each pause; a slow page gets none"
  )
  func presence() async throws {
    try await Pages.with { pages in
      let (ada, _) = try await pages.open(1)
      let (bob, output) = try await pages.open(2)
      let slow = Output()
      let (eve, _) = try await pages.open(3, slow)
      slow.isSlow.withLock { $0 = true }
      let (before, slowBefore) = (output.shown.count, slow.shown.count)
      func show(_ numbers: ClosedRange<Int>) async {
        await ada.receive(numbers.map { Array(#"{"presence":{"drag":[\#($0),0],"ids":[]}}"#.utf8) })
      }
      func drags() -> [String] {
        output.shown.dropFirst(before).compactMap { message in
          message.firstMatch(of: /"drag":\[(\d+)/).map { String($0.output.1) }
        }
      }
      await show(1...20)
      #expect(drags() == ["1"])
      try await pages.clock.sleepers(1)
      pages.clock.advance(by: StudioHub.presencePause)
      // The next pause has begun when the last presence is shown.
      try await pages.clock.sleepers(1)
      #expect(drags() == ["1", "20"])
      pages.clock.advance(by: StudioHub.presencePause)
      try await until("the end of the pause") { pages.clock.asleep == 0 }
      #expect(slow.shown.count == slowBefore)
      // One page's presence is told alone; a page that has missed one gets all, once.
      #expect(output.shown.last?.hasPrefix(#"{"peer":{"client":"000000000001""#) == true, "\(output.shown)")
      slow.isSlow.withLock { $0 = false }
      for number in 7...8 {
        await show(number...number)
        try await until("what is shown") {
          pages.clock.advance(by: StudioHub.presencePause)
          return slow.shown.count > slowBefore + number - 7
        }
      }
      let caught = slow.shown.dropFirst(slowBefore)
      #expect(
        caught.first?.hasPrefix(#"{"peers":[{"#) == true && caught.last?.hasPrefix(#"{"peer":{"#) == true)
      #expect(caught.count == 2, "\(caught)")
      for page in [ada, bob, eve] { await page.close() }
    }
  }
}
