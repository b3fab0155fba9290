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
        let entry = try transaction.write(part, stamp.on(behalfOf: part.stamp, as: part.stamp.id.forRestore))
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
  var forRestores: Origin {
    Origin(lowBits: Array("restore \(self)".utf8).withUnsafeBytes(JournalLines.sum(of:)))
  }
}

extension EditID {
  /// The id of what is restored of a journal up to this edit of it.
  var forRestore: EditID { EditID(origin: origin.forRestores, sequence: sequence) }
}

extension Sequence<LoggedEdit> {
  /// The number of the last edit of that program's journal that a restore has brought, as far as the log tells.
  func restoredSequence(of origin: Origin) -> Int? {
    let restores = origin.forRestores
    return lazy.filter { $0.id.origin == restores }.map(\.id.sequence).max()
  }
}

/// What became of the edits that a program left.
public enum RecoveryOutcome: Sendable {
  /// They are in the document now.
  case restored(RestoreReport)
  /// They stay in their journal; why.
  case kept(ArtError)
}

extension DocumentFile {
  /// Restores what programs that are gone have left for this document, for who is about to edit it; `told` hears of each.
  /// Without any, this costs a look into the folder.
  ///
  /// What cannot be restored is kept, and keeps nobody from editing. Throws only what will keep everybody from it:
  /// `busy`, `notPermitted`, `noSuchDocument`, `notADocument`, `diskFull`, `inputOutput`. So it does while others use a
  /// journal of this document, or may have put theirs into the folder: an edit that is made before what was answered
  /// earlier would take its place.
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
        .kept(ArtError(error.code, "unsaved edits cannot be looked for: \(error.message)")))
    }
    for error in found.kept { report(.kept(error)) }
    guard !found.own.isEmpty else { return }
    var author = try author()
    for journal in found.own {
      do throws(ArtError) {
        report(.restored(try restore(journal, stamp: author.stamp(at: millisecondsSince1970()))))
      } catch {
        switch error.code {
        case .busy, .notPermitted, .noSuchDocument, .notADocument, .diskFull, .inputOutput: throw error
        default: report(.kept(error))
        }
      }
    }
  }
}

extension DocumentFile {
  /// Makes a new document of the edits of programs that are gone: of another document's content with them on it, where
  /// there is one that can be read, else of what the edits tell. It appears whole or not at all; then the journals are
  /// removed, but for those of which some could not be read, as the reports say.
  ///
  /// The journals are all of one document, oldest first. `source` is that document, or a copy of it; it is only read, but
  /// for its forgetting the journals. Throws what `create` throws, `busy`, and `damaged` when nothing of a journal can be
  /// read: then nothing is changed, and the journals stay.
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
    for ((contents, journal), _) in zip(all, reports) where contents.damage == nil {
      try journal.discard(knownTo: source)
    }
    return reports
  }

  /// Makes a new document of another one's content under an id of its own, with the edits of programs that are gone on it: the other
  /// document and its journals stay as they are. The log goes along, and the pictures that undo needs. It appears whole or not at
  /// all, and in nobody's place.
  ///
  /// The journals are all of the other document, oldest first. Throws what `create`, `read` and reading a journal throw; then
  /// nothing is made.
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
    return reports
  }

  private typealias NewDocument = (image: FileImage, reports: [RestoreReport])

  /// Nil where the source cannot be read, which is told.
  private func image(
    _ id: DocumentID, of all: [(JournalContents, OrphanedJournal)], on source: DocumentFile,
    _ stamp: () -> EditStamp
  ) throws(ArtError) -> NewDocument? {
    do throws(ArtError) {
      return try whole(id, of: all, on: source, stamp)
    } catch {
      switch error.code {
      case .damaged, .newerFormat, .notADocument, .noSuchDocument, .notPermitted, .replaced:
        notice("\(path) is made of what the edits tell alone: \(error.message)")
        return nil
      default: throw error
      }
    }
  }

  /// The source's content with the edits on it.
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
      return (image, reports)
    }
  }

  /// What the edits tell, as one entry of the log for each journal.
  private func image(
    _ id: DocumentID, of all: [(JournalContents, OrphanedJournal)], _ stamp: () -> EditStamp
  ) throws(ArtError) -> NewDocument {
    var known = try EarlierState(of: all.flatMap(\.0.entries), id: id).content
    var content = try EarlierState(of: [], id: id).content
    var reports: [RestoreReport] = []
    for (contents, journal) in all {
      let plan = try RestorePlan(contents.entries, on: known)
      known = plan.content
      // Nobody knows the state that these edits were made on: what all clients did is one edit, by the last of them.
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
  /// What makes this of another content.
  fileprivate func changes(from other: DocumentContent) -> [Change] {
    let all = emojisInOrder()
    let old = other.emojisInOrder()
    return [.setCanvas(canvas), .setBackground(background), .setPending(pending)]
      + old.filter { emoji($0.id) != $0 }.map { .remove($0.id) }
      + all.filter { other.emoji($0.id) != $0 }.map(Change.add)
  }
}

/// What edits tell of the document that they were made on: their inverses, from the last one back. An emoji that is
/// removed is known as it was; one of which only a field was set is not.
struct EarlierState {
  private var emojis: [EmojiID: Emoji] = [:]
  private var canvas = Canvas.standard
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
        id: id, canvas: canvas, background: background, pending: pending, emojis: Array(emojis.values))
      guard let content, emojis.count <= Limits.emojiCount else { throw .tooManyEmoji() }
      return content
    }
  }

  private mutating func apply(_ change: Change) {
    switch change {
    case .add(let emoji): emojis[emoji.id] = emoji
    case .remove(let id): emojis[id] = nil
    case .move(let id, let position): emojis[id]?.position = position
    case .resize(let id, let size): emojis[id]?.size = size
    case .setText(let id, let text): emojis[id]?.text = text
    case .order(let id, let z): emojis[id]?.z = z
    case .setCanvas(let canvas): self.canvas = canvas
    case .setBackground(let background): self.background = background
    case .setPending(let pending): self.pending = pending
    }
  }
}

extension FileImage {
  /// A document of that content under another name for itself. The log is cut to its room.
  fileprivate init(name: String, _ content: DocumentContent, id: DocumentID) throws(ArtError) {
    var art = ArtRow(id: id, canvas: content.canvas)
    art.background = content.background
    art.pending = content.pending
    try self.init(name: name, art: art)
    try insert(content.emojisInOrder())
    var bytes = 0
    var kept = 0
    for entry in content.log.reversed() {
      bytes += EditRow.size(of: entry)
      guard kept == 0 || (kept < Format.logEdits && bytes <= Format.logBytes) else { break }
      kept += 1
    }
    try insert(Array(content.log.suffix(kept)))
  }

  /// Takes the pictures of another document.
  fileprivate mutating func insertImages(of source: DocumentTransaction) throws(ArtError) {
    let rows = try Statement("\(PlainTable.image.select) ORDER BY 1", on: source.connection)
    while try rows.step() {
      _ = try PlainTable.image.verify(rows, of: source.name)
      try insert([try rows.value(0), try rows.value(1), try rows.value(2)], into: .image)
    }
  }
}

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

  /// The summary of the document as it is preview.
  public func summary(of preview: DocumentPreview) throws(ArtError) -> DocumentSummary {
    let summary = try summary()
    return DocumentSummary(
      emojiCount: preview.content.emojiCount, revision: preview.content.revision, size: summary.size,
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
