// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import CStore
import Glibc

/// A document's file, by its path. Nothing stays open between calls: each one opens the file, does its work and
/// closes it.
public struct DocumentFile: Sendable {
  /// What the names of documents end in.
  public static let ending = Format.fileExtension
  /// The path as it was given; messages call the document so.
  public let path: String
  /// What messages call the document where it is only read; the path as a rule.
  public var name: String
  /// Whether symbolic links lead to a document. Otherwise the path must be absolute and plain, and what only a link leads to
  /// is no document.
  public var followsLinks = true
  /// How long a document that another program holds is waited for.
  public var timeout: Duration
  /// Is told, in one line each, what a person should know although the work was done.
  public var notice: @Sendable (String) -> Void

  /// A file by its path; it need not exist yet.
  public init(
    _ path: String, timeout: Duration = .seconds(5), notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.path = path
    name = path
    self.timeout = timeout
    self.notice = notice
  }
}

/// The file that stands at a path, symbolic links resolved.
struct LocatedFile: Equatable {
  /// The path without symbolic links.
  let path: String
  /// What messages call it.
  let name: String
  let device: UInt
  let inode: UInt
  let hardLinks: Int
  let mode: mode_t
  let owner: uid_t
  let group: gid_t
  /// Whether the last thing that happened to the file was a write: not a new name, another mode, or a time that was set.
  let wasWrittenLast: Bool

  var journalPath: String { path + "-journal" }
}

extension DocumentFile {
  /// Finds the file. Throws `noSuchDocument` with near names, `notADocument` for what is no regular file.
  func locate() throws(ArtError) -> LocatedFile {
    var status = stat()
    guard let real = try realPath() else {
      if lstat(path, &status) == 0 {
        throw ArtError(.noSuchDocument, "\(name) is a link to a file that is not there")
      }
      throw .noSuchDocument(name, near: NearNames.documents(near: path))
    }
    guard acceptsResolvedPath(to: real) else { throw .notADocument(name, "only a symbolic link leads to it") }
    guard lstat(real, &status) == 0 else { throw .document("open", name) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw .notADocument(name, "it is a folder; `emojiart list` shows what is in it")
    case S_IFIFO: throw .notADocument(name, "it is a pipe")
    case S_IFSOCK: throw .notADocument(name, "it is a socket")
    default: throw .notADocument(name, "it is a device")
    }
    return LocatedFile(
      path: real, name: name, device: UInt(status.st_dev), inode: UInt(status.st_ino),
      hardLinks: Int(status.st_nlink), mode: status.st_mode, owner: status.st_uid, group: status.st_gid,
      wasWrittenLast: status.st_mtim.tv_sec == status.st_ctim.tv_sec
        && status.st_mtim.tv_nsec == status.st_ctim.tv_nsec)
  }

  /// The path without symbolic links; nil when nothing is there.
  func realPath() throws(ArtError) -> String? {
    do throws(SystemError) { return try FilePath.resolved(path) } catch {
      guard error.number == ENOENT else { throw ArtError(error, cannot: "open", name) }
      return nil
    }
  }

  /// Whether no link that may not be followed leads there. Compared by bytes: two names that look alike are two files.
  func acceptsResolvedPath(to real: String) -> Bool { followsLinks || real.utf8.elementsEqual(path.utf8) }

  /// Opens the file and looks at its header before SQLite does.
  static func connect(
    _ file: LocatedFile, _ mode: Connection.Mode, _ deadline: Deadline
  ) throws(ArtError) -> Connection {
    try refuseForeignSiblings(of: file)
    let connection = try Connection(path: file.path, name: file.name, mode: mode, deadline: deadline)
    let size = try connection.size
    // A write beyond the limit fails also within the file, and so would the rollback of what was written before it.
    guard mode == .readOnly || size <= fileSizeLimit else { throw .fileSizeLimit(file.name) }
    let header = try FileHeader(
      connection.bytes(count: FileHeader.length, at: 0), size: size, name: file.name)
    guard !header.isWAL else { throw .walDocument(file.name) }
    try connection.configure()
    return connection
  }

  /// How large files may be that this process writes: `ulimit -f`.
  private static var fileSizeLimit: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
  }

  /// A `-wal` beside a document would be taken into it by SQLite, whoever left it there.
  private static func refuseForeignSiblings(of file: LocatedFile) throws(ArtError) {
    var status = stat()
    if lstat(file.path + "-wal", &status) == 0 { throw .walDocument(file.name) }
    if lstat(file.journalPath, &status) == 0,
      status.st_mode & S_IFMT != S_IFREG || UInt(status.st_ino) == file.inode
    {
      throw .notADocument(file.name, "\(file.name)-journal beside it is no regular file; move that away")
    }
  }
}

