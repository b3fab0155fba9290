// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import CStore
import Glibc

/// The result of merging copies into a document.
public struct MergeOutcome: Sendable {
  /// What one copy brought, and what the document and it disagree on. The document is the report's first copy.
  public struct Part: Sendable {
    /// The copy's name in messages.
    public let name: String
    /// What it brought.
    public let report: MergeReport
    /// The digest of its file; nil for a copy in memory.
    let digest: String?
  }

  /// A part for each copy, in their order; then one for each file beside the document that an earlier merge left, or that another program
  /// had put at the path meanwhile.
  public internal(set) var parts: [Part] = []
  /// The document after it.
  public internal(set) var content: DocumentContent
  /// Whether the file was replaced.
  public internal(set) var hasChanged = false
  /// Whether the bytes of the background's picture are in none of the copies.
  public internal(set) var isPictureLost = false
  /// The document's file, with all edits of all copies; nil for a preview.
  public internal(set) var held: HeldFile?
  /// The file that was at the path before; nil for a preview.
  public internal(set) var former: FileIdentity?

  /// The number of edits that the copies had, and the document lacked.
  public var edits: Int { parts.reduce(0) { $0 + $1.report.fromSecond } }
  /// The number of fields that two copies had set to different values, and of emoji that one had removed and the other one changed.
  public var conflicts: Int {
    parts.reduce(0) { $0 + $1.report.conflicts.count + $1.report.survivors.count }
  }
}

extension DocumentFile {
  /// Merges other copies of the document into it, and returns what they brought. When this returns, the file at this path has all edits of
  /// all copies, durably. The copies stay as they are.
  ///
  ///     lock ──▶ read ──▶ merge ──▶ write a new file ──▶ exchange it with the one at the path ──▶ the one that was read? ──▶ done
  ///      ▲                                                                                                     │ no
  ///      └────────────── merge that one, too: another program had put it there meanwhile ◀─────────────────────┘
  ///
  /// A document that has all edits of the copies is not written. If a copy has all edits of the document, the document becomes that file,
  /// byte for byte. With `isByValue`, copies that have parted are merged by their values, and the state folder keeps the document's former file.
  /// Throws `badValue` for a copy of another document, `parted`, and what `read` and `edit` throw; then the document is as it was.
  public func merge(_ others: [DocumentFile], isByValue: Bool = false) throws(ArtError) -> MergeOutcome {
    try merge(try Self.copies(others), isByValue: isByValue) { (_) throws(ArtError) in }
  }

  /// What `merge` would bring; nothing is written. Throws what `merge` throws.
  public func previewMerge(
    _ others: [DocumentFile], isByValue: Bool = false
  ) throws(ArtError) -> MergeOutcome {
    var merged = MergedCopies(try copy(), isByValue: isByValue)
    for other in try Self.copies(others) { try merged.add(other) }
    return merged.outcome
  }

  /// Removes this copy of a document into which it was merged, and keeps its bytes in the state folder. Throws `movedOn` if it is not as it
  /// was read, `busy`, and what reading and removing throw; then it stays.
  public func setAside(_ part: MergeOutcome.Part) throws(ArtError) {
    let file = try locate()
    let guarded = try GuardedFile(file, writable: true)
    defer { withExtendedLifetime(guarded) {} }
    try guarded.lock(.exclusive, Deadline(timeout))
    let bytes = try guarded.bytes(limit: Format.largestFile)
    guard !guarded.hasMoved, bytes.digest == part.digest else {
      throw ArtError(
        .movedOn, "\(name) has changed since it was merged, and stays; merge it again", about: name)
    }
    _ = try StateFolder.quarantine(bytes, as: FilePath(file.path).name)
    // That took a while, in which another file may have come to the path.
    guard !guarded.hasMoved else {
      throw ArtError(
        .movedOn, "\(name) was replaced while it was merged, and stays; merge it again", about: name)
    }
    guard unlink(file.path) == 0 else { throw .system("remove", name) }
    try PlainFile.syncFolder(of: file.path)
  }

