// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// Where the journals of unsaved edits lie: a file or two for each program that edits, or did and is gone.
public struct JournalFolder: Sendable, Hashable {
  /// The folder's path; it need not exist.
  public let path: String
  /// The machine that this program runs on; asked for only where there is a journal.
  var host: JournalHost { testHost ?? .current }
  /// What a test plays.
  private let testHost: JournalHost?

  /// A folder by its path.
  public init(_ path: String) { self.init(path, host: nil) }

  init(_ path: String, host: JournalHost?) {
    self.path = path
    testHost = host
  }

  /// `journal` in this machine's state folder. Throws `inputOutput` where no variable names one, `badValue` for a relative
  /// one, `notPermitted` for one that others may write to.
  public static func standard() throws(ArtError) -> JournalFolder {
    JournalFolder(try StateFolder.path() + "/journal")
  }

  /// The standard folder; nil where no variable names a state folder, so that no journal can be there. Throws as
  /// `standard` does, but for that.
  public static func known() throws(ArtError) -> JournalFolder? {
    try StateFolder.isNamed ? standard() : nil
  }

  /// Throws `notPermitted` where others may have put journals there: those are not restored in anybody's name. Root may look
  /// at what is in anybody's folder.
  func verify(isReadOnly: Bool = false) throws(ArtError) {
    try StateFolder.verify(path, acceptsOwner: isReadOnly && geteuid() == 0)
  }

  func path(of name: String) -> String { "\(path)/\(name)" }

  /// The files of one journal.
  struct Files: Equatable {
    var hasLock = false
    /// The numbers of its segments, ascending.
    var segments: [Int] = []
  }

  /// The journals there, by their origins; empty where the folder is not there. What else lies there is passed over.
  func files() throws(ArtError) -> [Origin: Files] {
    var found: [Origin: Files] = [:]
    do throws(SystemError) {
      try FolderEntry.each(in: path) { entry in
        switch JournalName(entry.shownName) {
        case .lock(let origin): found[origin, default: Files()].hasLock = true
        case .segment(let origin, let number): found[origin, default: Files()].segments.append(number)
        case nil: break
        }
      }
    } catch {
      guard error.number == ENOENT || error.number == ENOTDIR else {
        throw ArtError(error, cannot: "look into", path)
      }
      return [:]
    }
    return found.mapValues { Files(hasLock: $0.hasLock, segments: $0.segments.sorted()) }
  }

  /// Unlinks segments in their order; one that is gone is no error.
  func unlinkSegments(_ numbers: [Int], of origin: Origin) throws(ArtError) {
    for number in numbers {
      let path = path(of: JournalFormat.segment(number, of: origin))
      guard unlink(path) == 0 || errno == ENOENT else { throw .system("remove", path) }
    }
  }
}

/// The journals of programs that are gone which concern one document.
public struct FoundJournals {
  /// Those whose edits belong to it, oldest first.
  public private(set) var own: [OrphanedJournal] = []
  /// Why others that name its path are kept.
  public private(set) var kept: [ArtError] = []

  fileprivate init() {}

  fileprivate mutating func add(_ error: ArtError) { kept.append(error) }

  fileprivate init(
    _ journals: [OrphanedJournal], of file: DocumentFile, at location: DocumentLocation, in folder: JournalFolder
  ) {
    var search = JournalSearch(for: journals.compactMap(\.head), in: folder)
    search.inspect(file)
    for journal in journals {
      guard let head = journal.head else { continue }
      if head.base.id == location.id, head.path != location.path, !head.isFile(location.identity) {
        search.inspect(folder: FilePath(location.path).folder)
      }
      let match = search.match(head)
      if case .restore(let path) = match {
        // Hard links and bind mounts give one file several paths.
        if path == location.path || FileIdentity(at: path) == location.identity { own.append(journal) }
      } else if location.isNamed(by: head, on: folder.host), let error = match.error(about: file.path) {
        kept.append(error)
      }
    }
    own.sort { ($0.modified, $0.origin.description) < ($1.modified, $1.origin.description) }
  }
}

/// Which document is meant: where its file is, which file that is, and what it calls itself.
private struct DocumentLocation {
  let path: String
  let identity: FileIdentity
  let id: DocumentID

  /// Whether a journal may be about it.
  func mayBeMeant(by head: JournalHead) -> Bool {
    head.path == path || head.base.id == id || head.isFile(identity)
  }

  /// Whether the journal names it, so that somebody who edits it is told why it is kept.
  func isNamed(by head: JournalHead, on host: JournalHost) -> Bool {
    switch host.relation(to: head) {
    case .here: head.path == path
    case .otherNamespace, .otherMachine: head.base.id == id
    }
  }
}

