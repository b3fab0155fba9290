// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtProtocol
import Foundation
import Testing

@testable import emojiart

@Suite("Help and synonyms") struct HelpTopicTests {
  @Test("C3 the page about JSON has an example of each request, and each is read")
  func requests() throws {
    var verbs: Set<String> = []
    for (line, text) in HelpTopic.requests {
      let request = try Array(line.utf8).withUnsafeBufferPointer { try ProtocolRequest($0) }
      #expect(request != nil && !text.isEmpty, "\(line)")
      verbs.insert(String(line.dropFirst(2).prefix { $0 != "\"" }))
    }
    #expect(verbs.sorted() == ProtocolRequest.verbs)
  }

  @Test(
    "C3 the examples of answers and events on the page about JSON are read as such, and CLI.md has each kind")
  func answersAndEvents() throws {
    let manual = try String(contentsOf: Project.root.appending(path: "docs/CLI.md"), encoding: .utf8)
    var random = SystemRandomNumberGenerator()
    let id = DocumentID(using: &random)
    var kinds: Set<String> = []
    for (examples, isAnswer) in [(HelpTopic.answers, true), (HelpTopic.events, false)] {
      for (line, text) in examples {
        let read = try Array(line.utf8).withUnsafeBufferPointer { try ProtocolLine($0, of: id) }
        let found = if case .answer = read { true } else { false }
        #expect(found == isAnswer && !text.isEmpty, "\(line)")
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        let names = Set(try #require(object).keys).subtracting(["tag", "line", "revision", "code", "reason"])
        let kind = try #require(names.first)
        #expect(manual.contains("\"\(kind)\":"), "CLI.md has \(kind)")
        kinds.insert(kind)
      }
    }
    #expect(kinds.count == 16, "\(kinds.sorted())")
  }

  @Test("C3 each page fits its width, and names no command that there is not", arguments: [24, 40, 80, 132])
  func pages(columns: Int) throws {
    let names = HelpTopic.allNames.map { ["help", $0] } + [[], ["help"], ["--help"], ["-h"]]
    for arguments in names {
      let page = try #require(HelpTopic.page(for: arguments, columns: columns))
      for line in page.split(separator: "\n") {
        // Examples are not broken, and neither are words.
        let isTitle = line.hasSuffix(":")
        let isExample = line.hasPrefix("  {") || line.hasPrefix("  emojiart ") || !line.trimmed.contains(" ")
        // A term that stands alone, without its text beside it, is not broken either.
        let isTerm = line.hasPrefix("  ") && !line.hasPrefix("      ") && !line.trimmed.contains("  ")
        #expect(isTitle || isExample || isTerm || TextWidth.columns(String(line)) <= columns, "\(line)")
      }
      for match in page.matches(of: /`emojiart ([a-z]+)/) {
        #expect(Emojiart.commandNames.contains(String(match.1)), "\(match.0)")
      }
    }
    #expect(HelpTopic.page(for: ["help", "add"], columns: columns) == nil)
    #expect(HelpTopic.page(for: ["add", "--help"], columns: columns) == nil)
    #expect(HelpTopic.page(for: ["help", "json", "x"], columns: columns) == nil)
  }

  @Test("C3 the first page has 48 lines at most, and names each command once; so does the list of commands")
  func overview() {
    let page = HelpOverview.page(columns: 80)
    #expect(page.split(separator: "\n", omittingEmptySubsequences: false).count <= 48)
    let commands = HelpOverview.commands(columns: 80)
    for name in Emojiart.commandNames where name != "help" {
      #expect(commands.contains("\n  \(name) ") || commands.contains("  \(name) "), "\(name)")
      #expect(page.split { !$0.isLetter }.contains { $0 == name }, "\(name)")
    }
    let grouped = Emojiart.configuration.groupedSubcommands.flatMap(\.subcommands)
    #expect(grouped.count == Set(grouped.map { "\($0)" }).count)
    #expect(Emojiart.configuration.ungroupedSubcommands.isEmpty)
  }

  @Test("a synonym is no command, leads to one, and is not shown by help and completion")
  func synonyms() throws {
    let commands = Set(Emojiart.commandNames)
    for (word, name) in Synonyms.names {
      #expect(!commands.contains(word) && commands.contains(name), "\(word)")
      #expect(try Synonyms.resolved([word, "x"]) == [name, "x"])
    }
    for (word, lead) in Synonyms.leads {
      #expect(!commands.contains(word) && Synonyms.names[word] == nil, "\(word)")
      let named = lead.matches(of: /`emojiart ([a-z]+)/).map { String($0.1) }
      #expect(named.allSatisfy(commands.contains), "\(lead)")
      let error = #expect(throws: ArtError.self) { try Synonyms.resolved([word]) }
      #expect(error?.code == .usage && error?.cause == "no command \(word); \(lead)")
    }
    for word in ["delete", "remove", "rename", "duplicate", "copy", "move"] {
      #expect(commands.contains(word))
    }
    // What removes or replaces is never begun by a guess.
    let destructive: Set = [
      "delete", "remove", "replace", "undo", "restore", "check", "background", "canvas",
    ]
    #expect(destructive.isDisjoint(with: Synonyms.names.values))
    // Help, completion and the man page are made from the names and aliases of the commands.
    let shown = Emojiart.configuration.subcommands.flatMap { command in
      [command.configuration.commandName ?? ""] + command.configuration.aliases
    }
    #expect(Set(Synonyms.names.keys).union(Synonyms.leads.keys).isDisjoint(with: shown))
    #expect(shown.count == Set(shown).count && !shown.contains(""))
  }

  @Test("options of every command may stand before it, and words after -- are left alone")
  func optionsFirst() throws {
    let lines: [([String], [String])] = [
      (["--json", "list"], ["list", "--json"]),
      (["--folder", "a", "ls", "b"], ["list", "--folder", "a", "b"]),
      (["--folder=a", "--json", "show", "--", "-x"], ["show", "--folder=a", "--json", "--", "-x"]),
      (["--json", "--folder", "a", "add", "b", "🐝"], ["add", "--json", "--folder", "a", "b", "🐝"]),
      (["--json", "add", "b", "🐝", "--at"], ["add", "--json", "b", "🐝", "--at"]),
      (["--json", "palette", "edit", "b"], ["palette", "edit", "--json", "b"]),
      (["--json", "palette", "b"], ["palette", "--json", "b"]),
      (["--json", "palette"], ["palette", "--json"]),
      (["--json", "settings", "author"], ["config", "--json", "author"]),
      (["--json", "config", "sync", "syncthing", "a"], ["config", "sync", "syncthing", "--json", "a"]),
      (["--json", "show", "edit"], ["show", "--json", "edit"]),
      (["--json"], ["--json"]), (["--folder"], ["--folder"]), (["--json", "--help"], ["--json", "--help"]),
      ([], []),
      (["-V"], ["--version"]), (["-v"], ["--version"]), (["-v", "x"], ["-v", "x"]),
      (["help", "ls"], ["help", "list"]),
      (["?"], ["help"]), (["?", "add"], ["help", "add"]), (["help", "json"], ["help", "json"]),
      (["add", "ls"], ["add", "ls"]), (["---completion", "ls"], ["---completion", "ls"]),
    ]
    for (typed, resolved) in lines { #expect(try Synonyms.resolved(typed) == resolved, "\(typed)") }
    for typed in [["frobnicate"], ["help", "frobnicate"], [""], ["--json", "frobnicate"]] {
      #expect(throws: ArtError.self) { try Synonyms.resolved(typed) }
    }
  }

  @Test("an option is suggested only if it is near")
  func suggestions() {
    let lines: [(String, [String], String)] = [
      (
        "Unknown option '--jsn'. Did you mean '--json'?", ["show", "p"],
        "unknown option '--jsn'; did you mean --json?"
      ),
      (
        "Unknown option '--up'. Did you mean '--at'?", ["add", "p"],
        "unknown option '--up'; see `emojiart add --help`"
      ),
      (
        "Unexpected argument 'a.pdf'", ["export", "p", "a.pdf"],
        "unexpected argument 'a.pdf'; `emojiart render p -o a.pdf` makes that; see `emojiart export --help`"
      ),
      (
        "Missing expected argument '--output <file>'", ["render", "p", "x.png"],
        "missing expected argument '--output <file>'; the file goes after -o: -o x.png; see `emojiart render --help`"
      ),
      (
        "Unexpected argument 'e'", ["edit", "p", "e"],
        "unexpected argument 'e'; lines come from stdin: <e; see `emojiart edit --help`"
      ),
      (
        "Unknown option '--x'. Did you mean ", ["x"],
        "unknown option '--x'. Did you mean ; see `emojiart --help`"
      ),
    ]
    for (message, arguments, line) in lines { #expect(UsageMessage(message, arguments).line == line) }
  }
}

extension Substring {
  fileprivate var trimmed: Substring { drop { $0 == " " } }
}
