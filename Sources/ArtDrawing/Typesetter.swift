// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The layout of a label, in ems from the centre of its box; y points downwards.
struct GlyphLayout {
  /// A glyph that is a picture, with its position.
  struct Placed {
    /// The glyph.
    var glyph: Glyph
    /// The left edge.
    var x: Double
    /// The top edge.
    var y: Double
    /// The width.
    var width: Double
    /// The height.
    var height: Double
    /// The ink of outlines, from the top left corner of the box, which it may exceed; nil for all that fills its box.
    var ink: Outline.Bounds?
  }

  /// The emoji, and the boxes for missing glyphs, left to right.
  var glyphs: [Placed] = []
  /// The letters, as one shape.
  var letters = Outline()
  /// The letters and the emoji as text: lines from top to bottom, each from left to right.
  var runs: [TextRun] = []
  /// The width of the text.
  var width: Double
  /// The height of the text.
  var height: Double
  /// The y coordinates of the lines' baselines, top to bottom; at least one.
  var baselines: [Double]
  /// Whether the fonts lack a glyph of the text, or one for all of a sequence of emoji.
  var hasMissingGlyphs = false
  /// The characters that no font has, and whose width is not known.
  var unknown: [UInt32] = []

  /// The memory that it takes, in points of outlines.
  fileprivate var size: Int { runs.reduce(letters.points.count + 8 * glyphs.count) { $0 + $1.size } }

  /// Moves everything.
  fileprivate mutating func move(x: Double, y: Double) {
    for index in glyphs.indices {
      glyphs[index].x += x
      glyphs[index].y += y
    }
    letters.move(x: x, y: y)
    for index in runs.indices { runs[index].move(x: x, y: y) }
    for index in baselines.indices { baselines[index] += y }
  }
}

/// Lays texts out, in a colour font and in the fonts for letters.
final class Typesetter {
  /// The fonts of the emoji.
  let fonts: ColorFonts
  private var color: ColorFont { fonts.first }
  private let letters: LetterFonts
  private var layouts: [EmojiText: GlyphLayout] = [:]
  /// What `layouts` holds: points of outlines, and glyphs, which take as much as eight points each.
  private var held = 0

  /// Opens the colour font at that path, and the fonts for letters. Throws `noFont` and `badFont`.
  convenience init(path: String?, letterFolders: [String] = []) throws(DrawingRefusal) {
    try self.init(OpenFonts(colors: [path].compactMap(\.self), letterFolders: letterFolders))
  }

  /// Reads the fonts. Throws `noFont` and `badFont`.
  init(_ fonts: OpenFonts) throws(DrawingRefusal) {
    self.fonts = try ColorFonts(fonts.colors)
    letters = LetterFonts(fonts.letters, color: self.fonts)
  }

  /// The layout of a text, with the centre of its box at the label's position. Throws `noMemory`.
  func layout(_ text: EmojiText) throws(DrawingRefusal) -> GlyphLayout {
    if let known = layouts[text] { return known }
    let result = text.isCaption ? try caption(text.string) : try label(text.string)
    held += result.size
    // Enough for a large document; an untrusted one may have a million texts.
    if layouts.count >= 1 << 16 || held > 1 << 20 {
      layouts.removeAll()
      held = result.size
    }
    layouts[text] = result
    return result
  }

  /// The box of a caption with these words. Throws `noFont` where a glyph is missing: a box without it would be wrong for ever. Throws `tooLarge` and `noMemory`, too.
  func box(of words: Words) throws(DrawingRefusal) -> TextBox {
    guard try letters.areUsable else { throw .noLetters() }
    let layout = try caption(words.string)
    // A sequence that the font cannot join is as wide as any other emoji.
    guard layout.unknown.isEmpty else { throw .noLetters(for: layout.unknown) }
    do throws(ArtError) {
      return try TextBox(width: layout.width, height: layout.height)
    } catch {
      throw DrawingRefusal(.tooLarge, error.cause)
    }
  }
}

// MARK: - Captions

extension Typesetter {
  /// Lines of the font's height below each other, each centred.
  private func caption(_ text: String) throws(DrawingRefusal) -> GlyphLayout {
    var lines: [LetterFonts.Line] = []
    for part in text.split(separator: "\n", omittingEmptySubsequences: false) { lines.append(try line(part)) }
    let width = lines.map(\.width).max() ?? 0
    let height = lines.reduce(0) { $0 + $1.ascent + $1.descent }
    var result = GlyphLayout(width: width, height: height, baselines: [])
    var top = -height / 2
    for line in lines {
      let baseline = top + line.ascent
      try place(line, x: -line.width / 2, y: baseline, in: &result)
      result.baselines.append(baseline)
      top = baseline + line.descent
    }
    return result
  }