  private static func copies(_ files: [DocumentFile]) throws(ArtError) -> [DocumentCopy] {
    var copies: [DocumentCopy] = []
    for file in files { copies.append(try file.copy(like: copies.last)) }
    return copies
  }

  /// Reads the whole file. It stays open as long as the copy.
  private func copy(like known: DocumentCopy? = nil) throws(ArtError) -> DocumentCopy {
    let held = hold(nil)
    return try read { (transaction) throws(ArtError) in
      try DocumentCopy(transaction, named: name, like: known) { () throws(ArtError) in try held?.bytes() }
    }
  }

  /// The steps of a merge, for tests.
  enum MergeStep {
    /// The file is read and locked.
    case read
    /// The new file was exchanged with the one at the path.
    case exchanged
  }

  /// The same for copies that were read. `reached` is called after each step, and may end the merge by throwing.
  func merge(
    _ others: [DocumentCopy], isByValue: Bool = false, reached: (MergeStep) throws(ArtError) -> Void
  ) throws(ArtError) -> MergeOutcome {
    let deadline = Deadline(timeout)
    var put: (copy: DocumentCopy, bytes: [UInt8])?
    var parts: [MergeOutcome.Part] = []
    var former: FileIdentity?
    do throws(ArtError) {
      for tries in 0..<8 {
        guard let file = try locateAgain(tries, deadline) else { continue }
        let transaction = try beginWriting(file, deadline)
        guard let file = try fileIfStillAtPath(file, transaction.connection) else { continue }
        let document = try DocumentCopy(transaction, named: name, like: others.last) { () throws(ArtError) in
          try transaction.connection.bytes(count: transaction.connection.size, at: 0)
        }
        var merged = MergedCopies(document, isByValue: isByValue)
        former = former ?? file.identity
        // What was put in place may have been replaced again.
        if let put { try merged.add(put.copy) } else { for copy in others { try merged.add(copy) } }
        let leftovers = try LeftoverFile.all(of: file)
        for leftover in leftovers {
          if let copy = try leftover.copy(), copy.content.id == transaction.id { try merged.add(copy) }
        }
        try merged.removeLostBackground()
        parts += merged.outcome.parts.dropFirst(put == nil ? 0 : 1)
        try reached(.read)
        let held: HeldFile?
        if let bytes = try merged.newBytes() {
          if isByValue {
            let former = try transaction.connection.bytes(count: transaction.connection.size, at: 0)
            _ = try StateFolder.quarantine(former, as: FilePath(file.path).name)
          }
          do throws(ArtError) {
            held = try self.put(bytes, merged.copy, over: file, document.file?.digest, transaction, reached)
          } catch {
            // It was at the path for a moment.
            if error.code == .replaced { put = (merged.copy, bytes) }
            throw error
          }
          put = (merged.copy, bytes)
        } else {
          try sync(file)
          held = try hold(file.identity, at: file)
        }
        guard let held else { continue }
        for leftover in leftovers where merged.includes(leftover.path) { try leftover.remove() }
        var outcome = merged.outcome
        (outcome.parts, outcome.hasChanged, outcome.held, outcome.former) = (
          parts, put != nil, held, former
        )
        return outcome
      }
    } catch {
      throw try keepApart(put?.bytes, error)
    }
    throw try keepApart(put?.bytes, .busy(name))
  }

  /// The document's file; nil if none is at the path for a moment, while another program exchanges it.
  private func locateAgain(_ tries: Int, _ deadline: Deadline) throws(ArtError) -> LocatedFile? {
    do throws(ArtError) { return try locate() } catch {
      guard error.code == .noSuchDocument, tries > 0, deadline.wait(5) else { throw error }
      return nil
    }
  }

