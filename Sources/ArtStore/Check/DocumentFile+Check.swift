// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import CStore
import Glibc

/// What `check` found.
public struct CheckReport: Sendable, Equatable {
  /// What is wrong, a line each; empty for a document that is whole.
  public let faults: [String]
}

/// How a document that is not whole is made whole.
public enum RepairMode: Sendable {
  /// Rows that their sums do not vouch for are set aside in the document.
  case repair
  /// Rows that another program wrote are accepted where they mean something; the rest is set aside.
  case adopt
}

/// What a mending did.
public struct RepairReport: Sendable, Equatable {
  /// What was wrong.
  public let faults: [String]
  /// Rows that were set aside, a line each.
  public let quarantined: [String]
  /// Rows that were accepted, a line each.
  public let adopted: [String]
  /// What is not as it was because rows that said so are gone, a line each.
  public let lost: [String]
  /// Where the file as it was is kept.
  public let original: String
}

extension DocumentFile {
  /// Looks at everything: the digest, the schema, every row, SQLite's own check, a journal beside it. Changes
  /// nothing. Throws what `read` throws, but `damaged`.
  public func check() throws(ArtError) -> CheckReport {
    let file = try locate()
    let guarded = try GuardedFile(file)
    try guarded.lock(.shared, Deadline(timeout))
    let copy = try InspectedCopy(of: file, guarded)
    defer { copy.scratch.remove() }
    return CheckReport(faults: copy.faults)
  }

  /// Deals with a rollback journal that lies beside the document, so that nothing does; where none lies there nothing is
  /// written. Throws what `edit` throws.
  public func resolveHotJournal() throws(ArtError) {
    let file = try locate()
    try HotJournal.resolve(file, Deadline(timeout), notice)
    var status = stat()
    guard lstat(file.journalPath, &status) == 0 else { return }
    // A save was killed before its journal meant anything: the next commit takes it away.
    try edit { (transaction: DocumentTransaction) throws(ArtError) in try transaction.touch() }
  }

  /// Makes a whole document of what can be read, and puts it in the place of the one that is there, which is kept
  /// in the state folder. Returns nil for a document that is whole. Throws what `read` throws, but `damaged`.
  public func repair(_ mode: RepairMode, stamp: EditStamp) throws(ArtError) -> RepairReport? {
    let deadline = Deadline(timeout)
    var tries = 0
    while true {
      let file = try locate()
      let guarded = try GuardedFile(file, writable: true)
      try guarded.lock(.exclusive, deadline)
      // A lock on a file that was replaced meanwhile locks nothing.
      let now = try locate()
      if now.path == file.path, !guarded.hasMoved {
        defer { withExtendedLifetime(guarded) {} }
        return try repair(file, guarded, mode, stamp)
      }
      guard deadline.wait(tries) else { throw .movedAway(path) }
      tries += 1
    }
  }

  private func repair(
    _ file: LocatedFile, _ guarded: GuardedFile, _ mode: RepairMode, _ stamp: EditStamp
  ) throws(ArtError) -> RepairReport? {
    let copy = try InspectedCopy(of: file, guarded)
    defer { copy.scratch.remove() }
    guard !copy.faults.isEmpty else { return nil }
    guard copy.inspection.verifiedRows > 0 || !copy.inspection.unverified.isEmpty else {
      throw .nothingToMend(path)
    }
    var salvage = Salvage(copy.inspection, mode, at: stamp.time)
    let image = try salvage.image(named: path, stamp: stamp)
    let name = FilePath(file.path).name
    let original = try StateFolder.quarantine(copy.bytes, as: name)
    for sibling in copy.siblings {
      guard let bytes = try PlainFile.read(file.path + sibling, limit: Format.largestJournal) else {
        continue
      }
      _ = try StateFolder.quarantine(bytes, as: name + sibling)
    }
    guard !guarded.hasMoved else { throw .movedAway(path) }
    try image.replace(file)
    for sibling in copy.siblings where unlink(file.path + sibling) != 0 && errno != ENOENT {
      throw .system("remove", file.name + sibling)
    }
    return RepairReport(
      faults: copy.faults, quarantined: salvage.quarantined, adopted: salvage.adopted, lost: salvage.lost,
      original: original)
  }
}

/// A private copy of a document, and what is to be said about it.
private struct InspectedCopy {
  let scratch: Scratch
  let bytes: [UInt8]
  let inspection: Inspection
  let faults: [String]
  /// Endings of the files beside the document that do not belong there.
  let siblings: [String]

