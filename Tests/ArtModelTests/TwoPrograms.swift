// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ArtModel

/// What a walk has tried.
struct WalkCounts {
  var edits = 0
  var undos = 0
  var redos = 0
  /// Fields that an undo or redo set, and that it left.
  var restored = 0
  var skipped = 0
}

/// Two programs that undo their own edits, and a command line that undoes anyone's, on one document; beside it a
/// model of what undo means, which knows neither log nor inverses.
///
/// In the model each field is a pile of the values that standing edits gave it. An edit puts one on top. An undo
/// takes its edit's values off where they are on top, and leaves the others. A redo puts back what its undo took
/// off where the pile is as that undo left it.
struct TwoPrograms {
  private var art: DocumentContent
  private var authors: [Author]
  private let bees: [EmojiID]
  private var piles: [Field: [Layer]] = [:]
  private var edits: [Made] = []
  private var undos: [Undone] = []
  private var steps = 0

  private struct Layer: Equatable {
    var edit: Int
    var change: Change
  }

  private struct Made {
    let by: Int
    var fields: Set<Field>
    var isTakenBack = false
    let step: Int
  }

  private struct Undone {
    let edit: Int
    let by: Int
    /// The fields that it took off, what it took, and the pile that it left.
    var taken: [Field: (layer: Layer, left: [Layer])] = [:]
    var isRedone = false
    let step: Int
  }

  init() throws {
    let emojis = [try emoji("aaaaaaaa", z: 1), try emoji("bbbbbbbb", z: 2)]
    art = try document(emojis)
    bees = emojis.map(\.id)
    authors = [try author(1), try author(2), try author(3)]
    for bee in emojis {
      piles[.position(bee.id)] = [Layer(edit: -1, change: .move(bee.id, to: bee.position))]
      piles[.size(bee.id)] = [Layer(edit: -1, change: .resize(bee.id, to: bee.size))]
    }
  }

  /// A random edit, undo or redo by one of the three. The last one is the command line.
  mutating func step(_ random: inout RandomEdits, _ counts: inout WalkCounts) throws {
    steps += 1
    let who = random.int(0...2)
    switch random.int(0...4) {
    case 0, 1: try edit(by: who, &random, &counts)
    case 2, 3: try undo(by: who, &counts)
    default: try redo(by: who, &counts)
    }
    for (field, pile) in piles {
      let top = try #require(pile.last)
      #expect(top.change == value(of: field), "step \(steps)")
    }
    art.checkInvariants()
  }

  private func value(of field: Field) -> Change? {
    guard let emoji = field.emoji.flatMap({ art.emoji($0) }) else { return nil }
    if case .position = field { return .move(emoji.id, to: emoji.position) }
    return .resize(emoji.id, to: emoji.size)
  }

  private mutating func edit(by who: Int, _ random: inout RandomEdits, _ counts: inout WalkCounts) throws {
    var changes: [Field: Change] = [:]
    for _ in 0..<random.int(1...3) {
      let bee = try random.pick(bees)
      let value = Double(random.int(1...5))
      let isMove = random.int(0...1) == 0
      let change: Change =
        isMove ? .move(bee, to: try Point(x: value, y: 0)) : .resize(bee, to: try FontSize(value))
      changes[change.field] = change
    }
    let entry = try art.perform(
      Edit(name: "\(edits.count)", changes: Array(changes.values)), by: &authors[who])
    let effective = changes.filter { piles[$0.key]?.last?.change != $0.value }
    #expect((entry != nil) == !effective.isEmpty)
    guard entry != nil else { return }
    for (field, change) in effective { piles[field]?.append(Layer(edit: edits.count, change: change)) }
    edits.append(Made(by: who, fields: Set(effective.keys), step: steps))
    counts.edits += 1
  }

  private mutating func undo(by who: Int, _ counts: inout WalkCounts) throws {
    let isOwn = who < 2
    let plan = try art.undo(own: isOwn, by: &authors[who])
    let target = edits.lastIndex { !$0.isTakenBack && (!isOwn || $0.by == who) }
    #expect(plan?.name == target.map { "\($0)" })
    guard let plan, let target else { return }
    edits[target].isTakenBack = true
    var undone = Undone(edit: target, by: who, step: steps)
    for field in edits[target].fields where piles[field]?.last?.edit == target {
      var pile = piles[field] ?? []
      undone.taken[field] = (pile.removeLast(), pile)
      piles[field] = pile
    }
    #expect(Set(plan.changes.map(\.field)) == Set(undone.taken.keys))
    #expect(plan.changes.count + plan.skipped.count == edits[target].fields.count)
    undos.append(undone)
    counts.undos += 1
    counts.restored += plan.changes.count
    counts.skipped += plan.skipped.count
  }

  private mutating func redo(by who: Int, _ counts: inout WalkCounts) throws {
    let isOwn = who < 2
    let plan = try art.redo(own: isOwn, by: &authors[who])
    let lastEdit = edits.last { !isOwn || $0.by == who }?.step ?? 0
    let target = undos.lastIndex { !$0.isRedone && (!isOwn || $0.by == who) && $0.step > lastEdit }
    #expect(plan?.name == target.map { "\(undos[$0].edit)" })
    guard let plan, let target else { return }
    undos[target].isRedone = true
    edits[undos[target].edit].isTakenBack = false
    var fields: Set<Field> = []
    for (field, taken) in undos[target].taken where piles[field] == taken.left {
      piles[field]?.append(taken.layer)
      fields.insert(field)
    }
    #expect(Set(plan.changes.map(\.field)) == fields)
    counts.redos += 1
    counts.restored += plan.changes.count
    counts.skipped += plan.skipped.count
  }
}
