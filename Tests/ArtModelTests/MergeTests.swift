// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

@Suite("Merging copies") struct MergeTests {
  /// A document with a bee and an ant, one edit old, and two machines with a copy each.
  private struct Stage {
    var copies: [DocumentContent]
    private var authors: [Author]
    let (bee, ant): (EmojiID, EmojiID)

    init() throws {
      let (bee, ant) = (try emoji("aaaaaaaa", x: 1), try emoji("bbbbbbbb", "🐜", x: 1))
      (self.bee, self.ant) = (bee.id, ant.id)
      copies = [try document([bee, ant])]
      authors = [try author(1), try author(2), try author(3)]
      try edit(0, [.setCanvas(try Canvas(width: 10, height: 10))], by: 2)
      copies.append(copies[0])
    }

    /// Edits a copy at a time of day; its machine is the author.
    mutating func edit(_ copy: Int, _ changes: [Change], by author: Int? = nil, at time: Int = 0) throws {
      let applied = try copies[copy].apply(changes, at: time)
      let stamp = authors[author ?? copy].stamp(at: time)
      let revision = copies[copy].revision + 1
      copies[copy].append(
        LoggedEdit(
          stamp, revision: revision, save: revision, edit: Edit(name: "edit", changes: applied.changes),
          inverse: applied.inverse, dropped: applied.dropped))
    }

    mutating func move(_ copy: Int, _ id: EmojiID, to x: Double, at time: Int = 0) throws {
      try edit(copy, [.move(id, to: try Point(x: x, y: 0))], at: time)
    }

    func merge() throws -> DocumentMerge {
      try DocumentMerge(copies[0], copies[1], named: MergeWorld.name)
    }
  }

  private func x(_ id: EmojiID, in content: DocumentContent) -> Double? { content.emoji(id)?.position.x }

  @Test("M42 a merge keeps the edits of both copies, and its entry names the state")
  func both() throws {
    var stage = try Stage()
    try stage.move(0, stage.bee, to: 5)
    try stage.move(1, stage.ant, to: 7)
    let merge = try stage.merge()
    #expect(x(stage.bee, in: merge.content) == 5 && x(stage.ant, in: merge.content) == 7)
    #expect(merge.source == .both && merge.report.fromFirst == 1 && merge.report.fromSecond == 1)
    #expect(merge.report.conflicts.isEmpty && merge.report.survivors.isEmpty)
    let mark = try #require(merge.content.log.last)
    #expect(mark.isMark && mark.edit.changes.isEmpty && mark.author == nil)
    #expect(merge.content.revision == 4 && merge.content.head == mark.id)
  }

