// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics

/// The visible area of a drawing: the intersection of its region and the canvas.
struct VisibleArea {
  let left: Double
  let top: Double
  let right: Double
  let bottom: Double

  init(_ drawing: Drawing) {
    let region = drawing.region
    let drawn = DrawnArea(drawing)
    let bleed = drawing.bleed
    left = max(region.x - bleed, drawn.left)
    top = max(region.y - bleed, drawn.top)
    right = min(region.x + region.width + bleed, drawn.right)
    bottom = min(region.y + region.height + bleed, drawn.bottom)
  }

  /// Whether a label's box intersects the area.
  func touches(_ label: DrawingScene.Label, _ layout: GlyphLayout) -> Bool {
    var (across, down) = layout.reach
    across *= label.size.pixels
    down *= label.size.pixels
    if label.rotation != .zero {
      let turn = label.map
      let em = label.size.pixels
      (across, down) = (
        (abs(turn.a) * across + abs(turn.c) * down) / em, (abs(turn.b) * across + abs(turn.d) * down) / em
      )
    }
    let (x, y) = (label.position.x, label.position.y)
    return x + across > left && x - across < right && y + down > top && y - down < bottom
  }
}

extension GlyphLayout {
  /// How far it reaches to the sides and up and down from its centre. Letters and outlines of emoji may reach beyond their box.
  fileprivate var reach: (across: Double, down: Double) {
    var own = (across: width / 2, down: height / 2)
    for box in glyphs.compactMap(\.inkBox) + [letters.bounds].compactMap(\.self) {
      own = (max(own.across, -box.left, box.right), max(own.down, -box.top, box.bottom))
    }
    return own
  }
}

extension GlyphLayout.Placed {
  /// The ink of outlines, from the label's centre; nil for all that fills its box.
  var inkBox: Outline.Bounds? {
    ink.map { Outline.Bounds(left: x + $0.left, top: y + $0.top, right: x + $0.right, bottom: y + $0.bottom) }
  }
}

/// The part of the canvas that may be drawn, in its pixels: all of it, or what a crop leaves of it.
struct DrawnArea {
  private(set) var left: Double
  private(set) var top: Double
  private(set) var right: Double
  private(set) var bottom: Double

  /// Whether nothing is left.
  var isEmpty: Bool { left >= right || top >= bottom }
  /// The width; 0 where nothing is left.
  var width: Double { max(0, right - left) }
  /// The height; 0 where nothing is left.
  var height: Double { max(0, bottom - top) }

  init(_ canvas: Canvas, crop: CanvasRect?) {
    let (width, height) = (Double(canvas.width), Double(canvas.height))
    let crop = crop ?? CanvasRect(canvas)
    (left, top) = (max(crop.x, 0), max(crop.y, 0))
    (right, bottom) = (min(crop.x + crop.width, width), min(crop.y + crop.height, height))
  }

  /// What is drawn of a drawing. Where it reaches the edge of a page that is cut, it goes on for the bleed.
  init(_ drawing: Drawing) {
    self.init(drawing.scene.canvas, crop: drawing.details.crop)
    let (region, bleed) = (drawing.region, drawing.bleed)
    guard bleed > 0, !isEmpty else { return }
    // A page and a canvas of the same shape differ by rounding: a paper size has fractions of a pixel.
    let near = max(region.width, region.height) / 500
    if left < region.x + near { left = min(left, region.x - bleed) }
    if top < region.y + near { top = min(top, region.y - bleed) }
    if right > region.x + region.width - near { right = max(right, region.x + region.width + bleed) }
    if bottom > region.y + region.height - near { bottom = max(bottom, region.y + region.height + bleed) }
  }
}

extension Drawing {
  /// How far it goes on beyond the edges of the page, in pixels of the canvas.
  var bleed: Double {
    guard let bleed = details.bleed, let page = details.page else { return 0 }
    return bleed * region.width / page.width
  }
}

// MARK: - Affine maps

/// An affine map in the notation of SVG, PDF and Cairo: x' = a x + c y + e, y' = b x + d y + f.
struct Affine: Equatable {
  var a: Double
  var b: Double
  var c: Double
  var d: Double
  var e: Double
  var f: Double

  /// Maps everything to itself.
  static let identity = Affine(a: 1, b: 0, c: 0, d: 1, e: 0, f: 0)

  /// The map that does this one first, then the other.
  func then(_ other: Affine) -> Affine {
    Affine(
      a: other.a * a + other.c * b, b: other.b * a + other.d * b, c: other.a * c + other.c * d,
      d: other.b * c + other.d * d, e: other.a * e + other.c * f + other.e,
      f: other.b * e + other.d * f + other.f)
  }

