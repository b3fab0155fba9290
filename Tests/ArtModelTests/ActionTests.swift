// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

@Suite("Actions")
struct ActionTests {
  private func texts(_ texts: String...) throws -> [EmojiText] { try texts.map { try EmojiText($0) } }

  @Test("M11 a new emoji is on top of all others, with its centre at the given place")
  func add() throws {
    var art = try document([try emoji("aaaaaaaa", z: 7)])
    var author = try author(1)
    try art.perform(.add(texts("🌸"), at: Target(typed: "25%,-10"), size: .standard), by: &author)
    let added = try #require(art.top())
    #expect(added.text.string == "🌸" && added.z == 7 + Limits.zStep)
    #expect(try added.position == Point(x: 256, y: -10))
  }

  @Test("M11 a new id is drawn again if an emoji of the document or of the same action has it")
  func freshIDs() throws {
    struct Stuck: RandomNumberGenerator {
      var left: [UInt64]
      mutating func next() -> UInt64 { left.isEmpty ? 0 : left.removeFirst() }
    }
    let art = try document([
      Emoji(id: EmojiID(bits: 1), text: EmojiText("🐝"), position: Point(x: 0, y: 0), size: .standard, z: 0)
    ])
    var generator = Stuck(left: [1, 1, 2, 2, 1, 3])
    let plan = try Action.add(texts("🐝", "🌸"), at: .center, size: .standard).plan(on: art, using: &generator)
    #expect(plan.subjects.map(\.id.bits) == [2, 3])
  }

  @Test("several new emoji are placed side by side around the given place, each as wide as its characters")
  func sideBySide() throws {
    var art = try document()
    var author = try author(1)
    let plan = try art.perform(
      .add(texts("🐝", "🌸🌸", "🐝"), at: .point(x: 500, y: 100), size: .pixels(100)), by: &author)
    #expect(plan.subjects.map(\.position.x) == [313.25, 500, 686.75])
    #expect(plan.subjects.allSatisfy { $0.position.y == 100 })
    #expect(art.emojisInOrder().map(\.id) == plan.subjects.map(\.id))
    let far = Action.add(try texts("🐝", "🐝"), at: .point(x: 1_000_000, y: 0), size: .standard)
    #expect(failure { () throws(ArtError) in try art.perform(far, by: &author) }?.code == .badValue)
  }

  @Test("a move sets the place of each emoji, or adds to it")
  func move() throws {
    var art = try document([try emoji("aaaaaaaa", x: 1, y: 2, z: 0), try emoji("bbbbbbbb", x: 5, y: 6, z: 1)])
    var author = try author(1)
    try art.perform(.move(.all, .by(Coordinates("10,-1"))), by: &author)
    #expect(art.emojisInOrder().map(\.position) == [try Point(x: 11, y: 1), try Point(x: 15, y: 5)])
    try art.perform(.move(.all, .to(Target(typed: "0,100%"))), by: &author)
    #expect(art.emojisInOrder().map(\.position) == [try Point(x: 0, y: 768), try Point(x: 0, y: 768)])
    #expect(art.revision == 2)
  }

  @Test("a resize sets the size of each emoji, or multiplies it")
  func resize() throws {
    var art = try document([try emoji("aaaaaaaa", size: 10, z: 0), try emoji("bbbbbbbb", size: 30, z: 1)])
    var author = try author(1)
    try art.perform(.resize(.all, .by(1.5)), by: &author)
    #expect(art.emojisInOrder().map(\.size.pixels) == [15, 45])
    try art.perform(.resize(.references([Reference("a")]), .to(.pixels(8))), by: &author)
    #expect(art.emojisInOrder().map(\.size.pixels) == [8, 45])
    let tooLarge = Action.resize(.all, .by(1e9))
    #expect(failure { () throws(ArtError) in try art.perform(tooLarge, by: &author) }?.code == .badValue)
    #expect(art.emojisInOrder().map(\.size.pixels) == [8, 45])
  }

  @Test("a removal deletes emoji, and a text can be changed")
  func removeAndText() throws {
    var art = try document([try emoji("aaaaaaaa", z: 0), try emoji("bbbbbbbb", z: 1)])
    var author = try author(1)
    try art.perform(.setText(.references([Reference("a")]), EmojiText("🌸")), by: &author)
    #expect(art.bottom()?.text.string == "🌸")
    try art.perform(.remove(.references([Reference("🌸")])), by: &author)
    #expect(art.emojisInOrder().map(\.id) == [try id("bbbbbbbb")])
  }

  @Test("an edit is named by its verb and its emoji, and from the fourth emoji on by their number")
  func names() throws {
    let art = try document([
      try emoji("aaaaaaaa", "🌸", z: 0), try emoji("bbbbbbbb", z: 1), try emoji("cccccccc", z: 2),
    ])
    var generator = SplitMix64(seed: 1)
    let named = [
      (Action.move(.all, .to(.center)), "move 🌸 🐝 🐝"), (.resize(.all, .by(2)), "resize 🌸 🐝 🐝"),
      (.remove(.references([try Reference("a")])), "remove 🌸"), (.order(.all, .front), "reorder 🌸 🐝 🐝"),
      (.setText(.references([try Reference("a")]), try EmojiText("🐝")), "change 🌸"),
      (.add(try texts("🐝", "🐝", "🐝", "🐝"), at: .center, size: .standard), "add 4 emoji"),
    ]
    for (action, name) in named { #expect(try action.plan(on: art, using: &generator).edit.name == name) }
    let entry = LoggedEdit(
      EditStamp(id: try #require(EditID("000000000000:1")), time: 0), revision: 1, save: 1,
      kind: .undo(try #require(EditID("000000000000:2"))),
      edit: Edit(name: "move 🐝", changes: []), inverse: [])
    #expect(entry.title == "Undo move 🐝")
  }
}
