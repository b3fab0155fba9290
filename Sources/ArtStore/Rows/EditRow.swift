// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A row of `edit`, its sum, and how much of the log's room it takes.
struct EditRow {
  var entry: LoggedEdit
  var sum: Int
  /// Bytes of name, changes, inverse and dropped.
  var bytes: Int

  static let select = """
    SELECT revision, origin, sequence, time, save, kind, undoes, name, author, changes, inverse, dropped, sum
    FROM edit
    """

  /// Reads the row that a statement of `select` stands on. Throws `damaged` when the sum does not fit.
  init(_ row: Statement, of name: String) throws(ArtError) {
    _ = try Self.verifiedSum(row, of: name)
    self = try EditRow(unverified: row, of: name)
  }

  /// The sum, and how much of the log's room the row takes, without its meaning. Throws `damaged` when the sum
  /// does not fit.
  static func verifiedSum(_ row: Statement, of name: String) throws(ArtError) -> (sum: Int, bytes: Int) {
    let stored = try row.integer(12)
    guard try sum(row) == stored else { throw .damaged(name, "an edit's row does not fit its sum") }
    return (stored, try size(row))
  }

  private static func size(_ row: Statement) throws(ArtError) -> Int {
    let dropped = row.isNull(11) ? 0 : try row.utf8(11).count
    return try row.utf8(7).count + row.utf8(9).count + row.utf8(10).count + dropped
  }

  /// Understands the columns; does not look at the sum. Throws `damaged`.
  init(unverified row: Statement, of name: String) throws(ArtError) {
    sum = try row.integer(12)
    bytes = try Self.size(row)
    let revision = try row.integer(0)
    let (sequence, save) = (try row.integer(2), try row.integer(4))
    guard let origin = Origin(try row.text(1)), (1...Format.largestNumber).contains(sequence),
      let kind = Self.kind(try row.text(5), undoes: try row.optionalText(6)),
      (1...Format.largestNumber).contains(revision), (1...revision).contains(save)
    else { throw .damaged(name, "the edit of revision \(revision) cannot be read") }
    do {
      entry = LoggedEdit(
        id: EditID(origin: origin, sequence: sequence), revision: revision, time: try row.integer(3),
        save: save, kind: kind, author: try row.optionalText(8),
        edit: Edit(name: try row.text(7), changes: try [Change](json: try row.utf8(9))),
        inverse: try [Change](json: try row.utf8(10)),
        dropped: row.isNull(11) ? [] : try [Change](json: try row.utf8(11)))
    } catch {
      throw .damaged(name, "the edit of revision \(revision): \(error.message)")
    }
  }

  static func sum(_ row: Statement) throws(ArtError) -> Int {
    var sum = RowSum("edit")
    sum.integer(try row.integer(0))
    sum.text(try row.utf8(1))
    sum.integer(try row.integer(2))
    sum.integer(try row.integer(3))
    sum.integer(try row.integer(4))
    sum.text(try row.utf8(5))
    if row.isNull(6) { sum.null() } else { sum.text(try row.utf8(6)) }
    sum.text(try row.utf8(7))
    if row.isNull(8) { sum.null() } else { sum.text(try row.utf8(8)) }
    sum.text(try row.utf8(9))
    sum.text(try row.utf8(10))
    if row.isNull(11) { sum.null() } else { sum.text(try row.utf8(11)) }
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
    let changes = json(entry.edit.changes)
    let inverse = json(entry.inverse)
    let dropped = entry.dropped.isEmpty ? nil : json(entry.dropped)
    var sum = RowSum("edit")
    sum.integer(entry.revision)
    sum.text(entry.id.origin.description)
    sum.integer(entry.id.sequence)
    sum.integer(entry.time)
    sum.integer(entry.save)
    sum.text(kind)
    sum.optional(undoes)
    sum.text(entry.edit.name)
    sum.optional(entry.author)
    sum.text(changes)
    sum.text(inverse)
    sum.optional(dropped)
    let value = sum.value
    try Statement("INSERT INTO edit VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)", on: connection).run(
      .integer(entry.revision), .text(entry.id.origin.description), .integer(entry.id.sequence),
      .integer(entry.time), .integer(entry.save), .text(kind), .optional(undoes), .text(entry.edit.name),
      .optional(entry.author), .text(changes), .text(inverse), .optional(dropped), .integer(value))
    return EditRow(
      entry: entry, sum: value,
      bytes: entry.edit.name.utf8.count + changes.utf8.count + inverse.utf8.count + (dropped?.utf8.count ?? 0)
    )
  }

  private init(entry: LoggedEdit, sum: Int, bytes: Int) {
    self.entry = entry
    self.sum = sum
    self.bytes = bytes
  }

  /// How much of the log's room an entry takes.
  static func size(of entry: LoggedEdit) -> Int {
    entry.edit.name.utf8.count + json(entry.edit.changes).utf8.count + json(entry.inverse).utf8.count
      + (entry.dropped.isEmpty ? 0 : json(entry.dropped).utf8.count)
  }

  private static func json(_ changes: [Change]) -> String {
    var writer = JSONWriter()
    changes.write(to: &writer)
    return writer.text
  }
}
