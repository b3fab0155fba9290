// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// Brings back, lists, drops or saves apart what programs left that ended without saving.
///
///     selection ──▶ orphaned edits, oldest first ──list──▶ listed
///                                                ──restore──▶ restored, each in a transaction of its document
///                                                ──discard, after its questions──▶ dropped
///                                                ──save(into:)──▶ one new document
///
/// What cannot be done with one journal is reported, and does not keep the others from it.
public struct Restoration {
  /// What is to be done with the edits.
  public enum Task {
    case list
    case restore
    /// Drop those of these origins; all that are selected where it is nil.
    case discard(agreed: Set<Origin>?)
    /// Save those of one document apart, in a new one.
    case save(into: DocumentFile)
  }

  /// What a front end should say, in the order in which it happened.
  public enum Event {
    /// Something could not be done; with the edits that it is about. The first one's code is how it ended.
    case failed(ArtError, OrphanedEdits?)
    /// They are there and can be restored.
    case listed(OrphanedEdits, RestoreReport)
    /// They are there and belong nowhere; why.
    case listedKept(OrphanedEdits, ArtError)
    /// They are in the document of that name now.
    case restored(OrphanedEdits, RestoreReport, into: String)
    /// They are in the log of the document of that name, which has not enough room for them.
    case beyondLog(RestoreReport, document: String)
    /// So many are gone.
    case dropped(OrphanedEdits, Int)
    /// The new document is made of the file at the second path: the first one was moved, or that is a copy of it.
    case madeOfCopy(new: String, source: String, original: String)
    /// There are no edits to be saved apart: nothing is made.
    case nothingToSave
    /// The edits are of several documents, and only those of one can be saved apart: nothing is made.
    case severalDocuments
  }

  /// What a person should be asked before edits are dropped.
  public struct Question {
    /// Whose they are: the answer yes puts it into `discard(agreed:)`.
    public let origin: Origin
    /// Which edits.
    public let edits: OrphanedEdits
    /// How many there are.
    public let count: Int
    /// Whether all of the journal can be read.
    public let isWhole: Bool
    /// Whether there is nothing to lose, so that nobody need be asked.
    public let isSaved: Bool
  }

  private let selection: OrphanedEditsSelection
  private let recovery: Recovery
  private let trustsElsewhere: Bool
  private let notice: @Sendable (String) -> Void
  private let folder: JournalFolder?

