// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// One transaction on a document's rows, for reading or writing. Each row is verified against its sum before
/// it is returned; a call that reads the whole document verifies the digest, too.
///
/// Used by one thread, inside `DocumentFile.read` or `DocumentFile.edit`.
public final class DocumentTransaction {
  let connection: Connection
  let name: String
  /// The row of `art`, updated with each change.
  var art: ArtRow
  private let initialArt: ArtRow
  private var statements: [String: Statement] = [:]
  private var loaded: (art: ArtRow, content: DocumentContent)?
  /// The row that was read last, as it is stored.
  private var lastRow: EmojiRow?

  /// Begins the transaction, and verifies the schema and the row of `art`.
  init(_ connection: Connection, begin: String) throws(ArtError) {
    self.connection = connection
    name = connection.name
    try connection.execute(begin)
    try connection.guardFile()
    try Self.checkSchema(connection)
    art = try Self.readArt(connection)
    initialArt = art
  }

  /// The document's id.
  public var id: DocumentID { art.id }
  /// The number of edits the document has seen.
  public var revision: Int { art.revision }
  /// The id of the last edit.
  public var head: EditID? { art.head }
  /// Whether anything was changed.
  var hasChanges: Bool { art != initialArt }
  /// Whether to commit although nothing was changed, to make the file durable.
  var mustCommit = false
  /// The versions that were kept or removed.
  var changedVersions: [EditID: VersionChange] = [:]
  /// The first revision of this save.
  var save: Int { initialArt.revision + 1 }

  /// A statement that is prepared once per transaction.
  func statement(_ sql: String) throws(ArtError) -> Statement {
    if let statement = statements[sql] { return statement }
    let statement = try Statement(sql, on: connection)
    statements[sql] = statement
    return statement
  }
}

// MARK: - Reading

extension DocumentTransaction: ArtReading {
  /// The size of the picture, in pixels.
  public var canvas: Canvas { art.canvas }
  /// The colour of the canvas; nil for none.
  public var fill: Color? { art.fill }
  /// The background picture.
  public var background: Background? { art.background }
  /// The background that is still to be fetched.
  public var pending: PendingBackground? { art.pending }
  /// The number of emoji.
  public var emojiCount: Int { art.emojiCount }

  /// The emoji with that id; nil if there is none.
  public func emoji(_ id: EmojiID) throws(ArtError) -> Emoji? { try row(id)?.emoji }

  func row(_ id: EmojiID) throws(ArtError) -> EmojiRow? {
    lastRow = try rows("WHERE id = ?1", .text(id.description)).first
    return lastRow
  }

  /// The stored sum of an emoji's row. It is not computed from the emoji, because another program may have
  /// spelled its numbers differently.
  private func storedSum(of emoji: Emoji) throws(ArtError) -> Int {
    if let lastRow, lastRow.emoji == emoji { return lastRow.sum }
    guard let row = try row(emoji.id) else { throw .damaged(name, "the emoji \(emoji.id) is missing") }
    return row.sum
  }

  /// The first `limit` emoji, by id, whose ids begin with the prefix. An empty result is returned only after
  /// the whole document was verified: a damaged one may have lost the emoji.
  public func emojis(prefix: EmojiID.Prefix, limit: Int) throws(ArtError) -> [Emoji] {
    let range = prefix.range
    let found = try rows(
      "WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3", .text(range.lowerBound.description),
      .text(range.upperBound.description), .integer(limit))
    if found.isEmpty, !hasChanges { _ = try load() }
    return found.map(\.emoji)
  }

  /// All emoji, bottom to top. The document is verified as a whole if nothing was changed yet.
  public func emojisInOrder() throws(ArtError) -> [Emoji] {
    guard hasChanges else { return try load().emojisInOrder() }
    return try rows("ORDER BY z, id").map(\.emoji)
  }

