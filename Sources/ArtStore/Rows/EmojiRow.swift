// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A row of `emoji`, and its sum.
struct EmojiRow {
  var emoji: Emoji
  var sum: Int

  static let select = "SELECT id, z, json, sum FROM emoji"

  /// Reads the row that a statement of `select` stands on. Throws `damaged` when the sum does not fit.
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

  /// Understands the columns; does not look at the sum. Throws `damaged`.
  static func emoji(
    id: UnsafeBufferPointer<UInt8>, z: Int, fields: UnsafeBufferPointer<UInt8>, of name: String
  ) throws(ArtError) -> Emoji {
    guard let id = EmojiID(utf8: id) else { throw .damaged(name, "an emoji's id is none") }
    do {
      return try Emoji(id: id, z: z, fields: fields)
    } catch {
      throw .damaged(name, "the emoji \(id): \(error.message)")
    }
  }

  static func sum(id: UnsafeBufferPointer<UInt8>, z: Int, fields: UnsafeBufferPointer<UInt8>) -> Int {
    var sum = RowSum("emoji")
    sum.text(id)
    sum.integer(z)
    sum.text(fields)
    return sum.value
  }

  /// The row that keeps an emoji.
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

  /// The columns as JSON, as `aside` keeps them.
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
