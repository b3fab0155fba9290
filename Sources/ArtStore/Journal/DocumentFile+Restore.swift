// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The result of restoring a journal, or of previewing that.
public struct RestoreReport: Sendable, Equatable {
  /// The names of the users who made the edits; nil if none was given.
  public let author: String?
  /// When the journal was last written, in milliseconds since 1970.
  public let modified: Int
  /// The number of edits that were not saved.
  public let edits: Int
  /// The number of changes of their net effect.
  public let changes: Int
  /// Changes that were left out, because another edit has set the field since. The log keeps them.
  public let dropped: [Change]
  /// The document's revision after it.
  public let revision: Int
  /// The damage that ended the reading of the journal; nil if there was none.
  public let damage: String?
  /// Whether the restored edits exceed the log's capacity. The next edit removes them from the log, and they
  /// cannot be undone then.
  public var isBeyondLog = false

  /// The notice for `isBeyondLog`.
  public func beyondLog(of document: String) -> String {
    "\(document): the restored edits take more room than the history has: after the next edit they cannot be undone"
  }
}

/// The steps of a restore. After a kill, the next restore finishes it.
enum RestoreStep: CaseIterable {
  /// The edits are in the file, and so is the record that they are.
  case saved
  /// The segments are unlinked, durably.
  case segmentsRemoved
  /// The document's record of the journal is removed.
  case forgotten
}

extension DocumentFile {
  /// Restores an orphaned journal that the caller knows to be this document's, and removes it.
  ///
  /// The edits become one edit for each client, at the stamp's time, with the client's name, session and
  /// tags, on top of what others have saved since: see `RestorePlan`. Edits that are in the file already are
  /// not applied twice. If it is not known that the journal's program has ended, the document keeps its
  /// record of the journal.
  ///
  /// Throws what `edit` throws, `damaged` for a journal that cannot be read to its end, and `replaced` if
  /// another document is at the path; then nothing is changed, and the journal stays.
  public func restore(_ journal: OrphanedJournal, stamp: EditStamp) throws(ArtError) -> RestoreReport {
    try restore(journal, stamp: stamp) { (_) throws(ArtError) in }
  }

  /// The same. `reached` is called after each step, and may end the restore by throwing.
  func restore(
    _ journal: OrphanedJournal, stamp: EditStamp, reached: (RestoreStep) throws(ArtError) -> Void
  ) throws(ArtError) -> RestoreReport {
    try journal.checkLocked()
    let contents = try journal.contents()
    if let damage = contents.damage { throw .damagedJournal(path, damage) }
    let report = try edit { (transaction) throws(ArtError) in
      let content = try transaction.load()
      let edits = try RemainingEdits(contents, in: transaction, holding: content.log, of: path)
      guard let last = edits.entries.last else {
        // What the file has may be in memory only, and the journal is removed next.
        if edits.isKnown { try transaction.touch() }
        return edits.report(of: nil, in: contents, journal, revision: transaction.revision)
      }
      let plan = try RestorePlan(edits.entries, on: content)
      var bytes = 0
      for part in plan.parts {
        let entry = try transaction.write(part, stamp.on(behalfOf: part.stamp, as: part.stamp.id.forRestore))
        bytes += entry?.logBytes ?? 0
      }
      try transaction.setSaved(journal.origin, upTo: last.id.sequence)
      var report = edits.report(of: plan, in: contents, journal, revision: transaction.revision)
      report.isBeyondLog = bytes > Format.logBytes
      return report
    }
    try reached(.saved)
    // The edits are in the file. What stays of the journal from here on is removed by the next restore, which applies nothing twice.
    guard attempt(journal, { () throws(ArtError) in try journal.removeSegments() }) else { return report }
    try reached(.segmentsRemoved)
    if journal.isEndKnown {
      guard attempt(journal, { () throws(ArtError) in try forget(journal.origin) }) else { return report }
    }
    try reached(.forgotten)
    _ = attempt(journal) { () throws(ArtError) in try journal.removeLock() }
    return report
  }

  /// Whether a part of a restored journal could be removed; if not, that is a notice.
  private func attempt(_ journal: OrphanedJournal, _ remove: () throws(ArtError) -> Void) -> Bool {
    do throws(ArtError) {
      try remove()
      return true
    } catch {
      notice(.stayingJournal(name, journal, error))
      return false
    }
  }
}

