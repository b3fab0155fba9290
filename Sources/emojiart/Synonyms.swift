// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// What people type for a command that has another name, and options before the command. Decision 61 has the reasons.
enum Synonyms {
  /// Other names of a command. Only where the word can mean nothing else, and what it does can be undone or changes nothing.
  static let names: [String: String] = [
    "cat": "show", "colour": "color", "cp": "copy", "create": "new", "dir": "list", "flip": "mirror",
    "info": "show",
    "init": "new", "log": "history", "ls": "list", "search": "find", "settings": "config", "turn": "rotate",
    "view": "show",
  ]

  /// What to do instead, for words that could mean several things, or something that no command does.
  static let leads: [String: String] = [
    "background-color": "`emojiart canvas DOC --fill COLOUR` colours the canvas",
    "bg": "`emojiart background DOC PICTURE` sets the picture, `emojiart canvas DOC --fill COLOUR` a colour",
    "center": "`emojiart move DOC REF --to center` moves there, `emojiart align` moves to one line",
    "change": "`emojiart replace DOC REF --with EMOJI` exchanges an emoji",
    "clear": "`emojiart remove DOC --all` removes all emoji, `emojiart background DOC --clear` the picture",
    "clone": "`emojiart copy DOC` copies a document, `emojiart duplicate DOC REF` an emoji",
    "close": "each command ends by itself, and its edit is saved",
    "commit": "each edit is saved when its command ends; `emojiart history DOC` lists them",
    "convert": "`emojiart render DOC -o FILE` draws it, `emojiart export` writes other formats",
    "crop": "`emojiart canvas DOC WIDTHxHEIGHT` changes the canvas, `emojiart render --region` draws a part",
    "del": "`emojiart delete DOC` moves a document to the trash, `emojiart remove DOC REF` removes emoji",
    "draw": "`emojiart render DOC -o FILE` draws it",
    "exit": "each command ends by itself; only the prompt of `emojiart edit` is left with quit",
    "fill": "`emojiart canvas DOC --fill COLOUR` colours the canvas",
    "gui": "`emojiart serve --open` edits in a browser",
    "insert": "`emojiart add DOC EMOJI` adds emoji",
    "label": "`emojiart caption DOC TEXT` adds words",
    "man": "`emojiart help` lists the commands and topics",
    "mv": "`emojiart rename DOC NAME` renames a document, `emojiart move DOC REF` moves emoji",
    "open":
      "`emojiart edit DOC` edits line by line, `emojiart serve DOC --open` in a browser, `emojiart show DOC` shows it",
    "print": "`emojiart render DOC -o FILE.pdf --page a4` makes a page for the printer",
    "pull": "`emojiart sync` exchanges with a bucket, `emojiart merge` with copies",
    "push": "`emojiart sync` exchanges with a bucket, `emojiart merge` with copies",
    "put": "`emojiart add DOC EMOJI` adds emoji",
    "q": "each command ends by itself; only the prompt of `emojiart edit` is left with quit",
    "quit": "each command ends by itself; only the prompt of `emojiart edit` is left with quit",
    "rm": "`emojiart delete DOC` moves a document to the trash, `emojiart remove DOC REF` removes emoji",
    "save": "each edit is saved when its command ends; `emojiart copy` and `emojiart export` write elsewhere",
    "scale":
      "`emojiart resize DOC REF --by FACTOR` resizes emoji, `emojiart canvas DOC WIDTHxHEIGHT --scale` all",
    "set": "`emojiart config` shows and changes your settings",
    "size": "`emojiart resize DOC REF` resizes emoji, `emojiart canvas DOC` the canvas",
    "status":
      "`emojiart show DOC` shows a document, `emojiart list` all of them, `emojiart check` what is wrong",
    "swap": "`emojiart replace DOC REF --with EMOJI` exchanges an emoji",
    "text": "`emojiart caption DOC TEXT` adds words",
    "trash":
      "`emojiart delete DOC` moves a document to the trash, `emojiart delete DOC --undo` brings it back",
    "ui": "`emojiart serve --open` edits in a browser",
    "write": "`emojiart caption DOC TEXT` adds words",
    "zoom": "`emojiart show DOC --zoom TIMES` shows a part",
  ]

  /// The arguments with the name of the command first, which a synonym is replaced by. `--folder` and `--json`, which every command takes,
  /// may stand before it. Throws `usage` for a word that is no command and no synonym.
  static func resolved(_ arguments: [String]) throws(ArtError) -> [String] {
    var arguments = withCommandFirst(arguments)
    guard let typed = arguments.first, !typed.hasPrefix("-") else { return arguments }
    if typed == "?" { arguments[0] = "help" }
    if let name = names[typed] { arguments[0] = name }
    if arguments[0] == "help", arguments.count > 1 {
      if let name = names[arguments[1]] { arguments[1] = name }
      try check(arguments[1], or: HelpTopic.allNames)
    } else {
      try check(arguments[0])
    }
    return arguments
  }

  /// Options of every command that stand before the command are moved behind it.
  private static func withCommandFirst(_ arguments: [String]) -> [String] {
    if arguments == ["-v"] || arguments == ["-V"] { return ["--version"] }
    var (before, rest) = ([String](), arguments[...])
    while let option = rest.first {
      if option == "--json" || option.hasPrefix("--folder=") {
        before.append(rest.removeFirst())
      } else if option == "--folder", rest.count > 1 {
        before += rest.prefix(2)
        rest.removeFirst(2)
      } else {
        break
      }
    }
    guard !before.isEmpty, let command = rest.first, !command.hasPrefix("-") else { return arguments }
    // At the end, they would be the value of an option that lacks one.
    let end = rest.startIndex + depth(of: rest)
    return rest[..<end] + before + rest[end...]
  }

  /// How many of the words name the command: two for `palette edit`.
  private static func depth(of words: ArraySlice<String>) -> Int {
    var (depth, commands) = (0, Emojiart.configuration.subcommands)
    for word in words {
      let name = depth == 0 ? names[word] ?? word : word
      guard let command = commands.first(where: { $0.configuration.commandName == name }) else { break }
      (depth, commands) = (depth + 1, command.configuration.subcommands)
    }
    return max(1, depth)
  }

  /// Throws `usage` for a word that is no command and none of the others, with what was probably meant; the parser suggests only options.
  private static func check(_ name: String, or others: [String] = []) throws(ArtError) {
    let known = Emojiart.commandNames + others
    guard !name.hasPrefix("-"), !known.contains(name) else { return }
    let near = name.isEmpty ? [] : nearest(to: name, among: known)
    let hint =
      leads[name]
      ?? (near.isEmpty ? "`emojiart --help` lists them" : "did you mean \(near.joined(separator: " or "))?")
    throw ArtError(.usage, "no command \(shown(name)); \(hint)")
  }
}