  @Test("M42 an edit that a person calls merge is no mark, and a merge keeps it")
  func calledMerge() throws {
    var stage = try Stage()
    var author = try Author(origin: Origin(lowBits: 99))
    let pending = try PendingBackground(
      url: "https://example.org/a.png", since: 5, reason: "later", anchor: .topLeft)
    try stage.edit(0, [.setPending(pending)])
    try stage.copies[0].perform(Edit(name: "merge", changes: [.setPending(nil)]), by: &author)
    let called = try #require(stage.copies[0].log.last)
    #expect(
      called.id.sequence == 1 && called.edit.name == "merge" && called.edit.changes == [.setPending(nil)]
        && !called.isMark)
    try stage.move(1, stage.ant, to: 7)
    let merge = try stage.merge()
    #expect(merge.report.fromFirst == 2 && merge.content.log.contains { $0.id == called.id })
  }

  @Test("M43 a merge by value tells of each value that both copies may have changed before their logs begin")
  func doubts() throws {
    var stage = try Stage()
    try stage.edit(0, [.resize(stage.bee, to: FontSize(88))])
    try stage.edit(1, [.resize(stage.bee, to: FontSize(77))])
    for step in 1...30 { try stage.move(0, stage.ant, to: Double(step)) }
    for step in 1...27 { try stage.move(1, stage.ant, to: Double(100 + step)) }
    for index in 0..<2 { stage.copies[index].trimLog(LogBudget(kept: 8, block: 4)) }
    #expect(throws: ArtError.self) { try stage.merge() }
    for (one, other) in [(0, 1), (1, 0)] {
      let merge = try DocumentMerge(
        byValueOf: stage.copies[one], stage.copies[other], named: MergeWorld.name)
      let sizes = try #require(merge.report.doubts?.first { $0.kept.field == .value(stage.bee, .size) })
      let kept = try #require(merge.content.emoji(stage.bee)).size
      #expect(sizes.kept == .resize(stage.bee, to: kept))
      #expect(
        try Set([sizes.kept, sizes.other]) == [
          .resize(stage.bee, to: FontSize(88)), .resize(stage.bee, to: FontSize(77)),
        ])
    }
  }

  @Test("M42 a copy that has all edits of the other one is the result as it is")
  func contained() throws {
    var stage = try Stage()
    #expect(try stage.merge().content == stage.copies[0])
    try stage.move(0, stage.bee, to: 5)
    #expect(try stage.merge().source == .first && stage.merge().content == stage.copies[0])
    try stage.move(1, stage.ant, to: 7)
    stage.copies[0] = try stage.merge().content
    let again = try stage.merge()
    #expect(again.source == .first && again.content == stage.copies[0])
    #expect(again.report.fromFirst == 1 && again.report.fromSecond == 0)
  }

  @Test(
    "M42 of a field that both have set the later save stays, not the later clock; the report and an undo give the other value"
  )
  func conflicts() throws {
    var stage = try Stage()
    try stage.move(0, stage.bee, to: 5, at: 9_000_000_000_000)
    try stage.move(1, stage.ant, to: 6)
    try stage.move(1, stage.bee, to: 7, at: 1)
    let merge = try stage.merge()
    #expect(x(stage.bee, in: merge.content) == 7)
    let conflict = try #require(merge.report.conflicts.first)
    #expect(merge.report.conflicts.count == 1)
    #expect(conflict.field == .value(stage.bee, .position) && conflict.isUndoable)
    #expect(
      conflict.kept.change == .move(stage.bee, to: try Point(x: 7, y: 0)) && conflict.kept.stamp.time == 1)
    #expect(conflict.other.change == .move(stage.bee, to: try Point(x: 5, y: 0)))
    var content = merge.content
    let plan = try #require(try UndoPlan.undo(of: conflict.kept.stamp.id, in: content))
    _ = try content.apply(plan, at: 0)
    #expect(x(stage.bee, in: content) == 5)
  }

  @Test("M42 equal values of both are no conflict")
  func equalValues() throws {
    var stage = try Stage()
    for copy in [0, 1] { try stage.move(copy, stage.bee, to: 5) }
    let merge = try stage.merge()
    #expect(merge.report.conflicts.isEmpty && x(stage.bee, in: merge.content) == 5)
    // The second one had no effect here, and still is an edit of the field.
    var content = merge.content
    let first = try #require(try UndoPlan.undo(of: merge.content.log[1].id, in: content))
    _ = try content.apply(first, at: 0)
    #expect(x(stage.bee, in: content) == 5)
  }

  @Test("M42 undo goes back through an edit that had no effect in the merged order")
  func undoWithoutEffect() throws {
    var stage = try Stage()
    try stage.move(0, stage.bee, to: 3)
    stage.copies[1] = stage.copies[0]
    for copy in [0, 1] { try stage.move(copy, stage.bee, to: 5) }
    var content = try stage.merge().content
    var places: [Double?] = []
    for number in 1...3 {
      let plan = try #require(try UndoPlan.undo(in: content))
      let applied = try content.apply(plan, at: 0)
      let revision = content.revision + 1
      content.append(
        LoggedEdit(
          EditStamp(id: EditID(origin: Origin(lowBits: 7), sequence: number), time: 0), revision: revision,
          save: revision, kind: plan.kind, edit: Edit(name: plan.name, changes: applied.changes),
          inverse: applied.inverse, dropped: applied.dropped))
      places.append(x(stage.bee, in: content))
    }
    #expect(places == [5, 3, 1])
  }

  @Test("M42 an undo that is made again among others' edits is the entry that it was")
  func sameEntry() throws {
    var stage = try Stage()
    let places = try [Point(x: 2, y: 0), Point(x: 3, y: 0)]
    for place in places {
      try stage.edit(0, [.move(stage.bee, to: place), .move(stage.ant, to: place)])
    }
    stage.copies[1] = stage.copies[0]
    try stage.edit(1, [.setFill(.black)])
    let plan = try #require(try UndoPlan.undo(of: stage.copies[0].log[1].id, in: stage.copies[0]))
    let applied = try stage.copies[0].apply(plan, at: 0)
    let undo = LoggedEdit(
      EditStamp(id: EditID(origin: Origin(lowBits: .max), sequence: 1), time: 0), revision: 4, save: 4,
      kind: plan.kind, edit: Edit(name: plan.name, changes: applied.changes), inverse: applied.inverse,
      dropped: applied.dropped)
    stage.copies[0].append(undo)
    let merged = try stage.merge().content.log
    #expect(merged.map(\.id.origin.bits)[3] != undo.id.origin.bits)
    #expect(undo.dropped.count == 2 && merged[4].dropped == undo.dropped)
  }

  @Test(
    "M42 an emoji that somebody changed is not removed by somebody who did not know",
    arguments: EmojiField.allCases)
  func survivors(field: EmojiField) throws {
    let values: [EmojiField: EmojiValue] = [
      .text: .text(try EmojiText("🌸")), .position: .position(try Point(x: 9, y: 9)),
      .size: .size(try FontSize(9)),
      .order: .order(5), .rotation: .rotation(try Rotation(degrees: 9)), .mirroring: .mirroring(true),
      .color: .color(Color(red: 1, green: 2, blue: 3, alpha: 255)),
    ]
    let value = try #require(values[field])
    for order in [[0, 1], [1, 0]] {
      var stage = try Stage()
      try stage.edit(order[0], [.remove(stage.bee), .remove(stage.ant)])
      try stage.edit(order[1], [.set(stage.bee, value)])
      let merge = try stage.merge()
      #expect(merge.content.emoji(stage.ant) == nil)
      #expect((merge.content.emoji(stage.bee) == nil) == (field == .order))
      #expect(merge.report.survivors.map(\.emoji) == (field == .order ? [] : [stage.bee]))
      guard field != .order else { continue }
      #expect(merge.content.emoji(stage.bee)?[field] == value)
      // Nobody's later merge removes it.
      stage.copies[1] = merge.content
      #expect(try stage.merge().content == merge.content)
    }
  }

  @Test("M42 an undo of an addition gives way to a change of the emoji, too")
  func undoGivesWay() throws {
    var stage = try Stage()
    let fly = try emoji("cccccccc", "🪰")
    try stage.edit(0, [.add(fly)])
    stage.copies[1] = stage.copies[0]
    let plan = try #require(try UndoPlan.undo(in: stage.copies[0]))
    let applied = try stage.copies[0].apply(plan, at: 0)
    stage.copies[0].append(
      LoggedEdit(
        EditStamp(id: EditID(origin: Origin(lowBits: 5), sequence: 1), time: 0), revision: 3, save: 3,
        kind: plan.kind,
        edit: Edit(name: plan.name, changes: applied.changes), inverse: applied.inverse))
    try stage.move(1, fly.id, to: 5)
    #expect(x(fly.id, in: try stage.merge().content) == 5)
  }

  @Test("M42 copies whose logs do not reach back to a common point are refused, as are different documents")
  func refused() throws {
    var stage = try Stage()
    for number in 1...80 {
      try stage.move(0, stage.bee, to: Double(number))
      try stage.move(1, stage.ant, to: Double(number))
    }
    stage.copies[0].trimLog(LogBudget(kept: 8, block: 4))
    #expect(
      failure { () throws(ArtError) in
        try DocumentMerge(stage.copies[0], stage.copies[1], named: MergeWorld.name)
      }?.code == .parted)
    let other = DocumentContent(id: DocumentID(lowBits: 9), canvas: .standard)
    #expect(
      failure { () throws(ArtError) in try DocumentMerge(stage.copies[0], other, named: MergeWorld.name) }?
        .code == .badValue)
  }

  @Test("M42 a picture that would be fetched again does not replace the other copy's background")
  func needlessSubstitute() throws {
    var stage = try Stage()
    let (old, new) = try (0...1).map { number throws -> Background in
      try Background(
        digest: RandomEdits.digests[number], mediaType: "image/png", size: .standard,
        url: "https://example.org/\(number)")
    }.pair
    try stage.edit(0, [.setBackground(old)], by: 2)
    try stage.edit(0, [.setBackground(nil)], by: 2)
    stage.copies[1] = stage.copies[0]
    stage.copies[0].setPictures([])
    let plan = try #require(try UndoPlan.undo(in: stage.copies[0]))
    let applied = try stage.copies[0].apply(plan, at: 4)
    #expect(stage.copies[0].pending?.url == old.url && applied.lost == [old])
    stage.copies[0].append(
      LoggedEdit(
        EditStamp(id: EditID(origin: Origin(lowBits: 5), sequence: 1), time: 4), revision: 4, save: 4,
        kind: plan.kind,
        edit: Edit(name: plan.name, changes: applied.changes), inverse: applied.inverse,
        dropped: applied.dropped))
    try stage.edit(1, [.setCanvas(.standard)])
    try stage.edit(1, [.setBackground(new)])
    let merge = try stage.merge()
    #expect(merge.content.background == new && merge.content.pending == nil)
    // Whoever merges it again finds nothing new.
    stage.copies[1] = merge.content
    #expect(try stage.merge().content == merge.content)
  }
}

extension [Background] {
  fileprivate var pair: (Background, Background) { (self[0], self[1]) }
}
