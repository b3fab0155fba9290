// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ArtModel

@Suite("Summaries of edits") struct EditWordsTests {
  private func entry(
    _ changes: [Change], inverse: [Change] = [], _ kind: LoggedEdit.Kind = .edit, name: String = "some edit"
  ) throws -> LoggedEdit {
    var author = try author(1)
    return LoggedEdit(
      author.stamp(at: 0), revision: 1, save: 1, kind: kind, edit: Edit(name: name, changes: changes),
      inverse: inverse)
  }

  private let ids = (0..<12).map { EmojiID(bits: UInt64($0)) }

  @Test("a summary names the emoji and the result of the edit")
  func one() throws {
    let texts = [ids[0]: "🐝", ids[1]: "🌸"]
    let place = try Point(x: 120, y: 80.5)
    let bee = try emoji("00000000", "🐝")
    let canvas = try Canvas(width: 800, height: 600)
    let cases: [([Change], String)] = [
      ([.move(ids[0], to: place)], "🐝 moved to 120,80.5"),
      ([.move(ids[0], to: place), .move(ids[0], to: try Point(x: 1, y: 2))], "🐝 moved to 1,2"),
      ([.move(ids[0], to: place), .move(ids[1], to: place)], "🐝 🌸 moved to 120,80.5"),
      ([.move(ids[0], to: place), .move(ids[1], to: try Point(x: 1, y: 2))], "🐝 🌸 moved"),
      ([.resize(ids[1], to: try FontSize(48))], "🌸 resized to 48"),
      ([.add(bee)], "🐝 added"),
      ([.order(ids[1], to: 7), .add(bee)], "🐝 added"),
      ([.remove(ids[1]), .remove(ids[0])], "🐝 🌸 removed"),
      ([.order(ids[0], to: 7)], "🐝 brought to another place in the order"),
      ([.setCanvas(canvas)], "canvas set to 800x600"),
      ([.setBackground(nil)], "background removed"),
      (
        [.move(ids[0], to: place), .resize(ids[0], to: try FontSize(9))],
        "🐝 moved to 120,80.5, 🐝 resized to 9"
      ),
    ]
    for (changes, words) in cases { #expect(try entry(changes).summary(texts) == words) }
  }

  @Test("a summary takes a removed emoji from the inverse, and a text from the change")
  func before() throws {
    let bee = try emoji("00000000", "🐝")
    #expect(try entry([.remove(bee.id)], inverse: [.add(bee)]).summary() == "🐝 removed")
    let flower = try EmojiText("🌸")
    let change = try entry([.setText(bee.id, to: flower)], inverse: [.setText(bee.id, to: bee.text)])
    #expect(change.summary([bee.id: "🌸"]) == "🐝 changed to 🌸")
    #expect(try entry([.move(bee.id, to: bee.position)]).summary() == "an emoji moved to 0,0")
  }

  @Test("a summary gives the number of many emoji, and the first of many kinds of changes")
  func many() throws {
    let texts = Dictionary(uniqueKeysWithValues: ids.map { ($0, "🐝") })
    #expect(try entry(ids.map { .remove($0) }).summary(texts) == "12 emoji removed")
    #expect(try entry(ids.prefix(3).map { .remove($0) }).summary(texts) == "🐝 🐝 🐝 removed")
    #expect(try entry(ids.prefix(2).map { .remove($0) }).summary() == "2 emoji removed")
    let mixed: [Change] = [
      .remove(ids[0]), .resize(ids[1], to: try FontSize(9)), .order(ids[2], to: 7), .setBackground(nil),
    ]
    #expect(
      try entry(mixed).summary(texts)
        == "🐝 removed, 🐝 resized to 9, 🐝 brought to another place in the order, and more")
  }

  @Test("a summary marks an undo, a redo and a repair")
  func kinds() throws {
    let id = try entry([]).id
    let texts = [ids[0]: "🐝"]
    #expect(try entry([.remove(ids[0])], .undo(id)).summary(texts) == "undo: 🐝 removed")
    #expect(try entry([.remove(ids[0])], .redo(id)).summary(texts) == "redo: 🐝 removed")
    #expect(try entry([], .repair, name: "repair").summary() == "repaired")
    let refused = try entry([.setPending(nil)], .refuse, name: "refuse the background: dns")
    #expect(refused.summary() == "background refused (dns)")
    #expect(try entry([], name: "something else").summary() == "something else")
    // A name says nothing about what the edit is.
    #expect(try entry([], name: "repair").summary() == "repair")
    #expect(
      try entry([.setPending(nil)], name: "refuse the background: dns").summary()
        == "background no longer to be fetched")
  }
}
