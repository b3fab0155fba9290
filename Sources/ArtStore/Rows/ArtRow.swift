// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The one row of `art`: what belongs to the document as a whole.
struct ArtRow: Equatable {
  var id: DocumentID
  var canvas: Canvas
  var background: Background?
  var pending: PendingBackground?
  var revision: Int
  var head: EditID?
  /// Rows in `emoji`.
  var emojiCount: Int
  /// Bytes of names, changes and inverses in `edit`.
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
  /// Has the background fetched again, whose bytes are lost.
  mutating func giveUpBackground(at time: Int) {
    guard let lost = background else { return }
    background = nil
    pending = pending ?? PendingBackground(insteadOf: lost, since: time)
  }

  static let select = """
    SELECT one, id, canvas, background, pending, revision, head, emoji, log, digest, sum FROM art
    """
  static let columns = 11

  /// The columns as they lie in the row, before their meaning is looked at.
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

  /// Reads the row that a statement of `select` stands on.
  static func stored(_ row: Statement) throws(ArtError) -> Stored {
    Stored(
      id: try row.text(1), canvas: try row.text(2), background: try row.optionalText(3),
      pending: try row.optionalText(4), revision: try row.integer(5), head: try row.optionalText(6),
      emojiCount: try row.integer(7), logBytes: try row.integer(8), digest: try row.integer(9),
      sum: try row.integer(10))
  }

  /// Understands the columns. Throws `badJSON` and what the values' checks throw; does not look at the sum.
  init(_ stored: Stored) throws(ArtError) {
    guard let id = DocumentID(stored.id) else { throw .badJSON("a document's id that is none", atByte: 0) }
    self.id = id
    canvas = try JSONReader.read(stored.canvas) { (json) throws(ArtError) in try Canvas(from: &json) }
    if let text = stored.background {
      background = try JSONReader.read(text) { (json) throws(ArtError) in try Background(from: &json) }
    }
    if let text = stored.pending {
      pending = try JSONReader.read(text) { (json) throws(ArtError) in try PendingBackground(from: &json) }
    }
    if let text = stored.head {
      guard let head = EditID(text) else { throw .badJSON("a head that is no edit's id", atByte: 0) }
      self.head = head
    }
    guard (0...Format.largestNumber).contains(stored.revision),
      (0...Limits.emojiCount).contains(stored.emojiCount),
      (0...Format.largestNumber).contains(stored.logBytes)
    else { throw .badJSON("a count out of range", atByte: 0) }
    revision = stored.revision
    emojiCount = stored.emojiCount
    logBytes = stored.logBytes
    digest = Digest(stored.digest)
  }

  /// The columns as the row keeps them.
  var stored: Stored {
    var stored = Stored(
      id: id.description, canvas: json(canvas.write), background: background.map { json($0.write) },
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

  /// Writes the row, instead of the one that is there.
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
