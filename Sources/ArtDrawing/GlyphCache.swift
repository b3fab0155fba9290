// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics
import CWorker

/// The pixels of the glyphs that are drawn, decoded once, as far as there is room.
final class GlyphCache {
  /// A bitmap, halved so many times.
  private struct Key: Hashable {
    var glyph: Glyph
    var halvings: Int
  }

  /// Bytes that are kept of what was used lately, and as many of what was used before it: together all of Noto Color Emoji.
  static let room = 36 << 20
  private static let mostHalvings = 3

  private let font: ColorFont
  // What was used since the last change, and before it: who is not used for a whole round goes.
  private var young: [Key: KeptPixels] = [:]
  private var old: [Key: KeptPixels] = [:]
  private var youngBytes = 0
  /// Where what is kept by its colours is spread out.
  private var spread: PixelBuffer?

  /// Of that font.
  init(_ font: ColorFont) { self.font = font }

  /// A glyph's pixels, for a drawing in which they are `scale` times as large: halved until they are less than twice as large as
  /// they are drawn. They stay until the next call. Throws `noMemory`.
  func pixels(_ glyph: Glyph, scale: Double) throws(DrawingRefusal) -> PixelBuffer {
    var halvings = 0
    var size = scale * 2
    while size <= 1, halvings < Self.mostHalvings {
      halvings += 1
      size *= 2
    }
    let key = Key(glyph: glyph, halvings: halvings)
    if let known = young[key] { return try spread(known) }
    let pixels = if let known = old.removeValue(forKey: key) { known } else { try made(glyph, halvings) }
    if youngBytes >= Self.room {
      old = young
      young = [:]
      youngBytes = 0
    }
    young[key] = pixels
    youngBytes += pixels.count
    return try spread(pixels)
  }

  private func made(_ glyph: Glyph, _ halvings: Int) throws(DrawingRefusal) -> KeptPixels {
    var pixels = try font.bitmap(glyph)
    for _ in 0..<halvings {
      guard let half = try pixels.halved() else { break }
      pixels = half
    }
    return KeptPixels(pixels)
  }

  private func spread(_ kept: KeptPixels) throws(DrawingRefusal) -> PixelBuffer {
    switch kept {
    case .whole(let pixels): return pixels
    case .numbers(let numbers, let colors, let width, let height):
      let room: PixelBuffer
      if let spread, (spread.width, spread.height) == (width, height) {
        room = spread
      } else {
        room = try PixelBuffer(width: width, height: height)
        spread = room
      }
      craster_expand(numbers, numbers.count, colors, room.pixels)
      return room
    }
  }
}

/// Pixels in little room.
private enum KeptPixels {
  case whole(PixelBuffer)
  /// Each pixel is the number of its colour: Noto's glyphs are made so.
  case numbers([UInt8], colors: [UInt32], width: Int, height: Int)

  init(_ pixels: PixelBuffer) {
    var colors = [UInt32](repeating: 0, count: 256)
    var found: Int32 = 0
    let count = pixels.width * pixels.height
    let numbers = [UInt8](unsafeUninitializedCapacity: count) { numbers, initialized in
      found = craster_index(pixels.pixels, count, numbers.baseAddress, &colors)
      initialized = found > 0 ? count : 0
    }
    guard found > 0 else {
      self = .whole(pixels)
      return
    }
    colors.removeLast(colors.count - Int(found))
    self = .numbers(numbers, colors: colors, width: pixels.width, height: pixels.height)
  }

  /// Bytes that it takes.
  var count: Int {
    switch self {
    case .whole(let pixels): pixels.count
    case .numbers(let numbers, let colors, _, _): numbers.count + 4 * colors.count
    }
  }
}

/// What stands for characters that the font has no colour glyph for: a box with their code points in it, in strokes of our own.
struct MissingBox {
  /// A stroke, in the box's pixels; its ends are round.
  struct Line: Hashable {
    var x0: Double
    var y0: Double
    var x1: Double
    var y1: Double
  }

  /// Of the strokes' and the frame's colour, 0xAARRGGBB.
  static let ink: UInt32 = 0xFF60_6060
  /// The colour inside.
  static let paper: UInt32 = 0xFFF2_F2F2
  /// Code points that are shown at most; of more, the first ones.
  static let shownScalars = 5

  /// Pixels across.
  let width: Int
  /// Pixels down.
  let height: Int
  /// The digits.
  let lines: [Line]
  /// How thick the strokes and the frame are.
  let lineWidth: Double
  /// The middle of the frame's line.
  var frame: (x: Double, y: Double, width: Double, height: Double) {
    let inset = 1.5 * lineWidth
    return (inset, inset, Double(width) - 2 * inset, Double(height) - 2 * inset)
  }

  /// A box for these code points. A joiner and a selector are not shown.
  init(scalars: [UInt32], width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    lineWidth = Double(min(width, height)) / 32
    let seen = scalars.filter { $0 != 0x200D && !(0xFE00...0xFE0F).contains($0) }
    let rows = Self.rows((seen.isEmpty ? scalars : seen).prefix(Self.shownScalars))
    let columns = rows.map(\.count).max() ?? 1
    let (boxWidth, boxHeight) = (Double(width), Double(height))
    let margin = 0.13
    let across = boxWidth * (1 - 2 * margin) / Double(columns)
    let down = boxHeight * (1 - 2 * margin) / Double(max(rows.count, 1))
    // A digit is at most twice as high as it is wide, with room around it.
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

  /// A single code point on two rows, several on a row each.
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

  /// The strokes of a digit, as on a display of seven segments; across 0 to 1, down 0 to 2.
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

  /// Its pixels. Throws `noMemory`.
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

  /// Draws it, from where it begins, a unit a pixel.
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

/// The texts with something that the font has no colour glyph for, each once.
struct LackingTexts {
  private var seen: Set<EmojiText> = []
  /// The first ones.
  private(set) var named: [String] = []
  /// How many there are.
  var count: Int { seen.count }

  /// Takes one.
  mutating func insert(_ text: EmojiText) {
    guard seen.insert(text).inserted, named.count < Drawn.namedTexts else { return }
    named.append(text.string)
  }
}