  /// Puts a merged file in the place of the one that is locked, and that had the digest `read`. Returns it if it is there now, and what was there was the locked one; if not,
  /// the other file is a leftover.
  private func put(
    _ bytes: [UInt8], _ copy: DocumentCopy, over file: LocatedFile, _ read: String?,
    _ transaction: DocumentTransaction, _ reached: (MergeStep) throws(ArtError) -> Void
  ) throws(ArtError) -> HeldFile? {
    // Other names of the file would keep the old content, and a mount cannot be exchanged.
    guard file.hardLinks == 1 else { return try rewrite(copy, file, transaction) }
    let leftover = LeftoverFile(of: file)
    var (exchanged, mustRewrite): (FileIdentity?, Bool) = (nil, false)
    try FileImage.withUnnamedFile(near: file.path, like: file, name: name) { (new) throws(ArtError) in
      try PlainFile.write(bytes, to: new, name: name)
      setTime(of: new, bytes)
    } _: { (new) throws(ArtError) in
      do throws(SystemError) {
        try new.exchange(file.path, movingOldTo: leftover.path)
        var status = stat()
        if fstat(new.descriptor, &status) == 0 { exchanged = FileIdentity(status) }
      } catch {
        switch error.number {
        case EINVAL, ENOSYS, EBUSY, EXDEV: mustRewrite = true
        // Another user's file in a folder with the sticky bit may be written, and not replaced.
        case EPERM, EACCES: mustRewrite = true
        // Another program is exchanging the file.
        case ENOENT: break
        default: throw ArtError(error, cannot: "replace", file.name)
        }
      }
    }
    guard !mustRewrite else { return try rewrite(copy, file, transaction) }
    guard let exchanged else { return nil }
    try PlainFile.syncFolder(of: file.path)
    try reached(.exchanged)
    if FileIdentity(at: leftover.path) == file.identity {
      // A program that copies another file over it takes no lock, and the file stays the same.
      guard try HeldFile(leftover.path)?.digest() == read else { return nil }
      try leftover.remove()
      return try hold(exchanged, at: file)
    }
    if try leftover.copy()?.content.id == copy.content.id { return nil }
    // Another document was put there meanwhile. It goes back.
    do throws(SystemError) { try FilePath.exchange(file.path, leftover.path) } catch {
      throw ArtError(error, cannot: "replace", file.name)
    }
    try leftover.remove()
    throw .replaced(path)
  }

  /// Makes a merged file's time differ from that of another state that was written within the same tick of the kernel's clock, 4 ms. Programs
  /// that carry files see by size and time whether one has changed.
  private func setTime(of descriptor: Int32, _ bytes: [UInt8]) {
    var now = timespec()
    guard clock_gettime(CLOCK_REALTIME, &now) == 0 else { return }
    let mark = bytes.digest.utf8.prefix(6).reduce(0) { ($0 &* 31 &+ Int($1)) & 0xF_FFFF }
    now.tv_nsec = min(now.tv_nsec / 1_048_576 * 1_048_576 + mark, 999_999_999)
    let times = [now, now]
    // Without it the time is only coarser.
    _ = futimens(descriptor, times)
  }

  /// Writes the merged copy into the locked file, as an edit is written: the bytes are not those that other machines write.
  private func rewrite(
    _ copy: DocumentCopy, _ file: LocatedFile, _ transaction: DocumentTransaction
  ) throws(ArtError) -> HeldFile? {
    try transaction.replaceAll(with: copy.canonicalFile().image)
    guard try commit(transaction, to: file) else { return nil }
    return try hold(file.identity, at: file)
  }

  /// The file at the path, if it is that one.
  private func hold(_ identity: FileIdentity, at file: LocatedFile) throws(ArtError) -> HeldFile? {
    let held = try HeldFile(file.path)
    return held?.identity == identity ? held : nil
  }

