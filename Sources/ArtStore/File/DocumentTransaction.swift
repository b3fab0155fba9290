// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// One consistent look at a document's rows, or one change of them. Every row is verified against its sum before
/// it is given out; what asks for the whole document has the digest verified, too.
///
/// Used by one thread, inside `DocumentFile.read` or `DocumentFile.edit`.
public final class DocumentTransaction {
  let connection: Connection
  let name: String
  /// What the document's own row says, kept up with each change.
  var art: ArtRow
  let found: ArtRow
  private var statements: [String: Statement] = [:]
  var loaded: (art: ArtRow, content: DocumentContent)?
  /// The row that was read last, as it is in the file.
  var lastRow: EmojiRow?

  /// Begins, and looks at the schema and the row of `art`.
  init(_ connection: Connection, begin: String) throws(ArtError) {
    self.connection = connection
    name = connection.name
    try connection.execute(begin)
    try connection.guardFile()
    try Self.checkSchema(connection)
    art = try Self.readArt(connection)
    found = art
  }

  /// The document's own name for itself.
  public var id: DocumentID { art.id }
  /// The count of edits that the document has seen.
  public var revision: Int { art.revision }
  /// The last edit.
  public var head: EditID? { art.head }
  /// Whether anything was changed.
  var hasChanges: Bool { art != found }
  /// Whether the commit is to be durable although nothing was changed.
  var mustCommit = false
  /// The first revision of this save.
  var save: Int { found.revision + 1 }

  /// A statement, prepared once.
  func statement(_ sql: String) throws(ArtError) -> Statement {
    if let statement = statements[sql] { return statement }
    let statement = try Statement(sql, on: connection)
    statements[sql] = statement
    return statement
  }
}

extension DocumentTransaction: ArtReading {
  /// The size of the picture.
  public var canvas: Canvas { art.canvas }
  /// The picture.
  public var background: Background? { art.background }
  /// The picture that is still to come.
  public var pending: PendingBackground? { art.pending }
  /// How many emoji there are.
  public var emojiCount: Int { art.emojiCount }

  /// The emoji of that id.
  public func emoji(_ id: EmojiID) throws(ArtError) -> Emoji? { try row(id)?.emoji }

  func row(_ id: EmojiID) throws(ArtError) -> EmojiRow? {
    lastRow = try rows("WHERE id = ?1", .text(id.description)).first
    return lastRow
  }

  /// The sum that the row of an emoji has in the file. It is not computed from the emoji: another program may have
  /// spelled its numbers in another way.
  func storedSum(of emoji: Emoji) throws(ArtError) -> Int {
    if let lastRow, lastRow.emoji == emoji { return lastRow.sum }
    guard let row = try row(emoji.id) else { throw .damaged(name, "the emoji \(emoji.id) is missing") }
    return row.sum
  }

  /// The first `limit` emoji, by id, whose ids begin so. That there is none is said only of a document that was
  /// verified as a whole: a damaged one may have lost it.
  public func emojis(prefix: EmojiID.Prefix, limit: Int) throws(ArtError) -> [Emoji] {
    let range = prefix.range
    let found = try rows(
      "WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3", .text(range.lowerBound.description),
      .text(range.upperBound.description), .integer(limit))
    if found.isEmpty, !hasChanges { _ = try load() }
    return found.map(\.emoji)
  }

  /// All emoji, bottom to top; the document is verified as a whole.
  public func emojisInOrder() throws(ArtError) -> [Emoji] {
    guard hasChanges else { return try load().emojisInOrder() }
    return try rows("ORDER BY z, id").map(\.emoji)
  }

  /// The emoji at the bottom. Throws `damaged` where the index of the order contradicts the rows.
  public func bottom() throws(ArtError) -> Emoji? {
    try firstInOrder(rows("ORDER BY z, id LIMIT 2"))
  }

  /// The emoji at the top. Throws `damaged` where the index of the order contradicts the rows.
  public func top() throws(ArtError) -> Emoji? {
    try firstInOrder(rows("ORDER BY z DESC, id DESC LIMIT 2").reversed(), isLast: true)
  }

