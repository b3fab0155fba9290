// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace

/// Labels on a transparent canvas, which a page cuts into pictures: the body of `/glyphs`.
///
///     {"height":1024,"labels":[{"size":64,"text":"🐝","x":40,"y":40}],"width":1024}
struct GlyphSheet {
  /// The most labels.
  static let labels = 4_000
  /// The longest side in pixels.
  static let side = 8_192

  private var canvas: Canvas
  private var list: [DrawingScene.Label] = []
  /// The design, if it is not the chosen one.
  private(set) var font: EmojiFontName?

  /// Parses the body. Throws `badJSON`, `badValue`, `badText`, and `tooLarge`.
  init(_ body: [UInt8]) throws(ArtError) {
    var (width, height) = (0, 0)
    var list: [DrawingScene.Label] = []
    var font: EmojiFontName?
    try body.withUnsafeBufferPointer { (bytes) throws(ArtError) in
      try JSONReader.read(bytes) { (reader) throws(ArtError) in
        try reader.object { (key, reader) throws(ArtError) in
          switch key {
          case "width": width = try reader.integer()
          case "font":
            font = try EmojiFontName(named: reader.string())
          case "height": height = try reader.integer()
          case "labels":
            try reader.array { (reader) throws(ArtError) in
              guard list.count < Self.labels else {
                throw ArtError(.tooLarge, "more than \(Self.labels) labels")
              }
              list.append(try Self.label(&reader))
            }
          default: throw .unknown("glyphs has no key", key, among: ["font", "height", "labels", "width"])
          }
        }
      }
    }
    guard max(width, height) <= Self.side else {
      throw ArtError(.tooLarge, "a side of more than \(Self.side) pixels")
    }
    canvas = try Canvas(width: width, height: height)
    self.list = list
    self.font = font
  }

  private static func label(_ reader: inout JSONReader) throws(ArtError) -> DrawingScene.Label {
    var (text, kind) = ("", "")
    var (x, y, size) = (0.0, 0.0, 0.0)
    var box: TextBox?
    var color: Color?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "text": text = try reader.string()
      case "kind": kind = try reader.string()
      case "x": x = try reader.number()
      case "y": y = try reader.number()
      case "size": size = try reader.number()
      case "color": color = try Color(typed: reader.string())
      case "box":
        try reader.open()
        let width = try reader.number()
        try reader.comma()
        box = try TextBox(width: width, height: reader.number())
        try reader.close()
      default:
        throw .unknown("a label has no key", key, among: ["box", "color", "kind", "size", "text", "x", "y"])
      }
    }
    guard (kind == "caption") == (box != nil) else {
      throw ArtError(.badValue, "a caption has kind and box, and nothing else has them")
    }
    let label = if let box { EmojiText(try Words(text), box: box) } else { try EmojiText(text) }
    return DrawingScene.Label(
      text: label,
      position: try Point(x: x, y: y), size: try FontSize(size), color: color)
  }

  /// The drawing of the sheet, in the chosen font if it names none. Throws `badValue`.
  func drawing(in chosen: String?) throws(ArtError) -> Drawing {
    let size = try PixelSize(width: canvas.width, height: canvas.height)
    return Drawing(
      scene: DrawingScene(canvas: canvas, labels: list, picture: nil), region: CanvasRect(canvas),
      format: .png(size), isTransparent: true, fonts: EmojiFont.find(font?.rawValue ?? chosen))
  }
}
