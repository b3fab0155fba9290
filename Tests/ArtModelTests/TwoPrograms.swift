// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ArtModel

/// The counts of a walk.
struct WalkCounts {
  var edits = 0
  var undos = 0
  var redos = 0
  /// The fields that an undo or redo set, and those that it left.
  var restored = 0
  var skipped = 0
}

/// Two programs that undo their own edits, and a command line that undoes any edit, on one document; beside it a
/// model of undo without a log and without inverses.
///
/// In the model each field is a stack of the values that standing edits gave it. An edit pushes a value. An undo
/// removes its edit's values where they are on top, and leaves the others. A redo pushes what its undo removed
/// where the stack is as that undo left it.
struct TwoPrograms {
  private var art: DocumentContent
  private var authors: [Author]
  private let bees: [EmojiID]
  private var stacks: [Field: [Layer]] = [:]
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
    var isReverted = false
    let step: Int
  }

  private struct Undone {
    let edit: Int
    let by: Int
    /// The removed values by their fields, and the stacks that were left.
    var removed: [Field: (layer: Layer, left: [Layer])] = [:]
    var isRedone = false
    let step: Int
  }

  init() throws {
    let emojis = [try emoji("aaaaaaaa", z: 1), try emoji("bbbbbbbb", z: 2)]
    art = try document(emojis)
    bees = emojis.map(\.id)
    authors = [try author(1), try author(2), try author(3)]
    for bee in emojis {
      stacks[.value(bee.id, .position)] = [Layer(edit: -1, change: .move(bee.id, to: bee.position))]
      stacks[.value(bee.id, .size)] = [Layer(edit: -1, change: .resize(bee.id, to: bee.size))]
    }
  }

  /// A random edit, undo or redo by one of the three programs. The last one is the command line.
  mutating func step(_ random: inout RandomEdits, _ counts: inout WalkCounts) throws {
    steps += 1
    let program = random.int(0...2)
    switch random.int(0...4) {
    case 0, 1: try edit(by: program, &random, &counts)
    case 2, 3: try undo(by: program, &counts)
    default: try redo(by: program, &counts)
    }
    for (field, stack) in stacks {
      let top = try #require(stack.last)
      #expect(top.change == value(of: field), "step \(steps)")
    }
    art.checkInvariants()
  }

  private func value(of field: Field) -> Change? {
    guard let emoji = field.emoji.flatMap({ art.emoji($0) }) else { return nil }
    guard case .value(_, let name) = field else { return nil }
    return .set(emoji.id, emoji[name])
  }

  private mutating func edit(by program: Int, _ random: inout RandomEdits, _ counts: inout WalkCounts) throws
  {
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
      Edit(name: "\(edits.count)", changes: Array(changes.values)), by: &authors[program])
    let effective = changes.filter { stacks[$0.key]?.last?.change != $0.value }
    #expect((entry != nil) == !effective.isEmpty)
    guard entry != nil else { return }
    for (field, change) in effective { stacks[field]?.append(Layer(edit: edits.count, change: change)) }
    edits.append(Made(by: program, fields: Set(effective.keys), step: steps))
    counts.edits += 1
  }

  private mutating func undo(by program: Int, _ counts: inout WalkCounts) throws {
    let isOwn = program < 2
    let plan = try art.undo(own: isOwn, by: &authors[program])
    let target = edits.lastIndex { !$0.isReverted && (!isOwn || $0.by == program) }
    #expect(plan?.name == target.map { "\($0)" })
    guard let plan, let target else { return }
    edits[target].isReverted = true
    var undone = Undone(edit: target, by: program, step: steps)
    for field in edits[target].fields where stacks[field]?.last?.edit == target {
      var stack = stacks[field] ?? []
      undone.removed[field] = (stack.removeLast(), stack)
      stacks[field] = stack
    }
    #expect(Set(plan.changes.map(\.field)) == Set(undone.removed.keys))
    #expect(plan.changes.count + plan.skipped.count == edits[target].fields.count)
    undos.append(undone)
    counts.undos += 1
    counts.restored += plan.changes.count
    counts.skipped += plan.skipped.count
  }

  private mutating func redo(by program: Int, _ counts: inout WalkCounts) throws {
    let isOwn = program < 2
    let plan = try art.redo(own: isOwn, by: &authors[program])
    let lastEdit = edits.last { !isOwn || $0.by == program }?.step ?? 0
    let target = undos.lastIndex { !$0.isRedone && (!isOwn || $0.by == program) && $0.step > lastEdit }
    #expect(plan?.name == target.map { "\(undos[$0].edit)" })
    guard let plan, let target else { return }
    undos[target].isRedone = true
    edits[undos[target].edit].isReverted = false
    var fields: Set<Field> = []
    for (field, removed) in undos[target].removed where stacks[field] == removed.left {
      stacks[field]?.append(removed.layer)
      fields.insert(field)
    }
    #expect(Set(plan.changes.map(\.field)) == fields)
    counts.redos += 1
    counts.restored += plan.changes.count
    counts.skipped += plan.skipped.count
  }
}
