// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

struct Mirror: ActionCommand {
  static let configuration = CommandConfiguration(
    commandName: "mirror",
    abstract: "Exchange left and right of emoji.",
    usage: "emojiart mirror <doc> (<ref> ... | --in <region> | --all) [--off]",
    discussion: """
      An emoji that is turned, too, is mirrored first. Prints one line per emoji: id, and mirrored or plain.

      Examples:
        emojiart mirror bees 🐝
        emojiart mirror bees 🐝 --off
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @OptionGroup var which: SelectionArguments
  @Flag(help: "No longer mirrored.") var off = false
  @OptionGroup var options: EditOptions

  func action() throws(ArtError) -> Action { .mirror(try which.selection(), !off) }

  func line(_ emoji: Emoji) -> String { "\(emoji.id) \(emoji.isMirrored ? "mirrored" : "plain")" }
}
