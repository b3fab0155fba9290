// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtTerminal
import ArtWorkspace
import Glibc

struct PaletteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "palette",
    abstract: "List and change palettes of emoji.",
    usage: """
      emojiart palette [show] [<name> ...]
      emojiart palette make <name> <emoji> ...
      emojiart palette edit <name> [--add <emoji> ...] [--at <place>]
                                   [--remove <emoji> ...] [--rename <name>]
      emojiart palette remove <name>
      emojiart palette reset <name>
      """,
    discussion: """
      Without a name it lists all palettes: the usual themes, your own palettes, and `recent`, which has the emoji that were \
      added last on this machine. With a name it lists the emoji, and what to type for each. Your own palettes and your \
      versions of themes are in palettes.json in the folder EMOJIART_CONFIG, else ~/.config/emojiart.

      Examples:
        emojiart palette
        emojiart palette animals
        emojiart palette make bugs 🐝 🐛 🐜
        emojiart palette edit bugs --add 🦋 --at 1
        emojiart add bees @bugs:1
      """,
    subcommands: [
      ShowPalette.self, MakePalette.self, EditPalette.self, RemovePalette.self, ResetPalette.self,
    ],
    defaultSubcommand: ShowPalette.self)

  static var commandNames: [String] { configuration.subcommands.compactMap { $0.configuration.commandName } }
}

// MARK: - Output

/// The output format of the palette commands.
struct PaletteOptions: ParsableArguments {
  @Flag(help: "Write the result as one JSON value.")
  var json = false

  /// Prints palettes completely, one per line.
  func write(_ palettes: [Palette]) throws(ArtError) {
    guard !json else { return try Output.json(.object(["palettes": .array(palettes.map(\.json))])) }
    for palette in palettes {
      try Output.line(([palette.name.string] + palette.emojis.map(\.string)).joined(separator: " "))
    }
  }
}

extension Palette {
  /// The JSON form of the palette.
  var json: JSON {
    .object([
      "emojis": .array(emojis.map { .string($0.string) }), "name": .string(name.string),
      "origin": .string(origin.rawValue),
    ])
  }
}

// MARK: - Subcommands

struct EditPalette: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Change a palette.",
    usage: """
      emojiart palette edit <name> [--add <emoji> ...] [--at <place>]
                                   [--remove <emoji> ...] [--rename <name>]
      """,
    discussion: """
      Prints the new palette. Editing a theme makes your own version of it. An emoji that the palette already has stays \
      where it is; with --at it is moved there, like a new one.

      Examples:
        emojiart palette edit bugs --add 🦋 🐞 --remove 🐜
        emojiart palette edit bugs --add 🐝 --at 1
        emojiart palette edit bugs --rename insects
      """)

  @Argument(help: "The palette.", completion: .custom(Completion.palettes)) var name: String
  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("Emoji to add, at the end.", valueName: "emoji"),
    completion: .custom(Completion.labels))
  var add: [String] = []
  @Option(
    parsing: .unconditional, help: ArgumentHelp("The place of the added emoji, from 1.", valueName: "place"))
  var at: String?
  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("Emoji to remove.", valueName: "emoji"),
    completion: .custom(Completion.labels))
  var remove: [String] = []
  @Option(help: ArgumentHelp("The new name.", valueName: "name")) var rename: String?
  @OptionGroup var options: PaletteOptions

  func run() throws {
    guard !add.isEmpty || !remove.isEmpty || rename != nil else {
      throw ArtError(.usage, "what is to be changed? give --add, --remove or --rename")
    }
    if at != nil, add.isEmpty { throw ArtError(.usage, "--at says where --add puts emoji; give both") }
    let edit = PaletteEdit(
      adding: try EmojiText.typed(add), at: try position(), removing: try EmojiText.typed(remove),
      renaming: try rename.map { (typed) throws(ArtError) in try PaletteName(typed) })
    let typed = name
    let palette = try PaletteStore().update { (palettes) throws(ArtError) in
      try palettes.edit(palettes.palette(typed).name, edit)
    }
    Output.addToErrors("the palette itself is saved")
    try options.write([palette])
  }

  private func position() throws(ArtError) -> Int? {
    guard let at else { return nil }
    guard let position = Int(at), position >= 1 else {
      throw ArtError(.badValue, "\(shown(at)) is no place in a palette; give a number from 1")
    }
    return position
  }
}

struct MakePalette: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make",
    abstract: "Make a palette.",
    usage: "emojiart palette make <name> <emoji> ...",
    discussion: """
      Prints the palette. An existing one is never replaced.

      Examples:
        emojiart palette make bugs 🐝 🐛 🐜
        emojiart palette make garden @plants:1 @animals:55
      """)

  @Argument(help: "Its name: letters, digits and hyphens.") var name: String
  @Argument(
    help: "The emoji, each once.", completion: .custom(Completion.labels)) var emoji: [String]
  @OptionGroup var options: PaletteOptions

  func run() throws {
    let name = try PaletteName(name)
    let texts = try EmojiText.typed(emoji)
    let palette = try PaletteStore().update { (palettes) throws(ArtError) in
      try palettes.make(name, of: texts)
      return try palettes.palette(name)
    }
    Output.addToErrors("the palette itself is saved")
    try options.write([palette])
  }
}

