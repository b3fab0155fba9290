// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import emojiart

@Suite("What is written of the commands")
struct DocumentationTests {
  private let manual: String
  private let page: String

  init() throws {
    let docs = Project.root.appending(path: "docs")
    manual = try String(contentsOf: docs.appending(path: "CLI.md"), encoding: .utf8)
    page = try String(contentsOf: docs.appending(path: "emojiart.1"), encoding: .utf8)
  }

  /// What `--experimental-dump-help` tells of a command.
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

    /// Its own, and those of the commands in it.
    var options: [String] {
      (subcommands ?? []).flatMap(\.options) + ownOptions
    }

    private var ownOptions: [String] {
      (arguments ?? []).filter(\.shouldDisplay).flatMap { $0.names ?? [] }
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

  /// The part of CLI.md under a heading.
  private func section(_ name: String) throws -> String {
    let parts = manual.components(separatedBy: "\n## ")
    return try #require(parts.first { $0.hasPrefix("\(name)\n") }, "CLI.md has a section \(name)")
  }

  /// What a text lacks of the commands that there are.
  private func gaps(_ commands: [Command], in page: String) throws -> [String] {
    let shared = try section("Options of every command")
    var gaps: [String] = []
    for command in commands {
      let own = try section(command.commandName)
      if !own.contains("\n    emojiart \(command.commandName)") {
        gaps.append("CLI.md: \(command.commandName)")
      }
      if !page.contains("\n.It Cm \(command.commandName)\n") {
        gaps.append("emojiart.1: \(command.commandName)")
      }
      for option in command.options {
        if !own.contains(option), !shared.contains(option) {
          gaps.append("CLI.md: \(command.commandName) \(option)")
        }
        if !page.contains("Fl Fl \(option.dropFirst(2))") {
          gaps.append("emojiart.1: \(command.commandName) \(option)")
        }
      }
    }
    return gaps
  }

  @Test("C36 every command and every option is in CLI.md and in the man page")
  func complete() async throws {
    let commands = try await commands()
    #expect(commands.count == 23)
    #expect(try gaps(commands, in: page) == [])
    // The control: what is taken out is missed.
    let shorter = page.replacingOccurrences(of: "Fl Fl canvas", with: "").replacingOccurrences(
      of: ".It Cm check", with: "")
    #expect(try gaps(commands, in: shorter) == ["emojiart.1: new --canvas", "emojiart.1: check"])
  }

  @Test("C36 every option that is written of exists")
  func nothingElse() async throws {
    let commands = try await commands()
    let known = Set(commands.flatMap(\.options) + ["--generate-completion-script"])
    for command in commands {
      // A stream takes the words of other commands.
      let taken = command.commandName == "edit" ? known : Set(command.options)
      for match in try section(command.commandName).matches(of: /--[a-z][a-z-]*/) {
        #expect(known.contains(String(match.output)), "\(command.commandName) has \(match.output)")
        #expect(taken.contains(String(match.output)), "\(command.commandName) takes \(match.output)")
      }
    }
    for match in page.matches(of: /Fl Fl ([a-z][a-z-]*)/) { #expect(known.contains("--\(match.1)")) }
  }

  @Test("C7 the exit statuses are the same in the program, its help, CLI.md and the man page")
  func exitStatuses() async throws {
    let statuses = ExitStatus.allCases.map(\.rawValue).sorted()
    let table = try section("Exit status").matches(of: /(?m)^\| (\d+) \|/).compactMap { Int32($0.1) }
    #expect(table == statuses)
    let list = try #require(page.components(separatedBy: ".Sh ").first { $0.hasPrefix("EXIT STATUS") })
    #expect(list.matches(of: /(?m)^\.It (\d+)/).compactMap { Int32($0.1) } == statuses)
    let help = try #require(Emojiart.configuration.discussion.components(separatedBy: "Exit status: ").last)
    #expect(help.matches(of: /\d+/).compactMap { Int32($0.output) } == statuses)
  }

  @Test("C36 the man page is one that man can set without a warning")
  func manPage() async throws {
    let run = try CommandRun()
    let script = run.place.appending(path: "lint")
    let file = Project.root.appending(path: "docs/emojiart.1").path
    let lint = "command -v man >/dev/null || exit 99; LC_ALL=C.UTF-8 man -l --warnings=w '\(file)' >/dev/null"
    try Data(lint.utf8).write(to: script)
    let outcome = try await run.run(script: script)
    try run.remove()
    guard outcome.status != 99 else { return print("skipped: this machine has no man(1)") }
    #expect(outcome == CommandCase.Outcome())
  }
}
