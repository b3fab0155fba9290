// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

@Suite("Merging copies: the laws") struct MergeLawTests {
  /// What schedules added up to.
  private struct Tally {
    var (schedules, edits, merges, refused, held, lost) = (0, 0, 0, 0, 0, 0)
    var broken: [String: Int] = [:]

    mutating func add(_ world: MergeWorld, lost: Int) {
      schedules += 1
      edits += world.made.count
      merges += world.merges
      refused += world.refused
      held += world.held
      self.lost += lost
      broken.merge(world.broken, uniquingKeysWith: +)
    }

    var words: String {
      let broken = broken.sorted { $0.key < $1.key }.map { "; \($0.key) \($0.value)" }.joined()
      return
        "\(schedules) schedules, \(edits) edits, \(merges) merges, \(refused) refused, \(held) laws held, \(self.broken.values.reduce(0, +)) broken, \(lost) edits lost\(broken)"
    }
  }

  /// Machines that edit, meet, and are cut off from each other; and the laws on three of their copies now and then.
  private static func run(
    _ world: inout MergeWorld, machines: Int, steps: Int, laws: Bool = true
  ) throws {
    var groups = Array(repeating: 0, count: machines)
    for step in 0..<steps {
      if world.random.oneIn(20) { groups = groups.map { _ in world.int(2) } }
      let (one, other) = (world.int(machines), world.int(machines))
      switch world.int(100) {
      case 0..<70: try world.edit(one)
      case 70..<72: if one != other { try world.editTwice(one, other) }
      default:
        if one != other, groups[one] == groups[other] {
          try world.meet(one, other, both: world.random.oneIn(2))
        }
      }
      guard laws, step % max(1, steps / 4) == steps / 8 else { continue }
      for _ in 0..<6 {
        let picked = (0..<3).map { _ in world.copies[world.int(machines)] }
        try world.tryLaws(picked[0], picked[1], picked[2])
      }
    }
  }

  /// Plays the schedules of a campaign, and prints what they add up to.
  private static func play(
    _ campaign: Campaign, _ title: String, _ schedule: (UInt64) throws -> (MergeWorld, lost: Int)
  ) throws -> Tally {
    var tally = Tally()
    for number in campaign.cases {
      let (world, lost) = try schedule(number)
      tally.add(world, lost: lost)
    }
    print("M41 \(title): \(tally.words)")
    #expect(tally.broken.isEmpty && tally.lost == 0)
    #expect(tally.merges > tally.schedules && tally.held > tally.schedules, "much has happened")
    campaign.report(tried: campaign.count)
    return tally
  }

  /// Lets all machines meet until their copies are equal.
  private static func heal(_ world: inout MergeWorld, _ number: UInt64) throws {
    try world.heal()
    #expect(world.isOne, "case \(number): the copies do not become equal")
  }

  @Test("M41 whoever merges whatever copies in whatever order gets the same document, and no edit is lost")
  func laws() throws {
    let tally = try Self.play(Campaign("merge-laws", smoke: 40), "merging") { number in
      let machines = [3, 3, 3, 5][Int(number % 4)]
      var world = try MergeWorld(seed: number, machines: machines, hasFewIDs: number % 5 == 0)
      try Self.run(&world, machines: machines, steps: 40)
      try Self.heal(&world, number)
      try world.tryPlanning(world.copies[0])
      try world.tryReturning(world.copies[0])
      try world.tryUndoing(world.copies[0])
      return (world, world.lost.count)
    }
    #expect(tally.refused == 0)
  }

  @Test("M41 fifty machines with a thousand edits become one document, and no edit is lost")
  func fiftyMachines() throws {
    let tally = try Self.play(Campaign("merge-fifty", smoke: 1), "merging fifty") { number in
      var world = try MergeWorld(seed: number, machines: 50)
      try Self.run(&world, machines: 50, steps: 1_400, laws: false)
      try Self.heal(&world, number)
      return (world, world.lost.count)
    }
    #expect(tally.refused == 0)
  }

  @Test(
    "M41 M43 with logs that are cut, copies are merged exactly or refused, and then by value if one asks for it"
  )
  func shortLogs() throws {
    var byValue = 0
    _ = try Self.play(Campaign("merge-short-logs", smoke: 40), "merging short logs") { number in
      var world = try MergeWorld(seed: number, machines: 3, keeping: 24)
      try Self.run(&world, machines: 3, steps: 60)
      for (one, other) in [(0, 1), (1, 2), (2, 0)] {
        if try world.tryByValue(world.copies[one], world.copies[other]) { byValue += 1 }
      }
      // Old edits leave these logs.
      return (world, 0)
    }
    print("M43 merging by value: \(byValue) pairs")
    #expect(byValue > 0)
  }
}
