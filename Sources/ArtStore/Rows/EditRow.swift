// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A row of `edit`, its sum, and how much of the log's capacity it takes.
struct EditRow {
  var entry: LoggedEdit
  var sum: Int
  /// Bytes of name, tags, changes, inverse and dropped.
  var bytes: Int

  static let select = """
    SELECT revision, origin, sequence, time, save, kind, undoes, name, author, session, tags, changes, inverse,
      dropped, sum
    FROM edit
    """

  private enum Column {
    static let revision = 0
    static let origin = 1
    static let sequence = 2
    static let time = 3
    static let save = 4
    static let kind = 5
    static let undoes = 6
    static let name = 7
    static let author = 8
    static let session = 9
    static let tags = 10
    static let changes = 11
    static let inverse = 12
    static let dropped = 13
    static let sum = 14
    /// Those that count against the log's capacity.
    static let counted = [name, tags, changes, inverse, dropped]
  }

  /// Reads the row that a statement of `select` stands on. Throws `damaged` when the sum does not fit.
  init(_ row: Statement, of name: String) throws(ArtError) {
    _ = try Self.verifiedSum(row, of: name)
    self = try EditRow(unverified: row, of: name)
  }

  /// The sum, and how much of the log's capacity the row takes, without its meaning. Throws `damaged` when the sum
  /// does not fit.
  static func verifiedSum(_ row: Statement, of name: String) throws(ArtError) -> (sum: Int, bytes: Int) {
    let stored = try row.integer(Column.sum)
    guard try sum(row) == stored else { throw .damaged(name, "an edit's row does not fit its sum") }
    return (stored, try size(row))
  }

  private static func size(_ row: Statement) throws(ArtError) -> Int {
    var size = 0
    for column in Column.counted where !row.isNull(column) { size += try row.utf8(column).count }
    return size
  }

  /// Understands the columns; does not look at the sum. Throws `damaged`.
  init(unverified row: Statement, of name: String) throws(ArtError) {
    sum = try row.integer(Column.sum)
    bytes = try Self.size(row)
    let revision = try row.integer(Column.revision)
    let (sequence, save) = (try row.integer(Column.sequence), try row.integer(Column.save))
    let session = try row.optionalText(Column.session)
    guard let origin = Origin(try row.text(Column.origin)), (1...Format.largestNumber).contains(sequence),
      let kind = Self.kind(try row.text(Column.kind), undoes: try row.optionalText(Column.undoes)),
      (1...Format.largestNumber).contains(revision), (1...revision).contains(save),
      session.map({ SessionID($0) != nil }) ?? true
    else { throw .damaged(name, "the edit of revision \(revision) cannot be read") }
    do {
      let stamp = EditStamp(
        id: EditID(origin: origin, sequence: sequence), time: try row.integer(Column.time),
        author: try row.optionalText(Column.author), session: session.flatMap { SessionID($0) },
        tags: row.isNull(Column.tags) ? [] : try [RequestTag](json: row.utf8(Column.tags)))
      entry = LoggedEdit(
        stamp, revision: revision, save: save, kind: kind,
        edit: Edit(
          name: try row.text(Column.name), changes: try [Change](json: try row.utf8(Column.changes))),
        inverse: try [Change](json: try row.utf8(Column.inverse)),
        dropped: row.isNull(Column.dropped) ? [] : try [Change](json: try row.utf8(Column.dropped)))
    } catch {
      throw .damaged(name, "the edit of revision \(revision): \(error.message)")
    }
  }

  static func sum(_ row: Statement) throws(ArtError) -> Int {
    var sum = RowSum("edit")
    for column in Column.revision..<Column.sum {
      switch column {
      case Column.revision, Column.sequence, Column.time, Column.save: sum.integer(try row.integer(column))
      default: if row.isNull(column) { sum.null() } else { sum.text(try row.utf8(column)) }
      }
    }
    return sum.value
  }

  private static func kind(_ word: String, undoes: String?) -> LoggedEdit.Kind? {
    switch (word, undoes.flatMap { EditID($0) }) {
    case ("edit", nil) where undoes == nil: .edit
    case ("undo", let id?): .undo(id)
    case ("redo", let id?): .redo(id)
    default: nil
    }
  }

  /// Writes the row of an entry.
  static func insert(_ entry: LoggedEdit, on connection: Connection) throws(ArtError) -> EditRow {
    let (kind, undoes): (String, String?) =
      switch entry.kind {
      case .edit: ("edit", nil)
      case .undo(let id): ("undo", id.description)
      case .redo(let id): ("redo", id.description)
      }
    let texts = Texts(entry)
    let values: [Statement.Value] = [
      .integer(entry.revision), .text(entry.id.origin.description), .integer(entry.id.sequence),
      .integer(entry.time), .integer(entry.save), .text(kind), .optional(undoes), .text(entry.edit.name),
      .optional(entry.author), .optional(entry.session?.description), .optional(texts.tags),
      .text(texts.changes), .text(texts.inverse), .optional(texts.dropped),
    ]
    var sum = RowSum("edit")
    for value in values { sum.add(value) }
    let insert = try Statement("INSERT INTO edit VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", on: connection)
    try insert.bind(values + [.integer(sum.value)])
    while try insert.step() {}
    return EditRow(entry: entry, sum: sum.value, bytes: texts.bytes)
  }

  private init(entry: LoggedEdit, sum: Int, bytes: Int) {
    self.entry = entry
    self.sum = sum
    self.bytes = bytes
  }

  /// How much of the log's capacity an entry takes.
  static func size(of entry: LoggedEdit) -> Int { Texts(entry).bytes }

  /// The columns of an entry that count against the log's capacity, as they are stored.
  private struct Texts {
    let tags: String?
    let changes: String
    let inverse: String
    let dropped: String?
    let bytes: Int

    init(_ entry: LoggedEdit) {
      tags =
        entry.stamp.tags.isEmpty ? nil : JSON.array(entry.stamp.tags.map { .string($0.description) }).text
      changes = Self.json(entry.edit.changes)
      inverse = Self.json(entry.inverse)
      dropped = entry.dropped.isEmpty ? nil : Self.json(entry.dropped)
      bytes =
        entry.edit.name.utf8.count + (tags?.utf8.count ?? 0) + changes.utf8.count + inverse.utf8.count
        + (dropped?.utf8.count ?? 0)
    }

    private static func json(_ changes: [Change]) -> String {
      var writer = JSONWriter()
      changes.write(to: &writer)
      return writer.text
    }
  }
}

extension [RequestTag] {
  /// Reads what a row or a line of a journal holds. Throws `badJSON`.
  init(json: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    self = try JSONReader.read(json) { (reader) throws(ArtError) in
      var tags: [RequestTag] = []
      try reader.array { (reader) throws(ArtError) in
        guard tags.count < Limits.editTags, let tag = RequestTag(try reader.string()) else {
          throw reader.error("a tag that is none, or one too many")
        }
        tags.append(tag)
      }
      return tags
    }
  }
}
