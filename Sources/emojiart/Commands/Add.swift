// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct Add: ActionCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add emoji on top.",
    usage: "emojiart add <doc> <emoji> ... [--at <x,y>] [--size <s>]",
    discussion: """
      Prints the new ids, one per line. Several emoji are placed side by side around the place. `:bee:` is the \
      emoji with that name; `emojiart find` finds names. `@animals:3` is the third emoji of a palette; \
      `emojiart palette` lists the palettes.

      Examples:
        emojiart add bees 🐝
        emojiart add bees :honeybee: :red_heart:
        emojiart add bees 🌸 🌼 🌸 --at 50%,90% --size 64
        emojiart add bees 🐝 --at -10,20
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Argument(
    help: "The emoji, their :names:, or @palette:3, one label each.", completion: .custom(Completion.labels))
  var emoji: [String]
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The place of its centre, in pixels or percent of the canvas.", valueName: "x,y"))
  var at: String = "50%,50%"
  @Option(parsing: .unconditional, help: ArgumentHelp("The font size in pixels.", valueName: "s"))
  var size: String = "40"
  @OptionGroup var options: EditOptions

  func action() throws(ArtError) -> Action {
    .add(try EmojiText.typed(emoji), at: try Coordinates(at), size: try FontSize(typed: size))
  }

  func run() throws {
    let action = try action()
    let result = try options.editing(doc).perform(action)
    if case .add(let texts, _, _) = action { RecentStore().add(texts) }
    try options.write(result, line: line)
  }

  func line(_ emoji: Emoji) -> String { "\(emoji.id)" }
}
