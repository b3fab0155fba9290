// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// The journal of one program's edits of one document while the program runs: each edit is in it before it is acknowledged, until a
/// durable save has it.
///
///     append ──▶ open segment ──cut──▶ closed segment ──remove(upTo:)──▶ unlinked
///                     └──────── close ─────────┴─────────────────────────▶ unlinked
///
/// - A segment is created with its head and its first edits in one write; nothing in it is ever rewritten.
/// - After a failed write the segment is truncated to its length before. As long as that fails, too, no edit is accepted.
/// - The lines of one write say that they belong together: if the program is killed then, the complete lines of a failed write do not count.
/// - Segments are not synchronised: acknowledged edits survive the end of the program, not of the machine.
///
/// Used by one actor, one call at a time.
public final class Journal {
  /// The folder of the journal.
  public let folder: JournalFolder
  /// The program whose edits it has.
  public var origin: Origin { id.origin }
  let id: JournalID
  private let author: String?
  private let file: LocatedFile
  private let started: Int
  private var lock: JournalLock?
  private var openSegment: OpenSegment?
  private var closedSegments: [(number: Int, bytes: Int)] = []
  /// The number of the newest segment; 0 before the first one.
  private var newest = 0
  /// The sequence number of the last edit.
  private var lastSequence: Int?
  private var lines = JournalLines()
  /// The system calls that write, which tests make fail.
  var calls = Calls()

  struct Calls {
    var write: (Int32, UnsafeRawPointer?, Int, off_t) -> Int = pwrite
    var truncate: (Int32, off_t) -> Int32 = ftruncate
  }

  private struct OpenSegment {
    let number: Int
    let path: String
    let descriptor: Int32
    /// The bytes of the accepted edits.
    var length = 0
    /// Whether a part of a failed write may follow them.
    var isTorn = false
  }

  /// Creates and locks a journal for a document's edits, without a segment yet. Its lock file has the head
  /// from the beginning, so that others can tell whose it is and whether that program runs.
  ///
  /// Throws what finding the document throws, and if the folder cannot keep a journal, `notPermitted`,
  /// `diskFull`, `inputOutput`, with a message that names the folder and what to do.
  public init(
    in folder: JournalFolder, of document: DocumentFile, on base: DocumentBase, origin: Origin,
    author: String?,
    started: Int = WallClock.milliseconds()
  ) throws(ArtError) {
    file = try document.locate()
    self.folder = folder
    id = JournalID(document: base.id, origin: origin)
    self.author = author
    self.started = started
    do throws(ArtError) {
      try StateFolder.makeFolders(folder.path)
      try folder.verify()
      try folder.verify(base.id)
      do throws(ArtError) {
        let lock = try JournalLock.create(folder.path(of: JournalFormat.lock(of: id)))
        self.lock = lock
        try lock.write(head(on: base))
      } catch {
        // A folder without a journal is of no use, nor is a lock file without a head. The error that matters is why.
        try? lock?.unlink()
        folder.removeFolder(of: base.id)
        throw error
      }
    } catch {
      let foreign = error.code == .notPermitted ? folder.foreignFolder(of: base.id) : nil
      throw foreign ?? .noJournal(folder.path, error)
    }
  }

  deinit { abandon() }

  /// The bytes of all its segments.
  public var bytes: Int { closedSegments.reduce(openSegment?.length ?? 0) { $0 + $1.bytes } }

  /// Whether it accepts no more edits until a segment is removed.
  public var isFull: Bool { bytes >= JournalFormat.capacity }

  /// Appends edits, all of them in one write or none. They may be acknowledged when this returns. Their
  /// sequence numbers must follow the last one. `base` is the document's stored state as far as the program
  /// knows.
  ///
  /// Throws `inputOutput`, `diskFull`, `tooLarge` if the unsaved edits exceed 256 MiB, `closed`.
  public func append(_ entries: some Collection<LoggedEdit>, on base: DocumentBase) throws(ArtError) {
    guard !entries.isEmpty else { return }
    guard let lock else { throw .journalClosed(folder.path) }
    let last = try checkOrder(of: entries)
    guard !isFull else { throw .journalFull(folder.path) }
    var segment = if let openSegment { openSegment } else { try newSegment(under: lock) }
    defer { openSegment = segment }
    if segment.isTorn { try discardTail(&segment) }
    lines.removeAll()
    if segment.length == 0 {
      lines.append(head(on: base), segment: segment.number)
    }
    for entry in entries { lines.append(entry, after: author, isLast: entry.id.sequence == last) }
    guard lines.bytes.count <= JournalFormat.largestBatch else { throw .journalFull(folder.path) }
    try write(lines.bytes, to: &segment)
    lastSequence = last
  }

