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
  /// Whether the table of versions was read and has no rows.
  let hasNoVersions: Bool

  /// Looks at the table of versions, too, if that is asked for. Nil if the file is unusual, damaged, or being written. Read it through SQLite
  /// then.
  init?(_ file: DocumentFile, lookingForVersions isAsked: Bool = false) {
    // Without a journal before and after, the pages that were read were committed.
    guard !Self.hasJournal(file) else { return nil }
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
    let descriptor =
      file.followsLinks ? open(file.path, flags | O_CLOEXEC) : PlainPath.open(file.path, flags)
    guard descriptor >= 0 else { return nil }
    defer { PlainFile.close(descriptor) }
    var status = stat()
    // If the header is invalid, `read` reports the fault.
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let start = Self.pages(2, at: 0, of: descriptor),
      let header = try? FileHeader(
        Array(start.prefix(FileHeader.length)), size: Int(status.st_size), name: file.name),
      !header.isWAL, header.isPlain, header.wholeSize == Int(status.st_size),
      let art = LeafPage(Array(start[Format.pageSize...])).flatMap({ ArtRow(onlyRowOf: $0) })
    else { return nil }
    hasNoVersions = isAsked && Self.hasNoVersions(descriptor, Array(start.prefix(Format.pageSize)))
    guard !Self.hasJournal(file) else { return nil }
    self.status = status
    self.art = art
  }

  /// A row of `version` never goes, so an empty table was empty when the row of `art` was read, too.
  private static func hasNoVersions(_ file: Int32, _ first: [UInt8]) -> Bool {
    guard let root = LeafPage.root(of: "version", onFirst: first), root > 1,
      root <= Format.largestFile / Format.pageSize,
      let page = pages(1, at: (root - 1) * Format.pageSize, of: file)
    else { return false }
    // A leaf of a table without rowid, and its number of cells.
    return page[0] == 0x0A && page[3] == 0 && page[4] == 0
  }

  private static func hasJournal(_ file: DocumentFile) -> Bool {
    var status = stat()
    return lstat(file.path + "-journal", &status) == 0 || errno != ENOENT
  }

  /// Pages of a file by a plain system call; nil if they are not there whole.
  private static func pages(_ count: Int, at offset: Int, of file: Int32) -> [UInt8]? {
    let wanted = count * Format.pageSize
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
      filled = max(0, pread(file, buffer.baseAddress, wanted, off_t(offset)))
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

  /// What a watcher first knows of a document: its state, what is pending, and the names of its versions. SQLite reads it only if there are
  /// versions. Throws what `read` throws.
  package func firstLook() throws(ArtError) -> (
    base: DocumentBase, pending: PendingBackground?, versions: [String: String?]
  ) {
    // If a link is not allowed, `read` reports it.
    let real = followsLinks ? nil : try realPath()
    let quick = real.map(acceptsResolvedPath) ?? true ? QuickState(self, lookingForVersions: true) : nil
    if let quick, quick.hasNoVersions { return (FileState(quick.art).base, quick.art.pending, [:]) }
    return try read { (transaction) throws(ArtError) in
      // A file that cannot be read by its pages may be damaged.
      if quick == nil { _ = try transaction.load() }
      return (transaction.base, transaction.art.pending, try transaction.versionNames())
    }
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
