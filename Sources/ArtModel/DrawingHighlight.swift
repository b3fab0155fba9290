// SPDX-License-Identifier: Apache-2.0

/// A line around an emoji, or around the canvas, of a drawing that shows how art differs. It is drawn above all emoji.
public struct DrawingHighlight: Hashable, Sendable {
  /// How a thing differs, which decides the colour and the dashes of the line.
  public enum Kind: String, CaseIterable, Sendable {
    case added, changed, removed
  }

  /// How it differs.
  public let kind: Kind
  /// What the line is around; nil for the canvas.
  public let box: EmojiBox?

  /// A line around a box, or around the canvas.
  public init(_ kind: Kind, around box: EmojiBox? = nil) { (self.kind, self.box) = (kind, box) }
}

extension DrawingHighlight {
  /// The largest side of a box: a caption with the most ems, in the largest size.
  private static let side = Limits.captionEms * Limits.fontSize

  /// Writes `{"box":[100,200,49.8,47,30],"kind":"added"}`: centre, width, height and degrees; without `box` for the canvas.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if let box {
        writer.key("box")
        writer.array { writer in
          for number in [box.x, box.y, box.width, box.height, box.rotation.degrees] { writer.number(number) }
        }
      }
      writer.key("kind")
      writer.string(kind.rawValue)
    }
  }

  /// Reads what `write` writes. Throws for a place or a side out of bounds.
  init(from reader: inout JSONReader) throws(ArtError) {
    var box: EmojiBox?
    var kind: Kind?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "box": box = try Self.box(from: &reader)
      case "kind":
        let name = try reader.string()
        kind = Kind(rawValue: name)
        guard kind != nil else { throw reader.error("no kind \"\(name.prefix(40))\"") }
      default: throw reader.error("a highlight with the key \"\(key.prefix(40))\"")
      }
    }
    guard let kind else { throw reader.error("a highlight without kind") }
    self.init(kind, around: box)
  }

  private static func box(from reader: inout JSONReader) throws(ArtError) -> EmojiBox {
    try reader.open()
    let x = try reader.number()
    try reader.comma()
    let centre = try Point(x: x, y: try reader.number())
    try reader.comma()
    let width = try reader.number()
    try reader.comma()
    let height = try reader.number()
    try reader.comma()
    let rotation = try Rotation(degrees: try reader.number())
    try reader.close()
    guard (0...side).contains(width), (0...side).contains(height) else {
      throw reader.error("a box of \(numberText(width)) x \(numberText(height)) pixels")
    }
    return EmojiBox(centre: centre, width: width, height: height, rotation: rotation)
  }
}
