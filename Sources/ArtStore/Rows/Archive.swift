// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A row of `archive`: edits that have left the log, for merging copies of a document that have parted long ago.
///
/// Edits whose revisions divided by 64 are equal are one row, except that an edit of 8 KiB or more has a row to itself. So the rows
/// follow from the edits alone, in whatever portions these left the log.
struct ArchiveRow {
  /// The first edit's revision.
  let revision: Int
  /// The last edit's revision.
  private(set) var lastRevision: Int
  /// The number of edits, at least one.
  private(set) var count: Int
  /// The bytes of the edits' names and of their tags, changes, inverses and dropped changes in JSON.
  private(set) var bytes: Int
  /// The edits in JSON, with commas between them.
  private var json: [UInt8]

  /// The row of an edit that leaves the log, given the current row of a statement of `EditRow.select`. Its JSON is taken over as it is
  /// spelled, and not parsed into changes. Throws `damaged` for a row that cannot be written as JSON.
  init(leaving row: Statement, of name: String) throws(ArtError) {
    let revision = try row.integer(0)
    (self.revision, lastRevision, count) = (revision, revision, 1)
    do throws(ArtError) {
      (json, bytes) = try EditRow.archived(row)
    } catch {
      throw .damaged(name, "the edit of revision \(revision): \(error.cause)")
    }
  }

  private var isLarge: Bool { bytes >= Format.largeEdit && count == 1 }

  /// Whether the edits of both are one row.
  private func belongs(with other: ArchiveRow) -> Bool {
    !isLarge && !other.isLarge && LogBlock.number(of: lastRevision) == LogBlock.number(of: other.revision)
  }

  /// The rows of edits that follow the ones of a row; that row is the first one if it has changed.
  static func rows(of edits: [ArchiveRow], after last: ArchiveRow?) -> [ArchiveRow] {
    var rows = last.map { [$0] } ?? []
    for edit in edits {
      if let end = rows.indices.last, rows[end].belongs(with: edit) {
        rows[end].append(edit)
      } else {
        rows.append(edit)
      }
    }
    return rows
  }

  private mutating func append(_ other: ArchiveRow) {
    json.append(UInt8(ascii: ","))
    json += other.json
    lastRevision = other.lastRevision
    count += other.count
    bytes += other.bytes
  }

  /// The columns but `sum`.
  var values: [Statement.Value] {
    [
      .integer(revision), .integer(count), .integer(bytes),
      .text("[\(String(decoding: json, as: UTF8.self))]"),
    ]
  }
}

/// A row of `archive` as it is stored.
struct ArchivedRow: Equatable {
  let revision: Int
  private let count: Int
  private let bytes: Int
  private let rows: String

  /// Reads the current row of a statement of `PlainTable.archive.select`. Does not verify the sum. Throws `damaged` for values of other types.
  init(_ row: Statement) throws(ArtError) {
    (revision, count, bytes) = (try row.integer(0), try row.integer(1), try row.integer(2))
    rows = try row.text(3)
  }

  /// The columns but `sum`.
  var values: [Statement.Value] { [.integer(revision), .integer(count), .integer(bytes), .text(rows)] }

  /// Its edits. Throws `damaged`.
  func entries(of name: String) throws(ArtError) -> [LoggedEdit] {
    var rows = rows
    let read: Result<[LoggedEdit], ArtError> = rows.withUTF8 { rows in
      do throws(ArtError) {
        return .success(try ArchiveRow.entries(revision, count, bytes, rows, of: name))
      } catch {
        return .failure(error)
      }
    }
    return try read.get()
  }
}

extension ArchiveRow {
  /// The edits of the current row of a statement of `PlainTable.archive.select`. Does not verify the sum. Throws `damaged`.
  static func entries(_ row: Statement, of name: String) throws(ArtError) -> [LoggedEdit] {
    try entries(try row.integer(0), try row.integer(1), try row.integer(2), try row.utf8(3), of: name)
  }

