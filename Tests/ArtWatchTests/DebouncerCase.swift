// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Foundation
import Testing

@testable import ArtWatch

/// A file of `Fixtures/debouncer`: a story, then inputs with their times in milliseconds, and the expected output.
///
///     settings quiet 20 maxDelay 100 capacity 65536   the defaults where the line is missing
///     5 happened PATH          5 again PATH TIME
///     5 changed FOLDER [REASON]     5 rescan FOLDER [REASON]      the watched folder is `.`
///     20 take                  removes what is due, once; output follows after `>`: `> look PATH quiet`, `> nothing`
///     99 run                   removes what is due whenever something is, until then: `> 20 look PATH pending`, `> 30 scan FOLDER`
///     next 25 | next none      when the next thing is due
struct DebouncerCase {
  let name: String
  let lines: [String]

  static var folder: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/debouncer")
  }

  static func all() throws -> [DebouncerCase] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".txt") }.sorted()
      .map { name in
        let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        return DebouncerCase(name: name, text: text)
      }
  }

  init(name: String, text: String) {
    self.name = name
    lines = text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
  }

  struct Unreadable: Error { let line: String }

  /// Runs it. Returns the number of lines, and the differences from the expected output.
  func run() throws -> (steps: Int, differences: [String]) {
    var machine = Debouncer(quiet: .milliseconds(20), maxDelay: .milliseconds(100))
    var differences: [String] = []
    var given: (line: String, output: [String])?
    var expected: [String] = []
    func compare() {
      guard let given, given.output != expected else { return }
      differences.append("\(name), \(given.line): \(given.output) instead of \(expected)")
    }
    for line in lines {
      if line.hasPrefix("> ") {
        expected.append(String(line.dropFirst(2)))
        continue
      }
      compare()
      given = (line, try step(line, &machine))
      expected = []
      if line.hasPrefix("next") {
        expected = [line]
      }
    }
    compare()
    return (lines.count, differences)
  }

  private func step(_ line: String, _ machine: inout Debouncer) throws -> [String] {
    let words = line.split(separator: " ").map(String.init)
    func number(_ place: Int) throws -> Duration {
      guard words.indices.contains(place), let value = Int(words[place]) else { throw Unreadable(line: line) }
      return .milliseconds(value)
    }
    func path(_ place: Int) throws -> FilePath {
      guard words.indices.contains(place) else { throw Unreadable(line: line) }
      return FilePath(words[place] == "." ? "" : words[place])
    }
    let reason = words.count > 3 ? words.dropFirst(3).joined(separator: " ") : nil
    switch (words.first, words.dropFirst().first) {
    case ("settings", _):
      guard words.count == 7, let capacity = Int(words[6]) else { throw Unreadable(line: line) }
      machine = Debouncer(quiet: try number(2), maxDelay: try number(4), capacity: capacity)
    case ("next", _): return ["next \(machine.nextDue.map(Self.text) ?? "none")"]
    case (_, "happened"): machine.recordEvent(for: try path(2), at: try number(0))
    case (_, "again"): machine.schedule(try path(2), at: try number(3))
    case (_, "changed"): machine.folderChanged(try path(2), reason: reason, at: try number(0))
    case (_, "rescan"): machine.scheduleScan(try path(2), reason: reason, at: try number(0))
    case (_, "take"):
      let output = Self.texts(machine.removeDue(at: try number(0)))
      return output.isEmpty ? ["nothing"] : output
    case (_, "run"):
      var output: [String] = []
      while let due = machine.nextDue, due <= (try number(0)) {
        output += Self.texts(machine.removeDue(at: due)).map { "\(Self.text(due)) \($0)" }
      }
      return output
    default: throw Unreadable(line: line)
    }
    return []
  }

  private static func text(_ time: Duration) -> String { String(Int(time / .milliseconds(1))) }

  private static func texts(_ due: Debouncer.Due) -> [String] {
    due.refreshes.map { "look \($0.path.string) \($0.isQuiet ? "quiet" : "pending")" }
      + (due.scan.map { scan in
        ["scan \(scan.folder.isRoot ? "." : scan.folder.string)" + (scan.reason.map { " \($0)" } ?? "")]
      } ?? [])
  }
}
