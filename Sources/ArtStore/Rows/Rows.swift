// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CStore
import Glibc

/// The one row of `art`: the values of the document as a whole.
struct ArtRow: Equatable {
  var id: DocumentID
  var canvas: Canvas
  var fill: Color?
  var background: Background?
  var pending: PendingBackground?
  var revision: Int
  var head: EditID?
  /// The number of rows in `emoji`.
  var emojiCount: Int
  /// The bytes of names, tags, changes, inverses and dropped changes in `edit`.
  var logBytes: Int
  var digest: Digest

  init(id: DocumentID, canvas: Canvas) {
    self.id = id
    self.canvas = canvas
    revision = 0
    emojiCount = 0
    logBytes = 0
    digest = Digest()
  }
}

extension ArtRow {
  /// Removes a background whose bytes are lost, and makes it pending if it has a URL and none is pending.
  mutating func refetchBackground(at time: Int) {
    guard let lost = background else { return }
    background = nil
    pending = pending ?? PendingBackground(replacing: lost, since: time)
  }

  static let select = """
    SELECT one, id, canvas, background, pending, revision, head, emoji, log, digest, sum FROM art
    """
  static let columns = 11

  /// The columns as stored, before they are parsed.
  struct Stored {
    var id: String
    var canvas: String
    var background: String?
    var pending: String?
    var revision: Int
    var head: String?
    var emojiCount: Int
    var logBytes: Int
    var digest: Int
    var sum: Int

    var expectedSum: Int {
      var sum = RowSum("art")
      sum.integer(1)
      sum.text(id)
      sum.text(canvas)
      sum.optional(background)
      sum.optional(pending)
      sum.integer(revision)
      sum.optional(head)
      sum.integer(emojiCount)
      sum.integer(logBytes)
      sum.integer(digest)
      return sum.value
    }
  }

  /// Reads the current row of a statement of `select`.
  static func stored(_ row: Statement) throws(ArtError) -> Stored {
    Stored(
      id: try row.text(1), canvas: try row.text(2), background: try row.optionalText(3),
      pending: try row.optionalText(4), revision: try row.integer(5), head: try row.optionalText(6),
      emojiCount: try row.integer(7), logBytes: try row.integer(8), digest: try row.integer(9),
      sum: try row.integer(10))
  }

  /// Parses the columns. Throws `badJSON` and what the values' checks throw. Does not verify the sum.
  init(_ stored: Stored) throws(ArtError) {
    guard let id = DocumentID(stored.id) else { throw .badJSON("a document's id that is none") }
    self.id = id
    (canvas, fill) = try JSONReader.read(stored.canvas) { (json) throws(ArtError) in
      try Canvas.filled(from: &json)
    }
    if let text = stored.background {
      background = try JSONReader.read(text) { (json) throws(ArtError) in try Background(from: &json) }
    }
    if let text = stored.pending {
      pending = try JSONReader.read(text) { (json) throws(ArtError) in try PendingBackground(from: &json) }
    }
    if let text = stored.head {
      guard let head = EditID(text) else { throw .badJSON("a head that is no edit's id") }
      self.head = head
    }
    guard (0...Format.largestNumber).contains(stored.revision),
      (0...Limits.emojiCount).contains(stored.emojiCount),
      (0...Format.largestNumber).contains(stored.logBytes)
    else { throw .badJSON("a count out of range") }
    revision = stored.revision
    emojiCount = stored.emojiCount
    logBytes = stored.logBytes
    digest = Digest(stored.digest)
  }

  /// The columns as they are stored.
  var stored: Stored {
    var stored = Stored(
      id: id.description, canvas: json { canvas.write(to: &$0, fill: fill) },
      background: background.map { json($0.write) },
      pending: pending.map { json($0.write) }, revision: revision, head: head?.description,
      emojiCount: emojiCount, logBytes: logBytes, digest: digest.value, sum: 0)
    stored.sum = stored.expectedSum
    return stored
  }

  private func json(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return writer.text
  }

  /// Writes the row, replacing the one before.
  func write(on connection: Connection) throws(ArtError) {
    let row = stored
    try Statement("INSERT OR REPLACE INTO art VALUES(1,?,?,?,?,?,?,?,?,?,?)", on: connection).run(
      .text(row.id), .text(row.canvas), .optional(row.background), .optional(row.pending),
      .integer(row.revision), .optional(row.head), .integer(row.emojiCount), .integer(row.logBytes),
      .integer(row.digest), .integer(row.sum))
  }
}

