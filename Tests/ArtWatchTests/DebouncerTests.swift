// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Foundation
import TestSupport
import Testing

@testable import ArtWatch

@Suite("Debouncer") struct DebouncerTests {
  @Test("W1 the stories of Fixtures/debouncer come out as they are told")
  func stories() throws {
    var steps = 0
    let cases = try DebouncerCase.all()
    for story in cases {
      let outcome = try story.run()
      steps += outcome.steps
      #expect(outcome.differences.isEmpty)
    }
    print("W1 debouncer: \(cases.count) stories, \(steps) steps")
    #expect(cases.count >= 15 && steps >= 120, "the runner sees the stories")
  }

  @Test(
    "W1 the runner of the stories can fail",
    arguments: [
      "0 happened bees\n100 run\n> 21 look bees quiet\n",
      "0 happened bees\n100 run\n> 20 look bees pending\n",
      "0 happened bees\n100 run\n", "0 happened bees\nnext none\n", "0 changed a\n100 run\n> 20 scan a why\n",
      "5 take\n> look bees quiet\n",
    ])
  func negativeControl(_ text: String) throws {
    #expect(try DebouncerCase(name: "wrong", text: text).run().differences.count == 1)
    #expect(throws: DebouncerCase.Unreadable.self) {
      try DebouncerCase(name: "x", text: "0 hapened a\n").run()
    }
  }

  @Test(
    "W1 whatever happens, each event is followed by a look in time, a quiet one, and nothing is looked at without"
  )
  func anySchedule() {
    var (events, takes) = (0, 0)
    let campaign = Campaign("schedules", smoke: 100)
    for seed in campaign.cases {
      var schedule = RandomSchedule(seed: seed)
      if let difference = schedule.run(steps: 300) {
        #expect(Bool(false), "seed \(seed): \(difference)")
        return
      }
      events += schedule.events
      takes += schedule.takes
    }
    print("W1 debouncer: \(campaign.count) random schedules, \(events) inputs, \(takes) times asked")
    campaign.report(tried: campaign.count)
    #expect(events > 75 * campaign.count && takes > 25 * campaign.count)
  }
}

/// Random inputs to the machine, and a model that only remembers what is owed.
private struct RandomSchedule {
  private let quiet = Duration.milliseconds(20)
  private let maxDelay = Duration.milliseconds(100)
  private var random: SplitMix64
  private var machine: Debouncer
  private let paths = [
    "a", "b", "m/a", "m/b", "m/d/a", "mm/a", "m/d/e/f", "é", "e\u{301}",
  ].map { FilePath($0) }
  private let folders = ["", "m", "m/d", "mm", "n"].map { FilePath($0) }
  /// What is owed: since when (a look by then + maxDelay), and the last event, after which a quiet one.
  private var owed: [FilePath: (first: Duration, last: Duration)] = [:]
  private var scheduled: [FilePath: Duration] = [:]
  private var scansOwed: [FilePath: (first: Duration, last: Duration)] = [:]
  private(set) var events = 0
  private(set) var takes = 0
  private var now = Duration.zero

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    machine = Debouncer(quiet: quiet, maxDelay: maxDelay, capacity: seed.isMultiple(of: 4) ? 4 : 65_536)
    isSmall = seed.isMultiple(of: 4)
  }
  private let isSmall: Bool

  mutating func run(steps: Int) -> String? {
    for _ in 0..<steps {
      let step = Duration.milliseconds(Int.random(in: 0..<(random.oneIn(20) ? 200 : 15), using: &random))
      if let wrong = pass(until: now + step) { return wrong }
      input()
    }
    if let wrong = pass(until: now + .seconds(10)) { return wrong }
    if machine.nextDue != nil { return "something waits for ever" }
    if let left = owed.first { return "nothing came for \(left)" }
    if let left = scheduled.first { return "no look came for \(left)" }
    if let left = scansOwed.first { return "no scan came for \(left)" }
    return nil
  }

  private mutating func input() {
    events += 1
    let path = paths.randomElement(using: &random) ?? .root
    switch Int.random(in: 0..<12, using: &random) {
    case 0:
      let folder = folders.randomElement(using: &random) ?? .root
      machine.folderChanged(folder, at: now)
      scansOwed[folder] = (scansOwed[folder]?.first ?? now, now)
    case 1:
      let time = now + .milliseconds(Int.random(in: 0..<500, using: &random))
      machine.schedule(path, at: time)
      if !isSmall { scheduled[path] = min(scheduled[path] ?? time, time) }
    default:
      machine.recordEvent(for: path, at: now)
      owed[path] = (owed[path]?.first ?? now, now)
    }
  }

  /// Lets time pass, asking when something is due; sometimes late.
  private mutating func pass(until end: Duration) -> String? {
    while let due = machine.nextDue, due <= end {
      let late = random.oneIn(30) ? Duration.milliseconds(Int.random(in: 0..<60, using: &random)) : .zero
      now = max(now, due) + late
      takes += 1
      let isLate = late > .zero
      for (path, wait) in owed where !isLate && !isSmall {
        // Where a scan is to come that takes it in, it is looked at by then.
        let scans = scansOwed.filter { path.isWithin($0.key) }.values.map(\.first)
        let due = max(wait.first, scans.min() ?? wait.first) + maxDelay
        if now > due { return "\(path.string) was due at \(due), it is \(now)" }
      }
      // One scan at a time: the others follow at once.
      var times = 0
      repeat {
        if let wrong = settle(machine.removeDue(at: now)) { return wrong }
        times += 1
      } while (machine.nextDue ?? .seconds(Int.max)) <= now && times < 9
      if let next = machine.nextDue, next <= now, !isLate { return "still due after it was taken" }
    }
    now = max(now, end)
    return nil
  }

  private mutating func settle(_ due: Debouncer.Due) -> String? {
    if due.isEmpty { return "asked at \(now) for nothing" }
    for refresh in due.refreshes {
      let wait = owed[refresh.path]
      let isScheduled = scheduled[refresh.path].map { $0 <= now } ?? isSmall
      if wait == nil, !isScheduled { return "a look at \(refresh.path.string) without an event" }
      let isQuiet = wait.map { $0.last + quiet <= now } ?? true
      if refresh.isQuiet != isQuiet {
        return "\(refresh.path.string) is quiet: \(isQuiet), not \(refresh.isQuiet)"
      }
      pay(refresh.path, isQuiet)
    }
    if let scan = due.scan {
      let inside = scansOwed.filter { $0.key.isWithin(scan.folder) }
      if inside.isEmpty, !isSmall { return "a scan of \(scan.folder.string) without a change" }
      for (folder, wait) in inside {
        scansOwed[folder] = wait.last + quiet <= now ? nil : (now, wait.last)
      }
      for path in paths where path.isWithin(scan.folder) {
        pay(path, owed[path].map { $0.last + quiet <= now } ?? true)
      }
    }
    return nil
  }

  private mutating func pay(_ path: FilePath, _ isQuiet: Bool) {
    if let time = scheduled[path], time <= now { scheduled[path] = nil }
    guard let wait = owed[path] else { return }
    owed[path] = isQuiet ? nil : (now, wait.last)
  }
}
