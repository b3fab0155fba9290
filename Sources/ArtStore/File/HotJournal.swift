// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import CStore
import Glibc

/// A rollback journal beside a document that no program is writing: a save was interrupted, or the journal belongs to another
/// file.
///
/// SQLite would roll it back at once, whatever file is there; the file layer (`CStore`) prevents that. The journal is validated on
/// copies first:
///
///     the file without its journal is valid ──▶ it is the document; the journal is not needed (keep)
///     else, the journal is not of the file's last save ──▶ damaged; nothing is changed
///     else, the file rolled back is valid ──▶ that is the document (roll back)
///     else ─────────────────────────────────▶ damaged; nothing is changed
///
/// *Valid* means: every sum, the digest, SQLite's integrity check, and one use of each page. The file without its journal is tried
/// first, because a valid file is never older than its rollback. Either the save was complete except for removing the journal, or
/// somebody replaced an interrupted file by a valid one, which the rollback would tear.
struct HotJournal {
  enum Verdict {
    case keep
    case rollBack
  }

  /// What the file with the name of a document's journal is.
  enum Sibling {
    /// None, or a file that SQLite ignores: it is empty, or begins with a zero byte.
    case nothing
    case journal(RollbackJournal)
    /// A file of another program: a database, or one with several hard links. SQLite would take it for a
    /// journal.
    case otherFile
  }

  /// A copy of a document whose journal was resolved.
  struct ResolvedCopy {
    let scratch: Scratch
    let file: LocatedFile
  }

  /// Whether a journal with content may exist. Cheap, and takes no lock.
  static func mayExist(_ file: LocatedFile) throws(ArtError) -> Bool {
    var status = stat()
    guard lstat(file.journalPath, &status) == 0 else {
      // A name that is too long for a journal has none.
      guard errno == ENOENT || errno == ENAMETOOLONG else { throw .system("look at", file.journalPath) }
      return false
    }
    return status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
  }

  /// For a reader: a copy of the document with its journal resolved; nil if there is no hot journal.
  static func resolvedCopy(of file: LocatedFile, _ deadline: Deadline) throws(ArtError) -> ResolvedCopy? {
    guard try mayExist(file) else { return nil }
    let guarded = try GuardedFile(file)
    let sibling = try findSibling(of: file, guarded, deadline)
    if case .nothing = sibling { return nil }
    let scratch = try Scratch()
    do {
      let bytes = try guarded.bytes(limit: Format.largestFile)
      if case .journal(let journal) = sibling {
        _ = try validate(file, bytes, journal, in: scratch)
      } else {
        try scratch.fill(bytes)
      }
      return ResolvedCopy(scratch: scratch, file: scratch.located(as: file))
    } catch {
      scratch.remove()
      throw error
    }
  }

  /// For a writer: resolves the journal in place, after it was validated on copies. File and journal are
  /// quarantined in the state folder before. SQLite is not asked to roll back, because it would do so on
  /// whatever file is at the path by then. Throws `notADocument` if the file there is no journal.
  static func resolve(
    _ file: LocatedFile, _ deadline: Deadline, _ notice: (DocumentNotice) -> Void
  ) throws(ArtError) {
    guard try mayExist(file) else { return }
    let guarded = try GuardedFile(file, writable: true)
    defer { withExtendedLifetime(guarded) {} }
    try guarded.lock(.shared, deadline)
    if try !guarded.isReserved() {
      try LockedFile(file, guarded.descriptor)?.checkRemovable(DocumentFile.journalEnding)
    }
    switch try findSibling(of: file, guarded, deadline) {
    case .nothing: return
    case .otherFile: throw .foreignJournal(file.name)
    case .journal: break
    }
    guarded.unlock()
    try guarded.lock(.exclusive, deadline)
    // Another program may have resolved it, or replaced the file.
    guard !guarded.hasMoved, let locked = try LockedFile(file, guarded.descriptor),
      case .journal(let journal) = try findSibling(of: file, guarded, deadline)
    else { return }
    let scratch = try Scratch()
    defer { scratch.remove() }
    let bytes = try guarded.bytes(limit: Format.largestFile)
    let verdict = try validate(file, bytes, journal, in: scratch)
    let name = file.path.name
    let copy = try Quarantine.aside.store(journal.bytes, as: name + "-journal")
    switch verdict {
    case .rollBack:
      guard let whole = try PlainFile.read(scratch.document, limit: Format.largestFile) else {
        throw .noSuchDocument(scratch.document, near: [])
      }
      _ = try Quarantine.aside.store(bytes, as: name)
      try guarded.replace(bytes, by: whole)
    case .keep:
      // What was read may be in memory only, and its journal is removed next.
      try guarded.sync()
    }
    guard !guarded.hasMoved else { return }
    guard locked.unlink(DocumentFile.journalEnding) == 0 || errno == ENOENT else {
      throw .system("remove", file.journalPath)
    }
    try PlainFile.syncFolder(of: file.path.string)
    switch verdict {
    case .rollBack: notice(.line("\(file.name): an interrupted save has been rolled back"))
    case .keep:
      notice(
        .line(
          "\(file.name): a rollback journal that it does not need lay beside it; it was quarantined as \(copy)"
        ))
    }
  }

