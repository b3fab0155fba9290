// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import TestSupport
import Testing

@testable import ArtWatch

@Suite("Lines of the watching helper") struct HelperLineTests {
  private func read(_ line: String) throws -> HelperLine { try HelperLine(Array(line.utf8)) }

  @Test("W10 each kind of line is read as its value")
  func known() throws {
    #expect(try read("emojiart-inotify 1") == .ready(version: 1))
    #expect(try read("failed initialize 24") == .failed("initialize", error: 24))
    #expect(
      try read("watching 7 66306 18446744073709551615")
        == .watching(7, FileIdentity(device: 66306, inode: .max)))
    #expect(
      try read("event 3 40000100 0 a\\x20b\\x0a\\x5cc")
        == .event(HelperEvent(watch: 3, mask: EventMask(rawValue: 0x4000_0100), name: Array("a b\n\\c".utf8)))
    )
    #expect(try read("event -1 4000 0 ") == .event(HelperEvent(watch: -1, mask: .overflow, name: [])))
  }

  @Test(
    "W10 a line that the helper cannot have written is an error and no trap",
    arguments: [
      "", " ", "hello", "emojiart-inotify", "emojiart-inotify x", "emojiart-inotify 1 2", "failed watch",
      "failed watch x", "failed unwatch 3",
      "watching 1 2", "watching 1 2 -3", "watching 99999999999 1 1", "watching 1 1 18446744073709551616",
      "event 1 2 3",
      "event 1 xyz 0 a", "event 1 100000000 0 a", "event 1 2 0 a b", "event 1 2 0 a\\", "event 1 2 0 a\\x",
      "event 1 2 0 a\\x0",
      "event 1 2 0 a\\x0G", "event 1 2 0 a\\X0a", "event 1 2 0 a\\x00", "event 1 2 0 a\\x2fb",
      "event 1 2 0 a/b",
      "event 1 2 0 a\tb", "event 1 2 -1 a",
    ])
  func unknown(_ line: String) {
    let error = #expect(throws: ArtError.self) { try HelperLine(Array(line.utf8)) }
    #expect(error?.code == .unavailable)
  }

  @Test("W10 random bytes are read or refused, and escaped bytes are read back as they were")
  func anyBytes() throws {
    var random = SplitMix64(seed: 4)
    var refused = 0
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let written = EscapedBytes.write(bytes)
      #expect(EscapedBytes.read(written) == bytes)
      #expect(written.allSatisfy { $0 > 0x20 && $0 != 0x7F })
      do { _ = try HelperLine(Array("event 1 2 0 ".utf8) + bytes) } catch { refused += 1 }
    }
    print("W10 lines of the helper: 20000 random names, \(refused) refused as they stand")
    #expect(refused > 1_000)
  }
}
