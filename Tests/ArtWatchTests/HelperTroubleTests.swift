// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtWatch

@Suite("A helper that is killed, stopped, missing or mad", .timeLimit(.minutes(10))) struct HelperTroubleTests
{
  @Test("W3 a helper that is killed or stopped is started again, with a scan that says why")
  func killed() async throws {
    let folder = try ScratchFolder()
    let seen = SeenHelper()
    let follower = Follower(FolderWatcher(folder.path, start: seen.start), root: folder.path)
    try await follower.until { !$0.scans.isEmpty }
    for (signal, word) in [(SIGKILL, "signal 9 (Killed)"), (SIGSTOP, "stopped"), (SIGTERM, "signal 15")] {
      let process = seen.last
      #expect(kill(process, signal) == 0)
      let news = try await follower.until { !$0.reasons.isEmpty }
      // A loaded machine may tell of the file below twice.
      let other = news.filter { if case .changed = $0 { false } else { true } }
      #expect(other.count == 1, "\(other)")
      guard case .scanned(let scan) = other[0] else {
        #expect(Bool(false), "\(other)")
        return
      }
      #expect(scan.reason?.contains(word) == true && scan.reason?.contains("started again") == true)
      #expect(seen.last != process)
      try folder.write("\(signal).emojiart")
      try await follower.until { $0.looked(at: "\(signal).emojiart") }
    }
    await follower.watcher.close()
  }

  @Test("W3 a helper that is killed and stopped again and again while files come and go: nothing is missed")
  func killedInTheMiddle() async throws {
    let folder = try ScratchFolder()
    let seen = SeenHelper()
    var settings = WatchSettings.real()
    settings.pollEvery = .milliseconds(200)
    let follower = Follower(FolderWatcher(folder.path, settings, start: seen.start), root: folder.path)
    try await follower.until { !$0.scans.isEmpty }
    let writer = Process()
    writer.executableURL = URL(fileURLWithPath: "/bin/sh")
    writer.arguments = [
      "-c",
      "i=0; while kill -0 $PPID && [ ! -e enough ]; do i=$((i+1)); mkdir -p d$((i%7))/e; "
        + "echo $i > d$((i%7))/e/$((i%50)).emojiart; rm -rf d$(((i+3)%7)); sleep 0.003; done; touch last.emojiart",
    ]
    writer.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    try writer.run()
    var hit: [Int32] = []
    try await follower.until { view in
      if hit.count < 4, hit.last != seen.last {
        hit.append(seen.last)
        kill(seen.last, hit.count.isMultiple(of: 2) ? SIGKILL : SIGSTOP)
        // It writes until the helper was hit often enough.
        if hit.count == 4 { try folder.write("enough") }
      }
      return view.files.contains("last.emojiart")
    }
    writer.waitUntilExit()
    let expected = Set(try ScratchFolder.found(in: folder.path))
    try await follower.until { Set($0.files) == expected }
    print("W3 helper: \(hit.count) killed and stopped, \(seen.processes.count) started")
    #expect(hit.count == 4 && seen.processes.count >= 4)
    await follower.watcher.close()
    for process in seen.processes { #expect(SeenHelper.instances(of: process) == nil) }
  }

  @Test("G8 after close the helper is gone, with its inotify instance, and next gives nothing")
  func closed() async throws {
    let folder = try ScratchFolder()
    let seen = SeenHelper()
    let watcher = FolderWatcher(folder.path, start: seen.start)
    _ = await watcher.next()
    #expect(SeenHelper.instances(of: seen.last) == 1)
    #expect(SeenHelper.instances(of: getpid()) == 0, "this process has none of its own")
    let waiting = Task { await watcher.next() }
    try await until("watcher.wakeup.isAwaited") { watcher.wakeup.isAwaited }
    await watcher.close()
    #expect(await waiting.value == nil)
    #expect(SeenHelper.instances(of: seen.last) == nil)
    #expect(await watcher.next() == nil)
    await watcher.close()
  }

  @Test("G8 a watcher that is let go without close leaves nothing either, and a cancelled task gets nothing")
  func letGo() async throws {
    let folder = try ScratchFolder()
    let seen = SeenHelper()
    let ended = Mutex(false)
    do {
      let watcher = FolderWatcher(folder.path) { (program, onLine, onEnd) throws(ArtError) in
        try seen.start(program, onLine) {
          ended.withLock { $0 = true }; onEnd($0)
        }
      }
      _ = await watcher.next()
      let waiting = Task { await watcher.next() }
      try await until("watcher.wakeup.isAwaited") { watcher.wakeup.isAwaited }
      #expect(await watcher.next() == nil, "one caller at a time")
      waiting.cancel()
      #expect(await waiting.value == nil)
    }
    try await until("ended.withLock({ $0 })") { ended.withLock({ $0 }) }
    #expect(SeenHelper.instances(of: seen.last) == nil)
  }

  @Test("W4 without a helper the reason is told once, and the folder is looked through every two seconds")
  func missing() async throws {
    let nowhere = HelperPrograms(folders: [], paths: ["emojiart-inotify": "/nowhere"])
    for (helpers, word) in [(HelperPrograms(folders: ["/"]), "was not found"), (nowhere, "not there")] {
      let folder = try ScratchFolder()
      let clock = ManualClock()
      let settings = WatchSettings(ending: ".emojiart", helpers: helpers)
      let watcher = FolderWatcher(
        folder.path, settings, clock: clock, start: PlayedHelper().start, remoteKind: { _ in nil })
      let follower = Follower(watcher, root: folder.path)
      guard case .degraded(let why) = try await follower.next() else { #expect(Bool(false)); return }
      #expect(why.contains(word))
      #expect(try await follower.next() == .scanned(FolderScan("", files: [], reason: nil)))
      for round in 1...3 {
        try folder.write("\(round).emojiart")
        let next = Task { try await follower.next() }
        await clock.sleepers(1)
        try await until("watcher.wakeup.isAwaited") { watcher.wakeup.isAwaited }
        clock.advance(by: .milliseconds(1_999))
        #expect(watcher.wakeup.isAwaited, "not before its time")
        clock.advance(by: .milliseconds(1))
        #expect(
          try await next.value
            == .scanned(
              FolderScan("", files: (1...round).map { "\($0).emojiart" }, reason: nil)))
      }
      await watcher.close()
    }
  }

  @Test(
    "W4 a helper of another version is named, and one that comes right is used, with a scan that says so")
  func version() async throws {
    let folder = try ScratchFolder()
    let clock = ManualClock()
    let played = PlayedHelper(greeting: { $0 < 3 ? "emojiart-inotify 2" : "emojiart-inotify 1" })
    let watcher = FolderWatcher(
      folder.path, .real(), clock: clock, start: played.start, remoteKind: { _ in nil })
    let follower = Follower(watcher, root: folder.path)
    guard case .degraded(let why) = try await follower.next() else { #expect(Bool(false)); return }
    #expect(why.contains("version 2") && why.contains("install both together"))
    try await follower.until { !$0.scans.isEmpty }
    let back = Task {
      try await follower.until { $0.news.contains(.watching) && $0.scans.last?.reason != nil }
    }
    for _ in 0..<2 {
      await clock.sleepers(1)
      clock.advance(by: .seconds(2))
      try await until("the watcher waits, or has started a helper") {
        watcher.wakeup.isAwaited || played.starts >= 3
      }
    }
    let news = try await back.value
    #expect(news.filter { if case .degraded = $0 { true } else { false } }.isEmpty, "a reason is told once")
    #expect(news.last == .scanned(FolderScan("", files: [], reason: "the system reports changes again")))
    await watcher.close()
  }

  @Test("W4 a helper that says nothing for 5 s, or nonsense, is ended and another one started")
  func silentOrMad() async throws {
    let folder = try ScratchFolder()
    let clock = ManualClock()
    let played = PlayedHelper(greeting: { $0 == 1 ? nil : "emojiart-inotify 1" })
    let watcher = FolderWatcher(
      folder.path, .real(), clock: clock, start: played.start, remoteKind: { _ in nil })
    let follower = Follower(watcher, root: folder.path)
    let first = Task { try await follower.next() }
    await clock.sleepers(1)
    clock.advance(by: .seconds(5))
    guard case .degraded(let why) = try await first.value else { #expect(Bool(false)); return }
    #expect(why.contains("does not answer"))
    #expect(played.state.withLock(\.ends) == 1)
    let back = Task { try await follower.until { $0.news.contains(.watching) && $0.reasons.count == 1 } }
    await clock.sleepers(1)
    clock.advance(by: .seconds(2))
    _ = try await back.value
    #expect(played.starts == 2)
    // Well for a while, then mad.
    clock.advance(by: .seconds(20))
    played.say("event what ever")
    let again = try await follower.until { !$0.reasons.isEmpty }
    #expect(again.count == 1, "\(again)")
    guard case .scanned(let scan) = again[0] else { #expect(Bool(false)); return }
    #expect(scan.reason?.contains("\"event what ever\", which means nothing") == true)
    #expect(played.starts == 3)
    await watcher.close()
  }

  @Test("W4 a helper that does not answer a command within 5 s is ended and another one started")
  func deaf() async throws {
    let folder = try ScratchFolder()
    let clock = ManualClock()
    let played = PlayedHelper(answer: { helper, command in
      helper.starts == 1 && command.hasPrefix("watch") ? nil : helper.honest(command)
    })
    let watcher = FolderWatcher(
      folder.path, .real(), clock: clock, start: played.start, remoteKind: { _ in nil })
    let follower = Follower(watcher, root: folder.path)
    let first = Task { try await follower.until { $0.news.contains(.watching) } }
    await clock.sleepers(1)
    clock.advance(by: .seconds(5))
    for _ in 0..<3 where played.starts < 2 {
      await clock.sleepers(1)
      clock.advance(by: .seconds(2))
      try await until("the watcher waits, or has started a helper") {
        watcher.wakeup.isAwaited || played.starts >= 2
      }
    }
    let news = try await first.value
    #expect(played.starts == 2)
    #expect(
      news.contains { if case .degraded(let why) = $0 { why.contains("does not answer") } else { false } })
    await watcher.close()
  }

  @Test("W4 where no instance or no watch is left, the knob is named, and what can be watched is")
  func limits() async throws {
    let folder = try ScratchFolder()
    try folder.shell("mkdir -p a/b; touch a/b/x.emojiart")
    let clock = ManualClock()
    let isFull = Mutex(true)
    let played = PlayedHelper(
      greeting: { $0 == 1 ? "failed initialize 24" : "emojiart-inotify 1" },
      answer: { helper, command in
        isFull.withLock { $0 } && command.hasPrefix("watch") && command.hasSuffix("/b")
          ? "failed watch 28" : helper.honest(command)
      })
    let watcher = FolderWatcher(
      folder.path, .real(), clock: clock, start: played.start, remoteKind: { _ in nil })
    let follower = Follower(watcher, root: folder.path)
    try await follower.until { !$0.scans.isEmpty }
    #expect(await follower.view().degraded.first?.contains("fs.inotify.max_user_instances") == true)
    #expect(await follower.files == ["a/b/x.emojiart"], "it is looked through all the same")
    let second = Task { try await follower.until { !$0.scans.isEmpty } }
    await clock.sleepers(1)
    clock.advance(by: .seconds(2))
    let news = try await second.value
    guard case .degraded(let why) = news[0] else { #expect(Bool(false)); return }
    #expect(why.contains("fs.inotify.max_user_watches") && why.contains(folder.path))
    isFull.withLock { $0 = false }
    let third = Task { try await follower.until { !$0.scans.isEmpty } }
    await clock.sleepers(1)
    clock.advance(by: .seconds(2))
    #expect(try await third.value.first == .watching)
    #expect(
      played.commands.filter { $0.hasPrefix("watch") && $0.hasSuffix("/a") }.count == 1,
      "only what is missing is asked for")
    await watcher.close()
  }

  @Test(
    "W4 a folder on a network file system, or one that is to be polled, is looked through every two seconds and says so"
  )
  func remote() async throws {
    let folder = try ScratchFolder()
    for (kind, because, word) in [("nfs4", nil, "nfs4"), (nil, "asked to poll", "asked to poll")] {
      let clock = ManualClock()
      var settings = WatchSettings.real()
      settings.pollBecause = because
      let played = PlayedHelper()
      let watcher = FolderWatcher(
        folder.path, settings, clock: clock, start: played.start, remoteKind: { _ in kind })
      let follower = Follower(watcher, root: folder.path)
      try await follower.until { $0.scans.count == 1 }
      #expect(await follower.view().degraded.count == 1)
      #expect(await follower.view().degraded[0].contains(word))
      let next = Task { try await follower.next() }
      await clock.sleepers(1)
      clock.advance(by: .seconds(2))
      #expect(try await next.value == .scanned(FolderScan("", files: [], reason: nil)))
      #expect(played.starts == 0)
      await watcher.close()
    }
  }
}
