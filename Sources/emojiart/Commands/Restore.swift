// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore

struct Restore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Bring back edits of programs that were killed.",
    usage: """
      emojiart restore [<where> ...] [--list | --discard [--yes] |
               --into <newdoc>] [--from-elsewhere]
      """,
    discussion: """
      An editing program that is killed leaves a journal of the edits that it had answered and not saved. They are \
      restored into the document that they were made on, by this command or by the next edit of it; what others \
      saved since stays. Edits whose document is gone, replaced or damaged are kept, and named.

      Examples:
        emojiart restore --list
        emojiart restore bees
        emojiart restore bees --into bees-saved
      """)

  @Argument(
    help: "Documents, or folders of them; all of this machine's otherwise.",
    completion: .custom(Completion.documents))
  var `where`: [String] = []
  @Flag(help: "Only tell what there is.") var list = false
  @Flag(help: "Drop the edits.") var discard = false
  @Flag(help: "Drop without asking.") var yes = false
  @Option(help: ArgumentHelp("Save the edits apart, in a new document.", valueName: "newdoc")) var into:
    String?
  @Flag(
    name: .customLong("from-elsewhere"),
    help: "Also edits of other machines and containers; their programs must be gone.")
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
    let selection = try LeftEditsSelection(`where`, common)
    var outcome = Restored(isJSON: common.json)
    let folder = try JournalFolder.known()
    let agreed = try discard && !yes ? ask(selection, folder, &outcome) : nil
    let journals = try folder?.peek() ?? []
    if !selection.isEverything, let error = ArtError.unreadableJournals(journals) { outcome.keep(error) }
    var search = search(for: journals, in: folder)
    let left = try selection.select(journals, &search) { (missing) throws(ArtError) in
      do throws(ArtError) { try findNothing(in: missing) } catch { outcome.keep(error) }
    }
    if let into {
      try save(left, into: common.file(into), &search, &outcome)
    } else {
      for edits in left where agreed?.contains(edits.journal.origin) ?? true {
        do throws(ArtError) { try deal(with: edits, &outcome) } catch { outcome.keep(error, edits) }
      }
      if !list, !discard { try folder?.removeSpent { selection.isMeant($0.path) } }
    }
    try outcome.finish()
  }

  private func search(for journals: [DeadJournal], in folder: JournalFolder?) -> JournalSearch {
    // Without a folder there is no journal to look for.
    JournalSearch(
      for: journals.compactMap(\.head), in: folder ?? JournalFolder("/"), trustingElsewhere: fromElsewhere)
  }

  /// A document that is not there, and of which no edits are left, is a mistyped one. One that is there is put right
  /// when a save of it was cut short.
  private func findNothing(in document: String) throws(ArtError) {
    let file = DocumentFile(document, notice: { Output.complain($0) })
    _ = try file.base()
    if !list, !discard, into == nil { try file.settle() }
  }

  private func deal(with edits: LeftEdits, _ outcome: inout Restored) throws(ArtError) {
    if let fault = edits.journal.fault { throw ArtError.unreadableJournals([edits.journal]) ?? fault }
    if discard { return try drop(edits, &outcome) }
    if let error = try edits.keptError() {
      return try list ? outcome.tell(edits, error) : outcome.keep(error, edits)
    }
    guard let file = edits.file else { return }
    var author = try thisAuthor()
    if list {
      let shown = try file.read(with: [edits.journal], restoredBy: author)
      if let error = shown.kept.first { return try outcome.tell(edits, error) }
      for report in shown.reports where report.edits > 0 { try outcome.list(edits, report) }
    } else {
      // Nil when another program has restored it, or its program runs.
      guard let journal = try edits.journal.taken() else { return }
      let report = try file.restore(journal, stamp: author.stamp(at: millisecondsSince1970()))
      Output.tell(of: "the edits are restored")
      try file.settle()
      if report.edits > 0 { try outcome.restored(edits, report, into: edits.name) }
      if report.isBeyondLog { Output.complain(report.beyondLog(of: edits.name)) }
    }
  }

  /// The journals that a person wants to be dropped. None is locked meanwhile: others restore and edit as if nobody asked.
  private func ask(
    _ selection: LeftEditsSelection, _ folder: JournalFolder?, _ outcome: inout Restored
  ) throws(ArtError) -> Set<Origin> {
    var questions: [(origin: Origin, name: String, what: String?)] = []
    let journals = try folder?.peek() ?? []
    var search = search(for: journals, in: folder)
    for edits in try selection.select(journals, &search, missing: { (_) throws(ArtError) in }) {
      do throws(ArtError) {
        if let error = edits.elsewhereError { throw error }
        let count = try edits.count()
        let isWhole = try edits.journal.contents().damage == nil
        let isSaved = isWhole && count == 0 && edits.match != nil
        let more = isWhole ? "" : " and what of the journal cannot be read,"
        let what = "\(Restoring.count(count))\(more) of \(edits.name) (\(edits.source))"
        questions.append((edits.journal.origin, edits.name, isSaved ? nil : what))
      } catch {
        outcome.keep(error, edits)
      }
    }
    var agreed: Set<Origin> = []
    for (origin, name, what) in questions {
      do throws(ArtError) {
        if let what {
          try confirm("Drop \(what)", "dropping \(what)", otherwise: "the edits of \(name) are kept")
        }
        agreed.insert(origin)
      } catch {
        outcome.keep(error)
      }
    }
    return agreed
  }

  private func drop(_ edits: LeftEdits, _ outcome: inout Restored) throws(ArtError) {
    if let error = edits.elsewhereError { throw error }
    let count = try edits.count()
    guard let journal = try edits.journal.taken() else { return }
    try journal.discard(knownTo: edits.file)
    // What is saved already is not dropped with its journal.
    if count > 0 || edits.match == nil { try outcome.dropped(edits, count) }
  }

  private func save(
    _ left: [LeftEdits], into new: DocumentFile, _ search: inout JournalSearch, _ outcome: inout Restored
  ) throws(ArtError) {
    var left = left
    if let error = left.lazy.compactMap(\.elsewhereError).first { throw error }
    for (index, edits) in left.enumerated().reversed() where edits.match != nil {
      if try edits.count() == 0 { left.remove(at: index) }
    }
    guard let head = left.first?.journal.head, left.allSatisfy({ $0.journal.head?.base.id == head.base.id })
    else {
      if left.isEmpty {
        throw ArtError(
          .noSuchDocument, "no unsaved edits to save; `emojiart restore --list` shows what there is")
      }
      throw ArtError(.usage, "--into saves the edits of one document; name it")
    }
    let source = search.source(of: head).map { DocumentFile($0, notice: { Output.complain($0) }) }
    if let source, source.path != head.path {
      Output.complain("\(new.path) is made of \(source.path), which is \(head.path) moved, or a copy of it")
    }
    var author = try thisAuthor()
    var random = SystemRandomNumberGenerator()
    var taken: [(edits: LeftEdits, journal: DeadJournal)] = []
    for edits in left { if let journal = try edits.journal.taken() { taken.append((edits, journal)) } }
    guard !taken.isEmpty else {
      throw ArtError(
        .busy, "the edits of \(head.path) have just been restored by another program; look at it")
    }
    let reports = try new.create(
      from: taken.map(\.journal), on: source, stamp: { author.stamp(at: millisecondsSince1970()) },
      using: &random)
    Output.tell(of: "\(new.path) is made")
    for ((edits, _), report) in zip(taken, reports) {
      try outcome.restored(edits, report, into: new.path)
      if let damage = report.damage {
        outcome.keep(
          ArtError(
            .damaged, "\(edits.name): the rest of the edits cannot be read: \(damage); the journal is kept"))
      }
    }
  }
}

