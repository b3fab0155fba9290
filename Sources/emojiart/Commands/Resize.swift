// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

struct Resize: ActionCommand {
  static let configuration = CommandConfiguration(
    commandName: "resize",
    abstract: "Change the size of emoji.",
    usage: """
      emojiart resize <doc> (<ref> ... | --in <region> | --all)
               (--to <s> | --by <factor>)
      """,
    discussion: """
      Prints one line per emoji: id and new size.

      Examples:
        emojiart resize bees 🐝 --to 96
        emojiart resize bees 🌸:1-3 --to 20%
        emojiart resize bees --all --by 1.5
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @OptionGroup var which: SelectionArguments
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The new font size in pixels, or in percent of the canvas's shorter side.", valueName: "s"))
  var to: String?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("The factor to multiply the size by.", valueName: "factor"))
  var by: String?
  @OptionGroup var options: EditOptions

  func action() throws(ArtError) -> Action {
    let resizing: Action.Resizing
    switch (to, by) {
    case (let size?, nil): resizing = .to(try Length(size: size))
    case (nil, let typed?):
      guard let factor = decimal(typed), factor > 0 else { throw ArtError.badFactor(typed) }
      resizing = .by(factor)
    default: throw ArtError(.usage, "to what size? give --to S or --by FACTOR")
    }
    return .resize(try which.selection(), resizing)
  }

  func line(_ emoji: Emoji) -> String { "\(emoji.id) \(numberText(emoji.size.pixels))" }
}