  /// An exclusive lock on the file is kept, a shared one only until its bytes are read.
  init(of file: LocatedFile, _ guarded: GuardedFile) throws(ArtError) {
    let bytes = try guarded.bytes(limit: Format.largestFile)
    var faults: [String] = []
    var isWAL = false
    var refused: ArtError?
    do throws(ArtError) {
      let header = try FileHeader(Array(bytes.prefix(FileHeader.length)), size: bytes.count, name: file.name)
      isWAL = header.isWAL
    } catch {
      switch error.code {
      case .damaged: faults.append("its header is not that of a document")
      case .notADocument: refused = error
      default: throw error
      }
    }
    var siblings: [String] = []
    let scratch = try Scratch()
    var cutShort: RollbackJournal?
    do throws(ArtError) {
      let sibling = try HotJournal.findSibling(of: file, guarded, Deadline(.zero))
      // From here on everything is read from the copy.
      guarded.unlockShared()
      if case .otherFile = sibling { throw .foreignJournal(file.name) }
      if case .journal(let journal) = sibling {
        siblings.append("-journal")
        do throws(ArtError) {
          _ = try HotJournal.validate(file, bytes, journal, in: scratch)
          // The header was torn by what the journal takes back.
          refused = nil
          faults = []
        } catch {
          faults.append("a save was cut short, and rolling it back does not make it whole")
          cutShort = journal
          try scratch.fill(bytes)
        }
      } else {
        try scratch.fill(bytes)
      }
      if let refused { throw refused }
      let wal = try PlainFile.read(file.path + "-wal", limit: Format.largestJournal)
      if isWAL || wal != nil {
        faults.append("another program switched it to WAL mode, or left a -wal file beside it")
        siblings += ["-wal", "-shm"]
        if isWAL, let wal { try PlainFile.create(scratch.document + "-wal", wal) }
      }
      var inspection = try Self.inspect(scratch, of: file, isWAL: isWAL)
      if let cutShort, cutShort.isJournal, !cutShort.namesOtherFiles {
        // Whichever way holds more; as a rule that is the state before the save.
        try scratch.fill(bytes, journal: cutShort.bytes)
        let rolledBack = try Self.inspect(scratch, of: file, isWAL: isWAL)
        if rolledBack.verifiedRows >= inspection.verifiedRows {
          inspection = rolledBack
        } else {
          try scratch.fill(bytes)
        }
      }
      if inspection.isForeign, !isWAL {
        // The tables lie where they lie in every document; what names them on page 1 can be made anew.
        try scratch.fill(
          Self.withFreshFirstPage(try PlainFile.read(scratch.document, limit: bytes.count) ?? bytes))
        let second = try Self.inspect(scratch, of: file, isWAL: false)
        if second.verifiedRows > inspection.verifiedRows {
          faults += inspection.faults
          inspection = second
        }
      }
      self.inspection = inspection
    } catch {
      scratch.remove()
      throw error
    }
    self.scratch = scratch
    self.bytes = bytes
    self.siblings = siblings
    self.faults = faults + inspection.faults + inspection.unverified.map(\.reason)
  }

  private static func inspect(
    _ scratch: Scratch, of file: LocatedFile, isWAL: Bool
  ) throws(ArtError) -> Inspection {
    let connection = try Connection(
      path: scratch.document, name: file.name, mode: .privateCopy, deadline: Deadline(.zero))
    do throws(ArtError) {
      try connection.configure()
      if isWAL { try connection.execute("PRAGMA journal_mode = DELETE") }
    } catch {
      return Inspection(connection, fault: "SQLite cannot open it")
    }
    return Inspection(connection)
  }

  /// The bytes with the first page of a new document, as long as the file is.
  private static func withFreshFirstPage(_ bytes: [UInt8]) throws(ArtError) -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    let art = ArtRow(id: DocumentID(using: &random), canvas: .standard)
    var page = try Array(FileImage(name: "", art: art).bytes().prefix(Format.pageSize))
    // https://www.sqlite.org/fileformat.html, section 1.3: pages in the file, and no free ones.
    let pages = UInt32(bytes.count / Format.pageSize)
    for index in 0..<4 { page[28 + index] = UInt8(truncatingIfNeeded: pages >> UInt32(24 - 8 * index)) }
    for index in 32..<40 { page[index] = 0 }
    return page + bytes.dropFirst(Format.pageSize)
  }
}
