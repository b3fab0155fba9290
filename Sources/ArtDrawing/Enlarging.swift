// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Finds the bitmap that is enlarged most.
struct Enlarging {
  /// Less looks sharp enough to say nothing.
  private static let least = 2.0

  /// How many pixels of the result are drawn for a pixel of the font, for each pixel of a font size.
  private let scale: Double
  private var largest = (text: "", times: Enlarging.least)

  /// `pixels` are those of the result for each pixel of the canvas.
  init(_ font: ColorFont, pixels: Double) { scale = pixels / font.pixelsPerEm }

  /// The glyph that is enlarged most, if more than twice.
  var most: Drawn.Enlarged? {
    guard largest.times > Self.least else { return nil }
    return Drawn.Enlarged(text: largest.text, times: (largest.times * 10).rounded() / 10)
  }

  /// Looks at a label that is drawn.
  mutating func add(_ label: DrawingScene.Label, _ layout: GlyphLayout) {
    let times = label.size.pixels * scale
    guard times > largest.times, layout.glyphs.contains(where: { $0.glyph.isBitmap }) else { return }
    largest = (label.text.label, times)
  }
}

extension Glyph {
  /// Whether it is a picture of pixels.
  fileprivate var isBitmap: Bool { if case .color = self { true } else { false } }
}
