// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtWatch

/// What the watcher does with a simulated helper, on a clock that the test advances.
@Suite("A simulated helper", .timeLimit(.minutes(10))) struct SimulatedHelperTests {
  private let folder: ScratchFolder
  private let clock = ManualClock()

  init() throws { folder = try ScratchFolder() }

  /// A watcher past its first scan.
  private func watch(_ simulated: SimulatedHelper, _ name: String = "") async throws -> Follower {
    let path = name.isEmpty ? folder.path : folder[name]
    let watcher = FolderWatcher(
      path, .real(), clock: clock, start: simulated.start, remoteKind: { _ in nil })
    let follower = Follower(watcher, root: path)
    try await follower.until { !$0.scans.isEmpty }
    return follower
  }

  /// The next event, after the time that the debouncer waits.
  private func nextEvent(_ follower: Follower, after time: Duration = .milliseconds(20)) async throws
    -> WatchEvent
  {
    let next = Task { try await follower.next() }
    try await clock.sleepers(1)
    clock.advance(by: time)
    return try await next.value
  }

  @Test(
    "W11 where a folder above can be traversed but not watched, the watched folder's path is checked every two seconds"
  )
  func passedThrough() async throws {
    try folder.shell("mkdir -p p/root; touch p/root/a.emojiart")
    let simulated = SimulatedHelper(answer: { $1.hasSuffix("/p") ? "failed watch 13" : $0.realAnswer(to: $1) }
    )
    let follower = try await watch(simulated, "p/root")
    #expect(await follower.view().degraded.isEmpty)
    for round in 1...2 {
      // At the first check nothing has moved.
      let next = Task { try await follower.next() }
      try await clock.sleepers(1)
      clock.advance(by: .seconds(2))
      try await clock.sleepers(1)
      try folder.shell("mv p q\(round); mkdir -p p/root; touch p/root/b\(round).emojiart")
      clock.advance(by: .seconds(2))
      try await clock.sleepers(1)
      clock.advance(by: .milliseconds(20))
      let event = try await next.value
      guard case .scanned(let scan) = event else { Issue.record("\(event)"); return }
      #expect(scan.files == ["b\(round).emojiart"])
      #expect(scan.reason?.contains("moved or replaced") == true)
    }
    await follower.watcher.close()
  }

  @Test("W11 the folders above are guarded from the top down, and again after events were lost")
  func guards() async throws {
    let simulated = SimulatedHelper()
    let follower = try await watch(simulated)
    let first = simulated.commands
    let guards = first.filter { $0.hasPrefix("guard ") }
    #expect(guards.first == "guard /" && guards == guards.sorted { $0.count < $1.count })
    #expect(guards.count == folder.path.count { $0 == "/" })
    simulated.say("event -1 4000 0 ")
    let event = try await nextEvent(follower)
    guard case .scanned(let scan) = event else { Issue.record("\(event)"); return }
    #expect(scan.reason?.contains("max_queued_events") == true)
    #expect(simulated.starts == 1)
    let later = Array(simulated.commands.dropFirst(first.count))
    #expect(later.filter { $0.hasPrefix("guard ") } == guards)
    // The simulated helper gives each guard a new number.
    #expect(later.count { $0.hasPrefix("unwatch ") } >= guards.count)
    await follower.watcher.close()
  }

  @Test(
    "W4 while watching is degraded no scan has a reason, and no start of a helper is reported that failed")
  func noReason() async throws {
    let simulated = SimulatedHelper(greeting: {
      [2, 3].contains($0) ? "emojiart-inotify 2" : "emojiart-inotify 1"
    })
    let follower = try await watch(simulated)
    simulated.die()
    let first = try await nextEvent(follower, after: .milliseconds(100))
    guard case .degraded(let why) = first else {
      Issue.record("\(first)"); return
    }
    #expect(why.contains("version 2"))
    #expect(try await follower.next() == .scanned(FolderScan("", files: [], reason: nil)))
    #expect(
      try await nextEvent(follower, after: .seconds(2)) == .scanned(FolderScan("", files: [], reason: nil)))
    #expect(try await nextEvent(follower, after: .seconds(2)) == .watching)
    let event = try await follower.next()
    guard case .scanned(let scan) = event else { Issue.record("\(event)"); return }
    #expect(scan.reason == .reportedAgain)
    #expect(simulated.starts == 4)
    await follower.watcher.close()
  }

  @Test(
    "W4 a helper that answers more than it was asked is ended and another one is started",
    arguments: ["watching 900 1 1", "failed watch 2", "failed nonsense 3"])
  func unexpectedAnswers(_ line: String) async throws {
    // The second helper does so during commands, the third one afterwards.
    let simulated = SimulatedHelper(answer: { helper, command in
      let answer = helper.realAnswer(to: command)
      if helper.starts == 2, let answer { helper.say(answer) }
      return answer
    })
    let follower = try await watch(simulated)
    clock.advance(by: .seconds(20))
    simulated.say([line, line, line])
    let event = try await follower.next()
    guard case .degraded(let why) = event else { Issue.record("\(event)"); return }
    #expect(why.contains("without a request"))
    #expect(try await follower.next() == .scanned(FolderScan("", files: [], reason: nil)))
    #expect(try await nextEvent(follower, after: .seconds(2)) == .watching)
    #expect(simulated.starts == 3)
    try await follower.until { !$0.scans.isEmpty }
    clock.advance(by: .seconds(20))
    simulated.say(line)
    let last = try await follower.next()
    guard case .scanned(let scan) = last else { Issue.record("\(last)"); return }
    #expect(scan.reason?.contains(line.contains("nonsense") ? "means nothing" : "without a request") == true)
    #expect(simulated.starts == 4)
    await follower.watcher.close()
  }

  @Test("W1 a file that is due is reported before a folder that is due is scanned")
  func refreshesFirst() async throws {
    let simulated = SimulatedHelper()
    let follower = try await watch(simulated)
    let root = simulated.commands.count
    try folder.shell("mkdir sub; touch sub/a.emojiart")
    simulated.say("event \(root) 40000100 0 sub")
    simulated.say("event \(root) 8 0 bees.emojiart")
    #expect(try await nextEvent(follower) == .changed([WatchedFile("bees.emojiart", isQuiet: true)]))
    #expect(simulated.commands.count == root, "no further folder is watched yet")
    #expect(try await follower.next() == .scanned(FolderScan("sub", files: ["sub/a.emojiart"], reason: nil)))
    await follower.watcher.close()
  }

  @Test("W11 a subfolder whose attributes change is not watched again")
  func attributes() async throws {
    try folder.make("sub/deep")
    let simulated = SimulatedHelper()
    let follower = try await watch(simulated)
    let commands = simulated.commands
    let root = try #require(commands.firstIndex { $0.hasPrefix("watch ") }) + 1
    simulated.say("event \(root) 40000004 0 sub")
    #expect(try await nextEvent(follower) == .scanned(FolderScan("sub", files: [], reason: nil)))
    #expect(simulated.commands == commands)
    await follower.watcher.close()
  }

  @Test("W4 a limit is reported once, also when it is met in another folder")
  func otherFolder() async throws {
    try folder.make("a")
    try folder.make("b")
    let limitedFolder = Mutex("/a")
    let simulated = SimulatedHelper(answer: { helper, command in
      command.hasSuffix(limitedFolder.withLock { $0 }) ? "failed watch 28" : helper.realAnswer(to: command)
    })
    let follower = try await watch(simulated)
    #expect(await follower.view().degraded.count == 1)
    limitedFolder.withLock { $0 = "/c" }
    try folder.move("a", to: "c")
    #expect(
      try await nextEvent(follower, after: .seconds(2)) == .scanned(FolderScan("", files: [], reason: nil)))
    await follower.watcher.close()
  }
}