extension DocumentFile {
  /// Reads the whole document, verified row by row and as a whole. Changes no byte and no time, and leaves
  /// nothing beside the file. Throws `noSuchDocument`, `notADocument`, `newerFormat`, `damaged`, `busy`,
  /// `notPermitted`, `inputOutput`.
  public func read() throws(ArtError) -> DocumentContent {
    try read(whole: true) { (transaction) throws(ArtError) in try transaction.load() }
  }

  /// Looks at the document inside one transaction. With `whole` all of it is to be read: a large document is then locked only
  /// while its bytes are copied, and the body reads the copy.
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
        // A writer was killed between the look at the journal and the reading.
        guard try HotJournal.mayExist(file), deadline.wait(tries) else { throw error }
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
    /// A document that takes long to read. Its file is closed.
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

  /// From so many emoji, or so many bytes of the log, on a document is copied: below, its rows are read and verified within some
  /// milliseconds, and a copy would only cost.
  private static var copyThreshold: (rows: Int, bytes: Int) { (1_000, 1 << 17) }
}

/// What an action did to a document's file.
public struct PerformedAction: Sendable {
  /// The emoji that it was about, as they are now; removed ones as they were.
  public let emojis: [Emoji]
  /// The document's revision with it.
  public let revision: Int
}

extension DocumentFile {
  /// Does an action as one durable edit. Where the file is replaced while it is saved, the action is made again in the file that
  /// stands there then: as another edit, with the author's next number, for the first file may come back; its new emoji have the same
  /// ids. Throws what `edit` and planning throw.
  public func perform(
    _ action: Action, by author: inout Author, at time: Int, expecting revision: Int? = nil,
    using generator: some RandomNumberGenerator = SystemRandomNumberGenerator()
  ) throws(ArtError) -> PerformedAction {
    try perform(action, by: &author, at: time, expecting: revision, using: generator) {}
  }

  /// The same; `made` is called each time when the action is made and not committed yet.
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
      beforeCommit()
      return PerformedAction(emojis: emojis, revision: transaction.revision)
    }
  }
}

extension DocumentFile {
  /// Changes the document in one durable transaction on its rows: after the body returns, and before this
  /// does, what it performed is in the file at this path, or an error says that it is not.
  ///
  /// The body may run again, on another file, when the one it ran on was replaced meanwhile. Throws what `read`
  /// throws, `movedOn` when the document is not at the expected revision, `diskFull`, and what the body throws;
  /// then nothing is changed. Where nobody can look whether the edit is in the file, the error says so.
  public func edit<Result>(
    expecting revision: Int? = nil, _ body: (DocumentTransaction) throws(ArtError) -> Result
  ) throws(ArtError) -> Result {
    let deadline = Deadline(timeout)
    var saved: Attempt<Result>?
    for _ in 0..<3 {
      do throws(ArtError) {
        let attempt = try self.attempt(expecting: revision, after: saved, deadline, body)
        if attempt.isDone, let result = attempt.result { return result }
        saved = attempt.transaction == nil ? saved : attempt
      } catch {
        // The edit is in a file that may still stand at the path, or come back to it.
        throw saved == nil ? error : .maybeSaved(path, error)
      }
    }
    throw saved == nil ? .movedAway(path) : .savedElsewhere(path)
  }

  /// One try of an edit.
  private struct Attempt<Result> {
    var isDone = false
    /// What the body returned, when it ran and what it performed was committed.
    var result: Result?
    /// The transaction that was committed to a file which was no longer at the path.
    var transaction: DocumentTransaction?
  }

