// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Glibc

/// The edits of programs that ended without saving them, as the other use cases meet them: who edits a document restores
/// them first, who only reads it sees the document with them.
public struct Recovery: Sendable {
  /// What a front end should say.
  public enum Notice: Sendable {
    /// Edits stay in their journal, or a journal cannot be read; why.
    case kept(ArtError)
    /// Nobody knows whether there are any.
    case searchFailed(ArtError)
    /// They are in the document at that path now.
    case restored(String, RestoreReport)
    /// The document at that path was read with them; the next edit saves them.
    case included(String, RestoreReport)
    /// They are not in the document at that path, whose file alone was looked at; the next edit saves them.
    case excluded(String, RestoreReport)
    /// They are kept beside the document at that path; the document cannot be read with them.
    case unread(String, edits: Int, author: String?, modified: Int)
  }

  /// The name that edits are made by here; nil for this program's own mark.
  public let author: String?
  /// Where journals are; nil for this machine's state folder.
  public let folder: JournalFolder?
  /// Is given each notice, on the thread of the call that has it.
  public let report: @Sendable (Notice) -> Void

  /// For a program whose edits are by that author. `folder` is where journals are; nil stands for this machine's state folder.
  public init(
    author: String? = nil, journals folder: JournalFolder? = nil,
    report: @escaping @Sendable (Notice) -> Void = { _ in }
  ) {
    self.author = author
    self.folder = folder
    self.report = report
  }

  /// The folder of journals; nil where there is none yet.
  func journalFolder() throws(ArtError) -> JournalFolder? {
    if let folder { return folder }
    return try JournalFolder.known()
  }

  /// This program as an author of edits, with a new origin. Throws `badValue` for a name that is none.
  public func newAuthor() throws(ArtError) -> Author {
    var random = SystemRandomNumberGenerator()
    return try Author(origin: Origin(using: &random), name: author)
  }

  /// The same that reports elsewhere.
  public func reporting(to report: @escaping @Sendable (Notice) -> Void) -> Recovery {
    Recovery(author: author, journals: folder, report: report)
  }

  /// Restores what belongs to a document that is about to be edited. What cannot be restored is kept and reported, and
  /// does not keep anybody from editing. Throws what will keep them from it, too.
  public func restoreFirst(_ file: DocumentFile) throws(ArtError) {
    guard let folder = try journalFolder() else { return }
    try file.restoreOrphans(in: folder, by: newAuthor) { outcome in
      switch outcome {
      case .kept(let error): report(.kept(error))
      case .restored(let restored): report(.restored(file.path, restored))
      }
    }
  }

  /// The journals of programs that are gone, for who only reads; others restore them meanwhile. Those that this user
  /// may not read are reported, once.
  public func journals() -> [OrphanedJournal] {
    do throws(ArtError) {
      let journals = try journalFolder()?.peek() ?? []
      if let error = ArtError.unreadableJournals(journals) { report(.kept(error)) }
      return journals
    } catch {
      report(.searchFailed(error))
      return []
    }
  }

  /// Reads a document with the edits that belong to it, and reports them; nil where there are none. Throws what reading
  /// throws.
  public func read(_ file: DocumentFile, with journals: [OrphanedJournal]) throws(ArtError)
    -> DocumentPreview?
  {
    let found = file.journals(among: journals)
    for error in found.kept { report(.kept(error)) }
    guard !found.own.isEmpty else { return nil }
    let shown = try file.read(with: found.own, restoredBy: newAuthor())
    for error in shown.kept { report(.kept(error)) }
    for restored in shown.reports where restored.edits > 0 { report(.included(file.path, restored)) }
    return shown
  }

  /// The content of a document with the edits that belong to it, among those journals, or those that are there. Throws
  /// what reading throws.
  public func content(
    of file: DocumentFile, among journals: [OrphanedJournal]? = nil
  ) throws(ArtError) -> DocumentContent {
    if let shown = try read(file, with: journals ?? self.journals()) { return shown.content }
    return try file.read()
  }