struct RemovePalette: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a palette.",
    usage: "emojiart palette remove <name>",
    discussion: """
      Prints the removed palette. `reset` restores a theme.

      Examples:
        emojiart palette remove bugs
      """)

  @Argument(help: "The palette.", completion: .custom(Completion.palettes)) var name: String
  @OptionGroup var options: PaletteOptions

  func run() throws {
    let typed = name
    let palette = try PaletteStore().update { (palettes) throws(ArtError) in
      let palette = try palettes.palette(typed)
      try palettes.remove(palette.name)
      return palette
    }
    Output.addToErrors("the palette itself is gone")
    try options.write([palette])
  }
}

struct ResetPalette: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Restore a theme, or empty recent.",
    usage: "emojiart palette reset <name>",
    discussion: """
      Deletes your own version of the theme. Prints the theme.

      Examples:
        emojiart palette reset animals
        emojiart palette reset recent
      """)

  @Argument(help: "The palette.", completion: .custom(Completion.palettes)) var name: String
  @OptionGroup var options: PaletteOptions

  func run() throws {
    let name = try PaletteName(name)
    if name == .recent {
      try RecentStore().forget()
      Output.addToErrors("it is empty itself")
      return try options.write([Palettes().palette(name)])
    }
    let palette = try PaletteStore().update { (palettes) throws(ArtError) in
      try palettes.reset(name)
      return try palettes.palette(name)
    }
    Output.addToErrors("the palette itself is reset")
    try options.write([palette])
  }
}

struct ShowPalette: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "List the palettes, or the emoji of some.",
    usage: "emojiart palette show [<name> ...]",
    discussion: """
      Examples:
        emojiart palette show
        emojiart palette show animals
      """)

  @Argument(help: "The palettes.", completion: .custom(Completion.palettes)) var name: [String] = []
  @OptionGroup var options: PaletteOptions

  func run() throws {
    let palettes = try PaletteStore().palettes()
    var shown: [Palette] = []
    for name in name { shown.append(try Self.palette(name, in: palettes)) }
    if options.json { return try options.write(name.isEmpty ? palettes.all : shown) }
    if name.isEmpty {
      let isCompact = isatty(1) == 1 && TerminalSize.now(nil).sizeClass == .compact
      return try isCompact ? Self.listCompactly(palettes.all) : Self.list(palettes.all)
    }
    for palette in shown { try Self.write(palette) }
  }

  private static func palette(_ typed: String, in palettes: Palettes) throws(ArtError) -> Palette {
    do throws(ArtError) {
      return try palettes.palette(typed)
    } catch {
      // The name may be a mistyped subcommand.
      let commands = nearest(to: typed, among: PaletteCommand.commandNames)
      guard let near = commands.first, nearest(to: typed, among: palettes.all.map(\.name.string)).isEmpty
      else { throw error }
      throw ArtError(.usage, "no palette and no command \(typed); did you mean `emojiart palette \(near)`?")
    }
  }

  /// How many emoji of each palette are listed.
  private static let first = 8

  private static func list(_ palettes: [Palette]) throws(ArtError) {
    let width = palettes.map(\.name.string.count).max() ?? 0
    try Output.line(Style.bold("\("NAME".padded(to: width))  KIND     COUNT  EMOJI"))
    for palette in palettes {
      let emojis = palette.beginning(first)
      let row =
        "\(palette.name.string.padded(to: width))  \(palette.origin.rawValue.padded(to: 7))  "
        + String(palette.emojis.count).indented(to: 5)
      try Output.line(emojis.isEmpty ? row : "\(row)  \(emojis)")
    }
  }

  /// The list for a narrow terminal: names, and fewer emoji.
  private static func listCompactly(_ palettes: [Palette]) throws(ArtError) {
    let width = palettes.map(\.name.string.count).max() ?? 0
    for palette in palettes {
      let name = palette.name.string
      try Output.line(
        palette.emojis.isEmpty ? name : "\(name.padded(to: width))  \(palette.beginning(first / 2))")
    }
  }

  private static func write(_ palette: Palette) throws(ArtError) {
    if palette.emojis.isEmpty { Output.printError("nothing was added on this machine yet") }
    let width = palette.pick(palette.emojis.count).count
    for (index, text) in palette.emojis.enumerated() {
      try Output.line("\(palette.pick(index + 1).padded(to: width))  \(text)")
    }
  }
}

extension Palette {
  /// The first emoji of the palette, and an ellipsis if there are more.
  fileprivate func beginning(_ count: Int) -> String {
    (emojis.prefix(count).map(\.string) + (emojis.count > count ? ["…"] : [])).joined(separator: " ")
  }
}
