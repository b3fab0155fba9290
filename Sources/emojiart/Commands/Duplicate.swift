// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

struct Duplicate: ActionCommand {
  static let configuration = CommandConfiguration(
    commandName: "duplicate",
    abstract: "Add copies of emoji.",
    usage: """
      emojiart duplicate <doc> (<ref> ... | --in <region> | --all)
               [--by <dx,dy>]
      """,
    discussion: """
      The copies are on top. Prints one line per copy: its id and place.

      Examples:
        emojiart duplicate bees 🕯️ --by 60,0
        emojiart duplicate bees --all --by 0,50%
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @OptionGroup var which: SelectionArguments
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How far a copy lies from its original. Without it 20 pixels each way.", valueName: "dx,dy"))
  var by: String?
  @OptionGroup var options: EditOptions

  func action() throws(ArtError) -> Action {
    .duplicate(
      try which.selection(),
      by: try by.map { (typed) throws(ArtError) in try Coordinates(typed) } ?? .duplicateDistance)
  }

  func line(_ emoji: Emoji) -> String {
    "\(emoji.id) \(numberText(emoji.position.x)),\(numberText(emoji.position.y))"
  }
}
