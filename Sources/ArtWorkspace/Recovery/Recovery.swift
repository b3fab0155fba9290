// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Glibc

/// Orphaned journals for the other use cases: editing a document restores them first, and reading it includes their edits.
public struct Recovery: Sendable {
  /// A message for the user.
  public enum Notice: Sendable {
    /// Edits stay in their journal, or a journal cannot be read; why.
    case kept(ArtError)
    /// The search for journals failed, so that it is unknown whether there are any.
    case searchFailed(ArtError)
    /// Edits were restored into the document at that path.
    case restored(String, RestoreReport)
    /// The document at that path was read with edits that the next edit will save.
    case included(String, RestoreReport)
    /// The duplicate at that path has the edits of its original, which the next edit of the original will save there.
    case duplicated(String, original: String, RestoreReport)
    /// Only the file of the document at that path was read; the next edit will save the edits of its journals.
    case excluded(String, RestoreReport)
    /// The journal of the document at that path has edits, and the document cannot be read with them.
    case unread(String, edits: Int, author: String?, modified: Int)
  }

  /// The name of the author of edits that are made here; nil for none.
  private let author: @Sendable () throws(ArtError) -> String?
  /// The folder of journals; nil for the one in this machine's state folder.
  public let folder: JournalFolder?
  /// Called with each notice, on the thread of the call that causes it.
  public let report: @Sendable (Notice) -> Void

  /// Recovery for a program whose edits are by that author. `folder` is the folder of journals; nil stands for the one in this
  /// machine's state folder.
  public init(
    author: String? = nil, journals folder: JournalFolder? = nil,
    report: @escaping @Sendable (Notice) -> Void = { _ in }
  ) {
    self.init(authorNamed: { author }, journals: folder, report: report)
  }

  /// The same with a name that is looked up when an edit is to be made. What `author` throws, each such call throws.
  public init(
    authorNamed author: @escaping @Sendable () throws(ArtError) -> String?,
    journals folder: JournalFolder? = nil,
    report: @escaping @Sendable (Notice) -> Void = { _ in }
  ) {
    self.author = author
    self.folder = folder
    self.report = report
  }

  /// The folder of journals; nil if there is none yet.
  func journalFolder() throws(ArtError) -> JournalFolder? {
    if let folder { return folder }
    return try JournalFolder.known()
  }

  /// This program as an author of edits, with a new origin. Throws `badValue` for an invalid name.
  public func newAuthor() throws(ArtError) -> Author {
    var random = SystemRandomNumberGenerator()
    return try Author(origin: Origin(using: &random), name: author())
  }

  /// The same recovery with another receiver of notices.
  public func reporting(to report: @escaping @Sendable (Notice) -> Void) -> Recovery {
    Recovery(authorNamed: author, journals: folder, report: report)
  }

  /// Restores the orphaned journals of a document before an edit. A journal that cannot be restored is reported and kept, and
  /// does not prevent the edit. Throws an error that would also prevent the edit.
  public func restoreFirst(_ file: DocumentFile) throws(ArtError) {
    guard let folder = try journalFolder() else { return }
    try file.restoreOrphans(in: folder, by: newAuthor) { outcome in
      switch outcome {
      case .kept(let error): report(.kept(error))
      case .restored(let restored): report(.restored(file.name, restored))
      }
    }
  }

  /// Prepares an edit of a document's file: refuses conflict copies, and restores orphaned journals first. Throws `badValue`, and what
  /// `restoreFirst` throws.
  func prepareEdit(of file: DocumentFile) throws(ArtError) {
    try ConflictCopy.refuseEdits(of: file)
    try restoreFirst(file)
  }

  /// The orphaned journals, for reading; other programs may restore them meanwhile. Journals that this user may not read are
  /// reported, once.
  public func journals() -> [OrphanedJournal] {
    do throws(ArtError) {
      let journals = try journalFolder()?.peek() ?? []
      for error in ArtError.unreadableJournals(journals) { report(.kept(error)) }
      return journals
    } catch {
      report(.searchFailed(error))
      return []
    }
  }

  /// Reads a document with its orphaned edits, and reports these; nil if there are none. Throws what reading throws.
  public func read(_ file: DocumentFile, with journals: [OrphanedJournal]) throws(ArtError)
    -> DocumentPreview?
  {
    let found = file.journals(among: journals)
    for error in found.kept { report(.kept(error)) }
    guard !found.own.isEmpty else { return nil }
    let shown = try file.read(with: found.own, restoredBy: newAuthor())
    for error in shown.kept { report(.kept(error)) }
    for restored in shown.reports where restored.edits > 0 { report(.included(file.name, restored)) }
    return shown
  }