extension DocumentNotice {
  /// A journal that stays although its edits are in the document; without an error, because a power cut may undo that.
  fileprivate static func stayingJournal(
    _ name: String, _ journal: OrphanedJournal, _ error: ArtError?
  ) -> DocumentNotice {
    .line(
      "\(name): has the unsaved edits, but their journal \(journal.path) stays\(error.map { ": \($0.cause)" } ?? "")"
    )
  }
}

extension OrphanedJournal {
  /// Removes the journal and the document's record of it. Edits that are not saved elsewhere are lost. A
  /// record that cannot be removed is reported as a notice, and does no harm. Throws `inputOutput`,
  /// `notPermitted`.
  public func discard(knownTo document: DocumentFile?) throws(ArtError) {
    try removeSegments()
    if let document {
      do throws(ArtError) {
        try document.forget(origin)
      } catch {
        document.notice(.line("\(document.path) still names a journal that is gone: \(error.cause)"))
      }
    }
    try removeLock()
  }
}

/// The edits of a journal that the document does not have yet.
struct RemainingEdits {
  let entries: [LoggedEdit]
  /// Whether the document has a record of the journal.
  let isKnown: Bool

  /// `log` is the document's. Throws `replaced` if the journal is of another document.
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
    let new = contents.entries.filter { $0.id.sequence > last }
    // A client that got no answer has repeated its requests by another program.
    entries = RepeatedEdits(new, in: log).rest(of: new)
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
  /// Applies the net effect of one client's edits and logs it, also if all of it was dropped: the log then
  /// has the dropped changes and the tags.
  fileprivate func write(_ part: RestorePlan.Part, _ stamp: EditStamp) throws(ArtError) -> LoggedEdit? {
    var applied = try set(part.edit.changes, at: stamp.time)
    applied.dropped += part.dropped
    guard !applied.changes.isEmpty || !applied.dropped.isEmpty || !stamp.tags.isEmpty else { return nil }
    return try log(part.edit.name, applied, kind: .edit, stamp)
  }
}

extension Origin {
  /// The origin under which edits of this program's journal are restored. It is derived from the program's,
  /// so that the log says how far the journal was restored, also to the program itself if it is still
  /// running.
  var forRestores: Origin {
    Origin(lowBits: Array("restore \(self)".utf8).withUnsafeBytes(JournalLines.sum(of:)))
  }
}

extension EditID {
  /// The id of the restored edit whose last original edit is this one.
  var forRestore: EditID { EditID(origin: origin.forRestores, sequence: sequence) }
}

extension Sequence<LoggedEdit> {
  /// The sequence number of the last edit of a program's journal that was restored, as far as the log says.
  func restoredSequence(of origin: Origin) -> Int? {
    let restores = origin.forRestores
    return lazy.filter { $0.id.origin == restores }.map(\.id.sequence).max()
  }
}

// MARK: - Restoring before an edit

/// The outcome for an orphaned journal.
public enum RecoveryOutcome: Sendable {
  /// Its edits are in the document.
  case restored(RestoreReport)
  /// Its edits stay in the journal, for this reason.
  case kept(ArtError)
}

extension DocumentFile {
  /// Restores the document's orphaned journals before an edit, and reports each. Without any, this costs one
  /// look for the document's folder of journals.
  ///
  /// A journal that cannot be restored is kept, and does not prevent editing. Throws only what prevents
  /// editing, too: `busy`, `notPermitted`, `noSuchDocument`, `notADocument`, `diskFull`, `inputOutput`.
  /// Throws also while another program reads or restores one of the journals, or if other users could have
  /// written to the folder: an edit that is made before the earlier ones are restored would take precedence
  /// over them.
  public func restoreOrphans(
    in folder: JournalFolder, by author: () throws(ArtError) -> Author,
    _ report: (RecoveryOutcome) -> Void
  ) throws(ArtError) {
    let found: FoundJournals
    try folder.verify()
    do throws(ArtError) {
      found = try journalsToRestore(in: folder)
    } catch {
      guard error.code != .busy else { throw error }
      return report(
        .kept(error.withCause("cannot search for unsaved edits: \(error.cause)")))
    }
    for error in found.kept { report(.kept(error)) }
    guard !found.own.isEmpty else { return }
    var author = try author()
    for journal in found.own {
      do throws(ArtError) {
        report(.restored(try restore(journal, stamp: author.stamp(at: WallClock.milliseconds()))))
      } catch {
        switch error.code {
        case .busy, .notPermitted, .noSuchDocument, .notADocument, .diskFull, .inputOutput: throw error
        default: report(.kept(error))
        }
      }
    }
  }
}

