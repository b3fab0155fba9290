// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore

struct PaletteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "palette",
    abstract: "Keep emoji at hand: add bees @animals:3.",
    usage: """
      emojiart palette [show] [<name> ...]
      emojiart palette make <name> <emoji> ...
      emojiart palette edit <name> [--add <emoji> ...] [--at <place>]
                                   [--remove <emoji> ...] [--rename <name>]
      emojiart palette remove <name>
      emojiart palette reset <name>
      """,
    discussion: """
      Without a name it lists all palettes: the usual themes, your own, and recent, which keeps what was added last on \
      this machine. With one it lists the emoji with what to type for each. Your own palettes and your versions of \
      themes are in palettes.json in the folder EMOJIART_CONFIG, else ~/.config/emojiart.

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

/// In which form the result is written.
struct PaletteOptions: ParsableArguments {
  @Flag(help: "Write the result as one JSON value.")
  var json = false

  /// Writes palettes whole, a line each.
  func write(_ palettes: [Palette]) throws(ArtError) {
    guard !json else { return try Output.json(.object(["palettes": .array(palettes.map(\.json))])) }
    for palette in palettes {
      try Output.line(([palette.name.string] + palette.emojis.map(\.string)).joined(separator: " "))
    }
  }
}

extension Palette {
  /// The palette as people's programs see it.
  var json: JSON {
    .object([
      "emojis": .array(emojis.map { .string($0.string) }), "name": .string(name.string),
      "origin": .string(origin.rawValue),
    ])
  }
}
