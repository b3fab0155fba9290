// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CStore
import Foundation
import TestSupport
import Testing

@testable import ArtStore

@Suite("Stamps and quick states of a document's file") struct StampTests {
  private let watched: WatchedFolder

  init() throws { watched = try WatchedFolder() }

  private func status(_ name: String) throws -> stat {
    var status = stat()
    try #require(lstat(watched[name], &status) == 0)
    return status
  }

  @Test(
    "D16 equal stamps prove nothing while the last write is younger than a tick, and stamps of different states differ"
  )
  func trust() throws {
    let file = try watched.make()
    let status = try status("bees.emojiart")
    let written = status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec
    let fresh = FileStamp(status, at: written)
    #expect(try file.stamp() == fresh && !fresh.isConclusive && !file.stamp().provesUnchanged(since: fresh))
    let early = FileStamp(status, at: written + FileStamp.tick)
    let late = FileStamp(status, at: written + FileStamp.tick + 1)
    #expect(!early.isConclusive && !late.provesUnchanged(since: early))
    #expect(late.isConclusive && early.provesUnchanged(since: late))
    try file.addBee()
    #expect(try file.stamp() != late && !file.stamp().provesUnchanged(since: late))
  }

  @Test("D16 a stamp has the identity of its file and the number of its hard links")
  func identity() throws {
    let file = try watched.make()
    let before = try file.stamp()
    try file.addBee()
    try watched.move("bees.emojiart", "moved.emojiart")
    try #require(link(watched["moved.emojiart"], watched["second.emojiart"]) == 0)
    let moved = try DocumentFile(watched["moved.emojiart"]).stamp()
    #expect(moved.identity == before.identity && before.hardLinks == 1 && moved.hardLinks == 2)
    #expect(try DocumentFile(watched["second.emojiart"]).stamp() == moved)
    #expect(try watched.make("third.emojiart").stamp().identity != before.identity)
    #expect(try DocumentFile(watched["none.emojiart"]).stampIfThere() == nil)
    #expect(try DocumentFile(watched["second.emojiart"]).stampIfThere() == moved)
  }

  @Test("W12 where links are not followed, a file behind a symbolic link is not a document")
  func links() throws {
    try watched.make()
    try #require(mkdir(watched["sub"], 0o755) == 0)
    try watched.make("sub/wasps.emojiart")
    try #require(symlink("bees.emojiart", watched["link.emojiart"]) == 0)
    try #require(symlink("sub", watched["folder"]) == 0)
    for (name, isDocument) in [
      ("bees", true), ("link", false), ("sub/wasps", true), ("folder/wasps", false),
    ] {
      var file = DocumentFile(watched["\(name).emojiart"])
      #expect(try file.stampIfThere() != nil && file.read().revision == 0)
      file.followsLinks = false
      #expect(try (file.stampIfThere() != nil) == isDocument, "\(name)")
      if isDocument {
        #expect(try file.read().revision == 0)
      } else {
        #expect(
          throws: ArtError(
            .notADocument, "\(file.path) is not an emojiart document: only a symbolic link leads to it",
            about: file.path)
        ) {
          _ = try file.read()
        }
        #expect(throws: ArtError.self) { _ = try file.quickBase() }
      }
    }
  }

  @Test("the quick state equals the state that a read gives, and is nil where it cannot be judged")
  func quick() async throws {
    let file = try watched.make()
    #expect(try file.quickBase() == DocumentBase(file.read()))
    for _ in 0..<30 {
      try file.addBee()
      #expect(try file.quickBase() == DocumentBase(file.read()))
    }
    // There is no quick state while SQLite has a file open, for instance in another test.
    var art: ArtRow?
    try await until("a quick state") {
      art = QuickState(file)?.art
      return art != nil
    }
    #expect(try art?.revision == 30 && art?.head == file.read().head && art?.id == file.read().id)
    let whole = try watched.bytes("bees.emojiart")
    // A journal is beside the file: a save may be under way.
    try watched.overwrite("bees.emojiart-journal", [])
    #expect(QuickState(file) == nil)
    #expect(try file.quickBase() == DocumentBase(file.read()))
    try watched.remove("bees.emojiart-journal")
    var wal = whole
    wal[18] = 2
    try watched.overwrite("bees.emojiart", wal)
    #expect(throws: ArtError.self) { _ = try file.quickBase() }
    for (name, bytes) in [("empty", []), ("text", Array("text".utf8)), ("cut", Array(whole.prefix(6_000)))] {
      try watched.overwrite("\(name).emojiart", bytes)
      #expect(throws: ArtError.self) { _ = try DocumentFile(watched["\(name).emojiart"]).quickBase() }
    }
  }
}