  /// The sequence number of the last entry. Throws for entries that a reader would refuse.
  private func checkOrder(of entries: some Collection<LoggedEdit>) throws(ArtError) -> Int? {
    var last = lastSequence
    for id in entries.lazy.map(\.id) {
      guard id.origin == origin, last.map({ id.sequence == $0 + 1 }) ?? true else {
        throw .journalOutOfOrder(folder.path, id)
      }
      last = id.sequence
    }
    return last
  }

  /// Closes the open segment, so that later edits go to another one. Returns the number of the newest closed
  /// segment, 0 for none. When a durable save has all edits until now, pass it to `remove(upTo:)`.
  public func cut() -> Int {
    if var segment = openSegment {
      // The rest of a failed write must not end up between valid edits, so a torn segment stays open.
      if segment.isTorn { try? discardTail(&segment) }
      if segment.isTorn {
        openSegment = segment
      } else {
        Glibc.close(segment.descriptor)
        closedSegments.append((segment.number, segment.length))
        openSegment = nil
      }
    }
    return closedSegments.last?.number ?? 0
  }

  /// Unlinks closed segments up to that number, oldest first, so that a kill leaves no gap. If one cannot be
  /// removed, it and those after it stay for the next call.
  public func remove(upTo mark: Int) throws(ArtError) {
    while let first = closedSegments.first, first.number <= mark {
      let path = folder.path(of: JournalFormat.segment(first.number, of: id))
      guard unlink(path) == 0 || errno == ENOENT else { throw .system("remove", path) }
      closedSegments.removeFirst()
    }
  }

  /// Unlinks all segments, durably. The lock stays until `release`. Every edit in them must have been saved.
  public func close() throws(ArtError) {
    if let segment = openSegment {
      Glibc.close(segment.descriptor)
      closedSegments.append((segment.number, segment.length))
      openSegment = nil
    }
    guard newest > 0 else { return }
    try remove(upTo: newest)
    try folder.sync(id.document)
  }

  /// Unlinks and releases the lock file, when no segment is left and the document has no record of the
  /// journal.
  public func release() throws(ArtError) {
    try lock?.unlink()
    abandon()
    // Some file systems keep an unlinked file in its folder until it is closed.
    folder.removeFolder(of: id.document)
  }

  /// Closes all files and leaves them as they are: another program may restore them.
  public func abandon() {
    if let segment = openSegment { Glibc.close(segment.descriptor) }
    openSegment = nil
    lock = nil
  }
}

extension Journal {
  /// The first line of a segment.
  private func head(on base: DocumentBase) -> JournalHead {
    JournalHead(
      origin: origin, author: author, filePath: file.path, device: file.device, inode: file.inode,
      process: folder.host.process, started: started, base: base, home: folder.host.home)
  }

  private func newSegment(under lock: JournalLock) throws(ArtError) -> OpenSegment {
    // Without its lock file, other programs would take the journal for an orphan.
    guard try lock.isAtPath() else { throw .journalGone(folder.path) }
    let number = newest + 1
    let path = folder.path(of: JournalFormat.segment(number, of: id))
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .noJournal(folder.path, .system("create", path)) }
    newest = number
    return OpenSegment(number: number, path: path, descriptor: descriptor)
  }

  private func write(_ bytes: [UInt8], to segment: inout OpenSegment) throws(ArtError) {
    var status = stat()
    guard fstat(segment.descriptor, &status) == 0 else { throw .system("write", segment.path) }
    guard status.st_nlink > 0 else { throw .journalGone(segment.path) }
    segment.isTorn = true
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        calls.write(
          segment.descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written,
          off_t(segment.length + written))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let number = count == 0 ? EIO : errno
        // Network file systems return these for an open file that was removed on another machine.
        let isMissing = number == ENOENT || number == ESTALE
        let error = isMissing ? ArtError.journalGone(segment.path) : .system("write", segment.path, number)
        // The next call tries again. The error that matters is why the edits were not written.
        try? discardTail(&segment)
        throw error
      }
      written += count
    }
    segment.length += bytes.count
    segment.isTorn = false
  }

  /// Truncates the segment to the accepted edits.
  private func discardTail(_ segment: inout OpenSegment) throws(ArtError) {
    while calls.truncate(segment.descriptor, off_t(segment.length)) != 0 {
      guard errno == EINTR else { throw .system("write", segment.path) }
    }
    segment.isTorn = false
  }
}
