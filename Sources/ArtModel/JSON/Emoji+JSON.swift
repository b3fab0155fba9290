// SPDX-License-Identifier: Apache-2.0

extension Emoji {
  /// The JSON of its row: `{"size":40,"text":"🐝","x":100,"y":200}`. Its id and z have columns of their own.
  public func writeFields(to writer: inout JSONWriter) {
    writer.object { writeMembers(to: &$0) }
  }

  /// The JSON that people see: the row's, with the id before it, and with its `z` behind where that is asked for.
  public func write(to writer: inout JSONWriter, withZ: Bool = false) {
    writer.object {
      $0.key("id")
      $0.string(id.description)
      writeMembers(to: &$0)
      guard withZ else { return }
      $0.key("z")
      $0.integer(z)
    }
  }

  /// Reads what `write` writes with `z`. Throws `badJSON`, and what the values' checks throw.
  public init(from reader: inout JSONReader) throws(ArtError) {
    let members = try EmojiMembers(from: &reader)
    guard let z = members.z else { throw reader.error("an emoji without z") }
    self = try members.emoji(z: z, &reader)
  }

  private func writeMembers(to writer: inout JSONWriter) {
    writer.key("size")
    writer.number(size.pixels)
    writer.key("text")
    writer.string(text.string)
    writer.key("x")
    writer.number(position.x)
    writer.key("y")
    writer.number(position.y)
  }

  /// Reads the JSON of a row. Throws `badJSON` and what the values' checks throw.
  public init(id: EmojiID, z: Int, fields: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    var size: Double?
    var text: String?
    var x: Double?
    var y: Double?
    try JSONReader.read(fields) { (reader) throws(ArtError) in
      try reader.object { (key, reader) throws(ArtError) in
        switch key {
        case "size": size = try reader.number()
        case "text": text = try reader.string()
        case "x": x = try reader.number()
        case "y": y = try reader.number()
        default: throw reader.error("an emoji with the key \"\(key)\"")
        }
      }
      if size == nil || text == nil || x == nil || y == nil {
        throw reader.error("an emoji without size, text, x or y")
      }
    }
    guard let size, let text, let x, let y, Limits.zOrder.contains(z) else {
      throw .badJSON("an emoji out of z-order", atByte: 0)
    }
    self.id = id
    self.z = z
    self.text = try EmojiText(stored: text)
    self.position = try Point(x: x, y: y)
    self.size = try FontSize(size)
  }
}

/// The members of an emoji in JSON of which all but the id may be missing:
///
///     {"id":"…","size":40,"text":"🐝","x":1,"y":2,"z":3}
package struct EmojiMembers {
  package let id: EmojiID
  package var size: FontSize?
  package var text: EmojiText?
  package var position: Point?
  package var z: Int?

  /// All of an emoji's.
  init(_ emoji: Emoji) {
    (id, size, text, position, z) = (emoji.id, emoji.size, emoji.text, emoji.position, emoji.z)
  }

  /// Those that are new.
  init(_ update: ContentEffect.Update) {
    (id, size, text, position, z) = (update.id, update.size, update.text, update.position, update.z)
  }

  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.key("id")
      $0.string(id.description)
      if let size {
        $0.key("size")
        $0.number(size.pixels)
      }
      if let text {
        $0.key("text")
        $0.string(text.string)
      }
      if let position {
        $0.key("x")
        $0.number(position.x)
        $0.key("y")
        $0.number(position.y)
      }
      if let z {
        $0.key("z")
        $0.integer(z)
      }
    }
  }

  /// Reads what `write` writes. Throws `badJSON`, also for one of x and y without the other, and what the values' checks throw.
  package init(from reader: inout JSONReader) throws(ArtError) {
    var id: EmojiID?
    var size: FontSize?
    var text: EmojiText?
    var (x, y): (Double?, Double?) = (nil, nil)
    var z: Int?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "id": id = try reader.emojiID()
      case "size": size = try FontSize(reader.number())
      case "text": text = try EmojiText(stored: reader.string())
      case "x": x = try reader.number()
      case "y": y = try reader.number()
      case "z": z = try reader.z()
      default: throw reader.error("an emoji with the key \"\(key.prefix(40))\"")
      }
    }
    guard let id else { throw reader.error("an emoji without id") }
    (self.id, self.size, self.text, self.z) = (id, size, text, z)
    switch (x, y) {
    case (let x?, let y?): position = try Point(x: x, y: y)
    case (nil, nil): position = nil
    default: throw reader.error("an emoji with one of x and y")
    }
  }

  /// All of an emoji, in that place of the order. Throws `badJSON` where a value is missing; `reader` tells where.
  package func emoji(z: Int, _ reader: inout JSONReader) throws(ArtError) -> Emoji {
    guard let size, let text, let position else {
      throw reader.error("an emoji without size, text, x or y")
    }
    return Emoji(id: id, text: text, position: position, size: size, z: z)
  }
}

extension JSONReader {
  /// Reads an emoji's id. Throws `badJSON`.
  package mutating func emojiID() throws(ArtError) -> EmojiID {
    guard let id = EmojiID(try string()) else { throw error("an emoji's id that is none") }
    return id
  }

  /// Reads a place in z-order. Throws `badJSON`.
  mutating func z() throws(ArtError) -> Int {
    let z = try integer()
    guard Limits.zOrder.contains(z) else { throw error("a z-order value out of range") }
    return z
  }
}
