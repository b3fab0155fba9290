// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A document with the edits of programs that are gone, as restoring them would make it.
public struct DocumentPreview: Sendable {
  /// The document with them.
  public fileprivate(set) var content: DocumentContent
  /// What would become of the edits of each journal that was taken in.
  public fileprivate(set) var reports: [RestoreReport] = []
  /// Why others were not.
  public fileprivate(set) var kept: [ArtError] = []
}

extension DocumentFile {
  /// Reads the document with the edits of programs that are gone, and writes nothing. They are the caller's to have found
  /// to be this document's. A journal that is damaged is not taken in. Throws what `read` and reading a journal throw.
  public func read(
    with journals: [OrphanedJournal], restoredBy author: Author
  ) throws(ArtError) -> DocumentPreview {
    var all: [JournalContents] = []
    for journal in journals { all.append(try journal.contents()) }
    return try read(whole: true) { (transaction) throws(ArtError) in
      var author = author
      var shown = DocumentPreview(content: try transaction.load())
      for (contents, journal) in zip(all, journals) {
        if let damage = contents.damage {
          shown.kept.append(.damagedJournal(path, damage))
          continue
        }
        let edits = try RemainingEdits(
          contents, in: transaction, holding: shown.content.log, of: path)
        let plan = try RestorePlan(edits.entries, on: shown.content)
        let stamp = author.stamp(at: journal.modified)
        for part in plan.parts {
          try shown.content.apply(part, stamp.on(behalfOf: part.stamp, as: part.stamp.id.ofRestore))
        }
        let revision = shown.content.revision
        shown.reports.append(edits.report(of: plan, in: contents, journal, revision: revision))
      }
      return shown
    }
  }

  /// The summary of the document as it is shown.
  public func summary(of shown: DocumentPreview) throws(ArtError) -> DocumentSummary {
    let summary = try summary()
    return DocumentSummary(
      emojiCount: shown.content.emojiCount, revision: shown.content.revision, size: summary.size,
      modified: summary.modified)
  }
}

extension DocumentContent {
  /// Becomes what a part of a plan comes to, with the entry in its log that restoring writes.
  mutating func apply(_ part: RestorePlan.Part, _ stamp: EditStamp) throws(ArtError) {
    let applied = try apply(part.edit.changes, at: stamp.time)
    guard !applied.changes.isEmpty || !part.dropped.isEmpty || !stamp.tags.isEmpty else { return }
    append(
      LoggedEdit(
        stamp, revision: revision + 1, save: revision + 1,
        edit: Edit(name: part.edit.name, changes: applied.changes), inverse: applied.inverse,
        dropped: applied.dropped + part.dropped))
  }
}
