// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import CStore
import Glibc

/// A document's file, by its path. Each call opens the file, does its work and closes it.
public struct DocumentFile: Sendable {
  /// The extension of documents, `.emojiart`.
  public static let ending = Format.fileExtension
  /// What SQLite adds to a document's name for its rollback journal.
  static let journalEnding = "-journal"
  /// The path as the caller gave it.
  public let path: String
  /// The name of the document in messages; `path` by default.
  public var name: String
  /// Whether a symbolic link may lead to the document. If false, `path` must be absolute and free of links,
  /// and a document behind a link counts as none.
  public var followsLinks = true
  /// How long a call waits for a document that another program has locked.
  public var timeout: Duration
  /// Receives each notice that the user should get although the call succeeded.
  public var notice: @Sendable (DocumentNotice) -> Void

  /// The file at a path. It need not exist.
  public init(
    _ path: String, timeout: Duration = .seconds(5),
    notice: @escaping @Sendable (DocumentNotice) -> Void = { _ in }
  ) {
    self.path = path
    name = path
    self.timeout = timeout
    self.notice = notice
  }
}

// MARK: - Finding and opening the file

/// The regular file that a path leads to, with its status.
struct LocatedFile: Equatable {
  /// The path without symbolic links.
  let path: FilePath
  /// Its name in messages.
  let name: String
  let device: UInt
  let inode: UInt
  let hardLinks: Int
  let mode: mode_t
  let owner: uid_t
  let group: gid_t
  /// Whether the file's last change was a write, as opposed to a rename, a `chmod` or times that were set.
  let wasWrittenLast: Bool

  /// Whether another look found it at the same path.
  func isAtPath(of other: LocatedFile) -> Bool { path == other.path }

  var journalPath: String { path.string + DocumentFile.journalEnding }

  /// Whether the name is so long that no rollback journal can be beside the file. It can be read, and not be saved.
  var isTooLongToSave: Bool {
    var status = stat()
    return lstat(journalPath, &status) != 0 && errno == ENAMETOOLONG
  }

  var identity: FileIdentity { FileIdentity(device: device, inode: inode) }
}

extension LocatedFile {
  /// The file with that status.
  init(_ path: FilePath, _ name: String, _ status: stat) {
    (self.path, self.name) = (path, name)
    (device, inode) = (UInt(status.st_dev), UInt(status.st_ino))
    (hardLinks, mode) = (Int(status.st_nlink), status.st_mode)
    (owner, group) = (status.st_uid, status.st_gid)
    wasWrittenLast =
      status.st_mtim.tv_sec == status.st_ctim.tv_sec && status.st_mtim.tv_nsec == status.st_ctim.tv_nsec
  }
}

/// What a user should know of a document although the work was done.
public enum DocumentNotice: Sendable, Hashable, CustomStringConvertible {
  /// One line, which is true for every front end.
  case line(String)
  /// Something was left as it is; the front end words what can be done.
  case kept(ArtError)

  /// What happened, without what can be done.
  public var description: String {
    switch self {
    case .line(let line): line
    case .kept(let error): error.cause
    }
  }
}

extension DocumentFile {
  /// Finds the file. Throws `noSuchDocument` with similar names, `notADocument` if it is no regular file.
  func locate() throws(ArtError) -> LocatedFile {
    var status = stat()
    guard let real = try realPath() else {
      if lstat(path, &status) == 0 {
        throw ArtError(.noSuchDocument, "\(name) is a link to a file that is not there", about: name)
      }
      // What a link leads to is not told where links are not followed.
      guard try acceptsResolvedFolder() else { throw .noSuchDocument(name, near: []) }
      throw .noSuchDocument(name, near: NearNames.documents(near: path))
    }
    guard acceptsResolvedPath(to: real) else { throw .notADocument(name, "only a symbolic link leads to it") }
    guard lstat(real, &status) == 0 else { throw .document("open", name) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw .notADocument(name, "it is a folder", remedy: .listDocuments)
    case S_IFIFO: throw .notADocument(name, "it is a pipe")
    case S_IFSOCK: throw .notADocument(name, "it is a socket")
    default: throw .notADocument(name, "it is a device")
    }
    return LocatedFile(FilePath(real), name, status)
  }

