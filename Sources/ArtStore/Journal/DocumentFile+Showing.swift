// SPDX-License-Identifier: Apache-2.0

import ArtModel

extension DocumentFile {
  /// Reads the document with the edits of programs that are gone, as it would be after restoring them, and writes
  /// nothing. They are the caller's to have found to be this document's. Throws what `read` throws, and what `restore`
  /// throws about a journal.
  public func read(
    with journals: [DeadJournal], restoredBy author: Author
  ) throws(ArtError) -> (content: DocumentContent, reports: [RestoreReport]) {
    var all: [JournalContents] = []
    for journal in journals {
      let contents = try journal.contents()
      if let damage = contents.damage { throw .damagedJournal(path, damage) }
      all.append(contents)
    }
    return try read { (transaction) throws(ArtError) in
      var author = author
      var content = try transaction.load()
      var reports: [RestoreReport] = []
      for (contents, journal) in zip(all, journals) {
        let edits = try RemainingEdits(contents, in: transaction, of: path)
        let plan = try RestorePlan(edits.entries, on: content)
        let stamp = author.stamp(at: journal.modified).on(behalfOf: contents.head?.author)
        try content.take(plan, stamp)
        reports.append(edits.report(of: plan, in: contents, journal, revision: content.revision))
      }
      return (content, reports)
    }
  }
}

extension DocumentContent {
  /// Becomes what the plan comes to, with the entry in its log that restoring writes.
  mutating func take(_ plan: RestorePlan, _ stamp: EditStamp) throws(ArtError) {
    let applied = try apply(plan.edit.changes)
    guard !applied.changes.isEmpty || !plan.dropped.isEmpty else { return }
    append(
      LoggedEdit(
        id: stamp.id, revision: revision + 1, time: stamp.time, save: revision + 1, kind: .edit,
        author: stamp.author, edit: Edit(name: plan.edit.name, changes: applied.changes),
        inverse: applied.inverse, dropped: applied.dropped + plan.dropped))
  }
}
