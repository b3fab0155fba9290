// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

/// Two programs that edited one document apart: the edits of one stand in the file, those of the other are unsaved.
private struct Apart {
  let base: DocumentContent
  /// The base with the first one's edits.
  var saved: DocumentContent
  /// The base with the second one's edits.
  var open: DocumentContent
  var first: Author
  var second: Author
  /// The second one's edits.
  var unsaved: [LoggedEdit] { open.log.filter { $0.id.origin == second.origin } }

  init(_ base: DocumentContent) throws {
    self.base = base
    saved = base
    open = base
    first = try author(1)
    second = try author(2)
  }

  /// Random edits by both, `mine` and `theirs` at most.
  init(_ edits: inout RandomEdits, mine: Int, theirs: Int) throws {
    try self.init(edits.document())
    for _ in 0..<edits.int(0...theirs) { try saved.perform(edits.edit(), by: &first) }
    for _ in 0..<edits.int(1...mine) { try open.perform(edits.edit(), by: &second) }
  }

  func joined() -> (content: DocumentContent, own: RebasedEdits) {
    var content = saved
    var generator = SplitMix64(seed: 5)
    let own = content.rebase(UnsavedEdits(unsaved), save: saved.revision + 1, using: &generator)
    return (content, own)
  }
}

extension DocumentContent {
  /// The value of a field, as the change that would set it.
  fileprivate func value(of field: Field) -> Change? {
    if let id = field.emoji, let emoji = emoji(id) {
      switch field {
      case .existence: return .add(emoji)
      default: return Change.add(emoji).fieldByField.first { $0.field == field }
      }
    }
    switch field {
    case .canvas: return .setCanvas(canvas)
    case .background: return .setBackground(background)
    case .pending: return .setPending(pending)
    default: return nil
    }
  }

  fileprivate var fields: Set<Field> {
    var fields: Set<Field> = [.canvas, .background, .pending]
    for emoji in emojisInOrder() { fields.formUnion(Change.add(emoji).fieldByField.map(\.field)) }
    return fields
  }
}

@Suite("Edits that meet") struct JoiningTests {
  @Test("M21 edits made again keep what others did on other fields, and their own values on theirs")
  func fieldByField() throws {
    var edits = RandomEdits(seed: 52)
    var (fields, theirs, dropped, renamed) = (0, 0, 0, 0)
    for round in 0..<2_000 {
      let apart = try Apart(&edits, mine: 6, theirs: 6)
      let (content, own) = apart.joined()
      content.checkInvariants()
      #expect(own.edits.entries.map(\.id) == apart.unsaved.map(\.id), "\(round)")
      // The last value that the unsaved edits give to a field, under the name that the emoji has now; what was set
      // before an emoji was removed is gone with it.
      var set: [Field: Change] = [:]
      for change in own.edits.entries.flatMap(\.edit.changes) {
        if case .existence(let id) = change.field {
          for field in Change.remove(id).emojiFields { set[field] = nil }
        }
        for single in change.fieldByField { set[single.field] = single }
      }
      for field in content.fields {
        fields += 1
        if let own = set[field] {
          #expect(content.value(of: field) == own, "\(round)")
        } else {
          theirs += 1
          #expect(content.value(of: field) == apart.saved.value(of: field), "\(round)")
        }
      }
      // Nothing goes but what an unsaved edit removed.
      let removed = Set(own.edits.entries.flatMap(\.edit.changes).compactMap { $0.removed })
      for emoji in apart.saved.emojisInOrder() where content.emoji(emoji.id) == nil {
        #expect(removed.contains(emoji.id), "\(round)")
      }
      dropped += own.dropped.count
      renamed += own.renamed.count
    }
    print(
      "M21 joins: 2000 pairs, \(fields) fields, \(theirs) of the others, \(dropped) edits with drops, \(renamed) renamed"
    )
    #expect(theirs > 1_000 && fields - theirs > 1_000 && dropped > 100 && renamed > 100)
  }

