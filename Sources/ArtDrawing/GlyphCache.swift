// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics
import CWorker

/// Caches the pixels of glyphs, up to a memory limit.
final class GlyphCache {
  /// A glyph, halved that many times, or doubled.
  private struct Key: Hashable {
    var glyph: Glyph
    var halvings: Int
    var isDoubled: Bool
  }

  /// The bytes of recently used pixels; the previous generation may hold as many. Together they hold all of
  /// Noto Color Emoji.
  static let generationBytes = 36 << 20
  private static let maxHalvings = 3

  private let fonts: ColorFonts
  // Two generations: pixels that are not used during a whole generation are dropped.
  private var recent: [Key: CachedPixels] = [:]
  private var previous: [Key: CachedPixels] = [:]
  private var recentBytes = 0
  /// The buffer for expanding indexed pixels.
  private var expanded: PixelBuffer?

  init(_ fonts: ColorFonts) { self.fonts = fonts }

  /// The pixels of a glyph that is drawn at `scale`: halved while that leaves at least twice the resolution
  /// needed, and doubled if it is drawn more than twice as large. They are valid until the next call. Throws `noMemory`.
  func pixels(_ glyph: Glyph, scale: Double) throws(DrawingRefusal) -> PixelBuffer {
    var halvings = 0
    var size = scale * 2
    while size <= 1, halvings < Self.maxHalvings {
      halvings += 1
      size *= 2
    }
    let key = Key(glyph: glyph, halvings: halvings, isDoubled: scale > 2)
    if let known = recent[key] { return try expand(known) }
    let pixels =
      if let known = previous.removeValue(forKey: key) { known } else { try render(key) }
    if recentBytes >= Self.generationBytes {
      previous = recent
      recent = [:]
      recentBytes = 0
    }
    recent[key] = pixels
    recentBytes += pixels.count
    return try expand(pixels)
  }

  private func render(_ key: Key) throws(DrawingRefusal) -> CachedPixels {
    var pixels = try fonts.bitmap(key.glyph)
    for _ in 0..<key.halvings {
      guard let half = try pixels.halved() else { break }
      pixels = half
    }
    if key.isDoubled { pixels = try pixels.doubled() }
    return CachedPixels(pixels)
  }

  private func expand(_ cached: CachedPixels) throws(DrawingRefusal) -> PixelBuffer {
    switch cached {
    case .full(let pixels): return pixels
    case .indexed(let numbers, let colors, let width, let height):
      let buffer: PixelBuffer
      if let expanded, (expanded.width, expanded.height) == (width, height) {
        buffer = expanded
      } else {
        buffer = try PixelBuffer(width: width, height: height)
        expanded = buffer
      }
      craster_expand(numbers, numbers.count, colors, buffer.pixels)
      return buffer
    }
  }
}

/// Cached pixels.
private enum CachedPixels {
  case full(PixelBuffer)
  /// One byte for each pixel, an index of its colour: Noto's glyphs have at most 256.
  case indexed([UInt8], colors: [UInt32], width: Int, height: Int)

  init(_ pixels: PixelBuffer) {
    var colors = [UInt32](repeating: 0, count: 256)
    var found: Int32 = 0
    let count = pixels.width * pixels.height
    let numbers = [UInt8](unsafeUninitializedCapacity: count) { numbers, initialized in
      found = craster_index(pixels.pixels, count, numbers.baseAddress, &colors)
      initialized = found > 0 ? count : 0
    }
    guard found > 0 else {
      self = .full(pixels)
      return
    }
    colors.removeLast(colors.count - Int(found))
    self = .indexed(numbers, colors: colors, width: pixels.width, height: pixels.height)
  }

  /// The size in bytes.
  var count: Int {
    switch self {
    case .full(let pixels): pixels.count
    case .indexed(let numbers, let colors, _, _): numbers.count + 4 * colors.count
    }
  }
}

// MARK: - Missing glyphs

/// Drawn for characters without a glyph, and known as tofu: a box with their code points, in strokes of our
/// own.
struct TofuBox {
  /// A stroke with round ends, in pixels of the box.
  struct Line: Hashable {
    var x0: Double
    var y0: Double
    var x1: Double
    var y1: Double
  }

  /// The colour of the strokes and the frame, 0xAARRGGBB.
  static let ink: UInt32 = 0xFF60_6060
  /// The colour of the inside.
  static let paper: UInt32 = 0xFFF2_F2F2
  /// The code points shown at most, the first ones.
  static let shownScalars = 5

  /// Width in pixels.
  let width: Int
  /// Height in pixels.
  let height: Int
  /// The strokes of the digits.
  let lines: [Line]
  /// The thickness of the strokes and the frame.
  let lineWidth: Double
  /// The centre line of the frame.
  var frame: (x: Double, y: Double, width: Double, height: Double) {
    let inset = 1.5 * lineWidth
    return (inset, inset, Double(width) - 2 * inset, Double(height) - 2 * inset)
  }

