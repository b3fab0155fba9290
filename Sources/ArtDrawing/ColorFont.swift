// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// What is drawn for a character: a glyph of a font, or a box where no font has one.
enum Glyph: Hashable {
  /// A glyph with colours: the index of its font in the list of fonts, and its number in that font.
  case color(font: Int, UInt32)
  /// A box with these code points.
  case missing([UInt32])

  /// The code points that a box shows: without those that only join others or select their look, unless there are no others.
  static func shownScalars(of text: some Sequence<Unicode.Scalar>) -> [UInt32] {
    let all = text.map(\.value)
    let shown = all.filter { $0 != 0x200D && $0 != 0xFE0F }
    return shown.isEmpty ? all : shown
  }
}

/// A font with emoji in colours, as outlines or as bitmaps.
///
/// Its emoji are as large as those of Noto Color Emoji, and have the same box, so that a drawing keeps its layout in any font.
final class ColorFont {
  /// The glyphs.
  enum Glyphs {
    case outlines(ColorTable)
    case bitmaps(GlyphStrike)
  }

  let shaper: Shaper
  let glyphs: Glyphs
  /// The path of the file.
  let path: String
  /// The size of an em, as it is drawn, in the pixels of extents: those of the bitmaps, or of Noto's for outlines.
  let pixelsPerEm: Double
  /// The extent of an ordinary glyph, in the same pixels.
  let ordinary: GlyphStrike.Extent
  /// Maps an outline, in ems from its origin, to ems from the top left corner of its box.
  private let inBox: Affine
  /// Whether advances are those of Noto Color Emoji, whatever the font says.
  let hasFixedAdvance: Bool

  /// The width of an ordinary glyph's box, in ems.
  var boxWidth: Double { Double(ordinary.width) / pixelsPerEm }
  /// The height of an ordinary glyph's box, in ems.
  var boxHeight: Double { Double(ordinary.height) / pixelsPerEm }
  /// From the pen to that of the next emoji, in ems: Noto's.
  static let advance = 2550.0 / 2048

  /// Reads a font file. Throws `badFont` and `noMemory`.
  init(_ file: FontFile) throws(DrawingRefusal) {
    path = file.path
    shaper = try Shaper(file)
    if let table = ColorTable(shaper) {
      glyphs = .outlines(table)
      (pixelsPerEm, ordinary) = GlyphStrike.noto
      let fit = NotoFit(try Self.grin(of: table, shaper, path))
      (inBox, hasFixedAdvance) = (fit.inBox, !fit.isNatural)
    } else {
      let strike: GlyphStrike
      do throws(DrawingRefusal) {
        strike = try GlyphStrike(file)
      } catch {
        throw error.reason == .badFont && !shaper.table("SVG ").isEmpty ? .svgFont(path) : error
      }
      let fit = NotoFit(try Self.grin(of: strike, shaper))
      glyphs = .bitmaps(strike)
      ordinary = strike.ordinary
      pixelsPerEm = strike.pixelsPerEm / fit.scale
      (inBox, hasFixedAdvance) = (.identity, !fit.isNatural)
    }
  }

  /// Whether the glyphs are bitmaps.
  var hasBitmaps: Bool { if case .bitmaps = glyphs { true } else { false } }

  /// The extent of a glyph that has colours; nil for any other.
  func extent(_ glyph: UInt32) -> GlyphStrike.Extent? {
    switch glyphs {
    case .outlines(let table): table.has(glyph) ? ordinary : nil
    case .bitmaps(let strike): strike.extent(glyph)
    }
  }

  /// The outlines of a glyph, mapped to ems from the top left corner of its box; nil for a bitmap. Throws `badFont`.
  func outlines(_ glyph: UInt32) throws(DrawingRefusal) -> (glyph: ColorGlyph, inBox: Affine)? {
    guard case .outlines(let table) = glyphs, let outlines = try Self.read(glyph, of: table, path) else {
      return nil
    }
    return (outlines, inBox)
  }

  private static func read(_ glyph: UInt32, of table: ColorTable, _ path: String) throws(DrawingRefusal)
    -> ColorGlyph?
  {
    do throws(ColorTable.Fault) {
      return try table.glyph(glyph)
    } catch {
      throw .badGlyph(glyph, of: path, error)
    }
  }