  @Test("M21 edits made again on the state they were made on are as they were")
  func identity() throws {
    var edits = RandomEdits(seed: 53)
    for _ in 0..<500 {
      var apart = try Apart(&edits, mine: 6, theirs: 0)
      for _ in 0..<3 {
        try apart.open.undo(own: true, by: &apart.second)
        try apart.open.redo(own: true, by: &apart.second)
        try apart.open.undo(own: true, by: &apart.second)
      }
      let (content, own) = apart.joined()
      #expect(Picture(content) == Picture(apart.open))
      #expect(own.dropped.isEmpty && own.renamed.isEmpty)
      #expect(own.edits.entries.map(\.edit) == apart.unsaved.map(\.edit))
      #expect(own.edits.entries.map(\.inverse) == apart.unsaved.map(\.inverse))
    }
  }

  @Test("M15 what edits made again have done is taken back by their new inverses")
  func inverses() throws {
    var edits = RandomEdits(seed: 54)
    for _ in 0..<1_000 {
      var apart = try Apart(&edits, mine: 5, theirs: 5)
      try apart.open.undo(own: true, by: &apart.second)
      var (content, own) = apart.joined()
      for entry in own.edits.entries.reversed() { _ = try content.apply(entry.inverse) }
      #expect(Picture(content) == Picture(apart.saved))
    }
  }

  @Test("M22 an edit of an emoji that somebody removed is dropped, told, and kept in the log")
  func removedMeanwhile() throws {
    let bee = try emoji("aaaaaaaa")
    var apart = try Apart(document([bee]))
    try apart.saved.perform(Edit(name: "remove", changes: [.remove(bee.id)]), by: &apart.first)
    let move = Change.move(bee.id, to: try Point(x: 5, y: 5))
    try apart.open.perform(Edit(name: "move", changes: [move]), by: &apart.second)
    let (content, own) = apart.joined()
    #expect(content.emojiCount == 0)
    #expect(own.dropped.map(\.id) == apart.unsaved.map(\.id) && own.dropped.first?.changes == [move])
    #expect(content.log.last?.dropped == [move] && content.log.last?.edit.changes == [])
  }

  @Test("M22 an undo made again leaves a field that somebody set meanwhile, and tells it")
  func undoMeetsEdit() throws {
    let bee = try emoji("aaaaaaaa", x: 1)
    var apart = try Apart(document([bee]))
    try apart.open.perform(
      Edit(name: "move", changes: [.move(bee.id, to: Point(x: 2, y: 0))]), by: &apart.second)
    // The move was saved before the other one came.
    apart.saved = apart.open
    try apart.saved.perform(
      Edit(name: "move", changes: [.move(bee.id, to: Point(x: 9, y: 0))]), by: &apart.first)
    let known = apart.open.log.count
    try apart.open.undo(own: true, by: &apart.second)
    #expect(apart.open.emoji(bee.id)?.position.x == 1)
    var content = apart.saved
    var generator = SplitMix64(seed: 5)
    let own = content.rebase(UnsavedEdits(apart.open.log.dropFirst(known)), save: 3, using: &generator)
    #expect(content.emoji(bee.id)?.position.x == 9)
    #expect(own.dropped.first?.changes == [.move(bee.id, to: try Point(x: 1, y: 0))])
  }

  @Test("M22 an undo made again after its edit gives back what stands there now")
  func undoAfterItsEdit() throws {
    let bee = try emoji("aaaaaaaa", x: 1)
    var apart = try Apart(document([bee]))
    try apart.saved.perform(
      Edit(name: "move", changes: [.move(bee.id, to: Point(x: 9, y: 0))]), by: &apart.first)
    try apart.open.perform(
      Edit(name: "move", changes: [.move(bee.id, to: Point(x: 2, y: 0))]), by: &apart.second)
    try apart.open.undo(own: true, by: &apart.second)
    let (content, own) = apart.joined()
    #expect(content.emoji(bee.id)?.position.x == 9)
    #expect(own.dropped.isEmpty)
  }

