// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Whether everything that proves something is run by a command, and whether nothing passes that has not been tried.
@Suite("Proofs of the project") struct ProofTests {
  private let project = Project()

  /// What a program prints, and its exit status.
  private func run(_ words: [String], input: String = "", _ variables: [String: String] = [:]) throws
    -> (output: String, status: Int32)
  {
    let (process, output, text) = (Process(), Pipe.unshared(), Pipe.unshared())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = project.root
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    (process.standardInput, process.standardOutput, process.standardError) = (text, output, output)
    try process.start()
    try text.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try text.fileHandleForWriting.close()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (String(decoding: said, as: UTF8.self), process.terminationStatus)
  }

  // MARK: Campaigns

  /// What `inventory.py` prints.
  private struct Inventory: Decodable {
    var can: Set<String>
    var called: Set<String>
    var leftOut: [String: String]
    var filters: [String: String]
    var numbered: Set<String>

    /// What differs between what the harnesses can do, what the tests name, and what the list of campaigns has.
    func gaps(campaigns: Set<String>, tests: [String]) throws -> [String] {
      let known = called.union(leftOut.keys)
      let blind = try filters.sorted { $0.key < $1.key }.flatMap { name, filter in
        try filter.split(separator: "|").filter { part in
          // As `scripts/dev torture` completes a filter.
          let pattern = try Regex(part.contains(".") ? String(part) : "[.](\(part))")
          return !tests.contains { $0.contains(pattern) }
        }.map { "\(name): no test is \($0)" }
      }
      return can.subtracting(known).sorted().map { "no campaign runs \($0)" }
        + known.subtracting(can).sorted().map { "no harness has \($0)" }
        + called.intersection(leftOut.keys).sorted().map { "\($0) is run, and left out" }
        + campaigns.subtracting(numbered).sorted().map { "the list has no campaign \($0)" }
        + numbered.subtracting(campaigns).sorted().map { "no test has the campaign \($0)" } + blind
    }
  }