  /// The captions, in any order. The document is not verified as a whole.
  public func captions() throws(ArtError) -> [Emoji] {
    // Only these rows can be captions: JSON spells a letter as itself or behind a backslash.
    try rows("WHERE instr(json, 'caption') OR instr(json, '\\')").map(\.emoji).filter(\.text.isCaption)
  }

  /// The emoji at the bottom. Throws `damaged` if the index of the z-order contradicts the rows.
  public func bottom() throws(ArtError) -> Emoji? {
    try firstInOrder(rows("ORDER BY z, id LIMIT 2"))
  }

  /// The emoji at the top. Throws `damaged` if the index of the z-order contradicts the rows.
  public func top() throws(ArtError) -> Emoji? {
    try firstInOrder(rows("ORDER BY z DESC, id DESC LIMIT 2").reversed(), isLast: true)
  }

  /// The emoji directly above another. Throws `damaged` if the index of the z-order contradicts the rows.
  public func next(above emoji: Emoji) throws(ArtError) -> Emoji? {
    let above = try rows(
      "WHERE (z, id) > (?1, ?2) ORDER BY z, id LIMIT 2", .integer(emoji.z), .text(emoji.id.description))
    guard let next = try firstInOrder(above) else { return nil }
    guard (emoji.z, emoji.id) < (next.z, next.id) else { throw outOfOrder("emoji_z") }
    return next
  }

  /// The first of two neighbours, or the last. No sum covers the index on z, so its order is compared with
  /// the rows.
  private func firstInOrder(_ rows: [EmojiRow], isLast: Bool = false) throws(ArtError) -> Emoji? {
    if let first = rows.first?.emoji, let last = rows.last?.emoji, rows.count > 1 {
      guard (first.z, first.id) < (last.z, last.id) else { throw outOfOrder("emoji_z") }
    }
    return (isLast ? rows.last : rows.first)?.emoji
  }

  /// Whether the file has a picture with that digest. Its bytes are not verified.
  public func holdsPicture(_ digest: String) throws(ArtError) -> Bool {
    try storedPictures().contains { $0.digest == digest }
  }

  /// Passes the edits of the log to the body, newest first, until it returns false.
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

// MARK: - Changing rows

extension DocumentTransaction: EditableArt {
  /// Inserts an emoji with an unused id.
  public func insert(_ emoji: Emoji) throws(ArtError) {
    let row = EmojiRow(emoji)
    let values = row.values
    lastRow = nil
    try statement("INSERT INTO emoji(id, z, json, sum) VALUES(?,?,?,?)")
      .run(values.id, values.z, values.json, values.sum)
    art.emojiCount += 1
    art.digest.add(row.sum)
  }

  /// Replaces the values of an emoji.
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

  /// Deletes an emoji.
  public func delete(_ emoji: Emoji) throws(ArtError) {
    let oldSum = try storedSum(of: emoji)
    lastRow = nil
    try statement("DELETE FROM emoji WHERE id = ?1").run(.text(emoji.id.description))
    art.emojiCount -= 1
    art.digest.remove(oldSum)
  }

  /// Sets the size of the picture.
  public func setCanvas(_ canvas: Canvas) { art.canvas = canvas }

  /// Sets the colour of the canvas.
  public func setFill(_ fill: Color?) { art.fill = fill }

  /// Sets the background picture.
  public func setBackground(_ background: Background?) { art.background = background }

