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
  /// The file that was at the path before this merge put anything there; nil for a preview.
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

  /// Merges conflict copies, which were found and not named, into the document: only what this user, the document's owner or root has put
  /// there. Throws `notPermitted` for another copy, and as `merge` does.
  public func merge(found copies: [DocumentFile], isByValue: Bool = false) throws(ArtError) -> MergeOutcome {
    let document = try rights()
    var read: [DocumentCopy] = []
    for copy in copies { read.append(try copy.ownCopy(beside: document, like: read.last)) }
    return try merge(read, isByValue: isByValue) { (_) throws(ArtError) in }
  }

  /// Why a file beside the document is merged only if the user names it; nil if it is merged without that. A name is no proof of who made it.
  public func distrust(of copy: DocumentFile) throws(ArtError) -> ArtError? {
    guard let held = try HeldFile(copy.path) else { return .untrusted(copy.name, "it is no regular file") }
    return try held.distrust(beside: try rights()).map { .untrusted(copy.name, $0) }
  }

  /// The permissions of the file at the path.
  func rights() throws(ArtError) -> FileRights {
    guard let rights = try HeldFile(try locate().path.string)?.rights() else { throw .movedAway(path) }
    return rights
  }

  /// Reads this copy whole. The file that was looked at is the one that is read, whatever comes to the path meanwhile.
  private func ownCopy(
    beside document: FileRights, like known: DocumentCopy?
  ) throws(ArtError) -> DocumentCopy {
    guard let held = try HeldFile(path) else {
      guard FileIdentity(at: path) != nil else { throw .noSuchDocument(name, near: []) }
      throw .untrusted(name, "it is no regular file")
    }
    if let why = try held.distrust(beside: document) { throw .untrusted(name, why) }
    var copy = try copy(of: held, like: known)
    copy.rights = try held.rights()
    return copy
  }

  /// Keeps the bytes of this conflict copy of a document into which it was merged in the state folder, and then removes the copy. What is
  /// removed is the entry with this name, never what a link leads to. Throws `movedOn` if it is not as it was read, `busy`, and what reading,
  /// storing and removing throw; then it stays.
  public func setAside(_ part: MergeOutcome.Part, of document: DocumentFile) throws(ArtError) {
    let parts = FilePath(path)
    var own = DocumentFile("\(try Self.resolvedFolder(of: path))/\(parts.name)", timeout: timeout)
    (own.name, own.followsLinks) = (name, false)
    let found = try own.locate()
    let guarded = try GuardedFile(found, writable: true)
    defer { withExtendedLifetime(guarded) {} }
    try guarded.lock(.exclusive, Deadline(timeout))
    guard let locked = try LockedFile(found, guarded.descriptor) else { throw .changedSinceMerge(name) }
    let file = locked.file
    let bytes = try guarded.bytes(limit: Format.largestFile)
    guard bytes.digest == part.digest else { throw .changedSinceMerge(name) }
    // A kill after the move leaves the copy at a hidden path, and the next merge removes it. So the state folder keeps the bytes first.
    _ = try Quarantine.aside.store(bytes, as: parts.name)
    // Another program may replace or change the file at any moment. So it is moved away, and what was moved is compared once more.
    let leftover = LeftoverFile(of: try document.locate().path.name, beside: locked)
    try leftover.record([file.identity], of: try document.base().id)
    do throws(SystemError) { try FilePath.rename(locked.place, to: leftover.place) } catch {
      leftover.forget(notice)
      throw ArtError(error, cannot: "remove", name)
    }
    do throws(ArtError) {
      let moved = try leftover.hold()
      guard moved?.identity == file.identity, try moved?.digest() == part.digest else {
        throw .changedSinceMerge(name)
      }
    } catch {
      leftover.putBack(at: locked.place, notice)
      throw error
    }
    leftover.remove(notice)
    syncNames(file.path.string)
  }

  /// The folder of a path without symbolic links.
  private static func resolvedFolder(of path: String) throws(ArtError) -> String {
    let folder = FilePath(path).folder
    do throws(SystemError) { return try FilePath.resolved(folder) } catch {
      throw ArtError(error, cannot: "look into", folder)
    }
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
  ///
  /// `former` are the rights of the file in whose place the one at the path has come, if a program does this for itself: what it brings goes
  /// into no file that somebody else has put there, and into none with more rights. The same holds for a file that comes to the path while this
  /// runs.
  func merge(
    _ others: [DocumentCopy], isByValue: Bool = false, after former: FileRights? = nil,
    reached: (MergeStep) throws(ArtError) -> Void
  ) throws(ArtError) -> MergeOutcome {
    let deadline = Deadline(timeout)
    var put: (copy: DocumentCopy, bytes: [UInt8])?
    var parts: [MergeOutcome.Part] = []
    var (former, known): (FileIdentity?, FileRights?) = (nil, former)
    var place: LocatedFile?
    // Files of other programs that this merge has moved out of its way, whoever put them there.
    var moved: [LeftoverFile] = []
    do throws(ArtError) {
      for tries in 0..<8 {
        guard let file = try locateAgain(tries, deadline) else { continue }
        let transaction = try beginWriting(file, deadline)
        guard let file = try fileIfStillAtPath(file, transaction.connection),
          let locked = try LockedFile(file, transaction.connection.descriptor)
        else { continue }
        let document = try DocumentCopy(transaction, named: name, like: others.last) { () throws(ArtError) in
          try transaction.connection.bytes(count: transaction.connection.size, at: 0)
        }
        var merged = MergedCopies(document, isByValue: isByValue)
        // A link that was put on the way may lead to another copy by now.
        guard place.map(file.isAtPath) ?? true else { throw .movedAway(path) }
        place = file
        // If a file is replaced before the merge has put anything in its place, its edits are in no other file yet.
        if put == nil { former = locked.file.identity }
        let rights = try locked.rights()
        // What was put in place may have been replaced again.
        if let put { try merged.add(put.copy) } else { for copy in others { try merged.add(copy) } }
        let found = try LeftoverFile.all(of: locked)
        let leftovers =
          moved + found.own.filter { own in !moved.contains { FilePath($0.path) == FilePath(own.path) } }
        for leftover in leftovers {
          if let copy = try leftover.copy(of: transaction.id) { try merged.add(copy) }
        }
        if tries == 0 { for path in found.foreign { notice(.foreignLeftover(path)) } }
        try merged.removeLostBackground()
        parts += merged.outcome.parts.dropFirst(put == nil ? 0 : 1)
        try reached(.read)
        let held: HeldFile?
        var hasFewerRights = false
        if let bytes = try merged.newBytes() {
          if let known, try isTakenOver(rights, from: known) {
            throw .takenOver(.notPermitted, path, by: rights.owner)
          }
          if let copy = others.first(where: { $0.rights.map { !rights.isReadable(onlyWhere: $0) } ?? false })
          {
            throw .untrusted(copy.name, HeldFile.hasMoreReaders)
          }
          let allowed = known.map { rights.limited(to: $0) } ?? rights
          hasFewerRights = allowed != rights
          if isByValue {
            let former = try transaction.connection.bytes(count: transaction.connection.size, at: 0)
            _ = try Quarantine.kept.store(former, as: file.path.name)
          }
          var brought = known ?? rights
          do throws(ArtError) {
            held = try self.put(
              bytes, merged.copy, over: locked, allowed, document.file?.digest, transaction, &moved, &brought,
              reached)
          } catch {
            // It was at the path for a moment.
            if error.code == .replaced { put = (merged.copy, bytes) }
            throw error
          }
          put = (merged.copy, bytes)
          known = brought
        } else {
          try locked.sync()
          held = hold(locked.file.identity, at: locked)
        }
        guard let held else { continue }
        if hasFewerRights { notice(.rightsOfFormer(name)) }
        for leftover in leftovers where merged.includes(leftover.path) {
          leftover.remove(notice)
        }
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

  /// Puts a merged file with rights in the place of the one that is locked, and that had the digest `read`. Returns it if it is there now, and
  /// what was there was the locked one; if not, the other file is a leftover, and `brought` are the rights without those that it has not.
  private func put(
    _ bytes: [UInt8], _ copy: DocumentCopy, over locked: LockedFile, _ allowed: FileRights, _ read: String?,
    _ transaction: DocumentTransaction, _ moved: inout [LeftoverFile], _ brought: inout FileRights,
    _ reached: (MergeStep) throws(ArtError) -> Void
  ) throws(ArtError) -> HeldFile? {
    let file = locked.file
    // Other names of the file would keep the old content, and a mount cannot be exchanged.
    guard file.hardLinks == 1 else { return try rewrite(copy, locked, allowed, transaction) }
    let leftover = LeftoverFile(of: file.path.name, beside: locked)
    var (exchanged, mustRewrite): (FileIdentity?, Bool) = (nil, false)
    // Keeps the number of the new file from being another one's until the new file is held.
    var pinned: Int32 = -1
    defer { if pinned >= 0 { PlainFile.close(pinned) } }
    let applied = try FileImage.withUnnamedFile(
      near: file.path.string, in: locked.folder, like: allowed, name: name
    ) { (new) throws(ArtError) in
      try PlainFile.write(bytes, to: new, name: name)
      setTime(of: new, bytes)
    } _: { (new) throws(ArtError) in
      let identity: FileIdentity
      do throws(SystemError) { identity = try FileStatus(of: new.descriptor).identity } catch {
        throw ArtError(error, cannot: "write", file.name)
      }
      // After a kill, either may be there.
      try leftover.record([identity, file.identity], of: copy.content.id)
      do throws(SystemError) {
        try new.exchange(locked.place, movingOldTo: leftover.place)
        exchanged = identity
        pinned = fcntl(new.descriptor, F_DUPFD_CLOEXEC, 0)
      } catch {
        switch error.number {
        case EINVAL, ENOSYS, EBUSY, EXDEV: mustRewrite = true
        // Another user's file in a folder with the sticky bit may be written, and not replaced.
        case EPERM, EACCES: mustRewrite = true
        // Another program is exchanging the file.
        case ENOENT: break
        default:
          leftover.forget(notice)
          throw ArtError(error, cannot: "replace", file.name)
        }
      }
    }
    if exchanged == nil { leftover.forget(notice) }
    guard !mustRewrite else { return try rewrite(copy, locked, allowed, transaction) }
    guard let exchanged else { return nil }
    if applied == .fewer { notice(.fewerRights(name)) }
    // The copies that are removed next are in the quarantine, which is synchronised.
    syncNames(file.path.string)
    try reached(.exchanged)
    // What fails from here on does not take the exchange back. A leftover that stays is recorded, and the next merge takes it.
    let out = FileIdentity(at: leftover.place)
    if out == file.identity {
      do throws(ArtError) {
        // A program that copies another file over it takes no lock, and the file stays the same.
        guard try leftover.hold()?.digest() == read else {
          moved.append(leftover)
          return nil
        }
        leftover.remove(notice)
      } catch {
        notice(.kept(error))
      }
      return hold(exchanged, at: locked)
    }
    if let out { record(out, at: leftover, of: copy) }
    var owner: uid_t?
    do throws(ArtError) {
      if try leftover.copy(of: copy.content.id) != nil, let rights = try leftover.hold()?.rights() {
        guard try isTakenOver(rights, from: brought) else {
          brought = brought.limited(to: rights)
          moved.append(leftover)
          return nil
        }
        owner = rights.owner
      }
    } catch {
      // It goes back like another document.
      notice(.kept(error))
    }
    // Another document, or another user's file, was put there meanwhile. It goes back.
    do throws(SystemError) { try FilePath.exchange(locked.place, leftover.place) } catch {
      notice(.keptApart(name, leftover.path, error))
      return hold(exchanged, at: locked)
    }
    // A third file may have come out that another program has put there meanwhile. It stays, and the next merge looks at it.
    if let third = FileIdentity(at: leftover.place), third != exchanged {
      record(third, at: leftover, of: copy)
    } else {
      leftover.remove(notice)
    }
    throw owner.map { .takenOver(.replaced, path, by: $0) } ?? .replaced(path)
  }

  /// Records a file of another program that an exchange has brought out.
  private func record(_ file: FileIdentity, at leftover: LeftoverFile, of copy: DocumentCopy) {
    do throws(ArtError) { try leftover.record([file], of: copy.content.id) } catch {
      notice(.line("\(name): what another program had put there is at \(leftover.path): \(error.cause)"))
    }
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

  /// Writes the merged copy into the locked file, as an edit is written: the bytes are not those that other machines write. First the file
  /// loses the rights that the copy is not to have.
  private func rewrite(
    _ copy: DocumentCopy, _ locked: LockedFile, _ allowed: FileRights, _ transaction: DocumentTransaction
  ) throws(ArtError) -> HeldFile? {
    let isLimited = try locked.rights() != allowed
    if isLimited { try locked.apply(allowed) }
    do throws(ArtError) {
      try transaction.replaceAll(with: copy.canonicalFile().image)
      if try commit(transaction, to: locked.file) { return hold(locked.file.identity, at: locked) }
    } catch {
      // The copy may be in the file all the same.
      if isLimited { notice(.fewerRights(name)) }
      throw error
    }
    return nil
  }

  /// The file at the path, if it has that identity; nil if not, or if it cannot be opened. Then the merge tries again, and reports the error.
  private func hold(_ identity: FileIdentity, at locked: LockedFile) -> HeldFile? {
    do throws(ArtError) {
      let held = try HeldFile(locked.file.path.string)
      return held?.identity == identity ? held : nil
    } catch {
      return nil
    }
  }

  /// The error of a merge that failed. What it had put in place may be gone with the file that another program has put there: it is kept
  /// in the state folder.
  private func keepApart(_ bytes: [UInt8]?, _ error: ArtError) throws(ArtError) -> ArtError {
    guard let bytes else { return error }
    let kept: String
    do throws(ArtError) { kept = try Quarantine.kept.store(bytes, as: FilePath(path).name) } catch let second
    {
      throw ArtError(
        error.code, "\(error.cause); what was merged cannot be kept: \(second.cause)", about: error.subject,
        remedy: error.remedy)
    }
    return ArtError(
      error.code, "\(error.cause); what was merged is in \(kept)", about: error.subject, remedy: error.remedy)
  }
}

extension DocumentNotice {
  /// A file that was replaced could not keep its owner, group, mode or access control list.
  package static func fewerRights(_ name: String) -> DocumentNotice {
    .line("\(name): not all rights that it had can be set here; it has fewer now")
  }

  /// A file that came to the place of one with fewer rights.
  fileprivate static func rightsOfFormer(_ name: String) -> DocumentNotice {
    .line(
      "\(name): the merged file may be read and written only by those who could read and write the file that was there before"
    )
  }

  /// Another program's file that could not be put back.
  fileprivate static func keptApart(_ name: String, _ path: String, _ error: SystemError) -> DocumentNotice {
    .line(
      "\(name): merged, but what another program had put there meanwhile is at \(path): \(ArtError(error, cannot: "replace", name).cause)"
    )
  }

  fileprivate static func foreignLeftover(_ path: String) -> DocumentNotice {
    .line("\(path) looks like what a merge has left, but no merge of yours has made it; it is left alone")
  }
}

extension ArtError {
  /// A conflict copy that is not as it was merged.
  fileprivate static func changedSinceMerge(_ name: String) -> ArtError {
    ArtError(.movedOn, "\(name) has changed since it was merged, and stays; merge it again", about: name)
  }

  /// A file that somebody else has put in the place of the one that a program knows.
  static func takenOver(_ code: Code, _ name: String, by owner: uid_t) -> ArtError {
    ArtError(
      code,
      "another user (\(owner)) has put another file at \(name), into which nothing is written; move it away, and put the original one back",
      about: name)
  }

  /// A copy that is not merged unless a user names it.
  fileprivate static func untrusted(_ name: String, _ why: String) -> ArtError {
    ArtError(
      .notPermitted, "\(name) is not merged by itself, because \(why)", about: name, remedy: .mergeCopy)
  }
}

extension [UInt8] {
  /// The digest of the bytes.
  var digest: String { withUnsafeBufferPointer { ContentDigest.of($0) } }
  /// A short mark of the bytes, for names of files.
  var mark: String { withUnsafeBufferPointer { ContentDigest.mark(of: $0) } }
}
