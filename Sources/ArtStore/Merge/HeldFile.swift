// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// A document's file that is held open: what it holds can be read when another file has taken its path.
public final class HeldFile: Sendable {
  /// The file.
  public let identity: FileIdentity
  private let descriptor: Int32
  private let path: String
  /// The time of its last change when it was opened.
  private let modified: timespec

  /// Opens the file at a path; nil if no regular file is there. Throws `inputOutput`, `notPermitted`.
  public init?(_ path: String) throws(ArtError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ELOOP { return nil }
      throw .document("open", path)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      PlainFile.close(descriptor)
      return nil
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

  /// What it holds. Throws `tooLarge`, `inputOutput`.
  func bytes() throws(ArtError) -> [UInt8] {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system("read", path) }
    guard status.st_size <= Format.largestFile else { throw .tooLargeFile(path) }
    return try PlainFile.read(descriptor, count: Int(status.st_size), name: path)
  }
}

extension HeldFile {
  /// Keeps what it holds in the state folder, and returns the path. Throws what reading and writing throw.
  public func setAside() throws(ArtError) -> String {
    try StateFolder.quarantine(try bytes(), as: FilePath(path).name)
  }
}

extension DocumentFile {
  /// Merges what a file held that was at this path before into the document that is there now. Nil if another document has taken the path.
  /// Throws `damaged`, `notADocument` and `newerFormat` for a held file that cannot be merged: a program may be writing it. Throws what else
  /// `merge` throws.
  public func merge(_ replaced: HeldFile) throws(ArtError) -> MergeOutcome? {
    try merge(try replaced.bytes())
  }

  /// The document's file, held open. `former` is given back if it holds that file already. Nil if the file cannot be opened.
  public func hold(_ former: HeldFile?) -> HeldFile? {
    do throws(ArtError) {
      let path = try locate().path
      if let former, former.identity == FileIdentity(at: path) { return former }
      return try HeldFile(path)
    } catch {
      return nil
    }
  }

  /// Merges what an open document had saved in a file that was at this path before: its content, and what the file held, which has the pictures
  /// and the edits that have left the log. A file that cannot be read brings nothing. Throws what `merge` throws.
  public func merge(_ content: DocumentContent, of held: HeldFile?) throws(ArtError) {
    _ = try merge(try copies(content, of: held)) { (_) throws(ArtError) in }
  }

  /// Keeps the same in a document in the state folder. Tells where it is, or why it cannot be kept.
  public func setAside(_ content: DocumentContent, of held: HeldFile?) {
    do throws(ArtError) {
      var copies = try copies(content, of: held)
      var copy = copies.removeFirst()
      for other in copies { _ = try copy.merge(other, isByValue: true) }
      try copy.removeLostBackground(at: WallClock.milliseconds())
      let kept = try StateFolder.quarantine(try copy.canonicalFile().bytes, as: FilePath(path).name)
      notice(
        .line(
          "\(path) has been replaced by a state without edits that were saved; these cannot be merged, and are in \(kept)"
        ))
    } catch {
      notice(
        .line(
          "\(path) has been replaced by a state without edits that were saved; these cannot be merged or kept: \(error.cause)"
        ))
    }
  }

  private func copies(_ content: DocumentContent, of held: HeldFile?) throws(ArtError) -> [DocumentCopy] {
    let copy = try held.flatMap { (held) throws(ArtError) in try readable(held) }
    // The file may have been replaced before it was held.
    guard let copy, copy.content.id == content.id else { return [DocumentCopy(content, named: name)] }
    return DocumentBase(copy.content) == DocumentBase(content)
      ? [copy] : [copy, DocumentCopy(content, named: name)]
  }

  /// The copy that a held file has; nil if it has none. Throws `inputOutput`.
  private func readable(_ held: HeldFile) throws(ArtError) -> DocumentCopy? {
    do throws(ArtError) { return try copy(of: try held.bytes()) } catch {
      switch error.code {
      case .notADocument, .damaged, .newerFormat, .tooLarge: return nil
      default: throw error
      }
    }
  }

  /// The same for the bytes of that file.
  func merge(_ replaced: [UInt8]) throws(ArtError) -> MergeOutcome? {
    let copy = try copy(of: replaced)
    guard try base().id == copy.content.id else { return nil }
    return try merge([copy]) { (_) throws(ArtError) in }
  }
}
