// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal
import Foundation
import TestSupport
import Testing

@testable import emojiart

@Suite("The prompt's words") struct PromptWordsTests {
  @Test("a line is split into words as a POSIX shell does, without expansion")
  func table() throws {
    #expect(try ShellWords.split("add 🐝 --at 10,20") == ["add", "🐝", "--at", "10,20"])
    #expect(try ShellWords.split(" \t ") == [])
    #expect(try ShellWords.split("a '' \"\"") == ["a", "", ""])
    #expect(try ShellWords.split(#"a\ b 'c "d' "e 'f""#) == ["a b", "c \"d", "e 'f"])
    #expect(try ShellWords.split(#"a'b'"c"\d"#) == ["abcd"])
    #expect(try ShellWords.split(#""\"\\\$\`\n""#) == [#""\$`\n"#])
    #expect(try ShellWords.split(#"'\'"#) == ["\\"])
    #expect(try ShellWords.split("#️⃣ $HOME * ~ `x` a;b") == ["#️⃣", "$HOME", "*", "~", "`x`", "a;b"])
    #expect(
      try ShellWords.split("\"\u{301}\" x") == ["\u{301}", "x"], "a combining mark does not hide a quote")
  }

  @Test(
    "a line that ends within quotes or after a backslash is refused",
    arguments: ["'", "a \"b", "'a\"", "a\\", "\"\\"])
  func open(_ line: String) {
    let error = #expect(throws: ArtError.self) { try ShellWords.split(line) }
    #expect(error?.code == .usage)
  }

  @Test("random lines are split as sh splits them")
  func asTheShell() throws {
    var random = SplitMix64(seed: 13)
    let alphabet = ["a", "🐝", "1️⃣", " ", " ", "\t", "'", "\"", "\\"]
    var lines: [String] = []
    while lines.count < 1_500 {
      let line = (0..<Int.random(in: 1...12, using: &random)).map { _ in
        alphabet.randomElement(using: &random) ?? ""
      }
      // Shells differ in what they make of a backslash at the end.
      if line.last != "\\" { lines.append(line.joined()) }
    }
    let script = """
      while IFS= read -r line; do
        ( eval "set -- $line" && printf '%s|' $# "$@" ) 2>/dev/null || printf 'open'
        echo
      done
      """
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", script]
    let (input, output) = (
      FileManager.default.temporaryDirectory.appending(path: UUID().uuidString), Pipe.unshared()
    )
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: input)
    defer { try? FileManager.default.removeItem(at: input) }
    process.standardInput = try FileHandle(forReadingFrom: input)
    process.standardOutput = output
    try process.start()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let answers = String(decoding: data, as: UTF8.self).split(separator: "\n")
    try #require(answers.count == lines.count)
    var openLines = 0
    for (line, answer) in zip(lines, answers) {
      let words = try? ShellWords.split(line)
      if words == nil { openLines += 1 }
      #expect((words.map { "\($0.count)|" + $0.map { $0 + "|" }.joined() } ?? "open") == answer, "\(line)")
    }
    print("prompt: \(lines.count) lines split as sh does, \(openLines) of them open")
    #expect((100...1_400).contains(openLines), "open and closed lines occur")
  }

  @Test("a completed word is read back as the same word")
  func quoting() throws {
    for word in ["bees", "my bees", "a'b", "a\"b", "a\\", "👩‍🚀 x", "\t"] {
      #expect(try ShellWords.split("x " + ShellWords.quoted(word)) == ["x", word])
      let typed = ShellWords.typed("x " + ShellWords.quoted(word))
      #expect(typed == (["x"], word, 2))
    }
    #expect(ShellWords.typed("add ") == (["add"], "", 4))
    #expect(ShellWords.typed("add 'be e") == (["add"], "be e", 4))
    #expect(ShellWords.typed("") == ([], "", 0))
  }
}
