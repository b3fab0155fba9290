// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

struct Order: ActionCommand {
  static let configuration = CommandConfiguration(
    commandName: "order",
    abstract: "Change which emoji are in front.",
    usage: """
      emojiart order <doc> (<ref> ... | --in <region> | --all)
               (--front | --back | --above <ref>)
      """,
    discussion: """
      Prints one line per emoji: id and new place in the order. Several emoji keep their order among themselves.

      Examples:
        emojiart order bees 🐝 --front
        emojiart order bees 🌸:1 🌸:2 --above 🐝
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @OptionGroup var which: SelectionArguments
  @Flag(help: "In front of all others.") var front = false
  @Flag(help: "Behind all others.") var back = false
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Just in front of this emoji.", valueName: "ref"),
    completion: .custom(Completion.references))
  var above: String?
  @OptionGroup var options: EditOptions

  func action() throws(ArtError) -> Action {
    let ordering: Action.Ordering
    switch (front, back, above) {
    case (true, false, nil): ordering = .front
    case (false, true, nil): ordering = .back
    case (false, false, let ref?): ordering = .above(try Reference(typed: ref))
    default: throw ArtError(.usage, "to which place? give one of --front, --back and --above REF")
    }
    return .order(try which.selection(), ordering)
  }

  func line(_ emoji: Emoji) -> String {
    "\(emoji.id) \(front ? "front" : back ? "back" : "above \(safe(anchor))")"
  }

  /// The anchor as it was parsed, not as it was typed.
  private var anchor: String {
    guard let above else { return "" }
    do throws(ArtError) { return "\(try Reference(typed: above))" } catch { return above }
  }
}
