// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

/// Two programs that edited one document separately: the edits of the first one are saved, those of the second one are not.
private struct Apart {
  let base: DocumentContent
  /// The base with the edits of the first program.
  var saved: DocumentContent
  /// The base with the edits of the second program.
  var open: DocumentContent
  var first: Author
  var second: Author
  /// The edits of the second program.
  var unsaved: [LoggedEdit] { open.log.filter { $0.id.origin == second.origin } }

  init(_ base: DocumentContent) throws {
    self.base = base
    saved = base
    open = base
    first = try author(1)
    second = try author(2)
  }

  /// Random edits of both programs, at most `mine` of the second one and `theirs` of the first one.
  init(_ edits: inout RandomEdits, mine: Int, theirs: Int) throws {
    try self.init(edits.document())
    for _ in 0..<edits.int(0...theirs) { try saved.perform(edits.edit(), by: &first) }
    for _ in 0..<edits.int(1...mine) { try open.perform(edits.edit(), by: &second) }
  }

  func rebased() -> (content: DocumentContent, own: RebasedEdits) {
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
    case .fill: return .setFill(fill)
    case .background: return .setBackground(background)
    case .pending: return .setPending(pending)
    default: return nil
    }
  }

  fileprivate var fields: Set<Field> {
    var fields: Set<Field> = [.canvas, .fill, .background, .pending]
    for emoji in emojisInOrder() { fields.formUnion(Change.add(emoji).fieldByField.map(\.field)) }
    return fields
  }
}

@Suite("Rebased edits") struct RebaseTests {
  @Test("M21 rebased edits give their own values to the fields that they set, and keep all other fields")
  func fieldByField() throws {
    var edits = RandomEdits(seed: 52)
    var (fields, theirs, dropped, renamed) = (0, 0, 0, 0)
    for round in 0..<2_000 {
      let apart = try Apart(&edits, mine: 6, theirs: 6)
      let (content, own) = apart.rebased()
      content.checkInvariants()
      #expect(own.edits.entries.map(\.id) == apart.unsaved.map(\.id), "\(round)")
      // The last value that the unsaved edits give to a field, under the new id of its emoji. A removal discards the
      // values that were set before it.
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
      // Only emoji that an unsaved edit removed are gone.
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

  @Test("M21 edits that are rebased on the state on which they were made stay as they were")
  func identity() throws {
    var edits = RandomEdits(seed: 53)
    for _ in 0..<500 {
      var apart = try Apart(&edits, mine: 6, theirs: 0)
      for _ in 0..<3 {
        try apart.open.undo(own: true, by: &apart.second)
        try apart.open.redo(own: true, by: &apart.second)
        try apart.open.undo(own: true, by: &apart.second)
      }
      let (content, own) = apart.rebased()
      #expect(Picture(content) == Picture(apart.open))
      #expect(own.dropped.isEmpty && own.renamed.isEmpty)
      #expect(own.edits.entries.map(\.edit) == apart.unsaved.map(\.edit))
      #expect(own.edits.entries.map(\.inverse) == apart.unsaved.map(\.inverse))
    }
  }

  @Test("M15 the new inverses of rebased edits give back the saved document")
  func inverses() throws {
    var edits = RandomEdits(seed: 54)
    for _ in 0..<1_000 {
      var apart = try Apart(&edits, mine: 5, theirs: 5)
      try apart.open.undo(own: true, by: &apart.second)
      var (content, own) = apart.rebased()
      for entry in own.edits.entries.reversed() { _ = try content.apply(entry.inverse) }
      #expect(Picture(content) == Picture(apart.saved))
    }
  }

  @Test("M22 a rebased edit of a removed emoji is dropped, reported and kept in the log")
  func removedMeanwhile() throws {
    let bee = try emoji("aaaaaaaa")
    var apart = try Apart(document([bee]))
    try apart.saved.perform(Edit(name: "remove", changes: [.remove(bee.id)]), by: &apart.first)
    let move = Change.move(bee.id, to: try Point(x: 5, y: 5))
    try apart.open.perform(Edit(name: "move", changes: [move]), by: &apart.second)
    let (content, own) = apart.rebased()
    #expect(content.emojiCount == 0)
    #expect(own.dropped.map(\.id) == apart.unsaved.map(\.id) && own.dropped.first?.changes == [move])
    #expect(content.log.last?.dropped == [move] && content.log.last?.edit.changes == [])
  }

  @Test("M22 a rebased undo leaves a field that another program has set since, and reports it")
  func undoMeetsEdit() throws {
    let bee = try emoji("aaaaaaaa", x: 1)
    var apart = try Apart(document([bee]))
    try apart.open.perform(
      Edit(name: "move", changes: [.move(bee.id, to: Point(x: 2, y: 0))]), by: &apart.second)
    // The move was saved before the other program's move.
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

  @Test("M22 an undo that is rebased with its edit gives back the saved value")
  func undoAfterItsEdit() throws {
    let bee = try emoji("aaaaaaaa", x: 1)
    var apart = try Apart(document([bee]))
    try apart.saved.perform(
      Edit(name: "move", changes: [.move(bee.id, to: Point(x: 9, y: 0))]), by: &apart.first)
    try apart.open.perform(
      Edit(name: "move", changes: [.move(bee.id, to: Point(x: 2, y: 0))]), by: &apart.second)
    try apart.open.undo(own: true, by: &apart.second)
    let (content, own) = apart.rebased()
    #expect(content.emoji(bee.id)?.position.x == 9)
    #expect(own.dropped.isEmpty)
  }

  @Test("M23 a rebased emoji whose id is taken gets another id, in its later edits as well")
  func renamed() throws {
    var apart = try Apart(document())
    let theirs = try emoji("aaaaaaaa", "🌸", x: 1)
    let mine = try emoji("aaaaaaaa", "🐝", x: 2)
    try apart.saved.perform(Edit(name: "add", changes: [.add(theirs)]), by: &apart.first)
    try apart.open.perform(Edit(name: "add", changes: [.add(mine)]), by: &apart.second)
    try apart.open.perform(
      Edit(name: "move", changes: [.move(mine.id, to: Point(x: 3, y: 3))]), by: &apart.second)
    let (content, own) = apart.rebased()
    let new = try #require(own.renamed[mine.id])
    #expect(content.emoji(theirs.id) == theirs)
    #expect(content.emoji(new)?.position == (try Point(x: 3, y: 3)) && content.emoji(new)?.text == mine.text)
  }
}

@Suite("Unsaved edits") struct UnsavedEditsTests {
  /// Many edits and some undos by one program.
  private func many(_ edits: inout RandomEdits, _ count: Int) throws -> Apart {
    var apart = try Apart(edits.document())
    while apart.unsaved.count < count {
      try apart.open.perform(edits.edit(), by: &apart.second)
      if edits.int(0...4) == 0 { try apart.open.undo(own: true, by: &apart.second) }
    }
    return apart
  }

  @Test("M26 unsaved edits beyond the newest ones are kept as net changes, and give the same document")
  func older() throws {
    var edits = RandomEdits(seed: 58)
    for count in [900, 2_100, 3_500, 5_000] {
      let apart = try many(&edits, count)
      let unsaved = UnsavedEdits(apart.unsaved)
      #expect(unsaved.count == apart.unsaved.count && unsaved.last == apart.unsaved.last?.id)
      #expect(
        unsaved.entries.count <= 2_000 && unsaved.entries == apart.unsaved.suffix(unsaved.entries.count))
      #expect(
        unsaved.older.count <= 1
          && unsaved.older.allSatisfy {
            $0.net.changes.count <= 12 * EmojiField.allCases.count + Field.ofDocument.count
          })
      let touched = Set(apart.unsaved.flatMap(\.edit.changes).compactMap(\.field.emoji))
      #expect(touched.isSuperset(of: unsaved.emojis))
      var (content, generator) = (apart.saved, SplitMix64(seed: 1))
      let own = content.rebase(unsaved, save: 1, using: &generator)
      #expect(Picture(content) == Picture(apart.open))
      #expect(content.revision == apart.open.revision && content.head == apart.open.head)
      #expect(own.edits.count == unsaved.count && own.dropped.isEmpty && own.renamed.isEmpty)
    }
  }

  @Test("M26 unsaved edits in two groups give the same document as in one, and saved edits are left out")
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
      // A save between the groups, whose result is not known.
      var sealed = UnsavedEdits(apart.unsaved.prefix(cut))
      sealed.seal()
      sealed.append(UnsavedEdits(apart.unsaved.dropFirst(cut)))
      let first = Set(apart.unsaved.prefix(cut).map(\.id))
      let later = sealed.without { first.contains($0) }
      #expect(later.count == apart.unsaved.count - cut && later.older.count + sealed.entries.count <= 1_202)
      var other = apart.base
      for entry in apart.unsaved.prefix(cut) { _ = try other.apply(entry.edit.changes) }
      _ = other.rebase(later, save: 1, using: &generator)
      #expect(Picture(other) == Picture(apart.open), "\(count) \(cut)")
      let saved = Set(apart.unsaved.dropLast(7).map(\.id))
      let rest = unsaved.without { saved.contains($0) }
      #expect(rest.count == 7 && rest.entries == apart.unsaved.suffix(7))
      #expect(unsaved.without { _ in true }.isEmpty && unsaved.without { _ in false }.count == unsaved.count)
    }
  }
}

