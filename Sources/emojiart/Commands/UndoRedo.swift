// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

struct Undo: StepCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take edits back.",
    usage: "emojiart undo <doc> [<count> | --edit <id>]",
    discussion: """
      Prints the names of the undone edits, one per line. Works across commands and restarts, for the edits that \
      `emojiart history` lists. --edit undoes one edit, whatever came after it; `emojiart history --json` shows the \
      ids. What later edits have set stays.

      Examples:
        emojiart undo bees
        emojiart undo bees 3
        emojiart undo bees --edit k3m9abcd0f2z:1
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Argument(help: "How many edits.") var count: String = "1"
  @Option(parsing: .unconditional, help: ArgumentHelp("The edit of that id only.", valueName: "id"))
  var edit: String?
  @OptionGroup var options: EditOptions

  var direction: UndoDirection { .undo }

  func run() throws {
    guard let edit = try editID() else { return try runSteps() }
    try write(options.editing(doc).undo(edit), of: 1)
  }

  /// The edit that is to be undone; nil for the newest ones. Throws `badValue`, `usage`.
  func editID() throws(ArtError) -> EditID? {
    guard let edit else { return nil }
    guard count == "1" else { throw ArtError(.usage, "a count or --edit: give one of them") }
    guard let id = EditID(edit) else {
      throw ArtError(
        .badValue, "\(shown(edit)) is no edit's id; `emojiart history --json` shows them", about: edit)
    }
    return id
  }
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
