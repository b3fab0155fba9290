// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// The folder of the journals of unsaved edits: a folder for each document that has one, with some files for each program that edits
/// the document, or has ended without saving.
public struct JournalFolder: Sendable, Hashable {
  private let folder: FilePath
  /// The folder's path. It need not exist.
  public var path: String { folder.string }
  /// The machine that this program runs on. Read only if there is a journal.
  var host: JournalHost { testHost ?? .current }
  /// The machine that a test simulates.
  private let testHost: JournalHost?

  /// The folder at a path.
  public init(_ path: String) { self.init(path, host: nil) }

  init(_ path: String, host: JournalHost?) {
    folder = FilePath(path)
    testHost = host
  }

  /// `journal` in the state folder. Throws `inputOutput` if no variable names a state folder, `badValue` for
  /// a relative path, `notPermitted` if other users may write to it.
  public static func standard() throws(ArtError) -> JournalFolder {
    JournalFolder(try StateFolder.path() + "/journal")
  }

  /// The standard folder; nil if no variable names a state folder, so that there can be no journal. Otherwise
  /// throws what `standard` throws.
  public static func known() throws(ArtError) -> JournalFolder? {
    try StateFolder.isNamed ? standard() : nil
  }

  /// Throws `notPermitted` if other users could have written journals there, which must not be restored in
  /// this user's name. With `isReadOnly`, root may read any user's folder.
  func verify(isReadOnly: Bool = false) throws(ArtError) {
    try StateFolder.verify(path, acceptsOwner: isReadOnly && geteuid() == 0)
  }

  /// The same for the folder of a document.
  func verify(_ document: DocumentID, isReadOnly: Bool = false) throws(ArtError) {
    try StateFolder.verify(path(of: document), acceptsOwner: isReadOnly && geteuid() == 0)
  }

  /// The path of a file with a name that `JournalFormat` gives.
  func path(of name: String) -> String { "\(path)/\(name)" }

  /// The path of a document's folder.
  func path(of document: DocumentID) -> String { path(of: document.description) }

  /// The files of one journal.
  struct Files: Equatable {
    var hasLock = false
    /// The numbers of its segments, ascending.
    var segments: [Int] = []
  }

  /// The journals of one document or of all, by the names of their files. No file is opened.
  struct Listing {
    fileprivate(set) var files: [JournalID: Files] = [:]
    /// The documents whose folders cannot be listed, and the reasons.
    fileprivate(set) var unlisted: [DocumentID: ArtError] = [:]

    /// Adds a file of a document's folder. Files that are not of a journal are skipped.
    fileprivate mutating func add(_ entry: FolderEntry, of document: DocumentID) {
      switch entry.name.flatMap({ JournalName($0, of: document) }) {
      case .lock(let id): files[id, default: Files()].hasLock = true
      case .segment(let id, let number): files[id, default: Files()].segments.append(number)
      case nil: break
      }
    }
  }

  /// The journals of a document; none if it has no folder. Throws `inputOutput`, `notPermitted` if the folder
  /// of all documents cannot be searched.
  func listing(of document: DocumentID, isReadOnly: Bool = false) throws(ArtError) -> Listing {
    var listing = Listing()
    do throws(ArtError) {
      try verify(document, isReadOnly: isReadOnly)
      try list(path(of: document)) { listing.add($0, of: document) }
    } catch {
      guard access(path, R_OK | X_OK) == 0 else {
        if errno == ENOENT || errno == ENOTDIR { return Listing() }
        throw .system("look into", path)
      }
      // What was listed before the error may be a part of a journal.
      return Listing(unlisted: [document: foreignFolder(of: document) ?? error])
    }
    for id in listing.files.keys { listing.files[id]?.segments.sort() }
    return listing
  }

  /// The journals of all documents; none if the folder does not exist. Throws `inputOutput`, `notPermitted`.
  func listing(isReadOnly: Bool = false) throws(ArtError) -> Listing {
    var all = Listing()
    for document in try documents() {
      let one = try listing(of: document, isReadOnly: isReadOnly)
      all.files.merge(one.files) { $1 }
      all.unlisted.merge(one.unlisted) { $1 }
    }
    return all
  }

