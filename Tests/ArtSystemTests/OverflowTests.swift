// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Foundation
import Synchronization
import Testing

@Suite("More events than are read") struct OverflowTests {
  @Test("W2 events that were lost while nobody read are told as an overflow, and what follows is told again")
  func overflow() throws {
    let scratch = try Scratch()
    let heard = Heard()
    let mayRead = DispatchSemaphore(value: 0)
    let isHeld = Mutex(true)
    let worker = try HelperProcess(
      starting: built("emojiart-inotify"), limits: .wide,
      onLine: { line in
        if line.starts(with: "event".utf8), isHeld.withLock({ $0 }) {
          mayRead.wait()
          isHeld.withLock { $0 = false }
        }
        heard.line(line)
      }, onEnd: { heard.end($0) })
    try worker.send("watch \(scratch.path)\n")
    #expect(try heard.next() == "emojiart-inotify 1")
    #expect(try heard.next().hasPrefix("watching 1 "))
    let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let count = max(50_000, 2 * (Int(limit.dropLast()) ?? 0))
    try scratch.write("a")
    for number in 0..<count / 2 {
      let names = number % 2 == 0 ? ("a", "b") : ("b", "a")
      #expect(rename(scratch[names.0], scratch[names.1]) == 0)
    }
    mayRead.signal()
    var told = 0
    while try heard.next() != "event -1 4000 0 " { told += 1 }
    #expect(told < count, "\(told) of \(count) were told")
    try scratch.write("after")
    var line = ""
    while !line.hasSuffix(" after") { line = try heard.next() }
    #expect(line == "event 1 100 0 after")
    print("W2 overflow: \(count) events, \(told) told before it")
  }

  @Test("G7 a helper without memory for its watches ends, and can be started again")
  func memory() throws {
    let scratch = try Scratch()
    let heard = Heard()
    let limits = HelperLimits(memory: 24 << 20, processorSeconds: nil, line: 1 << 12)
    let worker = try HelperProcess(built("emojiart-inotify").path, [], heard, limits)
    let commands = Array(String(repeating: "watch \(scratch.path)\n", count: 1000).utf8)
    for _ in 0..<200 {
      // It takes nothing more when it has ended.
      guard (try? worker.send(commands)) != nil else { break }
    }
    let end = try heard.ended()
    #expect(end.cause == .exit(1) || end.cause == .signal(SIGSEGV), "\(end)")
    #expect(heard.lines.count > 1000 && !heard.lines.contains { $0.hasPrefix("failed") })
    print("G7 memory: \(heard.lines.count) watches in 24 MiB")
  }

  @Test("G8 the helper ends with its standard input, also while nobody reads what it says")
  func endsWithInput() throws {
    let helper = try built("emojiart-inotify").path
    let idle = try Stranger(helper, [])
    try idle.input.fileHandleForWriting.close()
    #expect(try idle.ends && idle.process.terminationStatus == 0)

    let scratch = try Scratch()
    let full = try Stranger(helper, [])
    try full.input.fileHandleForWriting.write(contentsOf: Data("watch \(scratch.path)\n".utf8))
    var answer = Data()
    while answer.count(where: { $0 == 10 }) < 2 { answer += full.output.fileHandleForReading.availableData }
    try scratch.write("a")
    for number in 0..<10_000 {
      let names = number % 2 == 0 ? ("a", "b") : ("b", "a")
      #expect(rename(scratch[names.0], scratch[names.1]) == 0)
    }
    try full.input.fileHandleForWriting.close()
    #expect(try full.ends)
    // Its reader gone is an end, too: by SIGPIPE.
    let unread = try Stranger(helper, [])
    try unread.input.fileHandleForWriting.write(contentsOf: Data("watch \(scratch.path)\n".utf8))
    try unread.output.fileHandleForReading.close()
    try scratch.write("c")
    #expect(try unread.ends)
  }
}
