// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

/// Streams of the real program, killed at random moments.
@Suite struct RandomKillTests {
  private static let promised = cases("EMOJIART_TORTURE_KILLS", short: 500)

  @Test(
    "K27 what a stream answered is in the document after a kill at any moment, each edit once and in order")
  func killed() throws {
    let count = try Self.killed(Self.promised)
    print(
      "K27 random kills: \(count.kills) streams killed, \(count.roundsOfFour) times four at once, "
        + "\(count.killsOfRecoveries) recoveries killed, \(count.journals) times with edits in a journal: "
        + "\(count.answered) of \(count.sent) edits answered, lost \(count.lost)")
    #expect(count.faults.prefix(20) == [])
    #expect(count.kills >= Self.promised && count.roundsOfFour > Self.promised / 40)
    #expect(count.killsOfRecoveries > Self.promised / 40 && count.journals > Self.promised / 10)
    #expect(count.answered > count.kills && count.answered < count.sent)
  }

  /// What came of so many kills in two documents at once: a harness waits most of its time.
  private static func killed(_ kills: Int) throws -> KillField.Count {
    let counts = Mutex<[Result<KillField.Count, any Error>]>([])
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      let count = Result {
        let field = try KillField(seed: index == 0 ? 27 : 127)
        try field.run(kills: (kills + index) / 2)
        return field.count
      }
      counts.withLock { $0.append(count) }
    }
    return try counts.withLock(\.self).reduce(into: KillField.Count()) { try $0.add($1.get()) }
  }

  @Test("K27 without their journals killed streams lose what they answered")
  func control() throws {
    let field = try KillField(seed: 28)
    try field.run(kills: 30, removingJournals: true)
    print("K27 control without journals: \(field.count.kills) streams killed, lost \(field.count.lost)")
    #expect(field.count.lost > 0, "the control shows that losses are seen")
  }
}
