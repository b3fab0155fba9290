// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore
import ArtWorkspace

struct MakePalette: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make",
    abstract: "Make a palette.",
    usage: "emojiart palette make <name> <emoji> ...",
    discussion: """
      Prints it. What exists is never replaced.

      Examples:
        emojiart palette make bugs 🐝 🐛 🐜
        emojiart palette make garden @plants:1 @animals:55
      """)

  @Argument(help: "What it is called: letters, digits and hyphens.") var name: String
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
    Output.tell(of: "the palette itself is saved")
    try options.write([palette])
  }
}
