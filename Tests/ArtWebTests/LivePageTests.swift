// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtWorkspace
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtWeb

/// Pages without connections, and a folder with the documents `bees.emojiart` and `ants.emojiart`.
private struct Pages {
  let clock = ManualClock()
  let workspace: Workspace
  let hub: StudioHub

  private init(_ folder: String) async throws {
    var settings = WorkspaceSettings()
    settings.journal = .folder(JournalFolder(folder + "/journals"))
    settings.pollBecause = "this test needs no watcher"
    var random = SystemRandomNumberGenerator()
    for name in ["bees", "ants"] {
      _ = try DocumentFile("\(folder)/\(name).emojiart").create(canvas: .standard, using: &random)
    }
    workspace = try await Workspace.open(folder, settings)
    hub = StudioHub(workspace, clock: clock)
  }

  /// Runs a test.
  static func with(_ body: (Pages) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("emojiart-pages.\(UUID())")
      .path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
    let pages = try await Pages(folder)
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
  /// Whether the next event of the document is held, and what is held.
  let holds = Mutex(false)
  let held = Mutex<CheckedContinuation<Void, Never>?>(nil)

  /// What was sent, and what may get lost.
  var messages: [String] { sent.withLock(\.self) }
  var shown: [String] { lossy.withLock(\.self) }

  var takesLossy: Bool { !isSlow.withLock(\.self) }

  func send(_ message: [UInt8]) async {
    let text = String(decoding: message, as: UTF8.self)
    let waits = holds.withLock { holds in
      defer { if text.hasPrefix(#"{"changed""#) { holds = false } }
      return holds && text.hasPrefix(#"{"changed""#)
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
      output.holds.withLock { $0 = true }
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