extension DocumentFile {
  /// Which of these journals, of one folder, concern this document; none where it cannot be found or read, which whoever
  /// opens it is told.
  public func journals(among journals: [OrphanedJournal]) -> FoundJournals {
    // A document that others hold is told as busy when it is read.
    guard let folder = journals.first?.folder, let location = try? location() else { return FoundJournals() }
    let meant = journals.filter { $0.head.map(location.mayBeMeant) ?? false }
    return meant.isEmpty ? FoundJournals() : FoundJournals(meant, of: self, at: location, in: folder)
  }

  /// The journals in a folder that concern this document, for who restores them first; those of other documents are left
  /// alone, and so are these documents. Throws what `JournalFolder.dead` throws, and `busy` when another program does not let go of the
  /// document: who edits it need not wait once more.
  public func journalsToRestore(in folder: JournalFolder) throws(ArtError) -> FoundJournals {
    var location: DocumentLocation?
    var busy: ArtError?
    var isFirst = true
    let journals = try folder.lockOrphans(
      where: { head in
        if isFirst {
          do throws(ArtError) { location = try self.location() } catch { busy = error }
        }
        isFirst = false
        guard let head, let location else { return false }
        return location.mayBeMeant(by: head)
      }, timeout: timeout)
    if let busy { throw busy }
    var found = FoundJournals()
    if let location, journals.contains(where: { $0.head != nil }) {
      found = FoundJournals(journals, of: self, at: location, in: folder)
    }
    if let error = ArtError.unreadableJournals(journals) { found.add(error) }
    return found
  }

  /// Nil where it cannot be found or read. Throws `busy`.
  private func location() throws(ArtError) -> DocumentLocation? {
    do throws(ArtError) {
      let file = try locate()
      let id = if let quick = QuickState(self) { quick.art.id } else { try base().id }
      return DocumentLocation(
        path: file.path, identity: FileIdentity(device: file.device, inode: file.inode), id: id)
    } catch {
      guard error.code != .busy else { throw error }
      return nil
    }
  }
}

/// Which file the edits of a program that is gone belong to.
///
/// A copy of a document has its id, and so has a backup. So edits are restored by themselves only where there is no
/// doubt:
///
///     the recorded path holds this document ───────────────────────▶ there
///     it cannot be read ───────────────────────────────────────────▶ kept
///     it is gone, or holds something else, and of the files looked at
///       one is this document and has the state the edits were made on ──▶ there
///       of several one is the very file ───────────────────────────────▶ there
///       several, or none, or one beside others that cannot be read ────▶ kept
///
/// That is for journals of this machine and mount namespace. Where the path may lead to another file than it did for the
/// journal's program, the very file alone gets the edits; where it cannot be told that the program is gone, nobody does.
public enum JournalMatch: Sendable, Equatable {
  /// Into the file at that path.
  case restore(String)
  /// Nowhere; why, and what kind of thing that is.
  case kept(String, ArtError.Code)
  /// Nowhere, because it comes from another machine or container, whose program or files cannot be seen here; why.
  case elsewhere(String)

  /// What stands at the path that a journal names.
  public enum PathState: Sendable, Equatable {
    case document(DocumentID)
    /// Nothing, or what is no document.
    case missing
    /// Something that cannot be read.
    case unreadable(ArtError)
  }

  /// A document that was looked at.
  public struct Candidate: Sendable, Equatable {
    /// Its path, symbolic links resolved.
    public let path: String
    /// The document's own name for itself.
    public let id: DocumentID
    /// The file system that it is on.
    public let device: UInt
    /// The file there.
    public let inode: UInt
    /// The edits in its log.
    public let edits: Set<EditID>

    /// A document of these values.
    public init(path: String, id: DocumentID, device: UInt, inode: UInt, edits: Set<EditID>) {
      self.path = path
      self.id = id
      self.device = device
      self.inode = inode
      self.edits = edits
    }

    /// Whether it is the very file that the edits were made on.
    func isFile(of head: JournalHead) -> Bool { head.isFile(FileIdentity(device: device, inode: inode)) }

    /// Whether the edits of that journal were made on a state that this document has been in.
    func hasBase(of head: JournalHead) -> Bool {
      guard let base = head.base.head else { return true }
      return edits.contains(base)
    }
  }

