// SPDX-License-Identifier: Apache-2.0

extension Emoji {
  /// The JSON of its row: `{"size":40,"text":"🐝","x":100,"y":200}`. Its id and z have columns of their own.
  public func writeFields(to writer: inout JSONWriter) {
    writer.object { writeMembers(to: &$0) }
  }

  /// The JSON that people see: the row's, with the id before it.
  public func write(to writer: inout JSONWriter) {
    writer.object {
      $0.key("id")
      $0.string(id.description)
      writeMembers(to: &$0)
    }
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
