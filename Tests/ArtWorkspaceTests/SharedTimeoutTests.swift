// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("Waiting for many documents")
struct SharedTimeoutTests {
  /// Looks at documents that are held so long, or, with nil, at one that nobody holds; how long each may be waited for.
  private func patiences(_ whole: Duration, holding: [Duration?]) -> [Duration] {
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

  @Test("what one document took of the time the others do not have")
  func shared() {
    let least = SharedTimeout<ManualClock>.least
    let forever = Duration.seconds(1000)
    #expect(patiences(.seconds(5), holding: [forever, forever, nil]) == [.seconds(5), least, least])
    #expect(
      patiences(.seconds(5), holding: [nil, .seconds(2), .seconds(2), forever, forever])
        == [.seconds(5), .seconds(5), .seconds(5), .seconds(5), least], "who lets go has not kept anybody")
  }

  @Test("a document that is bad takes nothing of it")
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
