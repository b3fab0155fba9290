// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct Restore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Restore unsaved edits of programs that were killed.",
    usage: """
      emojiart restore [<where> ...] [--list | --discard [--yes] |
               --into <newdoc>] [--from-elsewhere]
      """,
    discussion: """
      A program that is killed while it edits leaves a journal of the edits that it had answered but not saved. This \
      command, or the next edit of the document, restores them. What others have saved since stays. If the document is \
      gone, replaced or damaged, its edits are kept and reported.

      --list also lists the states of documents that could not be merged, and the originals of repaired documents: the state \
      folder keeps them, and nothing removes them but you. `emojiart merge <doc> <file>` takes one back.

      Examples:
        emojiart restore --list
        emojiart restore bees
        emojiart restore bees --into bees-saved
      """)

  @Argument(
    help: "Documents, or folders of them (default: all edits on this machine).",
    completion: .custom(Completion.documents))
  var `where`: [String] = []
  @Flag(help: "Only list the edits.") var list = false
  @Flag(help: "Drop the edits.") var discard = false
  @Flag(help: "Do not ask.") var yes = false
  @Option(help: ArgumentHelp("Save the edits in a new document.", valueName: "newdoc")) var into: String?
  @Flag(
    name: .customLong("from-elsewhere"),
    help: "Also restore edits of other machines and containers, whose programs must have ended.")
  var fromElsewhere = false
  @OptionGroup var common: CommonOptions

  func run() throws {
    guard [list, discard, into != nil].count(where: { $0 }) <= 1 else {
      throw ArtError(.usage, "--list, --discard or --into: give one of them")
    }
    guard discard || !yes else { throw ArtError(.usage, "--yes goes with --discard") }
    guard !fromElsewhere || !`where`.isEmpty else {
      throw ArtError(
        .usage, "--from-elsewhere goes with the documents whose programs you know to be gone; name them")
    }
    let notice: @Sendable (DocumentNotice) -> Void = { Output.printError($0.message) }
    let selection = try OrphanedEditsSelection(`where`, notice: notice) { (name) throws(ArtError) in
      try common.file(name)
    }
    var outcome = Restored(isJSON: common.json)
    let restoration = try Restoration(
      selection, by: .ofCommand, trustsElsewhere: fromElsewhere, notice: notice)
    let task: Restoration.Task
    if let into {
      task = .save(into: try common.newFile(into))
    } else if discard {
      task = .discard(agreed: yes ? nil : try ask(restoration, &outcome))
    } else {
      task = list ? .list : .restore
    }
    try restoration.run(task) { (event) throws(ArtError) in try outcome.receive(event) }
    if list, `where`.isEmpty { try outcome.list(try Quarantine.kept.files()) }
    try outcome.finish()
  }

  /// Asks which journals the user wants to drop.
  private func ask(
    _ restoration: Restoration, _ outcome: inout Restored
  ) throws(ArtError) -> Set<Origin> {
    let questions = try restoration.questions { (event) throws(ArtError) in try outcome.receive(event) }
    var agreed: Set<Origin> = []
    for question in questions {
      do throws(ArtError) {
        if !question.isSaved {
          let (name, source) = (question.edits.name, RecoveryMessages.source(question.edits))
          let more = question.isWhole ? "" : " and the unreadable rest of the journal,"
          let what = "\(RecoveryMessages.count(question.count))\(more) of \(name) (\(source))"
          try confirm("Drop \(what)", "dropping \(what)", otherwise: "the edits of \(name) are kept")
        }
        agreed.insert(question.origin)
      } catch {
        outcome.keep(error)
      }
    }
    return agreed
  }
}

/// What `restore` has done, for its output.
private struct Restored {
  let isJSON: Bool
  private var results: [JSON] = []
  private var status = ExitStatus.done

  init(isJSON: Bool) { self.isJSON = isJSON }

  /// Reports an event.
  mutating func receive(_ event: Restoration.Event) throws(ArtError) {
    switch event {
    case .failed(let error, let edits): keep(error, edits)
    case .listed(let edits, let report): try list(edits, report)
    case .listedKept(let edits, let error): try listKept(edits, error)
    case .restored(let edits, let report, let name):
      Output.addToErrors(
        FilePath(name) == FilePath(edits.name) ? "the edits are restored" : "\(name) is made")
      try restored(edits, report, into: name)
    case .beyondLog(let report, let name): Output.printError(report.beyondLog(of: name))
    case .dropped(let edits, let count): try dropped(edits, count)
    case .createdFromCopy(let new, let source, let original):
      Output.printError("\(new) is made of \(source), which is \(original) moved, or a copy of it")
    case .nothingToSave:
      throw ArtError(
        .noSuchDocument, "no unsaved edits to save; `emojiart restore --list` shows what there is")
    case .severalDocuments: throw ArtError(.usage, "--into saves the edits of one document; name it")
    }
  }