// MARK: - Creating a document from journals

extension DocumentFile {
  /// Creates a document from orphaned journals: from `source` with their edits, or, if that cannot be read,
  /// from what the edits alone say. It is created atomically; then the journals that could be read completely
  /// are removed. The reports name the damage of the others.
  ///
  /// The journals are all of one document, oldest first. `source` is that document, or a copy of it; only its
  /// records of the journals are changed. What of it is copied is as in `create(duplicating:with:stamp:using:)`. Throws what `create` throws, `busy`, and `damaged` if nothing of a
  /// journal can be read; then nothing is changed, and the journals stay.
  public func create(
    from journals: [OrphanedJournal], on source: DocumentFile?, stamp: () -> EditStamp,
    using generator: inout some RandomNumberGenerator
  ) throws(ArtError) -> [RestoreReport] {
    try checkCreatable()
    var all: [(JournalContents, OrphanedJournal)] = []
    for journal in journals {
      let contents = try journal.contents()
      guard contents.head != nil else {
        throw .namelessJournal(journal.path, contents.damage ?? "there is no edit in it")
      }
      all.append((contents, journal))
    }
    let id = DocumentID(using: &generator)
    var new = try source.flatMap { (source) throws(ArtError) in try image(id, of: all, on: source, stamp) }
    if new == nil { new = try image(id, of: all, stamp) }
    guard let (image, reports) = new else { return [] }
    try image.verify()
    try image.link(as: path)
    // A power cut that undoes the new name must leave the journals.
    let isDurable = syncNames(path)
    for ((contents, journal), _) in zip(all, reports) where contents.damage == nil {
      do throws(ArtError) {
        if isDurable {
          try journal.discard(knownTo: source)
        } else {
          notice(.stayingJournal(name, journal, nil))
        }
      } catch {
        notice(.stayingJournal(name, journal, error))
      }
    }
    return reports
  }

  /// Duplicates a document under an id of its own, with the edits of its orphaned journals. The document and
  /// its journals are not changed. It is created atomically, and replaces no file.
  ///
  /// The copy has the content, the log, the pictures and the named versions. It has no archive and no traces of
  /// removed versions, which serve only to merge copies of one document, and none of the rows that a repair has
  /// set aside.
  ///
  /// The journals are all of the other document, oldest first. Throws what `create`, `read` and reading a
  /// journal throw; then nothing is created.
  public func create(
    duplicating source: DocumentFile, with journals: [OrphanedJournal], stamp: () -> EditStamp,
    using generator: inout some RandomNumberGenerator
  ) throws(ArtError) -> [RestoreReport] {
    try checkCreatable()
    var all: [(JournalContents, OrphanedJournal)] = []
    for journal in journals { all.append((try journal.contents(), journal)) }
    let id = DocumentID(using: &generator)
    let (image, reports) = try whole(id, of: all, on: source, stamp)
    try image.verify()
    try image.link(as: path)
    syncNames(path)
    return reports
  }

  /// The bytes of a duplicate, as `create(duplicating:with:stamp:using:)` makes one, without edits of journals. Throws what reading throws.
  public func duplicate(using generator: inout some RandomNumberGenerator) throws(ArtError) -> [UInt8] {
    try whole(DocumentID(using: &generator), of: [], on: self, Self.noStamp).image.bytes()
  }

  /// Creates a document from the bytes of another one's file: a duplicate with its log. Throws what `create`, and reading a file with these
  /// bytes, throw; then nothing is created.
  public func create(
    duplicating bytes: [UInt8], using generator: inout some RandomNumberGenerator
  ) throws(ArtError) {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.fill(bytes)
    var copy = DocumentFile(scratch.document)
    copy.name = name
    _ = try create(duplicating: copy, with: [], stamp: Self.noStamp, using: &generator)
  }

  /// For documents without journals, whose duplicates have no edit of their own.
  private static func noStamp() -> EditStamp {
    EditStamp(id: EditID(origin: Origin(lowBits: 0), sequence: 1), time: 0)
  }