  /// Sets the background that is still to be fetched.
  public func setPending(_ pending: PendingBackground?) { art.pending = pending }
}

// MARK: - Verifying

extension DocumentTransaction {
  /// Throws `damaged` if the tables are not exactly those of a document, in any order; VACUUM reorders them.
  /// SQLite's own statistics are allowed.
  static func checkSchema(_ connection: Connection) throws(ArtError) {
    let rows = try Statement("SELECT name, sql, rootpage FROM sqlite_schema", on: connection)
    var missing = Format.schema
    var roots: [Int] = []
    while try rows.step() {
      let (name, sql) = (try rows.text(0), try rows.optionalText(1))
      // A view has no root page.
      let root = try rows.integer(2)
      if root != 0 { roots.append(root) }
      if Format.statistics.contains(where: { $0.name == name && $0.sql == sql }) { continue }
      guard let index = missing.firstIndex(where: { $0.name == name && $0.sql == sql }) else {
        throw .damaged(connection.name, "its tables are not those of a document")
      }
      missing.remove(at: index)
    }
    guard missing.isEmpty else { throw .damaged(connection.name, "it lacks tables of a document") }
    connection.roots = roots
  }

  static func readArt(_ connection: Connection) throws(ArtError) -> ArtRow {
    let rows = try Statement(ArtRow.select, on: connection)
    guard try rows.step() else { throw .damaged(connection.name, "the document's own row is missing") }
    let stored = try ArtRow.stored(rows)
    guard stored.sum == stored.expectedSum else {
      throw .damaged(connection.name, "the document's own row does not fit its sum")
    }
    do {
      return try ArtRow(stored)
    } catch {
      throw .damaged(connection.name, error.cause)
    }
  }
}

extension DocumentTransaction {
  /// Reads and verifies the whole document: each row against its sum, all rows against the digest, and the
  /// use of each page. Throws `damaged`.
  public func load() throws(ArtError) -> DocumentContent {
    if let loaded, loaded.art == art { return loaded.content }
    if !connection.isBeingMade, !hasChanges { try PageMap.verify(connection) }
    var digest = Digest()
    let emojis = try loadEmojis(&digest)
    let log = try loadLog(&digest)
    var pictures: Set<String> = []
    var room = try connection.maximumRows
    for table in PlainTable.allCases {
      let rows = try Statement("\(table.select) ORDER BY 1", on: connection)
      var last: Statement.Value?
      while try rows.step() {
        let key = try rows.value(0)
        if let last, !(last < key) { throw outOfOrder("\(table.name)") }
        last = key
        room -= 1
        guard room >= 0 else { throw .damaged(name, "it has more rows than fit into it") }
        digest.add(try table.verify(rows, of: name))
        if table == .image { pictures.insert(try rows.text(1)) }
      }
    }
    guard digest == art.digest else {
      throw .damaged(name, "rows are missing or too many: the digest does not fit")
    }
    let content = DocumentContent(
      id: art.id, canvas: art.canvas, fill: art.fill, background: art.background, pending: art.pending,
      emojis: emojis, log: log,
      revision: art.revision, head: art.head, pictures: pictures)
    guard let content, emojis.count == art.emojiCount else {
      throw .damaged(name, "the count of emoji does not fit")
    }
    try checkHead(log.last)
    loaded = (art, content)
    return content
  }

  /// The faults that `PRAGMA integrity_check` reports, at most 20. It skips the free list, which `PageMap`
  /// verifies.
  static func structureFaults(_ connection: Connection) throws(ArtError) -> [String] {
    let rows = try Statement("PRAGMA integrity_check(20)", on: connection)
    var faults: [String] = []
    while try rows.step() { faults.append(try rows.text(0)) }
    return faults == ["ok"] ? [] : faults
  }

  /// The error for rows out of order. Swapped pages keep every sum, and the digest does not depend on the
  /// order.
  func outOfOrder(_ table: String) -> ArtError {
    .damaged(name, "the rows of the table \(table) are out of order")
  }

  /// Throws `damaged` if the newest edit is not the document's head.
  private func checkHead(_ newest: LoggedEdit?) throws(ArtError) {
    guard newest?.id == art.head, newest.map({ $0.revision == art.revision }) ?? true else {
      throw .damaged(name, "the last edit is not the document's head")
    }
  }

