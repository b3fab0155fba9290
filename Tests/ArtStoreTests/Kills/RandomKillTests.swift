// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

/// Streams of the real program, killed at random moments.
@Suite struct RandomKillTests {
  @Test(
    "K17 acknowledged edits of a stream are in the document after a kill at any moment, each once and in order"
  )
  func killed() throws {
    let campaign = Campaign("random-kills", smoke: 30)
    let count = try Self.killed(campaign)
    print(
      "K17 random kills: \(count.kills) streams killed, \(count.roundsOfFour) times four at once, "
        + "\(count.killsOfRecoveries) recoveries killed, \(count.journals) times with edits in a journal: "
        + "\(count.answered) of \(count.sent) edits answered, lost \(count.lost)")
    #expect(count.faults.prefix(20) == [])
    campaign.report(tried: count.kills)
    #expect(count.kills >= campaign.count)
    // In few rounds not each of these happens.
    if campaign.count >= 200 {
      #expect(count.roundsOfFour > campaign.count / 40 && count.journals > campaign.count / 10)
      #expect(count.killsOfRecoveries > campaign.count / 40)
    }
    #expect(count.answered > count.kills)
  }

  /// The counts of kills in two documents at once, because a harness waits most of its time.
  private static func killed(_ campaign: Campaign) throws -> KillField.Count {
    let counts = Mutex<[Result<KillField.Count, any Error>]>([])
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      let count = Result {
        let field = try KillField(seed: campaign.seed &* 2 &+ UInt64(index))
        try field.run(kills: (campaign.count + index) / 2)
        return field.count
      }
      counts.withLock { $0.append(count) }
    }
    return try counts.withLock(\.self).reduce(into: KillField.Count()) { try $0.add($1.get()) }
  }

  @Test("K17 the control: killed streams without their journals lose acknowledged edits")
  func control() throws {
    let field = try KillField(seed: 28)
    try field.run(kills: 30, removingJournals: true)
    print("K17 control without journals: \(field.count.kills) streams killed, lost \(field.count.lost)")
    #expect(field.count.lost > 0, "the control finds losses")
  }
}
