// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("Edits that are saved as one") struct DraftTests {
  private let folder: WatchedFolder
  private let file: DocumentFile
  private let ada: DocumentClient

  init() throws {
    folder = try WatchedFolder()
    file = try folder.make()
    ada = try DocumentClient(author: "ada", session: SessionID(lowBits: 1))
  }

  private func open() async throws -> Session {
    var settings = WorkspaceSettings()
    settings.pending = .none
    return try await Session.openDraft(of: file, as: ada, settings)
  }

  private func perform(_ request: ClientRequest, in session: Session) async throws -> DocumentAnswer {
    try await session.perform(request.request, tag: request.tag)
  }

  private func bee(_ x: Double) throws -> Action {
    .add([try EmojiText("🐝")], at: .point(x: x, y: 20), size: .standard)
  }

  private func add(_ x: Double) throws -> ClientRequest {
    ClientRequest(.action(try bee(x)), by: ada, tag: RequestTag("add\(Int(x))"))
  }

  @Test(
    "S6 edits that are joined become one edit at the save: one entry, one revision, one undo",
    arguments: [2, 7, 3_000])
  func one(count: Int) async throws {
    let document = try await open()
    for x in 1...count { _ = try await perform(add(Double(x)), in: document) }
    let before = await document.snapshot.content
    #expect(await document.end() == nil)
    let saved = try file.read()
    #expect(saved.looksLike(before) && saved.emojiCount == count)
    #expect(saved.revision == 1 && saved.log.count == 1)
    let entry = try #require(saved.log.first)
    let names = [2: "2 edits: add 🐝, add 🐝", 7: "7 edits: add 🐝, add 🐝, add 🐝, …", 3_000: "3000 edits"]
    #expect(entry.edit.name == names[count])
    #expect(entry.author == "ada" && entry.session == ada.session && entry.kind == .edit)
    let steps = try #require(try UndoPlan.undo(in: saved))
    var undone = saved
    _ = try undone.apply(steps, at: 0)
    #expect(undone.emojiCount == 0 && steps.skipped.isEmpty)
    #expect(try file.check().faults == [])
  }

  @Test("S6 a request of joined edits that is sent again with its tag is not made again")
  func repeated() async throws {
    let document = try await open()
    for x in 1...3 { _ = try await perform(add(Double(x)), in: document) }
    #expect(await document.end() == nil)
    let later = try await open()
    let answer = try await perform(add(2), in: later)
    #expect(answer.isRepeated && answer.entries.count == 1)
    #expect(await later.snapshot.content.emojiCount == 3)
    #expect(await later.end() == nil)
    #expect(try file.read().revision == 1)
  }

  @Test("S6 what others have saved meanwhile stays, beside joined edits")
  func others() async throws {
    let document = try await open()
    for x in 1...3 { _ = try await perform(add(Double(x)), in: document) }
    var bob = try Author(origin: Origin(lowBits: 7), name: "bob")
    _ = try file.perform(bee(100), by: &bob, at: 5)
    #expect(await document.end() == nil)
    let saved = try file.read()
    #expect(saved.emojiCount == 4 && saved.log.map(\.author) == ["bob", "ada"] && saved.revision == 2)
    #expect(try UndoPlan.undo(in: saved)?.changes.count == 3)
  }

  @Test("S6 edits without a net effect, and a single one, are saved as they are")
  func separate() async throws {
    let document = try await open()
    _ = try await perform(add(1), in: document)
    try await document.undo()
    #expect(await document.end() == nil)
    #expect(try file.read().log.map(\.title) == ["add 🐝", "Undo add 🐝"])
    let single = try await open()
    try await single.redo()
    #expect(await single.end() == nil)
    #expect(try file.read().log.map(\.title) == ["add 🐝", "Undo add 🐝", "Redo add 🐝"])
  }

  @Test(
    "S6 random edits, undos and redos that are joined give the same document, and their undo the one before")
  func random() async throws {
    var random = SplitMix64(seed: 620)
    var joined = 0
    for round in 0..<40 {
      let start = try file.read()
      let document = try await open()
      for _ in 0..<Int.random(in: 1...25, using: &random) {
        let count = await document.snapshot.content.emojiCount
        switch Int.random(in: 0...5, using: &random) {
        case 0...1: try await document.perform(.action(bee(Double.random(in: 0...900, using: &random))))
        case 2 where count > 0: try await document.perform(.action(.move(.all, .by(Coordinates("1,2")))))
        case 3 where count > 3: try await document.perform(.action(.remove(EmojiSelection([.last]))))
        case 4: _ = try? await document.undo()
        default: _ = try? await document.redo()
        }
      }
      let end = await document.snapshot.content
      #expect(await document.end() == nil)
      let saved = try file.read()
      #expect(saved.looksLike(end), "round \(round)")
      let new = saved.log.filter { $0.revision > start.revision }
      guard new.count == 1, let entry = new.first, entry.edit.name.contains("edits: ") else { continue }
      joined += 1
      var undone = saved
      _ = try undone.apply(try #require(try UndoPlan.undo(of: entry.id, in: saved)), at: 0)
      #expect(undone.looksLike(start), "round \(round)")
    }
    #expect(joined > 20)
    #expect(try file.check().faults == [])
  }
}