  /// The documents that have a folder.
  private func documents() throws(ArtError) -> [DocumentID] {
    var documents: [DocumentID] = []
    do throws(ArtError) {
      try list(path) { if let id = $0.name.flatMap(DocumentID.init) { documents.append(id) } }
    } catch {
      guard error.code != .noSuchDocument else { return [] }
      throw error
    }
    return documents
  }

  /// Calls `body` with each entry of a folder; with none if it does not exist.
  private func list(_ folder: String, _ body: (FolderEntry) -> Void) throws(ArtError) {
    do throws(SystemError) { try FolderEntry.each(in: folder, body) } catch {
      guard error.number == ENOENT else { throw ArtError(error, cannot: "look into", folder) }
    }
  }

  /// The error for a document's folder of root, which this user cannot read; nil for other folders.
  func foreignFolder(of document: DocumentID) -> ArtError? {
    let folder = path(of: document)
    var status = stat()
    guard lstat(folder, &status) == 0, status.st_uid == 0, geteuid() != 0,
      access(folder, R_OK | X_OK) != 0
    else { return nil }
    return .foreignJournals(folder, of: status.st_uid, folder: folder)
  }

  /// Whether no document has a folder. Throws `inputOutput`, `notPermitted`.
  fileprivate var isEmpty: Bool {
    get throws(ArtError) { try documents().isEmpty }
  }

  /// Unlinks a journal's lock, the last of its files, and removes the folder of its document if that has no other journal.
  func unlink(_ lock: JournalLock, of id: JournalID) throws(ArtError) {
    try lock.unlink()
    removeFolder(of: id.document)
  }

  /// Removes the folder of a document's journals if no file is in it. A kill or a power cut may have left it.
  func removeFolder(of document: DocumentID) { rmdir(path(of: document)) }

  /// Removes all folders without a file.
  func removeEmptyFolders() throws(ArtError) {
    for document in try documents() { removeFolder(of: document) }
  }

  /// Makes what was removed from the folder of a document durable. There is nothing to do if that is missing.
  func sync(_ document: DocumentID) throws(ArtError) {
    do throws(ArtError) { try PlainFile.syncFolder(of: path(of: document) + "/") } catch {
      guard error.code == .noSuchDocument else { throw error }
    }
  }

  /// Unlinks segments in their order. A missing one is no error.
  func unlinkSegments(_ numbers: [Int], of id: JournalID) throws(ArtError) {
    for number in numbers {
      let path = path(of: JournalFormat.segment(number, of: id))
      guard Glibc.unlink(path) == 0 || errno == ENOENT else { throw .system("remove", path) }
    }
  }
}

// MARK: - The journals of a document

/// The orphaned journals that concern one document.
public struct FoundJournals {
  /// The journals whose edits belong to it, oldest first.
  public private(set) var own: [OrphanedJournal] = []
  /// The reasons why other journals that name its path are not restored.
  public private(set) var kept: [ArtError] = []

  fileprivate init() {}

  fileprivate mutating func add(_ error: ArtError) { kept.append(error) }

  fileprivate init(
    _ journals: [OrphanedJournal], of file: DocumentFile, at location: DocumentLocation,
    in folder: JournalFolder
  ) {
    var search = JournalSearch(for: journals.compactMap(\.head), in: folder)
    search.inspect(file)
    for journal in journals {
      guard let head = journal.head else { continue }
      if head.base.id == location.id, head.filePath != location.path, !head.isFile(location.identity) {
        search.inspect(folder: location.path.folder)
      }
      let match = search.match(head)
      if case .restore(let path) = match {
        // Hard links and bind mounts give a file several paths.
        if path == location.path || FileIdentity(at: path.string) == location.identity { own.append(journal) }
      } else if location.isNamed(by: head, on: folder.host), let error = match.error(about: file.path) {
        kept.append(error)
      }
    }
    own.sort { ($0.modified, $0.origin.description) < ($1.modified, $1.origin.description) }
  }
}

/// The path, file and id of the document in question.
private struct DocumentLocation {
  let path: FilePath
  let identity: FileIdentity
  let id: DocumentID

  /// Whether a journal may be this document's.
  func mayBeMeant(by head: JournalHead) -> Bool {
    head.filePath == path || head.base.id == id || head.isFile(identity)
  }

