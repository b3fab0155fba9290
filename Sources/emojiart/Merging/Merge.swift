// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct Merge: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge copies of a document that were edited apart.",
    usage: """
      emojiart merge <doc> [<copy> ...] [--dry-run] [--keep] [--by-value]
      emojiart merge --driver <ancestor> <doc> <copy> [<path>]
      """,
    discussion: """
      All edits of the copies come into the document; no edit is lost, and whoever merges the same copies gets the \
      same file. Where two copies have set the same thing, one value stays, and what the other one was is printed. \
      An emoji that one copy removed and another one changed stays.

      Without a copy, the conflict copies beside the document are merged that Syncthing, Dropbox or Nextcloud have \
      put there. A conflict copy that is merged is removed; the state folder keeps it.

      Copies that have been edited so often that the edits they keep no longer reach back to a common state are refused. \
      With --by-value they are merged by what they have now: an emoji that only one of them has stays, and what had to \
      be guessed is printed. The state folder keeps the document as it was.

      In git, `*.emojiart merge=emojiart` in .gitattributes, and once on each machine: \
      git config merge.emojiart.driver 'emojiart merge --driver %O %A %B %P'

      Examples:
        emojiart merge bees
        emojiart merge bees --dry-run
        emojiart merge bees /mnt/usb/bees.emojiart
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Argument(
    help: ArgumentHelp("Copies of it; without one, the conflict copies beside it.", valueName: "copy"),
    completion: .file(extensions: ["emojiart"]))
  var copies: [String] = []
  @Flag(name: .customLong("dry-run"), help: "Only tell what a merge would bring.") var dryRun = false
  @Flag(help: "Leave merged conflict copies where they are.") var keep = false
  @Flag(name: .customLong("by-value"), help: "Merge copies that have parted by what they have now.")
  var byValue = false
  @Flag(
    help:
      "As git's merge driver: three files, of which the second one becomes the result, and its name in messages."
  )
  var driver = false
  @OptionGroup var common: CommonOptions

  func run() throws {
    guard !driver else { return try runDriver() }
    let file = try common.file(doc)
    var others: [DocumentFile]?
    if !copies.isEmpty {
      others = []
      for copy in copies { others?.append(try common.file(copy)) }
    }
    let merging = try Merging(by: .ofCommand)
    let result =
      dryRun
      ? try merging.preview(file, others, isByValue: byValue)
      : try merging.merge(file, others, keepingCopies: keep, isByValue: byValue)
    if !dryRun { Output.addToErrors("the merge itself is saved") }
    for error in result.kept { Output.printError(error.message) }
    if result.outcome.isPictureLost {
      Output.printError("no copy has the picture of the background any more; set it again")
    }
    let words = MergeWords(result, document: doc)
    guard !common.json else { return try Output.json(words.json()) }
    for line in words.lines(isDone: !dryRun) { try Output.line(line) }
  }

  /// As git calls it: with temporary files of the common ancestor, of ours, which becomes the result, and of theirs; and with the path that the
  /// document has in the repository. git takes a status above 0 as a conflict, and leaves ours as it is.
  private func runDriver() throws {
    guard (2...3).contains(copies.count), !dryRun, !keep, !byValue, !common.json else {
      throw ArtError(.usage, "--driver takes three files, ancestor, ours and theirs, and a path")
    }
    var (ours, theirs) = (DocumentFile(copies[0]), DocumentFile(copies[1]))
    if copies.count == 3 { (ours.name, theirs.name) = (copies[2], "\(copies[2]) of the other side") }
    let result = try Merging(by: .ofCommand).merge(ours, theirs, from: DocumentFile(doc))
    if result.merge.outcome.conflicts > 0 {
      for line in MergeWords(result.merge, document: ours.name).lines(isDone: true) {
        Output.printError(line)
      }
    }
    guard result.leftOut > 0 else { return }
    let edits = result.leftOut == 1 ? "1 edit" : "\(result.leftOut) edits"
    let they = result.leftOut == 1 ? "it is" : "they are"
    guard let run = result.undone else {
      return Output.printError(
        "\(ours.name): one side is without \(edits) of the ancestor; \(they) taken back already")
    }
    Output.printError("\(ours.name): one side is without \(edits) of the ancestor; \(they) taken back:")
    for (entry, author) in zip(run.entries, run.authors) {
      Output.printError("  \(safe(entry.title(reverting: author)))")
    }
    for note in UndoDirection.undo.notes(run.entries, of: run.entries.count, left: run.left) {
      Output.printError("  \(note)")
    }
    for lost in run.lost { Output.printError("  \(lost.background.lossText(isPending: lost.isPending))") }
  }
}

/// What a merge brought, in words.
struct MergeWords {
  private let result: Merging.Result
  private let document: String

  /// `document` is the document as the user named it.
  init(_ result: Merging.Result, document: String) { (self.result, self.document) = (result, document) }

  func lines(isDone: Bool) -> [String] {
    result.outcome.parts.flatMap { lines($0, isDone: isDone) } + result.removed.map { "\(safe($0)): removed" }
  }

  private func lines(_ part: MergeOutcome.Part, isDone: Bool) -> [String] {
    let report = part.report
    let edits = report.fromSecond == 1 ? "1 edit" : "\(report.fromSecond) edits"
    let what = isDone ? "merged" : "would be merged"
    let first =
      report.doubts != nil
      ? "\(what) by value" : report.fromSecond == 0 ? "nothing new" : "\(edits) \(what)"
    return ["\(safe(part.name)): \(first)"] + (report.doubts ?? []).map(line)
      + report.conflicts.flatMap(lines) + report.survivors.map(line)
      + report.addedTwice.map { "\(text($0)): both had added it; it is one emoji" }
  }

  private func lines(_ conflict: MergeReport.Conflict) -> [String] {
    let name = safe(ArtError.Remedy.shellWord(document))
    let undo = "`emojiart undo \(name) --edit \(conflict.kept.stamp.id)` brings it back"
    return [
      "\(subject(conflict.field)): \(what(conflict.kept)) stays",
      "  not \(what(conflict.other))\(conflict.isUndoable ? "; \(undo)" : "")",
    ]
  }

  private func line(_ doubt: MergeReport.Doubt) -> String {
    guard let other = doubt.other else {
      return "\(subject(doubt.kept.field)): only one copy has it; it stays"
    }
    return "\(subject(doubt.kept.field)): \(safe(doubt.kept.summary)) stays, not \(safe(other.summary))"
  }

  private func line(_ survivor: MergeReport.Survivor) -> String {
    "\(text(survivor.emoji)): stays with \(what(survivor.change)), not \(what(survivor.removal))"
  }

  private func what(_ write: MergeReport.Write) -> String {
    "\(safe(write.change.summary)) (\(by(write.stamp)), \(Time.local(write.stamp.time / 1000)))"
  }

  private func by(_ stamp: EditStamp) -> String { safe(stamp.author ?? stamp.id.origin.description) }

  private func subject(_ field: Field) -> String { field.emoji.map(text) ?? "the document" }

  private func text(_ id: EmojiID) -> String {
    result.outcome.content.emoji(id).map { safe($0.text.label) } ?? id.description
  }

  /// The line of `watch --json`.
  var notice: JSON {
    .object(members.merging(["document": .string(document), "event": .string("merged")]) { $1 })
  }

  func json() -> JSON { .object(members) }

  private var members: [String: JSON] {
    [
      "changed": .boolean(result.outcome.hasChanged), "copies": .array(result.outcome.parts.map(json)),
      "pictureLost": .boolean(result.outcome.isPictureLost),
      "removed": .array(result.removed.map { .string($0) }),
      "revision": .integer(result.outcome.content.revision),
    ]
  }

  private func json(_ part: MergeOutcome.Part) -> JSON {
    let doubts = part.report.doubts.map { doubts in
      JSON.array(
        doubts.map {
          .object([
            "emoji": .optional($0.kept.field.emoji?.description), "kept": .string($0.kept.summary),
            "other": .optional($0.other?.summary),
          ])
        })
    }
    return .object([
      "conflicts": .array(
        part.report.conflicts.map {
          .object([
            "emoji": .optional($0.field.emoji?.description), "kept": json($0.kept), "other": json($0.other),
            "undo": .boolean($0.isUndoable),
          ])
        }),
      "copy": .string(part.name), "doubts": doubts ?? .null, "edits": .integer(part.report.fromSecond),
      "survivors": .array(
        part.report.survivors.map {
          .object([
            "change": json($0.change), "emoji": .string($0.emoji.description), "removal": json($0.removal),
          ])
        }),
    ])
  }

  private func json(_ write: MergeReport.Write) -> JSON {
    .object([
      "by": .string(write.stamp.author ?? write.stamp.id.origin.description),
      "edit": .string(write.stamp.id.description),
      "time": .optional(UTCTime.text(milliseconds: write.stamp.time)), "what": .string(write.change.summary),
    ])
  }
}
