// SPDX-License-Identifier: Apache-2.0

extension Scene.Label {
  /// Writes `["🐝",100,200,40]`: text, position, size.
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
  /// Writes `{"canvas":{…},"format":{…},"isTransparent":…,"region":{…}}`.
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
  /// Writes `{"height":…,"width":…,"x":…,"y":…}`.
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

extension Drawn {
  /// Writes `{"lacking":["…"],"lackingCount":1,"pictureFault":"…"}`, without `pictureFault` if there is none.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("lacking")
      writer.array { for text in lacking.prefix(Self.namedTexts) { $0.string(text) } }
      writer.key("lackingCount")
      writer.integer(lackingCount)
      if let pictureFault {
        writer.key("pictureFault")
        writer.detail(pictureFault)
      }
    }
  }

  /// Reads what `write` writes. Throws for invalid texts, for too many texts, and for a count that does not fit the
  /// texts.
  init(from reader: inout JSONReader) throws(ArtError) {
    var lacking: [String]?
    var lackingCount: Int?
    var pictureFault: String?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "lacking": lacking = try Self.texts(from: &reader)
      case "lackingCount": lackingCount = try reader.count(0...Limits.emojiCount, "texts")
      case "pictureFault": pictureFault = try reader.detail()
      default: throw reader.error("drawn with the key \"\(key.prefix(40))\"")
      }
    }
    guard let lacking, let lackingCount else { throw reader.error("drawn without lacking or lackingCount") }
    guard lacking.count == min(lackingCount, Self.namedTexts) else {
      throw .badCount(lacking.count, "texts")
    }
    self.init(lacking: lacking, lackingCount: lackingCount, pictureFault: pictureFault)
  }

  private static func texts(from reader: inout JSONReader) throws(ArtError) -> [String] {
    var texts: [String] = []
    try reader.array { (reader) throws(ArtError) in
      guard texts.count < namedTexts else { throw .badCount(texts.count + 1, "texts") }
      texts.append(try EmojiText(stored: try reader.string()).string)
    }
    return texts
  }
}

extension DrawingRefusal {
  /// Writes `{"detail":"…","reason":"…"}`.
  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.key("detail")
      $0.detail(detail)
      $0.key("reason")
      $0.string(reason.rawValue)
    }
  }

  /// Reads what `write` writes.
  init(from reader: inout JSONReader) throws(ArtError) {
    var detail: String?
    var reason: Reason?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "detail": detail = try reader.detail()
      case "reason":
        let name = try reader.string()
        reason = Reason(rawValue: name)
        guard reason != nil else { throw reader.error("no reason \"\(name.prefix(40))\"") }
      default: throw reader.error("a refusal with the key \"\(key.prefix(40))\"")
      }
    }
    guard let detail, let reason else { throw reader.error("a refusal without detail or reason") }
    self.init(reason, detail)
  }
}


/// The bound on a detail in scalars. Details may contain a server's text of any length.
private let detailLimit = 1_000

extension JSONWriter {
  /// Writes a detail, cut to its bound and with NUL replaced.
  mutating func detail(_ detail: String) {
    var text = String.UnicodeScalarView()
    for scalar in detail.unicodeScalars.prefix(detailLimit) {
      text.append(scalar == "\0" ? "\u{FFFD}" : scalar)
    }
    string(String(text))
  }
}

extension JSONReader {
  /// Reads what `detail` writes. Throws `badJSON` for a longer text.
  mutating func detail() throws(ArtError) -> String {
    let detail = try string()
    guard detail.unicodeScalars.count <= detailLimit else {
      throw error("a detail of more than \(detailLimit) characters")
    }
    return detail
  }
}
