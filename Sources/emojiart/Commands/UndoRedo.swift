// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct Undo: StepCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take edits back.",
    usage: "emojiart undo <doc> [<count> | --edit <rev|id>]",
    discussion: """
      Prints the names of the undone edits, one per line. Works across commands and restarts, for the edits that \
      `emojiart history` lists. --edit takes back one edit, by the revision in the history or its id, whatever came \
      after it; of an undo it brings back what that took. Where a later edit has set the same of an emoji, such as its \
      place, that stays, and is told.

      Examples:
        emojiart undo bees
        emojiart undo bees 3
        emojiart undo bees --edit 17
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Argument(help: "How many edits.") var count: String = "1"
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only the edit of that revision, or of that id.", valueName: "rev|id"))
  var edit: String?
  @OptionGroup var options: EditOptions

  var direction: UndoDirection { .undo }

  func run() throws {
    guard edit != nil else { return try runSteps() }
    let file = try options.common.file(doc)
    guard let id = try editID({ (revision) throws(ArtError) in try Self.edit(of: revision, in: file) }) else {
      return
    }
    try write(options.editing(doc).undo(id), of: 1)
  }

  /// The edit of a revision. Throws `noSuchRevision`.
  private static func edit(of revision: Int, in file: DocumentFile) throws(ArtError) -> EditID {
    let content = try Recovery.silent.content(of: file)
    if let entry = content.log.last(where: { $0.revision == revision }) { return entry.id }
    throw ArtError(
      .noSuchRevision, "the history has no edit with revision \(revision)", about: "\(revision)",
      remedy: .listEdits)
  }

  /// The edit that is to be taken back; nil for the newest ones. `editOfRevision` finds the edit of a revision. Throws `badValue`, `usage`,
  /// and what `editOfRevision` throws.
  func editID(
    _ editOfRevision: ((Int) throws(ArtError) -> EditID)? = nil
  ) throws(ArtError) -> EditID? {
    guard let edit else { return nil }
    guard count == "1" else { throw ArtError(.usage, "a count or --edit: give one of them") }
    if let editOfRevision, let revision = Int(edit) { return try editOfRevision(revision) }
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
      Prints the names of the redone edits, one per line. After another edit there is nothing left to redo; then \
      `emojiart undo --edit REV` takes one undo back.

      Examples:
        emojiart redo bees
        emojiart redo bees 3
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Argument(help: "How many edits.") var count: String = "1"
  @OptionGroup var options: EditOptions

  var direction: UndoDirection { .redo }
}
