// SPDX-License-Identifier: Apache-2.0

extension DrawingScene.Label {
  /// Writes `["🐝",100,200,40]`: text, position, size, and an object with what only some have, as in a change.
  func write(to writer: inout JSONWriter) {
    writer.array { writer in
      writer.string(text.string)
      writer.number(position.x)
      writer.number(position.y)
      writer.number(size.pixels)
      let style = EmojiStyle(text, rotation: rotation, isMirrored: isMirrored, color: color ?? .black)
      if !style.isEmpty { writer.object { style.write(to: &$0) } }
    }
  }

  /// Reads what `write` writes.
  init(from reader: inout JSONReader) throws(ArtError) {
    try reader.open()
    let text = try reader.string()
    try reader.comma()
    let x = try reader.number()
    try reader.comma()
    position = try Point(x: x, y: try reader.number())
    try reader.comma()
    size = try FontSize(try reader.number())
    let style = try reader.nextStyle { _ in true }
    self.text = try EmojiText(stored: text, box: style.checkedBox(&reader))
    (rotation, isMirrored, color) = (
      style.rotation ?? .zero, style.isMirrored ?? false, style.color?.ofLetters
    )
    try reader.close()
  }
}

extension Drawing.Format {
  /// Writes the format:
  ///
  ///     {"pdf":{…}}  {"png":{…}}  {"sixel":{…}}  {"svg":{"embedsGlyphs":…,"size":{…}}}
  ///     {"jpeg":{"quality":…,"size":{…}}}  {"webp":{"quality":…,"size":{…}}}  {"avif":{"quality":…,"size":{…}}}
  ///     {"losslessWebP":{…}}  {"ink":{…}}
  ///     {"symbols":{"colors":"…","columns":…,"rows":…}}
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      switch self {
      case .pdf(let size):
        writer.key("pdf")
        size.write(to: &writer)
      case .png(let size):
        writer.key("png")
        size.write(to: &writer)
      case .jpeg(let size, let quality):
        writer.key("jpeg")
        writer.compressed(size, quality)
      case .webp(let size, let quality):
        writer.key("webp")
        writer.compressed(size, quality)
      case .losslessWebP(let size):
        writer.key("losslessWebP")
        size.write(to: &writer)
      case .avif(let size, let quality):
        writer.key("avif")
        writer.compressed(size, quality)
      case .ink(let size):
        writer.key("ink")
        size.write(to: &writer)
      case .sixel(let size):
        writer.key("sixel")
        size.write(to: &writer)
      case .svg(let size, let embedsGlyphs):
        writer.key("svg")
        writer.object {
          $0.key("embedsGlyphs")
          $0.boolean(embedsGlyphs)
          $0.key("size")
          size.write(to: &$0)
        }
      case .symbols(let columns, let rows, let colors):
        writer.key("symbols")
        writer.object {
          $0.key("colors")
          $0.string(colors.rawValue)
          $0.key("columns")
          $0.integer(columns)
          $0.key("rows")
          $0.integer(rows)
        }
      }
    }
  }

  /// Reads what `write` writes.
  init(from reader: inout JSONReader) throws(ArtError) {
    var format: Drawing.Format?
    try reader.object { (key, reader) throws(ArtError) in
      guard format == nil else { throw reader.error("two formats in one") }
      switch key {
      case "pdf": format = .pdf(try PixelSize(from: &reader))
      case "png": format = .png(try PixelSize(from: &reader))
      case "jpeg":
        let (size, quality) = try reader.compressed("jpeg")
        format = .jpeg(size, quality: quality)
      case "webp":
        let (size, quality) = try reader.compressed("webp")
        format = .webp(size, quality: quality)
      case "losslessWebP": format = .losslessWebP(try PixelSize(from: &reader))
      case "avif":
        let (size, quality) = try reader.compressed("avif")
        format = .avif(size, quality: quality)
      case "ink": format = .ink(try PixelSize(from: &reader))
      case "sixel": format = .sixel(try PixelSize(from: &reader))
      case "svg": format = try Self.svg(from: &reader)
      case "symbols": format = try Self.symbols(from: &reader)
      default: throw reader.error("no format \"\(key.prefix(40))\"")
      }
    }
    guard let format else { throw reader.error("no format") }
    self = format
  }

  private static func svg(from reader: inout JSONReader) throws(ArtError) -> Drawing.Format {
    var embedsGlyphs: Bool?
    var size: PixelSize?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "embedsGlyphs": embedsGlyphs = try reader.boolean()
      case "size": size = try PixelSize(from: &reader)
      default: throw reader.error("svg with the key \"\(key.prefix(40))\"")
      }
    }
    guard let embedsGlyphs, let size else { throw reader.error("svg without embedsGlyphs or size") }
    return .svg(size, embedsGlyphs: embedsGlyphs)
  }

  private static func symbols(from reader: inout JSONReader) throws(ArtError) -> Drawing.Format {
    var colors: TerminalColors?
    var columns: Int?
    var rows: Int?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "colors":
        let name = try reader.string()
        colors = TerminalColors(rawValue: name)
        guard colors != nil else { throw reader.error("no colors \"\(name.prefix(40))\"") }
      case "columns": columns = try reader.count(cells, "columns")
      case "rows": rows = try reader.count(cells, "rows")
      default: throw reader.error("symbols with the key \"\(key.prefix(40))\"")
      }
    }
    guard let colors, let columns, let rows else {
      throw reader.error("symbols without colors, columns or rows")
    }
    return .symbols(columns: columns, rows: rows, colors)
  }
}