@Suite("Restored edits") struct RestoringTests {
  @Test("M24 a restored change is applied where the field is as the edit found it, and all other fields stay")
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
        let (base, saved) = (apart.base.value(of: field), apart.saved.value(of: field))
        let now = plan.content.value(of: field)
        if base != saved {
          // The first program set the field, or added or removed the emoji.
          kept += 1
          #expect(now == saved, "\(round) \(field)")
        } else if now != saved {
          restored += 1
          // Any other value is one of the restored edits, or belongs to an emoji that was added or removed.
          #expect(now.map { given.contains($0) || base == nil } ?? true, "\(round) \(field)")
        }
      }
    }
    print(
      "M24 restores: 2000 pairs, \(restored) fields restored, \(kept) of the others kept, \(dropped) changes dropped"
    )
    #expect(restored > 1_000 && kept > 1_000 && dropped > 1_000)
  }

  @Test("M24 edits that are restored on the state on which they were made give the same document")
  func identity() throws {
    var edits = RandomEdits(seed: 57)
    for _ in 0..<500 {
      var apart = try Apart(&edits, mine: 8, theirs: 0)
      try apart.open.undo(own: true, by: &apart.second)
      let plan = try RestorePlan(apart.unsaved, on: apart.saved)
      #expect(Picture(plan.content) == Picture(apart.open))
      #expect(plan.dropped.isEmpty)
      // An edit and its undo leave no edit.
      let count = apart.unsaved.count
      #expect(plan.parts.map(\.edit.name) == (count == 0 ? [] : [RestorePlan.name(count)]))
    }
  }

  @Test("M24 a restore does not remove an emoji that another program has changed")
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
    "M24 a field that another program has set is left out in all later changes of it, even if a value agrees")
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
    field.emoji.map { id in EmojiField.allCases.map { .value(id, $0) } } ?? []
  }
}