extension Statement.Value {
  static func optional(_ text: String?) -> Statement.Value { text.map(Statement.Value.text) ?? .null }
}

// MARK: - Emoji

/// A row of `emoji` and its sum.
struct EmojiRow {
  var emoji: Emoji
  var sum: Int

  static let select = "SELECT id, z, json, sum FROM emoji"

  /// Reads the current row of a statement of `select`. Throws `damaged` if it does not match its sum.
  init(_ row: Statement, of name: String) throws(ArtError) {
    let id = try row.utf8(0)
    let z = try row.integer(1)
    let fields = try row.utf8(2)
    sum = try row.integer(3)
    guard Self.sum(id: id, z: z, fields: fields) == sum else {
      throw .damaged(name, "an emoji's row does not fit its sum")
    }
    emoji = try Self.emoji(id: id, z: z, fields: fields, of: name)
  }

  /// Parses the columns. Does not verify the sum. Throws `damaged`.
  static func emoji(
    id: UnsafeBufferPointer<UInt8>, z: Int, fields: UnsafeBufferPointer<UInt8>, of name: String
  ) throws(ArtError) -> Emoji {
    guard let id = EmojiID(utf8: id) else { throw .damaged(name, "an emoji's id is none") }
    do {
      return try Emoji(id: id, z: z, fields: fields)
    } catch {
      throw .damaged(name, "the emoji \(id): \(error.cause)")
    }
  }

  static func sum(id: UnsafeBufferPointer<UInt8>, z: Int, fields: UnsafeBufferPointer<UInt8>) -> Int {
    var sum = RowSum("emoji")
    sum.text(id)
    sum.integer(z)
    sum.text(fields)
    return sum.value
  }

  /// The row of an emoji.
  init(_ emoji: Emoji) {
    self.emoji = emoji
    var sum = RowSum("emoji")
    sum.text(emoji.id.description)
    sum.integer(emoji.z)
    sum.text(Self.fields(of: emoji))
    self.sum = sum.value
  }

  var values: (id: Statement.Value, z: Statement.Value, json: Statement.Value, sum: Statement.Value) {
    (.text(emoji.id.description), .integer(emoji.z), .text(Self.fields(of: emoji)), .integer(sum))
  }

  /// The columns as JSON, for the table `aside`.
  var json: String {
    JSON.array([
      .string(emoji.id.description), .integer(emoji.z), .string(Self.fields(of: emoji)), .integer(sum),
    ]).text
  }

  private static func fields(of emoji: Emoji) -> String {
    var writer = JSONWriter()
    emoji.writeFields(to: &writer)
    return writer.text
  }
}

// MARK: - Edits

/// A row of `edit`, its sum, and its share of the log's capacity.
struct EditRow {
  var entry: LoggedEdit
  var sum: Int
  /// The bytes of name, tags, changes, inverse and dropped.
  var bytes: Int

  static let select = """
    SELECT revision, origin, sequence, time, save, kind, undoes, name, author, session, tags, changes, inverse,
      dropped, sum
    FROM edit
    """

  enum Column {
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
    /// The columns that count against the log's capacity.
    static let counted = [name, tags, changes, inverse, dropped]
  }

  /// Reads the current row of a statement of `select`. Throws `damaged` if it does not match its sum.
  init(_ row: Statement, of name: String) throws(ArtError) {
    _ = try Self.verifiedSum(row, of: name)
    self = try EditRow(unverified: row, of: name)
  }

  /// The sum and the counted bytes of a row, without parsing it. Throws `damaged` if it does not match its
  /// sum.
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