  /// For a writer that holds the document's lock by that descriptor: removes a file that SQLite takes for no journal, so that
  /// the save's journal is a new file. A file that is no journal of an unstarted save is quarantined. Throws
  /// `notADocument` for a file of another program.
  static func removeInert(
    _ file: LocatedFile, _ descriptor: Int32, _ notice: (DocumentNotice) -> Void
  ) throws(ArtError) {
    var status = stat()
    guard lstat(file.journalPath, &status) == 0 else {
      guard errno == ENOENT else { throw .system("look at", file.journalPath) }
      return
    }
    guard !isUsedElsewhere(status) else { throw .foreignJournal(file.name) }
    guard let bytes = try PlainFile.read(file.journalPath, limit: Format.largestJournal) else { return }
    guard !isDatabase(bytes) else { throw .foreignJournal(file.name) }
    let isDisposable = RollbackJournal(bytes: bytes).isUnfinished || bytes.allSatisfy { $0 == 0 }
    let copy =
      isDisposable ? "" : try Quarantine.aside.store(bytes, as: file.path.name + "-journal")
    // In another folder there may be the journal of another document by now.
    guard let locked = try LockedFile(file, descriptor) else { return }
    guard locked.unlink(DocumentFile.journalEnding) == 0 || errno == ENOENT else {
      throw .system("remove", file.journalPath)
    }
    if !isDisposable {
      notice(.line("\(file.name): a file that is no journal lay beside it; it was quarantined as \(copy)"))
    }
  }

  private static func isUsedElsewhere(_ status: stat) -> Bool {
    status.st_mode & S_IFMT != S_IFREG || status.st_nlink > 1
  }

