// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

/// A document without its log.
struct Picture: Equatable {
  var canvas: Canvas
  var fill: Color?
  var background: Background?
  var pending: PendingBackground?
  var emojis: [Emoji]

  init(_ content: DocumentContent) {
    canvas = content.canvas
    fill = content.fill
    background = content.background
    pending = content.pending
    emojis = content.emojisInOrder()
  }
}

/// Short ways to make an emoji's id, an emoji, and a document.
func id(_ text: String) throws -> EmojiID { try #require(EmojiID(text)) }

func emoji(
  _ id: String, _ text: String = "🐝", x: Double = 0, y: Double = 0, size: Double = 40, z: Int = 0
) throws -> Emoji {
  Emoji(
    id: try ArtModelTests.id(id), text: try EmojiText(text), position: try Point(x: x, y: y),
    size: try FontSize(size), z: z)
}

func document(_ emojis: [Emoji] = []) throws -> DocumentContent {
  try #require(
    DocumentContent(
      id: try documentID(), canvas: .standard, emojis: emojis, pictures: Set(RandomEdits.digests)))
}

func documentID() throws -> DocumentID { try #require(DocumentID("000000000000")) }

func author(_ number: UInt64) throws -> Author {
  var generator = SplitMix64(seed: number)
  return try Author(origin: Origin(using: &generator))
}

/// The error that the body throws, if any.
func failure<Value>(_ body: () throws(ArtError) -> Value) -> ArtError? {
  do throws(ArtError) {
    _ = try body()
    return nil
  } catch {
    return error
  }
}

extension DocumentContent {
  /// Performs an edit and logs it; nil when it has no effect.
  @discardableResult
  mutating func perform(_ edit: Edit, by author: inout Author) throws(ArtError) -> LoggedEdit? {
    let applied = try apply(edit.changes)
    guard !applied.changes.isEmpty else { return nil }
    return log(edit.name, applied, .edit, author.stamp(at: 0))
  }

  @discardableResult
  mutating func perform(_ action: Action, by author: inout Author) throws(ArtError) -> PlannedEdit {
    var generator = SplitMix64(seed: UInt64(revision))
    let plan = try action.plan(on: self, using: &generator)
    try perform(plan.edit, by: &author)
    return plan
  }

  /// Performs an undo or redo and logs it; nil when there is none.
  @discardableResult
  mutating func undo(own: Bool = false, by author: inout Author) throws(ArtError) -> UndoPlan? {
    try perform(UndoPlan.undo(in: self, by: own ? .origin(author.origin) : nil), by: &author)
  }

  @discardableResult
  mutating func redo(own: Bool = false, by author: inout Author) throws(ArtError) -> UndoPlan? {
    try perform(UndoPlan.redo(in: self, by: own ? .origin(author.origin) : nil), by: &author)
  }

  private mutating func perform(_ plan: UndoPlan?, by author: inout Author) throws(ArtError) -> UndoPlan? {
    guard let plan else { return nil }
    log(plan.name, try apply(plan.changes), plan.kind, author.stamp(at: 0))
    return plan
  }

  /// Performs one of several undos or redos.
  mutating func perform(_ plan: UndoPlan, stamp: EditStamp) throws(ArtError) -> LoggedEdit {
    log(plan.name, try apply(plan.changes), plan.kind, stamp)
  }

  @discardableResult
  private mutating func log(
    _ name: String, _ applied: AppliedEdit, _ kind: LoggedEdit.Kind, _ stamp: EditStamp
  ) -> LoggedEdit {
    let entry = LoggedEdit(
      stamp, revision: revision + 1, save: revision + 1, kind: kind,
      edit: Edit(name: name, changes: applied.changes), inverse: applied.inverse)
    append(entry)
    return entry
  }
}
