// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

/// Copies of one document on several machines, each with edits of its own, which meet now and then.
///
/// The edits are made as programs make them: one by one, several in a save, undone and redone, with clocks that are wrong by up to a year,
/// and with pictures that some of the machines do not have any more.
struct MergeWorld {
  private(set) var copies: [DocumentContent]
  /// The document without edits.
  let start: DocumentContent
  var random: SplitMix64
  private var edits: RandomEdits
  private var clock = 1_000_000_000
  private let skews: [Int]
  /// How many edits a log has at least; nil for all.
  private let kept: Int?
  /// The ids of all edits that were made.
  private(set) var made: Set<EditID> = []
  /// The merges that brought something, and those that were refused.
  private(set) var merges = 0
  private(set) var refused = 0
  /// How often each law held, and how often each was broken.
  private(set) var held = 0
  private(set) var broken: [String: Int] = [:]
  /// The edit that an edit's author saw as the last one.
  private var seen: [EditID: EditID] = [:]
  /// For each name of a state, the state.
  private var states: [StateName: DocumentContent] = [:]

  private struct StateName: Hashable {
    let revision: Int
    let head: EditID?
  }

  /// `hasFewIDs`: additions often have an id that another machine uses, too.
  init(seed: UInt64, machines: Int, keeping kept: Int? = nil, hasFewIDs: Bool = false) throws {
    random = SplitMix64(seed: seed)
    edits = RandomEdits(seed: seed ^ 0x5EED, ids: hasFewIDs ? 8 : 40_000)
    self.kept = kept
    var skews: [Int] = []
    for _ in 0..<machines {
      skews.append([0, 0, -3_600_000, 31_536_000_000, random.below(10_000) - 5_000][random.below(5)])
    }
    self.skews = skews
    start = try edits.document()
    copies = [start]
    for _ in 0..<(1 + random.below(11)) { try edit(0) }
    copies = Array(repeating: copies[0], count: machines)
  }

  // MARK: Editing

  mutating func int(_ count: Int) -> Int { random.below(count) }

  /// An edit, an undo, a redo, or a save with several edits, by a program that has not edited before.
  mutating func edit(_ machine: Int) throws {
    clock += 1 + random.below(50)
    let time = clock + skews[machine]
    var author = try Author(
      origin: Origin(using: &random), name: ["Ada", "Ben", nil][random.below(3)],
      session: random.oneIn(3) ? SessionID(lowBits: UInt64(random.below(4))) : nil)
    evictPictures(machine)
    let kind = random.below(100)
    if kind < 17 {
      let plan =
        kind < 12 ? try UndoPlan.undo(in: copies[machine]) : try UndoPlan.redo(in: copies[machine])
      if let plan { try perform(plan, machine, author.stamp(at: time)) }
    } else {
      let save = copies[machine].revision + 1
      for _ in 0..<(kind < 80 ? 1 : 1 + random.below(5)) {
        try perform(try changes(of: copies[machine]), machine, &author, at: time, save: save)
      }
    }
    trim(machine)
    note(copies[machine])
  }

  /// The same change on two machines, as when a file is replaced while a command edits it: with the next number of its program.
  mutating func editTwice(_ one: Int, _ other: Int) throws {
    let changes = try changes(of: copies[one])
    var author = try Author(origin: Origin(using: &random))
    for machine in [one, other] {
      try perform(changes, machine, &author, at: clock, save: copies[machine].revision + 1)
      trim(machine)
      note(copies[machine])
    }
  }

  private mutating func changes(of content: DocumentContent) throws -> [Change] {
    let there = content.emojisInOrder().map(\.id)
    var changes: [Change] = []
    for _ in 0..<(random.oneIn(4) ? 1 + random.below(4) : 1) {
      let change = try edits.change()
      guard let id = there.randomElement(using: &random), change.field.emoji != nil else {
        changes.append(change)
        continue
      }
      switch change {
      case .add: changes.append(change)
      case .remove: changes.append(.remove(id))
      case .set(_, let value): changes.append(.set(id, value))
      default: break
      }
    }
    return changes
  }

  private mutating func perform(
    _ changes: [Change], _ machine: Int, _ author: inout Author, at time: Int, save: Int
  ) throws {
    holdPictures(of: changes, machine)
    let applied = try copies[machine].apply(changes, at: time)
    guard !applied.changes.isEmpty else { return }
    log("edit", applied, .edit, author.stamp(at: time), machine, save: save)
  }

