// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

struct Move: ActionCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Move emoji.",
    usage: """
      emojiart move <doc> (<ref> ... | --in <region> | --all)
               (--to <x,y> | --by <dx,dy>)
      """,
    discussion: """
      Prints one line per emoji: id and new place. Places and distances are in pixels or percent of the canvas. A \
      place can also be center, top, bottom-right and so on: there the emoji touches the edges.

      Examples:
        emojiart move bees 🐝 --to 120,80
        emojiart move bees k3 🌸:2 --by -10,20
        emojiart move bees 🌸:* --to bottom
        emojiart move bees --in 0,0,50%x100% --by 0,5%
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @OptionGroup var which: SelectionArguments
  @Option(parsing: .unconditional, help: ArgumentHelp("The new place.", valueName: "x,y")) var to: String?
  @Option(parsing: .unconditional, help: ArgumentHelp("The distance to move it by.", valueName: "dx,dy"))
  var by: String?
  @OptionGroup var options: EditOptions

  func action() throws(ArtError) -> Action {
    let displacement: Action.Displacement
    switch (to, by) {
    case (let place?, nil): displacement = .to(try Target(typed: place))
    case (nil, let distance?): displacement = .by(try Coordinates(distance))
    default: throw ArtError(.usage, "where to? give --to X,Y or --by DX,DY")
    }
    return .move(try which.selection(), displacement)
  }

  func line(_ emoji: Emoji) -> String {
    "\(emoji.id) \(numberText(emoji.position.x)),\(numberText(emoji.position.y))"
  }
}