  private func loadEmojis(_ digest: inout Digest) throws(ArtError) -> [Emoji] {
    var emojis: [Emoji] = []
    emojis.reserveCapacity(art.emojiCount)
    let rows = try Statement("\(EmojiRow.select) ORDER BY id", on: connection)
    while try rows.step() {
      let row = try EmojiRow(rows, of: name)
      guard emojis.count < art.emojiCount else { throw .damaged(name, "the count of emoji does not fit") }
      if let last = emojis.last, last.id >= row.emoji.id { throw outOfOrder("emoji") }
      digest.add(row.sum)
      emojis.append(row.emoji)
    }
    return emojis
  }

  private func loadLog(_ digest: inout Digest) throws(ArtError) -> [LoggedEdit] {
    var log: [LoggedEdit] = []
    let mostEdits = LogBlock.kept + LogBlock.size + art.revision - initialArt.revision
    let rows = try Statement("\(EditRow.select) ORDER BY revision", on: connection)
    var bytes = 0
    while try rows.step() {
      let row = try EditRow(rows, of: name)
      digest.add(row.sum)
      bytes += row.bytes
      guard log.count < mostEdits else { throw .damaged(name, "the log is too long") }
      if let last = log.last, last.revision >= row.entry.revision { throw outOfOrder("edit") }
      log.append(row.entry)
    }
    guard bytes == art.logBytes else { throw .damaged(name, "the size of the log does not fit") }
    return log
  }
}

// MARK: - The log

extension DocumentTransaction {
  /// Applies an edit and logs it. Returns nil, and logs nothing, if it has no effect.
  public func perform(_ edit: Edit, stamp: EditStamp) throws(ArtError) -> LoggedEdit? {
    let applied = try set(edit.changes, at: stamp.time)
    guard !applied.changes.isEmpty else { return nil }
    return try log(edit.name, applied, kind: edit.kind, stamp)
  }

  /// Applies an undo or redo and logs it, also if nothing is left to do, so that the next undo continues
  /// behind it.
  ///
  /// `left` counts the changes that were left out because others have set their fields. `lost` are the
  /// backgrounds that would be back if their pictures were still stored; the URL of one that has one is
  /// pending now, if none was.
  public func perform(
    _ plan: UndoPlan, stamp: EditStamp
  ) throws(ArtError) -> (entry: LoggedEdit, left: Int, lost: [Background]) {
    var rows = self
    let applied = try rows.apply(plan, at: stamp.time)
    let left = applied.dropped.count - applied.lost.count
    return (try log(plan.name, applied, kind: plan.kind, stamp), left, applied.lost)
  }

  /// Makes the edit of a plan. Without effect nothing is logged, and there is no entry. `lost` are the backgrounds that would be back if their
  /// pictures were still stored, as above.
  public func perform(
    _ plan: RevertPlan, stamp: EditStamp
  ) throws(ArtError) -> (entry: LoggedEdit?, lost: [Background]) {
    guard let edit = plan.edit else { return (nil, []) }
    let applied = try set(edit.changes, at: stamp.time)
    guard !applied.changes.isEmpty else { return (nil, applied.lost) }
    return (try log(edit.name, applied, kind: .edit, stamp), applied.lost)
  }

  func set(_ changes: [Change], at time: Int) throws(ArtError) -> AppliedEdit {
    var rows = self
    return try rows.apply(changes, at: time)
  }

  func log(
    _ name: String, _ applied: AppliedEdit, kind: LoggedEdit.Kind, _ stamp: EditStamp
  ) throws(ArtError) -> LoggedEdit {
    let entry = LoggedEdit(
      stamp, revision: art.revision + 1, save: save, kind: kind,
      edit: Edit(name: name, changes: applied.changes), inverse: applied.inverse, dropped: applied.dropped)
    try append(entry)
    return entry
  }

  /// Makes the file durable once more: what can be read may be in memory only.
  func touch() throws(ArtError) {
    // This writes page 1 even if nothing differs. An UPDATE with equal values would not.
    try connection.execute("PRAGMA user_version = \(Format.version)")
    mustCommit = true
  }

