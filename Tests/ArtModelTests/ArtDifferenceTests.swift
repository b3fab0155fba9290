// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

@Suite("How two states differ") struct ArtDifferenceTests {
  private func difference(_ old: [Emoji], _ new: [Emoji]) throws -> ArtDifference {
    ArtDifference(from: try document(old), to: try document(new))
  }

  @Test("M45 what differs is what was added, removed and changed, field by field")
  func fields() throws {
    let bee = try emoji("00000001", x: 1, z: 1)
    var moved = bee
    moved.set(.position(try Point(x: 2, y: 0)))
    moved.set(.size(try FontSize(50)))
    let flower = try emoji("00000002", "🌸", z: 2)
    let bug = try emoji("00000003", "🐞", z: 3)
    let found = try difference([bee, flower], [moved, bug])
    #expect(found.added == [bug] && found.removed == [flower])
    #expect(found.changed == [ArtDifference.Changed(from: bee, to: moved, isReordered: false)])
    #expect(found.changed.first?.fields == [.position, .size])
    #expect(try difference([bee, flower], [bee, flower]).isEmpty)
    var other = try document()
    other.setCanvas(try Canvas(width: 9, height: 9))
    other.setFill(try Color(typed: "gold"))
    let sizes = ArtDifference(from: try document(), to: other)
    #expect(sizes.canvas?.to.width == 9 && sizes.fill?.from == nil && sizes.background == nil)
  }

  @Test("M45 of emoji without common ids those that look the same are one, and then those with the same text")
  func matching() throws {
    let old = [try emoji("00000001", x: 2, z: 1), try emoji("00000002", x: 1, z: 2)]
    let new = [
      try emoji("00000003", x: 2, z: 1), try emoji("00000004", x: 3, z: 2), try emoji("00000005", "🌸", z: 3),
    ]
    let found = try difference(old, new)
    #expect(found.added.map(\.text.string) == ["🌸"] && found.removed.isEmpty)
    #expect(found.changed.map(\.from.position.x) == [1] && found.changed.map(\.to.position.x) == [3])
  }

  @Test(
    "M45 the fewest emoji count as reordered, whatever their z-order values are",
    arguments: 0..<6 as Range<UInt64>)
  func order(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<60 {
      let count = Int.random(in: 1...7, using: &random)
      let ids = (1...count).map { "0000000\($0)" }
      let shuffled = ids.shuffled(using: &random)
      let old = try ids.enumerated().map { try emoji($1, z: $0 * 3) }
      let new = try shuffled.enumerated().map { try emoji($1, z: $0 * 5 + 100) }
      let found = try difference(old, new).changed
      #expect(found.allSatisfy { $0.isReordered && $0.fields.isEmpty })
      // Without those that count, the rest is in the same order; and no smaller number does that.
      let counted = Set(found.map(\.to.id.description))
      #expect(shuffled.filter { !counted.contains($0) } == ids.filter { !counted.contains($0) })
      let least = (0..<(1 << count)).filter { subset in
        let left = ids.indices.filter { subset & (1 << $0) == 0 }.map { ids[$0] }
        return shuffled.filter(left.contains) == left
      }.map(\.nonzeroBitCount).min()
      #expect(found.count == least)
    }
  }

  @Test(
    "M45 random states: the difference of a state with itself is empty, and each emoji is in one part of it")
  func laws() throws {
    var random = RandomEdits(seed: 3)
    for _ in 0..<300 {
      let old = try random.document()
      var new = old
      for _ in 0..<random.int(0...8) { _ = try new.apply(random.edit().changes, at: 1) }
      #expect(ArtDifference(from: old, to: old).isEmpty)
      let found = ArtDifference(from: old, to: new)
      let same = new.emojiCount - found.added.count - found.changed.count
      #expect(same >= 0 && old.emojiCount - found.removed.count - found.changed.count == same)
      #expect(Set(found.added.map(\.id)).isDisjoint(with: found.changed.map(\.to.id)))
    }
  }
}
