// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// The journal of one program's edits of one document, while it lives: each edit lies in it before it is answered,
/// until a durable save holds it.
///
///     append ──▶ open segment ──cut──▶ closed segment ──remove(upTo:)──▶ unlinked
///                     └──────── close ─────────┴─────────────────────────▶ unlinked
///
/// - A segment is made with its head and its first edits in one write; nothing in it is ever rewritten.
/// - A write that fails is taken back by cutting the segment to the length before it. While that fails, too, nothing
///   more is taken.
/// - Segments are not synchronised: what was answered survives the program's end, not the machine's.
///
/// Used by one actor, and by one call at a time.
public final class Journal {
  /// Where it lies.
  public let folder: JournalFolder
  /// The program whose edits are in it.
  public let origin: Origin
  private let author: String?
  private let file: LocatedFile
  private let started: Int
  private var lock: JournalLock?
  private var openSegment: OpenSegment?
  private var closedSegments: [(number: Int, bytes: Int)] = []
  /// The number of the newest segment, 0 before the first one.
  private var newest = 0
  /// The number of the last edit in it.
  private var lastSequence: Int?
  private var lines = JournalLines()
  /// Tests let these fail.
  var calls = Calls()

  /// The system calls that write.
  struct Calls {
    var write: (Int32, UnsafeRawPointer?, Int, off_t) -> Int = pwrite
    var truncate: (Int32, off_t) -> Int32 = ftruncate
  }

  private struct OpenSegment {
    let number: Int
    let path: String
    let descriptor: Int32
    /// Bytes of what was taken.
    var length = 0
    /// Something of a failed write may lie behind them.
    var isTorn = false
  }

  /// Makes the journal of a document's edits, and locks it; no segment yet. Its lock file says whose it is from the beginning,
  /// so that others can tell whether its program runs. Throws what finding the document throws,
  /// and `notPermitted`, `diskFull`, `inputOutput`, which name the folder and what to do, where no journal can be kept.
  public init(
    in folder: JournalFolder, of document: DocumentFile, on base: DocumentBase, origin: Origin,
    author: String?,
    started: Int = millisecondsSince1970()
  ) throws(ArtError) {
    file = try document.locate()
    self.folder = folder
    self.origin = origin
    self.author = author
    self.started = started
    do throws(ArtError) {
      try StateFolder.makeFolders(folder.path)
      try folder.verify()
      let lock = try JournalLock.create(folder.path(of: JournalFormat.lock(of: origin)))
      self.lock = lock
      do throws(ArtError) {
        try lock.write(head(on: base))
      } catch {
        // An empty lock file tells nobody anything. The error that matters is why it is empty.
        try? lock.unlink()
        throw error
      }
    } catch {
      throw .noJournal(folder.path, error)
    }
  }

  deinit { abandon() }

  /// Bytes of all its segments.
  public var bytes: Int { closedSegments.reduce(openSegment?.length ?? 0) { $0 + $1.bytes } }

  /// Whether it takes no more edits until some of it is removed.
  public var isFull: Bool { bytes >= JournalFormat.capacity }

  /// Takes edits, all of them in one write or none: they may be answered when this returns. They follow the last one in
  /// number. `base` is what the file holds as far as the program knows. Throws `inputOutput`, `diskFull`, `tooLarge`
  /// when the unsaved edits are more than 256 MiB, `closed`.
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
    for entry in entries { lines.append(entry, after: author) }
    guard lines.bytes.count <= JournalFormat.largestBatch else { throw .journalFull(folder.path) }
    try write(lines.bytes, to: &segment)
    lastSequence = last
  }

  /// Throws for edits that a reader would refuse.
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

  /// Closes the open segment: what comes from now on is in another one. Returns the number of the newest closed segment,
  /// 0 for none: when a durable save holds what came until now, `remove(upTo:)` takes it.
  public func cut() -> Int {
    if var segment = openSegment {
      // What could not be taken back must not come to lie between good edits.
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

  /// Unlinks closed segments up to that one, oldest first, so that a kill leaves no gap. Where one cannot be removed it
  /// and those after it stay, and the next call tries again.
  public func remove(upTo mark: Int) throws(ArtError) {
    while let first = closedSegments.first, first.number <= mark {
      let path = folder.path(of: JournalFormat.segment(first.number, of: origin))
      guard unlink(path) == 0 || errno == ENOENT else { throw .system("remove", path) }
      closedSegments.removeFirst()
    }
  }

  /// Unlinks all segments, durably; the lock stays until `release`. Everything in them must have been saved.
  public func close() throws(ArtError) {
    if let segment = openSegment {
      Glibc.close(segment.descriptor)
      closedSegments.append((segment.number, segment.length))
      openSegment = nil
    }
    guard newest > 0 else { return }
    try remove(upTo: newest)
    try PlainFile.syncFolder(of: folder.path(of: JournalFormat.lock(of: origin)))
  }

  /// Unlinks the lock file and lets go of it: when nothing of the journal is left, and the document does not know of it.
  public func release() throws(ArtError) {
    try lock?.unlink()
    abandon()
  }

  /// Lets go of everything and leaves it as it is: others may restore it.
  public func abandon() {
    if let segment = openSegment { Glibc.close(segment.descriptor) }
    openSegment = nil
    lock = nil
  }
}

extension Journal {
  /// What a segment begins with.
  private func head(on base: DocumentBase) -> JournalHead {
    JournalHead(
      origin: origin, author: author, path: file.path, device: file.device, inode: file.inode,
      process: folder.host.process, started: started, base: base, home: folder.host.home)
  }

  private func newSegment(under lock: JournalLock) throws(ArtError) -> OpenSegment {
    // Without its lock file others would take the journal for one of a program that is gone.
    guard try lock.isAtPath() else { throw .journalGone(folder.path) }
    let number = newest + 1
    let path = folder.path(of: JournalFormat.segment(number, of: origin))
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
        // What a file system of another machine says of an open file that was removed there.
        let isMissing = number == ENOENT || number == ESTALE
        let error = isMissing ? ArtError.journalGone(segment.path) : .system("write", segment.path, number)
        // The next one tries again; what is to be told is why the edits were not taken.
        try? discardTail(&segment)
        throw error
      }
      written += count
    }
    segment.length += bytes.count
    segment.isTorn = false
  }

  /// Cuts the segment to what was taken.
  private func discardTail(_ segment: inout OpenSegment) throws(ArtError) {
    while calls.truncate(segment.descriptor, off_t(segment.length)) != 0 {
      guard errno == EINTR else { throw .system("write", segment.path) }
    }
    segment.isTorn = false
  }
}
