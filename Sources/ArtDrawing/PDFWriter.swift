// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics

/// Writes a page of a PDF file, using Cairo. Each glyph is stored once.
struct PDFWriter {
  /// The largest side of a page in points (PDF 1.7, annex C).
  static let side = 14_400

  /// The limit of glyphs in a drawing; a box for a missing glyph counts as 20.
  static let pieces = 100_000

  /// The least side of what is drawn, in points: Cairo counts in 256ths.
  private static let leastSide = 1.0 / 64

  private let drawing: Drawing
  private let size: PixelSize
  private let typesetter: Typesetter
  private var fonts: ColorFonts { typesetter.fonts }
  private let cairo: OpaquePointer?
  private let images: PDFImages
  private var missing = MissingGlyphTexts()
  private var enlarging: Enlarging
  private var paragraph: Paragraph?
  /// The map that the page begins with.
  private var paper = cairo_matrix_t()

  /// A writer of one page of a file, whose pictures `images` keeps.
  init(
    drawing: Drawing, size: PixelSize, typesetter: Typesetter, cairo: OpaquePointer?, images: PDFImages
  ) {
    (self.drawing, self.size, self.typesetter, self.cairo) = (drawing, size, typesetter, cairo)
    self.images = images
    // Paper has more pixels than points.
    let pixels = Double(drawing.details.resolution ?? 72) / 72
    enlarging = Enlarging(typesetter.fonts, pixels: pixels * Double(size.width) / drawing.region.width)
  }

  /// Draws the page. Throws `tooLarge` and `noMemory`.
  mutating func drawPage(_ page: PageSize) throws(DrawingRefusal) -> Drawn {
    let fault = try draw(page)
    return Drawn(
      lacking: missing.first, lackingCount: missing.count, pictureFault: fault, enlarged: enlarging.most)
  }

  private mutating func draw(_ page: PageSize) throws(DrawingRefusal) -> String? {
    let region = drawing.region
    let visible = VisibleArea(drawing)
    cairo_get_matrix(cairo, &paper)
    cairo_scale(cairo, page.width / region.width, page.height / region.height)
    cairo_translate(cairo, -region.x, -region.y)
    // Not all of the canvas, which may be more points than Cairo can count.
    let (width, height) = (max(0, visible.right - visible.left), max(0, visible.bottom - visible.top))
    cairo_rectangle(cairo, visible.left, visible.top, width, height)
    cairo_clip(cairo)
    if let fill = drawing.scene.fill {
      fill.set(on: cairo)
      cairo_paint(cairo)
    }
    let fault = try drawBackground()
    // Where nothing of a paragraph is visible, Cairo 1.16 drops its end and fails.
    if min(width, height) * pointsPerPixel > Self.leastSide { try drawLabels(visible) }
    return fault
  }

  /// Draws the background; hatching instead of a damaged one, and returns the reason.
  private mutating func drawBackground() throws(DrawingRefusal) -> String? {
    guard let bytes = drawing.scene.picture else { return nil }
    let background: PDFImages.Background
    do throws(Refusal) {
      background = try images.background(
        bytes, drawing.scene.canvas, pointsPerPixel: pointsPerPixel)
    } catch {
      drawHatching()
      return error.detail
    }
    let canvas = drawing.scene.canvas
    let map = Affine.cover(
      canvas, width: background.width, height: background.height, orientation: background.orientation)
    func draw(_ map: Affine) {
      transformed(map) {
        cairo_scale(cairo, background.pixel.width, background.pixel.height)
        self.draw(background.surface, Affine(a: 1, b: 0, c: 0, d: 1, e: 0, f: 0))
      }
    }
    guard drawing.bleed > 0 else {
      draw(map)
      return nil
    }
    // The bleed has the picture a little larger; within the canvas it is as without.
    let area = DrawnArea(drawing)
    let (width, height) = (Double(canvas.width), Double(canvas.height))
    let (left, top) = (min(area.left, 0), min(area.top, 0))
    draw(
      map.then(
        Affine(
          a: (max(area.right, width) - left) / width, b: 0, c: 0,
          d: (max(area.bottom, height) - top) / height,
          e: left, f: top)))
    cairo_save(cairo)
    cairo_rectangle(cairo, 0, 0, width, height)
    cairo_clip(cairo)
    draw(map)
    cairo_restore(cairo)
    return nil
  }

  private mutating func drawLabels(_ visible: VisibleArea) throws(DrawingRefusal) {
    images.isHalved = try countGlyphs(visible) > PDFImages.wholeGlyphs
    for label in drawing.scene.labels {
      let layout = try typesetter.layout(label.text)
      guard visible.touches(label, layout) else { continue }
      if layout.hasMissingGlyphs { missing.insert(label.text) }
      try enlarging.add(label, layout)
      mark(label.text.isCaption ? .caption : .emoji)
      showText(of: label, layout)
      for placed in layout.glyphs { try draw(placed, label) }
    }
    mark(nil)
  }

