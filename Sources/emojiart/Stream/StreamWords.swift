// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

/// The words that a stream's line may begin with.
enum StreamWords {
  /// Those that are commands.
  static let commands: [String: any ParsableCommand.Type] = [
    "add": Add.self, "history": History.self, "move": Move.self, "order": Order.self, "redo": Redo.self,
    "remove": Remove.self, "resize": Resize.self, "show": Show.self, "undo": Undo.self,
  ]

  /// Those of streams alone.
  static let own = [
    "background": "Fetch a picture and make it the background, while editing goes on.",
    "help": "Tell which commands there are, or how one is used.",
    "quit": "Save, close and end.",
    "save": "Save at once.",
  ]

  /// Those that are otherwise here: undo and redo are about the stream's own edits.
  private static let usages = [
    "background": """
    background <url or path> [--keep-canvas] [--allow-private]
    background <url> --later
    background --clear

    Fetch a picture and make it the background, while editing goes on.

    A newer one takes the place of one that is still being fetched.
    """,
    "show": "show\n\nShow the document as a table, bottom to top.\n\nWhat is not saved is in it.",
    "undo": "undo [<count>]\n\nTake own edits back.\n\nThose of others and of earlier sessions stay.",
    "redo":
      "redo [<count>]\n\nDo again what was undone.\n\nOnly what was undone here, and until the next edit.",
  ]

  static let names = (Array(commands.keys) + own.keys).sorted()

  /// What there is, or how a command is used. Throws `usage` for what is none.
  static func help(_ name: String?) throws(ArtError) -> String {
    guard let name else {
      return names.map { name in
        let what = commands[name]?.configuration.abstract ?? own[name] ?? ""
        return "\(name.padded(to: 8))  \(what)"
      }
      .joined(separator: "\n")
    }
    if let what = usages[name] { return what }
    if let what = own[name] { return "\(name == "help" ? "help [<command>]" : name)\n\n\(what)" }
    guard let configuration = commands[name]?.configuration else {
      throw .unknown("no command", name, among: names, all: "`help` lists them")
    }
    let usage = configuration.usage ?? "emojiart \(name) <doc>"
    let text = [usage, configuration.abstract, configuration.discussion].joined(separator: "\n\n")
    return inStream(text)
  }

  /// A command's help without what a stream has already, `emojiart` and the document, and without what it has not.
  private static func inStream(_ help: String) -> String {
    help.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.contains("--json") }.map {
      line in
      let blanks = line.prefix { $0 == " " }
      var words = line.dropFirst(blanks.count).split(separator: " ", omittingEmptySubsequences: false)
      guard words.first == "emojiart", words.count > 2 else { return String(line) }
      words.removeFirst()
      words.remove(at: 1)
      return blanks + words.joined(separator: " ")
    }
    .joined(separator: "\n")
  }

  /// How a line can go on after these words, where it ends with the beginning of `word`.
  static func candidates(after words: [String], of word: String, in content: DocumentContent?) -> [String] {
    guard let name = words.first else { return names }
    if name == "help" { return words.count == 1 ? names : [] }
    guard let options = options[name] else { return [] }
    if name == "add" { return EmojiCompletion.labels(beginningWith: word).map(\.text) + options }
    guard let content, name != "background", content.emojiCount <= 1_000 else {
      return options
    }
    return EmojiCompletion.references(of: content.emojisInOrder(), beginningWith: word) + options
  }

  private static let options = [
    "background": BackgroundLine.options, "add": ["--at", "--size"], "move": ["--all", "--by", "--to"],
    "remove": ["--all"],
    "order": ["--above", "--all", "--back", "--front"], "resize": ["--all", "--by", "--to"],
  ]
}