  /// The path with symbolic links resolved; nil if nothing exists there.
  func realPath() throws(ArtError) -> String? {
    do throws(SystemError) { return try FilePath.resolved(path) } catch {
      guard error.number == ENOENT else { throw ArtError(error, cannot: "open", name) }
      return nil
    }
  }

  /// Whether the folder of `path` may be listed: always if links are followed, else only if none leads to it.
  private func acceptsResolvedFolder() throws(ArtError) -> Bool {
    guard !followsLinks else { return true }
    let folder = FilePath(path).folder
    do throws(SystemError) { return try FilePath(FilePath.resolved(folder)) == FilePath(folder) } catch {
      guard error.number == ENOENT else { throw ArtError(error, cannot: "open", name) }
      return false
    }
  }

  /// Whether the resolved path may be opened: always if links are followed, else only if it equals `path`.
  func acceptsResolvedPath(to real: String) -> Bool { followsLinks || FilePath(real) == FilePath(path) }

  /// Opens the file. Its header is verified before SQLite reads it.
  static func connect(
    _ file: LocatedFile, _ mode: Connection.Mode, _ deadline: Deadline
  ) throws(ArtError) -> Connection {
    try refuseForeignSiblings(of: file)
    let connection = try Connection(path: file.path.string, name: file.name, mode: mode, deadline: deadline)
    let size = try connection.size
    // If the file exceeds `ulimit -f`, a rollback would fail like the write before it.
    guard mode == .readOnly || size <= fileSizeLimit else { throw .fileSizeLimit(file.name) }
    let header = try FileHeader(
      connection.bytes(count: FileHeader.length, at: 0), size: size, name: file.name)
    guard !header.isWAL else { throw .walDocument(file.name) }
    try connection.configure()
    return connection
  }

  /// The largest file that this process may write: `ulimit -f`.
  private static var fileSizeLimit: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
  }

  /// Throws for files beside the document that SQLite would mix into it: any `-wal`, and a `-journal` that is
  /// no regular file.
  private static func refuseForeignSiblings(of file: LocatedFile) throws(ArtError) {
    var status = stat()
    if lstat(file.path.string + "-wal", &status) == 0 { throw .walDocument(file.name) }
    if lstat(file.journalPath, &status) == 0,
      status.st_mode & S_IFMT != S_IFREG || UInt(status.st_ino) == file.inode
    {
      throw .notADocument(file.name, "\(file.name)-journal beside it is no regular file; move that away")
    }
  }
}

// MARK: - Reading

/// A document as a watcher of its file reads it.
package struct WholeDocument: Sendable {
  package let content: DocumentContent
  /// The names of its versions by their ids; nil for one that was removed.
  package let versions: [String: String?]
}

extension DocumentFile {
  /// Reads the whole document and verifies each row, the digest and the use of the file's pages.
  ///
  /// Changes neither the file nor its times, and leaves nothing beside it. Throws `noSuchDocument`,
  /// `notADocument`, `newerFormat`, `damaged`, `busy`, `notPermitted`, `inputOutput`.
  public func read() throws(ArtError) -> DocumentContent {
    try read(whole: true) { (transaction) throws(ArtError) in try transaction.load() }
  }

  /// The same, with the names of the document's versions.
  package func readWhole() throws(ArtError) -> WholeDocument {
    try read(whole: true) { (transaction) throws(ArtError) in
      WholeDocument(content: try transaction.load(), versions: try transaction.versionNames())
    }
  }