  /// Adds an entry to the log whose changes have been applied.
  func append(_ entry: LoggedEdit) throws(ArtError) {
    let row = try EditRow.insert(entry, with: statement(EditRow.insertion))
    art.digest.add(row.sum)
    art.logBytes += row.bytes
    art.revision = entry.revision
    art.head = entry.id
  }

  /// Trims the log to its capacity and writes the row of `art`. Throws `tooLarge`; `damaged` if the counts in
  /// the row are impossible.
  func finish() throws(ArtError) {
    try trimLog()
    guard art.revision <= Format.largestNumber else { throw .tooManyRevisions(name) }
    guard art.logBytes >= 0, art.emojiCount >= 0 else {
      throw .damaged(name, "the document's own row counts less than there is")
    }
    try art.write(on: connection)
    guard try number("PRAGMA page_count") * number("PRAGMA page_size") <= Format.largestFile else {
      throw .tooLargeFile(name)
    }
  }

  private func number(_ pragma: String) throws(ArtError) -> Int {
    let row = try statement(pragma)
    try row.bind()
    defer { row.reset() }
    guard try row.step() else { throw .damaged(name, "SQLite does not report its size") }
    return try row.integer(0)
  }

  /// Whether the log has the last edit of another transaction; for one without edits, whether the rows of
  /// `art` are equal, or the versions are as it has left them.
  func contains(_ other: DocumentTransaction) throws(ArtError) -> Bool {
    guard other.art.revision != other.initialArt.revision, let head = other.art.head else {
      return if art == other.art { true } else { try contains(other.changedVersions) }
    }
    let row = try statement("SELECT count(*) FROM edit WHERE revision = ?1 AND origin = ?2 AND sequence = ?3")
    try row.bind(
      .integer(other.art.revision), .text(head.origin.description), .integer(head.sequence))
    defer { row.reset() }
    guard try row.step() else { return false }
    return try row.integer(0) > 0
  }

  /// The id of the edit that led to a revision; nil if the log no longer has it. Throws `damaged` if the stored id cannot be read.
  func loggedID(at revision: Int) throws(ArtError) -> EditID? {
    let row = try statement("SELECT origin || ':' || sequence FROM edit WHERE revision = ?1")
    try row.bind(.integer(revision))
    defer { row.reset() }
    guard try row.step() else { return nil }
    guard let id = EditID(try row.text(0)) else { throw .damaged(connection.name, "an edit has no id") }
    return id
  }

  /// Removes all edits of the log and of the archive: those that follow are not known one by one.
  func forgetEdits() throws(ArtError) {
    while let revision = try oldestRevision() {
      try removeEdit(revision) { (_, _) throws(ArtError) in }
    }
    try clearArchive()
  }

  /// Moves the oldest edits of the log to the archive until the log is within its capacity. The newest edit stays.
  private func trimLog() throws(ArtError) {
    let budget = LogBudget()
    try archiveOldest { budget.isLeaving($0, at: art.revision, of: art.logBytes) }
  }

  /// Moves the oldest edits to the archive while `isLeaving` says so of the next one's revision, but never the newest edit. One that is
  /// too large for the archive empties it and is not read.
  func archiveOldest(while isLeaving: (Int) -> Bool) throws(ArtError) {
    var leaving: [ArchiveRow] = []
    var isTooLarge = false
    while let revision = try oldestRevision(), revision < art.revision, isLeaving(revision) {
      try removeEdit(revision) { (row, bytes) throws(ArtError) in
        if bytes > Format.archiveBytes {
          isTooLarge = true
          leaving = []
        } else {
          leaving.append(try ArchiveRow(leaving: row, of: name))
        }
      }
    }
    if isTooLarge { try clearArchive() }
    try archive(leaving)
  }