  /// Parses the columns. Does not verify the sum. Throws `damaged`.
  init(unverified row: Statement, of name: String) throws(ArtError) {
    sum = try row.integer(Column.sum)
    bytes = try Self.size(row)
    let revision = try row.integer(Column.revision)
    let (sequence, save) = (try row.integer(Column.sequence), try row.integer(Column.save))
    let session = try row.optionalText(Column.session)
    guard let origin = Origin(try row.text(Column.origin)), (1...Format.largestNumber).contains(sequence),
      let kind = LoggedEdit.Kind(try row.text(Column.kind), of: try row.optionalText(Column.undoes)),
      (1...Format.largestNumber).contains(revision), (1...revision).contains(save),
      session.map({ SessionID($0) != nil }) ?? true
    else { throw .damaged(name, "the edit of revision \(revision) cannot be read") }
    let (author, title) = (try row.optionalText(Column.author), try row.text(Column.name))
    // JSON, and so the archive, has no U+0000.
    guard !title.utf8.contains(0), author.map({ !$0.utf8.contains(0) }) ?? true else {
      throw .damaged(name, "the edit of revision \(revision) has a name or an author with U+0000")
    }
    do {
      let stamp = EditStamp(
        id: EditID(origin: origin, sequence: sequence), time: try row.integer(Column.time),
        author: author, session: session.flatMap { SessionID($0) },
        tags: row.isNull(Column.tags) ? [] : try [RequestTag](json: row.utf8(Column.tags)))
      entry = LoggedEdit(
        stamp, revision: revision, save: save, kind: kind,
        edit: Edit(
          name: title, changes: try [Change](json: try row.utf8(Column.changes))),
        inverse: try [Change](json: try row.utf8(Column.inverse)),
        dropped: row.isNull(Column.dropped) ? [] : try [Change](json: try row.utf8(Column.dropped)))
    } catch {
      throw .damaged(name, "the edit of revision \(revision): \(error.cause)")
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

  /// The statement that writes a row.
  static let insertion = "INSERT INTO edit VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"

  /// Writes the row of an entry with the prepared `insertion`.
  static func insert(_ entry: LoggedEdit, with insertion: Statement) throws(ArtError) -> EditRow {
    let texts = Texts(entry)
    let values: [Statement.Value] = [
      .integer(entry.revision), .text(entry.id.origin.description), .integer(entry.id.sequence),
      .integer(entry.time), .integer(entry.save), .text(entry.kind.word),
      .optional(entry.kind.revertedID?.description), .text(entry.edit.name),
      .optional(entry.author), .optional(entry.session?.description), .optional(texts.tags),
      .text(texts.changes), .text(texts.inverse), .optional(texts.dropped),
    ]
    var sum = RowSum("edit")
    for value in values { sum.add(value) }
    try insertion.bind(values + [.integer(sum.value)])
    while try insertion.step() {}
    return EditRow(entry: entry, sum: sum.value, bytes: texts.bytes)
  }

  private init(entry: LoggedEdit, sum: Int, bytes: Int) {
    self.entry = entry
    self.sum = sum
    self.bytes = bytes
  }

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

extension LoggedEdit.Kind {
  /// The kind as a file and a journal have it.
  var word: String {
    switch self {
    case .edit: "edit"
    case .undo: "undo"
    case .redo: "redo"
    case .merge: "merge"
    case .repair: "repair"
    case .refuse: "refuse"
    }
  }

  /// Reads that word and the id of the reverted entry; nil if they are none.
  init?(_ word: String, of reverted: String?) {
    switch (word, reverted.map { EditID($0) }) {
    case ("edit", .none): self = .edit
    case ("undo", .some(let id?)): self = .undo(id)
    case ("redo", .some(let id?)): self = .redo(id)
    case ("merge", .none): self = .merge
    case ("repair", .none): self = .repair
    case ("refuse", .none): self = .refuse
    default: return nil
    }
  }
}

extension [RequestTag] {
  /// Parses the column `tags`. Throws `badJSON`.
  init(json: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    var tags: [RequestTag] = []
    try JSONReader.read(json) { (reader) throws(ArtError) in
      try reader.array { (reader) throws(ArtError) in
        guard tags.count < Limits.editTags, let tag = RequestTag(try reader.string()) else {
          throw reader.error("a tag that is none, or one too many")
        }
        tags.append(tag)
      }
    }
    self = tags
  }
}

// MARK: - Origins, pictures, quarantined rows, archived edits, versions

/// The tables whose rows have no type of their own, with their columns in the order of the sum.
enum PlainTable: CaseIterable {
  case origin
  case image
  case aside
  case archive
  case version

  var name: StaticString {
    switch self {
    case .origin: "origin"
    case .image: "image"
    case .aside: "aside"
    case .archive: "archive"
    case .version: "version"
    }
  }

  /// The sum is the last column.
  var select: String {
    switch self {
    case .origin: "SELECT origin, sequence, sum FROM origin"
    case .image: "SELECT number, digest, bytes, sum FROM image"
    case .aside: "SELECT number, source, row, reason, time, sum FROM aside"
    case .archive: "SELECT revision, edits, bytes, rows, sum FROM archive"
    case .version: "SELECT id, name, revision, head, author, time, content, sum FROM version"
    }
  }

  /// Inserts a picture's row, and returns its sum.
  static func insertPicture(
    _ bytes: [UInt8], digest: String, number: Int, on connection: Connection
  ) throws(ArtError) -> Int {
    let sum = image.sum(of: [.integer(number), .text(digest), .blob(bytes)])
    try Statement("INSERT INTO image(number, digest, sum, bytes) VALUES(?,?,?,?)", on: connection)
      .run(.integer(number), .text(digest), .integer(sum), lending: bytes)
    return sum
  }

  /// The sum of a row of these values, which are all columns but `sum`.
  func sum(of values: [Statement.Value]) -> Int {
    var sum = RowSum(name)
    for value in values { sum.add(value) }
    return sum.value
  }

  /// The sum computed from the row's columns.
  func expectedSum(_ row: Statement) throws(ArtError) -> Int {
    var sum = RowSum(name)
    switch self {
    case .origin:
      sum.text(try row.utf8(0))
      sum.integer(try row.integer(1))
    case .image:
      sum.integer(try row.integer(0))
      sum.text(try row.utf8(1))
      sum.blob(try row.blob(2))
    case .aside:
      sum.integer(try row.integer(0))
      sum.text(try row.utf8(1))
      sum.text(try row.utf8(2))
      sum.text(try row.utf8(3))
      sum.integer(try row.integer(4))
    case .archive:
      for column in 0..<3 { sum.integer(try row.integer(column)) }
      sum.text(try row.utf8(3))
    case .version:
      for column in 0..<row.columnCount - 1 {
        switch column {
        case 2, 5: sum.integer(try row.integer(column))
        default: if row.isNull(column) { sum.null() } else { sum.text(try row.utf8(column)) }
        }
      }
    }
    return sum.value
  }

  /// Verifies the sum and the values of a row, and returns the sum. Throws `damaged`. What an archive's row and a version's hold is
  /// read only by a check and by what uses it: a document that is opened may have a long archive.
  func verify(_ row: Statement, of document: String) throws(ArtError) -> Int {
    let sum = try row.integer(row.columnCount - 1)
    guard try expectedSum(row) == sum else {
      throw .damaged(document, "a row of the table \(name) does not fit its sum")
    }
    switch self {
    case .origin, .image, .aside: try checkMeaning(row, of: document)
    case .archive, .version: break
    }
    return sum
  }

  /// Throws `damaged` if a value is invalid. Does not verify the sum.
  func checkMeaning(_ row: Statement, of document: String) throws(ArtError) {
    switch self {
    case .origin:
      guard Origin(try row.text(0)) != nil, (0...Format.largestNumber).contains(try row.integer(1)) else {
        throw .damaged(document, "an origin's row cannot be read")
      }
    case .image:
      guard (1...Format.largestNumber).contains(try row.integer(0)) else {
        throw .damaged(document, "a stored picture has no number")
      }
      guard try row.text(1) == ContentDigest.of(try row.blob(2)) else {
        throw .damaged(document, "a stored picture is not the one of its digest")
      }
    case .aside:
      _ = try (row.text(1), row.text(2), row.text(3))
      guard (1...Format.largestNumber).contains(try row.integer(0)) else {
        throw .damaged(document, "a quarantined row has no number")
      }
    case .archive: _ = try ArchiveRow.entries(row, of: document)
    case .version: _ = try VersionRow(row, of: document)
    }
  }
}

// MARK: - Digests of content

/// The digest that names a stored picture: XXH3-128, 32 hexadecimal digits, lower case, the high half first.
package enum ContentDigest {
  package static func of(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    text(XXH3_128bits(bytes.baseAddress, bytes.count))
  }

  /// The digest of the pieces that `next` gives, until it gives an empty one.
  static func of(pieces next: () throws(ArtError) -> [UInt8]) throws(ArtError) -> String {
    guard let state = XXH3_createState() else { throw .system("read", "memory", ENOMEM) }
    defer { XXH3_freeState(state) }
    XXH3_128bits_reset(state)
    while true {
      let piece = try next()
      guard !piece.isEmpty else { return text(XXH3_128bits_digest(state)) }
      XXH3_128bits_update(state, piece, piece.count)
    }
  }

  private static func text(_ hash: XXH128_hash_t) -> String {
    hexadecimal(hash.high64) + hexadecimal(hash.low64)
  }

  /// Twelve characters of an id's alphabet that stand for the bytes in a file name.
  static func mark(of bytes: UnsafeBufferPointer<UInt8>) -> String {
    struct Once: RandomNumberGenerator {
      let bits: UInt64
      mutating func next() -> UInt64 { bits }
    }
    var bits = Once(bits: XXH3_128bits(bytes.baseAddress, bytes.count).high64)
    return DocumentID(using: &bits).description
  }

  private static func hexadecimal(_ bits: UInt64) -> String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
