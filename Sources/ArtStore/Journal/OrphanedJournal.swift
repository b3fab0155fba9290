// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// A journal whose program has ended without saving.
///
///     peek ───────▶ not locked; `contents` shares the lock while it reads
///                       └─ locked ─┐
///     lockOrphans ─────────────────┴─▶ locked until it is released, so that no other program restores it meanwhile
///
/// Releasing it leaves its files as they are.
public final class OrphanedJournal {
  /// The folder of the journal.
  public let folder: JournalFolder
  /// The program whose edits it has; without meaning for a folder.
  public var origin: Origin { id.origin }
  let id: JournalID
  /// Its head, if that can be read.
  public let head: JournalHead?
  /// When it was last written, in milliseconds since 1970.
  public let modified: Int
  /// The numbers of its segments, ascending.
  let segments: [Int]
  /// Whether it may have an acknowledged edit.
  fileprivate let hasEdits: Bool
  /// Nil for a journal from `peek`.
  private let lock: JournalLock?
  /// Whether it stands for all journals of a document, whose folder cannot be listed for the reason `fault`.
  public let isFolder: Bool
  /// The error, if nothing of it can be read.
  public let fault: ArtError?

  fileprivate init(_ heads: SegmentHeads, lock: JournalLock?) {
    folder = heads.folder
    id = heads.id
    head = heads.head
    modified = heads.modified
    segments = heads.segments
    hasEdits = !heads.isEmpty
    self.lock = lock
    isFolder = false
    fault = nil
  }

  /// A journal that cannot be locked or read.
  fileprivate convenience init(
    unreadable listed: ListedJournal, in folder: JournalFolder, _ fault: ArtError
  ) {
    self.init(listed.id, listed.files.segments, in: folder, fault)
  }

  /// The journals of a document whose folder cannot be listed.
  fileprivate convenience init(unlisted document: DocumentID, in folder: JournalFolder, _ fault: ArtError) {
    self.init(
      JournalID(document: document, origin: Origin(lowBits: 0)), [], in: folder, fault, isFolder: true)
  }

  private init(
    _ id: JournalID, _ segments: [Int], in folder: JournalFolder, _ fault: ArtError, isFolder: Bool = false
  ) {
    self.folder = folder
    self.id = id
    self.fault = fault
    self.segments = segments
    self.isFolder = isFolder
    hasEdits = true
    head = nil
    modified = 0
    lock = nil
  }

  /// The path of its first file, as its name in messages; of its folder if that cannot be listed.
  public var path: String {
    guard !isFolder else { return folder.path(of: id.document) }
    return folder.path(
      of: segments.first.map { JournalFormat.segment($0, of: id) } ?? JournalFormat.lock(of: id))
  }

  /// Whether its program is known to have ended. Otherwise the user must confirm that before it is restored
  /// or removed.
  public var isEndKnown: Bool { head.map { folder.lockProvesEnd(of: $0) } ?? true }

  /// Reads the whole journal. The result is empty if another program has restored it since `peek`, or is
  /// restoring it now. Throws `inputOutput`, `notPermitted`.
  public func contents() throws(ArtError) -> JournalContents {
    if let fault { throw fault }
    guard lock == nil else { return try JournalContents(of: id, segments: segments, in: folder) }
    switch try JournalLock.share(folder.path(of: JournalFormat.lock(of: id))) {
    case .lockedExclusively, .lockedShared: return JournalContents(of: id)
    case .missing: return try JournalContents(of: id, segments: segments, in: folder)
    case .acquired(let shared):
      defer { withExtendedLifetime(shared) {} }
      let heads = try SegmentHeads(of: id, segments, in: folder)
      return try JournalContents(of: id, segments: heads.segments, in: folder)
    }
  }

  /// The same journal, locked; nil if it was restored meanwhile, or its program runs. Throws `busy` if other
  /// programs keep it locked, `inputOutput`, `notPermitted`.
  public func locked(_ timeout: Duration = .seconds(5)) throws(ArtError) -> OrphanedJournal? {
    if let fault { throw fault }
    try folder.verify()
    try folder.verify(id.document)
    let listed = ListedJournal(id, JournalFolder.Files(segments: segments), head)
    return try folder.lock(listed, Deadline(timeout))
  }