  /// The map back; nil where all is mapped to a line or a point.
  var inverse: Affine? {
    let determinant = a * d - b * c
    guard determinant != 0, determinant.isFinite else { return nil }
    let map = Affine(
      a: d / determinant, b: -b / determinant, c: -c / determinant, d: a / determinant,
      e: (c * f - d * e) / determinant, f: (b * e - a * f) / determinant)
    return [map.a, map.b, map.c, map.d, map.e, map.f].allSatisfy(\.isFinite) ? map : nil
  }

  /// Whether it maps shapes to shapes that are not almost lines, with numbers that Cairo computes with.
  var isDrawable: Bool {
    let largest = max(abs(a), abs(b), abs(c), abs(d))
    let determinant = abs(a * d - b * c)
    return [a, b, c, d, e, f].allSatisfy(\.isFinite) && largest > 1e-6 && largest < 1e6
      && determinant > 1e-7 * largest * largest
  }

  /// The smallest upright rectangle around a mapped one.
  func bounds(x: Double, y: Double, width: Double, height: Double) -> ResultBox {
    let corners = [(x, y), (x + width, y), (x, y + height), (x + width, y + height)].map { (x, y) in
      (x: a * x + c * y + e, y: b * x + d * y + f)
    }
    let (across, down) = (corners.map(\.x), corners.map(\.y))
    let (left, top) = (across.min() ?? 0, down.min() ?? 0)
    return ResultBox(
      x: left, y: top, width: (across.max() ?? 0) - left, height: (down.max() ?? 0) - top)
  }

  /// Maps the stored pixels of a picture to the canvas that it covers, with the orientation applied.
  static func cover(_ canvas: Canvas, width: Int, height: Int, orientation: Int) -> Affine {
    let turn = turned(width: Double(width), height: Double(height), orientation: orientation)
    let visible = orientation > 4 ? (width: height, height: width) : (width, height)
    let cover = CoverFit(picture: visible, canvas: canvas)
    let scale = cover.scale
    return Affine(
      a: scale * turn.a, b: scale * turn.b, c: scale * turn.c, d: scale * turn.d, e: scale * turn.e + cover.x,
      f: scale * turn.f + cover.y)
  }

  /// Exif 2.32, 4.6.4 A, orientation.
  private static func turned(width: Double, height: Double, orientation: Int) -> Affine {
    switch orientation {
    case 2: Affine(a: -1, b: 0, c: 0, d: 1, e: width, f: 0)
    case 3: Affine(a: -1, b: 0, c: 0, d: -1, e: width, f: height)
    case 4: Affine(a: 1, b: 0, c: 0, d: -1, e: 0, f: height)
    case 5: Affine(a: 0, b: 1, c: 1, d: 0, e: 0, f: 0)
    case 6: Affine(a: 0, b: 1, c: -1, d: 0, e: height, f: 0)
    case 7: Affine(a: 0, b: -1, c: -1, d: 0, e: height, f: width)
    case 8: Affine(a: 0, b: -1, c: 1, d: 0, e: 0, f: width)
    default: Affine(a: 1, b: 0, c: 0, d: 1, e: 0, f: 0)
    }
  }
}

extension DrawingScene.Label {
  /// Whether it is neither turned nor mirrored.
  var isUpright: Bool { rotation == .zero && !isMirrored }

  /// The colour of its letters.
  var ink: Color { color ?? .black }

  /// Maps ems from the label's centre to the canvas: mirrored first, then turned.
  var map: Affine {
    let em = size.pixels
    let (sine, cosine) = rotation.sineAndCosine
    let across = isMirrored ? -em : em
    return Affine(
      a: across * cosine, b: across * sine, c: -em * sine, d: em * cosine, e: position.x, f: position.y)
  }
}

// MARK: - Files of glyphs

extension ColorFonts {
  /// The picture of a bitmap as a PNG file: the font's own if it has the right size, otherwise encoded from its pixels. Throws `noMemory` and
  /// `badFont`.
  func glyphFile(_ placed: GlyphLayout.Placed) throws(DrawingRefusal) -> [UInt8] {
    if case .color(let index, let number) = placed.glyph, let font = try font(index),
      let file = font.shaper.png(number)
    {
      let size = [placed.width, placed.height].map { Int(($0 * font.pixelsPerEm).rounded()) }
      if Self.size(file) == size { return file }
    }
    return try PNGWriter.png(of: bitmap(placed.glyph), isTransparent: true)
  }

  /// The size in the header of a PNG file; empty for other data.
  private static func size(_ file: [UInt8]) -> [Int] {
    let mark: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
    guard file.starts(with: mark), file.count >= 24 else { return [] }
    return [16, 20].map { file[$0..<$0 + 4].reduce(0) { $0 << 8 | Int($1) } }
  }
}

// MARK: - Colours

extension Color {
  /// Makes it the colour of what a Cairo context draws.
  func set(on cairo: OpaquePointer?) {
    func part(_ value: UInt8) -> Double { Double(value) / 255 }
    cairo_set_source_rgba(cairo, part(red), part(green), part(blue), part(alpha))
  }
}
