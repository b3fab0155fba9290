// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("A timeout shared by many documents")
struct SharedTimeoutTests {
  /// Reads documents that are locked for these durations, or, with nil, one that is not locked. Returns the timeout of each read.
  private func timeouts(_ whole: Duration, holding: [Duration?]) -> [Duration] {
    let clock = ManualClock()
    var timeout = SharedTimeout(whole, clock: clock)
    return holding.map { time in
      var given = Duration.zero
      do throws(ArtError) {
        try timeout.read("bees.emojiart") { (file) throws(ArtError) in
          given = file.timeout
          clock.advance(by: min(time ?? .zero, given))
          if let time, time > given { throw ArtError(.busy, "in use") }
        }
      } catch {
        #expect(error.code == .busy)
      }
      return given
    }
  }

  @Test("the time that one document was waited for is taken from the next ones")
  func shared() {
    let least = SharedTimeout<ManualClock>.least
    let forever = Duration.seconds(1000)
    #expect(timeouts(.seconds(5), holding: [forever, forever, nil]) == [.seconds(5), least, least])
    #expect(
      timeouts(.seconds(5), holding: [nil, .seconds(2), .seconds(2), forever, forever])
        == [.seconds(5), .seconds(5), .seconds(5), .seconds(5), least],
      "a lock that is released in time costs nothing")
  }

  @Test("the time of a failed read of a damaged document is not taken from the next ones")
  func otherErrors() throws {
    let clock = ManualClock()
    var timeout = SharedTimeout(.seconds(1), clock: clock)
    #expect(throws: ArtError.self) {
      try timeout.read("bees.emojiart") { (_) throws(ArtError) in
        clock.advance(by: .seconds(3))
        throw ArtError(.damaged, "bad")
      }
    }
    let left = try timeout.read("bees.emojiart") { (file) throws(ArtError) in file.timeout }
    #expect(left == .seconds(1))
  }
}