  /// Reports of a document that edits belong to it, for who looks at its file alone. Throws what reading a journal throws.
  public func mention(_ file: DocumentFile) throws(ArtError) {
    let found = file.journals(among: journals())
    for error in found.kept { report(.kept(error)) }
    for journal in found.own {
      do throws(ArtError) {
        let shown = try file.read(with: [journal], restoredBy: newAuthor())
        for error in shown.kept { report(.kept(error)) }
        for restored in shown.reports where restored.edits > 0 { report(.excluded(file.path, restored)) }
      } catch {
        let edits = try journal.contents().entries.count
        report(
          .unread(file.path, edits: edits, author: journal.head?.author, modified: journal.modified))
      }
    }
  }
}

/// The edits that one program left when it ended, and where they belong.
public struct OrphanedEdits {
  /// Where they are kept.
  public let journal: OrphanedJournal
  /// Nil where the journal's head cannot be read.
  public let match: JournalMatch?
  /// What messages call the document; where the edits belong to one, a path to it.
  public let name: String
  fileprivate let notice: @Sendable (DocumentNotice) -> Void

  /// The document that the edits belong to; nil where they belong to none.
  public var file: DocumentFile? {
    guard case .restore = match else { return nil }
    return DocumentFile(name, notice: notice)
  }

  /// How many edits of the journal can be read and are not in the document, if that can be told. Throws what reading the journal
  /// throws.
  public func count() throws(ArtError) -> Int {
    if let file, let report = saved(in: file) { return report.edits }
    return try journal.contents().entries.count
  }

  private func saved(in file: DocumentFile) -> RestoreReport? {
    do throws(ArtError) {
      return try file.read(with: [journal], restoredBy: Recovery().newAuthor()).reports.first
    } catch {
      // Then all of them count.
      return nil
    }
  }

  /// Why nobody may restore, drop or save them apart, unless it is asked for; nil for those of this machine.
  public var elsewhereError: ArtError? {
    guard case .elsewhere = match else { return nil }
    return match?.error(about: name)
  }

  /// Why the edits are kept; nil where they belong somewhere. Throws what reading the journal throws.
  public func keptError() throws(ArtError) -> ArtError? {
    guard let match else {
      return .namelessJournal(journal.path, try journal.contents().damage ?? "it has no head")
    }
    return match.error(about: name)
  }
}

/// The documents and folders that a person named, and which journals are meant by them.
public struct OrphanedEditsSelection {
  private enum Place {
    /// By its real path, and as it was given.
    case folder(String, given: String)
    /// The file is nil where none is.
    case document(String, FileIdentity?, given: String)
  }

  private var places: [Place] = []
  private let notice: @Sendable (DocumentNotice) -> Void

  /// None stand for all of this machine's. `file` finds the document of a name that is no folder; `notice` is given to the
  /// documents that are opened. Throws what `file` throws.
  public init(
    _ names: [String] = [], notice: @escaping @Sendable (DocumentNotice) -> Void = { _ in },
    file: (String) throws(ArtError) -> DocumentFile = { DocumentFile($0) }
  ) throws(ArtError) {
    self.notice = notice
    for name in names {
      if let folder = Self.realFolder(name) {
        places.append(.folder(folder, given: name))
        continue
      }
      let file = try file(name)
      let path = Self.realPath(file.path)
      places.append(.document(path, FileIdentity(at: path), given: file.path))
    }
  }

  /// Whether nothing was given: then all of this machine's are meant.
  public var isEverything: Bool { places.isEmpty }

  /// Whether a document at that path is meant; no file is looked at.
  func isMeant(_ path: String) -> Bool { places.isEmpty || name(of: path) != nil }

  /// Those of the journals that are meant: all, or those whose documents are among the places, by the path that they
  /// name, by where they belong, or as copies. Where places were given no document is opened but theirs, and those that
  /// their journals name. Documents without any are given to `missing`.
  func select(
    _ journals: [OrphanedJournal], _ search: inout JournalSearch, missing: (String) throws(ArtError) -> Void
  ) throws(ArtError) -> [OrphanedEdits] {
    for place in places {
      switch place {
      case .folder(let path, _): search.inspect(folder: path)
      case .document(_, _, let given): search.inspect(DocumentFile(given))
      }
    }
    var selected: [OrphanedEdits] = []
    var found: Set<String> = []
    for journal in journals.sorted(by: { ($0.modified, $0.path) < ($1.modified, $1.path) }) {
      guard let head = journal.head else {
        if places.isEmpty {
          selected.append(OrphanedEdits(journal: journal, match: nil, name: journal.path, notice: notice))
        }
        continue
      }
      guard mayBeMeant(head, search) else { continue }
      let match = match(head, &search)
      var path = head.path
      var others = search.copies(for: head)
      var other: String?
      if case .restore(let place) = match {
        (path, others) = (place, [head.path])
        other = otherName(of: place)
      }
      let meant = ([path] + others).compactMap { name(of: $0) } + (other.map { [$0] } ?? [])
      guard places.isEmpty || !meant.isEmpty else { continue }
      found.formUnion(meant)
      selected.append(
        OrphanedEdits(journal: journal, match: match, name: name(of: path) ?? other ?? path, notice: notice))
    }
    for case .document(_, _, let given) in places where !found.contains(given) { try missing(given) }
    return selected
  }

