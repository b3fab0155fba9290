// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// What is drawn of a label: a glyph of the font, or what stands for characters that the font has none for.
enum Glyph: Hashable {
  /// A glyph with a colour bitmap, by its number.
  case color(UInt32)
  /// A box with these code points in it.
  case missing([UInt32])
}

/// How a text is drawn. In ems, from the centre of the whole; y goes downwards.
struct GlyphLayout {
  /// A glyph's bitmap at its place.
  struct Placed {
    /// Which.
    var glyph: Glyph
    /// The left edge.
    var x: Double
    /// The top edge.
    var y: Double
    /// Across.
    var width: Double
    /// Down.
    var height: Double
  }

  /// The glyphs, left to right.
  var glyphs: [Placed]
  /// The whole, across.
  var width: Double
  /// The whole, down.
  var height: Double
  /// Where the glyphs' baseline is.
  var baseline: Double
  /// Whether the font lacks something of it.
  var isLacking: Bool
}

/// A font with colour emoji: how texts are drawn with it, and the glyphs' pixels.
final class ColorFont {
  let shaper: Shaper
  private let strike: GlyphStrike
  private var layouts: [EmojiText: GlyphLayout] = [:]

  /// Pixels of an em in the glyphs' bitmaps.
  var pixelsPerEm: Double { strike.pixelsPerEm }
  /// An ordinary glyph's box, across, in ems.
  var boxWidth: Double { Double(strike.ordinary.width) / pixelsPerEm }
  /// An ordinary glyph's box, down, in ems.
  var boxHeight: Double { Double(strike.ordinary.height) / pixelsPerEm }

  /// Reads the font at a path. Throws `noFont` and `badFont`.
  convenience init(path: String?) throws(DrawingRefusal) { try self.init(FontFile(path)) }

  /// Reads a font that was opened. Throws `badFont`.
  init(_ file: FontFile) throws(DrawingRefusal) {
    strike = try GlyphStrike(file)
    shaper = try Shaper(file)
  }

  /// How a text is drawn: its glyphs side by side on one baseline, the whole box's centre where the label is.
  func layout(_ text: EmojiText) -> GlyphLayout {
    if let known = layouts[text] { return known }
    // As many as a large document has; a stranger's may have a million.
    if layouts.count >= 1 << 16 { layouts.removeAll() }
    let result = centered(pieces(text.string))
    layouts[text] = result
    return result
  }

  /// A glyph's pixels, not kept. Throws `noMemory` and `badFont`.
  func bitmap(_ glyph: Glyph) throws(DrawingRefusal) -> PixelBuffer {
    let box = strike.ordinary
    switch glyph {
    case .color(let number): return try strike.bitmap(number)
    case .missing(let scalars):
      return try MissingBox(scalars: scalars, width: box.width, height: box.height).bitmap()
    }
  }

  /// The PNG file that the font holds of a glyph; nil where it has none.
  func png(_ glyph: UInt32) -> [UInt8]? { shaper.png(glyph) }

  /// A glyph's box in the bitmaps' pixels, from the text's beginning on the baseline; y goes downwards.
  private struct Piece {
    var glyph: Glyph
    var left: Double
    var top: Double
    var width: Double
    var height: Double
  }

  private func pieces(_ text: String) -> [Piece] {
    let shaped = shaper.shape(text)
    // Joiners and selectors alone, which a document may hold, too, are not to vanish from it.
    guard !shaped.isEmpty else { return [missing(text.unicodeScalars.map(\.value), at: 0)] }
    var result: [Piece] = []
    var pen = 0.0
    var index = 0
    while index < shaped.count {
      // Glyphs of the same characters: where one is lacking, one box stands for all.
      let cluster = shaped[index].cluster
      let end = shaped[index...].firstIndex { $0.cluster != cluster } ?? shaped.count
      let glyphs = shaped[index..<end]
      let scalars = Self.scalars(of: text, from: cluster, to: end < shaped.count ? shaped[end].cluster : nil)
      let isBlank = scalars.allSatisfy(\.properties.isWhitespace)
      let extents = glyphs.map { $0.glyph == 0 ? nil : strike.extent($0.glyph) }
      if isBlank || !extents.contains(where: { $0 == nil }) {
        for (glyph, extent) in zip(glyphs, extents) {
          if let extent { result.append(piece(.color(glyph.glyph), extent, glyph, pen)) }
          pen += glyph.advance * pixelsPerEm
        }
      } else {
        let piece = missing(scalars.map(\.value), at: pen)
        result.append(piece)
        pen += piece.width
      }
      index = end
    }
    return result
  }

  private func missing(_ scalars: [UInt32], at pen: Double) -> Piece {
    let box = strike.ordinary
    return Piece(
      glyph: .missing(scalars), left: pen, top: -Double(box.top), width: Double(box.width),
      height: Double(box.height))
  }

  private func piece(_ glyph: Glyph, _ extent: GlyphStrike.Extent, _ shaped: Shaper.Shaped, _ pen: Double)
    -> Piece
  {
    Piece(
      glyph: glyph, left: pen + shaped.x * pixelsPerEm + Double(extent.left),
      top: -shaped.y * pixelsPerEm - Double(extent.top), width: Double(extent.width),
      height: Double(extent.height))
  }

  /// The scalars between two bytes of a text, to its end where there is no second.
  private static func scalars(of text: String, from start: Int, to end: Int?) -> [Unicode.Scalar] {
    var offset = 0
    var result: [Unicode.Scalar] = []
    for scalar in text.unicodeScalars {
      if offset >= start, end.map({ offset < $0 }) ?? true { result.append(scalar) }
      offset += UTF8.width(scalar)
    }
    return result
  }

  private func centered(_ pieces: [Piece]) -> GlyphLayout {
    let left = pieces.map(\.left).min() ?? 0
    let right = pieces.map { $0.left + $0.width }.max() ?? 0
    let top = pieces.map(\.top).min() ?? 0
    let bottom = pieces.map { $0.top + $0.height }.max() ?? 0
    let (middle, center) = ((left + right) / 2, (top + bottom) / 2)
    let em = pixelsPerEm
    return GlyphLayout(
      glyphs: pieces.map {
        GlyphLayout.Placed(
          glyph: $0.glyph, x: ($0.left - middle) / em, y: ($0.top - center) / em, width: $0.width / em,
          height: $0.height / em)
      },
      width: (right - left) / em, height: (bottom - top) / em, baseline: -center / em,
      isLacking: pieces.contains {
        if case .missing = $0.glyph { true } else { false }
      })
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