  private typealias NewDocument = (image: FileImage, reports: [RestoreReport])

  /// Nil if the source cannot be read, which is reported as a notice.
  private func image(
    _ id: DocumentID, of all: [(JournalContents, OrphanedJournal)], on source: DocumentFile,
    _ stamp: () -> EditStamp
  ) throws(ArtError) -> NewDocument? {
    do throws(ArtError) {
      return try whole(id, of: all, on: source, stamp)
    } catch {
      switch error.code {
      case .damaged, .newerFormat, .notADocument, .noSuchDocument, .notPermitted, .replaced:
        notice(.line("\(path) is made from the edits alone: \(error.cause)"))
        return nil
      default: throw error
      }
    }
  }

  /// The source's content with the edits.
  private func whole(
    _ id: DocumentID, of all: [(JournalContents, OrphanedJournal)], on source: DocumentFile,
    _ stamp: () -> EditStamp
  ) throws(ArtError) -> NewDocument {
    try source.read(whole: true) { (transaction) throws(ArtError) -> NewDocument in
      var content = try transaction.load()
      var reports: [RestoreReport] = []
      for (contents, journal) in all {
        let edits = try RemainingEdits(
          contents, in: transaction, holding: content.log, of: source.path)
        let plan = try RestorePlan(edits.entries, on: content)
        for part in plan.parts { try content.apply(part, stamp().on(behalfOf: part.stamp)) }
        reports.append(edits.report(of: plan, in: contents, journal, revision: content.revision))
      }
      var image = try FileImage(name: path, content, id: id)
      try image.insertImages(of: transaction)
      try image.insertVersions(of: transaction)
      return (image, reports)
    }
  }

  /// The content that follows from the edits alone, with one entry in the log for each journal.
  private func image(
    _ id: DocumentID, of all: [(JournalContents, OrphanedJournal)], _ stamp: () -> EditStamp
  ) throws(ArtError) -> NewDocument {
    var known = try EarlierState(of: all.flatMap(\.0.entries), id: id).content
    var content = try EarlierState(of: [], id: id).content
    var reports: [RestoreReport] = []
    for (contents, journal) in all {
      let plan = try RestorePlan(contents.entries, on: known)
      known = plan.content
      // The state that these edits were made on is unknown: all clients' edits become one, by the last
      // client.
      let last = plan.parts.last?.stamp
      let stamp = last.map { stamp().on(behalfOf: $0) } ?? stamp()
      let applied = try content.apply(known.changes(from: content), at: stamp.time)
      content.append(
        LoggedEdit(
          stamp, revision: content.revision + 1, save: 1,
          edit: Edit(name: RestorePlan.name(contents.entries.count), changes: applied.changes),
          inverse: applied.inverse, dropped: plan.dropped + applied.dropped))
      reports.append(
        RestoreReport(
          author: contents.author, modified: journal.modified, edits: contents.entries.count,
          changes: applied.changes.count, dropped: plan.dropped + applied.dropped, revision: content.revision,
          damage: contents.damage))
    }
    return (try FileImage(name: path, content, id: id), reports)
  }
}

extension DocumentContent {
  /// The changes that turn another content into this one.
  fileprivate func changes(from other: DocumentContent) -> [Change] {
    let all = emojisInOrder()
    let old = other.emojisInOrder()
    return [.setCanvas(canvas), .setFill(fill), .setBackground(background), .setPending(pending)]
      + old.filter { emoji($0.id) != $0 }.map { .remove($0.id) }
      + all.filter { other.emoji($0.id) != $0 }.map(Change.add)
  }
}

/// The state before a list of edits, as far as their inverses say. An emoji that the edits removed is known;
/// one that they only changed is not.
struct EarlierState {
  private var emojis: [EmojiID: Emoji] = [:]
  private var canvas = Canvas.standard
  private var fill: Color?
  private var background: Background?
  private var pending: PendingBackground?
  private let id: DocumentID

  init(of entries: [LoggedEdit], id: DocumentID) {
    self.id = id
    for entry in entries.reversed() { for change in entry.inverse { apply(change) } }
  }

