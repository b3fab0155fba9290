// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import Foundation
import TestSupport
import Testing

@testable import emojiart

@Suite("The documentation of the commands")
struct DocumentationTests {
  private let manual: String

  init() throws {
    let docs = Project.root.appending(path: "docs")
    manual = try String(contentsOf: docs.appending(path: "CLI.md"), encoding: .utf8)
  }

  @Test("every link between pages of the documentation leads to a file")
  func links() throws {
    let manager = FileManager.default
    let folders = ["", "docs", "docs/decisions"].map { Project.root.appending(path: $0) }
    var links = 0
    for folder in folders {
      for name in try manager.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".md") {
        let page = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        for match in page.matches(of: /\]\(([^()\s#:]+)(#[^()\s]*)?\)/) {
          links += 1
          let file = folder.appending(path: String(match.1))
          #expect(manager.fileExists(atPath: file.path), "\(name) leads to \(match.1)")
        }
      }
    }
    #expect(links > 20, "only \(links) links were found")
  }

  /// A command in the output of `--experimental-dump-help`.
  private struct Command: Decodable {
    var commandName: String
    var subcommands: [Command]?
    var arguments: [Argument]?

    struct Argument: Decodable {
      var kind: String
      var names: [Name]?
      var shouldDisplay: Bool
    }

    struct Name: Decodable {
      var kind: String
      var name: String
    }

    /// Its own options that its help shows, and those of its subcommands.
    var options: [String] { options(where: \.shouldDisplay) }

    /// The same, and those that its help hides: they are for tests and for developing the page.
    var allOptions: [String] { options { _ in true } }

    private func options(where isWanted: (Argument) -> Bool) -> [String] {
      (subcommands ?? []).flatMap { $0.options(where: isWanted) }
        + (arguments ?? []).filter(isWanted).flatMap { $0.names ?? [] }
        .filter { $0.kind == "long" }.map { "--\($0.name)" }
    }
  }

  private struct Dump: Decodable { var command: Command }

  private func commands() async throws -> [Command] {
    let run = try CommandRun()
    let script = run.place.appending(path: "dump")
    try Data("emojiart --experimental-dump-help".utf8).write(to: script)
    let outcome = try await run.run(script: script)
    try run.remove()
    let root = try JSONDecoder().decode(Dump.self, from: Data(outcome.stdout.utf8)).command
    return try #require(root.subcommands).filter { $0.commandName != "help" }
  }

  /// The section of CLI.md with a heading.
  private func section(_ name: String) throws -> String {
    let parts = manual.components(separatedBy: "\n## ")
    return try #require(parts.first { $0.hasPrefix("\(name)\n") }, "CLI.md has a section \(name)")
  }

  /// The man pages as `scripts/packaging/man-pages` makes them, by their file's names, and what `man` warns of in them, and in a page with a
  /// fault; nil for the warnings without man, and nil without python3.
  private func madePages() async throws -> (pages: [String: String], warnings: String?)? {
    let run = try CommandRun()
    defer { try? run.remove() }
    let (script, made) = (run.place.appending(path: "pages"), run.place.appending(path: "made"))
    let maker = Project.root.appending(path: "scripts/packaging/man-pages").path
    try Data(
      """
      command -v python3 >/dev/null || exit 99
      python3 -B '\(maker)' "$(command -v emojiart)" '\(made.path)'
      command -v man >/dev/null || { echo no man; exit 0; }
      warnings() { LC_ALL=C.UTF-8 MANWIDTH=80 man -l --warnings=w "$1" 2>&1 >/dev/null; }
      for page in '\(made.path)'/man*/*; do warnings "$page"; done
      printf '.TH X 1\\n.SH NAME\\nx\\n.fault\\n' >page
      warnings page | grep -o 'macro.*fault'
      """.utf8
    ).write(to: script)
    let outcome = try await run.run(script: script)
    guard outcome.status != 99 else { return nil }
    #expect(outcome.status == 0 && outcome.stderr.isEmpty, "\(outcome.stderr)")
    var pages: [String: String] = [:]
    for section in ["man1", "man5"] {
      let folder = made.appending(path: section)
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        pages[name] = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      }
    }
    return (pages, outcome.stdout == "no man\n" ? nil : outcome.stdout)
  }

  /// The commands and options that have no man page, or are not in it.
  private func gaps(_ commands: [Command], in pages: [String: String]) -> [String] {
    var gaps: [String] = []
    let overview = pages["emojiart.1"] ?? ""
    for command in commands {
      let name = command.commandName
      guard let page = pages["emojiart-\(name).1"] else {
        gaps.append("no page: \(name)")
        continue
      }
      if !overview.contains("\n.BR emojiart\\-\(name) (1)\n") { gaps.append("emojiart.1: \(name)") }
      for option in command.options {
        let shown = "\\fB\(option.replacing("-", with: "\\-"))\\fR"
        if !page.contains(shown) { gaps.append("\(name): \(option)") }
      }
    }
    return gaps
  }

