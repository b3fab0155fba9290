// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtTerminal
import ArtWorkspace

/// The words that a line of a stream may begin with.
enum StreamCommands {
  /// Commands of emojiart that streams have, too: all that edit emoji or walk the log, and two that show.
  static let commands: [String: any ParsableCommand.Type] = Dictionary(
    Emojiart.configuration.subcommands.compactMap { command in
      guard
        command is any EmojiCommand.Type || command is any StepCommand.Type || command == Show.self
          || command == History.self || command == Revert.self || command == VersionCommand.self
      else { return nil }
      return command.configuration.commandName.map { ($0, command) }
    }, uniquingKeysWith: { first, _ in first })

  /// The commands that name a document outside streams.
  static let areAboutDocument = Set(commands.keys).union(["background"])

  /// Words that only streams have.
  static let own = [
    "background": "Fetch a picture and make it the background, while editing goes on.",
    "help": "List the commands, or explain one; ? does the same.",
    "quit": "Save, close and end; exit and q do the same.",
    "save": "Save at once.",
  ]

  /// Usages that differ in a stream: undo and redo concern the stream's own edits.
  private static let usages = [
    "background": """
    background <url or path> [--keep-canvas] [--allow-private]
    background <url> --later
    background --clear

    Fetch a picture and make it the background, while editing goes on.

    A newer request replaces one that is still being fetched.
    """,
    "show": """
    show [--at <rev|name>]

    Show the document as a table, bottom to top.

    It includes unsaved edits. --at shows an earlier state: a revision of `history`, or a version by its name.
    """,
    "undo": """
    undo [<count> | --edit <id>]

    Take back your own edits.

    The edits of others and of earlier sessions stay. --edit takes back one edit, whoever made it and whatever came after it; \
    `emojiart history --json` shows the ids.
    """,
    "redo":
      "redo [<count>]\n\nRedo undone edits.\n\nOnly your own undone edits, until the next edit.",
  ]

  /// Commands of emojiart that look up something outside the document.
  static let looking: [String: any ParsableCommand.Type] = [
    "find": Find.self, "list": List.self, "palette": PaletteCommand.self,
  ]

  /// Other words for the same.
  static let aliases: [String: String] = {
    let known = Set(Self.names)
    let own = ["exit": "quit", "q": "quit", "?": "help", "setText": "replace"]
    return Synonyms.names.filter { known.contains($1) }.merging(own) { $1 }
  }()

  /// What to type instead of a word that is no command here, as `Synonyms.leads` has it for the command line; nil without an entry.
  static func lead(_ word: String) -> String? {
    guard let lead = Synonyms.leads[word] else { return nil }
    // `emojiart move DOC REF` is `move REF` here.
    return lead.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
      var words = part.split(separator: " ", omittingEmptySubsequences: false)
      guard index % 2 == 1, words.count > 1, words[0] == "emojiart", names.contains(String(words[1])) else {
        return String(part)
      }
      words.removeFirst()
      if words.dropFirst().first == "DOC" { words.remove(at: 1) }
      return words.joined(separator: " ")
    }
    .joined(separator: "`")
  }

  static let names = (Array(commands.keys) + own.keys + looking.keys).sorted()

  /// The list of words, or the usage of one, in lines as long as those of `--help`. Throws `usage` for an unknown one.
  static func help(_ name: String?) throws(ArtError) -> String {
    let columns = TerminalSize.now(nil).columns
    guard let name else {
      let width = names.reduce(0) { max($0, $1.count) }
      return names.flatMap { name in
        let what = (commands[name] ?? looking[name])?.configuration.abstract ?? own[name] ?? ""
        let lines = HelpTopic.wrapped(what, columns: columns, indent: width + 2)
        return [name.padded(to: width + 2) + lines[0].dropFirst(width + 2)] + lines.dropFirst()
      }
      .joined(separator: "\n")
    }
    return try page(of: name).split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      let indent = line.prefix { $0 == " " }.count
      // What fits keeps its blanks.
      return TextWidth.columns(String(line)) <= columns
        ? [String(line)] : HelpTopic.wrapped(String(line), columns: columns, indent: indent)
    }
    .joined(separator: "\n")
  }

  /// The page of a word. Throws `usage` for an unknown one.
  private static func page(of name: String) throws(ArtError) -> String {
    if let what = usages[name] { return what }
    if let what = own[name] { return "\(name == "help" ? "help [<command>]" : name)\n\n\(what)" }
    guard let configuration = (commands[name] ?? looking[name])?.configuration else {
      throw .unknown("no command", name, among: names, all: "`help` lists them")
    }
    let usage = configuration.usage ?? "emojiart \(name) <doc>"
    // These name no document.
    if looking.keys.contains(name) {
      return [usage, configuration.abstract, configuration.discussion].joined(separator: "\n\n")
    }
    let text = [usage, configuration.abstract, configuration.discussion].joined(separator: "\n\n")
    return inStream(text)
  }

  /// Adapts a command's help to streams: without `emojiart`, the document, and options that streams lack.
  private static func inStream(_ help: String) -> String {
    let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.filter { !$0.contains(part: "--json") }.compactMap { line -> String? in
      let blanks = line.prefix { $0 == " " }
      var words = line.dropFirst(blanks.count).split(separator: " ", omittingEmptySubsequences: false)
      guard words.first == "emojiart", words.count > 2 else { return String(line) }
      // An example may be of a command that streams lack.
      guard names.contains(String(words[1])) else { return nil }
      words.removeFirst()
      words.remove(at: 1)
      return blanks + words.joined(separator: " ")
    }
    .joined(separator: "\n")
  }

  /// Candidates for completing a line: `words` come before `word`, which is typed in part.
  static func candidates(after words: [String], of word: String, in content: DocumentContent?) -> [String] {
    guard let name = words.first else { return names }
    if name == "help" { return words.count == 1 ? names : [] }
    let options = options(of: name)
    if options.isEmpty { return [] }
    if name == "add" { return EmojiCompletion.labels(beginningWith: word).map(\.text) + options }
    guard let content, name != "background", content.emojiCount <= 1_000 else {
      return options
    }
    return EmojiCompletion.references(of: content.emojisInOrder(), beginningWith: word) + options
  }

  /// The options of a command that edits emoji, by its usage.
  private static func options(of name: String) -> [String] {
    if name == "background" { return BackgroundLine.options }
    guard let command = commands[name] as? any EmojiCommand.Type else { return [] }
    let words = (command.configuration.usage ?? "").split { !$0.isLetter && $0 != "-" }
    return Set(words.filter { $0.hasPrefix("--") }.map(String.init)).sorted()
  }
}