  /// The paragraph that is being drawn: a caption, or emoji that follow each other.
  private enum Paragraph { case caption, emoji }

  /// Ends a paragraph where another one begins. Paragraphs are what is read, bottom to top, by those who hear the page.
  private mutating func mark(_ next: Paragraph?) {
    guard next != paragraph || next == .caption else { return }
    if paragraph != nil { cairo_tag_end(cairo, "P") }
    if next != nil { cairo_tag_begin(cairo, "P", "") }
    paragraph = next
  }

  /// Shows the letters as text, and writes the characters of emoji where their pictures will be. Letters that are too large for text are
  /// shapes.
  private func showText(of label: DrawingScene.Label, _ layout: GlyphLayout) {
    let text = text(of: label)
    guard text.fits(layout) else { return draw(layout.letters, label) }
    for run in layout.runs {
      switch run {
      case .letters(let letters): text.show(letters, label.ink)
      case .emoji(let index, let characters): text.show(characters, in: layout.glyphs[index])
      }
    }
  }

  private func text(of label: DrawingScene.Label) -> PDFText {
    PDFText(fonts: images.fonts, cairo: cairo, map: label.map.then(page))
  }

  /// From the canvas to the page.
  private var page: Affine {
    var matrix = cairo_matrix_t()
    cairo_get_matrix(cairo, &matrix)
    return Affine(a: matrix.xx, b: matrix.yx, c: matrix.xy, d: matrix.yy, e: matrix.x0, f: matrix.y0)
  }

  private func draw(_ placed: GlyphLayout.Placed, _ label: DrawingScene.Label) throws(DrawingRefusal) {
    let box = Affine(a: 1, b: 0, c: 0, d: 1, e: placed.x, f: placed.y)
    if let outlines = try fonts.outlines(placed.glyph) {
      let em = label.size.pixels * pointsPerPixel
      guard let image = try images.outlines(placed.glyph, outlines.glyph, pointsPerEm: em) else { return }
      let map = image.map.then(outlines.inBox).then(box).then(label.map)
      return switch image.drawn {
      case .shapes(let surface): draw(surface, map)
      case .picture(let picture): draw(picture, map)
      }
    }
    let em = 1 / (try fonts.pixelsPerEm(placed.glyph))
    if case .missing(let scalars) = placed.glyph {
      let across = (placed.width / em).rounded()
      let down = (placed.height / em).rounded()
      let tofu = TofuBox(scalars: scalars, width: Int(across), height: Int(down))
      let map = Affine(a: em, b: 0, c: 0, d: em, e: placed.x, f: placed.y).then(label.map)
      transformed(map) { tofu.draw(on: cairo) }
    } else {
      let picture = try images.glyph(placed.glyph, fonts)
      let pixel = placed.width / Double(picture.width)
      draw(picture, Affine(a: pixel, b: 0, c: 0, d: pixel, e: placed.x, f: placed.y).then(label.map))
    }
  }

  /// Draws letters as a shape.
  private func draw(_ letters: Outline, _ label: DrawingScene.Label) {
    guard !letters.isEmpty else { return }
    // The page, with all that is around it: it begins at the origin.
    let all = Outline.Bounds(
      left: 0, top: 0, right: 2 * paper.x0 + Double(size.width), bottom: 2 * paper.y0 + Double(size.height))
    let shape = ResultOutline(letters, label.map.then(page), within: all)
    cairo_save(cairo)
    cairo_identity_matrix(cairo)
    label.ink.set(on: cairo)
    shape.add(to: cairo, left: 0, top: 0)
    cairo_fill(cairo)
    cairo_restore(cairo)
  }

  /// The number of different visible glyphs. Throws `tooLarge` for more glyphs than Cairo can hold, which it
  /// does until the file is written.
  private func countGlyphs(_ visible: VisibleArea) throws(DrawingRefusal) -> Int {
    var glyphs: Set<Glyph> = []
    var pieces = 0
    var pictures = 0
    for label in drawing.scene.labels {
      let layout = try typesetter.layout(label.text)
      guard visible.touches(label, layout) else { continue }
      for placed in layout.glyphs {
        if case .color = placed.glyph {
          let isNew = glyphs.insert(placed.glyph).inserted
          pieces += 1
          if isNew, let outlines = try fonts.outlines(placed.glyph) {
            pieces += outlines.glyph.points / 8
            if !outlines.glyph.isPDFVector { pictures += 1 }
          }
        } else {
          // A box has many strokes.
          pieces += 20
        }
      }
      // A glyph takes as much as this many points of a shape.
      pieces += text(of: label).fits(layout) ? layout.textPieces : layout.letters.points.count / 8
      guard pieces <= Self.pieces else { throw .tooManyPieces }
    }
    images.setSide(ofPictures: pictures)
    return glyphs.count
  }

