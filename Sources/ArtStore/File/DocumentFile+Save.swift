// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CStore

/// The result of a save.
public struct SaveOutcome: Sendable {
  /// The state of the document after it.
  public let base: DocumentBase
  /// Set if others had saved since the base.
  public let rebased: RebasedSave?
  /// The digests of the stored pictures.
  public let pictures: Set<String>
  /// The file, held open; nil for a store without a file, and for a file that cannot be held.
  public let file: HeldFile?
}

/// A program's edits, rebased onto what others saved since its base.
public struct RebasedSave: Sendable {
  /// The document as it is stored now.
  public let content: DocumentContent
  /// The program's own edits in it.
  public let own: RebasedEdits
  /// The edits of the others.
  public let others: ExternalChange?
  /// The sequence number of the program's last edit that the document recorded as saved before; nil without a record.
  public let savedBefore: Int?
}

extension DocumentFile {
  /// Saves edits that were made in memory.
  ///
  /// If an earlier save reported an error but wrote them, they are found in the file and made durable, not
  /// written twice. If others have saved since the base, the edits are rebased onto theirs. With
  /// `isJournalled` the document records how far the edits' journal is saved.
  ///
  /// If the file no longer has the picture of a new background, that edit is rebased too, and makes the
  /// picture pending. If the file is replaced during the save, it is merged into the new one, with the edits as they are. Throws
  /// `replaced` if another document is at the path, `movedOn` if the document is in another state that lacks `edits.last`, and what `edit`
  /// throws; nothing is changed then.
  public func save(
    _ edits: NetEdits, isJournalled: Bool = false, holding former: HeldFile? = nil
  ) throws(ArtError) -> SaveOutcome {
    try save(edits, isJournalled: isJournalled, holding: former) {}
  }

  /// The same. `beforeCommit` runs on each attempt, after the edits are made and before they are committed.
  func save(
    _ edits: NetEdits, isJournalled: Bool = false, holding former: HeldFile? = nil, beforeCommit: () -> Void
  ) throws(ArtError) -> SaveOutcome {
    try edit { (transaction) throws(ArtError) in
      guard transaction.id == edits.base.id else { throw .replaced(path) }
      try refuseTakenOver(transaction, after: former)
      var rows = transaction
      let rebased = try edits.save(to: &rows, named: path) { (origin) throws(ArtError) in
        try transaction.savedSequence(of: origin)
      }
      if isJournalled, let last = edits.unsaved.last {
        try transaction.setSaved(last.origin, upTo: last.sequence)
      }
      // The commit counts only if this file, or a copy of it, is at the path then.
      let file = hold(former)
      beforeCommit()
      return SaveOutcome(
        base: transaction.base, rebased: rebased, pictures: try transaction.pictureDigests(), file: file)
    } orMerging: { (replaced) throws(ArtError) in
      try merge(replaced.connection, with: edits)
    }
  }

  /// The outcome of a save into a file that another one has replaced meanwhile. Edits made again would be other ones with the same ids, so
  /// the replaced file, which has them, is merged into the new one. Nil if that is impossible.
  private func merge(_ replaced: Connection, with edits: NetEdits) throws(ArtError) -> SaveOutcome? {
    do throws(ArtError) {
      let rights = try FileRights(of: replaced.descriptor, name: name)
      guard try merge(replaced.bytes(count: replaced.size, at: 0), of: rights) != nil else { return nil }
    } catch {
      switch error.code {
      case .parted, .damaged, .notADocument, .newerFormat: return nil
      default: throw error
      }
    }
    return try read { (transaction) throws(ArtError) in
      let content = try transaction.load()
      guard let others = edits.others(in: content) else { return nil }
      return SaveOutcome(
        base: transaction.base,
        rebased: RebasedSave(content: content, own: RebasedEdits(), others: others, savedBefore: nil),
        pictures: try transaction.pictureDigests(), file: hold(nil))
    }
  }
}

extension DocumentTransaction {
  /// The digests of the stored pictures.
  fileprivate func pictureDigests() throws(ArtError) -> Set<String> {
    Set(try storedPictures().map(\.digest))
  }
}