  /// Whether the journal names it, so that its editor must learn why the journal is kept.
  func isNamed(by head: JournalHead, on host: JournalHost) -> Bool {
    switch host.relation(to: head) {
    case .here: head.filePath == path
    case .otherNamespace, .otherMachine: head.base.id == id
    }
  }
}

extension DocumentFile {
  /// The journals, of one folder, that concern this document. Empty if the document cannot be found or read;
  /// opening it reports the error.
  public func journals(among journals: [OrphanedJournal]) -> FoundJournals {
    // Reading a locked document reports that it is busy.
    guard let folder = journals.first?.folder, let location = try? location(QuickState(self)) else {
      return FoundJournals()
    }
    let meant = journals.filter { $0.head.map(location.mayBeMeant) ?? false }
    return meant.isEmpty ? FoundJournals() : FoundJournals(meant, of: self, at: location, in: folder)
  }

  /// Locks and returns the journals in this document's folder of a folder of journals. Journals of other
  /// documents, and these documents, are not touched. Throws what `JournalFolder.lockOrphans` throws, and `busy` if
  /// another program keeps the document locked, so that an edit need not wait a second time.
  public func journalsToRestore(in folder: JournalFolder) throws(ArtError) -> FoundJournals {
    let state = QuickState(self)
    // A document that cannot be read quickly need not be read twice if no document has journals.
    if state == nil, try folder.isEmpty { return FoundJournals() }
    guard let location = try location(state) else { return FoundJournals() }
    let listing = try folder.listing(of: location.id)
    let journals = try folder.lockOrphans(listing, timeout: timeout)
    if listing.files.isEmpty, listing.unlisted.isEmpty { folder.removeFolder(of: location.id) }
    var found = FoundJournals()
    if journals.contains(where: { $0.head != nil }) {
      found = FoundJournals(journals, of: self, at: location, in: folder)
    }
    for error in ArtError.unreadableJournals(journals) { found.add(error) }
    for journal in journals where journal.head == nil && journal.fault == nil {
      if let damage = try journal.contents().damage { found.add(.namelessJournal(journal.path, damage)) }
    }
    return found
  }

  /// Where the document with that state is; nil if it cannot be found or read. Throws `busy`.
  private func location(_ state: QuickState?) throws(ArtError) -> DocumentLocation? {
    do throws(ArtError) {
      let file = try locate()
      let id = if let state { state.art.id } else { try base().id }
      return DocumentLocation(
        path: file.path, identity: FileIdentity(device: file.device, inode: file.inode), id: id)
    } catch {
      guard error.code != .busy else { throw error }
      return nil
    }
  }
}

// MARK: - Matching a journal with a document

