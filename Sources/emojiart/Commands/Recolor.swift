// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

struct Recolor: ActionCommand {
  static let configuration = CommandConfiguration(
    commandName: "color",
    abstract: "Set the colour of captions.",
    usage: "emojiart color <doc> (<ref> ... | --in <region> | --all) --to <color>",
    discussion: """
      Letters have a colour; emoji have colours of their own. Prints one line per caption: id and colour.

      Examples:
        emojiart color bees "The secret life of bees" --to '#c00'
        emojiart color bees 3k7q --to rebeccapurple
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @OptionGroup var which: SelectionArguments
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The colour: #cc0000, #c00, #cc000080 or a name.", valueName: "color"))
  var to: String
  @OptionGroup var options: EditOptions

  func action() throws(ArtError) -> Action { .color(try which.selection(), try Color(typed: to)) }

  func line(_ emoji: Emoji) -> String { "\(emoji.id) \(emoji.color)" }
}
