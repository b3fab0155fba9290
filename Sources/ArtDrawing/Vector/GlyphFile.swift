// SPDX-License-Identifier: Apache-2.0

import ArtModel

extension ColorFont {
  /// A glyph's picture as a PNG file: the font's own, where that is one of this size, or made of its pixels. Throws `noMemory`.
  func glyphFile(_ placed: GlyphLayout.Placed) throws(DrawingRefusal) -> [UInt8] {
    if case .color(let number) = placed.glyph, let file = png(number) {
      let size = [placed.width, placed.height].map { Int(($0 * pixelsPerEm).rounded()) }
      if Self.size(file) == size { return file }
    }
    return try PNGWriter.png(of: bitmap(placed.glyph), isTransparent: true)
  }

  /// The sides that a PNG file says it has; none for what is no such file.
  private static func size(_ file: [UInt8]) -> [Int] {
    let mark: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
    guard file.starts(with: mark), file.count >= 24 else { return [] }
    return [16, 20].map { file[$0..<$0 + 4].reduce(0) { $0 << 8 | Int($1) } }
  }
}
