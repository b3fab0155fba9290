// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// A document's file that is held open: what it holds can be read when another file has taken its path.
public final class HeldFile: Sendable {
  /// The file.
  public let identity: FileIdentity
  /// Whether somebody else has put it in the place of the one that was held before, and it is to get nothing of what that one has.
  package let isTakenOver: Bool
  private let descriptor: Int32
  private let path: String
  /// The time of its last change when it was opened.
  private let modified: timespec

  /// Opens the file at a path; nil if no regular file is there. Throws `inputOutput`, `notPermitted`.
  public convenience init?(_ path: String) throws(ArtError) { try self.init(path, at: path) }

  /// The same for a file that is at `place` in this process; messages name it by its path.
  init?(
    _ path: String, at place: String, isTakenOver: ((FileRights) throws(ArtError) -> Bool)? = nil
  ) throws(ArtError) {
    let descriptor = open(place, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ELOOP { return nil }
      throw .document("open", path)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      PlainFile.close(descriptor)
      return nil
    }
    do throws(ArtError) {
      self.isTakenOver = try isTakenOver?(try FileRights(of: descriptor, status, name: path)) ?? false
    } catch {
      PlainFile.close(descriptor)
      throw error
    }
    (self.path, self.descriptor) = (path, descriptor)
    identity = FileIdentity(status)
    modified = status.st_mtim
  }

  /// Gives the file the time of now if it was given an earlier one since it was opened.
  ///
  /// A program that carries files renames its file into place, and then sets that file's time by the path. If another file has come there in
  /// between, that one gets the time, and the program takes it for its own from then on. Throws `inputOutput`, `notPermitted`.
  public func renewTime() throws(ArtError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system("look at", path) }
    let found = status.st_mtim
    guard (found.tv_sec, found.tv_nsec) < (modified.tv_sec, modified.tv_nsec) else { return }
    guard futimens(descriptor, nil) == 0 else { throw .system("set the time of", path) }
  }

  deinit { PlainFile.close(descriptor) }

  /// Its permissions. Throws `inputOutput`.
  func rights() throws(ArtError) -> FileRights { try FileRights(of: descriptor, name: path) }

  /// The digest of what it holds. Throws `inputOutput`.
  func digest() throws(ArtError) -> String { try PlainFile.digest(descriptor, name: path) }

  /// What it holds. Throws `tooLarge`, `inputOutput`.
  func bytes() throws(ArtError) -> [UInt8] {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system("read", path) }
    guard status.st_size <= Format.largestFile else { throw .tooLargeFile(path) }
    return try PlainFile.read(descriptor, count: Int(status.st_size), name: path)
  }
}

extension HeldFile {
  /// Why the file is not merged automatically into a document beside it that has these rights; nil if it is.
  ///
  /// A file is merged if its owner and its writers may write to the document, and if all readers of the document may read it. A neighbour who
  /// may not write to a document cannot change it by a file beside it, and a private file does not become public by its name.
  func distrust(beside document: FileRights) throws(ArtError) -> String? {
    let status: FileStatus
    do throws(SystemError) { status = try FileStatus(of: descriptor) } catch {
      throw ArtError(error, cannot: "look at", path)
    }
    let rights = try rights()
    guard !rights.isForeign(to: document) else { return "it belongs to another user (\(rights.owner))" }
    // Another name of a private file would make that public.
    guard status.raw.st_nlink == 1 else { return "it has \(status.raw.st_nlink) names (hard links)" }
    let writers = rights.mode & (S_IWGRP | S_IWOTH)
    guard writers & ~document.mode == 0, writers & S_IWGRP == 0 || rights.group == document.group else {
      return "others may write to it, who may not write to the document"
    }
    return document.isReadable(onlyWhere: rights) ? nil : Self.hasMoreReaders
  }

  /// Why a private copy is not merged into a document.
  static let hasMoreReaders = "some users may read the document who may not read this copy"

  /// Keeps what it holds in the state folder, and returns the path. Throws what reading and writing throw.
  public func setAside() throws(ArtError) -> String {
    try Quarantine.kept.store(try bytes(), as: FilePath(path).name)
  }

  /// Whether the state folder keeps it already, as that of a document that was repaired since.
  public func isSetAside() throws(ArtError) -> Bool {
    try Quarantine.kept.holds(try bytes(), as: FilePath(path).name)
  }
}

extension DocumentFile {
  /// Merges what a file held that was at this path before into the document that is there now. Nil if another document has taken the path.
  /// Throws `damaged`, `notADocument` and `newerFormat` for a held file that cannot be merged: a program may be writing it. Throws
  /// `notPermitted` where `distrust(after:)` says why, and what else `merge` throws.
  public func merge(_ replaced: HeldFile) throws(ArtError) -> MergeOutcome? {
    try merge(try replaced.bytes(), of: try replaced.rights())
  }

  /// The same for the bytes of that file, which had these rights.
  func merge(_ replaced: [UInt8], of rights: FileRights) throws(ArtError) -> MergeOutcome? {
    let copy = try copy(of: replaced)
    guard try base().id == copy.content.id else { return nil }
    return try merge([copy], after: rights) { (_) throws(ArtError) in }
  }

