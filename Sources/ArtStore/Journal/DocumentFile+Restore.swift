// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// What became, or would become, of the edits of a program that is gone.
public struct RestoreReport: Sendable, Equatable {
  /// The names of its users, if given.
  public let author: String?
  /// When the journal was last written, in milliseconds since 1970.
  public let modified: Int
  /// How many edits no save held.
  public let edits: Int
  /// How many changes they came to.
  public let changes: Int
  /// Changes that were left out, because somebody had set the field since. The history keeps them.
  public let dropped: [Change]
  /// The document's revision with them.
  public let revision: Int
  /// What of the journal could not be read, and is not in it.
  public let damage: String?
  /// Whether it takes more room than the log has: the next edit takes it out of the log, and no undo takes it back then.
  public var isBeyondLog = false

  /// What a person is to know then.
  public func beyondLog(of document: String) -> String {
    "\(document): what was restored takes more room than the history has: after the next edit it cannot be undone"
  }
}

/// How far a restore has come. A kill behind any of these leaves what the next restore finishes.
enum RestoreStep: CaseIterable {
  /// The edits are in the file, with how far the journal is.
  case saved
  /// The segments are unlinked, durably.
  case segmentsRemoved
  /// The document knows of no journal any more.
  case forgotten
}

extension DocumentFile {
  /// Brings the edits of a program that is gone into this document, of which the caller knows that it is theirs, and
  /// removes the journal. They come as one edit for each client, at the stamp's time, with the client's name, session and tags, and
  /// on top of what others have saved since: see `RestorePlan`. What is in the file already is not brought twice. Where it is not known
  /// that the journal's program is gone, the document goes on saying how far the journal is in it.
  ///
  /// Throws what `edit` throws, `damaged` for a journal that cannot be read to its end, and `replaced` when another
  /// document stands here: then nothing is changed, and the journal stays.
  public func restore(_ journal: OrphanedJournal, stamp: EditStamp) throws(ArtError) -> RestoreReport {
    try restore(journal, stamp: stamp) { (_) throws(ArtError) in }
  }

  /// The same; `reached` is told of each step, and may end the restore there.
  func restore(
    _ journal: OrphanedJournal, stamp: EditStamp, reached: (RestoreStep) throws(ArtError) -> Void
  ) throws(ArtError) -> RestoreReport {
    let contents = try journal.contents()
    if let damage = contents.damage { throw .damagedJournal(path, damage) }
    let report = try edit { (transaction) throws(ArtError) in
      let content = try transaction.load()
      let edits = try RemainingEdits(contents, in: transaction, holding: content.log, of: path)
      guard let last = edits.entries.last else {
        // What lies in the file may be in memory only, and the journal goes now.
        if edits.isKnown { try transaction.touch() }
        return edits.report(of: nil, in: contents, journal, revision: transaction.revision)
      }
      let plan = try RestorePlan(edits.entries, on: content)
      var bytes = 0
      for part in plan.parts {
        let entry = try transaction.write(part, stamp.on(behalfOf: part.stamp, as: part.stamp.id.ofRestore))
        bytes += entry.map(EditRow.size) ?? 0
      }
      try transaction.setSaved(journal.origin, upTo: last.id.sequence)
      var report = edits.report(of: plan, in: contents, journal, revision: transaction.revision)
      report.isBeyondLog = bytes > Format.logBytes
      return report
    }
    try reached(.saved)
    try journal.removeSegments()
    try reached(.segmentsRemoved)
    if journal.isEndKnown { try forget(journal.origin) }
    try reached(.forgotten)
    try journal.removeLock()
    return report
  }
}

extension OrphanedJournal {
  /// Removes the journal; the edits in it are lost, unless they are saved elsewhere. A document that knows of it
  /// forgets it; where that fails it is told there, and does no harm. Throws `inputOutput`, `notPermitted`.
  public func discard(knownTo document: DocumentFile?) throws(ArtError) {
    try removeSegments()
    if let document {
      do throws(ArtError) {
        try document.forget(origin)
      } catch {
        document.notice("\(document.path) still names a journal that is gone: \(error.message)")
      }
    }
    try removeLock()
  }
}

/// The edits of a journal that a document does not hold yet.
struct RemainingEdits {
  let entries: [LoggedEdit]
  /// Whether the document knows of the journal.
  let isKnown: Bool

  /// `log` is that of the document. Throws `replaced` when the journal is another document's.
  init(
    _ contents: JournalContents, in transaction: DocumentTransaction, holding log: [LoggedEdit],
    of path: String
  ) throws(ArtError) {
    guard let head = contents.head else {
      entries = []
      isKnown = false
      return
    }
    guard transaction.id == head.base.id else {
      throw .keptJournal(path, "another document stands there now", .replaced)
    }
    let saved = try transaction.savedSequence(of: head.origin)
    isKnown = saved != nil
    let last = max(saved ?? 0, log.restoredSequence(of: head.origin) ?? 0)
    entries = contents.entries.filter { $0.id.sequence > last }
  }

  func report(
    of plan: RestorePlan?, in contents: JournalContents, _ journal: OrphanedJournal, revision: Int
  ) -> RestoreReport {
    RestoreReport(
      author: contents.author, modified: journal.modified, edits: entries.count,
      changes: plan?.changeCount ?? 0, dropped: plan?.dropped ?? [], revision: revision,
      damage: contents.damage)
  }
}

extension DocumentTransaction {
  /// Makes what one client's edits come to and writes it into the log, also when all of it was dropped: the history keeps that, and
  /// the keys of its requests.
  fileprivate func write(_ part: RestorePlan.Part, _ stamp: EditStamp) throws(ArtError) -> LoggedEdit? {
    var applied = try set(part.edit.changes, at: stamp.time)
    applied.dropped += part.dropped
    guard !applied.changes.isEmpty || !applied.dropped.isEmpty || !stamp.tags.isEmpty else { return nil }
    return try log(part.edit.name, applied, kind: .edit, stamp)
  }
}

extension Origin {
  /// Under which the edits of this program's journal are restored: everybody makes the same one of it, so that the log tells
  /// how much of the journal it has, also to the program itself, if that lives after all.
  var ofRestores: Origin {
    Origin(lowBits: Array("restore \(self)".utf8).withUnsafeBytes(JournalLines.sum(of:)))
  }
}

extension EditID {
  /// The id of what is restored of a journal up to this edit of it.
  var ofRestore: EditID { EditID(origin: origin.ofRestores, sequence: sequence) }
}

extension Sequence<LoggedEdit> {
  /// The number of the last edit of that program's journal that a restore has brought, as far as the log tells.
  func restoredSequence(of origin: Origin) -> Int? {
    let restores = origin.ofRestores
    return lazy.filter { $0.id.origin == restores }.map(\.id.sequence).max()
  }
}
