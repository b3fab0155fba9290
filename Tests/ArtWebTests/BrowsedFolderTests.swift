// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import ArtStore
import ArtSystem
import ArtWorkspace
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtWeb

/// A page's folder, put together from the messages as the page does.
private final class Shown: PageOutput {
  private struct State {
    var count = 0
    var documents: [String: String] = [:]
    var modified: [String: Int] = [:]
    var isHeld = false
    var waiting: [CheckedContinuation<Void, Never>] = []

    mutating func apply(_ folder: [String: Any]) {
      count += 1
      if folder["all"] != nil { documents = [:] }
      for name in folder["removed"] as? [String] ?? [] { documents[name] = nil }
      for entry in (folder["all"] ?? folder["changed"]) as? [[String: Any]] ?? [] {
        guard let name = entry["name"] as? String else { continue }
        modified[name] = entry["modified"] as? Int
        documents[name] = "\(entry["key"] as? String ?? "none") \(entry["state"] as? String ?? "")"
      }
    }
  }

  private let state = Mutex(State())

  /// The number of messages.
  var count: Int { state.withLock(\.count) }
  /// The documents and what is known of them.
  var documents: [String: String] { state.withLock(\.documents) }

  /// When the documents' files were changed, in milliseconds since 1970.
  var modified: [String: Int] { state.withLock(\.modified) }

  /// Lets messages wait.
  func hold() { state.withLock { $0.isHeld = true } }

