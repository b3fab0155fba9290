// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("Captions that are named in a file") struct CaptionReferenceTests {
  @Test("M27 a file's captions are found however their rows are spelled, and an id's beginning is no caption")
  func spelled() throws {
    let folder = try Workspace()
    let file = try folder.document()
    var maker = try EditMaker(seed: 4)
    let captions = try ["aaaaaaaa", "bbbbbbbb"].enumerated().map { (index, name) in
      Emoji(
        id: try #require(EmojiID(name)),
        text: EmojiText(try Words(index == 0 ? "Hello" : "A"), box: try TextBox(width: 3, height: 1)),
        position: try Point(x: 1, y: 2), size: try FontSize(40), z: index)
    }
    let bee = Emoji(
      id: try #require(EmojiID("cccccccc")), text: try EmojiText("🐝"), position: try Point(x: 1, y: 2),
      size: try FontSize(40), z: 2)
    let stamp = maker.stamp()
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      _ = try transaction.perform(
        Edit(name: "add", changes: (captions + [bee]).map { .add($0) }), stamp: stamp)
    }
    func found(_ typed: String) throws -> ArtError.Code? {
      failure {
        try file.read { (transaction: DocumentTransaction) throws(ArtError) in
          _ = try Reference(typed).resolve(in: transaction)
        }
      }?.code
    }
    #expect(try found("A") == .ambiguous)
    #expect(try found("a") == nil && found("C") == nil)
    // Another program may spell a letter by its number; this one has the right sum, too.
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      let row = try transaction.statement("\(EmojiRow.select) WHERE id = 'bbbbbbbb'")
      func sum() throws(ArtError) -> Int {
        try row.bind()
        defer { row.reset() }
        guard try row.step() else { throw .busy("the caption") }
        return EmojiRow.sum(id: try row.utf8(0), z: try row.integer(1), fields: try row.utf8(2))
      }
      let old = try sum()
      try transaction.connection.execute(
        "UPDATE emoji SET json = replace(json, '\"caption\"', '\"\\u0063aption\"') WHERE id = 'bbbbbbbb'")
      let new = try sum()
      #expect(old != new)
      try transaction.statement("UPDATE emoji SET sum = ?1 WHERE id = 'bbbbbbbb'").run(.integer(new))
      transaction.art.digest.remove(old)
      transaction.art.digest.add(new)
    }
    #expect(try file.check().faults.isEmpty)
    #expect(try found("A") == .ambiguous)
  }
}
