// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Foundation
import Testing

@testable import ArtWorkspace

@Suite("Listing and following folders") struct FollowingTests {
  private let watched: WatchedFolder
  private let file: DocumentFile

  init() throws {
    watched = try WatchedFolder()
    file = try watched.make()
  }

  /// The present state of the folder.
  private func state() -> FolderReport.State {
    let documents = watched.names.map { name -> FolderDocument in
      do {
        return FolderDocument(path: name, base: try DocumentFile(watched[name]).base(), trouble: nil)
      } catch let error as ArtError {
        return FolderDocument(path: name, base: nil, trouble: error)
      } catch {
        return FolderDocument(path: name, base: nil, trouble: ArtError(.inputOutput, "\(error)"))
      }
    }
    return (documents, nil)
  }

  @Test(
    "W6 a follower receives the edits since its last revision once, as soon as the document can be read"
  )
  func since() throws {
    for _ in 0..<3 { try file.addBee() }
    let whole = try watched.bytes("bees.emojiart")
    try watched.overwrite("bees.emojiart", Array("half".utf8))
    var report = FolderReport(of: watched.path, only: [FilePath("bees.emojiart")], since: 1)
    #expect(report.begin(state()).first == .ready(1))
    let first = report.catchUp(isBeginning: true)
    #expect(!first.isComplete && report.isBehind)
    try watched.overwrite("bees.emojiart", whole)
    // The event of the repair, then each save; the received event itself is not repeated.
    let change = DocumentChange(edits: [], texts: [:], revision: 3, isComplete: true)
    let notices = report.receive(.changed("bees.emojiart", change), state: state)
    #expect(
      notices.map(\.name) == ["changed", "changed", "changed"] && notices.map(\.revision) == [3, 2, 3])
    #expect(!report.isBehind && report.catchUp().notices.isEmpty)
    #expect(report.receive(.changed("bees.emojiart", change), state: state).isEmpty)
  }

  @Test("W6 a follower that missed events receives the differences from what it received before")
  func resync() throws {
    var report = FolderReport(of: watched.path)
    #expect(report.begin(state()) == [.ready(1)])
    try watched.make("ants.emojiart")
    try watched.remove("bees.emojiart")
    let notices = report.receive(.resync, state: state)
    #expect(notices.prefix(2) == [.added("ants.emojiart", revision: 0), .removed("bees.emojiart")])
    #expect(report.replaced(by: .renamed("ants.emojiart", from: "x")) == nil)
    try watched.make("bees.emojiart")
    _ = report.receive(.added("bees.emojiart", revision: 0), state: state)
    #expect(report.replaced(by: .renamed("ants.emojiart", from: "bees.emojiart")) == "ants.emojiart")
  }

  @Test(
    "U5 a list has each document of a folder with its orphaned edits, or the reason why it cannot be read")
  func list() async throws {
    try await watched.orphan(2, of: file)
    try watched.overwrite("bad.emojiart", Array("no document at all".utf8))
    let list = try DocumentList(watched.path, recovery: watched.recovery())
    let entries = Array(list)
    #expect(list.count == 2 && entries.map(\.name) == ["bad.emojiart", "bees.emojiart"])
    #expect(throws: ArtError.self) { try entries[0].summary.get() }
    #expect(try entries[1].summary.get().emojiCount == 2)
    #expect(code { try DocumentList(watched["nowhere"], recovery: watched.recovery()) } == .noSuchDocument)
  }

  @Test("completions of a word are whole words that can be typed")
  func completion() throws {
    #expect(EmojiCompletion.labels(beginningWith: ":honeyb").map(\.text) == [":honeybee:"])
    let emojis = try ["🐝", "❤", "❤️", "🐝🐝"].enumerated().map { index, text in
      Emoji(
        id: try #require(EmojiID("k3v9x2p\(index)")), text: try EmojiText(text),
        position: try Point(x: 1, y: 2), size: .standard, z: 0)
    }
    let texts = EmojiCompletion.references(of: emojis, beginningWith: "")
    #expect(texts == ["❤️:1", "❤️:2", "🐝", "🐝🐝"] + emojis.map(\.id.description) + ["@last"])
    let names = EmojiCompletion.references(of: emojis, beginningWith: ":")
    #expect(names == [":honeybee:", ":red-heart::1", ":red-heart::2"])
    for word in texts + names { #expect(throws: Never.self) { try Reference(typed: word) } }
    #expect(emojis.typedLengths.values.allSatisfy { $0 == 8 })
  }
}