  /// Takes the messages that wait, and all others.
  func release() {
    let waiting = state.withLock { state in
      state.isHeld = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for each in waiting { each.resume() }
  }

  func send(_ message: [UInt8]) async {
    await withCheckedContinuation { continuation in
      let isHeld = state.withLock { state in
        if state.isHeld { state.waiting.append(continuation) }
        return state.isHeld
      }
      if !isHeld { continuation.resume() }
    }
    let value = (try? JSONSerialization.jsonObject(with: Data(message))) as? [String: Any]
    guard let folder = (value?["folder"] ?? value?["documents"]) as? [String: Any] else { return }
    state.withLock { $0.apply(folder) }
  }

  var takesLossy: Bool { true }
  func sendLossy(_ message: [UInt8]) {}
}

@Suite("A folder that a page shows", .timeLimit(.minutes(5))) struct BrowsedFolderTests {
  /// Runs a test with a hub of a folder that is watched, and a page of it.
  private func with(_ body: (String, StudioHub, LivePage, Shown) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("emojiart-browsed.\(UUID())")
      .path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
    var settings = WorkspaceSettings()
    settings.journal = .folder(JournalFolder(folder + "/.journals"))
    settings.isRecursive = true
    settings.skipsHiddenFolders = true
    let hub = StudioHub(try await Workspace.open(folder, settings))
    let shown = Shown()
    let page = LivePage(try DocumentClient(session: SessionID(lowBits: 1)), of: hub, to: shown)
    try await body(folder, hub, page, shown)
    await page.close()
    #expect(await hub.workspace.close() == nil)
  }

  private func make(_ path: String) throws {
    var random = SystemRandomNumberGenerator()
    _ = try DocumentFile(path).create(canvas: .standard, using: &random)
  }

  private func edit(_ path: String) throws {
    var file = DocumentFile(path)
    file.timeout = .seconds(20)
    let action = Action.add([try EmojiText("🐝")], at: .point(x: 1, y: 2), size: .standard)
    var author = try Recovery().newAuthor()
    _ = try file.perform(action, by: &author, at: 1_800_000_000_000)
  }

  private func ask(_ page: LivePage, _ message: String) async { await page.receive([Array(message.utf8)]) }

  /// What a page must show of a folder in the end.
  private func present(_ workspace: Workspace, in folder: String) async -> [String: String] {
    var result: [String: String] = [:]
    for document in await workspace.documents(in: folder) {
      result[FilePath(document.path).name] =
        "\(document.base?.key ?? "none") \(document.trouble == nil ? "" : document.trouble?.code == .damaged ? "damaged" : "unreadable")"
    }
    return result
  }

  @Test("H13 the time of a file is told, also where its content is known already")
  func quietChange() async throws {
    try await with { folder, hub, page, shown in
      try make("\(folder)/ants.emojiart")
      try await until("it to be known") { await hub.workspace.documents.count == 1 }
      await ask(page, #"{"documents":{"browse":""},"tag":"1"}"#)
      let before = shown.documents
      // As after a save between the look at the file and its reading: another time, and no other content.
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
        ofItemAtPath: "\(folder)/ants.emojiart")
      try await until("the time to be told") { shown.modified["ants.emojiart"] == 1_000_000_000_000 }
      #expect(shown.documents == before)
    }
  }

  @Test(
    "H13 a page has the present state of each document after saves, renames, removals and damage by others")
  func follows() async throws {
    try await with { folder, hub, page, shown in
      for name in ["ants", "bees"] { try make("\(folder)/\(name).emojiart") }
      try await until("both to be known") { await hub.workspace.documents.count == 2 }
      await ask(page, #"{"documents":{"browse":""},"tag":"1"}"#)
      #expect(shown.documents.keys.sorted() == ["ants.emojiart", "bees.emojiart"])
      let before = shown.documents
      try edit("\(folder)/bees.emojiart")
      try await until("the save to be told") { shown.documents["bees.emojiart"] != before["bees.emojiart"] }
      try make("\(folder)/cats.emojiart")
      try FileManager.default.moveItem(atPath: "\(folder)/ants.emojiart", toPath: "\(folder)/wasps.emojiart")
      try await until("the rename to be told") {
        shown.documents.keys.sorted() == ["bees.emojiart", "cats.emojiart", "wasps.emojiart"]
      }
      try FileManager.default.removeItem(atPath: "\(folder)/cats.emojiart")
      try await until("the removal to be told") {
        shown.documents.keys.sorted() == ["bees.emojiart", "wasps.emojiart"]
      }
      #expect(shown.documents == (await present(hub.workspace, in: "")))
      // Another folder is shown from now on.
      try FileManager.default.createDirectory(atPath: "\(folder)/old", withIntermediateDirectories: true)
      try make("\(folder)/old/x.emojiart")
      try await until("the subfolder to be known") { await hub.workspace.documents(in: "old").count == 1 }
      await ask(page, #"{"documents":{"browse":"old"},"tag":"2"}"#)
      #expect(shown.documents.keys.sorted() == ["x.emojiart"])
      let count = shown.count
      try edit("\(folder)/bees.emojiart")
      try edit("\(folder)/old/x.emojiart")
      let old = shown.documents
      try await until("the save there to be told") { shown.documents != old }
      #expect(shown.documents.keys.sorted() == ["x.emojiart"] && shown.count > count)
    }
  }

  @Test("H13 a page that does not read gets one message for all that it has missed")
  func slow() async throws {
    try await with { folder, hub, page, shown in
      let paths = (0..<20).map { "\(folder)/\($0).emojiart" }
      for path in paths { try make(path) }
      try await until("all to be known") { await hub.workspace.documents.count == 20 }
      await ask(page, #"{"documents":{"browse":""},"tag":"1"}"#)
      shown.hold()
      let before = shown.count
      for path in paths { try edit(path) }
      let wanted = Set(paths.map { FilePath($0).name })
      try await until("all saves to be known") {
        Set(
          await hub.workspace.documents.filter { ($0.base?.revision ?? 0) == 1 }.map {
            FilePath($0.path).name
          }) == wanted
      }
      // What is being sent is one message; the rest adds up to a second one, and perhaps a last one.
      shown.release()
      let now = await present(hub.workspace, in: "")
      try await until("all saves to be told") { shown.documents == now }
      #expect(shown.count - before <= 4, "\(shown.count - before) messages")
    }
  }

  @Test("H13 requests for documents are answered one by one, and those that fail say why")
  func requests() async throws {
    try await with { folder, hub, page, _ in
      let client = page.client
      #expect(
        try await hub.perform(.create("bees", nil, template: nil), by: client).documents == ["bees.emojiart"])
      #expect(
        try await hub.perform(.create("ants", nil, template: "bees.emojiart"), by: client).documents == [
          "ants.emojiart"
        ])
      #expect(
        try await hub.perform(.duplicate("bees.emojiart"), by: client).documents == ["bees copy.emojiart"])
      #expect(
        try await hub.perform(.rename("ants.emojiart", to: "wasps"), by: client).documents == [
          "wasps.emojiart"
        ])
      let error = await #expect(throws: ArtError.self) {
        try await hub.perform(.rename("bees.emojiart", to: "wasps"), by: client)
      }
      #expect(error?.code == .exists)
      let gone = try await hub.perform(.putBack(["never.emojiart"]), by: client)
      #expect(gone.documents.isEmpty && gone.failures.map(\.error.code) == [.noSuchDocument])
      #expect(hub.workspace.path == folder)
    }
  }

  @Test(
    "H4 a request for documents is read, or is an error",
    arguments: [
      (#"{"browse":"posters"}"#, FolderRequest.browse("posters")), (#"{"leave":true}"#, .leave),
      (#"{"list":""}"#, .list("")),
      (#"{"rename":{"document":"a","to":"b"}}"#, .rename("a", to: "b")),
      (#"{"delete":["a","b"]}"#, .delete(["a", "b"])),
      (#"{"create":{"name":"a","template":"b"}}"#, .create("a", nil, template: "b")),
      (#"{"repair":"a"}"#, .repair("a")),
      (#"{}"#, nil), (#"{"browse":"a","leave":true}"#, nil), (#"{"rename":{"document":"a"}}"#, nil),
      (#"{"create":{"name":"a","width":1}}"#, nil),
      (#"{"create":{"name":"a","width":1,"height":1,"template":"b"}}"#, nil),
      (#"{"create":{"name":"a","width":0,"height":-5}}"#, nil),
      (#"{"open":"a"}"#, nil), (#"{"delete":"a"}"#, nil), (#"{"browse":null}"#, nil),
    ])
  func reading(_ text: String, _ wanted: FolderRequest?) throws {
    let bytes = Array(#"{"documents":\#(text),"tag":"1"}"#.utf8)
    guard let wanted else {
      #expect(throws: ProtocolRequest.Unreadable.self, "\(text)") { try PageMessage(bytes) }
      return
    }
    guard case .documents(let request) = try PageMessage(bytes).body else {
      Issue.record("\(text) is another message")
      return
    }
    #expect(request == wanted)
  }
}
