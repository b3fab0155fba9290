// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

struct Order: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "order",
    abstract: "Change which emoji are in front.",
    usage: """
      emojiart order <doc> (<ref> ... | --all)
               (--front | --back | --above <ref>)
      """,
    discussion: """
      Prints a line each: id and new place in the order. Several emoji keep their order among themselves.

      Examples:
        emojiart order bees 🐝 --front
        emojiart order bees 🌸:1 🌸:2 --above 🐝
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @OptionGroup var which: SelectionArguments
  @Flag(help: "In front of all others.") var front = false
  @Flag(help: "Behind all others.") var back = false
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Just in front of that one.", valueName: "ref"),
    completion: .custom(Completion.references))
  var above: String?
  @OptionGroup var options: EditOptions

  func run() throws {
    let ordering: Action.Ordering
    let place: String
    switch (front, back, above) {
    case (true, false, nil): (ordering, place) = (.front, "front")
    case (false, true, nil): (ordering, place) = (.back, "back")
    case (false, false, let ref?):
      let anchor = try SelectionArguments.reference(ref)
      (ordering, place) = (.above(anchor), "above \(anchor)")
    default: throw ArtError(.usage, "to which place? give one of --front, --back and --above REF")
    }
    try options.write(options.perform(.order(which.selection(), ordering), on: doc)) {
      "\($0.id) \(safe(place))"
    }
  }
}
