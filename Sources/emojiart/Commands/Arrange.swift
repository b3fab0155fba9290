// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

/// A command that puts emoji into places that depend on each other.
protocol ArrangingCommand: ActionCommand {}

extension ArrangingCommand {
  func line(_ emoji: Emoji) -> String {
    "\(emoji.id) \(numberText(emoji.position.x)),\(numberText(emoji.position.y))"
  }
}

struct Align: ArrangingCommand {
  static let configuration = CommandConfiguration(
    commandName: "align",
    abstract: "Move emoji to one line.",
    usage: """
      emojiart align <doc> (<ref> ... | --in <region> | --all)
               (--left | --center | --right | --top | --middle | --bottom)
      """,
    discussion: """
      The line is an edge or the middle of all of them together; a single one is aligned to the canvas. Prints one line \
      per emoji: id and new place.

      Examples:
        emojiart align bees 🌸:* --bottom
        emojiart align bees 🎂 --center
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @OptionGroup var which: SelectionArguments
  @Flag(help: "Where they are to lie.") var flags: [AlignmentFlag] = []
  @OptionGroup var options: EditOptions

  func action() throws(ArtError) -> Action {
    guard flags.count == 1 else {
      throw ArtError(
        .usage, "to which line? give one of --left, --center, --right, --top, --middle and --bottom")
    }
    return .align(try which.selection(), flags[0].alignment)
  }
}

struct Distribute: ArrangingCommand {
  static let configuration = CommandConfiguration(
    commandName: "distribute",
    abstract: "Make the gaps between emoji equal.",
    usage: """
      emojiart distribute <doc> (<ref> ... | --in <region> | --all)
               (--horizontally | --vertically)
      """,
    discussion: """
      The outermost two stay. Prints one line per emoji: id and new place.

      Examples:
        emojiart distribute bees 🌸:* --horizontally
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @OptionGroup var which: SelectionArguments
  @Flag(help: "The direction.") var flags: [AxisFlag] = []
  @OptionGroup var options: EditOptions

  func action() throws(ArtError) -> Action {
    guard flags.count == 1 else {
      throw ArtError(.usage, "in which direction? give --horizontally or --vertically")
    }
    return .distribute(try which.selection(), flags[0].axis)
  }
}

struct LayOut: ArrangingCommand {
  static let configuration = CommandConfiguration(
    commandName: "grid",
    abstract: "Lay emoji out in rows.",
    usage: """
      emojiart grid <doc> (<ref> ... | --in <region> | --all) --columns <n>
               [--gap <length>] [--at <place>]
      """,
    discussion: """
      They are laid out in the order in which they are named, each in a cell as large as the largest one. Without a place \
      the middle of all of them stays. Prints one line per emoji: id and new place.

      Examples:
        emojiart grid bees 🕯️:* --columns 5 --gap 20
        emojiart grid bees --all --columns 3 --at center
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @OptionGroup var which: SelectionArguments
  @Option(parsing: .unconditional, help: ArgumentHelp("The number of columns.", valueName: "n")) var columns:
    String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The gap between cells in pixels, or in percent of the canvas's shorter side.", valueName: "length"))
  var gap: String = "0"
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The place of the middle: X,Y, or center, top and so on.", valueName: "place"))
  var at: String?
  @OptionGroup var options: EditOptions

  func action() throws(ArtError) -> Action {
    guard let columns = Int(columns), columns > 0 else { throw .badColumns(columns) }
    guard let space = Length(gap) else { throw .badLength(gap, "gap") }
    return .grid(
      try which.selection(), columns: columns, gap: space,
      at: try at.map { (typed) throws(ArtError) in try Target(typed: typed) })
  }
}

/// The flags of `align`.
enum AlignmentFlag: String, EnumerableFlag {
  case left, center, right, top, middle, bottom

  var alignment: Alignment {
    switch self {
    case .left: .left
    case .center: .center
    case .right: .right
    case .top: .top
    case .middle: .middle
    case .bottom: .bottom
    }
  }
}

/// The flags of `distribute`.
enum AxisFlag: String, EnumerableFlag {
  case horizontally, vertically

  var axis: Axis {
    switch self {
    case .horizontally: .horizontally
    case .vertically: .vertically
    }
  }
}
