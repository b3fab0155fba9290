// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker
import Glibc

/// How much there is to paint, and what is too much.
struct PaintingWork {
  /// Pixels of a PNG file.
  static let pixels = 1 << 28
  /// Pixels of its side.
  static let side = 100_000
  /// Pixels of all emoji together, those under others too.
  static let painted = 2e9

  private let region: Rect
  private let size: PixelSize
  private var sum = 0.0
  // Of the rectangles, from which it is told how much it is when all is smaller.
  private var glyphs = 0.0
  private var widths = 0.0
  private var heights = 0.0
  private var areas = 0.0

  /// Nothing yet, of a drawing of that region.
  init(_ region: Rect, size: PixelSize) {
    self.region = region
    self.size = size
  }

  /// Counts a glyph's rectangle, empty or not: at a smaller scale it may touch what it does not touch at this one.
  mutating func add(_ rect: craster_rect) {
    let width = max(0, Double(rect.right) - Double(rect.left))
    let height = max(0, Double(rect.bottom) - Double(rect.top))
    // Each row takes its time, too. What each glyph takes beside is little, and their number is bounded.
    if width > 0 { sum += (width + 16) * height }
    glyphs += 1
    widths += width
    heights += height
    areas += width * height
  }

  /// Throws `tooLarge` for a result of too many pixels, and for more than can be painted in a bearable time, with the largest
  /// scale of three digits that works.
  func check() throws(DrawingRefusal) {
    guard Self.fits(size.width, size.height) else {
      throw tooLarge(
        "a PNG file of \(size.width) x \(size.height) pixels is too large: at most \(Self.pixels) pixels, and \(Self.side) a side, are drawn"
      )
    }
    guard sum <= Self.painted else { throw tooLarge("painting these emoji would take too long") }
  }

  private static func fits(_ width: Int, _ height: Int) -> Bool {
    width <= side && height <= side && width * height <= pixels
  }

  /// Whether a smaller result surely can be painted.
  private func isBearable(_ width: Int, _ height: Int) -> Bool {
    guard width <= size.width, height <= size.height, Self.fits(width, height) else { return false }
    let (across, down) = (Double(width) / Double(size.width), Double(height) / Double(size.height))
    // A rectangle's sides are smaller by that, and then as much as 4 larger: its edges fade over a pixel at any scale, and are
    // whole pixels; so are the canvas's. This is the sum of (side + 4 + 16) * (side + 4).
    return areas * across * down + 4 * widths * across + 20 * heights * down + 80 * glyphs <= Self.painted
  }

  private func tooLarge(_ words: String) -> DrawingRefusal {
    let scale = max(Double(size.width) / region.width, Double(size.height) / region.height)
    // Of a region that is next to nothing any scale is one pixel.
    var power = Int(log10(min(scale, 1e300)).rounded(.down)) - 2
    var digits = 999
    while true {
      // Exactly what is read from its text.
      guard let scale = Double("\(digits)e\(power)") else { break }
      let (width, height) = (Self.side(region.width * scale), Self.side(region.height * scale))
      if isBearable(width, height) {
        return DrawingRefusal(.tooLarge, "\(words); scale \(numberText(scale)) works")
      }
      guard width > 1 || height > 1 else { break }
      digits -= 1
      if digits < 100 { (digits, power) = (999, power - 1) }
    }
    return DrawingRefusal(.tooLarge, "\(words), at any scale; draw a smaller region")
  }

  /// Pixels of a side of that length, as `render` has them.
  private static func side(_ length: Double) -> Int { max(1, Int(min(length, 1e9).rounded())) }
}
