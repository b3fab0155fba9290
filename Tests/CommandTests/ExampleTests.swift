// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("The examples of the documentation")
struct ExampleTests {
  private struct Example: Equatable {
    var command: String
    var output: String
  }

  /// The lines of CLI.md that begin with a dollar, and the output below each.
  private func examples() throws -> [Example] {
    let file = Project.root.appending(path: "docs/CLI.md")
    var examples: [Example] = []
    var isBelow = false
    for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n") {
      if line.hasPrefix("    $ ") {
        examples.append(Example(command: String(line.dropFirst(6)), output: ""))
        isBelow = true
      } else if isBelow, line.hasPrefix("    ") {
        examples[examples.count - 1].output += line.dropFirst(4) + "\n"
      } else {
        isBelow = false
      }
    }
    return examples
  }

  /// Without random parts and without times, which are those of another day.
  private func plain(_ outputs: [String]) -> [String] {
    var normaliser = Normaliser(here: "/nowhere/here", place: "/nowhere", Date()...Date())
    for output in outputs { normaliser.learn(output) }
    return outputs.map {
      normaliser.plain($0).replacing(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{3}Z)?)?/, with: "<time>")
        .replacing(/(?m)^\d\d:\d\d:\d\d(?=  )/, with: "<time>").replacing(
          /127\.0\.0\.1:\d+/, with: "<address>")
    }
  }

  @Test("C3 the examples in CLI.md are one session with the same output when it is typed again")
  func session() async throws {
    let examples = try examples()
    #expect(examples.count >= 20)
    let run = try CommandRun()
    var outputs: [String] = []
    for example in examples {
      let script = run.place.appending(path: "example")
      try Data("export USER=cleo\n\(example.command)".utf8).write(to: script)
      let outcome = try await run.run(script: script)
      #expect(outcome.status == 0 && outcome.stderr == "", "\(example.command)")
      outputs.append(outcome.stdout)
    }
    try run.remove()
    let (written, real) = (plain(examples.map(\.output)), plain(outputs))
    for (index, example) in examples.enumerated() {
      #expect(written[index] == real[index], "\(example.command)")
    }
    print("examples: \(examples.count) were typed again")
  }

  // MARK: - README.md and docs/GUIDE.md

  /// The sections of a page, each with its heading; together they are the page.
  private func sections(_ page: String) -> [String] {
    page.components(separatedBy: "\n## ").enumerated().map { ($0 == 0 ? "" : "\n## ") + $1 }
  }

  /// The examples of a section's blocks of `console`. A command may have several lines.
  private func shown(_ section: String) -> [Example] {
    section.components(separatedBy: "\n```console\n").dropFirst().flatMap { rest in
      (rest.components(separatedBy: "\n```").first ?? "").components(separatedBy: "\n").reduce(into: []) {
        (examples: inout [Example], line) in
        if line.hasPrefix("$ ") {
          examples.append(Example(command: line, output: ""))
        } else if let last = examples.indices.last {
          if examples[last].output.isEmpty, line.hasPrefix("> ") {
            examples[last].command += "\n" + line
          } else {
            examples[last].output += line + "\n"
          }
        }
      }
    }
  }

  /// The commands of a section whose output is another one, or which only one of both has.
  private func differences(_ section: String, _ other: String) -> [String] {
    let (first, second) = (shown(section), shown(other))
    guard first.map(\.command) == second.map(\.command) else { return ["other commands"] }
    let (written, real) = (plain(first.map(\.output)), plain(second.map(\.output)))
    return zip(first, zip(written, real)).filter { $1.0 != $1.1 }.map { "\($0.command): \($1.0)is \($1.1)" }
  }

  /// The width and height of a PNG file, as its header has them.
  private func size(of png: URL) throws -> [UInt8] {
    Array(try Data(contentsOf: png).dropFirst(16).prefix(8))
  }

  @Test(
    "C3 the examples in README.md and GUIDE.md have the same output when they are typed again",
    arguments: [("README.md", 5), ("docs/GUIDE.md", 80)])
  func page(_ name: String, least: Int) async throws {
    let file = Project.root.appending(path: name)
    let written = sections(try String(contentsOf: file, encoding: .utf8))
    #expect(written.flatMap(shown).count >= least)
    let run = try CommandRun()
    defer { #expect(throws: Never.self) { try run.remove() } }
    let (script, kept) = (run.place.appending(path: "page"), run.place.appending(path: "kept"))
    let transcript = Project.fixtures.appending(path: "bin/transcript").path
    try Data("exec '\(transcript)' --page --keep '\(kept.path)' '\(file.path)'".utf8).write(to: script)
    let outcome = try await run.run(script: script)
    #expect(outcome.status == 0, "\(outcome.stderr)")
    print(outcome.stderr, terminator: "")
    let real = sections(outcome.stdout)
    try #require(real.count == written.count)
    let pictures = Project.root.appending(path: "docs/pictures")
    let made = try FileManager.default.contentsOfDirectory(atPath: kept.path).filter {
      outcome.stdout.contains("](pictures/\($0))")
    }
    try GoldenFiles.record(file.lastPathComponent) {
      let page = zip(written, real).map { differences($0, $1).isEmpty ? $0 : $1 }.joined()
      try Data(page.utf8).write(to: file)
      for picture in made {
        try Data(contentsOf: kept.appending(path: picture)).write(to: pictures.appending(path: picture))
      }
    }
    for (section, again) in zip(written, real) { #expect(differences(section, again) == []) }
    for picture in made {
      #expect(
        try size(of: kept.appending(path: picture)) == size(of: pictures.appending(path: picture)),
        "\(picture)")
    }
    print(
      "examples: \(real.flatMap(shown).count) of \(name) were typed again, with \(made.count) of its pictures"
    )
  }

  @Test("C3 an example with another output is found, and another id at all its places is none")
  func pageControl() throws {
    let page = try String(contentsOf: Project.root.appending(path: "README.md"), encoding: .utf8)
    let section = try #require(sections(page).first { shown($0).count >= 5 })
    let id = try #require(shown(section)[1].output.split(separator: "\n").first)
    let other = id.replacing("0", with: "1").dropFirst() + "z"
    #expect(differences(section, section) == [])
    let marked = id.prefix(1) + "-" + id.dropFirst(), otherMarked = other.prefix(1) + "-" + other.dropFirst()
    #expect(section.contains(marked))
    let renamed = section.replacing(id, with: other).replacing(marked, with: otherMarked)
    #expect(renamed != section && differences(section, renamed) == [])
    for (right, wrong) in [("revision 2", "revision 3"), ("\(id) ", "\(other) "), ("bees.png\n", "")] {
      #expect(section.contains(right), "README has \(right)")
      #expect(differences(section, section.replacing(right, with: wrong)).count == 1, "\(wrong) for \(right)")
    }
    #expect(
      differences(section, section.replacing("$ emojiart new", with: "$ emojiart make")) == ["other commands"]
    )
  }

  @Test("a transcript fails with its command, and leaves out what a machine lacks")
  func transcript() async throws {
    let page = """
      # One
      <!-- $ there=here -->
      ```console
      $ echo $there
      here

      $ for n in 1 2; do
      >   echo $n
      > done
      1
      ```

      ## Two
      <!-- needs: no-such-program -->
      ```console
      $ no-such-program
      as it was
      ```

      ## Three
      ```console
      $ (exit 3)
      ```
      """
    let run = try CommandRun()
    defer { #expect(throws: Never.self) { try run.remove() } }
    let (script, file) = (run.place.appending(path: "script"), run.place.appending(path: "page.md"))
    try Data(page.utf8).write(to: file)
    let transcript = Project.fixtures.appending(path: "bin/transcript").path
    try Data("exec '\(transcript)' --page '\(file.path)'".utf8).write(to: script)
    let outcome = try await run.run(script: script)
    #expect(outcome.status == 1)
    #expect(outcome.stdout == page.replacing("> done\n1\n", with: "> done\n1\n2\n"))
    #expect(
      outcome.stderr
        == "not tried: no no-such-program: Two\ntranscript: exit status 3: (exit 3)\n\n")
    let differences = zip(sections(page), sections(outcome.stdout)).map { self.differences($0, $1).count }
    #expect(differences == [1, 0, 0])
  }
}
