// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CRaster
import Glibc

/// How much there is to paint, and what is too much.
struct PaintingWork {
  /// Pixels of a PNG file.
  static let pixels = 1 << 28
  /// Pixels of its side.
  static let side = 100_000
  /// Pixels of all emoji together, those under others too.
  static let painted = 2e9

  private var sum = 0.0

  /// Counts a glyph's rectangle.
  mutating func add(_ rect: craster_rect) {
    // Each row and each glyph takes its time, too.
    sum += (Double(rect.right) - Double(rect.left) + 16) * (Double(rect.bottom) - Double(rect.top)) + 256
  }

  /// Throws `tooLarge` for more than can be painted in a bearable time, which would be less at a smaller scale than this.
  func check(scale: Double) throws(DrawingRefusal) {
    guard sum > Self.painted else { return }
    throw .tooLarge(
      "painting these emoji would take too long", scale: scale * (Self.painted / sum).squareRoot() * 0.98)
  }

  /// Throws `tooLarge` for a PNG file that has too many pixels.
  static func check(_ size: PixelSize, of region: Rect) throws(DrawingRefusal) {
    guard size.width > side || size.height > side || size.width * size.height > pixels else { return }
    let scale = min(
      Double(side) / max(region.width, region.height),
      (Double(pixels) / (region.width * region.height)).squareRoot())
    throw .tooLarge(
      "a PNG file of \(size.width) x \(size.height) pixels is too large: \(pixels) pixels and \(side) a side are drawn",
      scale: scale * 0.9999)
  }
}

extension DrawingRefusal {
  /// It is too large, and would not be at that scale.
  static func tooLarge(_ words: String, scale: Double) -> DrawingRefusal {
    // Three digits, rounded down.
    let unit = pow(10, floor(log10(scale)) - 2)
    let digits = (scale / unit).rounded(.down)
    let text = unit < 1 ? numberText(digits / (1 / unit).rounded()) : numberText(digits * unit)
    return DrawingRefusal(.tooLarge, "\(words); scale \(text) works")
  }
}
