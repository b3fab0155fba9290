// SPDX-License-Identifier: Apache-2.0

import ArtModel
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
