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
    guard let others else { return try mergeFound(file, keepingCopies: keepsCopies, isByValue: isByValue) }
    try recovery.restoreFirst(file)
    var result = Result(outcome: try file.merge(others, isByValue: isByValue))
    guard !keepsCopies else { return result }
    // A named conflict copy is merged, also another user's, which stays.
    for (other, part) in zip(others, result.outcome.parts)
    where ConflictCopy(other.path)?.isCopy(of: file) ?? false {
      do throws(ArtError) {
        if try file.distrust(of: other) == nil { result.setAside(other, part, of: file) }
      } catch {
        result.kept.append(error)
      }
    }
    return result
  }

  /// The result of a merge of two copies that were made from one.
  public struct ThreeWayResult: Sendable {
    /// The merge.
    public let merge: Result
    /// The number of edits of the ancestor that one of the copies was without.
    public let leftOut: Int
    /// Those that were taken back; nil if none was.
    public let undone: UndoRun?
  }

  /// Merges a copy into a document like a merge driver of git: edits that their common ancestor has and one of them lacks are taken back.
  /// git asks for that when it reverts a commit, drops one, or picks one without those before it. Throws as `merge` does.
  public func merge(
    _ file: DocumentFile, _ other: DocumentFile, from ancestor: DocumentFile
  ) throws(ArtError) -> ThreeWayResult {
    let leftOut = try Self.edits(of: ancestor, lackedBy: file).union(
      Self.edits(of: ancestor, lackedBy: other))
    let result = try merge(file, [other], keepingCopies: true)
    let undone = leftOut.isEmpty ? nil : try FileEditing(file, by: recovery).takeBack(leftOut)
    return ThreeWayResult(merge: result, leftOut: leftOut.count, undone: undone?.run)
  }

  /// The edits of a copy that another one lacks; none where their logs do not tell.
  private static func edits(
    of copy: DocumentFile, lackedBy other: DocumentFile
  ) throws(ArtError) -> Set<EditID> {
    do throws(ArtError) {
      return Set(try other.previewMerge([copy]).parts.flatMap(\.report.newEdits))
    } catch {
      switch error.code {
      // Where both have added the document, git gives an empty ancestor.
      case .notADocument, .damaged, .newerFormat, .badValue, .parted: return []
      default: throw error
      }
    }
  }

  private func mergeFound(
    _ file: DocumentFile, keepingCopies keepsCopies: Bool, isByValue: Bool
  ) throws(ArtError) -> Result {
    let found = try found(beside: file)
    try recovery.restoreFirst(file)
    var result = Result(outcome: try file.merge(found: found.copies, isByValue: isByValue), kept: found.kept)
    guard !keepsCopies else { return result }
    for (copy, part) in zip(found.copies, result.outcome.parts) { result.setAside(copy, part, of: file) }
    return result
  }

  /// What a merge would bring; nothing is changed. Unsaved edits of programs that have ended do not count. Throws as `merge` does.
  public func preview(
    _ file: DocumentFile, _ others: [DocumentFile]? = nil, isByValue: Bool = false
  ) throws(ArtError) -> Result {
    try ConflictCopy.refuseEdits(of: file)
    guard let others else {
      let found = try found(beside: file)
      return Result(
        outcome: try file.previewMerge(found.copies, isByValue: isByValue), kept: found.kept)
    }
    return Result(outcome: try file.previewMerge(others, isByValue: isByValue))
  }

  /// The conflict copies that are merged without being named, and why others stay.
  private func found(
    beside file: DocumentFile
  ) throws(ArtError) -> (copies: [DocumentFile], kept: [ArtError]) {
    // The document's own error first.
    _ = try file.base()
    let found = try ConflictCopy.found(beside: file)
    // What a killed merge has left is merged, too.
    let hasLeftovers = try file.hasLeftovers()
    guard !found.own.isEmpty || hasLeftovers else {
      guard let error = found.kept.first else {
        throw ArtError(
          .noSuchDocument, "no conflict copies beside \(file.path); name the copy to merge", about: file.path)
      }
      guard error.remedy == .mergeCopy else { throw error }
      // A file of another user must not make each later merge fail.
      throw ArtError(
        .noSuchDocument, "no conflict copies of yours beside \(file.path): \(error.cause)",
        about: error.subject,
        remedy: .mergeCopy)
    }
    let copies = found.own.map { copy in
      var other = DocumentFile(copy.path, timeout: file.timeout, notice: file.notice)
      other.name = FilePath(file.name).prefix + FilePath(copy.path).name
      return other
    }
    return (copies, found.kept)
  }
}

extension Merging.Result {
  fileprivate mutating func setAside(_ copy: DocumentFile, _ part: MergeOutcome.Part, of file: DocumentFile) {
    do throws(ArtError) {
      try copy.setAside(part, of: file)
      removed.append(copy.name)
    } catch {
      kept.append(error)
    }
  }
}
