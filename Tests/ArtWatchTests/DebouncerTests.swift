// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Foundation
import TestSupport
import Testing

@testable import ArtWatch

@Suite("Debouncer") struct DebouncerTests {
  @Test("W1 the debouncer's output in each case of Fixtures/debouncer is the expected one")
  func stories() throws {
    var steps = 0
    let cases = try DebouncerCase.all()
    for story in cases {
      let outcome = try story.run()
      steps += outcome.steps
      #expect(outcome.differences.isEmpty)
    }
    print("W1 debouncer: \(cases.count) stories, \(steps) steps")
    #expect(cases.count >= 15 && steps >= 120, "the cases are found")
  }

  @Test(
    "W1 the runner reports a case with wrong expectations, and an unknown input is an error",
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
    "W1 after random inputs each event has a refresh in time and a quiet refresh, and there is no refresh without an event"
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

/// Random inputs to the debouncer, and a model that only remembers which refreshes are outstanding.
private struct RandomSchedule {
  private let quiet = Duration.milliseconds(20)
  private let maxDelay = Duration.milliseconds(100)
  private var random: SplitMix64
  private var machine: Debouncer
  private let paths = [
    "a", "b", "m/a", "m/b", "m/d/a", "mm/a", "m/d/e/f", "é", "e\u{301}",
  ].map { FilePath($0) }
  private let folders = ["", "m", "m/d", "mm", "n"].map { FilePath($0) }
  /// Files without a refresh since an event: when the first event was, which has a refresh within maxDelay, and the last one,
  /// which has a quiet refresh.
  private var outstanding: [FilePath: (first: Duration, last: Duration)] = [:]
  private var scheduled: [FilePath: Duration] = [:]
  private var outstandingScans: [FilePath: (first: Duration, last: Duration)] = [:]
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
    if machine.nextDue != nil { return "something stays scheduled for ever" }
    if let left = outstanding.first { return "no refresh came for the events of \(left)" }
    if let left = scheduled.first { return "no refresh came for \(left)" }
    if let left = outstandingScans.first { return "no scan came for \(left)" }
    return nil
  }

  private mutating func input() {
    events += 1
    let path = paths.randomElement(using: &random) ?? .root
    switch Int.random(in: 0..<12, using: &random) {
    case 0:
      let folder = folders.randomElement(using: &random) ?? .root
      machine.folderChanged(folder, at: now)
      outstandingScans[folder] = (outstandingScans[folder]?.first ?? now, now)
    case 1:
      let time = now + .milliseconds(Int.random(in: 0..<500, using: &random))
      machine.schedule(path, at: time)
      if !isSmall { scheduled[path] = min(scheduled[path] ?? time, time) }
    default:
      machine.recordEvent(for: path, at: now)
      outstanding[path] = (outstanding[path]?.first ?? now, now)
    }
  }

  /// Advances the time, and removes what is due; sometimes late.
  private mutating func pass(until end: Duration) -> String? {
    while let due = machine.nextDue, due <= end {
      let late = random.oneIn(30) ? Duration.milliseconds(Int.random(in: 0..<60, using: &random)) : .zero
      now = max(now, due) + late
      takes += 1
      let isLate = late > .zero
      for (path, wait) in outstanding where !isLate && !isSmall {
        // A file in a folder whose scan is outstanding is refreshed with that scan.
        let scans = outstandingScans.filter { path.isWithin($0.key) }.values.map(\.first)
        let due = max(wait.first, scans.min() ?? wait.first) + maxDelay
        if now > due { return "\(path.string) was due at \(due), it is \(now)" }
      }
      // One call gives one scan: the next scans are due at once.
      var times = 0
      repeat {
        if let wrong = check(machine.removeDue(at: now)) { return wrong }
        times += 1
      } while (machine.nextDue ?? .seconds(Int.max)) <= now && times < 9
      if let next = machine.nextDue, next <= now, !isLate { return "still due after it was taken" }
    }
    now = max(now, end)
    return nil
  }

  private mutating func check(_ due: Debouncer.Due) -> String? {
    if due.isEmpty { return "nothing was due at \(now)" }
    for refresh in due.refreshes {
      let wait = outstanding[refresh.path]
      let isScheduled = scheduled[refresh.path].map { $0 <= now } ?? isSmall
      if wait == nil, !isScheduled { return "a refresh of \(refresh.path.string) without an event" }
      let isQuiet = wait.map { $0.last + quiet <= now } ?? true
      if refresh.isQuiet != isQuiet {
        return "\(refresh.path.string) is quiet: \(isQuiet), not \(refresh.isQuiet)"
      }
      removeOutstanding(refresh.path, isQuiet)
    }
    if let scan = due.scan {
      let inside = outstandingScans.filter { $0.key.isWithin(scan.folder) }
      if inside.isEmpty, !isSmall { return "a scan of \(scan.folder.string) without a change" }
      for (folder, wait) in inside {
        outstandingScans[folder] = wait.last + quiet <= now ? nil : (now, wait.last)
      }
      for path in paths where path.isWithin(scan.folder) {
        removeOutstanding(path, outstanding[path].map { $0.last + quiet <= now } ?? true)
      }
    }
    return nil
  }

  private mutating func removeOutstanding(_ path: FilePath, _ isQuiet: Bool) {
    if let time = scheduled[path], time <= now { scheduled[path] = nil }
    guard let wait = outstanding[path] else { return }
    outstanding[path] = isQuiet ? nil : (now, wait.last)
  }
}