  private mutating func perform(_ plan: UndoPlan, _ machine: Int, _ stamp: EditStamp) throws {
    let applied = try copies[machine].apply(plan, at: stamp.time)
    log(plan.name, applied, plan.kind, stamp, machine, save: copies[machine].revision + 1)
  }

  private mutating func log(
    _ name: String, _ applied: AppliedEdit, _ kind: LoggedEdit.Kind, _ stamp: EditStamp, _ machine: Int,
    save: Int
  ) {
    made.insert(stamp.id)
    seen[stamp.id] = copies[machine].head
    copies[machine].append(
      LoggedEdit(
        stamp, revision: copies[machine].revision + 1, save: save, kind: kind,
        edit: Edit(name: name, changes: applied.changes), inverse: applied.inverse, dropped: applied.dropped))
  }

  private mutating func trim(_ machine: Int) {
    guard let kept else { return }
    copies[machine].trimLog(LogBudget(kept: kept, block: 4, bytes: .max))
  }

  /// A new background's picture is there; older ones may have gone.
  private mutating func holdPictures(of changes: [Change], _ machine: Int) {
    for case .setBackground(let background?) in changes {
      copies[machine].setPictures(copies[machine].pictures.union([background.digest]))
    }
  }

  private mutating func evictPictures(_ machine: Int) {
    guard random.oneIn(6) else { return }
    copies[machine].setPictures(Set([copies[machine].background?.digest].compactMap { $0 }))
  }

  // MARK: Merging

  /// A hash over what a merged state is.
  static func name(of content: DocumentContent, _ edits: ArraySlice<LoggedEdit>) -> Origin {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ bytes: some Sequence<UInt8>) {
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    add("\(content.canvas) \(String(describing: content.fill)) \(content.revision)".utf8)
    add("\(String(describing: content.background)) \(String(describing: content.pending))".utf8)
    for emoji in content.emojisInOrder() { add("\(emoji)".utf8) }
    for entry in edits { add("\(entry.id)".utf8) }
    return Origin(lowBits: hash ^ hash >> 32)
  }

  /// Merges two copies; nil if they have parted.
  mutating func merge(_ one: DocumentContent, _ other: DocumentContent) throws -> DocumentContent? {
    let merge: DocumentMerge
    do throws(ArtError) {
      merge = try DocumentMerge(one, other, keeping: kept ?? LogBlock.kept, named: Self.name)
    } catch {
      guard error.code == .parted else { throw error }
      refused += 1
      return nil
    }
    merges += merge.source == .both ? 1 : 0
    var merged = merge.content
    if let kept { merged.trimLog(LogBudget(kept: kept, block: 4, bytes: .max)) }
    check(merged.revision >= max(one.revision, other.revision), "the revision shrank")
    note(merged)
    return merged
  }

  /// Two machines meet. Each of them merges by itself, or only one does.
  mutating func meet(_ one: Int, _ other: Int, both: Bool = true) throws {
    guard let merged = try merge(copies[one], copies[other]) else { return }
    if both {
      let again = try merge(copies[other], copies[one])
      check(again == merged, "two machines merged one pair to two documents")
      copies[other] = merged
    }
    copies[one] = merged
  }

  /// All machines meet until all have the same document, at most so often.
  mutating func heal(rounds: Int = 40) throws {
    for _ in 0..<rounds where copies.contains(where: { $0 != copies[0] }) {
      let order = copies.indices.shuffled(using: &random)
      for pair in 0..<(order.count / 2) { try meet(order[2 * pair], order[2 * pair + 1]) }
      for index in order.indices.dropLast() { try meet(order[index], order[index + 1]) }
    }
  }

  /// Whether all machines have the same document.
  var isOne: Bool { copies.allSatisfy { $0 == copies[0] } }

  /// The edits that are in no log, of documents whose logs are whole.
  var lost: Set<EditID> { made.subtracting(copies[0].log.lazy.map(\.id)) }

  // MARK: Checking

  private mutating func check(_ holds: Bool, _ fault: String) {
    if holds { held += 1 } else { broken[fault, default: 0] += 1 }
  }

