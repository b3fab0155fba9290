// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtDocument

@Suite("Events add up to the document") struct ListenerLawTests {
  private static let stepsOfEpisode = 200

  /// Plays episodes from a seed on, until that many steps are played or one fails.
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
      seed &+= 1
    }
    return (tally, nil)
  }

  /// `EMOJIART_STEPS` and `EMOJIART_SEED` set how much is played, and from where.
  @Test("D43 a snapshot and the changes after it are the content, for every listener at every moment")
  func law() throws {
    let environment = ProcessInfo.processInfo.environment
    let steps = environment["EMOJIART_STEPS"].flatMap(Int.init) ?? 20_000
    let seed = environment["EMOJIART_SEED"].flatMap(UInt64.init) ?? 1
    let (tally, failure) = try play(steps, from: seed)
    print("D43 law from seed \(seed): \(tally.text)")
    #expect(failure == nil)
    #expect(tally.broken == 0 && tally.steps == steps)
    // Everything that the law is about has happened.
    #expect(tally.rebases > 0 && tally.kills > 0 && tally.renamed > 0 && tally.dropped > 0)
    #expect(tally.resyncs > 0 && tally.repeated > 0 && tally.backups > 0 && tally.unknownSaves > 0)
  }

  @Test("D43 a listener that applies what the edits say instead of their effects is found to be wrong")
  func control() throws {
    let (tally, _) = try play(4_000, from: 1, reading: .edits)
    print("D43 control: \(tally.text)")
    #expect(tally.broken > 10)
  }
}
