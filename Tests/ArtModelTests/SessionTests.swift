// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

/// A document that several clients edit through one program.
private struct MultiClientDocument {
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

  /// Performs an edit of a client; nil when it has no effect.
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

  /// Performs an undo or a redo of a client.
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

  @Test(
    "M20 undo and redo of a session take back the edits of that session only, whichever program made them")
  func undoBySession() throws {
    let (bee, ant) = (try emoji("aaaaaaaa", x: 1), try emoji("bbbbbbbb", x: 1))
    var shared = try MultiClientDocument(document([bee, ant]))
    try shared.perform([move(bee.id, 2)], by: 0)
    try shared.perform([move(ant.id, 2)], by: 1)
    let undone = try #require(try shared.step(.undo, by: 0))
    #expect(undone.edit.changes == [try move(bee.id, 1)])
    #expect(shared.content.emoji(ant.id)?.position.x == 2)
    #expect(try shared.step(.undo, by: 0) == nil)
    #expect(try shared.step(.redo, by: 1) == nil, "another session's undo is not redone")
    #expect(try shared.step(.redo, by: 0)?.edit.changes == [try move(bee.id, 2)])
    // Another program with the same session: a new origin, and the same session.
    var later = try Author(origin: Origin(lowBits: 99), session: SessionID(lowBits: 2))
    let plan = try #require(try UndoPlan.undo(in: shared.content, by: .session(SessionID(lowBits: 2))))
    #expect(plan.changes == [try move(ant.id, 1)])
    #expect(try UndoPlan.undo(in: shared.content, by: .origin(later.stamp(at: 0).id.origin)) == nil)
  }

  @Test(
    "M25 a restore makes one edit for each client, and all of them together give the document of the clients")
  func parts() throws {
    var edits = RandomEdits(seed: 60)
    var random = SplitMix64(seed: 61)
    var (several, tags) = (0, 0)
    for round in 0..<2_000 {
      let start = try edits.document()
      var shared = try MultiClientDocument(start)
      for _ in 0..<(2 + random.below(12)) {
        let client = random.below(3)
        switch random.below(5) {
        case 0: try shared.step(.undo, by: client)
        case 1: try shared.step(.redo, by: client)
        default: try shared.perform(edits.edit().changes, by: client)
        }
      }
      let plan = try RestorePlan(shared.entries, on: start)
      #expect(Picture(plan.content) == Picture(shared.content), "\(round)")
      #expect(plan.dropped.isEmpty, "\(round)")
      let sessions = plan.parts.map(\.stamp.session)
      #expect(Set(sessions) == Set(shared.entries.map(\.session)) && Set(sessions).count == sessions.count)
      #expect(plan.parts.last?.stamp.id == shared.entries.last?.id, "the last edit's client comes last")
      for part in plan.parts {
        let own = shared.entries.filter { $0.session == part.stamp.session }
        #expect(part.stamp.tags == own.flatMap(\.stamp.tags))
        tags += part.stamp.tags.count
      }
      several += sessions.count > 1 ? 1 : 0
    }
    print("M25 restores: 2000 journals, \(several) of several clients, \(tags) tags kept")
    #expect(several > 1_000)
  }

  @Test("M25 a field that several clients have set gets the value of the last one")
  func interleaved() throws {
    let bee = try emoji("aaaaaaaa", x: 0)
    var shared = try MultiClientDocument(document([bee]))
    for (x, client) in [(1.0, 0), (2, 1), (3, 0)] { try shared.perform([move(bee.id, x)], by: client) }
    let plan = try RestorePlan(shared.entries, on: document([bee]))
    #expect(plan.parts.map(\.edit.changes) == [[], [try move(bee.id, 3)]])
    #expect(plan.parts.map { $0.stamp.tags.map(\.description) } == [["t2"], ["t1", "t3"]])
  }

  @Test("M25 a later client's change of an emoji that another client has added can be undone by itself")
  func addedByAnother() throws {
    let bee = try emoji("aaaaaaaa", x: 0)
    var shared = try MultiClientDocument(document([]))
    try shared.perform([.add(bee)], by: 0)
    try shared.perform([move(bee.id, 5)], by: 1)
    let plan = try RestorePlan(shared.entries, on: document([]))
    #expect(plan.parts.map(\.edit.changes) == [[.add(bee)], [try move(bee.id, 5)]])
    // If the client that added the emoji is the last one, the change of the other client is part of the addition.
    try shared.perform([.resize(bee.id, to: FontSize(9))], by: 0)
    let other = try RestorePlan(shared.entries, on: document([]))
    var whole = bee
    whole.position = try Point(x: 5, y: 0)
    whole.size = try FontSize(9)
    #expect(other.parts.map(\.edit.changes) == [[], [.add(whole)]])
  }
}
