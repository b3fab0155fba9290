// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// A journal whose program is gone. It is locked while this lives, so that nobody else restores it meanwhile; letting
/// it go leaves it as it is.
public final class DeadJournal {
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
  /// Nil for one that is only looked at and has no lock file.
  private let lock: JournalLock?
  private let isOnlyLookedAt: Bool
  /// Why nothing of it can be read.
  private let fault: ArtError?

  fileprivate init(_ look: SegmentsLook, lock: JournalLock?, isOnlyLookedAt: Bool) {
    folder = look.folder
    origin = look.origin
    head = look.head
    modified = look.modified
    segments = look.segments
    self.lock = lock
    self.isOnlyLookedAt = isOnlyLookedAt
    fault = nil
  }

  /// One that cannot be locked or looked at.
  fileprivate init(
    unreadable origin: Origin, _ files: JournalFolder.Files, in folder: JournalFolder, _ fault: ArtError
  ) {
    self.folder = folder
    self.origin = origin
    self.fault = fault
    segments = files.segments
    head = nil
    modified = 0
    lock = nil
    isOnlyLookedAt = true
  }

  /// The path of its first file, to call it by.
  public var path: String {
    folder.path(
      of: segments.first.map { JournalFormat.segment($0, of: origin) } ?? JournalFormat.lock(of: origin))
  }

  /// Reads all of it. Throws `inputOutput`, `notPermitted`.
  public func contents() throws(ArtError) -> JournalContents {
    if let fault { throw fault }
    return try JournalContents(of: origin, segments: segments, in: folder)
  }

  /// Unlinks its segments, oldest first, durably. Everything in them must have been saved, or be unwanted. Throws
  /// `inputOutput`, `notPermitted`.
  func removeSegments() throws(ArtError) {
    guard !isOnlyLookedAt else { throw .journalClosed(folder.path) }
    try folder.unlinkSegments(segments, of: origin)
    try PlainFile.syncFolder(of: folder.path(of: JournalFormat.lock(of: origin)))
  }

  /// Unlinks its lock file, when nothing else is left of it.
  func removeLock() throws(ArtError) {
    guard !isOnlyLookedAt else { throw .journalClosed(folder.path) }
    try lock?.unlink()
  }
}

extension JournalFolder {
  /// The journals there whose programs are gone, by origin, each locked while it is kept: those whose heads are wanted,
  /// nil for one whose head cannot be read.
  ///
  /// One that is nothing but a lock file is removed without a word: its program had nothing unsaved, or was restored.
  /// Where it had saved, and its document is still there, that may have a row about it: then the journal is given, too,
  /// without any edits, for the row to go. One that cannot be looked at is given without a head, and says so when it is
  /// read. Throws `inputOutput`, `notPermitted` when the folder cannot be looked into.
  public func dead(where isWanted: (JournalHead?) -> Bool = { _ in true }) throws(ArtError) -> [DeadJournal] {
    try journals { (origin, found) throws(ArtError) in
      let path = path(of: JournalFormat.lock(of: origin))
      guard try isWantedAtAll(origin, found, isWanted),
        let lock = try JournalLock.take(path, making: !found.segments.isEmpty, Deadline(.seconds(1)))
      else { return nil }
      let look = try SegmentsLook(of: origin, in: self)
      guard !look.isEmpty || look.isKnownToDocument else {
        try unlinkSegments(look.segments, of: origin)
        try lock.unlink()
        return nil
      }
      return isWanted(look.head) ? DeadJournal(look, lock: lock, isOnlyLookedAt: false) : nil
    }
  }

  /// A look that others may have at the same time: who wants one document's journals does not lock all others'.
  private func isWantedAtAll(
    _ origin: Origin, _ found: Files, _ isWanted: (JournalHead?) -> Bool
  ) throws(ArtError) -> Bool {
    switch try JournalLock.share(path(of: JournalFormat.lock(of: origin))) {
    case .held, .seen: return false
    case .none: return !found.segments.isEmpty
    case .taken(let lock):
      defer { withExtendedLifetime(lock) {} }
      let look = try SegmentsLook(of: origin, in: self)
      return look.isEmpty && !look.isKnownToDocument || isWanted(look.head)
    }
  }

  /// The same for those who must write nothing. While they are kept nobody restores them.
  public func peek() throws(ArtError) -> [DeadJournal] {
    try journals { (origin, found) throws(ArtError) in
      guard !found.segments.isEmpty else { return nil }
      var lock: JournalLock?
      switch try JournalLock.share(path(of: JournalFormat.lock(of: origin))) {
      case .taken(let shared): lock = shared
      case .none: lock = nil
      case .held, .seen: return nil
      }
      let look = try SegmentsLook(of: origin, in: self)
      return look.isEmpty ? nil : DeadJournal(look, lock: lock, isOnlyLookedAt: true)
    }
  }

  /// One journal that cannot be looked at does not hide the others.
  private func journals(
    _ body: (Origin, Files) throws(ArtError) -> DeadJournal?
  ) throws(ArtError) -> [DeadJournal] {
    var journals: [DeadJournal] = []
    for (origin, found) in try files().sorted(by: { $0.key.description < $1.key.description }) {
      do throws(ArtError) {
        if let journal = try body(origin, found) { journals.append(journal) }
      } catch {
        journals.append(DeadJournal(unreadable: origin, found, in: self, error))
      }
    }
    return journals
  }
}

/// What the beginnings of a journal's segments tell, as they are once it is locked: what was listed before may be gone
/// or have grown.
private struct SegmentsLook {
  let origin: Origin
  let folder: JournalFolder
  let segments: [Int]
  private(set) var head: JournalHead?
  private(set) var modified = 0
  /// Whether no segment has got as far as the end of its first line: no edit in them was ever answered.
  private(set) var isEmpty = true

  /// For an empty one: whether it was more once, and the document that it was about is where it was.
  var isKnownToDocument: Bool {
    guard isEmpty, let head else { return false }
    return JournalSearch.place(of: head) == .document(head.base.id)
  }

  init(of origin: Origin, in folder: JournalFolder) throws(ArtError) {
    self.origin = origin
    self.folder = folder
    segments = try folder.files()[origin]?.segments ?? []
    for number in segments {
      let path = folder.path(of: JournalFormat.segment(number, of: origin))
      switch try SegmentFile.read(path, limit: JournalFormat.largestHead, prefix: true) {
      case .gone: break
      case .refused: isEmpty = false
      case .read(let bytes, let time):
        modified = max(modified, time)
        guard head == nil else { continue }
        if bytes.count == JournalFormat.largestHead || bytes.contains(UInt8(ascii: "\n")) { isEmpty = false }
        head = bytes.withUnsafeBufferPointer { JournalContents.head(in: $0, of: origin, number) }
      }
    }
    // Damage at the beginning does not hide of which document it is.
    if head == nil { try lookAtLock() }
  }

  private mutating func lookAtLock() throws(ArtError) {
    let path = folder.path(of: JournalFormat.lock(of: origin))
    guard case .read(let bytes, let time) = try SegmentFile.read(path, limit: JournalFormat.largestHead)
    else {
      return
    }
    modified = max(modified, time)
    head = bytes.withUnsafeBufferPointer { JournalContents.head(in: $0, of: origin, 0) }
  }
}