  var content: DocumentContent {
    get throws(ArtError) {
      let content = DocumentContent(
        id: id, canvas: canvas, fill: fill, background: background, pending: pending,
        emojis: Array(emojis.values))
      guard let content, emojis.count <= Limits.emojiCount else { throw .tooManyEmoji() }
      return content
    }
  }

  private mutating func apply(_ change: Change) {
    switch change {
    case .add(let emoji): emojis[emoji.id] = emoji
    case .remove(let id): emojis[id] = nil
    case .set(let id, let value): emojis[id]?.set(value)
    case .setCanvas(let canvas): self.canvas = canvas
    case .setFill(let fill): self.fill = fill
    case .setBackground(let background): self.background = background
    case .setPending(let pending): self.pending = pending
    }
  }
}

extension FileImage {
  /// A document of that content with another id. The log is trimmed to its capacity.
  fileprivate init(name: String, _ content: DocumentContent, id: DocumentID) throws(ArtError) {
    var art = ArtRow(id: id, canvas: content.canvas)
    art.fill = content.fill
    art.background = content.background
    art.pending = content.pending
    try self.init(name: name, art: art)
    try insert(content.emojisInOrder())
    var trimmed = content
    trimmed.trimLog()
    try insert(trimmed.log)
  }

  /// Copies the pictures of another document.
  fileprivate mutating func insertImages(of source: DocumentTransaction) throws(ArtError) {
    let rows = try Statement("\(PlainTable.image.select) ORDER BY 1", on: source.connection)
    while try rows.step() {
      _ = try PlainTable.image.verify(rows, of: source.name)
      try insert([try rows.value(0), try rows.value(1), try rows.value(2)], into: .image)
    }
  }
}

extension FileImage {
  /// Copies the versions of another document, without the traces of removed ones. Their pictures are copied with all others.
  fileprivate mutating func insertVersions(of source: DocumentTransaction) throws(ArtError) {
    let rows = try Statement("\(PlainTable.version.select) ORDER BY 1", on: source.connection)
    while try rows.step() {
      _ = try PlainTable.version.verify(rows, of: source.name)
      if rows.isNull(1) { continue }
      var values: [Statement.Value] = []
      for column in 0..<rows.columnCount - 1 { values.append(try rows.value(column)) }
      try insert(values, into: .version)
    }
  }
}

// MARK: - Previews

/// A document with the edits of its orphaned journals, as restoring would make it.
public struct DocumentPreview: Sendable {
  /// The document with the edits.
  public fileprivate(set) var content: DocumentContent
  /// The report for each journal whose edits are in it.
  public fileprivate(set) var reports: [RestoreReport] = []
  /// The errors of the journals that are not.
  public fileprivate(set) var kept: [ArtError] = []
}

extension DocumentFile {
  /// Reads the document with the edits of orphaned journals, and writes nothing. The caller must know that
  /// the journals are this document's. The edits of a damaged journal are left out. Throws what `read` and
  /// reading a journal throw.
  public func read(
    with journals: [OrphanedJournal], restoredBy author: Author
  ) throws(ArtError) -> DocumentPreview {
    var all: [JournalContents] = []
    for journal in journals { all.append(try journal.contents()) }
    return try read(whole: true) { (transaction) throws(ArtError) in
      var author = author
      var preview = DocumentPreview(content: try transaction.load())
      for (contents, journal) in zip(all, journals) {
        if let damage = contents.damage {
          preview.kept.append(.damagedJournal(path, damage))
          continue
        }
        let edits = try RemainingEdits(
          contents, in: transaction, holding: preview.content.log, of: path)
        let plan = try RestorePlan(edits.entries, on: preview.content)
        let stamp = author.stamp(at: journal.modified)
        for part in plan.parts {
          try preview.content.apply(part, stamp.on(behalfOf: part.stamp, as: part.stamp.id.forRestore))
        }
        let revision = preview.content.revision
        preview.reports.append(edits.report(of: plan, in: contents, journal, revision: revision))
      }
      return preview
    }
  }

  /// The summary of a previewed document.
  public func summary(of preview: DocumentPreview) throws(ArtError) -> DocumentSummary {
    let summary = try summary()
    return DocumentSummary(
      emojiCount: preview.content.emojiCount, revision: preview.content.revision, size: summary.size,
      modified: summary.modified)
  }
}

extension DocumentContent {
  /// Applies a part of a plan, and logs it as a restore does.
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
