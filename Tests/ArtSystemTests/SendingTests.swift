// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite("Sending to a worker", .timeLimit(.minutes(10))) struct SendingTests {
  private let recorded = RecordedOutput()

  @Test("bytes that several threads send arrive whole, also if the worker reads slowly")
  func whole() throws {
    let worker = try HelperProcess.shell("exec cat", recorded)
    let (threads, lines) = (4, 2000)
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      for line in 0..<lines {
        let text = String(repeating: "\(thread)", count: 1 + line % 700)
        do { try worker.send("\(text)\n") } catch { Issue.record(error) }
      }
    }
    var counts = [Character: Int]()
    for _ in 0..<threads * lines {
      let line = try recorded.next()
      #expect(Set(line).count == 1)
      #expect(line.count == 1 + counts[line.first ?? " ", default: 0] % 700)
      counts[line.first ?? " ", default: 0] += 1
    }
    #expect(counts.count == threads)
    print("sending: \(threads * lines) lines")
  }

  @Test("a worker that does not read for its timeout is killed, and sending fails")
  func inputBlocked() throws {
    var limits = HelperLimits.wide
    limits.inputTimeout = .milliseconds(100)
    let worker = try HelperProcess.shell("exec sleep 1000", recorded, limits)
    let error = #expect(throws: HelperFailure.self) {
      try worker.send([UInt8](repeating: 10, count: 8 << 20))
    }
    #expect(error == .inputBlocked(HelperProgram(path: "/bin/sh"), .milliseconds(100)))
    #expect(try recorded.ended().cause == .inputBlocked)
  }

  @Test("sending to a worker that has closed its input, or that ends meanwhile, is an error")
  func closed() throws {
    let worker = try HelperProcess.shell("exec <&-; echo ready; exec sleep 1000", recorded)
    #expect(try recorded.next() == "ready")
    // A program that another test starts at this moment may hold a copy of the other end until it has begun.
    var failure: HelperFailure?
    try wait(for: "the worker's input to be closed") {
      do { try worker.send("anyone?\n") } catch { failure = error as? HelperFailure }
      return failure != nil
    }
    #expect(failure == .ended(HelperProgram(path: "/bin/sh")))
    worker.end()
    #expect(try recorded.ended().cause == .signal(SIGKILL))

    let other = RecordedOutput()
    let dying = try HelperProcess.shell("sleep 0.05; kill -9 $$", other)
    #expect(throws: HelperFailure.self) { try dying.send([UInt8](repeating: 10, count: 8 << 20)) }
    #expect(try other.ended().cause == .signal(SIGKILL))
  }

  @Test("a worker whose output is not read is blocked, and loses nothing")
  func backPressure() throws {
    let isRead = DispatchSemaphore(value: 0)
    let recorded = recorded
    let worker = try HelperProcess(
      starting: HelperProgram(path: "/bin/sh"),
      arguments: ["-c", "echo; for i in 1 2 3; do printf '%065535d\\n' 0; done; echo end >&2; exit 5"],
      limits: .wide,
      onLine: {
        recorded.line($0)
        do { try isRead.wait(for: "a line that is read") } catch { Issue.record(error) }
      }, onEnd: { recorded.end($0) })
    #expect(try recorded.next() == "")
    // Each line that is read lets one more line through; the end is reported after the last one.
    for count in 1...3 {
      #expect(recorded.lines.count == count)
      isRead.signal()
      #expect(try recorded.next().count == 65535)
    }
    isRead.signal()
    #expect(try recorded.ended() == HelperEnd(.exit(5), errors: "end\n"))
    withExtendedLifetime(worker) {}
  }
}