  /// A name means one state, and edits are in order.
  private mutating func note(_ content: DocumentContent) {
    let name = StateName(revision: content.revision, head: content.head)
    if let known = states[name] {
      let edits = [known, content].map { $0.log.suffix(20).map(\.id) }
      check(known.hasSameArt(as: content) && edits[0] == edits[1], "one name, two states")
    } else {
      states[name] = content
    }
    check(
      zip(content.log, content.log.dropFirst()).allSatisfy { $0.revision < $1.revision }
        && content.log.allSatisfy { (1...$0.revision).contains($0.save) }
        && content.log.last.map { $0.id == content.head && $0.revision == content.revision } ?? true,
      "the log is damaged")
    var places: [EditID: Int] = [:]
    for (place, entry) in content.log.enumerated() { places[entry.id] = place }
    check(
      content.log.allSatisfy { entry in
        guard let seen = seen[entry.id].flatMap({ places[$0] }), let place = places[entry.id] else {
          return true
        }
        return seen < place
      }, "an edit comes before one that its author had seen")
  }

  /// Tries the laws on three copies, unless they have parted.
  mutating func tryLaws(_ x: DocumentContent, _ y: DocumentContent, _ z: DocumentContent) throws {
    guard let xy = try merge(x, y), let yz = try merge(y, z), let left = try merge(xy, z),
      let right = try merge(x, yz)
    else { return }
    check(try merge(y, x) == xy, "not commutative")
    for (one, other) in [(xy, x), (x, xy), (y, xy), (xy, xy)] {
      // With a short log, a copy may have parted from what it was merged into.
      if let merged = try merge(one, other) { check(merged == xy, "not absorbing") }
    }
    check(left == right, "not associative")
  }

  /// Merges two copies that have parted by value: the result does not depend on their order, and has each emoji that no log says was removed.
  /// Returns false if they have not parted.
  mutating func tryByValue(_ x: DocumentContent, _ y: DocumentContent) throws -> Bool {
    guard try merge(x, y) == nil else { return false }
    let one = try DocumentMerge(byValueOf: x, y, named: Self.name)
    let other = try DocumentMerge(byValueOf: y, x, named: Self.name)
    check(one.content == other.content, "by value: not commutative")
    check(one.report.doubts.map(Set.init) == other.report.doubts.map(Set.init), "by value: other doubts")
    let removed = Set(
      (x.log + y.log).lazy.flatMap(\.edit.changes).compactMap {
        if case .remove(let id) = $0 { id } else { nil }
      })
    let ids = Set((x.emojisInOrder() + y.emojisInOrder()).map(\.id))
    check(ids.subtracting(removed).allSatisfy { one.content.emoji($0) != nil }, "by value: an emoji is lost")
    check(
      one.content.revision > max(x.revision, y.revision) || one.source != .both, "by value: an old revision")
    return true
  }

  /// Goes back to the beginning: to what all copies were made of.
  mutating func tryReturning(_ content: DocumentContent) throws {
    check(try content.reachableRevisions.lowerBound == 0, "the beginning is not reached")
    check(try content.content(at: 0).hasSameArt(as: start), "the art of the beginning is another one")
  }

  /// Plans the undo of each entry by the index, which has read the log in two parts, and by a walk through the log.
  mutating func tryPlanning(_ content: DocumentContent) throws {
    guard let first = content.log.first?.id else { return }
    var index = WriteIndex()
    _ = index.again(.undo(first), in: Array(content.log.prefix(content.log.count / 2)))
    for id in content.log.map(\.id) + [EditID(origin: Origin(using: &random), sequence: 1)] {
      for kind in [LoggedEdit.Kind.undo(id), .redo(id)] {
        check(
          try index.again(kind, in: content.log) == UndoPlan.again(kind, in: content),
          "an undo is planned otherwise by the index")
      }
    }
  }

  /// Undoes everything, and makes it again: as much, since an undo that was there before could be redone, too.
  mutating func tryUndoing(_ content: DocumentContent) throws {
    var content = content
    let before = content
    var author = try Author(origin: Origin(using: &random))
    var undone = 0
    for direction in [UndoDirection.undo, .redo] {
      while let plan = direction == .undo ? try UndoPlan.undo(in: content) : try UndoPlan.redo(in: content) {
        undone += direction == .undo ? 1 : -1
        guard undone >= 0 else { break }
        let applied = try content.apply(plan, at: clock)
        content.append(
          LoggedEdit(
            author.stamp(at: clock), revision: content.revision + 1, save: content.revision + 1,
            kind: plan.kind,
            edit: Edit(name: plan.name, changes: applied.changes), inverse: applied.inverse,
            dropped: applied.dropped))
      }
    }
    check(content.hasSameArt(as: before), "undoing and redoing everything leads elsewhere")
  }
}
