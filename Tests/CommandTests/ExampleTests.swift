// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("The examples of the documentation")
struct ExampleTests {
  private struct Example {
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
      try Data(example.command.utf8).write(to: script)
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
}
