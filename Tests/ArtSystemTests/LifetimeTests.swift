// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Foundation
import TestSupport
import Testing

@Suite("A worker's life") struct LifetimeTests {
  /// Waits until nobody holds the other end of a FIFO any more.
  private func hangsUp(_ descriptor: Int32) throws -> Bool {
    var byte: UInt8 = 0
    repeat {
      try waitUntilReadable(descriptor, for: "the end of who holds a FIFO")
    } while read(descriptor, &byte, 1) != 0
    return true
  }

  @Test(
    "G8 a worker does not outlive this process, even one killed with -9, and even a worker that is stopped",
    arguments: [false, true])
  func parentKilled(isStopped: Bool) throws {
    let scratch = try Scratch()
    #expect(mkfifo(scratch["alive"], 0o600) == 0)
    // A worker that looks at nothing: only the kernel can end it.
    let parent = try Stranger(
      built("WorkerParent").path, ["keep", "exec 3>\(scratch["alive"]); echo $$ >&3; exec sleep 1000"])
    let alive = open(scratch["alive"], O_RDONLY | O_CLOEXEC)
    var text = [UInt8](repeating: 0, count: 32)
    let count = read(alive, &text, text.count)
    let worker = try #require(Int32(String(decoding: text[..<max(count - 1, 0)], as: UTF8.self)))
    #expect(getpgid(worker) == worker)
    if isStopped {
      // The parent first, or it would notice.
      #expect(kill(parent.process.processIdentifier, SIGSTOP) == 0)
      var info = siginfo_t()
      let id = id_t(parent.process.processIdentifier)
      #expect(waitid(P_PID, id, &info, WSTOPPED | WNOWAIT) == 0)
      #expect(kill(worker, SIGSTOP) == 0)
    }
    #expect(kill(parent.process.processIdentifier, SIGKILL) == 0)
    #expect(try hangsUp(alive))
    close(alive)
    #expect(try parent.ends)
  }

  @Test("G8 a worker ends with its object")
  func dropped() throws {
    let heard = Heard()
    _ = try HelperProcess.shell("exec sleep 1000", heard)
    #expect(try heard.ended().cause == .signal(SIGKILL))
  }

  @Test("G8 what a worker has started itself goes with it")
  func offspring() throws {
    let scratch = try Scratch()
    #expect(mkfifo(scratch["alive"], 0o600) == 0)
    let heard = Heard()
    let worker = try HelperProcess.shell(
      "(exec 3>\(scratch["alive"]); echo >&3; exec sleep 1000) & read end; exit 0", heard)
    let alive = open(scratch["alive"], O_RDONLY | O_CLOEXEC)
    try worker.send("end\n")
    #expect(try heard.ended().cause == .exit(0))
    #expect(try hangsUp(alive))
    close(alive)
  }

  @Test(
    "G8 where a worker's number is nobody's any more, because SIGCHLD is ignored, nothing is killed by it")
  func ignored() throws {
    let scratch = try Scratch()
    #expect(mkfifo(scratch["to"], 0o600) == 0 && mkfifo(scratch["from"], 0o600) == 0)
    let parent = try Stranger(built("WorkerParent").path, ["ignores", scratch["to"], scratch["from"]])
    try #require(parent.ends && parent.process.terminationStatus == 0)
    let output = String(decoding: parent.output.fileHandleForReading.availableData, as: UTF8.self)
    #expect(output == "nobody knows how\nleft alone\n")
  }

  @Test("G8 nothing is left of 200 workers: no descriptor, no process, no thread")
  func nothingLeft() throws {
    let parent = try Stranger(built("WorkerParent").path, ["starts", "200"])
    #expect(try parent.ends && parent.process.terminationStatus == 0)
    let output = String(decoding: parent.output.fileHandleForReading.availableData, as: UTF8.self)
    #expect(output == "descriptors 0\nchildren 0\nthreads 0\n")
    print("G8 workers that leave nothing: 200 started")
  }
}