  /// Throws for a journal that was found for reading only.
  func checkLocked() throws(ArtError) {
    guard lock != nil else { throw .journalClosed(folder.path) }
  }

  /// Unlinks its segments, oldest first, durably. Its edits must have been saved, or be unwanted. Throws
  /// `inputOutput`, `notPermitted`.
  func removeSegments() throws(ArtError) {
    try checkLocked()
    try folder.unlinkSegments(segments, of: id)
    try folder.sync(id.document)
  }

  /// Unlinks its lock file, after everything else was removed.
  func removeLock() throws(ArtError) {
    guard let lock else { throw .journalClosed(folder.path) }
    try folder.unlink(lock, of: id)
  }
}

// MARK: - Finding orphaned journals

extension JournalFolder {
  /// The orphaned journals, by origin, for reading: none is locked when this returns, and no descriptor is
  /// kept. A journal that cannot be read has no head. Throws `inputOutput`, `notPermitted` if the folder
  /// cannot be listed.
  public func peek() throws(ArtError) -> [OrphanedJournal] {
    try verify(isReadOnly: true)
    let listing = try listing(isReadOnly: true)
    var journals = unlisted(listing)
    for listed in heads(of: listing) where !listed.files.segments.isEmpty {
      do throws(ArtError) {
        if let journal = try peek(at: listed) { journals.append(journal) }
      } catch {
        journals.append(OrphanedJournal(unreadable: listed, in: self, error))
      }
    }
    return journals
  }

  private func peek(at listed: ListedJournal) throws(ArtError) -> OrphanedJournal? {
    let attempt = try JournalLock.share(path(of: JournalFormat.lock(of: listed.id)))
    switch attempt {
    case .lockedExclusively, .lockedShared: return nil
    case .missing, .acquired: break
    }
    defer { withExtendedLifetime(attempt) {} }
    let heads = try SegmentHeads(of: listed.id, listed.files.segments, in: self)
    return heads.isEmpty || isRunning(heads.head) ? nil : OrphanedJournal(heads, lock: nil)
  }

  /// The orphaned journals, each locked as long as it exists. Journals of which only the lock file is left are included, because their
  /// documents may have a record of them. A journal that cannot be read has no head.
  ///
  /// Throws `busy` if other programs keep one locked, `inputOutput`, `notPermitted` if the folder cannot be listed.
  public func lockOrphans(timeout: Duration = .seconds(1)) throws(ArtError) -> [OrphanedJournal] {
    try lockOrphans(listing(), timeout: timeout)
  }

  /// The same for some of the journals; the others are not opened.
  func lockOrphans(
    _ listing: Listing, timeout: Duration = .seconds(1)
  ) throws(ArtError) -> [OrphanedJournal] {
    try verify()
    let deadline = Deadline(timeout)
    var journals = unlisted(listing)
    for listed in heads(of: listing) {
      do throws(ArtError) {
        if let fault = listed.fault { throw fault }
        guard !listed.isEmptyLock || host.sharesLocks(in: path) else { continue }
        if let journal = try lock(listed, deadline) { journals.append(journal) }
      } catch {
        guard error.code != .busy else { throw error }
        journals.append(OrphanedJournal(unreadable: listed, in: self, error))
      }
    }
    return journals
  }

