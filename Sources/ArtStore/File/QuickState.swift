// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// The row of `art`, read from the first two pages of the file without SQLite: `art` is the first table, and
/// its one row is on page 2. The row is verified against its sum, and the file's size against its header; the
/// content is not verified.
struct QuickState {
  let status: stat
  let art: ArtRow

  /// Nil if the file is unusual, damaged, or being written. Read it through SQLite then.
  init?(_ file: DocumentFile) {
    // Without a journal before and after, the pages that were read were committed.
    guard !Self.hasJournal(file) else { return nil }
    var status = stat()
    // If the header is invalid, `read` reports the fault.
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

  /// The first two pages of a regular file, by plain system calls; nil if there are none.
  private static func firstPages(of document: DocumentFile, _ status: inout stat) -> [UInt8]? {
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
    let file =
      document.followsLinks
      ? open(document.path, flags | O_CLOEXEC) : PlainPath.open(document.path, flags)
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
  /// The document's state, read as fast as for a list: from the row of `art` alone if possible, else by
  /// reading the whole document. Throws what `read` throws.
  public func quickBase() throws(ArtError) -> DocumentBase { try quickState().state.base }

  /// The same of all that the file holds, with the pending background.
  public func quickState() throws(ArtError) -> (state: FileState, pending: PendingBackground?) {
    // If a link is not allowed, `read` reports it.
    let real = followsLinks ? nil : try realPath()
    guard real.map(acceptsResolvedPath) ?? true, let art = QuickState(self)?.art else {
      return try read { (transaction) throws(ArtError) in
        let content = try transaction.load()
        return (FileState(transaction.art), content.pending)
      }
    }
    return (FileState(art), art.pending)
  }
}

// MARK: - Summaries

/// What a list shows of a document: the counts in the row of `art`. The row is verified against its sum; the
/// content is not verified.
public struct DocumentSummary: Sendable, Equatable {
  /// The number of emoji.
  public let emojiCount: Int
  /// The number of edits the document has seen.
  public let revision: Int
  /// The size of the file, in bytes.
  public let size: Int
  /// When the file was last written, in seconds since 1970.
  public let modified: Int
}

extension DocumentFile {
  /// Reads the summary. Usually two pages of the file are enough; a document that is being written or is
  /// unusual is read through SQLite. Throws what `read` throws.
  public func summary() throws(ArtError) -> DocumentSummary {
    if let quick = QuickState(self) {
      return DocumentSummary(quick.status, emojiCount: quick.art.emojiCount, revision: quick.art.revision)
    }
    let file = try locate()
    let (emojiCount, revision) = try read { (transaction) throws(ArtError) in
      (transaction.emojiCount, transaction.revision)
    }
    var status = stat()
    guard lstat(file.path.string, &status) == 0 else { throw .document("look at", name) }
    return DocumentSummary(status, emojiCount: emojiCount, revision: revision)
  }
}

extension DocumentSummary {
  fileprivate init(_ status: stat, emojiCount: Int, revision: Int) {
    self.init(
      emojiCount: emojiCount, revision: revision, size: Int(status.st_size), modified: status.st_mtim.tv_sec)
  }
}
