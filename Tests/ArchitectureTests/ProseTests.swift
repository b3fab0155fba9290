// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// What pages and decisions say, and what of it a test can know.
@Suite("Pages of the project") struct ProseTests {
  private let project = Project()
  private static let decisions = "docs/decisions/"

  /// A page without its code, with a blank for each piece of white space.
  private func prose(_ page: String) throws -> String {
    page.replacing(try Regex(#"(?s)```.*?```"#), with: "").replacing(try Regex(#"`[^`\n]*`"#), with: "CODE")
      .replacing(try Regex(#"\s+"#), with: " ")
  }

  private func found(_ pattern: String, in text: String) throws -> [String] {
    text.matches(of: try Regex(pattern).ignoresCase()).map { String($0.output[0].substring ?? "") }
  }

  private func pages() throws -> [String] {
    try project.files(under: "docs", ending: ".md").filter { !$0.hasPrefix(Self.decisions) }
      + ["README.md", "CONTRIBUTING.md", "SECURITY.md"]
  }

  // MARK: Phrases

  /// What a reader has to read twice, with a sentence that has it and the plain one.
  private static let phrases: [(pattern: String, bad: String, good: String)] = [
    (
      #"\b(is|are|was|were|be|been|being) told\b(?! (apart|to)\b)"#, "What fails is told on stderr.",
      "Failures are reported on stderr, and two kinds can be told apart."
    ),
    (
      #"\b(is|are|was|were|been) said\b"#, "What others do is said.", "Other people's changes are announced."
    ),
    (
      #"\b(?!there\b)\w+\W* (is|are|was|were) no (?!(longer|more|other|such|less|larger|different|older|newer)\b)\w"#,
      "A file that is no document is skipped.",
      "There is no file that is not a document, and it is no longer new."
    ),
    (
      #"\bof which (nothing|no|none|least|less)\b"#, "One of which nothing was left is kept.",
      "It is kept, even if nothing was left of it."
    ),
    (#"\bby (itself|themselves)\b"#, "The studio saves by itself.", "The studio saves automatically."),
    (#"\bshall\b"#, "It asks whether it shall come.", "It asks whether to warn again."),
    (#"\b(some|any)body's\b"#, "Nothing of anybody's is lost.", "Nobody's work is lost."),
    (#"\b(has|have|had) a look\b"#, "It has a look at the picture.", "It examines the picture."),
    (
      #"\bgives? (\w+ ){0,2}out\b|\bgiven out\b"#, "Who gives a package out is named.",
      "The packager is named."
    ),
    (
      #"\bfor those whom\b"#, "For those whom folders no longer carry.", "When a shared folder is not enough."
    ),
    (#"\bwhat is made of it\b"#, "Debian and what is made of it.", "Debian and distributions based on it."),
  ]

  @Test("A10 no page or decision has a phrase that the project avoids")
  func phrases() throws {
    let files = try pages() + project.files(under: Self.decisions, ending: ".md") + ["CHANGELOG.md"]
    #expect(files.count >= 80, "the check finds the pages")
    for file in files {
      let text = try prose(project.text(file))
      let avoided = try Self.phrases.flatMap { try found($0.pattern, in: text) }
      #expect(avoided == [], "\(file)")
    }
    for (pattern, bad, good) in Self.phrases {
      #expect(
        try found(pattern, in: prose(bad.replacing(" ", with: "\n", maxReplacements: 3))).count == 1, "\(bad)"
      )
      #expect(try Self.phrases.flatMap { try found($0.pattern, in: prose(good + " `is told`")) } == [])
    }
  }

  // MARK: Numbers

  /// Numbers from ten on of what is counted elsewhere, and changes.
  private static let number =
    #"\b(\d[\d,]*\d|ten|eleven|twelve|\w+teen|(twen|thir|for|fif|six|seven|eigh|nine)ty(-\w+)?)( (other|Swift|command))?"#
    + #" (campaigns|invariants|rules|targets|modules|fixtures|tests|decisions|mutants|commands|screenshots|attacks|harnesses)\b"#

  @Test("no page has a number of rules, campaigns, modules and the like, which only a test knows")
  func numbers() throws {
    for file in try pages() {
      #expect(try found(Self.number, in: prose(project.text(file))) == [], "\(file)")
    }
    let control =
      "Each of the 47 campaigns, some 220\ninvariants and eighteen Swift modules; two rules, 8 pages."
    #expect(try found(Self.number, in: prose(control)).count == 3, "the check can fail")
  }

  /// The sections with a table of figures that name no commit.
  private func unrecorded(_ page: String) throws -> [String] {
    let recorded = try Regex(#"\nRecorded in [0-9a-f]{7}\b.*\b\d{4}-\d\d-\d\d"#)
    return page.components(separatedBy: "\n## ").flatMap { $0.components(separatedBy: "\n### ") }
      .filter { $0.contains("\n|---") && !$0.contains(recorded) }
      .map { String($0.prefix { $0 != "\n" }) }
  }

  @Test("BENCHMARKS.md says of each table in which commit it was recorded")
  func recorded() throws {
    let page = try project.text("docs/BENCHMARKS.md")
    #expect(page.contains("\n|---"), "the check finds the tables")
    #expect(try unrecorded(page) == [])
    #expect(try unrecorded("# X\n\n## Speed\n\n| a |\n|---|\n| 5 ms |\n") == ["Speed"], "the check can fail")
  }

  // MARK: Tables

  /// The modules of the package's own sources that ARCHITECTURE.md has in no row or in several, and rows of no module.
  private func differences(_ manifest: String, _ page: String) throws -> [String] {
    let declaration = try Regex(#"\.(target|executableTarget|systemLibrary)\(\s*name: "([\w-]+)""#)
    let declared = manifest.matches(of: declaration).compactMap { $0.output[2].substring.map(String.init) }
    let table =
      page.components(separatedBy: "\n## Modules\n").dropFirst().first?.components(separatedBy: "\n## ").first
      ?? ""
    let rows = table.split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { row in
      (row.split(separator: "|").first ?? "").split(separator: "`").filter { $0.contains(/\w/) }.map(
        String.init)
    }
    let modules = Set(
      declared.filter { FileManager.default.fileExists(atPath: project.root.path + "/Sources/\($0)") })
    return modules.union(rows).filter { name in !modules.contains(name) || rows.count { $0 == name } != 1 }
      .sorted()
  }

  @Test("A1 ARCHITECTURE.md has a row for each module")
  func modules() throws {
    let (manifest, page) = (try project.text("Package.swift"), try project.text("docs/ARCHITECTURE.md"))
    #expect(try differences(manifest, page) == [])
    let other = page.replacing("| `CSodium` |", with: "| `CSalt` |")
    #expect(try differences(manifest, other) == ["CSalt", "CSodium"], "the check can fail")
  }

  /// The words that the glossary explains more than once without saying in brackets of what.
  private func doubled(_ page: String) -> [String] {
    let words = page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| word ") }.flatMap
    { row in
      (row.split(separator: "|").first ?? "").split(separator: ",").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    }
    return Dictionary(grouping: words) { $0 }.filter { $1.count > 1 }.keys.sorted()
  }

  @Test("the glossary has each word once, or says of what it is")
  func glossary() throws {
    let page = try project.text("docs/GLOSSARY.md")
    #expect(doubled(page) == [])
    #expect(doubled(page + "\n| guard, page | a person |\n") == ["page"], "the check can fail")
  }

  /// The paths of CODEOWNERS that match nothing.
  private func unowned(_ text: String) throws -> [String] {
    try text.split(separator: "\n").filter { $0.hasPrefix("/") }.compactMap { line in
      let path = String(line.prefix { $0 != " " })
      let parts = path.split(separator: "*", omittingEmptySubsequences: false)
      let start = project.root.path + parts[0]
      if parts.count == 1 { return FileManager.default.fileExists(atPath: start) ? nil : path }
      let folder = URL(fileURLWithPath: start).deletingLastPathComponent()
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      return names.contains { "\(folder.path)/\($0)".hasPrefix(start) } ? nil : path
    }
  }

  @Test("A2 each path of CODEOWNERS is there")
  func owners() throws {
    let text = try project.text(".github/CODEOWNERS")
    #expect(try unowned(text) == [] && text.contains("*"))
    let gone = "/Sources/Gone/ @x\n/Sources/CWorker/gone*.c @x\n"
    #expect(try unowned(gone) == ["/Sources/Gone/", "/Sources/CWorker/gone*.c"], "the check can fail")
  }

  // MARK: Decisions

  /// The rows of a table of decisions, which are given by the names of their files, and what is wrong with their heads.
  private func table(_ decisions: [String: String]) throws -> (rows: String, faults: [String]) {
    let head = try Regex(#"^# (\d+)\. ([^\n|]+)\n"#)
    let line = try Regex(#"(?m)^\*\*Status:\*\* (.*)\.$"#)
    let form = try Regex(#"(?:changed|replaced) by (?:\[\d+\]\(\d{4}-[\w-]+\.md\)(?:, )?)+"#)
    var (rows, faults, numbers): (String, [String], Set<Substring>) = ("", [], [])
    for (file, text) in decisions.sorted(by: { $0.key < $1.key }) {
      guard let match = text.firstMatch(of: head), let number = match.output[1].substring,
        let title = match.output[2].substring
      else {
        faults.append("\(file) has no title with its number")
        continue
      }
      if Int(file.prefix(4)) != Int(number) { faults.append("\(file) has the number \(number)") }
      if !numbers.insert(number).inserted { faults.append("\(file): \(number) is taken twice") }
      let status = text.firstMatch(of: line)?.output[1].substring.map(String.init)
      if (status == nil) == text.contains("**Status:**")
        || status.map({ $0.wholeMatch(of: form) == nil }) ?? false
      {
        faults.append("\(file) has another form of status")
      }
      for target in (status ?? "").matches(of: /\[(\d+)\]\(((\d+)[^)]*)\)/)
      where decisions[String(target.2)] == nil || Int(target.1) != Int(target.3) {
        faults.append("\(file) names \(target.0)")
      }
      rows += "| \(number) | [\(title)](\(file)) | \(status ?? "in force") |\n"
    }
    return (rows, faults)
  }

  @Test("docs/decisions/README.md lists each decision with its status, and numbers are unique")
  func decisions() throws {
    let index = Self.decisions + "README.md"
    let files = try project.files(under: "docs/decisions", ending: ".md").filter { $0 != index }
    let decisions = Dictionary(
      uniqueKeysWithValues: try files.map { ($0.replacing(Self.decisions, with: ""), try project.text($0)) })
    let head = "\n|---|---|---|\n"
    let parts = try project.text(index).components(separatedBy: head)
    let (rows, faults) = try table(decisions)
    try GoldenFiles.record("decisions") {
      try Data((parts[0] + head + rows).utf8).write(to: project.root.appendingPathComponent(index))
    }
    #expect(faults == [])
    #expect(
      parts.dropFirst() == [rows], "`scripts/dev record decisions` writes it")
    #expect(rows.contains("| changed by ["), "the check finds statuses")
    for (file, text, fault) in [
      ("0001-x.md", "# 1. X\n", "0001-x.md: 1 is taken twice"),
      ("0998-x.md", "# 999. X\n", "0998-x.md has the number 999"),
      ("0998-x.md", "A page\n", "0998-x.md has no title with its number"),
      ("0998-x.md", "# 998. X\n\n**Status:** perhaps.\n", "0998-x.md has another form of status"),
      ("0998-x.md", "# 998. X\n\n**Status:** in force\n", "0998-x.md has another form of status"),
      (
        "0998-x.md", "# 998. X\n\n**Status:** replaced by [997](0997-x.md).\n",
        "0998-x.md names [997](0997-x.md)"
      ),
    ] {
      #expect(try table(decisions.merging([file: text]) { $1 }).faults == [fault])
    }
  }
}