  private func mayBeMeant(_ head: JournalHead, _ search: JournalSearch) -> Bool {
    isMeant(head.path) || !search.copies(for: head).isEmpty
  }

  /// What a file is called by the documents that were given, if it is one of them by another path: by a hard link, or
  /// through a bind mount.
  private func otherName(of path: String) -> String? {
    let file = FileIdentity(at: path)
    for case .document(_, let given?, let name) in places where given == file { return name }
    return nil
  }

  /// The others in a document's folder are looked at only where a journal is about the document and names another path.
  private func match(_ head: JournalHead, _ search: inout JournalSearch) -> JournalMatch {
    for case .document(let path, let file, _) in places where path != head.path {
      let isVeryFile = file.map(head.isFile) ?? false
      if !isVeryFile, search.copies(for: head).contains(path) {
        search.inspect(folder: FilePath(path).folder)
      }
    }
    return search.match(head)
  }

  /// What a path is called by the places that were given; nil where it is in none of them.
  private func name(of path: String) -> String? {
    for place in places {
      switch place {
      case .document(path, _, let given): return given
      case .folder(FilePath(path).folder, let given):
        return FilePath.path(of: FilePath(path).name, in: given)
      case .document, .folder: break
      }
    }
    return nil
  }

  private static func realFolder(_ name: String) -> String? {
    FileStatus.isFolder(at: name) ? FilePath.resolvedIfThere(name) : nil
  }

  /// The path without symbolic links, also of a file that is gone.
  private static func realPath(_ path: String) -> String {
    if let path = FilePath.resolvedIfThere(path) { return path }
    let parts = FilePath(path)
    guard let folder = FilePath.resolvedIfThere(parts.folder) else { return path }
    return folder == "/" ? "/\(parts.name)" : "\(folder)/\(parts.name)"
  }
}

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
  private let notice: @Sendable (DocumentNotice) -> Void
  private let folder: JournalFolder?

  /// For what is selected. `trustsElsewhere` has edits of other machines and containers taken for orphaned, too. Throws what
  /// finding the folder of journals throws.
  public init(
    _ selection: OrphanedEditsSelection, by recovery: Recovery, trustsElsewhere: Bool = false,
    notice: @escaping @Sendable (DocumentNotice) -> Void = { _ in }
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
      try folder?.removeEmptyJournals { selection.isMeant($0.path) }
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
    if case .restore = task { try file.resolveHotJournal() }
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
    guard let journal = try edits.journal.locked() else { return }
    let restored = try file.restore(journal, stamp: author.stamp(at: WallClock.milliseconds()))
    try file.resolveHotJournal()
    if restored.edits > 0 { try report(.restored(edits, restored, into: edits.name)) }
    if restored.isBeyondLog { try report(.beyondLog(restored, document: edits.name)) }
  }

  private func drop(_ edits: OrphanedEdits, _ report: (Event) throws(ArtError) -> Void) throws(ArtError) {
    if let error = edits.elsewhereError { throw error }
    let count = try edits.count()
    guard let journal = try edits.journal.locked() else { return }
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
    for edits in orphaned { if let journal = try edits.journal.locked() { taken.append((edits, journal)) } }
    guard !taken.isEmpty else {
      throw ArtError(
        .busy, "the edits of \(head.path) have just been restored by another program; look at it")
    }
    let reports = try new.create(
      from: taken.map(\.journal), on: source, stamp: { author.stamp(at: WallClock.milliseconds()) },
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
