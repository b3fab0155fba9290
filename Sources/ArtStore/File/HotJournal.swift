// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CSQLite
import Glibc

/// A rollback journal that lies beside a document which nobody is writing: a save was cut short, or a journal has
/// met a file that it does not belong to.
///
/// SQLite would roll it back at once, whatever file stands there. Here it is judged on copies first:
///
///     file without its journal is whole ──▶ it is the document, the journal is spent (keep)
///     else, file rolled back is whole ────▶ that is the document (roll back)
///     else ───────────────────────────────▶ damaged; nothing is touched
///
/// *Whole* is: every sum, the digest, and SQLite's integrity check. The file without its journal comes first
/// because a whole file is never older than what the journal would make of it: either the save was complete but
/// for the journal's removal, or somebody put a whole document in the place of a crashed one, which the rollback
/// would tear.
struct HotJournal {
  enum Verdict {
    case keep
    case rollBack
  }

  /// A copy that can be read.
  struct SettledCopy {
    let scratch: Scratch
    let file: LocatedFile
  }

  /// Whether a journal with content lies there; a cheap look that asks for no lock.
  static func mayBeHot(_ file: LocatedFile) throws(ArtError) -> Bool {
    var status = stat()
    guard lstat(file.journalPath, &status) == 0 else {
      guard errno == ENOENT else { throw .system("look at", file.journalPath) }
      return false
    }
    return status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
  }

  /// For a reader: a copy of the document as it is when the journal has been dealt with; nil when there is
  /// nothing to deal with.
  static func settledCopy(of file: LocatedFile, _ deadline: Deadline) throws(ArtError) -> SettledCopy? {
    guard try mayBeHot(file) else { return nil }
    let guarded = try GuardedFile(file)
    guard let journal = try hotJournal(of: file, guarded, deadline) else { return nil }
    let scratch = try Scratch()
    do {
      _ = try judge(file, guarded.bytes(limit: Format.largestFile), journal, in: scratch)
      return SettledCopy(scratch: scratch, file: scratch.located(as: file))
    } catch {
      scratch.remove()
      throw error
    }
  }

  /// For a writer: deals with the journal in place, once the judgement on copies is known to be good. File and
  /// journal are set aside in the state folder before. SQLite is not asked to roll back: it would do so on whatever
  /// file stands at the path by then.
  static func settle(
    _ file: LocatedFile, _ deadline: Deadline, _ notice: (String) -> Void
  ) throws(ArtError) {
    guard try mayBeHot(file) else { return }
    let guarded = try GuardedFile(file, writable: true)
    defer { withExtendedLifetime(guarded) {} }
    guard try hotJournal(of: file, guarded, deadline) != nil else { return }
    guarded.unlock()
    try guarded.lock(.exclusive, deadline)
    // Somebody else may have dealt with it, or have put another file there.
    guard !guarded.hasMoved, let journal = try hotJournal(of: file, guarded, deadline) else { return }
    let scratch = try Scratch()
    defer { scratch.remove() }
    let bytes = try guarded.bytes(limit: Format.largestFile)
    let verdict = try judge(file, bytes, journal, in: scratch)
    let name = PathParts(file.path).name
    let aside = try StateFolder.setAside(journal, as: name + "-journal")
    switch verdict {
    case .rollBack:
      guard let whole = try PlainFile.read(scratch.document, limit: Format.largestFile) else {
        throw .noSuchDocument(scratch.document, near: [])
      }
      _ = try StateFolder.setAside(bytes, as: name)
      try guarded.replace(bytes, by: whole)
    case .keep:
      // What was read may be in memory only.
      try guarded.sync()
    }
    guard !guarded.hasMoved else { return }
    guard unlink(file.journalPath) == 0 else { throw .system("remove", file.journalPath) }
    try PlainFile.syncFolder(of: file.path)
    switch verdict {
    case .rollBack: notice("\(file.name): a save that was cut short has been taken back")
    case .keep: notice("\(file.name): a spent rollback journal lay beside it; it was set aside as \(aside)")
    }
  }

  /// The journal's bytes when it is hot; takes a shared lock on the file, so that both stay as they are.
  static func hotJournal(
    of file: LocatedFile, _ guarded: GuardedFile, _ deadline: Deadline
  ) throws(ArtError) -> [UInt8]? {
    try guarded.lock(.shared, deadline)
    guard try !guarded.isReserved() else { return nil }
    guard let journal = try PlainFile.read(file.journalPath, limit: Format.largestJournal) else { return nil }
    return journal.first.map { $0 != 0 } ?? false ? journal : nil
  }

  /// Leaves the whole document in the scratch folder, or throws `damaged`.
  static func judge(
    _ file: LocatedFile, _ bytes: [UInt8], _ journal: [UInt8], in scratch: Scratch
  ) throws(ArtError) -> Verdict {
    try scratch.fill(bytes)
    guard fault(in: scratch, of: file) != nil else { return .keep }
    guard !namesOtherFiles(journal) else {
      throw .damaged(file.name, "the rollback journal beside it is none of ours: it names other files")
    }
    try scratch.fill(bytes, journal: journal)
    if let fault = fault(in: scratch, of: file, rollingBack: true) {
      throw .damaged(file.name, "a save was cut short, and rolling it back does not help: \(fault.message)")
    }
    return .rollBack
  }

  /// What keeps the copy from being whole; nil when it is.
  private static func fault(
    in scratch: Scratch, of file: LocatedFile, rollingBack: Bool = false
  ) -> ArtError? {
    do throws(ArtError) {
      let copy = scratch.located(as: file)
      if rollingBack {
        // A power cut can tear the header, too: it is looked at when the journal has put it right.
        let connection = try Connection(
          path: copy.path, name: copy.name, mode: .readWrite, deadline: Deadline(.zero))
        try connection.execute("BEGIN IMMEDIATE; ROLLBACK")
      }
      let connection = try DocumentFile.connect(copy, .readWrite, Deadline(.zero))
      let transaction = try DocumentTransaction(connection, begin: "BEGIN IMMEDIATE")
      _ = try transaction.load()
      return try DocumentTransaction.structureFaults(connection).first.map { .damaged(file.name, $0) }
    } catch {
      return error
    }
  }

  /// A journal of a save across several files ends with their list and this mark. Ours never do, and SQLite would
  /// look for those files, and delete one.
  ///
  /// Source: https://www.sqlite.org/tempfiles.html, section 2.3.
  static func namesOtherFiles(_ journal: [UInt8]) -> Bool {
    journal.suffix(8).elementsEqual([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7] as [UInt8])
  }
}