  @Test("M23 an emoji whose id somebody else drew, too, gets another one, in its later edits as well")
  func renamed() throws {
    var apart = try Apart(document())
    let theirs = try emoji("aaaaaaaa", "🌸", x: 1)
    let mine = try emoji("aaaaaaaa", "🐝", x: 2)
    try apart.saved.perform(Edit(name: "add", changes: [.add(theirs)]), by: &apart.first)
    try apart.open.perform(Edit(name: "add", changes: [.add(mine)]), by: &apart.second)
    try apart.open.perform(
      Edit(name: "move", changes: [.move(mine.id, to: Point(x: 3, y: 3))]), by: &apart.second)
    let (content, own) = apart.joined()
    let new = try #require(own.renamed[mine.id])
    #expect(content.emoji(theirs.id) == theirs)
    #expect(content.emoji(new)?.position == (try Point(x: 3, y: 3)) && content.emoji(new)?.text == mine.text)
  }
}

@Suite("Edits that no save holds") struct UnsavedEditsTests {
  /// Many edits, and some taken back, by one program.
  private func many(_ edits: inout RandomEdits, _ count: Int) throws -> Apart {
    var apart = try Apart(edits.document())
    while apart.unsaved.count < count {
      try apart.open.perform(edits.edit(), by: &apart.second)
      if edits.int(0...4) == 0 { try apart.open.undo(own: true, by: &apart.second) }
    }
    return apart
  }

  @Test("M26 unsaved edits beyond the newest thousand take the room of what they touch, and come to the same")
  func older() throws {
    var edits = RandomEdits(seed: 58)
    for count in [900, 2_100, 3_500, 5_000] {
      let apart = try many(&edits, count)
      let unsaved = UnsavedEdits(apart.unsaved)
      #expect(unsaved.count == apart.unsaved.count && unsaved.last == apart.unsaved.last?.id)
      #expect(
        unsaved.entries.count <= 2_000 && unsaved.entries == apart.unsaved.suffix(unsaved.entries.count))
      #expect(unsaved.older.count <= 1 && unsaved.older.allSatisfy { $0.net.changes.count <= 12 * 4 + 3 })
      let touched = Set(apart.unsaved.flatMap(\.edit.changes).compactMap(\.field.emoji))
      #expect(touched.isSuperset(of: unsaved.emojis))
      var (content, generator) = (apart.saved, SplitMix64(seed: 1))
      let own = content.rebase(unsaved, save: 1, using: &generator)
      #expect(Picture(content) == Picture(apart.open))
      #expect(content.revision == apart.open.revision && content.head == apart.open.head)
      #expect(own.edits.count == unsaved.count && own.dropped.isEmpty && own.renamed.isEmpty)
    }
  }

  @Test("M26 edits taken in two lots come to the same, and what is saved of them is left out")
  func twoLots() throws {
    var edits = RandomEdits(seed: 59)
    for (count, cut) in [(3_000, 2_500), (3_000, 200), (6_000, 3_000), (40, 20), (2_500, 0)] {
      let apart = try many(&edits, count)
      var unsaved = UnsavedEdits(apart.unsaved.prefix(cut))
      unsaved.append(UnsavedEdits(apart.unsaved.dropFirst(cut)))
      #expect(unsaved.count == apart.unsaved.count)
      var (content, generator) = (apart.saved, SplitMix64(seed: 1))
      _ = content.rebase(unsaved, save: 1, using: &generator)
      #expect(Picture(content) == Picture(apart.open), "\(count) \(cut)")
      // A save in the dark, somewhere before.
      var sealed = UnsavedEdits(apart.unsaved.prefix(cut))
      sealed.seal()
      sealed.append(UnsavedEdits(apart.unsaved.dropFirst(cut)))
      let first = Set(apart.unsaved.prefix(cut).map(\.id))
      let later = sealed.without { first.contains($0) }
      #expect(later.count == apart.unsaved.count - cut && later.older.count + sealed.entries.count <= 1_202)
      var saw = apart.base
      for entry in apart.unsaved.prefix(cut) { _ = try saw.apply(entry.edit.changes) }
      _ = saw.rebase(later, save: 1, using: &generator)
      #expect(Picture(saw) == Picture(apart.open), "\(count) \(cut)")
      let saved = Set(apart.unsaved.dropLast(7).map(\.id))
      let rest = unsaved.without { saved.contains($0) }
      #expect(rest.count == 7 && rest.entries == apart.unsaved.suffix(7))
      #expect(unsaved.without { _ in true }.isEmpty && unsaved.without { _ in false }.count == unsaved.count)
    }
  }
}

