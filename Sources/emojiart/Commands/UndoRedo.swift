// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

struct Undo: StepCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take edits back.",
    usage: "emojiart undo <doc> [<count>]",
    discussion: """
      Prints the names of the undone edits, one per line. Works across commands and restarts, for the edits that \
      `emojiart history` lists.

      Examples:
        emojiart undo bees
        emojiart undo bees 3
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Argument(help: "How many edits.") var count: String = "1"
  @OptionGroup var options: EditOptions

  var direction: UndoDirection { .undo }
}

struct Redo: StepCommand {
  static let configuration = CommandConfiguration(
    commandName: "redo",
    abstract: "Redo undone edits.",
    usage: "emojiart redo <doc> [<count>]",
    discussion: """
      Prints the names of the redone edits, one per line. After another edit there is nothing left to redo.

      Examples:
        emojiart redo bees
        emojiart redo bees 3
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Argument(help: "How many edits.") var count: String = "1"
  @OptionGroup var options: EditOptions

  var direction: UndoDirection { .redo }
}
