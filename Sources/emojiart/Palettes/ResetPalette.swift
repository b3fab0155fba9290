// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore

struct ResetPalette: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Bring a theme back, or empty recent.",
    usage: "emojiart palette reset <name>",
    discussion: """
      Your own version of the theme is gone then. Prints the theme.

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
      Output.tell(of: "it is empty itself")
      return try options.write([Palettes().palette(name)])
    }
    let palette = try PaletteStore().update { (palettes) throws(ArtError) in
      try palettes.reset(name)
      return try palettes.palette(name)
    }
    Output.tell(of: "the palette itself is reset")
    try options.write([palette])
  }
}
