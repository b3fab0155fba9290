// SPDX-License-Identifier: Apache-2.0

extension Scene.Label {
  /// `["🐝",100,200,40]`: text, place, size.
  func write(to writer: inout JSONWriter) {
    writer.array {
      $0.string(text.string)
      $0.number(position.x)
      $0.number(position.y)
      $0.number(size.pixels)
    }
  }

  /// Reads what `write` writes.
  init(from reader: inout JSONReader) throws(ArtError) {
    try reader.open()
    text = try EmojiText(stored: try reader.string())
    try reader.comma()
    let x = try reader.number()
    try reader.comma()
    position = try Point(x: x, y: try reader.number())
    try reader.comma()
    size = try FontSize(try reader.number())
    try reader.close()
  }
}

extension WorkerRequest.Draw {
  /// `{"canvas":{…},"format":{…},"isTransparent":…,"region":{…}}`.
  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.key("canvas")
      canvas.write(to: &$0)
      $0.key("format")
      format.write(to: &$0)
      $0.key("isTransparent")
      $0.boolean(isTransparent)
      $0.key("region")
      region.write(to: &$0)
    }
  }

  /// Reads what `write` writes.
  init(from reader: inout JSONReader) throws(ArtError) {
    var canvas: Canvas?
    var format: Drawing.Format?
    var isTransparent: Bool?
    var region: Rect?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "canvas": canvas = try Canvas(from: &reader)
      case "format": format = try Drawing.Format(from: &reader)
      case "isTransparent": isTransparent = try reader.boolean()
      case "region": region = try Rect(from: &reader)
      default: throw reader.error("draw with the key \"\(key.prefix(40))\"")
      }
    }
    guard let canvas, let format, let isTransparent, let region else {
      throw reader.error("draw without canvas, format, isTransparent or region")
    }
    self.init(canvas: canvas, region: region, format: format, isTransparent: isTransparent)
  }
}

extension Rect {
  /// `{"height":…,"width":…,"x":…,"y":…}`.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      for (key, value) in [("height", height), ("width", width), ("x", x), ("y", y)] {
        writer.key(key)
        writer.number(value)
      }
    }
  }

  /// Reads what `write` writes.
  init(from reader: inout JSONReader) throws(ArtError) {
    var height: Double?
    var width: Double?
    var x: Double?
    var y: Double?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "height": height = try reader.number()
      case "width": width = try reader.number()
      case "x": x = try reader.number()
      case "y": y = try reader.number()
      default: throw reader.error("a region with the key \"\(key.prefix(40))\"")
      }
    }
    guard let height, let width, let x, let y else {
      throw reader.error("a region without height, width, x or y")
    }
    try self.init(x: x, y: y, width: width, height: height)
  }
}
