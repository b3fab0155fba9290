// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

@Suite("Merging copies: the laws") struct MergeLawTests {
  /// Machines that edit, meet, and are cut off from each other; and the laws on three of their copies now and then.
  private static func run(_ world: inout MergeWorld, machines: Int, steps: Int) throws -> Int {
    var groups = Array(repeating: 0, count: machines)
    var laws = 0
    for step in 0..<steps {
      if world.random.oneIn(20) { groups = groups.map { _ in world.int(2) } }
      let (one, other) = (world.int(machines), world.int(machines))
      switch world.int(100) {
      case 0..<70: try world.edit(one)
      case 70..<72: if one != other { try world.editTwice(one, other) }
      default:
        if one != other, groups[one] == groups[other] { try world.meet(one, other, both: world.random.oneIn(2)) }
      }
      guard step % max(1, steps / 4) == steps / 8 else { continue }
      for _ in 0..<6 {
        let (x, y, z) = (world.copies[world.int(machines)], world.copies[world.int(machines)], world.copies[world.int(machines)])
        laws += try world.tryLaws(x, y, z)
      }
    }
    return laws
  }

  @Test("M60 whoever merges whatever copies in whatever order gets the same document, and no edit is lost")
  func laws() throws {
    let campaign = Campaign("merge-laws", smoke: 40)
    var (laws, made, merges) = (0, 0, 0)
    for number in campaign.cases {
      let machines = [3, 3, 3, 5][Int(number % 4)]
      var world = try MergeWorld(seed: number, machines: machines, hasFewIDs: number % 5 == 0)
      laws += try Self.run(&world, machines: machines, steps: 40)
      try world.heal()
      #expect(world.copies.allSatisfy { $0 == world.copies[0] }, "case \(number): the copies do not become equal")
      #expect(world.lost.isEmpty, "case \(number): \(world.lost.count) edits are lost")
      #expect(world.refused == 0, "case \(number): \(world.refused) merges were refused")
      (made, merges) = (made + world.made.count, merges + world.merges)
    }
    print("M60 merging: \(campaign.count) schedules, \(made) edits, \(merges) merges, \(laws) laws held, 0 broken, 0 edits lost")
    campaign.report(tried: campaign.count)
  }
}
