// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtWatch

/// What the watcher does with a helper that a test plays, on a clock that stands still.
@Suite("A helper that is played", .timeLimit(.minutes(10))) struct PlayedHelperTests {
  private let folder: ScratchFolder
  private let clock = ManualClock()

  init() throws { folder = try ScratchFolder() }

  /// A watcher past its first scan.
  private func watch(_ played: PlayedHelper, _ name: String = "") async throws -> Follower {
    let path = name.isEmpty ? folder.path : folder[name]
    let watcher = FolderWatcher(
      path, .real(), clock: clock, start: played.start, remoteKind: { _ in nil })
    let follower = Follower(watcher, root: path)
    try await follower.until { !$0.scans.isEmpty }
    return follower
  }

  /// The next news, after the time that what happened takes to settle.
  private func settled(_ follower: Follower, after time: Duration = .milliseconds(20)) async throws
    -> WatchEvent
  {
    let next = Task { try await follower.next() }
    await clock.sleepers(1)
    clock.advance(by: time)
    return try await next.value
  }

  @Test(
    "W11 where a folder above may only be passed through, the watched one is looked at by its path every two seconds"
  )
  func passedThrough() async throws {
    try folder.shell("mkdir -p p/root; touch p/root/a.emojiart")
    let played = PlayedHelper(answer: { $1.hasSuffix("/p") ? "failed watch 13" : $0.honest($1) })
    let follower = try await watch(played, "p/root")
    #expect(await follower.view().degraded.isEmpty)
    for round in 1...2 {
      // Nothing has moved.
      let next = Task { try await follower.next() }
      await clock.sleepers(1)
      clock.advance(by: .seconds(2))
      await clock.sleepers(1)
      try folder.shell("mv p q\(round); mkdir -p p/root; touch p/root/b\(round).emojiart")
      clock.advance(by: .seconds(2))
      await clock.sleepers(1)
      clock.advance(by: .milliseconds(20))
      let event = try await next.value
      guard case .scanned(let scan) = event else { Issue.record("\(event)"); return }
      #expect(scan.files == ["b\(round).emojiart"])
      #expect(scan.reason?.contains("moved or replaced") == true)
    }
    await follower.watcher.close()
  }

  @Test("W11 the folders above are guarded from the top down, and anew after events were lost")
  func guards() async throws {
    let played = PlayedHelper()
    let follower = try await watch(played)
    let first = played.commands
    let guards = first.filter { $0.hasPrefix("guard ") }
    #expect(guards.first == "guard /" && guards == guards.sorted { $0.count < $1.count })
    #expect(guards.count == folder.path.count { $0 == "/" })
    played.say("event -1 4000 0 ")
    let event = try await settled(follower)
    guard case .scanned(let scan) = event else { Issue.record("\(event)"); return }
    #expect(scan.reason?.contains("max_queued_events") == true)
    #expect(played.starts == 1)
    let later = Array(played.commands.dropFirst(first.count))
    #expect(later.filter { $0.hasPrefix("guard ") } == guards)
    // This one gives each guard a new number.
    #expect(later.count { $0.hasPrefix("unwatch ") } >= guards.count)
    await follower.watcher.close()
  }

  @Test("W4 while it is degraded no scan has a reason, and nothing is said to be started that was not")
  func noReason() async throws {
    let played = PlayedHelper(greeting: { [2, 3].contains($0) ? "emojiart-inotify 2" : "emojiart-inotify 1" })
    let follower = try await watch(played)
    played.die()
    let first = try await settled(follower, after: .milliseconds(100))
    guard case .degraded(let why) = first else {
      Issue.record("\(first)"); return
    }
    #expect(why.contains("version 2"))
    #expect(try await follower.next() == .scanned(FolderScan("", files: [], reason: nil)))
    #expect(
      try await settled(follower, after: .seconds(2)) == .scanned(FolderScan("", files: [], reason: nil)))
    #expect(try await settled(follower, after: .seconds(2)) == .watching)
    let event = try await follower.next()
    guard case .scanned(let scan) = event else { Issue.record("\(event)"); return }
    #expect(scan.reason == .toldAgain)
    #expect(played.starts == 4)
    await follower.watcher.close()
  }

  @Test(
    "W4 a helper that is half mad, and answers more than it was asked, is ended and another one started",
    arguments: ["watching 900 1 1", "failed watch 2", "failed nonsense 3"])
  func halfMad(_ line: String) async throws {
    // The second helper is so while it is asked, the third one afterwards.
    let played = PlayedHelper(answer: { helper, command in
      let answer = helper.honest(command)
      if helper.starts == 2, let answer { helper.say(answer) }
      return answer
    })
    let follower = try await watch(played)
    clock.advance(by: .seconds(20))
    played.say([line, line, line])
    let event = try await follower.next()
    guard case .degraded(let why) = event else { Issue.record("\(event)"); return }
    #expect(why.contains("without a request"))
    #expect(try await follower.next() == .scanned(FolderScan("", files: [], reason: nil)))
    #expect(try await settled(follower, after: .seconds(2)) == .watching)
    #expect(played.starts == 3)
    try await follower.until { !$0.scans.isEmpty }
    clock.advance(by: .seconds(20))
    played.say(line)
    let last = try await follower.next()
    guard case .scanned(let scan) = last else { Issue.record("\(last)"); return }
    #expect(scan.reason?.contains(line.contains("nonsense") ? "means nothing" : "without a request") == true)
    #expect(played.starts == 4)
    await follower.watcher.close()
  }

  @Test("W1 a file that is due is told of before a folder that is due is looked through")
  func looksFirst() async throws {
    let played = PlayedHelper()
    let follower = try await watch(played)
    let root = played.commands.count
    try folder.shell("mkdir sub; touch sub/a.emojiart")
    played.say("event \(root) 40000100 0 sub")
    played.say("event \(root) 8 0 bees.emojiart")
    #expect(try await settled(follower) == .changed([WatchedFile("bees.emojiart", isQuiet: true)]))
    #expect(played.commands.count == root, "nothing has been watched yet")
    #expect(try await follower.next() == .scanned(FolderScan("sub", files: ["sub/a.emojiart"], reason: nil)))
    await follower.watcher.close()
  }

  @Test("W11 a subfolder of which only the attributes change is not watched anew")
  func attributes() async throws {
    try folder.make("sub/deep")
    let played = PlayedHelper()
    let follower = try await watch(played)
    let commands = played.commands
    let root = try #require(commands.firstIndex { $0.hasPrefix("watch ") }) + 1
    played.say("event \(root) 40000004 0 sub")
    #expect(try await settled(follower) == .scanned(FolderScan("sub", files: [], reason: nil)))
    #expect(played.commands == commands)
    await follower.watcher.close()
  }

  @Test("W4 the same limit met at another place is not told again")
  func otherPlace() async throws {
    try folder.make("a")
    try folder.make("b")
    let place = Mutex("/a")
    let played = PlayedHelper(answer: { helper, command in
      command.hasSuffix(place.withLock { $0 }) ? "failed watch 28" : helper.honest(command)
    })
    let follower = try await watch(played)
    #expect(await follower.view().degraded.count == 1)
    place.withLock { $0 = "/c" }
    try folder.move("a", to: "c")
    #expect(
      try await settled(follower, after: .seconds(2)) == .scanned(FolderScan("", files: [], reason: nil)))
    await follower.watcher.close()
  }
}
