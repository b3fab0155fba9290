// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtWatch

@Suite("Many events, and none", .timeLimit(.minutes(10))) struct ManyEventsTests {
  @Test("W2 50,000 events that are not read at once are merged into fewer than 20")
  func merged() async throws {
    let folder = try ScratchFolder()
    let observed = ObservedHelper()
    let watcher = FolderWatcher(folder.path, start: observed.start)
    let follower = Follower(watcher, root: folder.path)
    try await follower.until { !$0.scans.isEmpty }
    for round in 1...25_000 {
      let file = open(folder["\(round % 20).emojiart"], O_CREAT | O_WRONLY | O_TRUNC, 0o600)
      write(file, "x", 1)
      close(file)
      // The kernel's queue has no capacity for all of them.
      guard round.isMultiple(of: 1_000) else { continue }
      try folder.write("\(round).txt")
      try await observed.waitUntilReceived("8 \(round).txt")
    }
    try folder.write("zz.emojiart")
    try await observed.waitUntilReceived("8 zz.emojiart")
    let events = try await follower.until { $0.files.contains("zz.emojiart") }
    let changed = await follower.view(from: 1).changedFiles
    print("W2 nobody asks: 50000 events and more, \(events.count) pieces of news, \(changed.count) looks")
    #expect(events.count < 20)
    #expect(await follower.files.count == 21)
    await watcher.close()
  }

  @Test(
    "W2 after an overflow of the kernel's queue everything is scanned, with the reason, and no file is missing"
  )
  func overflow() async throws {
    let folder = try ScratchFolder()
    try folder.make("sub")
    let observed = ObservedHelper()
    let follower = Follower(FolderWatcher(folder.path, start: observed.start), root: folder.path)
    try await follower.until { !$0.scans.isEmpty }
    // The reader is blocked; the pipe fills, then the helper blocks, then the kernel's queue overflows.
    observed.gate.set(open: false)
    for number in 0..<25_000 {
      let name = number.isMultiple(of: 50) ? "\(number).emojiart" : "\(number).txt"
      close(open(folder["sub/\(name)"], O_CREAT | O_WRONLY, 0o600))
    }
    try folder.make("late/deep")
    try folder.write("late/deep/after.emojiart")
    observed.gate.set(open: true)
    try await follower.until { view in view.reasons.contains { $0.contains("max_queued_events") } }
    let expected = try Set(ScratchFolder.found(in: folder.path))
    try await follower.until { Set($0.files) == expected }
    #expect(expected.count == 501)
    try folder.write("late/deep/alive.emojiart")
    try await follower.until { $0.hasReported("late/deep/alive.emojiart") }
    #expect(observed.processes.count == 1)
    await follower.watcher.close()
  }

  @Test("W2 more names than the inbox has capacity for become one scan")
  func inbox() throws {
    let now = Mutex(Duration.zero)
    let inbox = Inbox(Wakeup(), now: { now.withLock { $0 } }, quiet: .milliseconds(20), capacity: 100)
    for number in 0..<100 { inbox.receive(Array("event 1 2 0 \(number)".utf8)) }
    now.withLock { $0 = .seconds(1) }
    for number in 0..<100 { inbox.receive(Array("event 1 100 0 \(number)".utf8)) }
    let full = inbox.drain()
    #expect(full.events.count == 100 && full.lossReason == nil)
    let one = full.events[Inbox.Source(watch: 1, name: Array("7".utf8))]
    #expect(one?.first == .zero && one?.last == .seconds(1) && one?.mask.rawValue == 0x102)
    for number in 0..<350 { inbox.receive(Array("event 1 2 0 \(number)".utf8)) }
    let over = inbox.drain()
    #expect(
      over.lossReason == .tooManyAtOnce && over.events.count <= 100, "the reason names no limit of the system"
    )
    inbox.receive(Array("event -1 4000 0 ".utf8))
    #expect(inbox.drain().lossReason == .overflown)
    #expect(inbox.drain().events.isEmpty)
  }

  @Test("W5 while nothing happens no timer runs and no thread wakes, and reading causes no event")
  func idle() async throws {
    let folder = try ScratchFolder()
    try folder.shell("mkdir sub; echo 1 > bees.emojiart; echo 2 > sub/wasps.emojiart")
    let observed = ObservedHelper()
    let clock = CountingClock()
    let watcher = FolderWatcher(
      folder.path, .real(), clock: clock, start: observed.start, remoteKind: { _ in nil })
    let follower = Follower(watcher, root: folder.path)
    try await follower.until { !$0.scans.isEmpty }
    // Of several events the last may come after the first was reported.
    try folder.put("bees.emojiart", "2")
    try await follower.until { $0.hasReported("bees.emojiart") }
    let next = Task { try await follower.next() }
    try await until("the watcher waits") { watcher.wakeup.isAwaited }
    try await until("no caller sleeps") { clock.asleep == 0 }
    let (sleeps, ticks) = (clock.sleeps, try ObservedHelper.ticks(of: observed.last))
    // Readers of every kind, thousands of times.
    for _ in 0..<2_000 {
      let file = open(folder["bees.emojiart"], O_RDONLY)
      var byte = UInt8(0)
      read(file, &byte, 1)
      close(file)
    }
    try folder.shell(
      "for i in 1 2 3; do ls -lR . >/dev/null; cat bees.emojiart sub/*; find . -type f -exec md5sum {} + >/dev/null; done"
    )
    #expect(clock.sleeps == sleeps, "no timer was started")
    #expect(clock.asleep == 0, "no timer runs")
    #expect(watcher.wakeup.isAwaited, "the watcher was not woken")
    #expect(try ObservedHelper.ticks(of: observed.last) == ticks)
    try folder.put("sub/wasps.emojiart", "3")
    #expect(try await next.value == .changed([WatchedFile("sub/wasps.emojiart", isQuiet: true)]))
    await watcher.close()
  }

  @Test(
    "W1 a file that is written all the time is reported as pending several times, and as quiet at the end")
  func constantWriting() async throws {
    let folder = try ScratchFolder()
    let watcher = FolderWatcher(folder.path, .real())
    let follower = Follower(watcher, root: folder.path)
    try await follower.until { !$0.scans.isEmpty }
    // It writes until three refreshes are reported, or the test has ended.
    let writer = Process()
    writer.executableURL = URL(fileURLWithPath: "/bin/sh")
    writer.arguments = [
      "-c",
      "while kill -0 $PPID && [ ! -e enough ]; do echo y >> bees.emojiart; sleep 0.005; done; "
        + "touch zz.emojiart",
    ]
    writer.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    try writer.start()
    try await follower.until { view in
      view.changedFiles.count { $0.path == "bees.emojiart" && !$0.isQuiet } >= 3
    }
    try folder.write("enough")
    try await follower.until { $0.hasReported("zz.emojiart") }
    writer.waitUntilExit()
    let changed = await follower.view().changedFiles.filter { $0.path == "bees.emojiart" }
    #expect(changed.count >= 3 && changed.last?.isQuiet == true)
    await watcher.close()
  }

  @Test("a file is reported again at the time that was asked for")
  func again() async throws {
    let folder = try ScratchFolder()
    try folder.write("bees.emojiart")
    let clock = ManualClock()
    let watcher = FolderWatcher(
      folder.path, .real(), clock: clock, start: SimulatedHelper().start, remoteKind: { _ in nil })
    let follower = Follower(watcher, root: folder.path)
    try await follower.until { !$0.scans.isEmpty }
    let next = Task { try await follower.next() }
    try await until("the watcher waits") { watcher.wakeup.isAwaited }
    await watcher.recheck(at: "bees.emojiart", after: .seconds(2))
    try await clock.sleepers(1)
    try await until("the watcher waits") { watcher.wakeup.isAwaited }
    clock.advance(by: .milliseconds(1_999))
    #expect(clock.asleep == 1 && watcher.wakeup.isAwaited, "no timer has run out before")
    clock.advance(by: .milliseconds(1))
    #expect(try await next.value == .changed([WatchedFile("bees.emojiart", isQuiet: true)]))
    await watcher.close()
  }

  @Test("a watcher of a single file reports only that file and its journal")
  func only() async throws {
    let folder = try ScratchFolder()
    try folder.shell("mkdir sub; touch bees.emojiart wasps.emojiart sub/bees.emojiart")
    var settings = WatchSettings.real(recursive: false)
    settings.only = "bees.emojiart"
    let watcher = FolderWatcher(folder.path, settings)
    let follower = Follower(watcher, root: folder.path)
    #expect(try await follower.next() == .scanned(FolderScan("", files: ["bees.emojiart"], reason: nil)))
    try folder.write("wasps.emojiart", "y")
    try folder.write("sub/bees.emojiart", "y")
    // In one event: a busy machine may report the several ones of a write before the file is quiet.
    try folder.put("bees.emojiart-journal", "y")
    #expect(try await follower.next() == .changed([WatchedFile("bees.emojiart", isQuiet: true)]))
    await watcher.close()
  }
}

/// The real clock, with the number of sleeping callers and of all sleeps.
private final class CountingClock: Clock, Sendable {
  typealias Instant = ContinuousClock.Instant
  private let clock = ContinuousClock()
  private let counts = Mutex((asleep: 0, sleeps: 0))
  var asleep: Int { counts.withLock(\.asleep) }
  var sleeps: Int { counts.withLock(\.sleeps) }
  var now: Instant { clock.now }
  var minimumResolution: Duration { clock.minimumResolution }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    counts.withLock {
      $0.asleep += 1
      $0.sleeps += 1
    }
    defer { counts.withLock { $0.asleep -= 1 } }
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }
}