  /// Runs the body in one read transaction. With `whole`, the body will read everything: a large document is
  /// then copied to memory, and its file is locked only while it is copied.
  func read<Result>(
    whole isWhole: Bool = false, _ body: (DocumentTransaction) throws(ArtError) -> Result
  ) throws(ArtError) -> Result {
    let deadline = Deadline(timeout)
    var tries = 0
    while true {
      let file = try locate()
      if let copy = try HotJournal.resolvedCopy(of: file, deadline) {
        defer { copy.scratch.remove() }
        return try readOnce(copy.file, deadline, nil, body)
      }
      do {
        return try readOnce(file, deadline, isWhole ? Self.copyThreshold : nil, body)
      } catch {
        // A writer may have been killed after the journal was looked for, or a journal of another file may be gone by now.
        let mayPass = try error.code == .busy ? true : HotJournal.mayExist(file)
        guard mayPass, deadline.wait(tries) else { throw error }
        tries += 1
      }
    }
  }

  private func readOnce<Result>(
    _ file: LocatedFile, _ deadline: Deadline, _ copyThreshold: (rows: Int, bytes: Int)?,
    _ body: (DocumentTransaction) throws(ArtError) -> Result
  ) throws(ArtError) -> Result {
    switch try begin(at: file, deadline, copyThreshold) {
    case .file(let transaction): return try body(transaction)
    case .copy(let copy): return try body(DocumentTransaction(copy, begin: "BEGIN"))
    }
  }

  private enum Source {
    case file(DocumentTransaction)
    /// A copy in memory of a large document. Its file is closed.
    case copy(Connection)
  }

  private func begin(
    at file: LocatedFile, _ deadline: Deadline, _ copyThreshold: (rows: Int, bytes: Int)?
  ) throws(ArtError) -> Source {
    let connection = try Self.connect(file, .readOnly, deadline)
    let transaction = try DocumentTransaction(connection, begin: "BEGIN")
    guard let copyThreshold,
      transaction.emojiCount >= copyThreshold.rows || transaction.art.logBytes >= copyThreshold.bytes,
      let copy = try connection.copyInMemory()
    else { return .file(transaction) }
    return .copy(copy)
  }

  /// A document with this many emoji, or bytes of log, is copied before it is read as a whole. A smaller one
  /// is verified within milliseconds.
  private static var copyThreshold: (rows: Int, bytes: Int) { (1_000, 1 << 17) }
}

// MARK: - Editing

/// The result of an action.
public struct PerformedAction: Sendable {
  /// The emoji that the action was about, as they are now; removed ones as they were.
  public let emojis: [Emoji]
  /// The document's revision after it.
  public let revision: Int
  /// The canvas after it.
  public let canvas: Canvas
  /// The colour of the canvas after it; nil for none.
  public let fill: Color?
  /// How many of the emoji lie off the canvas; of all emoji where the canvas has another size.
  public let offCanvas: OffCanvas
}

extension DocumentFile {
  /// Performs an action as one durable edit.
  ///
  /// If the file is replaced during the save, the action is performed again on the new file. The second edit
  /// has the author's next sequence number, because the first file may come back; its new emoji have the same
  /// ids. Throws what `edit` and planning the action throw.
  public func perform(
    _ action: Action, by author: inout Author, at time: Int, expecting revision: Int? = nil,
    using generator: some RandomNumberGenerator = SystemRandomNumberGenerator()
  ) throws(ArtError) -> PerformedAction {
    try perform(action, by: &author, at: time, expecting: revision, using: generator) {}
  }

