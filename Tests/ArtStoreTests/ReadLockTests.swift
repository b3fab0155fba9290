// SPDX-License-Identifier: Apache-2.0

import ArtModel
import TestSupport
import Testing

@testable import ArtStore

@Suite("How long readers lock a document") struct ReadLockTests {
  /// Whether another program may write while the body reads all of the document.
  private func mayOthersWrite(to file: DocumentFile) throws -> Bool {
    try file.read(whole: true) { (transaction) throws(ArtError) in
      let isHeld: Bool
      do {
        _ = try FileLock(file.path, alone: true)
        isHeld = false
      } catch {
        isHeld = true
      }
      // The content is whole, whether or not another program has locked the file.
      guard try transaction.load().emojiCount == transaction.emojiCount else {
        throw .damaged("bees", "the count of emoji does not fit")
      }
      return !isHeld
    }
  }

  @Test(
    "F22 a document of 1,000 emoji is not locked while its content is read, and a smaller one is")
  func emojis() throws {
    let folder = try Workspace()
    let (small, large) = (try folder.document("small.emojiart"), try folder.document("large.emojiart"))
    try small.fill(emojis: 999, edits: 0, seed: 1)
    try large.fill(emojis: 1_000, edits: 0, seed: 1)
    #expect(try !mayOthersWrite(to: small), "the control: a small document is locked")
    #expect(try mayOthersWrite(to: large))
    #expect(try large.read().emojiCount == 1_000)
  }

  @Test("F22 a document with a long log is not locked while its content is read")
  func log() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: 200, edits: 0, seed: 1)
    let all = try file.read().emojisInOrder()
    var maker = try EditMaker(seed: 2)
    for round in 1...20 {
      let place = try Point(x: Double(round), y: 1)
      let stamp = maker.stamp()
      try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
        _ = try transaction.perform(
          Edit(name: "move", changes: all.map { .move($0.id, to: place) }), stamp: stamp)
      }
    }
    #expect(try mayOthersWrite(to: file))
  }

  @Test("F22 a copy has a limit of rows that follows from the size of its file")
  func maximumRows() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: 1_000, edits: 0, seed: 1)
    let size = try bytes(file.path).count
    let rows = try file.read(whole: true) { (transaction) throws(ArtError) in
      try transaction.connection.maximumRows
    }
    #expect(rows == size / 6 + 1)
  }
}
