// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Makes drawings in all formats. Call it only in a process with limits on memory and time, because fonts and
/// pictures are decoded in C.
public enum Renderings {
  /// Draws with the drawing's font and the fonts for letters in these folders, which are opened here.
  public static func draw(
    _ drawing: Drawing, letterFolders: [String] = [], _ receive: @escaping ([UInt8]) -> Void
  ) throws(DrawingRefusal) -> Drawn {
    try draw(drawing, with: OpenFonts(color: drawing.font, letterFolders: letterFolders), receive)
  }

  /// Draws with opened fonts. `receive` gets the bytes of the result in pieces and in order; they are valid
  /// only if this does not throw.
  public static func draw(
    _ drawing: Drawing, with fonts: OpenFonts, _ receive: @escaping ([UInt8]) -> Void
  ) throws(DrawingRefusal) -> Drawn {
    switch drawing.format {
    case .png(let size):
      let painter = try Painter(drawing, size: size, Typesetter(fonts))
      try PNGWriter.write(
        painter, isTransparent: drawing.isTransparent, resolution: drawing.details.resolution, receive)
      return painter.drawn
    case .jpeg(let size, let quality):
      let painter = try Painter(drawing, size: size, Typesetter(fonts))
      try LossyWriter.writeJPEG(
        painter, quality: quality, resolution: drawing.details.resolution, receive)
      return painter.drawn
    case .webp(let size, let quality):
      let painter = try Painter(drawing, size: size, Typesetter(fonts))
      try LossyWriter.writeWebP(painter, quality: quality, isTransparent: drawing.isTransparent, receive)
      return painter.drawn
    case .sixel, .symbols:
      let size = try TerminalEncoder.paintedSize(drawing.format)
      let painter = try Painter(drawing, size: size, Typesetter(fonts))
      let pixels = try painter.whole()
      let rows = UnsafeRawBufferPointer(start: pixels.pixels, count: pixels.count)
      receive(try TerminalEncoder.encode(pixels: rows, size: size, stride: pixels.stride, as: drawing.format))
      return painter.drawn
    case .svg(let size, let embedsGlyphs):
      return try SVGWriter.write(drawing, fonts, size, embedsGlyphs: embedsGlyphs, receive)
    case .pdf:
      return try PDFFile(receive).add(drawing, with: fonts)
    }
  }
}

extension Renderings {
  /// The box of a caption with these words. Throws `noFont`, `badFont` and `tooLarge`.
  public static func box(of words: Words, with fonts: OpenFonts) throws(DrawingRefusal) -> TextBox {
    try Typesetter(fonts).box(of: words)
  }
}
