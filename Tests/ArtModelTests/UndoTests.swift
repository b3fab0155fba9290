// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ArtModel

@Suite("Undo and redo")
struct UndoTests {
  private enum Program: Int {
    case ada
    case ben
  }

  /// A document with one bee at x 0, and two programs that edit it.
  private struct Stage {
    var art: DocumentContent
    var authors: [Author]
    let bee: EmojiID

    init() throws {
      let bee = try emoji("aaaaaaaa")
      art = try document([bee])
      self.bee = bee.id
      authors = [try author(1), try author(2)]
    }

    var x: Double? { art.emoji(bee)?.position.x }

    mutating func move(to x: Double, by author: Program) throws {
      let edit = Edit(name: "move to \(numberText(x))", changes: [.move(bee, to: try Point(x: x, y: 0))])
      try art.perform(edit, by: &authors[author.rawValue])
    }

    mutating func resize(to size: Double, by author: Program) throws {
      let edit = Edit(name: "resize to \(numberText(size))", changes: [.resize(bee, to: try FontSize(size))])
      try art.perform(edit, by: &authors[author.rawValue])
    }

    @discardableResult
    mutating func undo(by author: Program) throws -> UndoPlan? {
      try art.undo(own: true, by: &authors[author.rawValue])
    }

    @discardableResult
    mutating func redo(by author: Program) throws -> UndoPlan? {
      try art.redo(own: true, by: &authors[author.rawValue])
    }
  }

  @Test("M17 undo takes back the newest edit that is not taken back, and redo the newest undo")
  func names() throws {
    var stage = try Stage()
    for x in [1.0, 2, 3] { try stage.move(to: x, by: .ada) }
    #expect(try stage.undo(by: .ada)?.name == "move to 3")
    #expect(try stage.undo(by: .ada)?.name == "move to 2")
    #expect(stage.x == 1)
    #expect(try stage.redo(by: .ada)?.name == "move to 2")
    #expect(try stage.undo(by: .ada)?.name == "move to 2")
    #expect(try stage.undo(by: .ada)?.name == "move to 1")
    #expect(try stage.undo(by: .ada) == nil)
    for x in [1.0, 2, 3] {
      try stage.redo(by: .ada)
      #expect(stage.x == x)
    }
    #expect(try stage.redo(by: .ada) == nil)
  }

  @Test("M17 an undo and a redo are entries of the log that name their target")
  func entries() throws {
    var stage = try Stage()
    try stage.move(to: 1, by: .ada)
    try stage.undo(by: .ada)
    try stage.redo(by: .ada)
    let ids = stage.art.log.map(\.id)
    #expect(stage.art.log.map(\.kind) == [.edit, .undo(ids[0]), .redo(ids[1])])
    #expect(stage.art.log.map(\.title) == ["move to 1", "Undo move to 1", "Redo move to 1"])
    #expect(stage.art.revision == 3 && stage.art.head == ids[2])
  }

  @Test("M17 redo ends with the next edit")
  func redoEnds() throws {
    var stage = try Stage()
    try stage.move(to: 1, by: .ada)
    try stage.undo(by: .ada)
    try stage.resize(to: 5, by: .ada)
    #expect(try UndoPlan.redo(in: stage.art) == nil)
    #expect(try stage.redo(by: .ada) == nil)
    try stage.undo(by: .ada)
    #expect(try stage.redo(by: .ada)?.name == "resize to 5")
    #expect(try stage.redo(by: .ada) == nil)
  }

  @Test("M17 another program's edit ends the redo of all edits, but not the redo of a program's own edits")
  func redoByOrigin() throws {
    var stage = try Stage()
    try stage.move(to: 1, by: .ada)
    try stage.undo(by: .ada)
    try stage.resize(to: 5, by: .ben)
    #expect(try UndoPlan.redo(in: stage.art) == nil)
    #expect(try stage.redo(by: .ada)?.name == "move to 1")
    #expect(stage.x == 1)
  }

  @Test("M19 undo leaves a field that another program has set since, and reports it")
  func laterWriter() throws {
    var stage = try Stage()
    let changes: [Change] = [
      .move(stage.bee, to: try Point(x: 1, y: 0)), .resize(stage.bee, to: try FontSize(5)),
    ]
    try stage.art.perform(Edit(name: "both", changes: changes), by: &stage.authors[0])
    try stage.move(to: 2, by: .ben)
    let plan = try #require(try stage.undo(by: .ada))
    #expect(plan.changes == [.resize(stage.bee, to: .standard)])
    #expect(plan.skipped == [.move(stage.bee, to: try Point(x: 0, y: 0))])
    #expect(stage.x == 2 && stage.art.emoji(stage.bee)?.size == .standard)
    try stage.redo(by: .ada)
    #expect(stage.x == 2 && stage.art.emoji(stage.bee)?.size.pixels == 5)
  }

  @Test("M19 undo does not add an emoji again that another program has removed")
  func removedMeanwhile() throws {
    var stage = try Stage()
    try stage.move(to: 1, by: .ada)
    try stage.art.perform(Edit(name: "remove", changes: [.remove(stage.bee)]), by: &stage.authors[1])
    try stage.undo(by: .ada)
    #expect(stage.art.emojiCount == 0)
    try stage.undo(by: .ben)
    #expect(stage.x == 1)
    try stage.redo(by: .ben)
    #expect(stage.art.emojiCount == 0)
  }