/// What `restore` did, as it is told.
private struct Restored {
  let isJSON: Bool
  private var results: [JSON] = []
  private var status = ExitStatus.done

  init(isJSON: Bool) { self.isJSON = isJSON }

  /// Something could not be done: told, and the status of the first such is how the command ends.
  mutating func keep(_ error: ArtError, _ edits: LeftEdits? = nil) {
    if status == .done { status = ExitStatus(error.code) }
    Output.complain(error.message)
    if isJSON, let edits { results.append(json(edits, keptBy: error)) }
  }

  /// For a list, what is kept is no error.
  mutating func tell(_ edits: LeftEdits, _ error: ArtError) throws(ArtError) {
    guard !isJSON else { return results.append(json(edits, keptBy: error)) }
    try Output.line("\(safe(edits.name)): \(Restoring.count(try edits.count())) (\(safe(edits.source)))")
    try Output.line(safe(error.message))
  }

  mutating func list(_ edits: LeftEdits, _ report: RestoreReport) throws(ArtError) {
    guard !isJSON else { return results.append(json(edits, report)) }
    try Output.line("\(safe(edits.name)): \(Restoring.count(report.edits)) (\(safe(edits.source)))")
    try lost(report, of: edits.name)
  }

  mutating func restored(_ edits: LeftEdits, _ report: RestoreReport, into name: String) throws(ArtError) {
    guard !isJSON else {
      return results.append(
        json(edits, report, ["restored": .string(name), "revision": .integer(report.revision)]))
    }
    let of = name == edits.name ? "" : " of \(edits.name)"
    try Output.line(
      "\(safe(name)): restored \(Restoring.count(report.edits))\(safe(of)) (\(safe(edits.source)))")
    try lost(report, of: name)
  }

  mutating func dropped(_ edits: LeftEdits, _ count: Int) throws(ArtError) {
    guard !isJSON else {
      let more: [String: JSON] = ["discarded": .boolean(true), "edits": .integer(count)]
      return results.append(.object(members(of: edits).merging(more) { $1 }))
    }
    try Output.line("\(safe(edits.name)): dropped \(Restoring.count(count)) (\(safe(edits.source)))")
  }

  private func lost(_ report: RestoreReport, of name: String) throws(ArtError) {
    for line in Restoring.lost(report, of: name) { try Output.line(safe(line)) }
  }

  private func json(_ edits: LeftEdits, _ report: RestoreReport, _ more: [String: JSON] = [:]) -> JSON {
    let members = members(of: edits).merging([
      "edits": .integer(report.edits), "leftOut": .array(report.dropped.map { .string($0.words) }),
    ]) { $1 }
    return .object(members.merging(more) { $1 })
  }

  private func json(_ edits: LeftEdits, keptBy error: ArtError) -> JSON {
    var count = JSON.null
    do throws(ArtError) {
      count = .integer(try edits.count())
    } catch {
      // The reason why they are kept says more.
    }
    let more: [String: JSON] = ["edits": count, "kept": .string(error.message)]
    return .object(members(of: edits).merging(more) { $1 })
  }

  private func members(of edits: LeftEdits) -> [String: JSON] {
    [
      "author": .optional(edits.journal.head?.author), "document": .string(edits.name),
      "journal": .string(edits.journal.origin.description),
      "modified": .optional(Time.utc(milliseconds: edits.journal.modified)),
    ]
  }

  mutating func finish() throws {
    if isJSON { try Output.json(.array(results)) }
    try Output.flush()
    if status != .done { throw ExitCode(status.rawValue) }
  }
}