  /// The document's file, held open. `former` is given back if it holds that file already. Nil if the file cannot be opened.
  public func hold(_ former: HeldFile?) -> HeldFile? {
    do throws(ArtError) {
      let path = try locate().path
      if let former, former.identity == FileIdentity(at: path.string) { return former }
      guard let former else { return try HeldFile(path.string) }
      return try HeldFile(path.string, at: path.string) { (rights) throws(ArtError) in
        try isTakenOver(rights, from: try former.rights())
      }
    } catch {
      return nil
    }
  }

  /// Why the file at the path gets nothing of what a former one holds; nil if it may.
  public func distrust(after former: HeldFile) throws(ArtError) -> ArtError? {
    guard let rights = try HeldFile(try locate().path.string)?.rights() else { return nil }
    return try isTakenOver(rights, from: try former.rights())
      ? .takenOver(.notPermitted, path, by: rights.owner) : nil
  }

  /// Throws `replaced` if the file that is open in a transaction has taken over the place of `former`.
  func refuseTakenOver(_ transaction: DocumentTransaction, after former: HeldFile?) throws(ArtError) {
    guard let former else { return }
    let descriptor = transaction.connection.descriptor
    let identity: FileIdentity
    do throws(SystemError) { identity = try FileStatus(of: descriptor).identity } catch {
      throw ArtError(error, cannot: "look at", name)
    }
    guard identity != former.identity else { return }
    let rights = try FileRights(of: descriptor, name: name)
    if try isTakenOver(rights, from: try former.rights()) {
      throw .takenOver(.replaced, path, by: rights.owner)
    }
  }

  /// Whether a file that has come to the path is somebody else's, and has readers whom the former one did not have.
  func isTakenOver(_ rights: FileRights, from former: FileRights) throws(ArtError) -> Bool {
    guard rights.isForeign(to: former) else { return false }
    guard rights.isReadable(onlyWhere: former) else { return true }
    // Its owner may be of the former file's group, unless the folder gives its group to everybody's files.
    let folder = try locate().path.folder
    let status: FileStatus
    do throws(SystemError) { status = try FileStatus(at: folder) } catch {
      throw ArtError(error, cannot: "look at", folder)
    }
    let isInGroup =
      former.mode & S_IRGRP != 0 && former.group == rights.group && status.raw.st_mode & S_IWOTH == 0
    return former.mode & S_IROTH == 0 && !isInGroup
  }

  /// Merges what was saved in a file that was at this path before, and returns the file that is there now. Throws `replaced` if another document
  /// is at the path, `parted` also if nothing of the state can be read, and what `merge` throws.
  public func merge(_ replaced: ReplacedState) throws(ArtError) -> HeldFile? {
    let copies = try copies(of: replaced)
    guard let id = copies.first?.content.id else {
      throw ArtError(.parted, "the file that was at \(path) before cannot be read", about: path)
    }
    guard try base().id == id else { throw .replaced(path) }
    // Of a file that was never held nothing is known.
    let rights = try replaced.file.map { (file) throws(ArtError) in try file.rights() } ?? .ownersOnly
    return try merge(copies, after: rights) { (_) throws(ArtError) in }.held
  }

  /// Keeps such a state in the state folder, in one file or two. Returns their paths; none where it cannot be kept, which is a notice.
  public func setAside(_ replaced: ReplacedState) -> [String] {
    do throws(ArtError) {
      var copies = try copies(of: replaced)
      if copies.count == 2, let merged = try merged(copies[0], copies[1]) { copies = [merged] }
      var kept: [String] = []
      if copies.isEmpty, let file = replaced.file { kept.append(try file.setAside()) }
      for var copy in copies {
        try copy.removeLostBackground(at: WallClock.milliseconds())
        let bytes = if let bytes = copy.file?.bytes() { bytes } else { try copy.canonicalFile().bytes }
        kept.append(try Quarantine.kept.store(bytes, as: FilePath(path).name))
      }
      return kept
    } catch {
      notice(
        .line("\(path) lacks edits that were saved, and what had them cannot be kept: \(error.cause)"))
      return []
    }
  }

  /// What is known of the state: the file's copy, and the content if the file has not the same.
  private func copies(of replaced: ReplacedState) throws(ArtError) -> [DocumentCopy] {
    let file: DocumentCopy?
    do throws(ArtError) {
      file = try replaced.file.flatMap { (file) throws(ArtError) in try copy(of: try file.bytes()) }
    } catch {
      // What is in memory has all edits.
      file = nil
    }
    guard let content = replaced.content else { return [file].compactMap(\.self) }
    guard let file, file.content.id == content.id else { return [DocumentCopy(content, named: name)] }
    // The file may have been replaced before it was held.
    return DocumentBase(file.content) == DocumentBase(content)
      ? [file] : [file, DocumentCopy(content, named: name)]
  }

  /// Both copies in one; nil if they have parted.
  private func merged(_ copy: DocumentCopy, _ other: DocumentCopy) throws(ArtError) -> DocumentCopy? {
    var merged = copy
    do throws(ArtError) { _ = try merged.merge(other) } catch {
      guard error.code == .parted else { throw error }
      return nil
    }
    return merged
  }
}