extension JSONWriter {
  /// `{"quality":90,"size":{…}}`.
  fileprivate mutating func compressed(_ size: PixelSize, _ quality: Int) {
    object {
      $0.key("quality")
      $0.integer(quality)
      $0.key("size")
      size.write(to: &$0)
    }
  }
}

extension JSONReader {
  /// Reads what `compressed` writes; `name` is the format's.
  fileprivate mutating func compressed(_ name: String) throws(ArtError) -> (PixelSize, quality: Int) {
    var quality: Int?
    var size: PixelSize?
    try object { (key, reader) throws(ArtError) in
      switch key {
      case "quality": quality = try reader.count(DrawingDetails.qualities, "quality")
      case "size": size = try PixelSize(from: &reader)
      default: throw reader.error("\(name) with the key \"\(key.prefix(40))\"")
      }
    }
    guard let quality, let size else { throw error("\(name) without quality or size") }
    return (size, quality)
  }
}

extension PixelSize {
  /// `{"height":768,"width":1024}`.
  fileprivate func write(to writer: inout JSONWriter) { writer.size(width, height) }

  /// Reads what `write` writes.
  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    let (width, height) = try reader.size("a size")
    try self.init(width: width, height: height)
  }
}

extension WorkerRequest.Draw {
  /// Writes `{"canvas":{…},"details":{…},"format":{…},"isTransparent":…,"region":{…}}`, without `details` if there are none.
  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.key("canvas")
      canvas.write(to: &$0, fill: fill)
      if details != DrawingDetails() {
        $0.key("details")
        details.write(to: &$0)
      }
      $0.key("format")
      format.write(to: &$0)
      $0.key("isTransparent")
      $0.boolean(isTransparent)
      $0.key("region")
      region.write(to: &$0)
    }
  }

  /// Reads what `write` writes. Throws for panels or highlights of a format that has none.
  init(from reader: inout JSONReader) throws(ArtError) {
    var canvas: (canvas: Canvas, fill: Color?)?
    var details = DrawingDetails()
    var format: Drawing.Format?
    var isTransparent: Bool?
    var region: CanvasRect?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "canvas": canvas = try Canvas.filled(from: &reader)
      case "details": details = try DrawingDetails(from: &reader)
      case "format": format = try Drawing.Format(from: &reader)
      case "isTransparent": isTransparent = try reader.boolean()
      case "region": region = try CanvasRect(from: &reader)
      default: throw reader.error("draw with the key \"\(key.prefix(40))\"")
      }
    }
    guard let canvas, let format, let isTransparent, let region else {
      throw reader.error("draw without canvas, format, isTransparent or region")
    }
    guard format.raster != nil || (details.panelsLeft == 0 && details.highlights.isEmpty) else {
      throw reader.error("panels or highlights of a drawing that is no file of pixels")
    }
    self.init(
      canvas: canvas.canvas, fill: canvas.fill, region: region, format: format, isTransparent: isTransparent,
      details: details)
  }
}

extension CanvasRect {
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
  /// Writes `{"enlarged":["…",2.5],"ink":{…},"lacking":["…"],"lackingCount":1,"outlines":[1,-0.6,0.3],"pictureFault":"…"}`, without `enlarged`,
  /// `ink`, `outlines` and `pictureFault` if there are none.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if let enlarged {
        writer.key("enlarged")
        writer.array {
          $0.string(enlarged.text)
          $0.number(enlarged.times)
        }
      }
      if let ink {
        writer.key("ink")
        ink.write(to: &writer)
      }
      writer.key("lacking")
      writer.array { for text in lacking.prefix(Self.namedTexts) { $0.string(text) } }
      writer.key("lackingCount")
      writer.integer(lackingCount)
      if let outlines {
        writer.key("outlines")
        writer.array { for number in [outlines.scale, outlines.x, outlines.y] { $0.number(number) } }
      }
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
    var enlarged: Enlarged?
    var outlines: Outlines?
    var ink: CanvasRect?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "enlarged": enlarged = try Enlarged(from: &reader)
      case "ink": ink = try CanvasRect(from: &reader)
      case "lacking": lacking = try Self.texts(from: &reader)
      case "lackingCount": lackingCount = try reader.count(0...Limits.emojiCount, "texts")
      case "outlines": outlines = try Outlines(from: &reader)
      case "pictureFault": pictureFault = try reader.detail()
      default: throw reader.error("drawn with the key \"\(key.prefix(40))\"")
      }
    }
    guard let lacking, let lackingCount else { throw reader.error("drawn without lacking or lackingCount") }
    guard lacking.count == min(lackingCount, Self.namedTexts) else {
      throw .badCount(lacking.count, "texts")
    }
    self.init(
      lacking: lacking, lackingCount: lackingCount, pictureFault: pictureFault, enlarged: enlarged,
      ink: ink, outlines: outlines)
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

extension Drawn.Enlarged {
  /// Reads `["🐝",2.5]`.
  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    try reader.open()
    let text = try EmojiText(stored: try reader.string()).string
    try reader.comma()
    self.init(text: text, times: try reader.number())
    try reader.close()
  }
}

extension Drawn.Outlines {
  /// Reads `[1,-0.6,0.3]`.
  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    try reader.open()
    let scale = try reader.number()
    try reader.comma()
    let x = try reader.number()
    try reader.comma()
    let y = try reader.number()
    guard (0.01...100).contains(scale), abs(x) < 100, abs(y) < 100 else {
      throw reader.error("outlines at no place")
    }
    self.init(scale: scale, x: x, y: y)
    try reader.close()
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
