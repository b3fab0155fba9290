// SPDX-License-Identifier: Apache-2.0

import ArtModel

extension DocumentFile {
  /// Makes a new document of the edits of a program that is gone: of another document's content with them on it, where
  /// there is one, else of what the edits tell. It appears whole or not at all; then the journal is removed, unless some
  /// of it could not be read, which the report says.
  ///
  /// `source` is the document that the edits were made on, or a copy of it; it is only read, but for its forgetting the
  /// journal. Throws what `create` throws, what reading the source throws, and `damaged` when nothing of the journal can
  /// be read: then nothing is changed, and the journal stays.
  public func create(
    from journal: DeadJournal, on source: DocumentFile?, stamp: EditStamp,
    using generator: inout some RandomNumberGenerator
  ) throws(ArtError) -> RestoreReport {
    try checkRoomToCreate()
    let contents = try journal.contents()
    let id = DocumentID(using: &generator)
    let stamp = stamp.on(behalfOf: contents.head?.author)
    let made: (image: FileImage, report: RestoreReport)
    if let source {
      made = try source.read { (transaction) throws(ArtError) in
        let edits = try RemainingEdits(contents, in: transaction, of: source.path)
        var content = try transaction.load()
        let plan = try RestorePlan(edits.entries, on: content)
        try content.take(plan, stamp)
        var image = try FileImage(name: path, content, id: id)
        try image.insertImages(of: transaction)
        return (image, edits.report(of: plan, in: contents, journal, revision: content.revision))
      }
    } else {
      made = try image(id, of: contents, journal, stamp)
    }
    try made.image.verify()
    try made.image.link(as: path)
    guard contents.damage == nil else { return made.report }
    try journal.discard(knownTo: source)
    return made.report
  }

  private func image(
    _ id: DocumentID, of contents: JournalContents, _ journal: DeadJournal, _ stamp: EditStamp
  ) throws(ArtError) -> (FileImage, RestoreReport) {
    guard let head = contents.head, !contents.entries.isEmpty else {
      throw .damagedJournal(path, contents.damage ?? "there is no edit in it")
    }
    let plan = try RestorePlan(
      contents.entries, on: try EarlierState(of: contents.entries, id: head.base.id).content)
    guard var content = DocumentContent(id: id, canvas: .standard) else { throw .tooManyEmoji() }
    let all = plan.content.emojisInOrder().map(Change.add)
    let applied = try content.apply(
      [
        .setCanvas(plan.content.canvas), .setBackground(plan.content.background),
        .setPending(plan.content.pending),
      ]
        + all)
    content.append(
      LoggedEdit(
        id: stamp.id, revision: 1, time: stamp.time, save: 1, kind: .edit, author: stamp.author,
        edit: Edit(name: plan.edit.name, changes: applied.changes), inverse: applied.inverse,
        dropped: plan.dropped))
    let report = RestoreReport(
      author: head.author, modified: journal.modified, edits: contents.entries.count,
      changes: applied.changes.count, dropped: plan.dropped, revision: content.revision,
      damage: contents.damage)
    return (try FileImage(name: path, content, id: id), report)
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