  /// The tests, as `swift test` names them, and the names of their campaigns.
  private func tests() throws -> (tests: [String], campaigns: Set<String>) {
    let named = try Regex(#"\bCampaign\(\s*(?:\w+ \? )?"([^"]+)"(?: : "([^"]+)")?"#)
    var (tests, campaigns): ([String], Set<String>) = ([], [])
    for file in try project.files(under: "Tests", ending: ".swift")
    where !file.hasPrefix("Tests/ArchitectureTests") {
      let text = try project.text(file)
      var (suite, isTest) = ("", false)
      for line in text.split(separator: "\n") {
        if let type = line.firstMatch(of: /^(?:@Suite.*? )?(?:extension|struct|final class|actor) (\w+)/) {
          suite = String(type.1)
        }
        isTest = isTest || line.contains("@Test")
        if isTest, let function = line.firstMatch(of: /\bfunc (\w+)/) {
          tests.append("\(file.split(separator: "/")[1]).\(suite)/\(function.1)(")
          isTest = false
        }
      }
      for match in text.matches(of: named) {
        campaigns.formUnion(match.output.dropFirst().compactMap { $0.substring.map(String.init) })
      }
    }
    return (tests, campaigns)
  }

  @Test(
    "every harness is a campaign of `scripts/dev torture` with each of its controls, or left out for a reason"
  )
  func campaigns() throws {
    let (json, status) = try run(["python3", "-B", "scripts/devtools/library/torturing/inventory.py"])
    try #require(status == 0, "\(json)")
    let inventory = try JSONDecoder().decode(Inventory.self, from: Data(json.utf8))
    let (tests, campaigns) = try tests()
    #expect(
      inventory.can.count >= 40 && campaigns.count >= 45 && tests.count >= 1_400, "the check finds them")
    let gaps = try inventory.gaps(campaigns: campaigns, tests: tests)
    #expect(gaps == [])
    // The control: what nobody calls is found, and so is what is not there.
    var other = inventory
    other.called.subtract(["sync --no-guard", "mutants"])
    other.can.formUnion(["fuzz pictures", "sync four"])
    other.filters["writers"] = "ConcurrencyTests/nineWriters"
    other.numbered.remove("damage")
    let found = try other.gaps(campaigns: campaigns.union(["bees"]), tests: tests)
    #expect(
      found == [
        "no campaign runs fuzz pictures", "no campaign runs mutants", "no campaign runs sync --no-guard",
        "no campaign runs sync four", "the list has no campaign bees", "the list has no campaign damage",
        "writers: no test is ConcurrencyTests/nineWriters",
      ])
  }

  @Test("what each mutant of the merge changes stands in the sources")
  func mutants() throws {
    let (output, status) = try run(["scripts/dev", "mutants", "--check"])
    #expect(status == 0 && output.hasSuffix(" mutants stand in the sources\n"), "\(output)")
  }

  // MARK: Skips and recordings

  /// The lines of a test that skip, or record, otherwise than by `Skip`, `isRoot(for:)` and `GoldenFiles`.
  private func silent(in text: String) throws -> [String] {
    let pattern = try Regex(
      #"\.(en|dis)abled\(|withKnownIssue|\bgete?uid\(\) *[!=]= *0|return print\(|EMOJIART_RECORD"\]|"#
        + #"EMOJIART_WRITE_|"#
        + #"print\(.*(\bnot tried\b|"skipped\b)"#)
    return text.split(separator: "\n").map { $0.drop(while: \.isWhitespace) }
      .filter { !$0.hasPrefix("//") && $0.contains(pattern) }.map(String.init)
  }

  @Test("a suite skips by Skip only, and records by GoldenFiles only")
  func skips() throws {
    for file in try project.files(under: "Tests", ending: ".swift")
    where !file.hasPrefix("Tests/TestSupport") && !file.hasPrefix("Tests/ArchitectureTests")
      // It gives up the rights of root, instead of skipping.
      && file != "Tests/ArtStoreTests/Stream/MovedFile.swift"
    {
      let found = try silent(in: project.text(file))
      #expect(found == [], "\(file)")
    }
    for bad in [
      "    .enabled(if: isRoot))", "guard geteuid() == 0 else { return }", "if getuid() != 0 { return }",
      "static let isRoot = geteuid() == 0", #"return print("no Landlock here")"#,
      #"print("K6 only root may do that: not tried")"#,
      #"ProcessInfo.processInfo.environment["EMOJIART_RECORD"]"#,
    ] {
      #expect(try silent(in: bad).count == 1, "\(bad)")
    }
    #expect(try silent(in: "/// print(not tried)\nlet own = geteuid()") == [])
  }

  @Test("a test connects a program with Pipe.unshared() only")
  func pipes() throws {
    let pattern = try Regex(#"[^.\w]Pipe\(\)"#)
    for file in try project.files(under: "Tests", ending: ".swift")
    where file != "Tests/TestSupport/Process+Start.swift" && !file.hasPrefix("Tests/ArchitectureTests") {
      #expect(try !project.text(file).contains(pattern), "\(file)")
    }
    #expect("let pipe = Pipe()".contains(pattern) && !"Pipe.unshared()".contains(pattern))
  }

  @Test("`scripts/test` counts what was not tried, and fails for a reason that is not allowed")
  func counts() throws {
    let log = """
      ✔ Test "a" passed
      not tried: not root: F21 a group
      not tried: not root: F26 a journal
      not tried: no zsh: cli/complete-zsh
      as it was not tried: never

      """
    func count(_ allowed: String?) throws -> (output: String, status: Int32) {
      try run(["scripts/devtools/library/skips"], input: log, ["EMOJIART_SKIPS": allowed ?? ""])
    }
    let (line, status) = try count(nil)
    #expect(line == "skipped: 3 (no zsh 1, not root 2)\n" && status == 0)
    let folder = FileManager.default.temporaryDirectory
    let file = folder.appendingPathComponent("emojiart-skips.\(UUID())").path
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: file) } }
    for (allowed, wanted, refused) in [
      ("not root  # as in a container of a CI\nno zsh\n", 0, ""), ("no zsh # why\n", 1, "not root"),
      ("", 1, "no zsh, not root"),
    ] {
      try Data(allowed.utf8).write(to: URL(fileURLWithPath: file))
      let (said, status) = try count(file)
      #expect(status == wanted && said.hasPrefix(line), "\(allowed): \(said)")
      #expect(said.dropFirst(line.count) == (refused.isEmpty ? "" : "skips: not allowed here: \(refused)\n"))
    }
    #expect(try count("none").status == 1)
    #expect(try count("/no/such/file").status == 66)
    #expect(try run(["scripts/devtools/library/skips"], ["EMOJIART_SKIPS": "none"]) == ("skipped: 0\n", 0))
  }
}
