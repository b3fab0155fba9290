// SPDX-License-Identifier: Apache-2.0

/// The kind of a JSON text, guessed from its first bytes: a document of emojiart, one of the course's apps, or other
/// JSON.
public enum DocumentText: Sendable, Equatable {
  /// JSON as `show --json` and `export` write it.
  case own
  /// JSON of the EmojiArt apps of Stanford's course CS193p.
  case course
  /// Any other JSON.
  case otherJSON

  /// Nil if the text does not begin like a JSON object or array.
  public init?(beginning bytes: [UInt8]) {
    var rest = Self.passSpace(bytes[...])
    guard let first = rest.popFirst(), first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      return nil
    }
    self = .otherJSON
    guard first == UInt8(ascii: "{"), let key = Self.key(in: Self.passSpace(rest)) else { return }
    if Self.ownBeginnings.contains(where: { rest.starts(with: $0.utf8) }) {
      self = .own
    } else if Self.courseKeys.contains(key) {
      self = .course
    }
  }

  /// The apps write keys in the order of a hash table, so any of these may come first.
  private static let courseKeys: Set = [
    "background", "backGround", "backgroundURL", "backgroundImageData", "backgroundColor", "url", "image",
    "imageData", "emojis", "emoji", "uniqueEmojiId", "uniqueEmojiID", "currentEmojiId", "elapsedTime",
  ]

  /// The text after the bracket. Our JSON has sorted keys and no spaces.
  private static let ownBeginnings = [
    #""background":null,"canvas""#, #""background":{"data""#, #""background":{"digest""#, #""canvas":{"#,
  ]

  /// Longer than any of the keys.
  private static let longestKey = 40

  private static func key(in bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.first == UInt8(ascii: "\"") else { return nil }
    let name = bytes.dropFirst().prefix(longestKey).prefix { $0 != UInt8(ascii: "\"") }
    return String(decoding: name, as: UTF8.self)
  }

  private static func passSpace(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    bytes.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
  }
}

extension Drawing.Format {
  /// Writes the format:
  ///
  ///     {"pdf":{…}}  {"png":{…}}  {"sixel":{…}}  {"svg":{"embedsGlyphs":…,"size":{…}}}
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

extension PixelSize {
  /// `{"height":768,"width":1024}`.
  fileprivate func write(to writer: inout JSONWriter) { writer.size(width, height) }

  /// Reads what `write` writes.
  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    let (width, height) = try reader.size("a size")
    try self.init(width: width, height: height)
  }
}
