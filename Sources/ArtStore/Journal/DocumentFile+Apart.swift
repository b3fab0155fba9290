// SPDX-License-Identifier: Apache-2.0

import ArtModel

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
    try checkRoomToCreate()
    var all: [(JournalContents, OrphanedJournal)] = []
    for journal in journals {
      let contents = try journal.contents()
      guard contents.head != nil else {
        throw .namelessJournal(journal.path, contents.damage ?? "there is no edit in it")
      }
      all.append((contents, journal))
    }
    let id = DocumentID(using: &generator)
    var made = try source.flatMap { (source) throws(ArtError) in try image(id, of: all, on: source, stamp) }
    if made == nil { made = try image(id, of: all, stamp) }
    guard let (image, reports) = made else { return [] }
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
    try checkRoomToCreate()
    var all: [(JournalContents, OrphanedJournal)] = []
    for journal in journals { all.append((try journal.contents(), journal)) }
    let id = DocumentID(using: &generator)
    let (image, reports) = try whole(id, of: all, on: source, stamp)
    try image.verify()
    try image.link(as: path)
    return reports
  }

  private typealias Made = (image: FileImage, reports: [RestoreReport])

  /// Nil where the source cannot be read, which is told.
  private func image(
    _ id: DocumentID, of all: [(JournalContents, OrphanedJournal)], on source: DocumentFile,
    _ stamp: () -> EditStamp
  ) throws(ArtError) -> Made? {
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
  ) throws(ArtError) -> Made {
    try source.read(whole: true) { (transaction) throws(ArtError) -> Made in
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
  ) throws(ArtError) -> Made {
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
    for entry in entries.reversed() { for change in entry.inverse { take(change) } }
  }

  var content: DocumentContent {
    get throws(ArtError) {
      let content = DocumentContent(
        id: id, canvas: canvas, background: background, pending: pending, emojis: Array(emojis.values))
      guard let content, emojis.count <= Limits.emojiCount else { throw .tooManyEmoji() }
      return content
    }
  }

  private mutating func take(_ change: Change) {
    switch change {
    case .add(let emoji): emojis[emoji.id] = emoji
    case .remove(let id): emojis[id] = nil
    case .move(let id, let place): emojis[id]?.position = place
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
    for emoji in content.emojisInOrder() { try insert(emoji) }
    var bytes = 0
    var kept = 0
    for entry in content.log.reversed() {
      bytes += EditRow.size(of: entry)
      guard kept == 0 || (kept < Format.logEdits && bytes <= Format.logBytes) else { break }
      kept += 1
    }
    for entry in content.log.suffix(kept) { try insert(entry) }
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
