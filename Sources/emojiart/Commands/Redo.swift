// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

struct Redo: StepCommand {
  static let configuration = CommandConfiguration(
    commandName: "redo",
    abstract: "Do again what was undone.",
    usage: "emojiart redo <doc> [<count>]",
    discussion: """
      Prints the names of what was redone, a line each. Ends with the next edit: then nothing is left to redo.

      Examples:
        emojiart redo bees
        emojiart redo bees 3
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Argument(help: "How many edits.") var count: String = "1"
  @OptionGroup var options: EditOptions

  var direction: UndoDirection { .redo }
}
