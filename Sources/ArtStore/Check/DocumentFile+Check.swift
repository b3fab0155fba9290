// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import CStore
import Glibc

/// The result of a check.
public struct CheckReport: Sendable, Equatable {
  /// The faults, a line each; empty for a valid document.
  public let faults: [String]
}

/// How a damaged document is repaired.
public enum RepairMode: Sendable {
  /// Rows that do not match their sums are quarantined in the document.
  case repair
  /// Rows that another program wrote are accepted if they are valid; the others are quarantined.
  case adopt
}

/// The result of a repair.
public struct RepairReport: Sendable, Equatable {
  /// The faults before it, a line each.
  public let faults: [String]
  /// The rows that were quarantined, a line each.
  public let quarantined: [String]
  /// The rows that were accepted, a line each.
  public let adopted: [String]
  /// What was lost with missing rows, a line each.
  public let lost: [String]
  /// The path of the quarantined original.
  public let original: String
}

extension DocumentFile {
  /// Checks everything: the digest, the schema, each row, SQLite's integrity check, a journal beside the
  /// file. Changes nothing. Throws what `read` throws, except `damaged`.
  public func check() throws(ArtError) -> CheckReport {
    let file = try locate()
    let guarded = try GuardedFile(file)
    try guarded.lock(.shared, Deadline(timeout))
    let copy = try InspectedCopy(of: file, guarded)
    defer { copy.scratch.remove() }
    return CheckReport(faults: copy.faults)
  }

  /// Resolves a hot journal beside the document. Writes nothing if there is none. Throws what `edit` throws.
  public func resolveHotJournal() throws(ArtError) {
    let file = try locate()
    try HotJournal.resolve(file, Deadline(timeout), notice)
    var status = stat()
    guard lstat(file.journalPath, &status) == 0 else { return }
    // A save was killed before it had filled its journal. The next commit removes it.
    try edit { (transaction: DocumentTransaction) throws(ArtError) in try transaction.touch() }
  }

  /// Repairs the document from what can be read, and replaces the file; the original is quarantined in the
  /// state folder. Returns nil for a valid document. Throws what `read` throws, except `damaged`.
  public func repair(_ mode: RepairMode, stamp: EditStamp) throws(ArtError) -> RepairReport? {
    let deadline = Deadline(timeout)
    var tries = 0
    while true {
      let file = try locate()
      let guarded = try GuardedFile(file, writable: true)
      try guarded.lock(.exclusive, deadline)
      // A lock on a file that was replaced meanwhile excludes no other program.
      let now = try locate()
      if now.isAtPath(of: file), !guarded.hasMoved, let locked = try LockedFile(file, guarded.descriptor) {
        defer { withExtendedLifetime(guarded) {} }
        return try repair(locked, guarded, mode, stamp)
      }
      guard deadline.wait(tries) else { throw .movedAway(path) }
      tries += 1
    }
  }

  private func repair(
    _ locked: LockedFile, _ guarded: GuardedFile, _ mode: RepairMode, _ stamp: EditStamp
  ) throws(ArtError) -> RepairReport? {
    let file = locked.file
    let copy = try InspectedCopy(of: file, guarded)
    defer { copy.scratch.remove() }
    guard !copy.faults.isEmpty else { return nil }
    guard copy.inspection.verifiedRows > 0 || !copy.inspection.unverified.isEmpty else {
      throw .nothingToMend(path)
    }
    var salvage = Salvage(copy.inspection, mode, at: stamp.time)
    let image = try salvage.image(named: path, stamp: stamp)
    let name = file.path.name
    // A document with such a file beside it stays as unusable as it was, and each try would keep the same files again.
    for sibling in copy.siblings { try locked.checkRemovable(sibling) }
    let original = try Quarantine.kept.store(copy.bytes, as: name)
    for sibling in copy.siblings {
      guard
        let bytes = try PlainFile.read(
          locked.place(of: sibling), limit: Format.largestJournal, named: file.name + sibling)
      else { continue }
      _ = try Quarantine.kept.store(bytes, as: name + sibling)
    }
    guard !guarded.hasMoved else { throw .movedAway(path) }
    if try image.replace(locked) == .fewer { notice(.fewerRights(name)) }
    for sibling in copy.siblings where locked.unlink(sibling) != 0 && errno != ENOENT {
      notice(.line("\(name): repaired, but \(ArtError.system("remove", file.name + sibling).cause)"))
    }
    syncNames(file.path.string)
    return RepairReport(
      faults: copy.faults, quarantined: salvage.quarantined, adopted: salvage.adopted, lost: salvage.lost,
      original: original)
  }
}

// MARK: - The inspected copy

/// A private copy of a document, and its faults.
private struct InspectedCopy {
  let scratch: Scratch
  let bytes: [UInt8]
  let inspection: Inspection
  let faults: [String]
  /// The suffixes of files beside the document that do not belong there.
  let siblings: [String]

  /// Releases a shared lock on the file once its bytes are read; an exclusive lock is kept.
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
      // From here on only the copy is read.
      guarded.unlockShared()
      if case .otherFile = sibling { throw .foreignJournal(file.name) }
      if case .journal(let journal) = sibling {
        siblings.append("-journal")
        do throws(ArtError) {
          _ = try HotJournal.validate(file, bytes, journal, in: scratch)
          // The interrupted save that the journal rolls back had torn the header.
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
      let wal = try PlainFile.read(file.path.string + "-wal", limit: Format.largestJournal)
      if isWAL || wal != nil {
        faults.append("another program switched it to WAL mode, or left a -wal file beside it")
        siblings += ["-wal", "-shm"]
        if isWAL, let wal { try PlainFile.create(scratch.document + "-wal", wal) }
      }
      var inspection = try Self.inspect(scratch, of: file, isWAL: isWAL)
      if let cutShort, cutShort.isJournal, !cutShort.namesOtherFiles {
        // Use the state with more verified rows; usually that is the one before the save.
        try scratch.fill(bytes, journal: cutShort.bytes)
        let rolledBack = try Self.inspect(scratch, of: file, isWAL: isWAL)
        if rolledBack.verifiedRows >= inspection.verifiedRows {
          inspection = rolledBack
        } else {
          try scratch.fill(bytes)
        }
      }
      if inspection.isForeign, !isWAL {
        // The tables are on the same pages in every document, so page 1 can be rebuilt.
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

  /// The bytes with the first page of a new document, adjusted to the size of the file.
  private static func withFreshFirstPage(_ bytes: [UInt8]) throws(ArtError) -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    let art = ArtRow(id: DocumentID(using: &random), canvas: .standard)
    var page = try Array(FileImage(name: "", art: art).bytes().prefix(Format.pageSize))
    // The count of pages and an empty free list: https://www.sqlite.org/fileformat.html, section 1.3.
    let pages = UInt32(bytes.count / Format.pageSize)
    for index in 0..<4 { page[28 + index] = UInt8(truncatingIfNeeded: pages >> UInt32(24 - 8 * index)) }
    for index in 32..<40 { page[index] = 0 }
    return page + bytes.dropFirst(Format.pageSize)
  }
}
