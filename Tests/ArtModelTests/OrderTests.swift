// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

@Suite("Order of emoji")
struct OrderTests {
  private static let letters = Array("abcdefgh")

  /// Emoji `aaaaaaaa`, `bbbbbbbb` … at these values of z.
  private func stack(_ z: Int...) throws -> DocumentContent {
    try document(zip(Self.letters, z).map { try emoji(String(repeating: $0, count: 8), z: $1) })
  }

  private func order(_ letters: String, _ ordering: Action.Ordering) throws -> Action {
    .order(.references(try letters.map { try Reference(String($0)) }), ordering)
  }

  private func above(_ letter: String) throws -> Action.Ordering { .above(try Reference(letter)) }

  private func names(_ art: DocumentContent) -> String {
    String(art.emojisInOrder().compactMap(\.id.description.first))
  }

  private func names(after action: Action, on start: DocumentContent) throws -> String {
    var art = start
    var author = try author(1)
    try art.perform(action, by: &author)
    art.checkInvariants()
    return names(art)
  }

  @Test("the index of an emoji is that in the order, and there is none for another z or id")
  func index() throws {
    let art = try stack(1, 2, 2, 4)
    #expect(art.emojisInOrder().map { art.orderIndex(of: $0) } == [0, 1, 2, 3])
    #expect(art.orderIndex(of: try emoji("bbbbbbbb", z: 3)) == nil)
    #expect(art.orderIndex(of: try emoji("eeeeeeee", z: 4)) == nil)
    #expect(art.orderIndex(of: try emoji("eeeeeeee", z: 9)) == nil)
  }

  @Test("M11 emoji at the front or the back are beyond all others, and keep their order among themselves")
  func frontAndBack() throws {
    let art = try stack(1, 2, 3, 4)
    #expect(try names(after: order("a", .front), on: art) == "bcda")
    #expect(try names(after: order("cab", .front), on: art) == "dabc")
    #expect(try names(after: order("d", .back), on: art) == "dabc")
    #expect(try names(after: order("db", .back), on: art) == "bdac")
    #expect(try names(after: .order(.all, .front), on: art) == "abcd")
  }

  @Test("M11 an emoji that is put above another one is just above it")
  func above() throws {
    let art = try stack(0, 100, 200, 300)
    #expect(try names(after: order("d", above("a")), on: art) == "adbc")
    #expect(try names(after: order("ca", above("b")), on: art) == "bacd")
    #expect(try names(after: order("a", above("d")), on: art) == "bcda")
    #expect(try names(after: order("cb", above("a")), on: art) == "abcd")
  }

  @Test("M11 an emoji that is put above itself is refused")
  func aboveItself() throws {
    let art = try stack(0, 1)
    let action = try order("ab", above("b"))
    var author = try author(1)
    var copy = art
    #expect(failure { () throws(ArtError) in try copy.perform(action, by: &author) }?.code == .badValue)
  }

  @Test(
    "M12 where no z is left in a gap the same edit gives new ones to all emoji, and its undo gives back the old ones"
  )
  func usedUpGap() throws {
    for start in [try stack(0, 1, 2, 3), try stack(5, 5, 5, 5), try stack(0, 2, 3, 3)] {
      var art = start
      var author = try author(1)
      try art.perform(order("dc", above("a")), by: &author)
      #expect(names(art) == "acdb")
      #expect(art.revision == 1)
      try art.undo(by: &author)
      #expect(Picture(art) == Picture(start))
    }
  }

  @Test("M12 where no z is left in the range all emoji get new ones, also for a new emoji")
  func usedUpRange() throws {
    let top = try stack(0, Limits.zOrder.upperBound)
    let bottom = try stack(Limits.zOrder.lowerBound, 0)
    #expect(try names(after: order("a", .front), on: top) == "ba")
    #expect(try names(after: order("b", .back), on: bottom) == "ba")
    var art = top
    var author = try author(1)
    let add = Action.add([try EmojiText("🌸")], at: .center, size: .standard)
    let before = Picture(art)
    try art.perform(add, by: &author)
    #expect(art.top()?.text.string == "🌸")
    #expect(art.emojisInOrder().map(\.z) == [1, 2, 3].map { $0 * Limits.zStep })
    try art.undo(by: &author)
    #expect(Picture(art) == before)
  }

  @Test("M11 an order that emoji already have changes nothing")
  func alreadySo() throws {
    let art = try stack(0, 1, 5, 9)
    var generator = SplitMix64(seed: 1)
    let so = [
      try order("d", .front), try order("dc", .front), try order("a", .back), try order("ba", .back),
      try order("b", above("a")), try order("cb", above("a")), .order(.all, .back),
    ]
    for action in so { #expect(try action.plan(on: art, using: &generator).edit.changes.isEmpty) }
    #expect(try !order("ca", .front).plan(on: art, using: &generator).edit.changes.isEmpty)
  }

  @Test("M11 M12 random reorders give the same order as in a list")
  func randomReorders() throws {
    var generator = SplitMix64(seed: 11)
    var tried = 0
    for _ in 0..<400 {
      var art = try document(
        Self.letters.map {
          let z = generator.oneIn(9) ? Limits.zOrder.upperBound : Int.random(in: 0...9, using: &generator)
          return try emoji(String(repeating: $0, count: 8), z: z)
        })
      var author = try author(1)
      var model = Array(names(art))
      for _ in 0..<20 {
        let named = Self.letters.shuffled(using: &generator).prefix(Int.random(in: 1...4, using: &generator))
        let moving = model.filter(named.contains)
        let others = model.filter { !named.contains($0) }
        let anchor = try #require(others.randomElement(using: &generator))
        let index = try #require(others.firstIndex(of: anchor)) + 1
        let (ordering, place): (Action.Ordering, Int) =
          switch Int.random(in: 0...3, using: &generator) {
          case 0: (.front, others.count)
          case 1: (.back, 0)
          default: (try above(String(anchor)), index)
          }
        model = others[..<place] + moving + others[place...]
        try art.perform(order(String(named), ordering), by: &author)
        art.checkInvariants()
        #expect(names(art) == String(model))
        tried += 1
      }
    }
    print("reorders: \(tried) against a list")
    #expect(tried == 8_000)
  }
}