  private func attempt<Result>(
    expecting revision: Int?, after saved: Attempt<Result>?, _ deadline: Deadline,
    _ body: (DocumentTransaction) throws(ArtError) -> Result
  ) throws(ArtError) -> Attempt<Result> {
    let file = try locate()
    if file.hardLinks > 1 {
      notice("\(path) has \(file.hardLinks) names (hard links); a repair would leave the others behind")
    }
    let transaction = try beginWriting(file, deadline)
    let connection = transaction.connection
    guard let now = try fileIfStillAtPath(file, connection) else { return Attempt() }
    let result: Result
    do throws(ArtError) {
      if mayBeHalfSaved(now, connection) { _ = try transaction.load() }
      if let before = saved?.transaction, let found = saved?.result, try transaction.contains(before) {
        // What stands there now is a copy of the file that the edit is in.
        result = found
        try transaction.touch()
      } else {
        if let revision, transaction.revision != revision {
          throw .movedOn(path, is: transaction.revision, not: revision)
        }
        result = try body(transaction)
        guard transaction.hasChanges || transaction.mustCommit else {
          return Attempt(isDone: true, result: result)
        }
        try transaction.finish()
      }
    } catch {
      // What was read of another file, or of two together, is not what is wrong. Nothing is written.
      if connection.isCopiedOver || connection.hasMoved { return Attempt() }
      throw error
    }
    guard try commit(transaction, to: file) else { return Attempt() }
    var isDone = try isStillAtPath(file, connection)
    if isDone { isDone = try stillContains(transaction, file, connection) }
    return Attempt(isDone: isDone, result: result, transaction: transaction)
  }

  /// Opens the file and locks it for writing. A rollback journal beside it is settled first, and so is one that appears just then.
  private func beginWriting(
    _ file: LocatedFile, _ deadline: Deadline
  ) throws(ArtError) -> DocumentTransaction {
    var tries = 0
    while true {
      try HotJournal.resolve(file, deadline, notice)
      do throws(ArtError) {
        let connection = try Self.connect(file, .readWrite, deadline)
        let transaction = try DocumentTransaction(connection, begin: "BEGIN IMMEDIATE")
        try HotJournal.removeInert(file, notice)
        return transaction
      } catch {
        guard error.code == .busy, try HotJournal.mayExist(file), deadline.wait(tries) else { throw error }
        tries += 1
      }
    }
  }

  /// Whether a save that was cut short may lie in the file, although no journal lies beside it: the journal has the name that the file
  /// had then. An edit on top of it would be taken back with it, so the document is verified as a whole first.
  ///
  /// The header says so after a kill. After a loss of power it may not: then the file has several names, or its inode was changed after
  /// its last write.
  private func mayBeHalfSaved(_ file: LocatedFile, _ connection: Connection) -> Bool {
    connection.isHalfSaved || file.hardLinks > 1 || !file.wasWrittenLast
      || file_is_mounted(file.path, FilePath(file.path).folder)
  }

  /// A commit that answers an error may have happened all the same: then our edit is in the log. False when nothing was
  /// written, because somebody copied another file over this one.
  private func commit(_ transaction: DocumentTransaction, to file: LocatedFile) throws(ArtError) -> Bool {
    do {
      try transaction.connection.execute("COMMIT")
    } catch {
      guard error.code != .busy else { throw error }
      if transaction.connection.isCopiedOver { return false }
      let isSaved: Bool
      do {
        isSaved = try self.isSaved(transaction, in: file)
      } catch let second {
        // Nobody can look: neither "saved" nor "not saved" would be true.
        throw .maybeSaved(path, second)
      }
      guard isSaved else { throw error }
    }
    return true
  }

  /// Whether the file holds what was committed. If so it is made durable once more: what can be read may be in
  /// memory only.
  private func isSaved(_ transaction: DocumentTransaction, in file: LocatedFile) throws(ArtError) -> Bool {
    // The error that matters is the commit's; a transaction that is over already cannot be rolled back.
    try? transaction.connection.execute("ROLLBACK")
    let found = try beginWriting(file, Deadline(timeout))
    guard try found.contains(transaction) else { return false }
    try found.touch()
    try found.connection.execute("COMMIT")
    return true
  }

  /// The file that is open as it is now, where it is the one at the path that was asked for: SQLite answers OK for a file that was
  /// renamed or replaced meanwhile. Nil where it is not. Throws `movedAway` when none is there.
  private func fileIfStillAtPath(_ file: LocatedFile, _ connection: Connection) throws(ArtError) -> LocatedFile? {
    let now: LocatedFile
    do {
      now = try locate()
    } catch {
      throw error.code == .noSuchDocument ? .movedAway(path) : error
    }
    return now.path == file.path && !connection.hasMoved ? now : nil
  }

  /// The same after a commit: then a file that was moved away holds the edit and may come back, and where nobody can
  /// look neither "saved" nor "not saved" would be true.
  private func isStillAtPath(_ file: LocatedFile, _ connection: Connection) throws(ArtError) -> Bool {
    do {
      return try fileIfStillAtPath(file, connection) != nil
    } catch {
      throw error.code == .busy ? .savedElsewhere(path) : .maybeSaved(path, error)
    }
  }

