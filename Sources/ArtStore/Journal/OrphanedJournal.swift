// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// A journal whose program is gone.
///
///     peek ──▶ looked at: holds no lock; it is locked, and shared, only while `contents` reads it
///                  └─ taken ─┐
///     dead ──────────────────┴──▶ taken: locked while this lives, so that nobody else restores it meanwhile
///
/// Letting it go leaves it as it is.
public final class OrphanedJournal {
  /// Where it lies.
  public let folder: JournalFolder
  /// The program whose edits are in it.
  public let origin: Origin
  /// What it says of itself, as far as that can be read.
  public let head: JournalHead?
  /// When it was last written, in milliseconds since 1970.
  public let modified: Int
  /// The numbers of its segments, ascending.
  let segments: [Int]
  /// Whether an edit may have been answered that lies in it.
  let hasEdits: Bool
  /// Nil for a journal that `peek` gave.
  private let lock: JournalLock?
  /// Why nothing of it can be read.
  public let fault: ArtError?

  fileprivate init(_ heads: SegmentHeads, lock: JournalLock?) {
    folder = heads.folder
    origin = heads.origin
    head = heads.head
    modified = heads.modified
    segments = heads.segments
    hasEdits = !heads.isEmpty
    self.lock = lock
    fault = nil
  }

  /// One that cannot be locked or looked at.
  fileprivate init(unreadable listed: ListedJournal, in folder: JournalFolder, _ fault: ArtError) {
    self.folder = folder
    origin = listed.origin
    self.fault = fault
    segments = listed.files.segments
    hasEdits = true
    head = nil
    modified = 0
    lock = nil
  }

  /// The path of its first file, to call it by.
  public var path: String {
    folder.path(
      of: segments.first.map { JournalFormat.segment($0, of: origin) } ?? JournalFormat.lock(of: origin))
  }

  /// Whether its program is known to be gone. Otherwise somebody must say so before it is restored or removed.
  public var isEndKnown: Bool { head.map { folder.lockProvesEnd(of: $0) } ?? true }

  /// Reads the whole journal. The result is empty when another program has restored the journal since `peek`, or is restoring it
  /// now. Throws `inputOutput`, `notPermitted`.
  public func contents() throws(ArtError) -> JournalContents {
    if let fault { throw fault }
    guard lock == nil else { return try JournalContents(of: origin, segments: segments, in: folder) }
    switch try JournalLock.share(folder.path(of: JournalFormat.lock(of: origin))) {
    case .lockedExclusively, .lockedShared: return JournalContents(of: origin)
    case .missing: return try JournalContents(of: origin, segments: segments, in: folder)
    case .acquired(let shared):
      defer { withExtendedLifetime(shared) {} }
      let heads = try SegmentHeads(of: origin, segments, in: folder)
      return try JournalContents(of: origin, segments: heads.segments, in: folder)
    }
  }

  /// The same journal, locked; nil when it was restored meanwhile, or its program runs. Throws `busy` when others do not let
  /// go of it, `inputOutput`, `notPermitted`.
  public func locked(_ timeout: Duration = .seconds(5)) throws(ArtError) -> OrphanedJournal? {
    if let fault { throw fault }
    try folder.verify()
    let listed = ListedJournal(origin, JournalFolder.Files(segments: segments), head)
    return try folder.lock(listed, Deadline(timeout))
  }

  /// Unlinks its segments, oldest first, durably. Everything in them must have been saved, or be unwanted. Throws
  /// `inputOutput`, `notPermitted`.
  func removeSegments() throws(ArtError) {
    guard lock != nil else { throw .journalClosed(folder.path) }
    try folder.unlinkSegments(segments, of: origin)
    try PlainFile.syncFolder(of: folder.path(of: JournalFormat.lock(of: origin)))
  }

  /// Unlinks its lock file, when nothing else is left of it.
  func removeLock() throws(ArtError) {
    guard let lock else { throw .journalClosed(folder.path) }
    try lock.unlink()
  }
}

extension JournalFolder {
  /// The journals there whose programs are gone, by origin, for those who only look: none is locked when this returns, and
  /// no descriptor is kept. One that cannot be looked at is given without a head. Throws `inputOutput`, `notPermitted`
  /// when the folder cannot be looked into.
  public func peek() throws(ArtError) -> [OrphanedJournal] {
    var journals: [OrphanedJournal] = []
    try verify(isReadOnly: true)
    for listed in try listing() where !listed.files.segments.isEmpty {
      do throws(ArtError) {
        if let journal = try peek(at: listed) { journals.append(journal) }
      } catch {
        journals.append(OrphanedJournal(unreadable: listed, in: self, error))
      }
    }
    return journals
  }