  /// The content of a document with its orphaned edits. `journals` are the orphaned journals; nil stands for all on this machine.
  /// Throws what reading throws.
  public func content(
    of file: DocumentFile, among journals: [OrphanedJournal]? = nil
  ) throws(ArtError) -> DocumentContent {
    if let shown = try read(file, with: journals ?? self.journals()) { return shown.content }
    return try file.read()
  }

  /// The content at an earlier revision, in which orphaned edits count. Throws `noSuchRevision`, and what reading throws. To ask for
  /// several revisions, read the content once: see `DocumentContent.content(at:)`.
  public func content(
    of file: DocumentFile, at revision: Int, among journals: [OrphanedJournal]? = nil
  ) throws(ArtError) -> DocumentContent {
    try content(of: file, among: journals).content(at: revision)
  }

  /// Reports the orphaned edits of a document of which only the file was read. Throws what reading a journal throws.
  public func mention(_ file: DocumentFile) throws(ArtError) {
    let found = file.journals(among: journals())
    for error in found.kept { report(.kept(error)) }
    for journal in found.own {
      do throws(ArtError) {
        let shown = try file.read(with: [journal], restoredBy: newAuthor())
        for error in shown.kept { report(.kept(error)) }
        for restored in shown.reports where restored.edits > 0 { report(.excluded(file.name, restored)) }
      } catch {
        let edits = try journal.contents().entries.count
        report(
          .unread(file.name, edits: edits, author: journal.head?.author, modified: journal.modified))
      }
    }
  }
}

/// The edits of one orphaned journal, and the document that they belong to.
public struct OrphanedEdits {
  /// The journal.
  public let journal: OrphanedJournal
  /// How the journal matches its document; nil if its head cannot be read.
  package let match: JournalMatch?
  /// The document's name for messages; a path to it if the document was found.
  public let name: String
  fileprivate let notice: @Sendable (DocumentNotice) -> Void

  /// The document that the edits belong to; nil if it was not found.
  public var file: DocumentFile? {
    guard case .restore = match else { return nil }
    return DocumentFile(name, notice: notice)
  }

  /// The number of readable edits that are not in the document; of all readable edits if the document does not say. Throws what
  /// reading the journal throws.
  public func count() throws(ArtError) -> Int {
    if let file, let report = saved(in: file) { return report.edits }
    return try journal.contents().entries.count
  }

  private func saved(in file: DocumentFile) -> RestoreReport? {
    do throws(ArtError) {
      return try file.read(with: [journal], restoredBy: Recovery().newAuthor()).reports.first
    } catch {
      // The document cannot be read, so all edits count.
      return nil
    }
  }

  /// The error for edits of another machine or container, which are only handled with the user's consent; nil for those of this
  /// machine.
  public var elsewhereError: ArtError? {
    guard case .elsewhere = match else { return nil }
    return match?.error(about: name)
  }

  /// Why the edits cannot be restored; nil if their document was found. Throws what reading the journal throws.
  public func keptError() throws(ArtError) -> ArtError? {
    guard let match else {
      return .namelessJournal(journal.path, try journal.contents().damage ?? "it has no head")
    }
    return match.error(about: name)
  }
}

/// The documents and folders that the user named, to select orphaned journals.
public struct OrphanedEditsSelection {
  private enum Entry {
    /// The real path, and the path as given.
    case folder(FilePath, given: String)
    /// The file is nil if it is missing.
    case document(FilePath, FileIdentity?, given: FilePath)
  }

  private var named: [Entry] = []
  private let notice: @Sendable (DocumentNotice) -> Void

  /// The selection of those paths; none select everything on this machine. `file` finds the document for a path that is no
  /// folder; `notice` is passed to the documents that are opened. Throws what `file` throws.
  public init(
    _ names: [String] = [], notice: @escaping @Sendable (DocumentNotice) -> Void = { _ in },
    file: (String) throws(ArtError) -> DocumentFile = { DocumentFile($0) }
  ) throws(ArtError) {
    self.notice = notice
    for typed in names {
      let name = try TypedPath.existing(typed)
      if let folder = Self.realFolder(name) {
        named.append(.folder(FilePath(folder), given: name))
        continue
      }
      let file = try file(name)
      let path = Self.realPath(file.path)
      named.append(.document(FilePath(path), FileIdentity(at: path), given: FilePath(file.path)))
    }
  }