  /// The commands and options that are missing in CLI.md, or in the list at its head.
  private func gaps(_ commands: [Command]) throws -> [String] {
    let shared = try section("Options of every command")
    let list = try #require(manual.components(separatedBy: "\n## ").first)
    var gaps: [String] = []
    for command in commands {
      let own = try section(command.commandName)
      if !own.contains("\n    emojiart \(command.commandName)") {
        gaps.append("CLI.md: \(command.commandName)")
      }
      if !list.contains("[\(command.commandName)](#\(command.commandName))") {
        gaps.append("the list of CLI.md: \(command.commandName)")
      }
      for option in command.allOptions {
        if !own.contains(option), !shared.contains(option) {
          gaps.append("CLI.md: \(command.commandName) \(option)")
        }
      }
    }
    return gaps
  }

  @Test("C3 CLI.md has a row for each request of a stream")
  func requests() {
    let rows = manual.split(separator: "\n").filter { $0.hasPrefix("| `{") }
    let missing = ProtocolRequest.verbs.filter { verb in !rows.contains { $0.contains("`{\"\(verb)\":") } }
    #expect(missing.isEmpty)
  }

  @Test("C3 every command and every option is in CLI.md, and the list at its head has every command")
  func complete() async throws {
    let commands = try await commands()
    #expect(commands.count == Emojiart.configuration.subcommands.count)
    #expect(try gaps(commands) == [])
  }

  @Test("C3 each command has a man page with every option, and man formats each page without a warning")
  func manPages() async throws {
    let commands = try await commands()
    guard let (made, warnings) = try await madePages() else {
      return Skip("no python3")("C3 the man pages")
    }
    var pages = made
    if let warnings {
      // The control is the only one.
      #expect(warnings.split(separator: "\n").count == 1 && warnings.hasSuffix("fault\n"), "\(warnings)")
    } else {
      Skip("no man")("C3 the man pages, formatted")
    }
    #expect(gaps(commands, in: pages) == [])
    #expect(pages.count == commands.count + 2 && pages["emojiart-json.5"]?.contains("setText") == true)
    let statuses = ExitStatus.allCases.map(\.rawValue).sorted()
    let sections = (pages["emojiart.1"] ?? "").components(separatedBy: ".SH ")
    let list = try #require(sections.first { $0.hasPrefix("EXIT STATUS") })
    #expect(list.matches(of: /\n\.TP\n(\d+)\n/).compactMap { Int32($0.1) } == statuses)
    // The control: removed entries are found missing.
    pages["emojiart-new.1"] = pages["emojiart-new.1"]?.replacing("\\-\\-canvas", with: "")
    pages["emojiart-check.1"] = nil
    #expect(gaps(commands, in: pages) == ["new: --canvas", "no page: check"])
  }