  private func peek(at listed: ListedJournal) throws(ArtError) -> OrphanedJournal? {
    let attempt = try JournalLock.share(path(of: JournalFormat.lock(of: listed.origin)))
    switch attempt {
    case .lockedExclusively, .lockedShared: return nil
    case .missing, .acquired: break
    }
    defer { withExtendedLifetime(attempt) {} }
    let heads = try SegmentHeads(of: listed.origin, listed.files.segments, in: self)
    return heads.isEmpty || isRunning(heads.head) ? nil : OrphanedJournal(heads, lock: nil)
  }

  /// The journals there whose programs are gone and whose heads are wanted, each locked while it is kept. Others are
  /// neither locked nor opened but for their heads; of one whose head cannot be read it is nil. A journal without edits, a
  /// lock file that is left alone, is given, too: its document may have a row about it. One that cannot be looked at is
  /// given without a head.
  ///
  /// Throws `busy` when others do not let go of a wanted one, `inputOutput`, `notPermitted` when the folder cannot be looked
  /// into.
  public func lockOrphans(
    where isWanted: (JournalHead?) -> Bool = { _ in true }, timeout: Duration = .seconds(1)
  ) throws(ArtError) -> [OrphanedJournal] {
    try verify()
    let deadline = Deadline(timeout)
    var journals: [OrphanedJournal] = []
    for listed in try listing() {
      do throws(ArtError) {
        if let fault = listed.fault { throw fault }
        guard listed.isEmptyLock ? host.sharesLocks(in: path) : isWanted(listed.head) else { continue }
        if let journal = try lock(listed, deadline), isWanted(journal.head) { journals.append(journal) }
      } catch {
        guard error.code != .busy else { throw error }
        journals.append(OrphanedJournal(unreadable: listed, in: self, error))
      }
    }
    return journals
  }

  /// Removes journals without an edit that was answered, of which mostly the lock file alone is left, and what their documents say of
  /// them. A document that another program holds is not waited for: its lock file stays for the next time. Throws `inputOutput`,
  /// `notPermitted`.
  public func removeEmptyJournals(where isWanted: (JournalHead) -> Bool) throws(ArtError) {
    try verify()
    for listed in try listing() {
      guard let head = listed.head, isWanted(head), lockProvesEnd(of: head) else { continue }
      do throws(ArtError) {
        guard try SegmentHeads(of: listed.origin, listed.files.segments, in: self).isEmpty,
          let journal = try lock(listed, Deadline(.zero)), !journal.hasEdits
        else { continue }
        guard host.relation(to: head) == .here || FileIdentity(at: head.path).map(head.isFile) ?? false else {
          continue
        }
        try journal.removeSegments()
        try forget(journal, in: DocumentFile(head.path, timeout: .zero))
        try journal.removeLock()
      } catch {
        // The next one tries again.
        continue
      }
    }
  }

  /// Has a document forget a journal of which nothing is left. One that is gone, or another one, knows nothing of it.
  private func forget(_ journal: OrphanedJournal, in document: DocumentFile) throws(ArtError) {
    do throws(ArtError) {
      guard try document.base().id == journal.head?.base.id else { return }
      try document.forget(journal.origin)
    } catch {
      guard error.code == .noSuchDocument || error.code == .notADocument else { throw error }
    }
  }

  /// Locks a journal; nil when nothing is left of it, or its program runs. One that others restore just now is waited for.
  fileprivate func lock(_ listed: ListedJournal, _ deadline: Deadline) throws(ArtError) -> OrphanedJournal? {
    // Its program is gone: whoever has the lock restores the journal.
    let isBeingRestored =
      listed.head.map { host.relation(to: $0) == .here && host.program(of: $0) == .ended } ?? false
    let attempt = try JournalLock.acquire(
      path(of: JournalFormat.lock(of: listed.origin)), creating: !listed.files.segments.isEmpty,
      listed.isEmptyLock ? Deadline(.zero) : deadline,
      waitsForHolder: isBeingRestored)
    switch attempt {
    case .missing: return nil
    case .lockedExclusively where !isBeingRestored: return nil
    case .lockedExclusively, .lockedShared:
      // Nobody waits for what is nothing.
      guard !listed.isEmptyLock else { return nil }
      throw .busyJournal(listed.head?.path ?? path)
    case .acquired(let lock):
      let heads = try SegmentHeads(of: listed.origin, listed.files.segments, in: self)
      guard !isRunning(heads.head) else { return nil }
      guard heads.isEmpty, heads.head == nil else { return OrphanedJournal(heads, lock: lock) }
      // No edit was answered, and nothing tells of which document it was.
      try unlinkSegments(heads.segments, of: listed.origin)
      try lock.unlink()
      return nil
    }
  }

  /// Whether the journal's program runs although its lock can be had: where locks are not seen by all, its process tells.
  private func isRunning(_ head: JournalHead?) -> Bool {
    guard let head, head.process != host.process else { return false }
    switch host.program(of: head) {
    case .running, .hidden: return !host.sharesLocks(in: path)
    case .ended, .unknown: return false
    }
  }