  /// The emoji next above one. Throws `damaged` where the index of the order contradicts the rows.
  public func next(above emoji: Emoji) throws(ArtError) -> Emoji? {
    let above = try rows(
      "WHERE (z, id) > (?1, ?2) ORDER BY z, id LIMIT 2", .integer(emoji.z), .text(emoji.id.description))
    guard let next = try firstInOrder(above) else { return nil }
    guard (emoji.z, emoji.id) < (next.z, next.id) else { throw outOfOrder("emoji_z") }
    return next
  }

  /// The first of two neighbours, or the last. No sum covers the index that gives their order: it must at least agree with what the
  /// rows themselves say.
  private func firstInOrder(_ rows: [EmojiRow], isLast: Bool = false) throws(ArtError) -> Emoji? {
    if let first = rows.first?.emoji, let last = rows.last?.emoji, rows.count > 1 {
      guard (first.z, first.id) < (last.z, last.id) else { throw outOfOrder("emoji_z") }
    }
    return (isLast ? rows.last : rows.first)?.emoji
  }

  /// Whether the file has a picture of that digest; its bytes are not looked at.
  public func holdsPicture(_ digest: String) throws(ArtError) -> Bool {
    try storedPictures().contains { $0.digest == digest }
  }

  /// The edits kept, newest first, until the body returns false.
  public func newestEdits(_ body: (LoggedEdit) throws(ArtError) -> Bool) throws(ArtError) {
    let rows = try statement("\(EditRow.select) ORDER BY revision DESC")
    try rows.bind()
    defer { rows.reset() }
    var last: LoggedEdit?
    while try rows.step() {
      let entry = try EditRow(rows, of: name).entry
      if let last {
        guard entry.revision < last.revision else { throw outOfOrder("edit") }
      } else {
        try checkHead(entry)
      }
      last = entry
      guard try body(entry) else { return }
    }
    if last == nil { try checkHead(nil) }
  }

  private func rows(_ tail: String, _ values: Statement.Value...) throws(ArtError) -> [EmojiRow] {
    let statement = try statement("\(EmojiRow.select) \(tail)")
    try statement.bind(values)
    defer { statement.reset() }
    var rows: [EmojiRow] = []
    while try statement.step() { rows.append(try EmojiRow(statement, of: name)) }
    return rows
  }
}

extension DocumentTransaction: EditableArt {
  /// Adds an emoji whose id is not taken.
  public func insert(_ emoji: Emoji) throws(ArtError) {
    let row = EmojiRow(emoji)
    let values = row.values
    lastRow = nil
    try statement("INSERT INTO emoji(id, z, json, sum) VALUES(?,?,?,?)")
      .run(values.id, values.z, values.json, values.sum)
    art.emojiCount += 1
    art.digest.add(row.sum)
  }

  /// Sets the values of an emoji that is there.
  public func update(_ old: Emoji, to new: Emoji) throws(ArtError) {
    let oldSum = try storedSum(of: old)
    let row = EmojiRow(new)
    let values = row.values
    lastRow = nil
    try statement("UPDATE emoji SET z = ?2, json = ?3, sum = ?4 WHERE id = ?1")
      .run(values.id, values.z, values.json, values.sum)
    art.digest.remove(oldSum)
    art.digest.add(row.sum)
  }

  /// Takes out an emoji that is there.
  public func delete(_ emoji: Emoji) throws(ArtError) {
    let oldSum = try storedSum(of: emoji)
    lastRow = nil
    try statement("DELETE FROM emoji WHERE id = ?1").run(.text(emoji.id.description))
    art.emojiCount -= 1
    art.digest.remove(oldSum)
  }

  /// Sets the size of the picture.
  public func setCanvas(_ canvas: Canvas) { art.canvas = canvas }

  /// Sets the picture.
  public func setBackground(_ background: Background?) { art.background = background }

  /// Sets the picture that is still to come.
  public func setPending(_ pending: PendingBackground?) { art.pending = pending }
}
