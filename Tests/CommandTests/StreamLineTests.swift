// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import Glibc
import TestSupport
import Testing

@testable import emojiart

@Suite("Lines of an editing stream") struct StreamLineTests {
  /// The lines of bytes that arrive through a pipe in pieces, with nil for each line that was too long.
  private func lines(_ bytes: [UInt8], in pieces: [Int]) throws -> [[UInt8]?] {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    var splitter = StreamLineReader()
    var lines: [[UInt8]?] = []
    func read() -> Int {
      splitter.read(from: ends[0]) { line in
        switch line {
        case .line(let bytes): lines.append(Array(bytes))
        case .tooLong: lines.append(nil)
        }
      }
    }
    var rest = bytes[...]
    var next = 0
    while !rest.isEmpty {
      let piece = rest.prefix(pieces[next % pieces.count])
      next += 1
      let count = piece.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
      try #require(count == piece.count)
      rest = rest.dropFirst(piece.count)
      while true {
        var ready = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 0) == 1 else { break }
        try #require(read() > 0)
      }
    }
    close(ends[1])
    #expect(read() == 0)
    return lines
  }

  @Test(
    "S2 the lines of an input are the same however it is cut, and each line that is too long is reported once"
  )
  func splitting() throws {
    var random = SplitMix64(seed: 3)
    var (count, tooLong) = (0, 0)
    for _ in 0..<12 {
      var bytes: [UInt8] = []
      var expected: [[UInt8]?] = []
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        let lengths = [
          0, 1, 30, 5_000, 70_000, StreamLineReader.limit - 1, StreamLineReader.limit,
          StreamLineReader.limit + 1,
        ]
        // The longest lines are rare.
        let most = Int.random(in: 0...4, using: &random) == 0 ? lengths.count : 5
        let line = [UInt8](
          repeating: .random(in: 32...126, using: &random),
          count: lengths[Int.random(in: 0..<most, using: &random)])
        bytes += line + [0x0A]
        expected.append(line.count > StreamLineReader.limit ? nil : line)
        tooLong += line.count > StreamLineReader.limit ? 1 : 0
      }
      if Bool.random(using: &random) {
        bytes += Array("the last one".utf8)
        expected.append(Array("the last one".utf8))
      }
      let pieces = (0..<7).map { _ in Int.random(in: 1...65_536, using: &random) }
      let found = try lines(bytes, in: pieces)
      #expect(found == expected)
      expected[0] = Array("something else".utf8)
      #expect(found != expected, "the control: another line is a difference")
      count += found.count
    }
    print("stream: \(count) lines split, \(tooLong) of them too long")
    #expect(count > 150 && tooLong > 0)
  }

  @Test(
    "D18 output that is not read is kept up to a limit, and is then replaced by a notice that it is missing")
  func outbox() throws {
    let outbox = try Outbox { _ in Array("missing\n".utf8) }
    let event = [UInt8](repeating: 0x78, count: 999) + [0x0A]
    for _ in 0..<4_000 { outbox.put(event) }
    #expect(outbox.drain().lines.count == 4_000_000)
    for _ in 0..<9_000 { outbox.put(event) }
    let kept = outbox.drain().lines
    #expect(kept.count < 4_200_000)
    #expect(kept.starts(with: Array("missing\n".utf8)))
    #expect(outbox.drain().lines.isEmpty)
    print("stream: of \(9_000 * event.count) bytes that nobody read, \(kept.count) were kept")
  }
}