  /// Reports an error. The exit status is that of the first one.
  mutating func keep(_ error: ArtError, _ edits: OrphanedEdits? = nil) {
    if status == .done { status = ExitStatus(error.code) }
    Output.printError(error.message)
    if isJSON, let edits { results.append(json(edits, keptBy: error)) }
  }

  /// Lists edits that stay in their journal. In a list these are not errors.
  mutating func listKept(_ edits: OrphanedEdits, _ error: ArtError) throws(ArtError) {
    guard !isJSON else { return results.append(json(edits, keptBy: error)) }
    try Output.line(
      "\(safe(edits.name)): \(RecoveryMessages.count(try edits.count())) (\(safe(RecoveryMessages.source(edits))))"
    )
    try Output.line(safe(error.message))
  }

  mutating func list(_ edits: OrphanedEdits, _ report: RestoreReport) throws(ArtError) {
    guard !isJSON else { return results.append(json(edits, report)) }
    try Output.line(
      "\(safe(edits.name)): \(RecoveryMessages.count(report.edits)) (\(safe(RecoveryMessages.source(edits))))"
    )
    try lost(report, of: edits.name)
  }

  /// Lists what the quarantine keeps.
  mutating func list(_ files: [Quarantine.File]) throws(ArtError) {
    for file in files {
      guard !isJSON else {
        results.append(
          .object([
            "file": .string(file.path), "modified": .optional(UTCTime.text(milliseconds: file.modified)),
            "name": .string(file.name), "size": .integer(file.size),
          ]))
        continue
      }
      let time = Time.local(file.modified / 1000)
      try Output.line(
        "\(safe(file.name)): a state of \(time), \(file.size) bytes, is kept as \(safe(file.path))")
      let word = safe(ArtError.Remedy.shellWord(file.path))
      try Output.line("\(Self.use(of: file, word)); `rm \(word)` drops it")
    }
  }

  /// What can be done with a file that is kept: a damaged one cannot be merged.
  private static func use(of file: Quarantine.File, _ word: String) -> String {
    switch file.readError?.code {
    case nil: "`emojiart merge DOC \(word)` takes it back"
    case .damaged?:
      "it is damaged; `cp \(word) NEW.emojiart` and `emojiart check NEW --adopt` take out what can be read"
    case .some: "it is no document by itself"
    }
  }

  mutating func restored(_ edits: OrphanedEdits, _ report: RestoreReport, into name: String) throws(ArtError)
  {
    guard !isJSON else {
      return results.append(
        json(edits, report, ["restored": .string(name), "revision": .integer(report.revision)]))
    }
    let of = FilePath(name) == FilePath(edits.name) ? "" : " of \(edits.name)"
    try Output.line(
      "\(safe(name)): restored \(RecoveryMessages.count(report.edits))\(safe(of)) (\(safe(RecoveryMessages.source(edits))))"
    )
    try lost(report, of: name)
  }

  mutating func dropped(_ edits: OrphanedEdits, _ count: Int) throws(ArtError) {
    guard !isJSON else {
      let more: [String: JSON] = ["discarded": .boolean(true), "edits": .integer(count)]
      return results.append(.object(members(of: edits).merging(more) { $1 }))
    }
    try Output.line(
      "\(safe(edits.name)): dropped \(RecoveryMessages.count(count)) (\(safe(RecoveryMessages.source(edits))))"
    )
  }

  private func lost(_ report: RestoreReport, of name: String) throws(ArtError) {
    for line in RecoveryMessages.lost(report, of: name) { try Output.line(safe(line)) }
  }

  private func json(_ edits: OrphanedEdits, _ report: RestoreReport, _ more: [String: JSON] = [:]) -> JSON {
    let members = members(of: edits).merging([
      "edits": .integer(report.edits), "leftOut": .array(report.dropped.map { .string($0.summary) }),
    ]) { $1 }
    return .object(members.merging(more) { $1 })
  }

  private func json(_ edits: OrphanedEdits, keptBy error: ArtError) -> JSON {
    var count = JSON.null
    do throws(ArtError) {
      count = .integer(try edits.count())
    } catch {
      // The reason why the edits are kept is more useful.
    }
    let more: [String: JSON] = ["edits": count, "kept": .string(error.message)]
    return .object(members(of: edits).merging(more) { $1 })
  }

  private func members(of edits: OrphanedEdits) -> [String: JSON] {
    [
      "author": .optional(edits.journal.head?.author), "document": .string(edits.name),
      "journal": edits.journal.isFolder ? .null : .string(edits.journal.origin.description),
      "modified": .optional(UTCTime.text(milliseconds: edits.journal.modified)),
    ]
  }

  mutating func finish() throws {
    if isJSON { try Output.json(.array(results)) }
    try Output.flush()
    if status != .done { throw ExitCode(status.rawValue) }
  }
}