  /// The same. `beforeCommit` runs on each attempt, after the edit is made and before it is committed.
  func perform(
    _ action: Action, by author: inout Author, at time: Int, expecting revision: Int?,
    using generator: some RandomNumberGenerator, beforeCommit: () -> Void
  ) throws(ArtError) -> PerformedAction {
    var random = ReplayedGenerator(generator)
    return try edit(expecting: revision) { (transaction) throws(ArtError) in
      random.restart()
      let plan = try action.plan(on: transaction, using: &random)
      _ = try transaction.perform(plan.edit, stamp: author.stamp(at: time))
      var emojis: [Emoji] = []
      emojis.reserveCapacity(plan.subjects.count)
      for subject in plan.subjects { emojis.append(try transaction.emoji(subject.id) ?? subject) }
      let offCanvas = try action.offCanvas(among: emojis, of: transaction)
      beforeCommit()
      return PerformedAction(
        emojis: emojis, revision: transaction.revision, canvas: transaction.canvas, fill: transaction.fill,
        offCanvas: offCanvas)
    }
  }
}

extension DocumentFile {
  /// Changes the document in one durable transaction. When this returns, the body's edits are in the file at
  /// this path.
  ///
  /// The body may run again: on another file, if the one that it ran on was replaced during the save, or after the
  /// archive was cleared, if the file would be too large otherwise. Throws
  /// what `read` throws, `movedOn` if the document is not at the expected revision, `diskFull`, and what the
  /// body throws; nothing is changed then. If the outcome cannot be determined, the error says so.
  public func edit<Result>(
    expecting revision: Int? = nil, _ body: (DocumentTransaction) throws(ArtError) -> Result
  ) throws(ArtError) -> Result {
    try edit(expecting: revision, body, orMerging: { _ in nil })
  }

  /// The same. If the file was replaced while the edit was committed to it, `merge` gets that transaction, and may bring the edit into the new
  /// file and return the result; with nil the body runs again.
  func edit<Result>(
    expecting revision: Int? = nil, _ body: (DocumentTransaction) throws(ArtError) -> Result,
    orMerging merge: (DocumentTransaction) throws(ArtError) -> Result?
  ) throws(ArtError) -> Result {
    let deadline = Deadline(timeout)
    var saved: Attempt<Result>?
    var clearsArchive = false
    for _ in 0..<3 {
      do throws(ArtError) {
        let attempt = try self.attempt(
          expecting: revision, after: saved, clearingArchive: clearsArchive, deadline, body)
        clearsArchive = clearsArchive || attempt.isTooLarge
        if attempt.isDone, let result = attempt.result { return result }
        guard let transaction = attempt.transaction else { continue }
        saved = attempt
        if let result = try merge(transaction) { return result }
      } catch {
        // The edit is in a file that may still be at the path, or come back to it.
        throw saved == nil ? error : .maybeSaved(path, error)
      }
    }
    throw saved == nil ? .movedAway(path) : .savedElsewhere(path)
  }

  /// The outcome of one attempt at an edit.
  private struct Attempt<Result> {
    var isDone = false
    /// Whether nothing was written because the file would be too large, and it has an archive that can go.
    var isTooLarge = false
    /// The body's result, if its edits were committed.
    var result: Result?
    /// The transaction, if it was committed to a file that was no longer at the path.
    var transaction: DocumentTransaction?
  }