  /// Whether no path was given, so that everything on this machine is selected.
  public var isEverything: Bool { named.isEmpty }

  /// Whether a document at that path is selected; no file is read.
  func isMeant(_ path: FilePath) -> Bool { named.isEmpty || name(of: path) != nil }

  /// The selected journals: all, or those whose documents are in the selection, by the path in the journal, by the original file,
  /// or as copies. If paths were given, only their documents and those that the journals name are opened. Documents without
  /// journals are added to `missing`.
  func select(
    _ journals: [OrphanedJournal], _ search: inout JournalSearch, missing: (String) throws(ArtError) -> Void
  ) throws(ArtError) -> [OrphanedEdits] {
    for entry in named {
      switch entry {
      case .folder(let path, _): search.inspect(folder: path.string)
      case .document(_, _, let given): search.inspect(DocumentFile(given.string))
      }
    }
    var selected: [OrphanedEdits] = []
    var found: Set<FilePath> = []
    for journal in journals.sorted(by: { ($0.modified, FilePath($0.path)) < ($1.modified, FilePath($1.path)) }
    ) {
      guard let head = journal.head else {
        if named.isEmpty {
          selected.append(OrphanedEdits(journal: journal, match: nil, name: journal.path, notice: notice))
        }
        continue
      }
      guard mayBeMeant(head, search) else { continue }
      let match = match(head, &search)
      var path = head.filePath
      var others = search.copies(for: head)
      var other: FilePath?
      if case .restore(let target) = match {
        (path, others) = (target, [head.filePath])
        other = otherName(of: target)
      }
      let meant = ([path] + others).compactMap { name(of: $0) } + (other.map { [$0] } ?? [])
      guard named.isEmpty || !meant.isEmpty else { continue }
      found.formUnion(meant)
      selected.append(
        OrphanedEdits(
          journal: journal, match: match, name: (name(of: path) ?? other ?? path).string, notice: notice))
    }
    for case .document(_, _, let given) in named where !found.contains(given) { try missing(given.string) }
    return selected
  }

  private func mayBeMeant(_ head: JournalHead, _ search: JournalSearch) -> Bool {
    isMeant(head.filePath) || !search.copies(for: head).isEmpty
  }

  /// The given name of a file that has another path than the given one: through a hard link or a bind mount.
  private func otherName(of path: FilePath) -> FilePath? {
    let file = FileIdentity(at: path.string)
    for case .document(_, let given?, let name) in named where given == file { return name }
    return nil
  }

  /// The match of a journal. The other files in a document's folder are only searched if the journal is about the document and
  /// names another path.
  private func match(_ head: JournalHead, _ search: inout JournalSearch) -> JournalMatch {
    for case .document(let path, let file, _) in named where path != head.filePath {
      let isVeryFile = file.map(head.isFile) ?? false
      if !isVeryFile, search.copies(for: head).contains(path) {
        search.inspect(folder: path.folder)
      }
    }
    return search.match(head)
  }

  /// The given name for a path; nil if it is not selected.
  private func name(of path: FilePath) -> FilePath? {
    for entry in named {
      switch entry {
      case .document(path, _, let given): return given
      case .folder(FilePath(path.folder), let given):
        return FilePath(FilePath.path(of: path.name, in: given))
      case .document, .folder: break
      }
    }
    return nil
  }

  private static func realFolder(_ name: String) -> String? {
    FileStatus.isFolder(at: name) ? FilePath.resolvedIfThere(name) : nil
  }

  /// The path without symbolic links; the file may be missing.
  private static func realPath(_ path: String) -> String {
    if let path = FilePath.resolvedIfThere(path) { return path }
    let parts = FilePath(path)
    guard let folder = FilePath.resolvedIfThere(parts.folder) else { return path }
    return FilePath.path(of: parts.name, in: folder)
  }
}

/// Restores, lists, drops or saves apart the edits of orphaned journals.
///
///     selection ──▶ orphaned edits, oldest first ──list──▶ listed
///                                                ──restore──▶ restored, each in a transaction of its document
///                                                ──discard, after its questions──▶ dropped
///                                                ──save(into:)──▶ one new document
///
/// An error with one journal is reported, and the others are still processed.
public struct Restoration {
  /// What to do with the edits.
  public enum Task {
    case list
    case restore
    /// Drop those of these origins; nil for all that are selected.
    case discard(agreed: Set<Origin>?)
    /// Save the edits of one document into a new one.
    case save(into: DocumentFile)
  }

