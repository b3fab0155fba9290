// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Finds the bitmap that is enlarged most.
struct Enlarging {
  /// Less looks sharp enough to say nothing.
  private static let least = 2.0

  /// How many pixels of the result are drawn for a pixel of the canvas.
  private let scale: Double
  private let fonts: ColorFonts
  private var largest = (text: "", times: Enlarging.least)

  /// `pixels` are those of the result for each pixel of the canvas.
  init(_ fonts: ColorFonts, pixels: Double) { (self.fonts, scale) = (fonts, pixels) }

  /// The glyph that is enlarged most, if more than twice.
  var most: Drawn.Enlarged? {
    guard largest.times > Self.least else { return nil }
    return Drawn.Enlarged(text: largest.text, times: (largest.times * 10).rounded() / 10)
  }

  /// Looks at a label that is drawn. Throws `noMemory`.
  mutating func add(_ label: DrawingScene.Label, _ layout: GlyphLayout) throws(DrawingRefusal) {
    for placed in layout.glyphs where try fonts.isBitmap(placed.glyph) {
      let times = label.size.pixels * (scale / (try fonts.pixelsPerEm(placed.glyph)))
      if times > largest.times { largest = (label.text.label, times) }
    }
  }
}