  /// Creates a box for code points; joiners and selectors are left out.
  init(scalars: [UInt32], width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    lineWidth = Double(min(width, height)) / 32
    let visible = scalars.filter { $0 != 0x200D && !(0xFE00...0xFE0F).contains($0) }
    let rows = Self.rows((visible.isEmpty ? scalars : visible).prefix(Self.shownScalars))
    let columns = rows.map(\.count).max() ?? 1
    let (boxWidth, boxHeight) = (Double(width), Double(height))
    let margin = 0.13
    let across = boxWidth * (1 - 2 * margin) / Double(columns)
    let down = boxHeight * (1 - 2 * margin) / Double(max(rows.count, 1))
    // A digit is at most twice as high as wide, with space around it.
    let (digitWidth, digitHeight) = (min(across, down * 0.7) * 0.66, min(down * 0.76, across * 1.5))
    var lines: [Line] = []
    for (row, digits) in rows.enumerated() {
      let top = boxHeight * margin + (Double(row) + 0.5) * down - digitHeight / 2
      let start = boxWidth / 2 - Double(digits.count) * across / 2
      for (column, digit) in digits.enumerated() {
        let left = start + (Double(column) + 0.5) * across - digitWidth / 2
        lines += Self.strokes(digit).map {
          Line(
            x0: left + Double($0.0) * digitWidth, y0: top + Double($0.1) / 2 * digitHeight,
            x1: left + Double($0.2) * digitWidth, y1: top + Double($0.3) / 2 * digitHeight)
        }
      }
    }
    self.lines = lines
  }

  /// The digits of one code point fill two rows; of several code points, each has a row.
  private static func rows(_ scalars: ArraySlice<UInt32>) -> [[Int]] {
    func digits(_ scalar: UInt32) -> [Int] {
      let text = String(scalar, radix: 16)
      return (String(repeating: "0", count: max(0, 4 - text.count)) + text).compactMap(\.hexDigitValue)
    }
    guard let only = scalars.first, scalars.count == 1 else { return scalars.map(digits) }
    let all = digits(only)
    let half = (all.count + 1) / 2
    return [Array(all.prefix(half)), Array(all.dropFirst(half))]
  }

  /// The strokes of a digit, as on a seven-segment display; x is 0 to 1, y is 0 to 2.
  private static func strokes(_ digit: Int) -> [(Int, Int, Int, Int)] {
    // Top, upper right, lower right, bottom, lower left, upper left, middle.
    let segments = [
      (0, 0, 1, 0), (1, 0, 1, 1), (1, 1, 1, 2), (0, 2, 1, 2), (0, 1, 0, 2), (0, 0, 0, 1), (0, 1, 1, 1),
    ]
    let lit = [
      0b0111111, 0b0000110, 0b1011011, 0b1001111, 0b1100110, 0b1101101, 0b1111101, 0b0000111, 0b1111111,
      0b1101111, 0b1110111, 0b1111100, 0b0111001, 0b1011110, 0b1111001, 0b1110001,
    ]
    guard lit.indices.contains(digit) else { return [] }
    return segments.indices.filter { lit[digit] >> $0 & 1 == 1 }.map { segments[$0] }
  }

  /// The pixels of the box. Throws `noMemory`.
  func bitmap() throws(DrawingRefusal) -> PixelBuffer {
    let result = try PixelBuffer(width: width, height: height)
    let surface = cairo_image_surface_create_for_data(
      result.pixels, CAIRO_FORMAT_ARGB32, Int32(clamping: width), Int32(clamping: height),
      Int32(clamping: result.stride))
    let cairo = cairo_create(surface)
    defer {
      cairo_destroy(cairo)
      cairo_surface_destroy(surface)
    }
    draw(on: cairo)
    cairo_surface_flush(surface)
    guard cairo_status(cairo) == CAIRO_STATUS_SUCCESS else { throw .noMemory }
    return result
  }

  /// Draws the box at the origin, one unit for each pixel.
  func draw(on cairo: OpaquePointer?) {
    cairo_set_line_width(cairo, lineWidth)
    cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND)
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND)
    cairo_rectangle(cairo, frame.x, frame.y, frame.width, frame.height)
    Self.setColor(cairo, Self.paper)
    cairo_fill_preserve(cairo)
    Self.setColor(cairo, Self.ink)
    cairo_stroke(cairo)
    for line in lines {
      cairo_move_to(cairo, line.x0, line.y0)
      cairo_line_to(cairo, line.x1, line.y1)
    }
    cairo_stroke(cairo)
  }

  private static func setColor(_ cairo: OpaquePointer?, _ color: UInt32) {
    func part(_ shift: UInt32) -> Double { Double(color >> shift & 0xFF) / 255 }
    cairo_set_source_rgb(cairo, part(16), part(8), part(0))
  }
}

/// The texts for which the font lacks a glyph, without duplicates.
struct MissingGlyphTexts {
  private var texts: Set<EmojiText> = []
  /// The first ones.
  private(set) var first: [String] = []
  /// The number of all of them.
  var count: Int { texts.count }

  /// Adds a text.
  mutating func insert(_ text: EmojiText) {
    guard texts.insert(text).inserted, first.count < Drawn.namedTexts else { return }
    first.append(text.label)
  }
}
