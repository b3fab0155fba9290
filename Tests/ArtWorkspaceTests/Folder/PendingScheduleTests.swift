// SPDX-License-Identifier: Apache-2.0

import ArtModel
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("When pending backgrounds are fetched") struct PendingScheduleTests {
  private static let document = DocumentID("7zq4k0r2vx1m") ?? { fatalError("no id") }()

  private func key(_ name: String) -> PendingKey { PendingKey(document: Self.document, url: name) }

  private func place(_ name: String) -> PendingLocation { PendingLocation(source: 0, document: name) }

  private func wanted(_ names: String..., revision: Int = 1) -> [PendingKey: [PendingLocation: Int]] {
    Dictionary(uniqueKeysWithValues: names.map { (key($0), [place("\($0).emojiart"): revision]) })
  }

  @Test("two URLs are fetched at once, in the order in which they became pending")
  func twoAtOnce() {
    var schedule = PendingSchedule()
    #expect(schedule.next(at: .zero) == .idle)
    #expect(schedule.want(wanted("a", "b", "c"), at: .zero).isEmpty)
    for name in ["a", "b"] {
      #expect(schedule.next(at: .zero) == .begin(key(name)))
      schedule.began(key(name))
    }
    #expect(schedule.next(at: .seconds(9)) == .idle)
    schedule.finished(key("a"), [place("a.emojiart"): 2])
    #expect(schedule.next(at: .seconds(9)) == .begin(key("c")))
  }

  @Test("B26 a failed fetch is tried again after 1 minute, then after pauses that double up to 1 hour")
  func pauses() {
    var schedule = PendingSchedule()
    _ = schedule.want(wanted("a"), at: .zero)
    var now = Duration.zero
    var pauses: [Duration] = []
    for _ in 0..<9 {
      #expect(schedule.next(at: now) == .begin(key("a")))
      schedule.began(key("a"))
      now += .seconds(5)
      _ = schedule.fetchFailed(key("a"), "dns", at: now)
      guard case .wait(let until) = schedule.next(at: now) else { return #expect(Bool(false)) }
      #expect(schedule.next(at: until - .nanoseconds(1)) == .wait(until: until))
      pauses.append(until - now)
      now = until
    }
    #expect(pauses.map(\.components.seconds) == [60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600])
  }

  @Test("a failure is reported once until a fetch fails with another kind")
  func reportedOnce() {
    var schedule = PendingSchedule()
    _ = schedule.want(wanted("a"), at: .zero)
    let kinds = ["dns", "dns", "timeout", "timeout", "dns"]
    let reported = kinds.map { kind in
      schedule.began(key("a"))
      return schedule.fetchFailed(key("a"), kind, at: .zero)
    }
    #expect(reported == [true, false, true, false, true])
  }

  @Test("B27 a fetch by another program is tried again every 2 seconds, and delays no other fetch")
  func fetchedElsewhere() {
    var schedule = PendingSchedule()
    _ = schedule.want(wanted("a", "b", "c"), at: .zero)
    for name in ["a", "b", "c"] {
      #expect(schedule.next(at: .zero) == .begin(key(name)))
      schedule.began(key(name))
      schedule.fetchedElsewhere(key(name), at: .zero)
    }
    #expect(schedule.next(at: .zero) == .wait(until: .seconds(2)))
    #expect(schedule.next(at: .seconds(2)) == .begin(key("a")))
  }

  @Test("a finished fetch is not begun again until its document is in a later state")
  func finished() {
    var schedule = PendingSchedule()
    _ = schedule.want(wanted("a"), at: .zero)
    schedule.began(key("a"))
    schedule.finished(key("a"), [place("a.emojiart"): 5])
    for revision in [1, 4, 5] {
      #expect(schedule.want(wanted("a", revision: revision), at: .zero).isEmpty)
      #expect(schedule.next(at: .seconds(9_999)) == .idle)
    }
    // Another program has undone the edit.
    _ = schedule.want(wanted("a", revision: 6), at: .seconds(1))
    #expect(schedule.next(at: .seconds(1)) == .begin(key("a")))
  }

  @Test("B28 a fetch ends when its URL is no longer pending, and goes on when its document is renamed")
  func gone() {
    var schedule = PendingSchedule()
    _ = schedule.want(wanted("a", "b"), at: .zero)
    schedule.began(key("a"))
    let renamed = [key("a"): [place("c.emojiart"): 1]]
    #expect(schedule.want(renamed, at: .zero) == [key("b")])
    #expect(schedule.locations(of: key("a")) == [place("c.emojiart")])
    #expect(schedule.want([:], at: .zero) == [key("a")])
    // The end of its fetch comes late.
    schedule.finished(key("a"), [:])
    #expect(schedule.next(at: .seconds(9_999)) == .idle)
  }

  @Test("B26 after random events every pending URL is begun within the longest pause")
  func anything() {
    var begun = 0
    for seed in UInt64(0)..<60 {
      var random = SplitMix64(seed: seed)
      var schedule = PendingSchedule()
      var now = Duration.zero
      var running: Set<PendingKey> = []
      for _ in 0..<100 {
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
          let names = ["a", "b", "c", "d", "e"].filter { _ in Bool.random(using: &random) }
          var wanted: [PendingKey: [PendingLocation: Int]] = [:]
          for name in names { wanted[key(name)] = [place(name): Int.random(in: 0...3, using: &random)] }
          running.subtract(schedule.want(wanted, at: now))
        case 1: now += .seconds(Int.random(in: 0...200, using: &random))
        case 2, 3:
          guard case .begin(let key) = schedule.next(at: now) else { continue }
          #expect(running.insert(key).inserted && running.count <= 2)
          schedule.began(key)
          begun += 1
        default:
          guard let key = running.randomElement(using: &random) else { continue }
          running.remove(key)
          switch Int.random(in: 0..<3, using: &random) {
          case 0: schedule.fetchedElsewhere(key, at: now)
          case 1: _ = schedule.fetchFailed(key, "dns", at: now)
          default: schedule.finished(key, [place(key.url): 9])
          }
        }
      }
      // From here on every URL is pending, and every fetch ends.
      running.subtract(
        schedule.want(
          Dictionary(uniqueKeysWithValues: ["a", "b", "c", "d", "e"].map { (key($0), [place($0): 10]) }),
          at: now))
      for key in running { schedule.fetchedElsewhere(key, at: now) }
      now += PendingSchedule.longestPause
      var ended: Set<String> = []
      while case .begin(let key) = schedule.next(at: now) {
        schedule.began(key)
        schedule.finished(key, [place(key.url): 10])
        ended.insert(key.url)
      }
      #expect(ended == ["a", "b", "c", "d", "e"], "seed \(seed)")
    }
    print("B26 schedules: 60 of 100 steps, \(begun) begun")
    #expect(begun > 500)
  }
}