  /// The points of the page for each pixel of the canvas.
  private var pointsPerPixel: Double { Double(size.width) / drawing.region.width }

  private func draw(_ surface: OpaquePointer?, _ map: Affine) {
    transformed(map) {
      cairo_set_source_surface(cairo, surface, 0, 0)
      cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_GOOD)
      cairo_paint(cairo)
    }
  }

  private func draw(_ picture: PDFPicture, _ map: Affine) {
    transformed(map) {
      cairo_set_source_surface(cairo, picture.colors, 0, 0)
      cairo_mask_surface(cairo, picture.mask, 0, 0)
    }
  }

  private func transformed(_ map: Affine, _ body: () -> Void) {
    cairo_save(cairo)
    var matrix = cairo_matrix_t(xx: map.a, yx: map.b, xy: map.c, yy: map.d, x0: map.e, y0: map.f)
    cairo_transform(cairo, &matrix)
    body()
    cairo_restore(cairo)
  }

  /// The same hatching as in the other formats: stripes in points, from the corner of the canvas.
  private func drawHatching() {
    func setGray(_ gray: Double) { cairo_set_source_rgb(cairo, gray / 255, gray / 255, gray / 255) }
    let canvas = Projection(
      drawing.region, of: drawing.scene.canvas, to: size, crop: drawing.details.crop
    ).canvas
    let corner = (
      x: -drawing.region.x * Double(size.width) / drawing.region.width,
      y: -drawing.region.y * Double(size.height) / drawing.region.height
    )
    setGray(0xDC)
    cairo_paint(cairo)
    setGray(0xC8)
    cairo_save(cairo)
    var paper = paper
    cairo_set_matrix(cairo, &paper)
    let (left, right) = (Double(canvas.left) - corner.x, Double(canvas.right) - corner.x)
    let (top, bottom) = (Double(canvas.top) - corner.y, Double(canvas.bottom) - corner.y)
    cairo_translate(cairo, corner.x, corner.y)
    for sum in stride(from: ((left + top) / 16).rounded(.down) * 16, to: right + bottom, by: 16) {
      cairo_move_to(cairo, sum - top, top)
      cairo_line_to(cairo, sum + 8 - top, top)
      cairo_line_to(cairo, sum + 8 - bottom, bottom)
      cairo_line_to(cairo, sum - bottom, bottom)
      cairo_close_path(cairo)
    }
    cairo_fill(cairo)
    cairo_restore(cairo)
  }
}

extension DrawingRefusal {
  fileprivate static let tooManyPieces = DrawingRefusal(
    .tooLarge,
    "more than \(PDFWriter.pieces) glyphs take more memory than there is for PDF; "
      + "draw a smaller region, or all of it as SVG or PNG")

  static func tooLargePage(_ size: PixelSize, _ region: CanvasRect) -> DrawingRefusal {
    let scale = Double(PDFWriter.side) / max(region.width, region.height)
    // Rounded down, so that the scale works.
    let digits = (scale * 1000).rounded(.down) / 1000
    let works = digits > 0 ? digits : (scale * 1e6).rounded(.down) / 1e6
    return DrawingRefusal(
      .tooLarge,
      "a page of \(size.width) x \(size.height) points is not readable everywhere; "
        + "PDF has \(PDFWriter.side) a side, which a scale of \(numberText(works)) keeps to")
  }
}

// MARK: - Output

/// Collects output into pieces, so that no result is held in memory as a whole.
final class ByteSink {
  private static let piece = 1 << 16

  private let receive: ([UInt8]) -> Void
  private var buffer: [UInt8] = []
  /// Where everything is copied to; nil for nowhere.
  var copy: PDFCopy?

  init(_ receive: @escaping ([UInt8]) -> Void) { self.receive = receive }

  func write(_ text: String) {
    buffer.append(contentsOf: text.utf8)
    flushIfFull()
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    copy?.append(bytes)
    buffer.append(contentsOf: bytes)
    flushIfFull()
  }

  /// Passes the buffer on when it is full.
  private func flushIfFull() {
    if buffer.count >= Self.piece { flush() }
  }

  /// Passes the buffer on.
  func flush() {
    guard !buffer.isEmpty else { return }
    receive(buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}

/// Encodes bytes that arrive in pieces as Base64.
struct Base64Writer {
  private let sink: ByteSink
  private var encoder = Base64Encoder()

  init(_ sink: ByteSink) { self.sink = sink }

  mutating func write(_ bytes: UnsafeRawBufferPointer) {
    encoder.encode(bytes).withUnsafeBytes { sink.write($0) }
  }

  /// Writes the rest, with padding.
  mutating func end() { encoder.finish().withUnsafeBytes { sink.write($0) } }
}