  @Test("C3 every option in CLI.md exists")
  func optionsExist() async throws {
    let commands = try await commands()
    let known = Set(commands.flatMap(\.allOptions) + ["--generate-completion-script"])
    for command in commands {
      // A stream also takes the words of other commands, and a merge prints the command that undoes one edit.
      let accepted = ["edit", "merge"].contains(command.commandName) ? known : Set(command.allOptions)
      var section = try section(command.commandName)
      // Another command with its option: `edit --atomic`.
      for match in section.matches(of: /`(?:emojiart )?([a-z]+)( [^`]*)?`/) {
        guard let other = commands.first(where: { $0.commandName == match.1 }), let words = match.2 else {
          continue
        }
        section = section.replacing(match.0, with: "")
        for option in words.matches(of: /--[a-z][a-z-]*/) {
          #expect(
            other.allOptions.contains(String(option.output)), "\(other.commandName) takes \(option.output)")
        }
      }
      for match in section.matches(of: /--[a-z][a-z-]*/) {
        #expect(known.contains(String(match.output)), "\(command.commandName) has \(match.output)")
        #expect(accepted.contains(String(match.output)), "\(command.commandName) takes \(match.output)")
      }
    }
  }

  /// The options in the tables of a command's section; nil without such a table.
  private func tabulated(_ section: String) -> [String]? {
    let tables = section.matches(of: /(?m)^\| option[^\n]*\|\n\|[-|]+\|\n((?:\|[^\n]*\n)+)/)
    guard !tables.isEmpty else { return nil }
    return tables.flatMap { $0.1.split(separator: "\n") }.flatMap { row in
      let first = row.split(separator: "|", maxSplits: 1).first ?? ""
      return first.matches(of: /--[a-z][a-z-]*/).map { String($0.output) }
    }
  }

  /// The options that only the program has or only the tables, and those that stand twice.
  private func differences(_ command: Command, _ tabulated: [String], _ shared: String) -> [String] {
    let own = Set(command.allOptions)
    let missing = own.filter { !shared.contains($0) && !tabulated.contains($0) }.sorted()
    let twice = Dictionary(grouping: tabulated) { $0 }.filter { $1.count > 1 }.keys.sorted()
    return missing.map { "not in the table: \($0)" }
      + tabulated.filter { !own.contains($0) }.map { "no option: \($0)" } + twice.map { "twice: \($0)" }
  }

  @Test("C3 a table of options in CLI.md has the options of its command, each once")
  func tablesOfOptions() async throws {
    let shared = try section("Options of every command")
    var count = 0
    for command in try await commands() {
      guard let options = tabulated(try section(command.commandName)) else { continue }
      count += 1
      #expect(differences(command, options, shared) == [], "\(command.commandName)")
      // The control: one that is left out, and one of another command, are found.
      let wrong = options.dropFirst() + ["--frobnicate", "--frobnicate"]
      #expect(differences(command, Array(wrong), shared).count >= 3, "\(command.commandName)")
    }
    #expect(count >= 13, "only \(count) tables were found")
  }

  @Test("C3 the exit statuses are the same in the program, its help and CLI.md")
  func exitStatuses() async throws {
    let statuses = ExitStatus.allCases.map(\.rawValue).sorted()
    let table = try section("Exit status").matches(of: /(?m)^\| (\d+) \|/).compactMap { Int32($0.1) }
    #expect(table == statuses)
    let help = HelpTopic.errors.page(columns: 80)
    #expect(help.matches(of: /(?m)^ +(\d+) +[a-z]/).compactMap { Int32($0.1) } == statuses)
  }

  /// The cells of the table's rows that begin with a name in backquotes.
  private func rows(_ section: String) -> [[String]] {
    section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
      line.dropFirst().dropLast().components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  private func names(_ cell: String) -> [String] { cell.matches(of: /`([^`]+)`/).map { String($0.1) } }

  /// The differences between the tables of codes and remedies and the program.
  private func faults(_ codes: [[String]], _ remedies: [[String]]) -> [String] {
    var faults: [String] = []
    func compare(_ rows: [[String]], _ all: [String], _ cells: Int) {
      let first = rows.flatMap { names($0[0]).prefix(1) }
      for name in all where first.count(where: { $0 == name }) != 1 { faults.append("not once: \(name)") }
      for name in first where !all.contains(name) { faults.append("no such: \(name)") }
      for row in rows where row.count != cells { faults.append("cells: \(row)") }
    }
    compare(codes, ArtError.Code.allCases.map(\.rawValue), 4)
    compare(remedies, ArtError.Remedy.allCases.map(\.rawValue), 2)
    for row in codes where row.count == 4 {
      let code = names(row[0]).first.flatMap(ArtError.Code.init(rawValue:))
      if row[1] != code.map({ "\(ExitStatus($0).rawValue)" }) { faults.append("status: \(row[0])") }
      for name in names(row[3]) where ArtError.Remedy(rawValue: name) == nil {
        faults.append("no such: \(name)")
      }
    }
    let used = Set(codes.flatMap { names($0.last ?? "") })
    for remedy in ArtError.Remedy.allCases where !used.contains(remedy.rawValue) {
      faults.append("of no code: \(remedy)")
    }
    for row in remedies where row.count == 2 {
      let remedy = names(row[0]).first.flatMap(ArtError.Remedy.init(rawValue:))
      if row[1] != remedy?.text(about: "SUBJECT") { faults.append("words: \(row[0])") }
    }
    return faults
  }

  @Test("C3 the codes of errors, their exit statuses and remedies are the same in the program and in CLI.md")
  func codes() throws {
    let parts = try section("Errors").components(separatedBy: "\n| remedy |")
    try #require(parts.count == 2)
    let (codes, remedies) = (rows(parts[0]), rows(parts[1]))
    #expect(faults(codes, remedies) == [])
    // The control: missing, repeated and wrong entries are found.
    #expect(faults(Array(codes.dropFirst()), remedies) == ["not once: usage"])
    #expect(faults(codes, remedies + remedies.prefix(1)) == ["not once: listDocuments"])
    let wrong = [["`usage`", "65", "", ""]] + codes.dropFirst()
    #expect(
      faults(wrong, [["`listDocuments`", "look"]] + remedies.dropFirst()) == [
        "status: `usage`", "words: `listDocuments`",
      ])
  }
}
