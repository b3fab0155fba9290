// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A folder of `Fixtures/cli`: a script with its expected output and exit status.
///
/// `cmd` is run with `sh -eu` in an empty folder; `stdin`, if it exists, is its input. `stdout` and `stderr` are its expected
/// output, empty if they do not exist, and `status` is its expected exit status, by default 0.
/// `about` says in one sentence what the folder specifies, after the numbers of the rules of `docs/SPEC.md` that it proves.
/// `needs`, if it exists, has words of `Fixtures/bin/lacks`: what this machine must have.
struct CommandCase: Sendable, CustomStringConvertible {
  let name: String
  let folder: URL
  let about: String
  var expected: Outcome
  let needs: String?

  var description: String { "\(name): \(about)" }

  struct Outcome: Equatable, Sendable {
    var stdout = ""
    var stderr = ""
    var status: Int32 = 0
  }

  init(_ folder: URL) throws {
    name = folder.lastPathComponent
    self.folder = folder
    guard try Self.text("cmd", in: folder)?.isEmpty == false else {
      throw Project.Missing(what: "\(folder.path)/cmd")
    }
    about = try Self.text("about", in: folder)?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    expected = Outcome(
      stdout: try Self.text("stdout", in: folder) ?? "", stderr: try Self.text("stderr", in: folder) ?? "",
      status: try Self.text("status", in: folder).flatMap {
        Int32($0.trimmingCharacters(in: .whitespaces.union(.newlines)))
      } ?? 0)
    needs = try Self.text("needs", in: folder)
  }

  /// All cases, sorted by name.
  static func all() throws -> [CommandCase] {
    try FileManager.default.contentsOfDirectory(
      at: Project.fixtures.appending(path: "cli"), includingPropertiesForKeys: nil
    )
    .sorted { $0.lastPathComponent < $1.lastPathComponent }.map(CommandCase.init)
  }

  /// The cases that are run: the names in `EMOJIART_CASES`, separated by commas; nil without it.
  private static let named = ProcessInfo.processInfo.environment["EMOJIART_CASES"]?.split(separator: ",")
    .map(String.init)

  /// The longest cases. Begun late, one of them would run alone at the end.
  private static let longest = [
    "import-signals", "background-refused", "gallery-widths", "show-fits", "show-terminal", "watch-slow",
    "graphics-environment", "pager",
  ]

  /// All cases, the longest first, or those that are named; while some are recorded, only those.
  static func selected() throws -> [CommandCase] {
    if let named {
      let found = try all().filter { named.contains($0.name) }
      guard found.count == named.count else {
        throw Project.Missing(what: "a case of \(named.joined(separator: ", "))")
      }
      return found
    }
    guard let recorded = GoldenFiles.recorded else {
      let cases = try all()
      guard longest.allSatisfy({ name in cases.contains { $0.name == name } }) else {
        throw Project.Missing(what: "a case of \(longest.joined(separator: ", "))")
      }
      return cases.filter { longest.contains($0.name) } + cases.filter { !longest.contains($0.name) }
    }
    let cases = try all()
    let unknown = recorded.subtracting(cases.map(\.name)).subtracting(GoldenFiles.others).subtracting([
      "missing"
    ])
    guard unknown.isEmpty else {
      throw Project.Missing(what: "a golden file called \(unknown.sorted().joined(separator: ", "))")
    }
    return cases.filter {
      recorded.contains($0.name) || recorded.contains("missing") && $0.expected == Outcome()
    }
  }

  private static func text(_ name: String, in folder: URL) throws -> String? {
    let file = folder.appending(path: name)
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    return String(decoding: try Data(contentsOf: file), as: UTF8.self)
  }
}

/// The places of the project's files.
enum Project {
  /// The package's folder.
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let fixtures = root.appending(path: "Fixtures")

  /// The program that the cases run: the one that `EMOJIART_PROGRAM` names, such as an installed one, or else `built`.
  static var program: URL {
    get throws {
      guard let named = ProcessInfo.processInfo.environment["EMOJIART_PROGRAM"] else { return try built }
      guard FileManager.default.isExecutableFile(atPath: named) else {
        throw Missing(what: "the program \(named) of EMOJIART_PROGRAM")
      }
      return URL(filePath: named)
    }
  }

  /// The program, built beside the tests.
  static var built: URL {
    get throws {
      // The tests run from PACKAGE.xctest, or from within the toolchain with the bundle as an argument.
      let bundles = [Bundle.main.executableURL] + CommandLine.arguments.map { Optional(URL(filePath: $0)) }
      let near = bundles.compactMap { $0?.deletingLastPathComponent().appending(path: "emojiart") }
      let found = near.first { FileManager.default.isExecutableFile(atPath: $0.path) }
      guard let found else { throw Missing(what: "the program emojiart beside the tests") }
      return found
    }
  }

  struct Missing: Error { let what: String }
}