  /// For what is selected. `trustsElsewhere` has edits of other machines and containers taken for orphaned, too. Throws what
  /// finding the folder of journals throws.
  public init(
    _ selection: OrphanedEditsSelection, by recovery: Recovery, trustsElsewhere: Bool = false,
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(ArtError) {
    self.selection = selection
    self.recovery = recovery
    self.trustsElsewhere = trustsElsewhere
    self.notice = notice
    folder = try recovery.journalFolder()
  }

  /// What is to be asked before the selected edits are dropped. None is locked meanwhile: others restore and edit as if nobody
  /// asked. Throws what looking into the folder of journals throws.
  public func questions(
    _ report: (Event) throws(ArtError) -> Void
  ) throws(ArtError) -> [Question] {
    var questions: [Question] = []
    let journals = try folder?.peek() ?? []
    var search = search(for: journals)
    for edits in try selection.select(journals, &search, missing: { (_) throws(ArtError) in }) {
      do throws(ArtError) {
        if let error = edits.elsewhereError { throw error }
        let count = try edits.count()
        let isWhole = try edits.journal.contents().damage == nil
        let isSaved = isWhole && count == 0 && edits.match != nil
        questions.append(
          Question(
            origin: edits.journal.origin, edits: edits, count: count, isWhole: isWhole, isSaved: isSaved))
      } catch {
        try report(.failed(error, edits))
      }
    }
    return questions
  }

  /// Does it. `report` is given each event as it happens. Throws what keeps it from all of them, and what `report` throws outside of
  /// one journal's work.
  public func run(_ task: Task, _ report: (Event) throws(ArtError) -> Void) throws(ArtError) {
    let journals = try folder?.peek() ?? []
    if !selection.isEverything, let error = ArtError.unreadableJournals(journals) {
      try report(.failed(error, nil))
    }
    var search = search(for: journals)
    let orphaned = try selection.select(journals, &search) { (missing) throws(ArtError) in
      do throws(ArtError) { try findNothing(in: missing, task) } catch { try report(.failed(error, nil)) }
    }
    switch task {
    case .save(let new): return try save(orphaned, into: new, &search, report)
    case .list: try each(of: orphaned, report) { (edits) throws(ArtError) in try list(edits, report) }
    case .discard(let agreed):
      try each(of: orphaned.filter { agreed?.contains($0.journal.origin) ?? true }, report) {
        (edits) throws(ArtError) in try drop(edits, report)
      }
    case .restore:
      try each(of: orphaned, report) { (edits) throws(ArtError) in try restore(edits, report) }
      try folder?.removeSpent { selection.isMeant($0.path) }
    }
  }

  private func each(
    of orphaned: [OrphanedEdits], _ report: (Event) throws(ArtError) -> Void,
    _ work: (OrphanedEdits) throws(ArtError) -> Void
  ) throws(ArtError) {
    for edits in orphaned {
      do throws(ArtError) {
        if let fault = edits.journal.fault { throw ArtError.unreadableJournals([edits.journal]) ?? fault }
        try work(edits)
      } catch {
        try report(.failed(error, edits))
      }
    }
  }

  private func search(for journals: [OrphanedJournal]) -> JournalSearch {
    // Without a folder there is no journal to look for.
    JournalSearch(
      for: journals.compactMap(\.head), in: folder ?? JournalFolder("/"), trustingElsewhere: trustsElsewhere)
  }

  /// A document that is not there, and of which no edits are left, is a mistyped one. One that is there is put right
  /// when a save of it was cut short.
  private func findNothing(in document: String, _ task: Task) throws(ArtError) {
    let file = DocumentFile(document, notice: notice)
    _ = try file.base()
    if case .restore = task { try file.settle() }
  }

  private func list(_ edits: OrphanedEdits, _ report: (Event) throws(ArtError) -> Void) throws(ArtError) {
    if let error = try edits.keptError() { return try report(.listedKept(edits, error)) }
    guard let file = edits.file else { return }
    let shown = try file.read(with: [edits.journal], restoredBy: recovery.newAuthor())
    if let error = shown.kept.first { return try report(.listedKept(edits, error)) }
    for restored in shown.reports where restored.edits > 0 { try report(.listed(edits, restored)) }
  }

  private func restore(_ edits: OrphanedEdits, _ report: (Event) throws(ArtError) -> Void) throws(ArtError) {
    if let error = try edits.keptError() { return try report(.failed(error, edits)) }
    guard let file = edits.file else { return }
    var author = try recovery.newAuthor()
    // Nil when another program has restored it, or its program runs.
    guard let journal = try edits.journal.taken() else { return }
    let restored = try file.restore(journal, stamp: author.stamp(at: millisecondsSince1970()))
    try file.settle()
    if restored.edits > 0 { try report(.restored(edits, restored, into: edits.name)) }
    if restored.isBeyondLog { try report(.beyondLog(restored, document: edits.name)) }
  }

  private func drop(_ edits: OrphanedEdits, _ report: (Event) throws(ArtError) -> Void) throws(ArtError) {
    if let error = edits.elsewhereError { throw error }
    let count = try edits.count()
    guard let journal = try edits.journal.taken() else { return }
    try journal.discard(knownTo: edits.file)
    // What is saved already is not dropped with its journal.
    if count > 0 || edits.match == nil { try report(.dropped(edits, count)) }
  }
}

extension Restoration {
  private func save(
    _ orphaned: [OrphanedEdits], into new: DocumentFile, _ search: inout JournalSearch,
    _ report: (Event) throws(ArtError) -> Void
  ) throws(ArtError) {
    var orphaned = orphaned
    if let error = orphaned.lazy.compactMap(\.elsewhereError).first { throw error }
    for (index, edits) in orphaned.enumerated().reversed() where edits.match != nil {
      if try edits.count() == 0 { orphaned.remove(at: index) }
    }
    let bases = Set(orphaned.map { $0.journal.head?.base.id })
    guard let head = orphaned.first?.journal.head, bases.count == 1 else {
      return try report(orphaned.isEmpty ? .nothingToSave : .severalDocuments)
    }
    let source = search.source(of: head).map { DocumentFile($0, notice: notice) }
    if let source, source.path != head.path {
      try report(.madeOfCopy(new: new.path, source: source.path, original: head.path))
    }
    var author = try recovery.newAuthor()
    var random = SystemRandomNumberGenerator()
    var taken: [(edits: OrphanedEdits, journal: OrphanedJournal)] = []
    for edits in orphaned { if let journal = try edits.journal.taken() { taken.append((edits, journal)) } }
    guard !taken.isEmpty else {
      throw ArtError(
        .busy, "the edits of \(head.path) have just been restored by another program; look at it")
    }
    let reports = try new.create(
      from: taken.map(\.journal), on: source, stamp: { author.stamp(at: millisecondsSince1970()) },
      using: &random)
    for ((edits, _), restored) in zip(taken, reports) {
      try report(.restored(edits, restored, into: new.path))
      if let damage = restored.damage {
        let error = ArtError(
          .damaged, "\(edits.name): the rest of the edits cannot be read: \(damage); the journal is kept")
        try report(.failed(error, nil))
      }
    }
  }
}