/// The file that the edits of an orphaned journal belong to.
///
/// Copies and backups of a document have its id. So edits are restored automatically only in unambiguous cases:
///
///     the recorded path has this document ──────────────────────────▶ into that
///     it cannot be read ─────────────────────────────────────────────▶ kept
///     it is missing or another document, and of the candidates
///       one is this document and has the edits' base in its log ─────▶ into that
///       one of several is the original file ─────────────────────────▶ into that
///       several, or none, or one beside unreadable ones ─────────────▶ kept
///
/// This holds for journals of this machine and mount namespace. If the path may lead to another file than it did for the journal's
/// program, only the original file gets the edits. If it cannot be determined that the program has ended, no file does.
package enum JournalMatch: Sendable, Equatable {
  /// They belong into the file at that path.
  case restore(FilePath)
  /// They are kept in the journal; the reason, and its code.
  case kept(String, ArtError.Code)
  /// They are kept, because the journal is of another machine or container, whose programs or files are not
  /// visible here; the reason.
  case elsewhere(String)

  /// What is at the path that a journal names.
  package enum PathState: Sendable, Equatable {
    case document(DocumentID)
    /// Nothing, or no document.
    case missing
    /// A file that cannot be read.
    case unreadable(ArtError)
  }

  /// A document that was read.
  package struct Candidate: Sendable, Equatable {
    /// Its path, with symbolic links resolved.
    package let path: FilePath
    /// The document's id.
    package let id: DocumentID
    /// The device of its file.
    package let device: UInt
    /// The inode of its file.
    package let inode: UInt
    /// The ids of the edits in its log.
    package let edits: Set<EditID>

    /// A candidate of these values.
    package init(path: FilePath, id: DocumentID, device: UInt, inode: UInt, edits: Set<EditID>) {
      self.path = path
      self.id = id
      self.device = device
      self.inode = inode
      self.edits = edits
    }

    /// Whether it is the original file, on which the edits were made.
    func isFile(of head: JournalHead) -> Bool { head.isFile(FileIdentity(device: device, inode: inode)) }

    /// Whether the log has the base of the journal's edits.
    func hasBase(of head: JournalHead) -> Bool {
      guard let base = head.base.head else { return true }
      return edits.contains(base)
    }
  }

  /// Decides where the edits of a journal belong. `unreadable` are files that may be the document, but could
  /// not be read.
  package init(
    of head: JournalHead, at path: PathState, among candidates: [Candidate], unreadable: [String] = []
  ) {
    let (what, code): (String, ArtError.Code)
    switch path {
    case .document(head.base.id):
      self = .restore(head.filePath)
      return
    case .unreadable(let error):
      self = .kept("the document cannot be read: \(error.cause)", error.code)
      return
    case .document: (what, code) = ("another document stands at \(head.path) now", .replaced)
    case .missing: (what, code) = ("there is no document \(head.path) any more", .noSuchDocument)
    }
    let same = Self.uniqueFiles(candidates.filter { $0.id == head.base.id && $0.path != head.filePath })
    let fitting = same.filter { $0.hasBase(of: head) }
    let original = fitting.filter { $0.isFile(of: head) }
    if original.count == 1 {
      self = .restore(original[0].path)
    } else if let doubtful = unreadable.first {
      self = .kept("\(what), and \(doubtful), which may be it, cannot be read", code)
    } else if fitting.count == 1 {
      self = .restore(fitting[0].path)
    } else if fitting.count > 1 {
      let names = fitting.prefix(3).map(\.path.name).joined(separator: ", ")
      self = .kept("\(what), and several files are copies of it (\(names))", .ambiguous)
    } else if let other = same.first {
      self = .kept("\(what), and \(other.path.name) is another state of it", code)
    } else {
      self = .kept(what, code)
    }
  }

  /// The error that reports kept edits; nil if they are not kept.
  package func error(about document: String) -> ArtError? {
    switch self {
    case .restore: nil
    case .kept(let why, let code): .keptJournal(document, why, code)
    case .elsewhere(let why): .elsewhereJournal(document, why)
    }
  }

  /// The candidates without further names of the same file.
  private static func uniqueFiles(_ candidates: [Candidate]) -> [Candidate] {
    var seen: Set<[UInt]> = []
    return candidates.filter { seen.insert([$0.device, $0.inode]).inserted }
  }
}

// MARK: - Searching for documents