  private static func isDatabase(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "SQLite format 3\0".utf8) }

  /// The kind of file beside the document. Takes a shared lock on the document, so that neither changes.
  /// `nothing` while another program writes: then the journal is its own.
  static func findSibling(
    of file: LocatedFile, _ guarded: GuardedFile, _ deadline: Deadline
  ) throws(ArtError) -> Sibling {
    try guarded.lock(.shared, deadline)
    guard try !guarded.isReserved() else { return .nothing }
    guard let bytes = try PlainFile.read(file.journalPath, limit: Format.largestJournal),
      let first = bytes.first, first != 0
    else { return .nothing }
    var status = stat()
    guard lstat(file.journalPath, &status) == 0 else {
      // The journal belonged to a file that was at this path before, and its writer has removed it.
      guard errno == ENOENT else { throw .system("look at", file.journalPath) }
      return .nothing
    }
    return isUsedElsewhere(status) || isDatabase(bytes) ? .otherFile : .journal(RollbackJournal(bytes: bytes))
  }

  /// Decides whether the journal is to be rolled back, and leaves the valid document in the scratch folder.
  /// Throws `damaged`.
  static func validate(
    _ file: LocatedFile, _ bytes: [UInt8], _ journal: RollbackJournal, in scratch: Scratch
  ) throws(ArtError) -> Verdict {
    try scratch.fill(bytes)
    guard fault(in: scratch, of: file) != nil else { return .keep }
    guard journal.isJournal else {
      throw .damaged(file.name, "the rollback journal beside it is torn, and of no use")
    }
    guard !journal.namesOtherFiles else {
      throw .damaged(file.name, "the rollback journal beside it is none of ours: it names other files")
    }
    guard journal.mayBeOfLastSave(of: bytes) else {
      throw .damaged(file.name, "the rollback journal beside it belongs to another state of it")
    }
    try scratch.fill(bytes, journal: journal.bytes)
    if let fault = fault(in: scratch, of: file, rollingBack: true) {
      throw .damaged(file.name, "a save was cut short, and rolling it back does not help: \(fault.cause)")
    }
    return .rollBack
  }

  /// Why the copy is not valid; nil if it is.
  private static func fault(
    in scratch: Scratch, of file: LocatedFile, rollingBack: Bool = false
  ) -> ArtError? {
    do throws(ArtError) {
      let copy = scratch.located(as: file)
      if rollingBack {
        // A power cut can tear the header, too, so it is verified after the rollback.
        let connection = try Connection(
          path: copy.path.string, name: copy.name, mode: .privateCopy, deadline: Deadline(.zero))
        try connection.execute("BEGIN IMMEDIATE; ROLLBACK")
      }
      let connection = try DocumentFile.connect(copy, .privateCopy, Deadline(.zero))
      let transaction = try DocumentTransaction(connection, begin: "BEGIN IMMEDIATE")
      _ = try transaction.load()
      return try DocumentTransaction.structureFaults(connection).first.map { .damaged(file.name, $0) }
    } catch {
      return error
    }
  }
}

// MARK: - The bytes of a journal

/// The bytes of a rollback journal.
///
/// Source: https://www.sqlite.org/fileformat.html, section 3.
struct RollbackJournal {
  let bytes: [UInt8]

  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  /// Whether they begin as a journal does. After a power cut they may not, if the journal was not
  /// synchronised because its save had not begun to write.
  var isJournal: Bool { bytes.starts(with: Self.magic) }

  /// Whether they are the journal of a save that had not begun to write the file: until then magic and count
  /// are zero.
  var isUnfinished: Bool {
    bytes.count >= 28 && bytes.prefix(12).allSatisfy { $0 == 0 } && sector != nil && pageSize != nil
  }

  private var sector: Int? { power(at: 20, in: 32...65_536) }
  private var pageSize: Int? { power(at: 24, in: 512...65_536) }

  private func power(at offset: Int, in range: ClosedRange<Int>) -> Int? {
    guard let number = Self.number(bytes[...], at: offset).map(Int.init), range.contains(number),
      number & (number - 1) == 0
    else { return nil }
    return number
  }

  /// Whether it is the journal of a save across several files, which ends with their list and the magic
  /// bytes. Ours never are; SQLite would look for those files and delete one.
  ///
  /// Source: https://www.sqlite.org/tempfiles.html, section 2.3.
  var namesOtherFiles: Bool { bytes.suffix(8).elementsEqual(Self.magic) }

  /// Whether the file may be in the middle of the journal's save. Each save adds 1 to the counter in the
  /// file's header, and the journal has the header from before. Rolling a newer file back would lose later
  /// saves.
  func mayBeOfLastSave(of file: [UInt8]) -> Bool {
    // A power cut can tear the header, too.
    guard file.starts(with: "SQLite format 3\0".utf8), let now = Self.number(file[...], at: 24),
      let page = originalFirstPage, let before = Self.number(page, at: 24)
    else { return true }
    return now == before || now == before &+ 1
  }

  /// The file's first page before the save; nil if the journal does not have it.
  private var originalFirstPage: ArraySlice<UInt8>? {
    guard let sector, let pageSize else { return nil }
    // A record is a page's number, the page, and a sum.
    for offset in stride(from: sector, to: bytes.count - pageSize - 7, by: pageSize + 8)
    where Self.number(bytes[...], at: offset) == 1 {
      return bytes[(offset + 4)..<(offset + 4 + pageSize)]
    }
    return nil
  }

  private static func number(_ bytes: ArraySlice<UInt8>, at offset: Int) -> UInt32? {
    let start = bytes.startIndex + offset
    guard start + 4 <= bytes.endIndex else { return nil }
    return bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