@Suite("Edits of a program that is gone") struct RestoringTests {
  @Test("M24 a restored change is made where the field is as it was found, elsewhere what stands there stays")
  func fieldByField() throws {
    var edits = RandomEdits(seed: 56)
    var (restored, kept, dropped) = (0, 0, 0)
    for round in 0..<2_000 {
      let apart = try Apart(&edits, mine: 6, theirs: 4)
      let plan = try RestorePlan(apart.unsaved, on: apart.saved)
      plan.content.checkInvariants()
      var made = apart.saved
      for part in plan.parts { #expect(try made.apply(part.edit.changes).dropped.isEmpty, "\(round)") }
      #expect(Picture(made) == Picture(plan.content), "\(round)")
      dropped += plan.dropped.count
      let given = Set(apart.unsaved.flatMap(\.edit.changes).flatMap(\.fieldByField))
      for field in plan.content.fields.union(apart.saved.fields) {
        let (was, is_) = (apart.base.value(of: field), apart.saved.value(of: field))
        let now = plan.content.value(of: field)
        if was != is_ {
          // Somebody set it, or put the emoji there or away.
          kept += 1
          #expect(now == is_, "\(round) \(field)")
        } else if now != is_ {
          restored += 1
          // Another value only from the edits, or with an emoji that came or went.
          #expect(now.map { given.contains($0) || was == nil } ?? true, "\(round) \(field)")
        }
      }
    }
    print(
      "M24 restores: 2000 pairs, \(restored) fields restored, \(kept) of the others kept, \(dropped) changes dropped"
    )
    #expect(restored > 1_000 && kept > 1_000 && dropped > 1_000)
  }

  @Test("M24 what is restored on the state it was made on is what there was")
  func identity() throws {
    var edits = RandomEdits(seed: 57)
    for _ in 0..<500 {
      var apart = try Apart(&edits, mine: 8, theirs: 0)
      try apart.open.undo(own: true, by: &apart.second)
      let plan = try RestorePlan(apart.unsaved, on: apart.saved)
      #expect(Picture(plan.content) == Picture(apart.open))
      #expect(plan.dropped.isEmpty)
      // An undo that finds nothing leaves no edit.
      let count = apart.unsaved.count
      #expect(plan.parts.map(\.edit.name) == (count == 0 ? [] : [RestorePlan.name(count)]))
    }
  }

  @Test("M24 an emoji that somebody changed is not removed by a restore")
  func removalOfChanged() throws {
    let bee = try emoji("aaaaaaaa")
    var apart = try Apart(document([bee]))
    try apart.saved.perform(
      Edit(name: "resize", changes: [.resize(bee.id, to: FontSize(99))]), by: &apart.first)
    try apart.open.perform(Edit(name: "remove", changes: [.remove(bee.id)]), by: &apart.second)
    let plan = try RestorePlan(apart.unsaved, on: apart.saved)
    #expect(plan.content.emoji(bee.id)?.size.pixels == 99)
    #expect(plan.dropped == [.remove(bee.id)] && plan.changeCount == 0)
  }

  @Test(
    "M24 a field that somebody set is lost for all later changes of it, also where values happen to agree")
  func chain() throws {
    let bee = try emoji("aaaaaaaa", x: 1)
    var apart = try Apart(document([bee]))
    try apart.saved.perform(
      Edit(name: "move", changes: [.move(bee.id, to: Point(x: 2, y: 0))]), by: &apart.first)
    for x in [2.0, 3.0] {
      try apart.open.perform(
        Edit(name: "move", changes: [.move(bee.id, to: Point(x: x, y: 0))]), by: &apart.second)
    }
    let plan = try RestorePlan(apart.unsaved, on: apart.saved)
    #expect(plan.content.emoji(bee.id)?.position.x == 2)
    #expect(plan.dropped == [.move(bee.id, to: try Point(x: 3, y: 0))])
  }
}

extension Change {
  fileprivate var removed: EmojiID? { if case .remove(let id) = self { id } else { nil } }

  /// The fields of the change's emoji.
  fileprivate var emojiFields: [Field] {
    field.emoji.map { [.position($0), .size($0), .text($0), .order($0)] } ?? []
  }
}
