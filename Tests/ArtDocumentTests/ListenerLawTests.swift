// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtDocument

@Suite("Events add up to the document") struct ListenerLawTests {
  private static let stepsOfEpisode = 200

  /// Plays episodes until that many steps are played or one fails. The seed of an episode is the number of its first step.
  private func play(
    _ steps: Int, from seed: UInt64, reading: ListenerLaw.Reading = .effects
  ) throws -> (tally: ListenerLaw.Tally, failure: String?) {
    var tally = ListenerLaw.Tally()
    var seed = seed
    while tally.steps < steps {
      var law = try ListenerLaw(seed: seed, reading: reading)
      try law.play(min(Self.stepsOfEpisode, steps - tally.steps))
      tally = tally + law.tally
      if let failure = law.failure, reading == .effects { return (tally, "seed \(seed), \(failure)") }
      seed &+= UInt64(Self.stepsOfEpisode)
    }
    return (tally, nil)
  }

  @Test(
    "D17 a snapshot with the later changes applied in order equals the content, for every listener at every moment"
  )
  func law() throws {
    let campaign = Campaign("listeners", smoke: 10_000)
    let (tally, failure) = try play(campaign.count, from: campaign.seed)
    print("D17 law from seed \(campaign.seed): \(tally.text)")
    campaign.report(tried: tally.steps)
    #expect(failure == nil)
    #expect(tally.broken == 0 && tally.steps == campaign.count)
    // Everything that the law is about has happened.
    #expect(
      tally.rebases > 0 && tally.kills > 0 && tally.renamed > 0 && tally.dropped > 0 && tally.reverts > 0)
    #expect(tally.resyncs > 0 && tally.repeated > 0 && tally.backups > 0 && tally.merges > 0)
    #expect(tally.unknownSaves > 0 && tally.leftOut > 0)
  }

  @Test("D17 a listener that applies edits instead of effects ends with wrong content")
  func control() throws {
    let (tally, _) = try play(4_000, from: 1, reading: .edits)
    print("D17 control: \(tally.text)")
    #expect(tally.broken > 10)
  }
}
