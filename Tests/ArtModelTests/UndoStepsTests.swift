// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

@Suite("Several undos in a row") struct UndoStepsTests {
  /// The result of random edits, undos and redos by two programs and a command line.
  private func history(_ generator: inout SplitMix64) throws -> DocumentContent {
    var authors = [try author(1), try author(2)]
    var art = try document([emoji("aaaaaaaa"), emoji("bbbbbbbb", z: 1)])
    for _ in 0..<Int.random(in: 1...30, using: &generator) {
      let program = Int.random(in: 0...1, using: &generator)
      switch Int.random(in: 0...5, using: &generator) {
      case 0: try art.undo(own: Bool.random(using: &generator), by: &authors[program])
      case 1: try art.redo(own: Bool.random(using: &generator), by: &authors[program])
      default:
        let place = try Point(x: Double(Int.random(in: 0...9, using: &generator)), y: 0)
        var changes = [Change.move(try id("aaaaaaaa"), to: place)]
        if Bool.random(using: &generator) {
          changes.append(.resize(try id("bbbbbbbb"), to: try FontSize(place.x + 1)))
        }
        try art.perform(Edit(name: "edit \(art.revision)", changes: changes), by: &authors[program])
      }
    }
    return art
  }

  @Test(
    "M17 several undos or redos in one command do the same as single ones",
    arguments: [UndoDirection.undo, .redo])
  func steps(_ direction: UndoDirection) throws {
    var generator = SplitMix64(seed: 31)
    var performed = 0
    for _ in 0..<2_000 {
      let start = try history(&generator)
      var (single, together) = (start, start)
      var (one, other) = (try author(7), try author(7))
      var steps = try UndoSteps(direction, in: together)
      for _ in 0..<12 {
        let plan = direction == .undo ? try single.undo(by: &one) : try single.redo(by: &one)
        let step = try steps.next(in: together)
        #expect(step == plan)
        guard let step else { break }
        steps.performed(try together.perform(step, stamp: other.stamp(at: 0)))
        performed += 1
      }
      #expect(Picture(single) == Picture(together))
    }
    print("undo steps, \(direction): \(performed) beside single ones")
    #expect(performed >= (direction == .undo ? 10_000 : 400))
  }

  @Test("a redone edit can be undone although the edit itself has left the log")
  func orphanedRedo() throws {
    var author = try author(1)
    var art = try document([emoji("aaaaaaaa")])
    for x in 1...3 {
      try art.perform(
        Edit(name: "to \(x)", changes: [.move(id("aaaaaaaa"), to: Point(x: Double(x), y: 0))]), by: &author)
    }
    for _ in 1...3 { try art.undo(by: &author) }
    for _ in 1...3 { try art.redo(by: &author) }
    // Three undos and three redos are left: the edits themselves have left the log.
    art.trimLog(LogBudget(kept: 6, block: 1))
    #expect(art.log.count == 6)
    var places: [Double] = []
    while try art.undo(by: &author) != nil {
      places.append(try #require(art.emoji(id("aaaaaaaa"))).position.x)
    }
    #expect(places == [2, 1, 0])
    while try art.redo(by: &author) != nil {
      places.append(try #require(art.emoji(id("aaaaaaaa"))).position.x)
    }
    #expect(places == [2, 1, 0, 1, 2, 3])
    #expect(try art.undo(by: &author)?.name == "to 3")
  }

  @Test("F3 the log in memory keeps its newest entries up to its limits, and always the newest one")
  func trimming() throws {
    var author = try author(1)
    var art = try document([emoji("aaaaaaaa")])
    for x in 1...9 {
      try art.perform(
        Edit(name: "to \(x)", changes: [.move(id("aaaaaaaa"), to: Point(x: Double(x), y: 0))]), by: &author)
    }
    art.trimLog(LogBudget(kept: 100, block: 1))
    #expect(art.log.count == 9)
    art.trimLog(LogBudget(kept: 7, block: 1))
    #expect(art.log.map(\.revision) == [3, 4, 5, 6, 7, 8, 9])
    art.trimLog(LogBudget(kept: 7, block: 1, bytes: art.log.suffix(3).reduce(0) { $0 + $1.logBytes }))
    #expect(art.log.map(\.revision) == [7, 8, 9])
    art.trimLog(LogBudget(kept: 7, block: 1, bytes: 0))
    #expect(art.log.map(\.revision) == [9])
    art.trimLog(LogBudget(kept: 0, block: 1, bytes: 0))
    #expect(art.log.map(\.revision) == [9])
  }

  @Test("M16 a change to a value out of bounds is refused before anything is changed")
  func bounds() throws {
    var art = try document([emoji("aaaaaaaa")])
    let before = art
    for z in [Int.max, Int.min, 1 << 61] {
      let moved = Change.move(try id("aaaaaaaa"), to: try Point(x: 9, y: 9))
      let added = Change.add(
        Emoji(
          id: try id("cccccccc"), text: try EmojiText("🐝"), position: try Point(x: 0, y: 0), size: .standard,
          z: z))
      let changes: [[Change]] = [[moved, .order(try id("aaaaaaaa"), to: z)], [moved, added]]
      for change in changes {
        #expect(failure { () throws(ArtError) in try art.apply(change) }?.code == .badValue)
        #expect(art == before)
      }
    }
    let digest = String(repeating: "0", count: 32)
    let fullWidth = String(repeating: "０", count: 10) + "ab"
    for (digest, type, url) in [
      ("x", "image/png", nil), (fullWidth, "image/png", nil), (digest, "text/plain", nil),
      (digest, "image/png", String(repeating: "u", count: 65_537)),
    ] {
      let made = failure { () throws(ArtError) in
        try Background(digest: digest, mediaType: type, size: .standard, url: url)
      }
      #expect(made?.code == .badValue)
    }
  }
}
