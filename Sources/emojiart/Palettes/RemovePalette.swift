// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore

struct RemovePalette: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Take a palette away.",
    usage: "emojiart palette remove <name>",
    discussion: """
      Prints what it was. A theme can be brought back with reset.

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
    Output.tell(of: "the palette itself is gone")
    try options.write([palette])
  }
}
