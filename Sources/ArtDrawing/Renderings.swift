// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Makes drawings. For a process of its own with limits on memory and time: what decodes fonts and pictures is C.
public enum Renderings {
  /// Draws with the drawing's font, which is opened here.
  public static func draw(
    _ drawing: Drawing, _ take: ([UInt8]) -> Void
  ) throws(DrawingRefusal) -> Drawn {
    try draw(drawing, with: OpenFont(path: drawing.font), take)
  }

  /// Draws with a font that was opened before; `take` is called with the result's bytes in pieces, in their order. What was taken counts only if this does not throw.
  public static func draw(
    _ drawing: Drawing, with font: OpenFont, _ take: ([UInt8]) -> Void
  ) throws(DrawingRefusal) -> Drawn {
    switch drawing.format {
    case .png(let size):
      let painter = try Painter(drawing, size: size, font: ColorFont(font.file()))
      try PNGWriter.write(painter, isTransparent: drawing.isTransparent, take)
      return painter.drawn
    case .sixel, .symbols:
      let size = try TerminalEncoder.paintedSize(drawing.format)
      let painter = try Painter(drawing, size: size, font: ColorFont(font.file()))
      let pixels = try painter.whole()
      let rows = UnsafeRawBufferPointer(start: pixels.pixels, count: pixels.count)
      take(try TerminalEncoder.encode(pixels: rows, size: size, stride: pixels.stride, as: drawing.format))
      return painter.drawn
    case .svg(let size, let embedsGlyphs):
      return try withoutActuallyEscaping(take) { (take) throws(DrawingRefusal) in
        try SVGWriter.write(drawing, font, size, embedsGlyphs: embedsGlyphs, take)
      }
    case .pdf(let size):
      return try withoutActuallyEscaping(take) { (take) throws(DrawingRefusal) in
        try PDFWriter.write(drawing, font, size, take)
      }
    }
  }
}
