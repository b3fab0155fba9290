// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

struct Remove: ActionCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove emoji.",
    usage: "emojiart remove <doc> (<ref> ... | --in <region> | --all)",
    discussion: """
      Prints one line per emoji: id and emoji. `emojiart undo` brings them back.

      Examples:
        emojiart remove bees 🐝
        emojiart remove bees --all
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @OptionGroup var which: SelectionArguments
  @OptionGroup var options: EditOptions

  func action() throws(ArtError) -> Action { .remove(try which.selection()) }

  func line(_ emoji: Emoji) -> String { "\(emoji.id) \(safe(emoji.text.label))" }
}
