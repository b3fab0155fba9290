// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

struct Rotate: ActionCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Turn emoji.",
    usage: """
      emojiart rotate <doc> (<ref> ... | --in <region> | --all)
               (--to <degrees> | --by <degrees>)
      """,
    discussion: """
      Degrees are clockwise. Prints one line per emoji: id and how far it is turned now.

      Examples:
        emojiart rotate bees 🎂 --to -12
        emojiart rotate bees --all --by 90
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @OptionGroup var which: SelectionArguments
  @Option(parsing: .unconditional, help: ArgumentHelp("The new rotation.", valueName: "degrees")) var to:
    String?
  @Option(parsing: .unconditional, help: ArgumentHelp("How far to turn it further.", valueName: "degrees"))
  var by: String?
  @OptionGroup var options: EditOptions

  func action() throws(ArtError) -> Action {
    let turning: Action.Turning
    switch (to, by) {
    case (let degrees?, nil): turning = .to(try Rotation(typed: degrees))
    case (nil, let degrees?): turning = .by(try Rotation(typed: degrees))
    default: throw ArtError(.usage, "how far? give --to DEGREES or --by DEGREES")
    }
    return .rotate(try which.selection(), turning)
  }

  func line(_ emoji: Emoji) -> String { "\(emoji.id) \(numberText(emoji.rotation.degrees))" }
}