  /// Says where the edits of a journal belong. `unreadable` are files that were looked at and may be the document.
  public init(of head: JournalHead, at path: PathState, among candidates: [Candidate], unreadable: [String] = []) {
    let (what, code): (String, ArtError.Code)
    switch path {
    case .document(head.base.id):
      self = .restore(head.path)
      return
    case .unreadable(let error):
      self = .kept("the document cannot be read: \(error.message)", error.code)
      return
    case .document: (what, code) = ("another document stands at \(head.path) now", .replaced)
    case .missing: (what, code) = ("there is no document \(head.path) any more", .noSuchDocument)
    }
    let same = Self.uniqueFiles(candidates.filter { $0.id == head.base.id && $0.path != head.path })
    let fitting = same.filter { $0.hasBase(of: head) }
    let original = fitting.filter { $0.isFile(of: head) }
    if original.count == 1 {
      self = .restore(original[0].path)
    } else if let doubtful = unreadable.first {
      self = .kept("\(what), and \(doubtful), which may be it, cannot be read", code)
    } else if fitting.count == 1 {
      self = .restore(fitting[0].path)
    } else if fitting.count > 1 {
      let names = fitting.prefix(3).map { FilePath($0.path).name }.joined(separator: ", ")
      self = .kept("\(what), and several files are copies of it (\(names))", .ambiguous)
    } else if let other = same.first {
      self = .kept("\(what), and \(FilePath(other.path).name) is another state of it", code)
    } else {
      self = .kept(what, code)
    }
  }

  /// The error that says of edits that they are kept; nil where they are not.
  public func error(about document: String) -> ArtError? {
    switch self {
    case .restore: nil
    case .kept(let why, let code): .keptJournal(document, why, code)
    case .elsewhere(let why): .elsewhereJournal(document, why)
    }
  }

  /// Of the names of one file the first.
  private static func uniqueFiles(_ candidates: [Candidate]) -> [Candidate] {
    var seen: Set<[UInt]> = []
    return candidates.filter { seen.insert([$0.device, $0.inode]).inserted }
  }
}

/// Looks for the documents that journals of programs that are gone belong to. Reads only.
public struct JournalSearch {
  private let wanted: Set<DocumentID>
  private let folder: JournalFolder
  private let isElsewhereTrusted: Bool
  private var candidates: [JournalMatch.Candidate] = []
  private var unreadable: [String] = []
  private var inspectedPaths: Set<String> = []
  private var inspectedFolders: Set<String> = []

  /// A search for the documents of these journals of a folder. With `trustingElsewhere` somebody has said that the programs
  /// of other machines and containers are gone, and that their paths mean the same here.
  public init(
    for heads: some Sequence<JournalHead>, in folder: JournalFolder, trustingElsewhere: Bool = false
  ) {
    wanted = Set(heads.map(\.base.id))
    self.folder = folder
    isElsewhereTrusted = trustingElsewhere
  }

  /// Where the journal's edits belong. Looks at the path that it names, and where the document is not there, at the
  /// other documents of that folder; at neither where a document that was looked at tells.
  public mutating func match(_ head: JournalHead) -> JournalMatch {
    guard isElsewhereTrusted || folder.lockProvesEnd(of: head) else {
      return .elsewhere(
        "they were made on another machine or in another container, where their program may still run")
    }
    guard isElsewhereTrusted || folder.host.relation(to: head) == .here else { return matchOriginalFile(head) }
    if candidates.contains(where: { $0.path == head.path && $0.id == head.base.id }) {
      return .restore(head.path)
    }
    let state = Self.pathState(of: head)
    if case .document(head.base.id) = state { return JournalMatch(of: head, at: state, among: []) }
    if originalFile(of: head) == nil { inspect(folder: FilePath(head.path).folder) }
    return JournalMatch(of: head, at: state, among: candidates, unreadable: unreadable)
  }

  /// Where the journal's path may lead to another file than it did for its program: only the very file is the document.
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

  /// Where documents lie that are the journal's by their id, among those looked at.
  public func copies(for head: JournalHead) -> [String] {
    candidates.filter { $0.id == head.base.id }.map(\.path)
  }

  /// The document that the journal's edits were made on, or what comes nearest to it; nil where none was found.
  public mutating func source(of head: JournalHead) -> String? {
    if case .restore(let path) = match(head) { return path }
    let same = candidates.filter { $0.id == head.base.id }
    let best = same.first { $0.isFile(of: head) } ?? same.first { $0.hasBase(of: head) } ?? same.first
    return best?.path
  }

  /// Looks at the documents of a folder.
  public mutating func inspect(folder: String) {
    guard inspectedFolders.insert(folder).inserted else { return }
    do throws(ArtError) {
      for name in try FolderListing(of: folder).names { inspect(DocumentFile("\(folder)/\(name)")) }
    } catch {
      noteFailure(error, about: folder)
    }
  }

  /// Looks at a document.
  public mutating func inspect(_ file: DocumentFile) {
    do throws(ArtError) {
      let located = try file.locate()
      guard inspectedPaths.insert(located.path).inserted else { return }
      if let candidate = try candidate(file, located) { candidates.append(candidate) }
    } catch {
      noteFailure(error, about: file.path)
    }
  }

  /// What is not there, or is no document, is not the one that is looked for; of what cannot be read nobody knows.
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

  /// What stands at the path that the journal names. A symbolic link there is none of the document's names.
  static func pathState(of head: JournalHead) -> JournalMatch.PathState {
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
