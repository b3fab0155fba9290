// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem

/// Merges copies of a document into it, and takes away the conflict copies that have served.
///
///     copies ──read──▶ merged into the document, durably ──▶ conflict copies, unchanged since: set aside in the state folder, then removed
///                                                       └──▶ other copies, and those that have changed: stay
public struct Merging: Sendable {
  private let recovery: Recovery

  /// Merges for a program whose author and notices are those of `recovery`.
  public init(by recovery: Recovery) { self.recovery = recovery }

  /// The result of a merge.
  public struct Result: Sendable {
    /// What the copies brought, and the document.
    public let outcome: MergeOutcome
    /// The conflict copies that were removed.
    public internal(set) var removed: [String] = []
    /// The conflict copies that stay, because they cannot be read, have changed meanwhile, or cannot be removed, and why.
    public internal(set) var kept: [ArtError] = []
  }

  /// Merges copies into a document. Without `others`, its conflict copies. `keepsCopies` leaves these where they are; `isByValue` merges copies
  /// by value that have parted.
  ///
  /// Orphaned journals of the document are restored first. Throws `badValue` if the document is a conflict copy itself, `noSuchDocument` if no
  /// copies are given and there is nothing to merge, what restoring and `DocumentFile.merge` throw; then nothing is changed.
  public func merge(
    _ file: DocumentFile, _ others: [DocumentFile]? = nil, keepingCopies keepsCopies: Bool = false,
    isByValue: Bool = false
  ) throws(ArtError) -> Result {
    try ConflictCopy.refuseEdits(of: file)
    let copies = try copies(others, of: file)
    try recovery.restoreFirst(file)
    let outcome = try file.merge(copies, isByValue: isByValue)
    var result = Result(outcome: outcome)
    if others == nil { result.kept = try ConflictCopy.unreadable(of: file) }
    guard !keepsCopies else { return result }
    for (other, part) in zip(copies, outcome.parts) where ConflictCopy(other.path)?.document == file.path {
      do throws(ArtError) {
        try other.setAside(part)
        result.removed.append(other.name)
      } catch {
        result.kept.append(error)
      }
    }
    return result
  }

  /// What a merge would bring; nothing is changed. Unsaved edits of programs that have ended do not count. Throws as `merge` does.
  public func preview(
    _ file: DocumentFile, _ others: [DocumentFile]? = nil, isByValue: Bool = false
  ) throws(ArtError) -> Result {
    try ConflictCopy.refuseEdits(of: file)
    return Result(outcome: try file.previewMerge(try copies(others, of: file), isByValue: isByValue))
  }

  private func copies(_ others: [DocumentFile]?, of file: DocumentFile) throws(ArtError) -> [DocumentFile] {
    if let others { return others }
    // The document's own error first.
    _ = try file.base()
    let found = try ConflictCopy.all(of: file)
    // What a killed merge has left is merged, too.
    let hasLeftovers = try file.hasLeftovers()
    guard !found.isEmpty || hasLeftovers else {
      if let error = try ConflictCopy.unreadable(of: file).first { throw error }
      throw ArtError(
        .noSuchDocument, "no conflict copies beside \(file.path); name the copy to merge", about: file.path)
    }
    return found.map { copy in
      var other = DocumentFile(copy.path, timeout: file.timeout, notice: file.notice)
      other.name = FilePath(file.name).prefix + FilePath(copy.path).name
      return other
    }
  }
}