  @Test("M19 redo leaves a field that another program has set since the undo")
  func redoLaterWriter() throws {
    var stage = try Stage()
    try stage.move(to: 1, by: .ada)
    try stage.undo(by: .ada)
    try stage.move(to: 7, by: .ben)
    #expect(try stage.redo(by: .ada)?.changes == [])
    #expect(stage.x == 7)
  }

  @Test("M19 undo and redo set a field again if the other program's change was taken back")
  func cancelled() throws {
    var stage = try Stage()
    try stage.move(to: 1, by: .ada)
    try stage.move(to: 2, by: .ben)
    try stage.undo(by: .ben)
    #expect(try stage.undo(by: .ada)?.skipped == [])
    #expect(stage.x == 0)
    try stage.move(to: 3, by: .ben)
    try stage.undo(by: .ben)
    #expect(try stage.redo(by: .ada)?.skipped == [])
    #expect(stage.x == 1)
  }

  @Test("M19 redo and undo of an edit do not bring back a value below it that was taken back")
  func revertedBelow() throws {
    var stage = try Stage()
    try stage.move(to: 1, by: .ben)
    try stage.move(to: 2, by: .ada)
    try stage.undo(by: .ada)
    try stage.undo(by: .ben)
    #expect(stage.x == 0)
    #expect(try stage.redo(by: .ada)?.changes == [])
    #expect(try stage.undo(by: .ada)?.changes == [])
    #expect(stage.x == 0)
  }

  @Test("M20 with an origin only that program's edits are undone and redone")
  func ownOnly() throws {
    var stage = try Stage()
    try stage.resize(to: 5, by: .ada)
    try stage.move(to: 1, by: .ben)
    #expect(try stage.undo(by: .ada)?.name == "resize to 5")
    #expect(try stage.undo(by: .ada) == nil)
    #expect(try stage.redo(by: .ben) == nil)
    #expect(try stage.undo(by: .ben)?.name == "move to 1")
    #expect(try UndoPlan.redo(in: stage.art)?.name == "move to 1")
  }

  @Test("M20 an edit that the command line has undone or redone is not undone or redone again")
  func doneByCommandLine() throws {
    var stage = try Stage()
    try stage.move(to: 1, by: .ada)
    try stage.undo(by: .ada)
    try stage.art.redo(by: &stage.authors[1])
    #expect(stage.x == 1)
    #expect(try stage.redo(by: .ada) == nil)
    try stage.art.undo(by: &stage.authors[1])
    #expect(try stage.undo(by: .ada) == nil)
  }

  @Test("M17 an entry without changes is skipped by undo, and ends redo")
  func repairs() throws {
    var stage = try Stage()
    try stage.move(to: 1, by: .ada)
    try stage.undo(by: .ada)
    let stamp = stage.authors[1].stamp(at: 0)
    stage.art.append(
      LoggedEdit(
        stamp, revision: stage.art.revision + 1, save: 1, kind: .repair,
        edit: Edit(name: "repair", changes: []),
        inverse: []))
    #expect(try UndoPlan.redo(in: stage.art) == nil)
    #expect(try UndoPlan.undo(in: stage.art) == nil)
    try stage.move(to: 2, by: .ada)
    #expect(try UndoPlan.undo(in: stage.art)?.name == "move to 2")
  }

  @Test("M17 in a log without its beginning undo and redo end without breaking the document")
  func cutLog() throws {
    var random = RandomEdits(seed: 31)
    var steps = 0
    for _ in 0..<200 {
      var art = try random.document()
      var author = try author(1)
      for _ in 0..<20 {
        switch random.int(0...2) {
        case 0: try art.undo(by: &author)
        case 1: try art.redo(by: &author)
        default: try art.perform(random.edit(), by: &author)
        }
      }
      let cut = try #require(
        DocumentContent(
          id: art.id, canvas: art.canvas, background: art.background, pending: art.pending,
          emojis: art.emojisInOrder(), log: Array(art.log.suffix(random.int(0...10))), revision: art.revision,
          head: art.head))
      var (rest, other) = (cut, cut)
      while try rest.undo(by: &author) != nil { steps += 1 }
      while try other.redo(by: &author) != nil { steps += 1 }
      rest.checkInvariants()
      other.checkInvariants()
    }
    print("cut logs: 200, \(steps) steps")
    #expect(steps > 200)
  }

  @Test("M17 in a log whose undos and redos name themselves or each other, undo and redo end")
  func circles() throws {
    var stage = try Stage()
    try stage.move(to: 1, by: .ada)
    try stage.undo(by: .ada)
    try stage.redo(by: .ada)
    let log = stage.art.log
    func entry(_ index: Int, _ kind: LoggedEdit.Kind) -> LoggedEdit {
      LoggedEdit(
        log[index].stamp, revision: log[index].revision, save: log[index].save, kind: kind,
        edit: log[index].edit, inverse: log[index].inverse)
    }
    let (first, last) = (log[1].id, log[2].id)
    for (undone, redone) in [(first, first), (last, first), (first, last), (last, last)] {
      var art = try #require(
        DocumentContent(
          id: stage.art.id, canvas: stage.art.canvas, emojis: stage.art.emojisInOrder(),
          log: [entry(1, .undo(undone)), entry(2, .redo(redone))], revision: stage.art.revision, head: last))
      var (author, steps) = (stage.authors[0], 0)
      while steps < 100, try art.undo(by: &author) != nil { steps += 1 }
      while steps < 100, try art.redo(by: &author) != nil { steps += 1 }
      #expect(steps < 10, "\(undone) \(redone)")
    }
  }
}
