// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

/// A program that performs requests of a session, on the same document as another one.
private struct Program {
  var content: DocumentContent
  private(set) var made: [LoggedEdit] = []
  private let origin: Origin

  init(_ content: DocumentContent, _ number: UInt64) {
    (self.content, origin) = (content, Origin(lowBits: number))
  }

  /// Makes an edit of the requests with these tags.
  @discardableResult
  mutating func perform(
    _ changes: [Change], _ tags: String..., kind: LoggedEdit.Kind = .edit
  ) throws -> LoggedEdit {
    let applied = try content.apply(changes)
    let stamp = EditStamp(
      id: EditID(origin: origin, sequence: made.count + 1), time: 0, session: SessionID(lowBits: 1),
      tags: try tags.map { try #require(RequestTag($0)) })
    let entry = LoggedEdit(
      stamp, revision: content.revision + 1, save: content.revision + 1, kind: kind,
      edit: Edit(name: "edit", changes: applied.changes), inverse: applied.inverse)
    content.append(entry)
    made.append(entry)
    return entry
  }

  /// The document of the other program with the edits of this one.
  func rebased(on saved: Program) -> (content: DocumentContent, own: RebasedEdits) {
    var content = saved.content
    var generator = SplitMix64(seed: 5)
    let own = content.rebase(UnsavedEdits(made), save: content.revision + 1, using: &generator)
    content.checkInvariants()
    return (content, own)
  }
}

@Suite("Requests that two programs performed") struct RepeatedEditTests {
  private let bee: Emoji
  private let flower: Emoji
  /// The same as other programs have added them.
  private let otherBee: Emoji
  private let otherFlower: Emoji

  init() throws {
    bee = try emoji("aaaaaaaa", "🐝", x: 1, z: 1)
    flower = try emoji("bbbbbbbb", "🌸", x: 2, z: 2)
    otherBee = try emoji("cccccccc", "🐝", x: 1, z: 1)
    otherFlower = try emoji("dddddddd", "🌸", x: 2, z: 2)
  }

  private func programs() throws -> (Program, Program) {
    let content = try document()
    return (Program(content, 1), Program(content, 2))
  }

  @Test("D19 an edit of several requests is kept whole if the log has only one of them")
  func partOfDraft() throws {
    var (saved, open) = try programs()
    try saved.perform([.add(bee)], "a")
    let draft = try open.perform([.add(otherBee), .add(otherFlower)], "a", "b")
    let (content, own) = open.rebased(on: saved)
    #expect(own.repeated.isEmpty && own.edits.entries.map(\.id) == [draft.id])
    #expect(content.emojisInOrder().map(\.id) == [bee.id, otherBee.id, otherFlower.id])
  }

  @Test("D19 an edit of several requests is left out if the log has all of them", arguments: [false, true])
  func wholeDraft(isJoint: Bool) throws {
    var (saved, open) = try programs()
    if isJoint {
      try saved.perform([.add(bee), .add(flower)], "a", "b")
    } else {
      try saved.perform([.add(bee)], "a")
      try saved.perform([.add(flower)], "b")
    }
    let last = try #require(saved.made.last)
    let draft = try open.perform([.add(otherBee), .add(otherFlower)], "a", "b")
    // What follows is about the emoji of the log.
    let move = try open.perform([.move(otherFlower.id, to: Point(x: 7, y: 8))], "c")
    let (content, own) = open.rebased(on: saved)
    #expect(own.repeated == [draft.id: last.id] && own.twins == (isJoint ? own.repeated : [:]))
    #expect(own.edits.entries.map(\.id) == [move.id])
    #expect(content.emojisInOrder().map(\.id) == [bee.id, flower.id])
    #expect(try content.emoji(flower.id)?.position == Point(x: 7, y: 8))
  }

  @Test(
    "D19 an edit whose request the log has among others, as a restore makes them one, is left out, and an undo of it takes back its own values only"
  )
  func partOfRestore() throws {
    var (saved, open) = try programs()
    let joint = try saved.perform([.add(flower), .add(bee)], "b", "a")
    let add = try open.perform([.add(otherBee)], "a")
    let move = try open.perform([.move(otherBee.id, to: Point(x: 7, y: 8))], "c")
    let (moved, own) = open.rebased(on: saved)
    #expect(own.repeated == [add.id: joint.id] && own.twins.isEmpty)
    #expect(own.renamed[otherBee.id] == bee.id && own.edits.entries.map(\.id) == [move.id])
    #expect(
      moved.emojisInOrder().map(\.id).sorted { $0.description < $1.description } == [bee.id, flower.id])
    #expect(try moved.emoji(bee.id)?.position == Point(x: 7, y: 8))
    let undo = try open.perform(add.inverse, kind: .undo(add.id))
    let (undone, rest) = open.rebased(on: saved)
    #expect(rest.edits.entries.map(\.id) == [move.id, undo.id])
    #expect(undone.emojisInOrder().map(\.id) == [flower.id])
    // The joint edit stands, and can be undone.
    #expect(undone.log.last?.kind == .undo(add.id))
    #expect(try UndoPlan.undo(of: joint.id, in: undone)?.changes.contains(.remove(flower.id)) == true)
  }
}
