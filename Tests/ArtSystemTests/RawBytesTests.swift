// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Dispatch
import Synchronization
import Testing

@Suite("Announced bytes of a worker", .timeLimit(.minutes(10))) struct RawBytesTests {
  private let recorded = RecordedOutput()

  /// Starts a shell whose lines that are numbers announce that many bytes; lines are recorded as they are, bytes as their
  /// number and their sum.
  private func shell(_ script: String, bytes limit: Int) throws -> HelperProcess {
    let recorded = recorded
    return try HelperProcess(
      starting: HelperProgram(path: "/bin/sh"), arguments: ["-c", script],
      limits: HelperLimits(memory: 256 << 20, processorSeconds: nil, line: 1 << 10, bytes: limit),
      onLine: {
        recorded.line($0)
        return Int(String(decoding: $0, as: UTF8.self))
      },
      onBytes: { bytes in
        let sum = bytes.reduce(0) { $0 &+ Int($1) }
        recorded.line(Array("\(bytes.count) bytes, sum \(sum)".utf8))
      }, onEnd: { recorded.end($0) })
  }

  @Test("B13 bytes that a line announces arrive whole and in order, whatever they are")
  func whole() throws {
    let worker = try shell(
      "echo 3; printf abc; echo a; echo 0; echo 0; echo b; echo 4; printf '\\n\\0\\n\\n'; echo 5000000; "
        + "head -c 5000000 /dev/zero | tr '\\0' '\\1'; echo end", bytes: 5_000_000)
    #expect(try recorded.ended() == HelperEnd(.exit(0), errors: ""))
    #expect(
      recorded.lines == [
        "3", "3 bytes, sum 294", "a", "0", "0 bytes, sum 0", "0", "0 bytes, sum 0", "b", "4",
        "4 bytes, sum 30",
        "5000000", "5000000 bytes, sum 5000000", "end",
      ])
    withExtendedLifetime(worker) {}
  }

  @Test("B13 a worker that announces too many bytes is killed, and nothing more of it is reported")
  func tooMany() throws {
    let worker = try shell("echo 101; head -c 101 /dev/zero; echo a; sleep 1000", bytes: 100)
    #expect(try recorded.ended().cause == .excessOutput)
    #expect(recorded.lines == ["101"])
    withExtendedLifetime(worker) {}
  }

  @Test(
    "B13 announced bytes that a worker did not write completely are dropped, and its end is reported as cut off"
  )
  func brokenOff() throws {
    let worker = try shell("echo 100; head -c 99 /dev/zero", bytes: 100)
    #expect(try recorded.ended() == HelperEnd(.exit(0), errors: "", isCutOff: true))
    #expect(recorded.lines == ["100"])
    withExtendedLifetime(worker) {}
  }

  @Test("B13 a worker reads to the end of its input, and answers after it")
  func endOfInput() throws {
    let worker = try HelperProcess.shell("exec wc -c", recorded)
    try worker.send([UInt8](repeating: 0, count: 1_000_000))
    worker.endInput()
    #expect(try recorded.ended().cause == .exit(0))
    #expect(recorded.lines == ["1000000"])
    worker.endInput()
    #expect(throws: (any Error).self) { try worker.send("more") }
  }
}