  private func attempt<Result>(
    expecting revision: Int?, after saved: Attempt<Result>?, clearingArchive: Bool, _ deadline: Deadline,
    _ body: (DocumentTransaction) throws(ArtError) -> Result
  ) throws(ArtError) -> Attempt<Result> {
    let file = try locate()
    if file.hardLinks > 1 {
      notice(
        .line(
          "\(path) has \(file.hardLinks) names (hard links): the edit is seen under each, also in a snapshot of `cp -al`; "
            + "a repair or a merge would leave the others behind"))
    }
    let transaction = try beginWriting(file, deadline)
    let connection = transaction.connection
    guard let now = try fileIfStillAtPath(file, connection) else { return Attempt() }
    let result: Result
    do throws(ArtError) {
      if mayBeHalfSaved(now, connection) { _ = try transaction.load() }
      if let before = saved?.transaction, let found = saved?.result, try transaction.contains(before) {
        // The file at the path is now a copy of the one that was edited, and has the edit.
        result = found
        try transaction.touch()
      } else {
        if let revision, transaction.revision != revision {
          throw .movedOn(path, is: transaction.revision, not: revision)
        }
        // First, so that the edit takes the pages that become free.
        if clearingArchive { try transaction.clearArchive() }
        result = try body(transaction)
        guard transaction.hasChanges || transaction.mustCommit else {
          return Attempt(isDone: true, result: result)
        }
        do throws(ArtError) { try transaction.finish() } catch {
          guard error.code == .tooLarge, !clearingArchive, try transaction.hasArchive else { throw error }
          return Attempt(isTooLarge: true)
        }
      }
    } catch {
      // The file was replaced while it was read: the error is about the wrong content. Nothing was written.
      if connection.isCopiedOver || connection.hasMoved { return Attempt() }
      throw error
    }
    guard try commit(transaction, to: file) else { return Attempt() }
    var isDone = try isStillAtPath(file, connection)
    if isDone { isDone = try stillContains(transaction, connection) }
    return Attempt(isDone: isDone, result: result, transaction: transaction)
  }

  /// Opens the file and locks it for writing. A hot journal beside it is resolved first, also one that
  /// appears meanwhile.
  func beginWriting(
    _ file: LocatedFile, _ deadline: Deadline
  ) throws(ArtError) -> DocumentTransaction {
    guard !file.isTooLongToSave else { throw .tooLongName(path) }
    var tries = 0
    while true {
      try HotJournal.resolve(file, deadline, notice)
      do throws(ArtError) {
        let connection = try Self.connect(file, .readWrite, deadline)
        let transaction = try DocumentTransaction(connection, begin: "BEGIN IMMEDIATE")
        try HotJournal.removeInert(file, connection.descriptor, notice)
        return transaction
      } catch {
        guard error.code == .busy, deadline.wait(tries) else { throw error }
        tries += 1
      }
    }
  }

  /// Whether an interrupted save may be in the file although no journal lies beside it: the journal keeps the
  /// name that the file had at that time. An edit on top of it would be rolled back with it, so the document
  /// is verified as a whole first.
  ///
  /// After a kill the header says so. After a power cut it may not; then the file has several names, or its
  /// inode was changed after its last write.
  private func mayBeHalfSaved(_ file: LocatedFile, _ connection: Connection) -> Bool {
    connection.isHalfSaved || file.hardLinks > 1 || !file.wasWrittenLast
      || file_is_mounted(file.path.string, file.path.folder)
  }

  /// Commits. Returns false if nothing was written, because another file was copied over this one. A commit
  /// that fails may have happened all the same: then the edit is found in the log.
  func commit(_ transaction: DocumentTransaction, to file: LocatedFile) throws(ArtError) -> Bool {
    do {
      try transaction.connection.execute("COMMIT")
    } catch {
      guard error.code != .busy else { throw error }
      if transaction.connection.isCopiedOver { return false }
      let isSaved: Bool
      do {
        isSaved = try self.isSaved(transaction, in: file)
      } catch let second {
        // The outcome is unknown: neither "saved" nor "not saved" would be true.
        throw .maybeSaved(path, second)
      }
      guard isSaved else { throw error }
    }
    return true
  }

  /// Whether the file has what was committed. If so, it is made durable once more: what can be read may be in
  /// memory only.
  private func isSaved(_ transaction: DocumentTransaction, in file: LocatedFile) throws(ArtError) -> Bool {
    // The commit's error matters more. A transaction that has ended cannot be rolled back.
    try? transaction.connection.execute("ROLLBACK")
    let found = try beginWriting(file, Deadline(timeout))
    guard try found.contains(transaction) else { return false }
    try found.touch()
    try found.connection.execute("COMMIT")
    return true
  }