  /// A message for the user, in order of time.
  public enum Event {
    /// A failure, with the edits that it concerns. The code of the first failure is the result of the run.
    case failed(ArtError, OrphanedEdits?)
    /// Edits that can be restored.
    case listed(OrphanedEdits, RestoreReport)
    /// Edits that cannot be restored; why.
    case listedKept(OrphanedEdits, ArtError)
    /// The edits were restored into the document of that name.
    case restored(OrphanedEdits, RestoreReport, into: String)
    /// The edits exceed the capacity of the log of the document of that name.
    case beyondLog(RestoreReport, document: String)
    /// That many edits were dropped.
    case dropped(OrphanedEdits, Int)
    /// The new document is based on the file `source`: the file `original` was moved there, or `source` is a copy of it.
    case createdFromCopy(new: String, source: String, original: String)
    /// There are no edits to save apart: no document was made.
    case nothingToSave
    /// The edits are of several documents, but only those of one can be saved apart: no document was made.
    case severalDocuments
  }

  /// A question to ask the user before edits are dropped.
  public struct Question {
    /// The origin of the edits, which goes into `discard(agreed:)` if the user agrees.
    public let origin: Origin
    /// The edits.
    public let edits: OrphanedEdits
    /// The number of edits.
    public let count: Int
    /// Whether the whole journal can be read.
    public let isWhole: Bool
    /// Whether all edits are saved, so that the question is not necessary.
    public let isSaved: Bool
  }

  private let selection: OrphanedEditsSelection
  private let recovery: Recovery
  private let trustsElsewhere: Bool
  private let notice: @Sendable (DocumentNotice) -> Void
  private let folder: JournalFolder?

  /// A run over the selected journals. `trustsElsewhere` treats the journals of other machines and containers as orphaned, too.
  /// Throws what finding the folder of journals throws.
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

  /// The questions to ask before the selected edits are dropped. No journal is locked meanwhile, so other programs may still
  /// restore and edit. Throws what reading the folder of journals throws.
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

  /// Performs the task. `report` is called with each event. Throws an error that concerns all journals, and what `report` throws
  /// outside of the work on one journal.
  public func run(_ task: Task, _ report: (Event) throws(ArtError) -> Void) throws(ArtError) {
    let journals = try folder?.peek() ?? []
    if !selection.isEverything {
      for error in ArtError.unreadableJournals(journals) { try report(.failed(error, nil)) }
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
      try folder?.removeEmptyJournals { selection.isMeant($0.filePath) }
    }
  }

  private func each(
    of orphaned: [OrphanedEdits], _ report: (Event) throws(ArtError) -> Void,
    _ work: (OrphanedEdits) throws(ArtError) -> Void
  ) throws(ArtError) {
    for edits in orphaned {
      do throws(ArtError) {
        if let fault = edits.journal.fault {
          throw ArtError.unreadableJournals([edits.journal]).first ?? fault
        }
        try work(edits)
      } catch {
        try report(.failed(error, edits))
      }
    }
  }

  private func search(for journals: [OrphanedJournal]) -> JournalSearch {
    // Without a folder there are no journals to search.
    JournalSearch(
      for: journals.compactMap(\.head), in: folder ?? JournalFolder("/"), trustingElsewhere: trustsElsewhere)
  }

  /// Handles a given document without orphaned edits: reports a missing document, and ends an interrupted save of an existing
  /// one.
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
    // Nil if another program has restored it, or its own program runs.
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
    // Edits that are saved already do not count as dropped.
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
    let source = search.source(of: head).map { DocumentFile($0.string, notice: notice) }
    if let source, FilePath(source.path) != head.filePath {
      try report(.createdFromCopy(new: new.path, source: source.path, original: head.path))
    }
    try new.checkFree()
    var author = try recovery.newAuthor()
    var random = SystemRandomNumberGenerator()
    var locked: [(edits: OrphanedEdits, journal: OrphanedJournal)] = []
    for edits in orphaned { if let journal = try edits.journal.locked() { locked.append((edits, journal)) } }
    guard !locked.isEmpty else {
      throw ArtError(
        .busy, "the edits of \(head.path) have just been restored by another program; look at it")
    }
    let reports = try new.create(
      from: locked.map(\.journal), on: source, stamp: { author.stamp(at: WallClock.milliseconds()) },
      using: &random)
    for ((edits, _), restored) in zip(locked, reports) {
      try report(.restored(edits, restored, into: new.path))
      if let damage = restored.damage {
        let error = ArtError(
          .damaged, "\(edits.name): the rest of the edits cannot be read: \(damage); the journal is kept")
        try report(.failed(error, nil))
      }
    }
  }
}
