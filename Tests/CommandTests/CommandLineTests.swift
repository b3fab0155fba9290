// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Commands, as users type them")
struct CommandLineTests {
  private static let gate = Gate(Gate.processes)

  @Test(
    "C1 every folder of Fixtures/cli has the output and status that it expects",
    arguments: try CommandCase.selected())
  func folder(_ test: CommandCase) async throws {
    #expect(!test.about.isEmpty, "\(test.name) has a sentence in about")
    try await Self.gate.pass {
      let run = try CommandRun()
      defer { #expect(throws: Never.self) { try run.remove() } }
      if let needs = test.needs, case let lack = try await run.lacks(needs), !lack.isEmpty {
        return Skip(lack)("cli/\(test.name)")
      }
      let outcome = try await run.run(test)
      try GoldenFiles.record(test.name, "missing") { try test.record(outcome) }
      #expect(outcome.stdout == test.expected.stdout)
      #expect(outcome.stderr == test.expected.stderr)
      #expect(outcome.status == test.expected.status)
    }
  }

  @Test("C1 a need that a machine lacks is named, each of several, and a word that is none is an error")
  func needs() async throws {
    let run = try CommandRun()
    defer { #expect(throws: Never.self) { try run.remove() } }
    #expect(try await run.lacks("sh cat\n") == "")
    #expect(try await run.lacks("sh no-such-program\n") == "no no-such-program")
    #expect(try await run.lacks("no-such-program sh") == "no no-such-program")
    await #expect(throws: Project.Missing.self) { try await run.lacks("&& sh") }
    #expect(try CommandCase.all().count { $0.needs != nil } >= 80, "the check finds the cases")
  }

  @Test("C1 a folder with another output fails")
  func negativeControl() async throws {
    var test = try #require(try CommandCase.all().first { $0.name == "add" })
    let run = try CommandRun()
    let outcome = try await run.run(test)
    try run.remove()
    #expect(outcome == test.expected)
    for (right, wrong) in [("<id1>", "<id2>"), ("<time>", "2001-02-03 04:05:06"), ("🐝", "🐛")] {
      #expect(test.expected.stdout.contains(right), "the case shows \(right)")
      test.expected.stdout = outcome.stdout.replacingOccurrences(of: right, with: wrong)
      #expect(outcome != test.expected, "\(wrong) for \(right) is a difference")
    }
  }

  @Test("C1 random parts of an output get names, and all else stays")
  func normalising() throws {
    let now = try #require(ISO8601DateFormatter().date(from: "2026-01-02T03:04:05Z"))
    var normaliser = Normaliser(here: "/x/here", place: "/x", now...now.addingTimeInterval(2))
    let output = """
      attached things
      0123abcd
      9999zzzz 1,2
      9-999zzzz  3,4
      move 0123abcd, not 77777777
      2026-01-02 03:04:06 and 2026-01-02 03:04:59 and 2026-01-02T03:04:06.500Z in /x/here/a
      """
    normaliser.learn(output)
    #expect(
      normaliser.plain(output) == """
        <id1> things
        <id2>
        <id3> 1,2
        <id3>  3,4
        move <id2>, not 77777777
        <time> and 2026-01-02 03:04:59 and <time> in <here>/a
        """)
  }

  @Test("C1 a case that hangs is killed with its children")
  func hanging() async throws {
    let run = try CommandRun(limit: 1)
    let (hang, wait) = (run.place.appending(path: "hang"), run.place.appending(path: "wait"))
    // The lock is held until the last child has ended.
    try Data("exec 9>../lock; flock 9; sleep 1000 & wait".utf8).write(to: hang)
    try Data("exec flock -w 200 ../lock true".utf8).write(to: wait)
    #expect(try await run.run(script: hang).status == 137)
    let waiter = try CommandRun()
    #expect(try await waiter.run(script: wait, in: run.place.appending(path: "work")).status == 0)
    try waiter.remove()
    try run.remove()
  }
}

extension CommandCase {
  func record(_ outcome: Outcome) throws {
    let files = [
      ("stdout", outcome.stdout), ("stderr", outcome.stderr),
      ("status", outcome.status == 0 ? "" : "\(outcome.status)\n"),
    ]
    for (name, text) in files {
      let file = folder.appending(path: name)
      if text.isEmpty {
        try? FileManager.default.removeItem(at: file)
      } else {
        try Data(text.utf8).write(to: file)
      }
    }
  }
}
