// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker

/// A glyph of outlines as a picture, for files that have no shapes for what the glyph is made of.
struct OutlineBitmap {
  /// Pixels of the picture for a pixel of the result.
  static let sharpness = 2.0
  /// The pixels of a side at most.
  static let side = 2_048.0

  let pixels: PixelBuffer
  /// Maps pixels to ems from the font's origin.
  let map: Affine

  /// Nil for a blank glyph. An em gets that many pixels, unless the picture would be too large. Throws `noMemory`.
  init?(_ glyph: ColorGlyph, pixelsPerEm: Double, side: Double = Self.side) throws(DrawingRefusal) {
    guard let ink = glyph.ink else { return nil }
    let sides = (width: ink.right - ink.left, height: ink.bottom - ink.top)
    let scale = max(1, min(pixelsPerEm, (side - 2) / max(sides.width, sides.height)))
    let (left, top) = ((ink.left * scale).rounded(.down), (ink.top * scale).rounded(.down))
    pixels = try PixelBuffer(
      width: Int((ink.right * scale).rounded(.up) - left),
      height: Int((ink.bottom * scale).rounded(.up) - top))
    map = Affine(a: 1 / scale, b: 0, c: 0, d: 1 / scale, e: left / scale, f: top / scale)
    let placed = PlacedOutlines(glyph, Affine(a: scale, b: 0, c: 0, d: scale, e: -left, f: -top))
    var target = pixels.part()
    let all = craster_rect(left: 0, top: 0, right: target.width, bottom: target.height)
    for tile in placed?.tiles(in: all) ?? [] {
      let painted = try placed?.pixels(tile)
      guard var source = painted?.part() else { continue }
      let rect = tile.rect.cut(to: all)
      guard craster_draw(&source, tile.place, &target, rect) else { throw .noMemory }
    }
  }
}