  /// The revision of the oldest edit in the log; nil if there is none. Only the revision is read: an edit of many emoji fills hundreds of
  /// pages, and stays for a thousand saves.
  private func oldestRevision() throws(ArtError) -> Int? {
    let oldest = try statement("SELECT revision FROM edit ORDER BY revision LIMIT 1")
    try oldest.bind()
    defer { oldest.reset() }
    return try oldest.step() ? try oldest.integer(0) : nil
  }

  /// Removes an edit from the log. `body` gets its verified row and its bytes.
  private func removeEdit(
    _ revision: Int, _ body: (Statement, Int) throws(ArtError) -> Void
  ) throws(ArtError) {
    let row = try statement("\(EditRow.select) WHERE revision = ?1")
    try row.bind(.integer(revision))
    defer { row.reset() }
    guard try row.step() else { throw outOfOrder("edit") }
    let (sum, bytes) = try EditRow.verifiedSum(row, of: name)
    try body(row, bytes)
    row.reset()
    art.digest.remove(sum)
    art.logBytes -= bytes
    try statement("DELETE FROM edit WHERE revision = ?1").run(.integer(revision))
  }
}

// MARK: - Replacing everything

extension DocumentTransaction {
  /// Replaces all rows by those of a file that was built in memory, and makes its state the document's.
  func replaceAll(with image: FileImage) throws(ArtError) {
    let tables = ["emoji", "edit"] + PlainTable.allCases.map { "\($0.name)" }
    for table in tables {
      try connection.execute("DELETE FROM \(table)")
      let rows = try Statement("SELECT * FROM \(table)", on: image.connection)
      let marks = (0..<rows.columnCount).map { _ in "?" }.joined(separator: ",")
      let insertion = try Statement("INSERT INTO \(table) VALUES(\(marks))", on: connection)
      while try rows.step() {
        var values: [Statement.Value] = []
        for column in 0..<rows.columnCount { values.append(try rows.value(column)) }
        try insertion.bind(values)
        while try insertion.step() {}
      }
    }
    art = image.art
    try finish()
  }
}

// MARK: - Records of journals

extension DocumentTransaction {
  /// The sequence number of the last edit of a program's journal that the file has; nil if the document does
  /// not record the journal. Throws `damaged`.
  public func savedSequence(of origin: Origin) throws(ArtError) -> Int? { try row(of: origin)?.sequence }

  /// Records that the journal's edits up to that one are in the file, as part of this transaction.
  public func setSaved(_ origin: Origin, upTo sequence: Int) throws(ArtError) {
    if let old = try row(of: origin) { art.digest.remove(old.sum) }
    let values: [Statement.Value] = [.text(origin.description), .integer(sequence)]
    let sum = PlainTable.origin.sum(of: values)
    try statement("INSERT OR REPLACE INTO origin VALUES(?,?,?)").run(values[0], values[1], .integer(sum))
    art.digest.add(sum)
  }

  /// Removes the record of a journal that no longer exists.
  public func forget(_ origin: Origin) throws(ArtError) {
    guard let old = try row(of: origin) else { return }
    try statement("DELETE FROM origin WHERE origin = ?1").run(.text(origin.description))
    art.digest.remove(old.sum)
  }

  private func row(of origin: Origin) throws(ArtError) -> (sequence: Int, sum: Int)? {
    let row = try statement("\(PlainTable.origin.select) WHERE origin = ?1")
    try row.bind(.text(origin.description))
    defer { row.reset() }
    guard try row.step() else { return nil }
    let sum = try PlainTable.origin.verify(row, of: name)
    return (try row.integer(1), sum)
  }
}

extension DocumentFile {
  /// Removes the record of a journal that no longer exists, durably. A document without the record is not
  /// written. Throws what `edit` throws.
  public func forget(_ origin: Origin) throws(ArtError) {
    try edit { (transaction: DocumentTransaction) throws(ArtError) in try transaction.forget(origin) }
  }
}