  fileprivate static func entries(
    _ revision: Int, _ count: Int, _ size: Int, _ rows: UnsafeBufferPointer<UInt8>, of name: String
  ) throws(ArtError) -> [LoggedEdit] {
    // Bounds what is parsed: an edit has some hundred bytes besides its share, whose escapes may be longer in JSON.
    guard (1...LogBlock.size).contains(count), (0...Format.archiveBytes).contains(size),
      rows.count <= 8 * size + 4_096 * count
    else {
      throw .damaged(name, "the archived edits from revision \(revision) on are more than there can be")
    }
    var entries: [LoggedEdit] = []
    var bytes = 0
    do throws(ArtError) {
      try JSONReader.read(rows) { (reader) throws(ArtError) in
        try reader.array { (reader) throws(ArtError) in
          let (entry, size) = try EditRow.entry(from: &reader)
          guard entries.last.map({ $0.revision < entry.revision }) ?? (entry.revision == revision) else {
            throw reader.error("edits out of order")
          }
          entries.append(entry)
          bytes += size
        }
      }
    } catch {
      throw .damaged(name, "the archived edits from revision \(revision) on: \(error.cause)")
    }
    guard !entries.isEmpty, count == entries.count, bytes == size else {
      throw .damaged(
        name, "the archived edits from revision \(revision) on are not as many as they should be")
    }
    return entries
  }

  /// Reads such a row, so that it can be continued. Throws as `entries` does.
  init(_ row: Statement, of name: String) throws(ArtError) {
    let entries = try Self.entries(row, of: name)
    revision = try row.integer(0)
    lastRevision = entries.last?.revision ?? revision
    (count, bytes) = (try row.integer(1), try row.integer(2))
    // What is parsed begins and ends with a bracket, but for spaces around it.
    let rows = try row.utf8(3)
    let (first, last) = (rows.firstIndex(of: UInt8(ascii: "[")), rows.lastIndex(of: UInt8(ascii: "]")))
    json = if let first, let last { Array(rows[(first + 1)..<last]) } else { [] }
  }
}

extension EditRow {
  /// The current row of a statement of `select` as a JSON array of its columns but `sum`. Those that hold JSON are in it as they are spelled.
  /// With it the bytes that count. Throws `badJSON`.
  fileprivate static func archived(_ row: Statement) throws(ArtError) -> (json: [UInt8], bytes: Int) {
    var writer = JSONWriter(reserving: 512)
    var bytes = 0
    try writer.array { (writer) throws(ArtError) in
      for column in Column.revision..<Column.sum {
        switch column {
        case Column.revision, Column.sequence, Column.time, Column.save:
          writer.integer(try row.integer(column))
        case _ where row.isNull(column): writer.null()
        case Column.tags, Column.changes, Column.inverse, Column.dropped:
          let json = try JSONReader.read(try row.utf8(column)) { (reader) throws(ArtError) in
            try reader.verbatim()
          }
          writer.verbatim(json)
          bytes += json.count
        default:
          let text = try row.text(column)
          // JSON has no U+0000.
          guard !text.utf8.contains(0) else { throw .badJSON("a text with U+0000") }
          writer.string(text)
          if column == Column.name { bytes += text.utf8.count }
        }
      }
    }
    return (writer.bytes, bytes)
  }

  /// Reads what `archived` writes. Throws `badJSON`, and what the values' initializers throw.
  fileprivate static func entry(
    from reader: inout JSONReader
  ) throws(ArtError) -> (entry: LoggedEdit, bytes: Int) {
    var bytes = 0
    func next(_ reader: inout JSONReader) throws(ArtError) -> Int {
      try reader.comma()
      return try reader.integer()
    }
    func text(_ reader: inout JSONReader) throws(ArtError) -> String? {
      try reader.comma()
      return reader.null() ? nil : try reader.string()
    }
    func json(_ reader: inout JSONReader) throws(ArtError) -> UnsafeBufferPointer<UInt8>? {
      try reader.comma()
      guard !reader.null() else { return nil }
      let json = try reader.verbatim()
      bytes += json.count
      return json
    }
    func changes(_ reader: inout JSONReader) throws(ArtError) -> [Change]? {
      try json(&reader).map { (json) throws(ArtError) in try [Change](json: json) }
    }
    try reader.open()
    let revision = try reader.integer()
    let origin = try text(&reader).flatMap { Origin($0) }
    let (sequence, time, save) = (try next(&reader), try next(&reader), try next(&reader))
    let (word, undoes, name) = (try text(&reader), try text(&reader), try text(&reader))
    let (author, session) = (try text(&reader), try text(&reader))
    let tags = try json(&reader).map { (json) throws(ArtError) in try [RequestTag](json: json) } ?? []
    let (applied, inverse, dropped) = (try changes(&reader), try changes(&reader), try changes(&reader))
    try reader.close()
    guard let origin, let kind = word.flatMap({ LoggedEdit.Kind($0, of: undoes) }), let name, let applied,
      let inverse, (1...Format.largestNumber).contains(sequence),
      (1...Format.largestNumber).contains(revision), (1...revision).contains(save),
      session.map({ SessionID($0) != nil }) ?? true
    else { throw reader.error("an edit that cannot be read") }
    let stamp = EditStamp(
      id: EditID(origin: origin, sequence: sequence), time: time, author: author,
      session: session.flatMap { SessionID($0) }, tags: tags)
    let entry = LoggedEdit(
      stamp, revision: revision, save: save, kind: kind, edit: Edit(name: name, changes: applied),
      inverse: inverse, dropped: dropped ?? [])
    return (entry, bytes + name.utf8.count)
  }
}