  /// Removes journals without an acknowledged edit, usually just a lock file, and the documents' records of
  /// them. If another program has locked the document, the journal stays for the next time. Throws
  /// `inputOutput`, `notPermitted`.
  public func removeEmptyJournals(where isWanted: (JournalHead) -> Bool) throws(ArtError) {
    try verify()
    for listed in try heads(of: listing()) {
      guard let head = listed.head, isWanted(head), lockProvesEnd(of: head) else { continue }
      do throws(ArtError) {
        guard try SegmentHeads(of: listed.id, listed.files.segments, in: self).isEmpty,
          let journal = try lock(listed, Deadline(.zero)), !journal.hasEdits
        else { continue }
        guard host.relation(to: head) == .here || FileIdentity(at: head.path).map(head.isFile) ?? false else {
          continue
        }
        try journal.removeSegments()
        try forget(journal, in: DocumentFile(head.path, timeout: .zero))
        try journal.removeLock()
      } catch {
        // The next call tries again.
        continue
      }
    }
    try removeEmptyFolders()
  }

  /// Removes the document's record of an empty journal. A missing document, or another one, has none.
  private func forget(_ journal: OrphanedJournal, in document: DocumentFile) throws(ArtError) {
    do throws(ArtError) {
      guard try document.base().id == journal.head?.base.id else { return }
      try document.forget(journal.origin)
    } catch {
      guard error.code == .noSuchDocument || error.code == .notADocument else { throw error }
    }
  }

  /// Locks a journal; nil if nothing is left of it, or its program runs. Waits while another program restores
  /// it.
  fileprivate func lock(_ listed: ListedJournal, _ deadline: Deadline) throws(ArtError) -> OrphanedJournal? {
    // Its program has ended, so a program that has the lock restores the journal.
    let isBeingRestored =
      listed.head.map { host.relation(to: $0) == .here && host.program(of: $0) == .ended } ?? false
    let attempt = try JournalLock.acquire(
      path(of: JournalFormat.lock(of: listed.id)), creating: !listed.files.segments.isEmpty,
      listed.isEmptyLock ? Deadline(.zero) : deadline,
      waitsForHolder: isBeingRestored)
    switch attempt {
    case .missing: return nil
    case .lockedExclusively where !isBeingRestored: return nil
    case .lockedExclusively, .lockedShared:
      // An empty lock is not worth waiting for.
      guard !listed.isEmptyLock else { return nil }
      throw .busyJournal(listed.head?.path ?? path)
    case .acquired(let lock):
      let heads = try SegmentHeads(of: listed.id, listed.files.segments, in: self)
      guard !isRunning(heads.head) else { return nil }
      guard heads.isEmpty, heads.head == nil else { return OrphanedJournal(heads, lock: lock) }
      // No edit was acknowledged, and its document is unknown.
      try unlinkSegments(heads.segments, of: listed.id)
      try unlink(lock, of: listed.id)
      return nil
    }
  }

  /// Whether the journal's program runs although its lock was acquired. Where locks are not visible to all
  /// programs, its process decides.
  private func isRunning(_ head: JournalHead?) -> Bool {
    guard let head, head.process != host.process else { return false }
    switch host.program(of: head) {
    case .running, .hidden: return !host.sharesLocks(in: path)
    case .ended, .unknown: return false
    }
  }

  /// Whether acquiring a journal's lock proves that its program has ended. On another machine, or in a
  /// container whose locks are not visible here, it may still run.
  func lockProvesEnd(of head: JournalHead) -> Bool {
    switch host.relation(to: head) {
    case .here: true
    case .otherNamespace: head.home?.boot != host.home.boot || host.sharesLocks(in: path)
    case .otherMachine: false
    }
  }

  /// Listed journals by name. One head of each is read. Nothing is locked.
  private func heads(of listing: Listing) -> [ListedJournal] {
    listing.files.sorted { $0.key.description < $1.key.description }.map {
      ListedJournal($0.key, $0.value, in: self)
    }
  }

  /// The journals in folders that cannot be listed, one for each folder.
  private func unlisted(_ listing: Listing) -> [OrphanedJournal] {
    listing.unlisted.sorted { $0.key.description < $1.key.description }.map {
      OrphanedJournal(unlisted: $0.key, in: self, $0.value)
    }
  }
}

// MARK: - The parts of a listing

/// A journal in the listing of its folder.
private struct ListedJournal {
  let id: JournalID
  let files: JournalFolder.Files
  let head: JournalHead?
  /// The error of reading its head.
  let fault: ArtError?