  /// A shaped line. Without fonts for letters it has a box for each character.
  private func line(_ text: Substring) throws(DrawingRefusal) -> LetterFonts.Line {
    if let line = try letters.shape(text) { return line }
    var line = LetterFonts.Line(text: String(text), ascent: color.boxHeight, descent: 0)
    var byte = 0
    for character in text {
      let bytes = byte..<byte + character.utf8.count
      byte = bytes.upperBound
      let shown = character.unicodeScalars.first { !$0.properties.isDefaultIgnorableCodePoint }
      if let shown, !character.isWhitespace {
        line.glyphs.append(
          LetterFonts.Shaped(
            glyph: .missing(shown.value), x: line.width, y: 0, advance: color.boxWidth, bytes: bytes))
      }
      line.width += character.isWhitespace ? 0.25 : color.boxWidth
    }
    return line
  }

  /// Adds the glyphs of a line whose start is at a point.
  private func place(_ line: LetterFonts.Line, x: Double, y: Double, in result: inout GlyphLayout)
    throws(DrawingRefusal)
  {
    var runs = TextRuns(line.text)
    for shaped in line.glyphs {
      let count = result.glyphs.count
      switch shaped.glyph {
      case .letter(let outline, let font, let number):
        result.letters.append(outline, x: x + shaped.x, y: y + shaped.y)
        let letter = LetterRun.Letter(number: number, x: x + shaped.x, y: y + shaped.y)
        runs.add(letter, of: font, shaped.bytes)
      case .emoji(let index, let number):
        // A blank glyph has no bitmap.
        guard let font = try fonts.font(index), let extent = font.extent(number) else { continue }
        result.glyphs.append(
          try placed(.color(font: index, number), extent, font.pixelsPerEm, x: x + shaped.x, y: y + shaped.y))
      case .missing(let scalar):
        try placeBox([scalar], shaped, x: x, y: y, in: &result)
        result.unknown.append(scalar)
      case .unjoined(let scalars): try placeBox(scalars, shaped, x: x, y: y, in: &result)
      }
      if result.glyphs.count > count { runs.add(emoji: count, shaped.bytes) }
    }
    result.runs += runs.finish()
  }

  private func placeBox(
    _ scalars: [UInt32], _ shaped: LetterFonts.Shaped, x: Double, y: Double, in result: inout GlyphLayout
  ) throws(DrawingRefusal) {
    result.glyphs.append(
      try placed(.missing(scalars), color.ordinary, color.pixelsPerEm, x: x + shaped.x, y: y + shaped.y))
    result.hasMissingGlyphs = true
  }

  private func placed(_ glyph: Glyph, _ extent: GlyphStrike.Extent, _ em: Double, x: Double, y: Double)
    throws(DrawingRefusal) -> GlyphLayout.Placed
  {
    GlyphLayout.Placed(
      glyph: glyph, x: x + Double(extent.left) / em, y: y - Double(extent.top) / em,
      width: Double(extent.width) / em, height: Double(extent.height) / em, ink: try ink(of: glyph))
  }

  /// The ink of a glyph of outlines, from the top left corner of its box; nil for any other.
  private func ink(of glyph: Glyph) throws(DrawingRefusal) -> Outline.Bounds? {
    fonts.use(glyph)
    guard let outlines = try fonts.outlines(glyph) else { return nil }
    guard let ink = outlines.glyph.ink else { return Outline.Bounds(left: 0, top: 0, right: 0, bottom: 0) }
    let box = outlines.inBox.bounds(
      x: ink.left, y: ink.top, width: ink.right - ink.left, height: ink.bottom - ink.top)
    return Outline.Bounds(left: box.x, top: box.y, right: box.x + box.width, bottom: box.y + box.height)
  }
}

// MARK: - Emoji labels

extension Typesetter {
  /// A glyph's box in pixels of the first font, from the start of the text on the baseline; y points downwards.
  private struct Piece {
    var glyph: Glyph
    /// Its characters.
    var text: String
    var left: Double
    var top: Double
    var width: Double
    var height: Double
  }

  /// The glyphs on one baseline. Letters are set in their own font, where the colour fonts lack them.
  private func label(_ text: String) throws(DrawingRefusal) -> GlyphLayout {
    let layout = try centered(pieces(text))
    guard layout.hasMissingGlyphs, let line = try letters.shape(text[...]) else { return layout }
    var mixed = GlyphLayout(width: 0, height: 0, baselines: [0])
    try place(line, x: 0, y: 0, in: &mixed)
    // Nothing is gained where no letter was found, and a box for several characters that belong together is lost.
    guard !mixed.letters.isEmpty else { return layout }
    var boxes = mixed.glyphs.map { ($0.x, $0.y, $0.x + $0.width, $0.y + $0.height) }
    if let box = mixed.letters.bounds { boxes.append((box.left, box.top, box.right, box.bottom)) }
    let left = boxes.map(\.0).min() ?? 0
    let top = boxes.map(\.1).min() ?? 0
    mixed.width = (boxes.map(\.2).max() ?? 0) - left
    mixed.height = (boxes.map(\.3).max() ?? 0) - top
    mixed.move(x: -left - mixed.width / 2, y: -top - mixed.height / 2)
    return mixed
  }

