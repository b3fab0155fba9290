// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("An overflow of the kernel's queue", .timeLimit(.minutes(10))) struct OverflowTests {
  @Test("W2 events that are lost are reported as an overflow, and later events are reported again")
  func overflow() throws {
    let scratch = try Scratch()
    let recorded = RecordedOutput()
    let mayRead = DispatchSemaphore(value: 0)
    let isHeld = Mutex(true)
    let worker = try HelperProcess(
      starting: built("emojiart-inotify"), limits: .wide,
      onLine: { line in
        if line.starts(with: "event".utf8), isHeld.withLock({ $0 }) {
          do { try mayRead.wait(for: "the changes of the test") } catch { Issue.record(error) }
          isHeld.withLock { $0 = false }
        }
        recorded.line(line)
      }, onEnd: { recorded.end($0) })
    try worker.send("watch \(scratch.path)\n")
    #expect(try recorded.next() == "emojiart-inotify 1")
    #expect(try recorded.next().hasPrefix("watching 1 "))
    let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let count = max(50_000, 2 * (Int(limit.dropLast()) ?? 0))
    try scratch.write("a")
    for number in 0..<count / 2 {
      let names = number % 2 == 0 ? ("a", "b") : ("b", "a")
      #expect(rename(scratch[names.0], scratch[names.1]) == 0)
    }
    mayRead.signal()
    var reported = 0
    while try recorded.next() != "event -1 4000 0 " { reported += 1 }
    #expect(reported < count, "\(reported) of \(count) were reported")
    try scratch.write("after")
    var line = ""
    while !line.hasSuffix(" after") { line = try recorded.next() }
    #expect(line == "event 1 100 0 after")
    print("W2 overflow: \(count) events, \(reported) told before it")
  }

  @Test("G7 a helper without memory for its watches ends without a false answer, and can be started again")
  func memory() throws {
    guard !AddressSanitizer.prevents("G7 a helper without memory") else { return }
    let scratch = try Scratch()
    let recorded = RecordedOutput()
    let limits = HelperLimits(memory: 24 << 20, processorSeconds: nil, line: 1 << 12)
    let worker = try HelperProcess(built("emojiart-inotify").path, [], recorded, limits)
    let commands = Array(String(repeating: "watch \(scratch.path)\n", count: 1000).utf8)
    for _ in 0..<200 {
      // A helper that has ended reads nothing more.
      guard (try? worker.send(commands)) != nil else { break }
    }
    let end = try recorded.ended()
    #expect(end.cause == .exit(1) || end.cause == .signal(SIGSEGV), "\(end)")
    #expect(recorded.lines.count > 1000 && !recorded.lines.contains { $0.hasPrefix("failed") })
    let again = RecordedOutput()
    let other = try HelperProcess(built("emojiart-inotify").path, [], again, limits)
    try other.send("watch \(scratch.path)\n")
    #expect(try again.next() == "emojiart-inotify 1")
    #expect(try again.next().hasPrefix("watching 1 "))
    print("G7 memory: \(recorded.lines.count) watches in 24 MiB")
  }

  @Test("G8 the helper ends with its standard input, also while its output is not read")
  func endsWithInput() throws {
    let helper = try built("emojiart-inotify").path
    let idle = try OtherProcess(helper, [])
    try idle.input.fileHandleForWriting.close()
    #expect(try idle.hasEnded && idle.process.terminationStatus == 0)

    let scratch = try Scratch()
    let full = try OtherProcess(helper, [])
    try full.input.fileHandleForWriting.write(contentsOf: Data("watch \(scratch.path)\n".utf8))
    var answer = Data()
    while answer.count(where: { $0 == 10 }) < 2 {
      try waitUntilReadable(full.output.fileHandleForReading.fileDescriptor, for: "the answer of a helper")
      let more = full.output.fileHandleForReading.availableData
      try #require(!more.isEmpty, "the helper has ended")
      answer += more
    }
    try scratch.write("a")
    for number in 0..<10_000 {
      let names = number % 2 == 0 ? ("a", "b") : ("b", "a")
      #expect(rename(scratch[names.0], scratch[names.1]) == 0)
    }
    try full.input.fileHandleForWriting.close()
    #expect(try full.hasEnded)
    // A helper whose output is closed ends, too: by SIGPIPE.
    let unread = try OtherProcess(helper, [])
    try unread.input.fileHandleForWriting.write(contentsOf: Data("watch \(scratch.path)\n".utf8))
    try unread.output.fileHandleForReading.close()
    try scratch.write("c")
    #expect(try unread.hasEnded)
  }
}
