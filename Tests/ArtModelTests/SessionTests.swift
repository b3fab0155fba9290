// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

/// Several clients that edit one document through one program.
private struct Desk {
  var content: DocumentContent
  private(set) var entries: [LoggedEdit] = []
  private var author: Author
  let clients: [DocumentClient]
  private var tags = 0

  init(_ content: DocumentContent, clients count: Int = 3) throws {
    self.content = content
    author = try Author(origin: Origin(lowBits: 7))
    clients = try (0..<count).map {
      try DocumentClient(author: "client \($0)", session: SessionID(lowBits: UInt64($0 + 1)))
    }
  }

  /// What a client does; nil when it has no effect.
  @discardableResult
  mutating func perform(
    _ changes: [Change], by client: Int, kind: LoggedEdit.Kind = .edit, name: String = "edit"
  ) throws -> LoggedEdit? {
    let applied = try content.apply(changes, of: kind, at: 0)
    guard !applied.changes.isEmpty || kind != .edit else { return nil }
    tags += 1
    let stamp = author.stamp(at: 0, by: clients[client], tag: RequestTag("t\(tags)"))
    let entry = LoggedEdit(
      stamp, revision: content.revision + 1, save: 1, kind: kind,
      edit: Edit(name: name, changes: applied.changes), inverse: applied.inverse, dropped: applied.dropped)
    content.append(entry)
    entries.append(entry)
    return entry
  }

  /// Undoes, or redoes, what that client did.
  @discardableResult
  mutating func step(_ direction: UndoDirection, by client: Int) throws -> LoggedEdit? {
    let session = try #require(clients[client].session)
    let plan =
      switch direction {
      case .undo: try UndoPlan.undo(in: content, by: .session(session))
      case .redo: try UndoPlan.redo(in: content, by: .session(session))
      }
    guard let plan else { return nil }
    return try perform(plan.changes, by: client, kind: plan.kind, name: plan.name)
  }
}

@Suite("Sessions") struct SessionTests {
  private func move(_ id: EmojiID, _ x: Double) throws -> Change { .move(id, to: try Point(x: x, y: 0)) }

  @Test("M20 undo and redo of a session are about its own edits, whichever program made them")
  func undoBySession() throws {
    let (bee, ant) = (try emoji("aaaaaaaa", x: 1), try emoji("bbbbbbbb", x: 1))
    var desk = try Desk(document([bee, ant]))
    try desk.perform([move(bee.id, 2)], by: 0)
    try desk.perform([move(ant.id, 2)], by: 1)
    let undone = try #require(try desk.step(.undo, by: 0))
    #expect(undone.edit.changes == [try move(bee.id, 1)])
    #expect(desk.content.emoji(ant.id)?.position.x == 2)
    #expect(try desk.step(.undo, by: 0) == nil)
    #expect(try desk.step(.redo, by: 1) == nil, "another session's undo is not made again")
    #expect(try desk.step(.redo, by: 0)?.edit.changes == [try move(bee.id, 2)])
    // Another program, the same session: a new origin, the same owner.
    var later = try Author(origin: Origin(lowBits: 99), session: SessionID(lowBits: 2))
    let plan = try #require(try UndoPlan.undo(in: desk.content, by: .session(SessionID(lowBits: 2))))
    #expect(plan.changes == [try move(ant.id, 1)])
    #expect(try UndoPlan.undo(in: desk.content, by: .origin(later.stamp(at: 0).id.origin)) == nil)
  }

  @Test("M25 a restore makes one edit for each client, and together they come to what all of them did")
  func parts() throws {
    var edits = RandomEdits(seed: 60)
    var random = SplitMix64(seed: 61)
    var (several, tags) = (0, 0)
    for round in 0..<2_000 {
      let start = try edits.document()
      var desk = try Desk(start)
      for _ in 0..<(2 + random.below(12)) {
        let client = random.below(3)
        switch random.below(5) {
        case 0: try desk.step(.undo, by: client)
        case 1: try desk.step(.redo, by: client)
        default: try desk.perform(edits.edit().changes, by: client)
        }
      }
      let plan = try RestorePlan(desk.entries, on: start)
      #expect(Picture(plan.content) == Picture(desk.content), "\(round)")
      #expect(plan.dropped.isEmpty, "\(round)")
      let sessions = plan.parts.map(\.stamp.session)
      #expect(Set(sessions) == Set(desk.entries.map(\.session)) && Set(sessions).count == sessions.count)
      #expect(plan.parts.last?.stamp.id == desk.entries.last?.id, "the last edit's client comes last")
      for part in plan.parts {
        let own = desk.entries.filter { $0.session == part.stamp.session }
        #expect(part.stamp.tags == own.flatMap(\.stamp.tags))
        tags += part.stamp.tags.count
      }
      several += sessions.count > 1 ? 1 : 0
    }
    print("M25 restores: 2000 journals, \(several) of several clients, \(tags) tags kept")
    #expect(several > 1_000)
  }

  @Test("M25 of a field that several clients set the last one gets the value")
  func interleaved() throws {
    let bee = try emoji("aaaaaaaa", x: 0)
    var desk = try Desk(document([bee]))
    for (x, client) in [(1.0, 0), (2, 1), (3, 0)] { try desk.perform([move(bee.id, x)], by: client) }
    let plan = try RestorePlan(desk.entries, on: document([bee]))
    #expect(plan.parts.map(\.edit.changes) == [[], [try move(bee.id, 3)]])
    #expect(plan.parts.map { $0.stamp.tags.map(\.description) } == [["t2"], ["t1", "t3"]])
  }

  @Test("M25 what a later client set of an emoji that another one added can be undone by itself")
  func addedByAnother() throws {
    let bee = try emoji("aaaaaaaa", x: 0)
    var desk = try Desk(document([]))
    try desk.perform([.add(bee)], by: 0)
    try desk.perform([move(bee.id, 5)], by: 1)
    let plan = try RestorePlan(desk.entries, on: document([]))
    #expect(plan.parts.map(\.edit.changes) == [[.add(bee)], [try move(bee.id, 5)]])
    // The client that added it is the last one: what the other set is part of the addition.
    try desk.perform([.resize(bee.id, to: FontSize(9))], by: 0)
    let other = try RestorePlan(desk.entries, on: document([]))
    var whole = bee
    whole.position = try Point(x: 5, y: 0)
    whole.size = try FontSize(9)
    #expect(other.parts.map(\.edit.changes) == [[], [.add(whole)]])
  }
}
