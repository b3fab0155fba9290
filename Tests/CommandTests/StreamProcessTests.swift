// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Editing streams and their clients", .serialized)
struct StreamProcessTests {
  private let bee = #"{"add":{"text":"🐝","x":1,"y":2}}"#

  private func withRun(_ body: (CommandRun) async throws -> Void) async throws {
    let run = try CommandRun()
    _ = try await run.output(of: "emojiart new bees")
    try await body(run)
    try run.remove()
  }

  private func count(_ run: CommandRun, _ what: String = ".emojis | length") async throws -> Int {
    let text = try await run.output(of: "emojiart show bees --json | jq '\(what)'")
    return try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  @Test(
    "S5 a signal that ends programs makes a stream save, and then ends it by that signal",
    arguments: [SIGTERM, SIGINT, SIGHUP])
  func signals(number: Int32) async throws {
    try await withRun { run in
      let bee = bee
      let (lines, status) = try await onThread {
        let stream = try StreamProcess(in: run, ["--autosave-delay", "3600"])
        try stream.send(bee, bee, bee)
        _ = try stream.lines(until: #""unsaved":3"#)
        stream.signal(number)
        return (try stream.rest(), stream.end())
      }
      #expect(
        lines == [
          #"{"lifecycle":"terminate"}"#, #"{"state":"saving"}"#, #"{"saved":{"revision":3}}"#,
          #"{"state":"open"}"#, #"{"state":"closed"}"#,
        ])
      #expect(status == -number)
      #expect(try await count(run) == 3)
    }
  }

  @Test("S5 a client that reads nothing does not keep a stream from saving and ending at a signal")
  func blockedSignal() async throws {
    try await withRun { run in
      let bee = bee
      let (answered, status) = try await onThread {
        let stream = try StreamProcess(in: run, ["--autosave-delay", "3600"])
        // On a busy machine the signal may come before the stream has begun, and ends it before it has read a line.
        try stream.send(bee)
        _ = try stream.lines(until: #""ok""#)
        let lines = String(repeating: bee + "\n", count: 100_000)
        let taken = stream.offer(lines)
        #expect(taken < lines.utf8.count, "the stream is blocked by its output")
        stream.signal(SIGTERM)
        let status = stream.end()
        return (try stream.rest().count { $0.contains(#""ok""#) }, status)
      }
      #expect(status == -SIGTERM)
      let kept = try await count(run)
      print("stream: ended while it was held up, \(answered) answers read afterwards, \(kept) emoji saved")
      #expect(answered > 100 && kept >= answered)
    }
  }

  @Test(
    "S7 D18 a stream whose answers are not read reads little, and answers all that it read when they are read again"
  )
  func slowReader() async throws {
    try await withRun { run in
      let bee = bee
      let (taken, lines, status) = try await onThread {
        let stream = try StreamProcess(in: run)
        let lines = String(repeating: bee + "\n", count: 50_000)
        let taken = stream.offer(lines)
        // Half a line may have been read.
        let count = (taken + bee.utf8.count) / (bee.utf8.count + 1)
        stream.endInput()
        let rest = try stream.rest()
        #expect(rest.count { $0.contains(#""ok""#) || $0.contains(#""error""#) } >= count - 1)
        return (taken, rest, stream.end())
      }
      print("stream: \(taken) bytes were taken from one whose answers nobody read")
      #expect(taken < 1 << 20)
      #expect(status == 0)
      #expect(lines.last == #"{"state":"closed"}"#)
      #expect(try await count(run) == lines.count { $0.contains(#""ok""#) })
    }
  }

  @Test("S4 no edit is reported as saved before it is answered")
  func order() async throws {
    try await withRun { run in
      let bee = bee
      let lines = try await onThread {
        let stream = try StreamProcess(in: run, ["--autosave-changes", "1"])
        var lines: [String] = []
        for round in 1...200 {
          _ = stream.offer(String(repeating: bee + "\n", count: 7))
          while lines.count(where: { $0.contains(#""ok""#) }) < 7 * round - 5, let line = try stream.line() {
            lines.append(line)
          }
        }
        stream.endInput()
        return lines + (try stream.rest())
      }
      var (answered, saves) = (0, 0)
      for line in lines {
        if line.contains(#""ok""#) { answered += 1 }
        guard let saved = line.firstMatch(of: /"saved":\{"revision":(\d+)/), let revision = Int(saved.1)
        else {
          continue
        }
        saves += 1
        #expect(revision <= answered)
      }
      print("stream: \(answered) edits in \(saves) saves, none of them told too early")
      #expect(answered == 1_400 && saves > 1)
    }
  }

  @Test("D12 with two streams and commands on one document every field keeps its last value")
  func twoStreams() async throws {
    try await withRun { run in
      _ = try await run.output(of: "emojiart add bees 🐝 🐛 🐜 --at 1,2; emojiart add bees 🌸")
      let rounds = 500
      let emojis = ["🐝", "🐛", "🐜"]
      async let moves = onThread {
        let stream = try StreamProcess(in: run, ["--autosave-changes", "10"])
        for round in 1...rounds {
          for emoji in emojis { try stream.send(#"{"move":{"ref":"\#(emoji)","to":[\#(round),7]}}"#) }
          _ = try stream.lines(until: #""ok""#)
        }
        stream.endInput()
        return (try stream.rest(), stream.end())
      }
      async let sizes = onThread {
        let stream = try StreamProcess(in: run, ["--autosave-changes", "7"])
        for round in 1...rounds {
          for emoji in emojis { try stream.send(#"{"resize":{"ref":"\#(emoji)","to":\#(round)}}"#) }
          _ = try stream.lines(until: #""ok""#)
        }
        stream.endInput()
        return (try stream.rest(), stream.end())
      }
      let commands = 20
      for size in 1...commands {
        _ = try await run.output(
          of: "emojiart resize bees 🌸 --to \(size); emojiart add bees 🌼 --at 5,\(size)")
      }
      let ends = try await [moves, sizes]
      for (lines, status) in ends {
        #expect(status == 0)
        // On a busy machine a save may wait in vain for the other stream's. It is repeated, and no edit is refused.
        let isBusy = { (line: String) in
          line.contains(#""code":"busy""#) && line.contains(#""state":"error""#)
        }
        #expect(lines.filter { ($0.contains(#""error""#) || $0.contains("dropped")) && !isBusy($0) } == [])
        if let last = lines.lastIndex(where: isBusy) {
          #expect(lines[last...].contains { $0.contains(#""saved""#) }, "\(lines[last])")
        }
      }
      #expect(try await count(run, ".revision") == 2 + emojis.count * rounds * 2 + commands * 2)
      #expect(
        try await count(run, #"[.emojis[] | select(.y == 7 and .x == 500 and .size == 500)] | length"#) == 3)
      #expect(try await count(run, #"[.emojis[] | select(.text == "🌸" and .size == 20)] | length"#) == 1)
      #expect(try await count(run, #"[.emojis[] | select(.text == "🌼")] | length"#) == commands)
      #expect(
        try await count(run, #"[.emojis[] | select(.size == 499)] | length"#) == 0,
        "the control: no old value is left")
      print("stream: two streams with \(rounds * emojis.count) edits each, and \(commands * 2) commands")
    }
  }
}
