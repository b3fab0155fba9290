// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Dispatch
import Synchronization
import Testing

@Suite("Raw bytes of a worker") struct RawBytesTests {
  private let heard = Heard()

  /// Starts a shell whose lines that are numbers announce that many bytes; what it says is told as lines, bytes by their
  /// number and their sum.
  private func shell(_ script: String, bytes limit: Int) throws -> HelperProcess {
    let heard = heard
    return try HelperProcess(
      starting: HelperProgram(path: "/bin/sh"), arguments: ["-c", script],
      limits: HelperLimits(memory: 256 << 20, processorSeconds: nil, line: 1 << 10, bytes: limit),
      onLine: {
        heard.line($0)
        return Int(String(decoding: $0, as: UTF8.self))
      },
      onBytes: { bytes in
        let sum = bytes.reduce(0) { $0 &+ Int($1) }
        heard.line(Array("\(bytes.count) bytes, sum \(sum)".utf8))
      }, onEnd: { heard.end($0) })
  }

  @Test("B13 bytes that a line announces arrive as a whole, in their turn, whatever is in them")
  func whole() throws {
    let worker = try shell(
      "echo 3; printf abc; echo a; echo 0; echo 0; echo b; echo 4; printf '\\n\\0\\n\\n'; echo 5000000; "
        + "head -c 5000000 /dev/zero | tr '\\0' '\\1'; echo end", bytes: 5_000_000)
    #expect(try heard.ended() == HelperEnd(.exit(0), errors: ""))
    #expect(
      heard.lines == [
        "3", "3 bytes, sum 294", "a", "0", "0 bytes, sum 0", "0", "0 bytes, sum 0", "b", "4",
        "4 bytes, sum 30",
        "5000000", "5000000 bytes, sum 5000000", "end",
      ])
    withExtendedLifetime(worker) {}
  }

  @Test("B13 a worker that announces more than it may is killed, and nothing more is heard of it")
  func tooMany() throws {
    let worker = try shell("echo 101; head -c 101 /dev/zero; echo a; sleep 1000", bytes: 100)
    #expect(try heard.ended().cause == .excessOutput)
    #expect(heard.lines == ["101"])
    withExtendedLifetime(worker) {}
  }

  @Test("B13 bytes that a worker did not live to write are dropped, and its end says that it broke off")
  func brokenOff() throws {
    let worker = try shell("echo 100; head -c 99 /dev/zero", bytes: 100)
    #expect(try heard.ended() == HelperEnd(.exit(0), errors: "", isCutOff: true))
    #expect(heard.lines == ["100"])
    withExtendedLifetime(worker) {}
  }

  @Test("B13 a worker whose input is ended reads to its end, and answers after it")
  func endOfInput() throws {
    let worker = try HelperProcess.shell("exec wc -c", heard)
    try worker.send([UInt8](repeating: 0, count: 1_000_000))
    worker.endInput()
    #expect(try heard.ended().cause == .exit(0))
    #expect(heard.lines == ["1000000"])
    worker.endInput()
    #expect(throws: (any Error).self) { try worker.send("more") }
  }
}