  /// The status of the open file if it is still the one at the path, else nil: SQLite reports success for a
  /// file that was renamed or replaced. Throws `movedAway` if no file is at the path.
  func fileIfStillAtPath(_ file: LocatedFile, _ connection: Connection) throws(ArtError)
    -> LocatedFile?
  {
    let now: LocatedFile
    do {
      now = try locate()
    } catch {
      throw error.code == .noSuchDocument ? .movedAway(path) : error
    }
    return now.isAtPath(of: file) && !connection.hasMoved ? now : nil
  }

  /// Whether the file that was committed to is still the one at the path. Throws if that cannot be
  /// determined: a file that was moved away has the edit and may come back.
  private func isStillAtPath(_ file: LocatedFile, _ connection: Connection) throws(ArtError) -> Bool {
    do {
      return try fileIfStillAtPath(file, connection) != nil
    } catch {
      throw error.code == .busy ? .savedElsewhere(path) : .maybeSaved(path, error)
    }
  }

  /// Whether the file still has what was committed. A program that copies another file over it, such as `cp`,
  /// takes no lock and leaves the inode the same. Throws if that cannot be determined.
  private func stillContains(
    _ transaction: DocumentTransaction, _ connection: Connection
  ) throws(ArtError) -> Bool {
    do throws(ArtError) {
      // Each commit writes the row of `art`, which lies on page 2.
      let page = LeafPage(try connection.bytes(count: Format.pageSize, at: Format.pageSize))
      if page.flatMap({ ArtRow(onlyRowOf: $0) }) == transaction.art { return true }
      // Another program may have saved since.
      return try read { (found) throws(ArtError) in try found.contains(transaction) }
    } catch {
      throw .maybeSaved(path, error)
    }
  }
}

// MARK: - Reading, for open documents

extension DocumentFile {
  /// The whole document, as a program of that origin finds it, which holds `former`. Throws what `read` throws.
  public func find(by origin: Origin, holding former: HeldFile?) throws(ArtError) -> FoundState {
    let file = hold(former)
    let (content, sequence) = try read { (transaction) throws(ArtError) in
      try refuseTakenOver(transaction, after: former)
      return (try transaction.load(), try transaction.savedSequence(of: origin))
    }
    return FoundState(content: content, savedSequence: sequence, file: hold(file) === file ? file : nil)
  }

  /// The document's state, read from the row of `art` only. Throws what `read` throws.
  public func base() throws(ArtError) -> DocumentBase {
    try read { (transaction) throws(ArtError) in transaction.base }
  }

  /// All that the file holds, by name, read from the row of `art` only. Throws what `read` throws.
  public func state() throws(ArtError) -> FileState {
    try read { (transaction) throws(ArtError) in FileState(transaction.art) }
  }

  /// Why the file cannot be written; nil if it seems writable. Throws what finding the file throws.
  public func readOnlyReason() throws(ArtError) -> String? {
    let file = try locate()
    guard !file.isTooLongToSave else { return ArtError.tooLongName(path).cause }
    guard access(file.path.string, W_OK) == 0 else { return "the file is read-only" }
    guard access(file.path.folder, W_OK) == 0 else { return "its folder is read-only" }
    return nil
  }
}

extension DocumentTransaction {
  var base: DocumentBase { DocumentBase(id: id, revision: revision, head: head) }
}

/// A generator that can replay its numbers, so that an edit planned again, on another file, gives its emoji the same
/// ids.
private struct ReplayedGenerator<Source: RandomNumberGenerator>: RandomNumberGenerator {
  private var source: Source
  private var drawn: [UInt64] = []
  private var index = 0

  /// Draws new numbers from a source.
  init(_ source: Source) { self.source = source }

  /// Replays the numbers from the first one on.
  mutating func restart() { index = 0 }

  /// The next number.
  mutating func next() -> UInt64 {
    if index == drawn.count { drawn.append(source.next()) }
    index += 1
    return drawn[index - 1]
  }
}