  init(_ id: JournalID, _ files: JournalFolder.Files, _ head: JournalHead?) {
    (self.id, self.files, self.head, fault) = (id, files, head, nil)
  }

  init(_ id: JournalID, _ files: JournalFolder.Files, in folder: JournalFolder) {
    (self.id, self.files) = (id, files)
    var head: JournalHead?
    var fault: ArtError?
    do throws(ArtError) {
      // The lock file has only the head, so it is the smallest.
      let names = files.hasLock ? [(JournalFormat.lock(of: id), 0)] : []
      for (name, number) in names + files.segments.map({ (JournalFormat.segment($0, of: id), $0) }) {
        head = try SegmentFile.head(in: folder.path(of: name), of: id, number)
        if head != nil { break }
      }
    } catch {
      fault = error
    }
    (self.head, self.fault) = (head, fault)
  }

  /// Whether it is a lock file without a head or segments: its program was killed while it created it.
  var isEmptyLock: Bool { head == nil && files.segments.isEmpty }
}

/// The beginnings of a journal's segments, read after it was locked: the listed ones may have grown or been
/// removed since.
private struct SegmentHeads {
  let id: JournalID
  let folder: JournalFolder
  private(set) var segments: [Int]
  private(set) var head: JournalHead?
  private(set) var modified = 0
  /// Whether no segment has a complete first line: none of its edits was acknowledged.
  private(set) var isEmpty = true

  /// `listed` are the segments that were listed before. Segments are created in order and removed oldest
  /// first. So if all of them exist, only segments after the last one can be new; if one is missing, the
  /// folder is listed again.
  init(of id: JournalID, _ listed: [Int], in folder: JournalFolder) throws(ArtError) {
    self.id = id
    self.folder = folder
    segments = listed
    if try !read(listed) || listed.isEmpty {
      let listing = try folder.listing(of: id.document, isReadOnly: true)
      if let fault = listing.unlisted[id.document] { throw fault }
      segments = listing.files[id]?.segments ?? []
      _ = try read(segments)
    } else {
      while let last = segments.last, try read([last + 1]) { segments.append(last + 1) }
    }
    // If the segments' heads are damaged, the lock file still names the document.
    if head == nil { try readLockFile() }
  }

  /// Reads the beginnings of these segments. Returns whether all of them exist.
  private mutating func read(_ numbers: [Int]) throws(ArtError) -> Bool {
    var areAllPresent = true
    for number in numbers {
      let path = folder.path(of: JournalFormat.segment(number, of: id))
      switch try SegmentFile.read(path, limit: JournalFormat.largestHead, prefix: true) {
      case .missing: areAllPresent = false
      case .refused: isEmpty = false
      case .read(let bytes, let time):
        modified = max(modified, time)
        guard head == nil else { continue }
        if bytes.count == JournalFormat.largestHead || bytes.contains(UInt8(ascii: "\n")) { isEmpty = false }
        head = bytes.withUnsafeBufferPointer { JournalContents.head(in: $0, of: id, number) }
      }
    }
    return areAllPresent
  }

  private mutating func readLockFile() throws(ArtError) {
    let path = folder.path(of: JournalFormat.lock(of: id))
    guard case .read(let bytes, let time) = try SegmentFile.read(path, limit: JournalFormat.largestHead)
    else {
      return
    }
    modified = max(modified, time)
    head = bytes.withUnsafeBufferPointer { JournalContents.head(in: $0, of: id, 0) }
  }
}

extension SegmentFile {
  /// The head in a file of a journal; nil if there is none. Throws `inputOutput`, `notPermitted`.
  fileprivate static func head(in path: String, of id: JournalID, _ number: Int) throws(ArtError)
    -> JournalHead?
  {
    guard case .read(let bytes, _) = try read(path, limit: JournalFormat.largestHead, prefix: true) else {
      return nil
    }
    return bytes.withUnsafeBufferPointer { JournalContents.head(in: $0, of: id, number) }
  }
}
