// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct Replace: ActionCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace",
    abstract: "Exchange emoji for another one.",
    usage: "emojiart replace <doc> (<ref> ... | --in <region> | --all) --with <emoji>",
    discussion: """
      Place, size, rotation and order stay. Prints one line per emoji: id and the new emoji.

      Examples:
        emojiart replace bees 🌸 --with 🌻
        emojiart replace bees 🌸:* --with :tulip:
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @OptionGroup var which: SelectionArguments
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The new emoji, its :name:, or @palette:3.", valueName: "emoji"),
    completion: .custom(Completion.labels))
  var with: String
  @OptionGroup var options: EditOptions

  func action() throws(ArtError) -> Action { .setText(try which.selection(), try EmojiText(typed: with)) }

  func line(_ emoji: Emoji) -> String { "\(emoji.id) \(safe(emoji.text.label))" }
}
