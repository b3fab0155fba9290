// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Testing

@Suite("Delays before restarts", .timeLimit(.minutes(10))) struct RestartsTests {
  @Test("W3 a helper that ended soon is started again after delays that double from 100 ms up to 30 s")
  func pausesGrow() {
    var restarts = RestartBackoff()
    var now = Duration.seconds(1000)
    var pauses: [Double] = []
    for _ in 0..<12 {
      restarts.started(at: now)
      now += .milliseconds(9_900)
      let due = restarts.ended(at: now)
      pauses.append((due - now) / .seconds(1))
      now = due
    }
    #expect(pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30, 30])
  }

  @Test("W3 a helper that ran for 10 s is started again at once, and the delays begin again at 100 ms")
  func longRun() {
    var restarts = RestartBackoff()
    restarts.started(at: .zero)
    #expect(restarts.ended(at: .seconds(1)) == .milliseconds(1_100))
    restarts.started(at: .seconds(2))
    #expect(restarts.ended(at: .seconds(12)) == .seconds(12))
    restarts.started(at: .seconds(12))
    #expect(restarts.ended(at: .seconds(13)) == .milliseconds(13_100))
  }

  @Test("W3 a failed start is a short run")
  func failedStarts() {
    var restarts = RestartBackoff()
    #expect(restarts.ended(at: .zero) == .milliseconds(100))
    #expect(restarts.ended(at: .seconds(100)) == .milliseconds(100_200))
    restarts.started(at: .seconds(200))
    #expect(restarts.ended(at: .seconds(300)) == .seconds(300))
    #expect(restarts.ended(at: .seconds(400)) == .milliseconds(400_100))
  }
}
