// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// A document's own row by two pages of its file, without SQLite: `art` is the first table, its one row lies on page 2.
/// The row is verified against its sum, and the file is as long as it should be; the content is not looked at.
struct QuickState {
  let status: stat
  let art: ArtRow

  /// Nil for a file that is not as it should be, or is being written: it is then to be read with care.
  init?(_ file: DocumentFile) {
    // Looked for before and after: pages that were read while no save was under way had been committed.
    guard !Self.hasJournal(file) else { return nil }
    var status = stat()
    // A header that is not as it should be is looked at again by `read`, which says what is wrong.
    guard let start = Self.firstPages(of: file, &status),
      let header = try? FileHeader(
        Array(start.prefix(FileHeader.length)), size: Int(status.st_size), name: file.name),
      !header.isWAL, header.isPlain, header.wholeSize == Int(status.st_size),
      let art = LeafPage(Array(start[Format.pageSize...])).flatMap({ ArtRow(onlyRowOf: $0) })
    else { return nil }
    guard !Self.hasJournal(file) else { return nil }
    self.status = status
    self.art = art
  }

  private static func hasJournal(_ file: DocumentFile) -> Bool {
    var status = stat()
    return lstat(file.path + "-journal", &status) == 0 || errno != ENOENT
  }

  /// Two pages of a regular file, by plain system calls; nil when they are not there.
  private static func firstPages(of document: DocumentFile, _ status: inout stat) -> [UInt8]? {
    let file = open(document.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { PlainFile.close(file) }
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let wanted = 2 * Format.pageSize
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
      filled = max(0, pread(file, buffer.baseAddress, wanted, 0))
    }
    return bytes.count == wanted ? bytes : nil
  }
}

extension DocumentFile {
  /// The state that the file is in, by the document's own row alone, as fast as a list reads it: for hundreds of documents.
  /// What is not as it should be is read as a whole. Throws what `read` throws.
  public func quickBase() throws(ArtError) -> DocumentBase { try quickState().base }

  /// The same, with the background that is still to be fetched.
  public func quickState() throws(ArtError) -> (base: DocumentBase, pending: PendingBackground?) {
    // What is wrong with a link is said by `read`.
    let real = followsLinks ? nil : try realPath()
    guard real.map(acceptsResolvedPath) ?? true, let art = QuickState(self)?.art else {
      let content = try read()
      return (DocumentBase(content), content.pending)
    }
    return (DocumentBase(id: art.id, revision: art.revision, head: art.head), art.pending)
  }
}

/// What a list tells of a document: its counts, as its own row has them. The row is verified against its sum, the
/// content is not looked at.
public struct DocumentSummary: Sendable, Equatable {
  /// Emoji in it.
  public let emojiCount: Int
  /// The count of edits that it has seen.
  public let revision: Int
  /// Bytes of the file.
  public let size: Int
  /// When the file was last written, in seconds since 1970.
  public let modified: Int
}

extension DocumentFile {
  /// Reads the summary. Two pages of the file are enough as a rule; a document that is being written, and what is not as
  /// it should be, is read through SQLite. Throws what `read` throws.
  public func summary() throws(ArtError) -> DocumentSummary {
    if let quick = QuickState(self) {
      return DocumentSummary(quick.status, emojiCount: quick.art.emojiCount, revision: quick.art.revision)
    }
    let file = try locate()
    let (emojiCount, revision) = try read { (transaction) throws(ArtError) in
      (transaction.emojiCount, transaction.revision)
    }
    var status = stat()
    guard lstat(file.path, &status) == 0 else { throw .document("look at", name) }
    return DocumentSummary(status, emojiCount: emojiCount, revision: revision)
  }
}

extension DocumentSummary {
  fileprivate init(_ status: stat, emojiCount: Int, revision: Int) {
    self.init(
      emojiCount: emojiCount, revision: revision, size: Int(status.st_size), modified: status.st_mtim.tv_sec)
  }
}