  /// The only glyph of a text, if it has colours and stands for the text itself; nil where the font has none.
  func only(_ text: String) -> Shaper.Shaped? {
    let shaped = shaper.shape(text)
    guard let glyph = shaped.first, shaped.count == 1, glyph.glyph != 0, extent(glyph.glyph) != nil,
      !shaper.isStandIn(glyph.glyph, for: Array(text.unicodeScalars))
    else { return nil }
    return glyph
  }
}

// MARK: - Size

extension ColorFont {
  /// The face by which sizes of fonts are compared.
  private static let grin = "😀"

  /// The face's ink in an outline font, in ems from its origin; nil where it has none.
  private static func grin(of table: ColorTable, _ shaper: Shaper, _ path: String) throws(DrawingRefusal)
    -> Outline.Bounds?
  {
    let shaped = shaper.shape(grin)
    guard shaped.count == 1, table.has(shaped[0].glyph) else { return nil }
    return try read(shaped[0].glyph, of: table, path)?.ink
  }

  /// The same in a font of bitmaps. Nil where the bitmaps have the extent of Noto's: such a font is taken for Noto, without decoding one.
  private static func grin(of strike: GlyphStrike, _ shaper: Shaper) throws(DrawingRefusal) -> Outline.Bounds?
  {
    let shaped = shaper.shape(grin)
    guard shaped.count == 1, let extent = strike.extent(shaped[0].glyph),
      (strike.pixelsPerEm, extent) != GlyphStrike.noto
    else { return nil }
    let pixels = try strike.bitmap(shaped[0].glyph)
    guard let ink = pixels.columns(withAlpha: 128) else { return nil }
    let em = strike.pixelsPerEm
    return Outline.Bounds(
      left: Double(extent.left + ink.lowerBound) / em, top: -Double(extent.top) / em,
      right: Double(extent.left + ink.upperBound) / em, bottom: Double(extent.height - extent.top) / em)
  }
}

/// Fits a font's emoji into the box of Noto Color Emoji's, by the ink of its 😀.
struct NotoFit {
  /// The ink of Noto's 😀 in its box: the width and the centre, in ems. 117 and 112 of its pixels are at 9 and 7.
  private static let noto = (width: 117 / 109.0, center: Outline.Point(x: 67.5 / 109, y: 63 / 109.0))
  /// From the top of Noto's box to the baseline.
  private static let baseline = 101 / 109.0
  /// A smaller difference is not worth a change.
  private static let tolerance = 0.02
  /// The valid sizes of a face: an odd font does not make others vanish or cover the canvas.
  private static let scales = 0.25...4.0

  /// How much larger than they are the font's emoji are drawn.
  private(set) var scale = 1.0
  /// Maps ems from a glyph's origin to ems from the top left corner of its box.
  private(set) var inBox = Affine(a: 1, b: 0, c: 0, d: 1, e: 0, f: baseline)
  /// Whether the font's own sizes are Noto's.
  var isNatural: Bool { inBox == Self.natural }

  private static let natural = Affine(a: 1, b: 0, c: 0, d: 1, e: 0, f: baseline)

  /// A font without the face stays as it is.
  init(_ grin: Outline.Bounds?) {
    guard let grin, grin.right > grin.left else { return }
    let ratio = Self.noto.width / (grin.right - grin.left)
    let center = Outline.Point(x: (grin.left + grin.right) / 2, y: (grin.top + grin.bottom) / 2)
    let isNear =
      abs(ratio - 1) < Self.tolerance && abs(center.x - Self.noto.center.x) < Self.tolerance
      && abs(center.y + Self.baseline - Self.noto.center.y) < Self.tolerance
    guard !isNear else { return }
    scale = max(Self.scales.lowerBound, min(ratio, Self.scales.upperBound))
    inBox = Affine(
      a: scale, b: 0, c: 0, d: scale, e: Self.noto.center.x - scale * center.x,
      f: Self.noto.center.y - scale * center.y)
  }
}

// MARK: - Errors

extension DrawingRefusal {
  /// The font has only SVG documents.
  fileprivate static func svgFont(_ path: String) -> DrawingRefusal {
    DrawingRefusal(
      .badFont,
      "the emoji of \(path) are SVG documents, which are not drawn; give a font with COLR outlines or with bitmaps, as Noto Color Emoji is"
    )
  }

  /// A glyph of outlines is damaged, or takes too much.
  fileprivate static func badGlyph(_ glyph: UInt32, of path: String, _ fault: ColorTable.Fault)
    -> DrawingRefusal
  {
    DrawingRefusal(
      .badFont,
      "the font \(path) is damaged: its glyph \(glyph) cannot be drawn, because \(fault.rawValue); give another font"
    )
  }
}
