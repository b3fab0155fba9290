// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

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
    if let quick = QuickLook(self) {
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
