// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Makes drawings in all formats. Call it only in a process with limits on memory and time, because fonts and
/// pictures are decoded in C.
public enum Renderings {
  /// Draws with the drawing's font and the fonts for letters in these folders, which are opened here.
  public static func draw(
    _ drawing: Drawing, letterFolders: [String] = [], _ receive: @escaping ([UInt8]) -> Void
  ) throws(DrawingRefusal) -> Drawn {
    try draw(drawing, with: OpenFonts(colors: drawing.fonts, letterFolders: letterFolders), receive)
  }

  /// Draws with opened fonts. `receive` gets the bytes of the result in pieces and in order; they are valid
  /// only if this does not throw.
  public static func draw(
    _ drawing: Drawing, with fonts: OpenFonts, _ receive: @escaping ([UInt8]) -> Void
  ) throws(DrawingRefusal) -> Drawn {
    switch drawing.format {
    case .png(let size), .jpeg(let size, _), .webp(let size, _), .losslessWebP(let size),
      .avif(let size, _):
      if case .avif = drawing.format { try LossyWriter.checkAVIF() }
      let painter = try Painter(drawing, size: size, Typesetter(fonts))
      try write(painter, as: drawing, receive)
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
    case .ink(let size): return try InkFinder.find(drawing, size: size, Typesetter(fonts))
    case .pdf:
      return try PDFFile(receive).add(drawing, with: fonts)
    }
  }

  /// Draws one picture of several drawings side by side, from left to right. The format is the first one's, whose size is that of its
  /// panel; all are files of pixels. All else is as for one drawing. Returns the report on each.
  public static func draw(
    panels: [Drawing], with fonts: OpenFonts, _ receive: @escaping ([UInt8]) -> Void
  ) throws(DrawingRefusal) -> [Drawn] {
    guard let first = panels.first, panels.count > 1 else {
      return try panels.first.map { (only) throws(DrawingRefusal) in [try draw(only, with: fonts, receive)] }
        ?? []
    }
    let row = try PainterRow(panels, Typesetter(fonts))
    try write(row, as: first, receive)
    return row.drawn
  }

  /// Paints a file of pixels; the size is the source's.
  private static func write(
    _ source: some RasterSource, as drawing: Drawing, _ receive: @escaping ([UInt8]) -> Void
  ) throws(DrawingRefusal) {
    let details = drawing.details
    switch drawing.format {
    case .jpeg(_, let quality): try LossyWriter.writeJPEG(source, quality: quality, details, receive)
    case .webp(_, let quality): try LossyWriter.writeWebP(source, quality: quality, details, receive)
    case .losslessWebP: try LossyWriter.writeWebP(source, quality: nil, details, receive)
    case .avif(_, let quality): try LossyWriter.writeAVIF(source, quality: quality, details, receive)
    default: try PNGWriter.write(source, details, receive)
    }
  }
}

extension Renderings {
  /// The box of a caption with these words. Throws `noFont`, `badFont` and `tooLarge`.
  public static func box(of words: Words, with fonts: OpenFonts) throws(DrawingRefusal) -> TextBox {
    try Typesetter(fonts).box(of: words)
  }
}