// MARK: - Archiving

extension DocumentTransaction {
  /// Appends edits that have left the log, oldest first, and removes the oldest rows until the archive is within its capacity. An edit
  /// that is larger than that empties it, because the archive has no gaps.
  func archive(_ edits: [ArchiveRow]) throws(ArtError) {
    guard let first = edits.first else { return }
    let last = try lastArchived(before: first.revision)
    for row in ArchiveRow.rows(of: edits, after: last?.row) {
      guard row.bytes <= Format.archiveBytes else {
        try clearArchive()
        continue
      }
      let values = row.values
      if let last, values[0] == .integer(last.revision) {
        guard row.count > last.row?.count ?? 0 else { continue }
        try removeArchived(last.revision)
      }
      let sum = PlainTable.archive.sum(of: values)
      try statement("INSERT INTO archive VALUES(?,?,?,?,?)")
        .run(values[0], values[1], values[2], values[3], .integer(sum))
      art.digest.add(sum)
    }
    try trimArchive()
  }

  /// Whether there are archived edits.
  var hasArchive: Bool { get throws(ArtError) { try !archivedRows().isEmpty } }

  /// Removes all archived edits.
  func clearArchive() throws(ArtError) {
    for row in try archivedRows() { try removeArchived(row.revision) }
  }

  private func trimArchive() throws(ArtError) {
    let rows = try archivedRows()
    var edits = rows.reduce(0) { $0 + $1.edits }
    var bytes = rows.reduce(0) { $0 + $1.bytes }
    for row in rows where edits > Format.archiveEdits || bytes > Format.archiveBytes {
      edits -= row.edits
      bytes -= row.bytes
      try removeArchived(row.revision)
    }
  }

  /// The rows without their edits, oldest first. Their sums are not verified.
  private func archivedRows() throws(ArtError) -> [(revision: Int, edits: Int, bytes: Int)] {
    let rows = try statement("SELECT revision, edits, bytes FROM archive ORDER BY revision")
    try rows.bind()
    defer { rows.reset() }
    var found: [(revision: Int, edits: Int, bytes: Int)] = []
    while try rows.step() {
      let (edits, bytes) = (try rows.integer(1), try rows.integer(2))
      // What counts more than there can be is the first to go.
      let isSound = (1...Format.archiveEdits).contains(edits) && (0...Format.archiveBytes).contains(bytes)
      found.append(
        (try rows.integer(0), isSound ? edits : Format.archiveEdits + 1, isSound ? bytes : 0))
    }
    return found
  }

  /// The newest row before a revision, if there is one. A large edit's is not read, because no edit is added to it. An archive that cannot be
  /// continued, because it is unreadable or overlaps the log, is cleared: nothing else needs it, and a save must not fail for it.
  private func lastArchived(before first: Int) throws(ArtError) -> (revision: Int, row: ArchiveRow?)? {
    guard let last = try newestArchived() else { return nil }
    let end = last.row?.lastRevision ?? last.revision
    if last.isReadable, end < first { return (last.revision, last.row) }
    try clearArchive()
    return nil
  }

  private func newestArchived() throws(ArtError) -> (revision: Int, row: ArchiveRow?, isReadable: Bool)? {
    let row = try statement("\(PlainTable.archive.select) ORDER BY revision DESC LIMIT 1")
    try row.bind()
    defer { row.reset() }
    guard try row.step() else { return nil }
    _ = try PlainTable.archive.verify(row, of: name)
    let (revision, edits, bytes) = (try row.integer(0), try row.integer(1), try row.integer(2))
    if edits == 1, bytes >= Format.largeEdit { return (revision, nil, true) }
    do throws(ArtError) {
      return (revision, try ArchiveRow(row, of: name), true)
    } catch {
      return (revision, nil, false)
    }
  }

  private func removeArchived(_ revision: Int) throws(ArtError) {
    let row = try statement("\(PlainTable.archive.select) WHERE revision = ?1")
    try row.bind(.integer(revision))
    defer { row.reset() }
    guard try row.step() else { throw outOfOrder("archive") }
    art.digest.remove(try PlainTable.archive.verify(row, of: name))
    row.reset()
    try statement("DELETE FROM archive WHERE revision = ?1").run(.integer(revision))
  }
}
