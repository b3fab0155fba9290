// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Foundation
import TestSupport
import Testing

@Suite("The end of a worker", .timeLimit(.minutes(10))) struct LifetimeTests {
  /// A FIFO's end to read from. Waits until a process has written to the FIFO: before the first writer, no byte and no end comes.
  private func opened(_ path: String) throws -> Int32 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    try #require(descriptor >= 0)
    try waitUntilReadable(descriptor, for: "a process that writes to a FIFO")
    // From here on reads block.
    try #require(fcntl(descriptor, F_SETFL, 0) == 0)
    return descriptor
  }

  /// Waits until no process holds the other end of a FIFO.
  private func hangsUp(_ descriptor: Int32) throws -> Bool {
    var byte: UInt8 = 0
    repeat {
      try waitUntilReadable(descriptor, for: "the end of all processes that hold a FIFO")
    } while read(descriptor, &byte, 1) != 0
    return true
  }

  @Test(
    "G8 a worker does not outlive this process, even if this process is killed with SIGKILL and the worker is stopped",
    arguments: [false, true])
  func parentKilled(isStopped: Bool) throws {
    let scratch = try Scratch()
    #expect(mkfifo(scratch["alive"], 0o600) == 0)
    // The worker reads no input: only the kernel can end it.
    let parent = try OtherProcess(
      built("WorkerParent").path, ["keep", "exec 3>\(scratch["alive"]); echo $$ >&3; exec sleep 1000"])
    let alive = try opened(scratch["alive"])
    var text = [UInt8](repeating: 0, count: 32)
    let count = read(alive, &text, text.count)
    let worker = try #require(Int32(String(decoding: text[..<max(count - 1, 0)], as: UTF8.self)))
    #expect(getpgid(worker) == worker)
    if isStopped {
      // The parent is stopped first: otherwise it would react to the worker's stop.
      #expect(kill(parent.process.processIdentifier, SIGSTOP) == 0)
      var info = siginfo_t()
      let id = id_t(parent.process.processIdentifier)
      #expect(waitid(P_PID, id, &info, WSTOPPED | WNOWAIT) == 0)
      #expect(kill(worker, SIGSTOP) == 0)
    }
    #expect(kill(parent.process.processIdentifier, SIGKILL) == 0)
    #expect(try hangsUp(alive))
    close(alive)
    #expect(try parent.hasEnded)
  }

  @Test("G8 a worker ends with its object")
  func dropped() throws {
    let recorded = RecordedOutput()
    _ = try HelperProcess.shell("exec sleep 1000", recorded)
    #expect(try recorded.ended().cause == .signal(SIGKILL))
  }

  @Test("G8 a process that a worker has started ends with the worker")
  func offspring() throws {
    let scratch = try Scratch()
    #expect(mkfifo(scratch["alive"], 0o600) == 0)
    let recorded = RecordedOutput()
    let worker = try HelperProcess.shell(
      "(exec 3>\(scratch["alive"]); echo >&3; exec sleep 1000) & read end; exit 0", recorded)
    let alive = try opened(scratch["alive"])
    try worker.send("end\n")
    #expect(try recorded.ended().cause == .exit(0))
    #expect(try hangsUp(alive))
    close(alive)
  }

  @Test(
    "G8 if SIGCHLD is ignored, and so the worker's number may be another process's, nothing is killed by that number"
  )
  func ignored() throws {
    let scratch = try Scratch()
    #expect(mkfifo(scratch["to"], 0o600) == 0 && mkfifo(scratch["from"], 0o600) == 0)
    let parent = try OtherProcess(built("WorkerParent").path, ["ignores", scratch["to"], scratch["from"]])
    try #require(parent.hasEnded && parent.process.terminationStatus == 0)
    let output = String(decoding: parent.output.fileHandleForReading.availableData, as: UTF8.self)
    #expect(output == "nobody knows how\nleft alone\n")
  }

  @Test("G8 200 workers leave no descriptor, no process and no thread")
  func nothingLeft() throws {
    let parent = try OtherProcess(built("WorkerParent").path, ["starts", "200"])
    #expect(try parent.hasEnded && parent.process.terminationStatus == 0)
    let output = String(decoding: parent.output.fileHandleForReading.availableData, as: UTF8.self)
    #expect(output == "descriptors 0\nchildren 0\nthreads 0\n")
    print("G8 workers that leave nothing: 200 started")
  }
}
