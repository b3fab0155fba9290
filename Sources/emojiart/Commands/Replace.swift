// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct Replace: EmojiCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace",
    abstract: "Exchange emoji for another one, or for words.",
    usage: """
      emojiart replace <doc> (<ref> ... | --in <region> | --all)
               (--with <emoji> | --words <text>)
      """,
    discussion: """
      Place, size, rotation and order stay. Prints one line per emoji: id and the new emoji or words.

      Examples:
        emojiart replace bees 🌸 --with 🌻
        emojiart replace bees 🌸:* --with :tulip:
        emojiart replace bees "Happy birthday" --words "Happy\\nbirthday"
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @OptionGroup var which: SelectionArguments
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The new emoji, its :name:, or @palette:3.", valueName: "emoji"),
    completion: .custom(Completion.labels))
  var with: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The new words, which make a caption of it; `\\n` begins a new line.", valueName: "text"))
  var words: String?
  @OptionGroup var options: EditOptions

  func requested() throws(ArtError) -> RequestedEdit {
    switch (with, words) {
    case (let emoji?, nil): .action(.setText(try which.selection(), try EmojiText(typed: emoji)))
    case (nil, let text?): .caption(.set(try which.selection(), try Words(typed: text)))
    default: throw ArtError(.usage, "give either --with EMOJI or --words TEXT")
    }
  }

  func line(_ emoji: Emoji) -> String { "\(emoji.id) \(safe(emoji.text.label))" }
}