  /// Makes the file durable: what another program put there may be in memory only.
  private func sync(_ file: LocatedFile) throws(ArtError) {
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw .document("open", name) }
    defer { PlainFile.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system("write", name) }
    try PlainFile.syncFolder(of: file.path)
  }

  /// The error of a merge that failed. What it had put in place may be gone with the file that another program has put there: it is kept
  /// in the state folder.
  private func keepApart(_ bytes: [UInt8]?, _ error: ArtError) throws(ArtError) -> ArtError {
    guard let bytes else { return error }
    let kept: String
    do throws(ArtError) { kept = try StateFolder.quarantine(bytes, as: FilePath(path).name) } catch let second
    {
      throw ArtError(
        error.code, "\(error.cause); what was merged cannot be kept: \(second.cause)", about: error.subject,
        remedy: error.remedy)
    }
    return ArtError(
      error.code, "\(error.cause); what was merged is in \(kept)", about: error.subject, remedy: error.remedy)
  }
}

// MARK: - Leftovers

extension DocumentFile {
  /// Whether a program that was killed in the middle of a merge has left a file beside the document. The next merge takes it. Throws what
  /// finding the file and looking into its folder throw.
  public func hasLeftovers() throws(ArtError) -> Bool { try !LeftoverFile.all(of: locate()).isEmpty }

  /// Whether any document of a folder may have such a file. Throws `inputOutput`, `notPermitted`.
  public static func areLeftovers(in folder: String) throws(ArtError) -> Bool {
    try !LeftoverFile.names(in: folder, beginningWith: ".").isEmpty
  }
}

/// A file at a hidden path beside a document: the file that was at the document's path before a merge, for a moment, or what the end of a
/// program left of that.
///
///     .XXXXXXXXXXXX-YYYYYYYYYYYY.merging    X: of the document's name; Y: drawn
struct LeftoverFile {
  let path: String
  /// The file, if it was found by listing.
  private let identity: FileIdentity?

  /// A path that no file has.
  init(of file: LocatedFile) {
    var random = SystemRandomNumberGenerator()
    path = "\(FilePath(file.path).folder)/\(Self.prefix(of: file))\(DocumentID(using: &random))\(Self.ending)"
    identity = nil
  }

  private init(path: String) {
    self.path = path
    identity = FileIdentity(at: path)
  }

  static let ending = ".merging"

  private static func prefix(of file: LocatedFile) -> String {
    let mark = Array(FilePath(file.path).name.utf8).withUnsafeBufferPointer { ContentDigest.mark(of: $0) }
    return ".\(mark)-"
  }

  /// All that lie beside a document. Throws `inputOutput`, `notPermitted`.
  static func all(of file: LocatedFile) throws(ArtError) -> [LeftoverFile] {
    let folder = FilePath(file.path).folder
    return try names(in: folder, beginningWith: prefix(of: file)).map {
      LeftoverFile(path: "\(folder)/\($0)")
    }
  }

  /// The names of such files in a folder, sorted. Throws `inputOutput`, `notPermitted`.
  fileprivate static func names(
    in folder: String, beginningWith prefix: String
  ) throws(ArtError) -> [String] {
    var names: [String] = []
    do throws(SystemError) {
      try FolderEntry.each(in: folder) { entry in
        let name = entry.displayName
        if name.hasPrefix(prefix), name.hasSuffix(ending) { names.append(name) }
      }
    } catch {
      throw ArtError(error, cannot: "look into", folder)
    }
    return names.sorted()
  }

  /// Its content; nil if it is no document, or gone. Throws what else reading throws.
  func copy() throws(ArtError) -> DocumentCopy? {
    do throws(ArtError) {
      let held = try HeldFile(path)
      return try DocumentFile(path).read { (transaction) throws(ArtError) in
        try DocumentCopy(transaction, named: path) { () throws(ArtError) in try held?.bytes() }
      }
    } catch {
      switch error.code {
      case .noSuchDocument, .notADocument, .damaged, .newerFormat: return nil
      default: throw error
      }
    }
  }

  /// Removes the file. Another program's file that has come to the path since it was read stays.
  func remove() throws(ArtError) {
    if let identity {
      guard FileIdentity(at: path) == identity else { return }
    }
    guard unlink(path) == 0 || errno == ENOENT else { throw .system("remove", path) }
  }
}

extension [UInt8] {
  /// The digest of the bytes.
  var digest: String { withUnsafeBufferPointer { ContentDigest.of($0) } }
}