  /// Whether a journal's program is gone when its lock can be had. On another machine, or in another container whose
  /// locks are not seen here, it may run all the same.
  func lockProvesEnd(of head: JournalHead) -> Bool {
    switch host.relation(to: head) {
    case .here: true
    case .otherNamespace: head.home?.boot != host.home.boot || host.sharesLocks(in: path)
    case .otherMachine: false
    }
  }

  /// The journals there by origin: the folder is listed once, and of each one head is read. Nothing is locked.
  private func listing() throws(ArtError) -> [ListedJournal] {
    try files().sorted { $0.key.description < $1.key.description }.map {
      ListedJournal($0.key, $0.value, in: self)
    }
  }
}

/// A journal as a listing of its folder found it.
private struct ListedJournal {
  let origin: Origin
  let files: JournalFolder.Files
  let head: JournalHead?
  /// Why its head cannot be looked for.
  let fault: ArtError?

  init(_ origin: Origin, _ files: JournalFolder.Files, _ head: JournalHead?) {
    (self.origin, self.files, self.head, fault) = (origin, files, head, nil)
  }

  init(_ origin: Origin, _ files: JournalFolder.Files, in folder: JournalFolder) {
    (self.origin, self.files) = (origin, files)
    var head: JournalHead?
    var fault: ArtError?
    do throws(ArtError) {
      // The lock file has the head alone, and is the smallest.
      let names = files.hasLock ? [(JournalFormat.lock(of: origin), 0)] : []
      for (name, number) in names + files.segments.map({ (JournalFormat.segment($0, of: origin), $0) }) {
        head = try SegmentFile.head(in: folder.path(of: name), of: origin, number)
        if head != nil { break }
      }
    } catch {
      fault = error
    }
    (self.head, self.fault) = (head, fault)
  }

  /// A lock file without a head, of which no segment is left: its program was killed while it made it.
  var isEmptyLock: Bool { head == nil && files.segments.isEmpty }
}

/// What the beginnings of a journal's segments tell, as they are once it is locked: what was listed before may be gone
/// or have grown.
private struct SegmentHeads {
  let origin: Origin
  let folder: JournalFolder
  private(set) var segments: [Int]
  private(set) var head: JournalHead?
  private(set) var modified = 0
  /// Whether no segment has got as far as the end of its first line: no edit in them was ever answered.
  private(set) var isEmpty = true

  /// `listed` are the numbers that were seen before. Where one of them is gone others may have come after it; segments are
  /// made one after the other and removed from the oldest, so that otherwise only those after the last one can be new.
  init(of origin: Origin, _ listed: [Int], in folder: JournalFolder) throws(ArtError) {
    self.origin = origin
    self.folder = folder
    segments = listed
    if try !read(listed) || listed.isEmpty {
      segments = try folder.files()[origin]?.segments ?? []
      _ = try read(segments)
    } else {
      while let last = segments.last, try read([last + 1]) { segments.append(last + 1) }
    }
    // Damage at the beginning does not hide of which document it is.
    if head == nil { try readLockFile() }
  }

  /// Whether all of them are there.
  private mutating func read(_ numbers: [Int]) throws(ArtError) -> Bool {
    var areAllPresent = true
    for number in numbers {
      let path = folder.path(of: JournalFormat.segment(number, of: origin))
      switch try SegmentFile.read(path, limit: JournalFormat.largestHead, prefix: true) {
      case .missing: areAllPresent = false
      case .refused: isEmpty = false
      case .read(let bytes, let time):
        modified = max(modified, time)
        guard head == nil else { continue }
        if bytes.count == JournalFormat.largestHead || bytes.contains(UInt8(ascii: "\n")) { isEmpty = false }
        head = bytes.withUnsafeBufferPointer { JournalContents.head(in: $0, of: origin, number) }
      }
    }
    return areAllPresent
  }

  private mutating func readLockFile() throws(ArtError) {
    let path = folder.path(of: JournalFormat.lock(of: origin))
    guard case .read(let bytes, let time) = try SegmentFile.read(path, limit: JournalFormat.largestHead)
    else {
      return
    }
    modified = max(modified, time)
    head = bytes.withUnsafeBufferPointer { JournalContents.head(in: $0, of: origin, 0) }
  }
}

extension SegmentFile {
  /// The head in a file of a journal; nil where there is none. Throws `inputOutput`, `notPermitted`.
  fileprivate static func head(in path: String, of origin: Origin, _ number: Int) throws(ArtError)
    -> JournalHead?
  {
    guard case .read(let bytes, _) = try read(path, limit: JournalFormat.largestHead, prefix: true) else {
      return nil
    }
    return bytes.withUnsafeBufferPointer { JournalContents.head(in: $0, of: origin, number) }
  }
}
