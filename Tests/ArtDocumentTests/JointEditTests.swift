// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import TestSupport
import Testing

@testable import ArtDocument

@Suite("Edits that are saved as one") struct JointEditTests {
  private let folder: DocumentFolder
  private let file: DocumentFile
  private let ada: DocumentClient

  init() throws {
    folder = try DocumentFolder()
    file = try folder.make()
    ada = try DocumentClient(author: "ada", session: SessionID(lowBits: 1))
  }

  /// A document without a journal whose edits are joined, as a new program.
  private func open() async throws -> Document {
    try await Document.open(
      file, author: "ada", session: ada.session, journal: .noneJoiningEdits,
      autosave: AutosavePolicy(changes: .max, delay: .seconds(86_400)), refreshInterval: nil,
      clock: ManualClock())
  }

  private func add(_ x: Double) throws -> ClientRequest {
    ClientRequest(.action(try .bee(x: x)), by: ada, tag: RequestTag("add\(Int(x))"))
  }

  @Test(
    "S6 edits that are joined become one edit at the save: one entry, one revision, one undo",
    arguments: [2, 7, 3_000])
  func one(count: Int) async throws {
    let document = try await open()
    for x in 1...count { try await document.perform(add(Double(x))) }
    let before = await document.content
    try await document.close()
    let saved = try file.read()
    #expect(saved.looksLike(before) && saved.emojiCount == count)
    #expect(saved.revision == 1 && saved.log.count == 1)
    let entry = try #require(saved.log.first)
    let more = count > 3 ? ", …" : ""
    let titles = Array(repeating: "add 🐝", count: min(3, count)).joined(separator: ", ")
    #expect(entry.edit.name == "\(count) edits: \(titles)\(more)")
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
    for x in 1...3 { try await document.perform(add(Double(x))) }
    try await document.close()
    let later = try await open()
    let answer = try await later.perform(add(2))
    #expect(answer.isRepeated && answer.entries.count == 1)
    #expect(await later.content.emojiCount == 3)
    try await later.close()
    #expect(try file.read().revision == 1)
  }

  @Test("S6 what others have saved meanwhile stays, beside joined edits")
  func others() async throws {
    let document = try await open()
    for x in 1...3 { try await document.perform(add(Double(x))) }
    var bob = try Author(origin: Origin(lowBits: 7), name: "bob")
    _ = try file.perform(.bee(x: 100), by: &bob, at: 5)
    try await document.close()
    let saved = try file.read()
    #expect(saved.emojiCount == 4 && saved.log.map(\.author) == ["bob", "ada"] && saved.revision == 2)
    #expect(try UndoPlan.undo(in: saved)?.changes.count == 3)
  }

  @Test("S6 edits without a net effect, and a single one, are saved as they are")
  func separate() async throws {
    let document = try await open()
    try await document.perform(add(1))
    try await document.undo(by: ada)
    try await document.close()
    #expect(try file.read().log.map(\.title) == ["add 🐝", "Undo add 🐝"])
    let single = try await open()
    try await single.redo(by: ada)
    try await single.close()
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
        let count = await document.content.emojiCount
        switch Int.random(in: 0...5, using: &random) {
        case 0...1: try await document.perform(.bee(x: Double.random(in: 0...900, using: &random)))
        case 2 where count > 0: try await document.perform(.move(.all, .by(Coordinates("1,2"))))
        case 3 where count > 3: try await document.perform(.remove(EmojiSelection([.last])))
        case 4: _ = try? await document.undo(by: ada)
        default: _ = try? await document.redo(by: ada)
        }
      }
      let end = await document.content
      try await document.close()
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
