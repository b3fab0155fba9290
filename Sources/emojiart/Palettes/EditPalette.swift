// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore
import ArtWorkspace

struct EditPalette: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Change a palette.",
    usage: """
      emojiart palette edit <name> [--add <emoji> ...] [--at <place>]
                                   [--remove <emoji> ...] [--rename <name>]
      """,
    discussion: """
      Prints what it is then. A theme becomes your own version of it. What is in it already stays where it is; with \
      --at it goes there, as what is new does.

      Examples:
        emojiart palette edit bugs --add 🦋 🐞 --remove 🐜
        emojiart palette edit bugs --add 🐝 --at 1
        emojiart palette edit bugs --rename insects
      """)

  @Argument(help: "The palette.", completion: .custom(Completion.palettes)) var name: String
  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("What comes in, at the end.", valueName: "emoji"),
    completion: .custom(Completion.labels))
  var add: [String] = []
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Where it comes in, from 1.", valueName: "place"))
  var at: String?
  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("What goes.", valueName: "emoji"),
    completion: .custom(Completion.labels))
  var remove: [String] = []
  @Option(help: ArgumentHelp("What it is called from now on.", valueName: "name")) var rename: String?
  @OptionGroup var options: PaletteOptions

  func run() throws {
    guard !add.isEmpty || !remove.isEmpty || rename != nil else {
      throw ArtError(.usage, "what is to be changed? give --add, --remove or --rename")
    }
    if at != nil, add.isEmpty { throw ArtError(.usage, "--at says where --add puts emoji; give both") }
    let edit = PaletteEdit(
      adding: try EmojiText.typed(add), at: try place(), removing: try EmojiText.typed(remove),
      renaming: try rename.map { (typed) throws(ArtError) in try PaletteName(typed) })
    let typed = name
    let palette = try PaletteStore().update { (palettes) throws(ArtError) in
      try palettes.edit(palettes.palette(typed).name, edit)
    }
    Output.tell(of: "the palette itself is saved")
    try options.write([palette])
  }

  private func place() throws(ArtError) -> Int? {
    guard let at else { return nil }
    guard let place = Int(at), place >= 1 else {
      throw ArtError(.badValue, "\(shown(at)) is no place in a palette; give a number from 1")
    }
    return place
  }
}