  private func pieces(_ text: String) throws(DrawingRefusal) -> [Piece] {
    let shaped = color.shaper.shape(text)
    // A document may contain joiners and selectors alone; they must stay visible.
    guard !shaped.isEmpty else { return [missing(text.unicodeScalars.map(\.value), text, at: 0)] }
    var result: [Piece] = []
    var pen = 0.0
    var index = 0
    while index < shaped.count {
      // The glyphs of one cluster. One glyph in another font replaces them if one is missing, or if they are a sequence of emoji that the font
      // does not join; else one box: their pieces would lie outside of the label's box.
      let cluster = shaped[index].cluster
      let end = shaped[index...].firstIndex { $0.cluster != cluster } ?? shaped.count
      let glyphs = shaped[index..<end]
      let scalars = Self.scalars(of: text, from: cluster, to: end < shaped.count ? shaped[end].cluster : nil)
      let characters = String(String.UnicodeScalarView(scalars))
      let isBlank = scalars.allSatisfy(\.properties.isWhitespace)
      let extents = glyphs.map { $0.glyph == 0 ? nil : color.extent($0.glyph) }
      let isWhole =
        extents.count == 1 && extents[0] != nil && !color.shaper.isStandIn(shaped[index].glyph, for: scalars)
      if isBlank || isWhole {
        for (glyph, extent) in zip(glyphs, extents) {
          if let extent {
            result.append(piece(.color(font: 0, glyph.glyph), characters, extent, glyph, pen, color))
          }
          pen += advance(of: glyph, in: color)
        }
      } else if let (font, number, glyph) = try fonts.joined(characters),
        let extent = font.extent(glyph.glyph)
      {
        result.append(piece(.color(font: number, glyph.glyph), characters, extent, glyph, pen, font))
        pen += advance(of: glyph, in: font)
      } else {
        let piece = missing(Glyph.shownScalars(of: scalars), characters, at: pen)
        result.append(piece)
        pen += piece.width
      }
      index = end
    }
    return result
  }

  /// From the pen to that of the next glyph, in pixels of the first font.
  private func advance(of glyph: Shaper.Shaped, in font: ColorFont) -> Double {
    (font.hasFixedAdvance ? ColorFont.advance : glyph.advance) * color.pixelsPerEm
  }

  private func missing(_ scalars: [UInt32], _ text: String, at pen: Double) -> Piece {
    let box = color.ordinary
    return Piece(
      glyph: .missing(scalars), text: text, left: pen, top: -Double(box.top), width: Double(box.width),
      height: Double(box.height))
  }

  private func piece(
    _ glyph: Glyph, _ text: String, _ extent: GlyphStrike.Extent, _ shaped: Shaper.Shaped, _ pen: Double,
    _ font: ColorFont
  ) -> Piece {
    // Exactly 1 in the first font.
    let scale = color.pixelsPerEm / font.pixelsPerEm
    return Piece(
      glyph: glyph, text: text, left: pen + shaped.x * color.pixelsPerEm + Double(extent.left) * scale,
      top: -shaped.y * color.pixelsPerEm - Double(extent.top) * scale, width: Double(extent.width) * scale,
      height: Double(extent.height) * scale)
  }

  /// The scalars between two byte offsets of a text; to its end where the second is nil.
  private static func scalars(of text: String, from start: Int, to end: Int?) -> [Unicode.Scalar] {
    var offset = 0
    var result: [Unicode.Scalar] = []
    for scalar in text.unicodeScalars {
      if offset >= start, end.map({ offset < $0 }) ?? true { result.append(scalar) }
      offset += UTF8.width(scalar)
    }
    return result
  }

  private func centered(_ pieces: [Piece]) throws(DrawingRefusal) -> GlyphLayout {
    let left = pieces.map(\.left).min() ?? 0
    let right = pieces.map { $0.left + $0.width }.max() ?? 0
    let top = pieces.map(\.top).min() ?? 0
    let bottom = pieces.map { $0.top + $0.height }.max() ?? 0
    let (middle, center) = ((left + right) / 2, (top + bottom) / 2)
    let em = color.pixelsPerEm
    var layout = GlyphLayout(
      width: (right - left) / em, height: (bottom - top) / em, baselines: [-center / em])
    for piece in pieces {
      if case .missing = piece.glyph { layout.hasMissingGlyphs = true }
      layout.runs.append(.emoji(layout.glyphs.count, piece.text))
      layout.glyphs.append(
        GlyphLayout.Placed(
          glyph: piece.glyph, x: (piece.left - middle) / em, y: (piece.top - center) / em,
          width: piece.width / em,
          height: piece.height / em, ink: try ink(of: piece.glyph)))
    }
    return layout
  }
}

extension UTF8 {
  fileprivate static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case ..<0x80: 1
    case ..<0x800: 2
    case ..<0x10000: 3
    default: 4
    }
  }
}
