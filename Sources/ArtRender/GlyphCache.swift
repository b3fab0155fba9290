// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The pixels of the glyphs that are drawn, decoded once, as far as there is room.
final class GlyphCache {
  /// A bitmap, halved so many times.
  private struct Key: Hashable {
    var glyph: Glyph
    var halvings: Int
  }

  /// Bytes of pixels that are kept; twice as many for a moment.
  static let room = 24 << 20
  private static let mostHalvings = 3

  private let font: ColorFont
  // What was used since the last change, and before it: who is not used for a whole round goes.
  private var young: [Key: PixelBuffer] = [:]
  private var old: [Key: PixelBuffer] = [:]
  private var youngBytes = 0

  /// Of that font.
  init(_ font: ColorFont) { self.font = font }

  /// A glyph's pixels, for a drawing in which they are `scale` times as large: halved until they are less than twice as large as
  /// they are drawn. Throws `noMemory`.
  func pixels(_ glyph: Glyph, scale: Double) throws(DrawingRefusal) -> PixelBuffer {
    var halvings = 0
    var size = scale * 2
    while size <= 1, halvings < Self.mostHalvings {
      halvings += 1
      size *= 2
    }
    let key = Key(glyph: glyph, halvings: halvings)
    if let known = young[key] { return known }
    let pixels = if let known = old.removeValue(forKey: key) { known } else { try made(glyph, halvings) }
    if youngBytes >= Self.room {
      old = young
      young = [:]
      youngBytes = 0
    }
    young[key] = pixels
    youngBytes += pixels.count
    return pixels
  }

  private func made(_ glyph: Glyph, _ halvings: Int) throws(DrawingRefusal) -> PixelBuffer {
    var pixels = try font.bitmap(glyph)
    for _ in 0..<halvings {
      guard let half = try pixels.halved() else { break }
      pixels = half
    }
    return pixels
  }
}
