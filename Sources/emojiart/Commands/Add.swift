// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct Add: ActionCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add emoji on top.",
    usage: """
      emojiart add <doc> <emoji> ... [--at <place>] [--size <s>]
      emojiart add <doc> <emoji> ... --grid <columnsxrows>
               [--in <region>] [--size <s>]
      """,
    discussion: """
      Prints the new ids, one per line. Several emoji are placed side by side around the place. With --grid one emoji \
      is put into each cell; several take turns, and without a size they fill the cells. `:bee:` is the \
      emoji with that name; `emojiart find` finds names. `@animals:3` is the third emoji of a palette; \
      `emojiart palette` lists the palettes.

      Examples:
        emojiart add bees 🐝
        emojiart add bees :honeybee: :red_heart:
        emojiart add bees 🌸 🌼 🌸 --at 50%,90% --size 64
        emojiart add bees 🌻 --at bottom-right --size 20%
        emojiart add bees 🍓 🍋 --grid 6x2 --in 0,0,100%x30%
        emojiart add bees 🐝 --at -10,20
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Argument(
    help: "The emoji, their :names:, or @palette:3.", completion: .custom(Completion.labels))
  var emoji: [String]
  @OptionGroup var place: PlaceArguments
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Cells to fill, such as 3x4.", valueName: "columnsxrows"))
  var grid: String?
  @Option(
    name: .customLong("in"), parsing: .unconditional,
    help: ArgumentHelp("The region of the grid. Without it the whole canvas.", valueName: "region"))
  var region: String?
  @OptionGroup var options: EditOptions

  func action() throws(ArtError) -> Action {
    let texts = try EmojiText.typed(emoji)
    guard let grid else {
      guard region == nil else {
        throw ArtError(.usage, "--in is about a grid; give --grid COLUMNSxROWS, too")
      }
      return .add(texts, at: try place.target(), size: try place.lengthOrPreferred())
    }
    guard place.at == nil else {
      throw ArtError(.usage, "a grid has no --at; give its region with --in X,Y,WxH")
    }
    return .addGrid(
      texts, try Grid(typed: grid),
      in: try region.map { (typed) throws(ArtError) in try Region(typed: typed) } ?? .whole,
      size: try place.length())
  }

  func run() throws {
    let action = try action()
    let result = try options.editing(doc).perform(action)
    RecentStore().add(try EmojiText.typed(emoji))
    try options.write(result, line: line)
    try options.printNotices(of: action, on: doc)
  }

  func line(_ emoji: Emoji) -> String { "\(emoji.id)" }
}
