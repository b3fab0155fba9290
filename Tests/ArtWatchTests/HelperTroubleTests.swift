// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtWatch

@Suite("A failing helper process", .timeLimit(.minutes(10))) struct HelperTroubleTests {
  @Test("W3 a helper process that is killed or stopped is started again, with a scan that gives the reason")
  func killed() async throws {
    let folder = try ScratchFolder()
    let observed = ObservedHelper()
    let follower = Follower(FolderWatcher(folder.path, start: observed.start), root: folder.path)
    try await follower.until { !$0.scans.isEmpty }
    for (signal, word) in [(SIGKILL, "signal 9 (Killed)"), (SIGSTOP, "stopped"), (SIGTERM, "signal 15")] {
      let process = observed.last
      #expect(kill(process, signal) == 0)
      let events = try await follower.until { !$0.reasons.isEmpty }
      // On a loaded machine the file below may be reported twice.
      let other = events.filter { if case .changed = $0 { false } else { true } }
      #expect(other.count == 1, "\(other)")
      guard case .scanned(let scan) = other[0] else {
        #expect(Bool(false), "\(other)")
        return
      }
      #expect(scan.reason?.contains(word) == true && scan.reason?.contains("started again") == true)
      #expect(observed.last != process)
      try folder.write("\(signal).emojiart")
      try await follower.until { $0.hasReported("\(signal).emojiart") }
    }
    await follower.watcher.close()
  }

  @Test("W3 no file is missed while the helper process is killed and stopped repeatedly")
  func killedInTheMiddle() async throws {
    let folder = try ScratchFolder()
    let observed = ObservedHelper()
    var settings = WatchSettings.real()
    settings.pollEvery = .milliseconds(200)
    let follower = Follower(FolderWatcher(folder.path, settings, start: observed.start), root: folder.path)
    try await follower.until { !$0.scans.isEmpty }
    let writer = Process()
    writer.executableURL = URL(fileURLWithPath: "/bin/sh")
    writer.arguments = [
      "-c",
      "i=0; while kill -0 $PPID && [ ! -e enough ]; do i=$((i+1)); mkdir -p d$((i%7))/e; "
        + "echo $i > d$((i%7))/e/$((i%50)).emojiart; rm -rf d$(((i+3)%7)); sleep 0.003; done; touch last.emojiart",
    ]
    writer.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    try writer.start()
    var hit: [Int32] = []
    try await follower.until { view in
      if hit.count < 4, hit.last != observed.last {
        hit.append(observed.last)
        kill(observed.last, hit.count.isMultiple(of: 2) ? SIGKILL : SIGSTOP)
        // The writer runs until the helper was killed or stopped four times.
        if hit.count == 4 { try folder.write("enough") }
      }
      return view.files.contains("last.emojiart")
    }
    writer.waitUntilExit()
    let expected = Set(try ScratchFolder.found(in: folder.path))
    try await follower.until { Set($0.files) == expected }
    print("W3 helper: \(hit.count) killed and stopped, \(observed.processes.count) started")
    #expect(hit.count == 4 && observed.processes.count >= 4)
    await follower.watcher.close()
    for process in observed.processes { #expect(ObservedHelper.instances(of: process) == nil) }
  }

  @Test("G8 closing a watcher ends its helper and its inotify instance, and next returns nil")
  func closed() async throws {
    let folder = try ScratchFolder()
    let observed = ObservedHelper()
    let watcher = FolderWatcher(folder.path, start: observed.start)
    _ = await watcher.next()
    #expect(ObservedHelper.instances(of: observed.last) == 1)
    #expect(ObservedHelper.instances(of: getpid()) == 0, "this process has no instance")
    let waiting = Task { await watcher.next() }
    try await until("the watcher waits") { watcher.wakeup.isAwaited }
    await watcher.close()
    #expect(await waiting.value == nil)
    #expect(ObservedHelper.instances(of: observed.last) == nil)
    #expect(await watcher.next() == nil)
    await watcher.close()
  }

  @Test("G8 a watcher that is released without close ends its helper, and a cancelled task receives nil")
  func released() async throws {
    let folder = try ScratchFolder()
    let observed = ObservedHelper()
    let ended = Mutex(false)
    do {
      let watcher = FolderWatcher(folder.path) { (program, onLine, onEnd) throws(ArtError) in
        try observed.start(program, onLine) {
          ended.withLock { $0 = true }; onEnd($0)
        }
      }
      _ = await watcher.next()
      let waiting = Task { await watcher.next() }
      try await until("the watcher waits") { watcher.wakeup.isAwaited }
      #expect(await watcher.next() == nil, "a second caller gets nil")
      waiting.cancel()
      #expect(await waiting.value == nil)
    }
    try await until("the end of the helper") { ended.withLock({ $0 }) }
    #expect(ObservedHelper.instances(of: observed.last) == nil)
  }

  @Test("W4 without a helper the reason is reported once, and the folder is scanned every two seconds")
  func missing() async throws {
    let nowhere = HelperPrograms(folders: [], paths: ["emojiart-inotify": "/nowhere"])
    for (helpers, word) in [(HelperPrograms(folders: ["/"]), "was not found"), (nowhere, "not there")] {
      let folder = try ScratchFolder()
      let clock = ManualClock()
      let settings = WatchSettings(ending: ".emojiart", helpers: helpers)
      let watcher = FolderWatcher(
        folder.path, settings, clock: clock, start: SimulatedHelper().start, remoteKind: { _ in nil })
      let follower = Follower(watcher, root: folder.path)
      guard case .degraded(let why) = try await follower.next() else { #expect(Bool(false)); return }
      #expect(why.contains(word))
      #expect(try await follower.next() == .scanned(FolderScan("", files: [], reason: nil)))
      for round in 1...3 {
        try folder.write("\(round).emojiart")
        let next = Task { try await follower.next() }
        try await clock.sleepers(1)
        try await until("the watcher waits") { watcher.wakeup.isAwaited }
        clock.advance(by: .milliseconds(1_999))
        #expect(watcher.wakeup.isAwaited, "no scan before two seconds")
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
    "W4 a helper of another version is named, and one of the right version is used, with a scan that gives the reason"
  )
  func version() async throws {
    let folder = try ScratchFolder()
    let clock = ManualClock()
    let simulated = SimulatedHelper(greeting: { $0 < 3 ? "emojiart-inotify 2" : "emojiart-inotify 1" })
    let watcher = FolderWatcher(
      folder.path, .real(), clock: clock, start: simulated.start, remoteKind: { _ in nil })
    let follower = Follower(watcher, root: folder.path)
    guard case .degraded(let why) = try await follower.next() else { #expect(Bool(false)); return }
    #expect(why.contains("version 2") && why.contains("install both together"))
    try await follower.until { !$0.scans.isEmpty }
    let back = Task {
      try await follower.until { $0.events.contains(.watching) && $0.scans.last?.reason != nil }
    }
    try await advance(clock, until: 3, of: simulated)
    let events = try await back.value
    #expect(
      events.filter { if case .degraded = $0 { true } else { false } }.isEmpty, "a reason is reported once")
    #expect(events.last == .scanned(FolderScan("", files: [], reason: "the system reports changes again")))
    await watcher.close()
  }

  /// Moves the clock by two seconds whenever a task sleeps, until so many helpers were started. Behind the last start nothing may
  /// sleep any more.
  private func advance(
    _ clock: ManualClock, until starts: Int, of simulated: SimulatedHelper
  ) async throws {
    while simulated.starts < starts {
      try await until("a sleeping task, or the start of helper \(starts)") {
        clock.asleep > 0 || simulated.starts >= starts
      }
      if simulated.starts < starts { clock.advance(by: .seconds(2)) }
    }
  }

  @Test("W4 a helper that is silent for 5 s, or writes an invalid line, is ended and another one is started")
  func silentOrInvalid() async throws {
    let folder = try ScratchFolder()
    let clock = ManualClock()
    let simulated = SimulatedHelper(greeting: { $0 == 1 ? nil : "emojiart-inotify 1" })
    let watcher = FolderWatcher(
      folder.path, .real(helperTimeout: .seconds(5)), clock: clock, start: simulated.start,
      remoteKind: { _ in nil })
    let follower = Follower(watcher, root: folder.path)
    let first = Task { try await follower.next() }
    try await clock.sleepers(1)
    clock.advance(by: .seconds(5))
    guard case .degraded(let why) = try await first.value else { #expect(Bool(false)); return }
    #expect(why.contains("does not answer"))
    #expect(simulated.state.withLock(\.ends) == 1)
    let back = Task { try await follower.until { $0.events.contains(.watching) && $0.reasons.count == 1 } }
    try await clock.sleepers(1)
    clock.advance(by: .seconds(2))
    _ = try await back.value
    #expect(simulated.starts == 2)
    // Valid for a while, then invalid.
    clock.advance(by: .seconds(20))
    simulated.say("event what ever")
    let again = try await follower.until { !$0.reasons.isEmpty }
    #expect(again.count == 1, "\(again)")
    guard case .scanned(let scan) = again[0] else { #expect(Bool(false)); return }
    #expect(scan.reason?.contains("\"event what ever\", which means nothing") == true)
    #expect(simulated.starts == 3)
    await watcher.close()
  }

  @Test("W4 a helper that does not answer a command within 5 s is ended and another one is started")
  func unansweredCommand() async throws {
    let folder = try ScratchFolder()
    let clock = ManualClock()
    let simulated = SimulatedHelper(answer: { helper, command in
      helper.starts == 1 && command.hasPrefix("watch") ? nil : helper.realAnswer(to: command)
    })
    let watcher = FolderWatcher(
      folder.path, .real(helperTimeout: .seconds(5)), clock: clock, start: simulated.start,
      remoteKind: { _ in nil })
    let follower = Follower(watcher, root: folder.path)
    let first = Task { try await follower.until { $0.events.contains(.watching) } }
    // The command times out, and the pause before the second start ends.
    try await advance(clock, until: 2, of: simulated)
    let events = try await first.value
    #expect(simulated.starts == 2)
    #expect(
      events.contains { if case .degraded(let why) = $0 { why.contains("does not answer") } else { false } })
    await watcher.close()
  }

  @Test("W4 a limit on instances or watches is reported with its setting, and all other folders are watched")
  func limits() async throws {
    let folder = try ScratchFolder()
    try folder.shell("mkdir -p a/b; touch a/b/x.emojiart")
    let clock = ManualClock()
    let isFull = Mutex(true)
    let simulated = SimulatedHelper(
      greeting: { $0 == 1 ? "failed initialize 24" : "emojiart-inotify 1" },
      answer: { helper, command in
        isFull.withLock { $0 } && command.hasPrefix("watch") && command.hasSuffix("/b")
          ? "failed watch 28" : helper.realAnswer(to: command)
      })
    let watcher = FolderWatcher(
      folder.path, .real(), clock: clock, start: simulated.start, remoteKind: { _ in nil })
    let follower = Follower(watcher, root: folder.path)
    try await follower.until { !$0.scans.isEmpty }
    #expect(await follower.view().degraded.first?.contains("fs.inotify.max_user_instances") == true)
    #expect(await follower.files == ["a/b/x.emojiart"], "the folder is scanned all the same")
    let second = Task { try await follower.until { !$0.scans.isEmpty } }
    try await clock.sleepers(1)
    clock.advance(by: .seconds(2))
    let events = try await second.value
    guard case .degraded(let why) = events[0] else { #expect(Bool(false)); return }
    #expect(why.contains("fs.inotify.max_user_watches") && why.contains(folder.path))
    isFull.withLock { $0 = false }
    let third = Task { try await follower.until { !$0.scans.isEmpty } }
    try await clock.sleepers(1)
    clock.advance(by: .seconds(2))
    #expect(try await third.value.first == .watching)
    #expect(
      simulated.commands.filter { $0.hasPrefix("watch") && $0.hasSuffix("/a") }.count == 1,
      "only what is missing is asked for")
    await watcher.close()
  }

  @Test(
    "W4 a folder on a network file system, or one with a reason to poll, is scanned every two seconds, and the reason is reported"
  )
  func remote() async throws {
    let folder = try ScratchFolder()
    for (kind, because, word) in [("nfs4", nil, "nfs4"), (nil, "asked to poll", "asked to poll")] {
      let clock = ManualClock()
      var settings = WatchSettings.real()
      settings.pollBecause = because
      let simulated = SimulatedHelper()
      let watcher = FolderWatcher(
        folder.path, settings, clock: clock, start: simulated.start, remoteKind: { _ in kind })
      let follower = Follower(watcher, root: folder.path)
      try await follower.until { $0.scans.count == 1 }
      #expect(await follower.view().degraded.count == 1)
      #expect(await follower.view().degraded[0].contains(word))
      let next = Task { try await follower.next() }
      try await clock.sleepers(1)
      clock.advance(by: .seconds(2))
      #expect(try await next.value == .scanned(FolderScan("", files: [], reason: nil)))
      #expect(simulated.starts == 0)
      await watcher.close()
    }
  }
}