/// Searches for the documents of orphaned journals. Only reads.
package struct JournalSearch {
  private let wanted: Set<DocumentID>
  private let folder: JournalFolder
  private let isElsewhereTrusted: Bool
  private var candidates: [JournalMatch.Candidate] = []
  private var unreadable: [String] = []
  private var inspectedPaths: Set<FilePath> = []
  private var inspectedFolders: Set<FilePath> = []

  /// A search for the documents of these journals. `trustingElsewhere` says that the programs of other
  /// machines and containers have ended, and that their paths mean the same here.
  package init(
    for heads: some Sequence<JournalHead>, in folder: JournalFolder, trustingElsewhere: Bool = false
  ) {
    wanted = Set(heads.map(\.base.id))
    self.folder = folder
    isElsewhereTrusted = trustingElsewhere
  }

  /// Finds where the journal's edits belong. Reads the file at the recorded path, and if that is not the
  /// document, the other documents of its folder; neither if a candidate decides.
  package mutating func match(_ head: JournalHead) -> JournalMatch {
    guard isElsewhereTrusted || folder.lockProvesEnd(of: head) else {
      return .elsewhere(
        "they were made on another machine or in another container, where their program may still run")
    }
    guard isElsewhereTrusted || folder.host.relation(to: head) == .here else {
      return matchOriginalFile(head)
    }
    if candidates.contains(where: { $0.path == head.filePath && $0.id == head.base.id }) {
      return .restore(head.filePath)
    }
    let state = Self.pathState(of: head)
    if case .document(head.base.id) = state { return JournalMatch(of: head, at: state, among: []) }
    if originalFile(of: head) == nil { inspect(folder: head.filePath.folder) }
    return JournalMatch(of: head, at: state, among: candidates, unreadable: unreadable)
  }

  /// The match if the recorded path may lead to another file than it did for the program: only the original
  /// file counts.
  private mutating func matchOriginalFile(_ head: JournalHead) -> JournalMatch {
    if originalFile(of: head) == nil, FileIdentity(at: head.path).map(head.isFile) ?? false {
      inspect(DocumentFile(head.path))
    }
    guard let file = originalFile(of: head) else {
      return .elsewhere(
        "they were made in another container, or at another boot, whose \(head.path) is not the one here")
    }
    return .restore(file.path)
  }

  private func originalFile(of head: JournalHead) -> JournalMatch.Candidate? {
    candidates.first { $0.id == head.base.id && $0.isFile(of: head) && $0.hasBase(of: head) }
  }

  /// The paths of the candidates with the id of the journal's document.
  package func copies(for head: JournalHead) -> [FilePath] {
    candidates.filter { $0.id == head.base.id }.map(\.path)
  }

  /// The candidate that is nearest to the document of the journal's edits; nil if there is none.
  package mutating func source(of head: JournalHead) -> FilePath? {
    if case .restore(let path) = match(head) { return path }
    let same = candidates.filter { $0.id == head.base.id }
    let best = same.first { $0.isFile(of: head) } ?? same.first { $0.hasBase(of: head) } ?? same.first
    return best?.path
  }

  /// Adds the documents of a folder to the candidates.
  package mutating func inspect(folder: String) {
    guard inspectedFolders.insert(FilePath(folder)).inserted else { return }
    do throws(ArtError) {
      for name in try FolderListing(of: folder).names {
        let path = "\(folder)/\(name)"
        do throws(ArtError) { inspect(try DocumentFile(found: path, timeout: .zero)) } catch {
          noteFailure(error, about: path)
        }
      }
    } catch {
      noteFailure(error, about: folder)
    }
  }

  /// Adds a document to the candidates.
  package mutating func inspect(_ file: DocumentFile) {
    do throws(ArtError) {
      let located = try file.locate()
      guard inspectedPaths.insert(located.path).inserted else { return }
      if let candidate = try candidate(file, located) { candidates.append(candidate) }
    } catch {
      noteFailure(error, about: file.path)
    }
  }

  /// Records a path that could not be read. A missing file, or one that is no document, cannot be the one.
  private mutating func noteFailure(_ error: ArtError, about path: String) {
    switch error.code {
    case .noSuchDocument, .notADocument: break
    default: unreadable.append(FilePath(path).name)
    }
  }

  private func candidate(
    _ file: DocumentFile, _ located: LocatedFile
  ) throws(ArtError) -> JournalMatch.Candidate? {
    var file = file
    file.timeout = .seconds(1)
    let (id, edits) = try file.read { (transaction) throws(ArtError) in
      (transaction.id, wanted.contains(transaction.id) ? try transaction.loggedIDs() : [])
    }
    guard wanted.contains(id) else { return nil }
    return JournalMatch.Candidate(
      path: located.path, id: id, device: located.device, inode: located.inode, edits: edits)
  }

  /// What is at the path that the journal names. A symbolic link there is not the document.
  private static func pathState(of head: JournalHead) -> JournalMatch.PathState {
    var status = stat()
    guard lstat(head.path, &status) == 0 else {
      let error = ArtError.system("look at", head.path)
      return error.code == .noSuchDocument ? .missing : .unreadable(error)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return .missing }
    do throws(ArtError) {
      return .document(try DocumentFile(head.path).base().id)
    } catch {
      switch error.code {
      case .noSuchDocument, .notADocument: return .missing
      default: return .unreadable(error)
      }
    }
  }
}

extension DocumentTransaction {
  fileprivate func loggedIDs() throws(ArtError) -> Set<EditID> {
    var ids: Set<EditID> = []
    try newestEdits { (entry) throws(ArtError) in
      ids.insert(entry.id)
      return true
    }
    return ids
  }
}
