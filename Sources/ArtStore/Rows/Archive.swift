// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A row of `archive`: edits that have left the log, for merging copies of a document that have parted long ago.
///
/// Edits whose revisions divided by 64 are equal are one row, except that an edit of 8 KiB or more has a row to itself. So the rows
/// follow from the edits alone, in whatever portions these left the log.
struct ArchiveRow {
  /// The edits, ascending by revision, at least one.
  private(set) var entries: [LoggedEdit]
  /// Their bytes, counted as in the log.
  private(set) var bytes: Int

  init(_ entry: LoggedEdit) {
    entries = [entry]
    bytes = EditRow.size(of: entry)
  }

  private var isLarge: Bool { bytes >= Format.largeEdit && entries.count == 1 }

  /// Whether the edits of both are one row.
  private func belongs(with other: ArchiveRow) -> Bool {
    guard !isLarge, !other.isLarge, let last = entries.last, let first = other.entries.first else {
      return false
    }
    return LogBlock.number(of: last.revision) == LogBlock.number(of: first.revision)
  }

  /// The rows of edits that follow the ones of a row; that row is the first one if it has changed.
  static func rows(of entries: [LoggedEdit], after last: ArchiveRow?) -> [ArchiveRow] {
    var rows = last.map { [$0] } ?? []
    for row in entries.map(ArchiveRow.init) {
      if let end = rows.indices.last, rows[end].belongs(with: row) {
        rows[end].entries += row.entries
        rows[end].bytes += row.bytes
      } else {
        rows.append(row)
      }
    }
    return rows
  }

  /// The columns but `sum`.
  var values: [Statement.Value] {
    var writer = JSONWriter()
    writer.array { writer in for entry in entries { EditRow.write(entry, to: &writer) } }
    return [
      .integer(entries[0].revision), .integer(entries.count), .integer(bytes), .text(writer.text),
    ]
  }

  /// Reads the current row of a statement of `PlainTable.archive.select`. Does not verify the sum. Throws `damaged`.
  init(_ row: Statement, of name: String) throws(ArtError) {
    let (revision, count, size) = (try row.integer(0), try row.integer(1), try row.integer(2))
    // Bounds what is parsed: an edit has some hundred bytes besides its share, whose escapes may be longer in JSON.
    guard (1...LogBlock.size).contains(count), (0...Format.archiveBytes).contains(size),
      try row.utf8(3).count <= 8 * size + 4_096 * count
    else {
      throw .damaged(name, "the archived edits from revision \(revision) on are more than there can be")
    }
    do throws(ArtError) {
      entries = try JSONReader.read(try row.utf8(3)) { (reader) throws(ArtError) in
        var entries: [LoggedEdit] = []
        try reader.array { (reader) throws(ArtError) in
          let entry = try EditRow.entry(from: &reader)
          guard entries.last.map({ $0.revision < entry.revision }) ?? (entry.revision == revision) else {
            throw reader.error("edits out of order")
          }
          entries.append(entry)
        }
        return entries
      }
    } catch {
      throw .damaged(name, "the archived edits from revision \(revision) on: \(error.cause)")
    }
    bytes = size
    guard !entries.isEmpty, count == entries.count,
      bytes == entries.reduce(0, { $0 + EditRow.size(of: $1) })
    else {
      throw .damaged(
        name, "the archived edits from revision \(revision) on are not as many as they should be")
    }
  }
}

extension EditRow {
  /// Writes an entry as an array of the columns of `edit` but `sum`; changes, inverse, dropped changes and tags as JSON values.
  fileprivate static func write(_ entry: LoggedEdit, to writer: inout JSONWriter) {
    writer.array { writer in
      writer.integer(entry.revision)
      writer.string(entry.id.origin.description)
      writer.integer(entry.id.sequence)
      writer.integer(entry.time)
      writer.integer(entry.save)
      let (kind, undoes) = Self.kind(of: entry)
      writer.string(kind)
      for text in [undoes, entry.edit.name, entry.author, entry.session?.description] {
        if let text { writer.string(text) } else { writer.null() }
      }
      if entry.stamp.tags.isEmpty {
        writer.null()
      } else {
        writer.array { for tag in entry.stamp.tags { $0.string(tag.description) } }
      }
      entry.edit.changes.write(to: &writer)
      entry.inverse.write(to: &writer)
      if entry.dropped.isEmpty { writer.null() } else { entry.dropped.write(to: &writer) }
    }
  }

  /// Reads what `write` writes. Throws `badJSON`, and what the values' initializers throw.
  fileprivate static func entry(from reader: inout JSONReader) throws(ArtError) -> LoggedEdit {
    func next(_ reader: inout JSONReader) throws(ArtError) -> Int {
      try reader.comma()
      return try reader.integer()
    }
    func text(_ reader: inout JSONReader) throws(ArtError) -> String? {
      try reader.comma()
      return reader.null() ? nil : try reader.string()
    }
    func changes(_ reader: inout JSONReader) throws(ArtError) -> [Change]? {
      try reader.comma()
      return reader.null() ? nil : try [Change](from: &reader)
    }
    try reader.open()
    let revision = try reader.integer()
    let origin = try text(&reader).flatMap { Origin($0) }
    let (sequence, time, save) = (try next(&reader), try next(&reader), try next(&reader))
    let (word, undoes, name) = (try text(&reader), try text(&reader), try text(&reader))
    let (author, session) = (try text(&reader), try text(&reader))
    try reader.comma()
    let tags = reader.null() ? [] : try [RequestTag](from: &reader)
    let (applied, inverse, dropped) = (try changes(&reader), try changes(&reader), try changes(&reader))
    try reader.close()
    guard let origin, let kind = word.flatMap({ Self.kind($0, undoes: undoes) }), let name, let applied,
      let inverse, (1...Format.largestNumber).contains(sequence),
      (1...Format.largestNumber).contains(revision), (1...revision).contains(save),
      session.map({ SessionID($0) != nil }) ?? true
    else { throw reader.error("an edit that cannot be read") }
    let stamp = EditStamp(
      id: EditID(origin: origin, sequence: sequence), time: time, author: author,
      session: session.flatMap { SessionID($0) }, tags: tags)
    return LoggedEdit(
      stamp, revision: revision, save: save, kind: kind, edit: Edit(name: name, changes: applied),
      inverse: inverse, dropped: dropped ?? [])
  }
}

// MARK: - Archiving

extension DocumentTransaction {
  /// Appends edits that have left the log, oldest first, and removes the oldest rows until the archive is within its capacity. An edit
  /// that is larger than that empties it, because the archive has no gaps.
  func archive(_ entries: [LoggedEdit]) throws(ArtError) {
    guard !entries.isEmpty else { return }
    let last = try lastArchived(before: entries[0].revision)
    for row in ArchiveRow.rows(of: entries, after: last?.row) {
      guard row.bytes <= Format.archiveBytes else {
        try clearArchive()
        continue
      }
      let values = row.values
      if let last, values[0] == .integer(last.revision) {
        guard row.entries.count > last.row?.entries.count ?? 0 else { continue }
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
    let end = last.row?.entries.last?.revision ?? last.revision
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