  /// Whether the file still holds what was committed to it. Who copies another file over it, as `cp` does, asks for no
  /// lock, and leaves the file that is open the one at its path. Throws when nobody can look.
  private func stillContains(
    _ transaction: DocumentTransaction, _ file: LocatedFile, _ connection: Connection
  ) throws(ArtError) -> Bool {
    do {
      // The document's own row, which each commit writes, lies on page 2.
      let page = LeafPage(try connection.bytes(count: Format.pageSize, at: Format.pageSize))
      if page.flatMap({ ArtRow(onlyRowOf: $0) }) == transaction.art { return true }
      // Or others have saved since.
      let again = try Self.connect(file, .readOnly, Deadline(timeout))
      return try DocumentTransaction(again, begin: "BEGIN").contains(transaction)
    } catch {
      throw .maybeSaved(path, error)
    }
  }
}

/// What other programs did to a document since it was in some state.
public struct ExternalChange: Sendable, Equatable {
  /// Their edits, oldest first.
  public let edits: [LoggedEdit]
  /// Whether these are all. Otherwise the document was replaced by another state of itself, a backup for one, or has
  /// moved on further than its log goes back: look at all of it.
  public let isComplete: Bool
  /// The document's revision now, without edits that are not saved.
  public let revision: Int

  /// Whether others did anything: not if it was a save of the program's own of which it did not know.
  public var hasChanges: Bool { !isComplete || !edits.isEmpty }

  /// What the log of the content as it is in the file tells since the base, by others than the origin, or by anybody; nil
  /// when it is still in that state.
  public init?(in content: DocumentContent, since base: DocumentBase, besides origin: Origin?) {
    let found = DocumentBase(content)
    guard found != base else { return nil }
    let later = content.log.drop { $0.revision <= base.revision }
    let isKnown =
      base.head == nil
      ? content.log.first?.revision == 1
      : content.log.contains { $0.revision == base.revision && $0.id == base.head }
    isComplete = isKnown && later.first?.revision == base.revision + 1
    edits = isComplete ? later.filter { $0.id.origin != origin } : []
    revision = found.revision
  }
}

/// What a save came to.
public struct SaveOutcome: Sendable {
  /// The state that the file is in.
  public let base: DocumentBase
  /// Set when others had saved before.
  public let rebased: RebasedEdits?
  /// The digests of the pictures that the file holds.
  public let pictures: Set<String>
}

/// A program's edits on top of what others had saved before it.
public struct RebasedEdits: Sendable {
  /// The document as it is in the file now.
  public let content: DocumentContent
  /// The program's own edits in it.
  public let own: RejoinedEdits
  /// The edits of the others.
  public let others: ExternalChange?
}

extension DocumentFile {
  /// Saves what a program has edited in memory. Edits that an earlier save wrote although it answered an error are
  /// found in the file and made durable, not written again. When others have saved since the base, their edits are
  /// taken in, and the program's are made again on top of them. Edits that lie in a journal are noted to be in the file.
  ///
  /// A background whose bytes the file does not hold any more is not saved: its edit is made again, too, and then has the picture
  /// fetched.
  ///
  /// Throws `replaced` when another document stands at the path, and what `edit` throws; nothing is changed then.
  public func save(_ edits: NetEdits, isJournalled: Bool = false) throws(ArtError) -> SaveOutcome {
    try edit { (transaction) throws(ArtError) in
      guard transaction.id == edits.base.id else { throw .replaced(path) }
      var rows = transaction
      let rebased = try edits.save(to: &rows) { (origin) throws(ArtError) in
        try transaction.savedSequence(of: origin)
      }
      if isJournalled, let last = edits.unsaved.last {
        try transaction.setSaved(last.origin, upTo: last.sequence)
      }
      let pictures = Set(try transaction.storedPictures().map(\.digest))
      return SaveOutcome(base: transaction.base, rebased: rebased, pictures: pictures)
    }
  }

  /// The state that the file is in, by the document's own row alone. Throws what `read` throws.
  public func base() throws(ArtError) -> DocumentBase {
    try read { (transaction) throws(ArtError) in transaction.base }
  }

  /// Why the file cannot be written, or nil when it seems that it can. Throws what finding it throws.
  public func readOnlyReason() throws(ArtError) -> String? {
    let file = try locate()
    guard access(file.path, W_OK) == 0 else { return "the file is read-only" }
    guard access(FilePath(file.path).folder, W_OK) == 0 else { return "its folder is read-only" }
    return nil
  }
}

extension DocumentTransaction {
  fileprivate var base: DocumentBase { DocumentBase(id: id, revision: revision, head: head) }
}
