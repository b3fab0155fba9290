// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics
import CWorker

/// Writes a page of a PDF file, using Cairo. Each glyph is stored once.
struct PDFWriter {
  /// The largest side of a page in points (PDF 1.7, annex C).
  static let side = 14_400

  /// The limit of glyphs in a drawing; a box for a missing glyph counts as 20.
  static let pieces = 100_000

  private let drawing: Drawing
  private let size: PixelSize
  private let typesetter: Typesetter
  private var fonts: ColorFonts { typesetter.fonts }
  private let cairo: OpaquePointer?
  private let images: PDFImages
  private var missing = MissingGlyphTexts()
  private var enlarging: Enlarging

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
    let drawn = DrawnArea(drawing.scene.canvas, crop: drawing.details.crop)
    if !drawing.isTransparent {
      cairo_set_source_rgb(cairo, 1, 1, 1)
      cairo_paint(cairo)
    }
    cairo_scale(cairo, page.width / region.width, page.height / region.height)
    cairo_translate(cairo, -region.x, -region.y)
    cairo_rectangle(cairo, drawn.left, drawn.top, drawn.width, drawn.height)
    cairo_clip(cairo)
    if let fill = drawing.scene.fill {
      fill.set(on: cairo)
      cairo_paint(cairo)
    }
    let fault = try drawBackground()
    try drawLabels()
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
    let map = Affine.cover(
      drawing.scene.canvas, width: background.width, height: background.height,
      orientation: background.orientation)
    transformed(map) {
      cairo_scale(cairo, background.pixel.width, background.pixel.height)
      draw(background.surface, Affine(a: 1, b: 0, c: 0, d: 1, e: 0, f: 0))
    }
    return nil
  }

  private mutating func drawLabels() throws(DrawingRefusal) {
    let visible = VisibleArea(drawing)
    images.isHalved = try countGlyphs(visible) > PDFImages.wholeGlyphs
    for label in drawing.scene.labels {
      let layout = try typesetter.layout(label.text)
      guard visible.touches(label, layout) else { continue }
      if layout.hasMissingGlyphs { missing.insert(label.text) }
      draw(layout.letters, label)
      try enlarging.add(label, layout)
      for placed in layout.glyphs { try draw(placed, label) }
    }
  }

  private func draw(_ placed: GlyphLayout.Placed, _ label: DrawingScene.Label) throws(DrawingRefusal) {
    let box = Affine(a: 1, b: 0, c: 0, d: 1, e: placed.x, f: placed.y)
    if let outlines = try fonts.outlines(placed.glyph) {
      let em = label.size.pixels * pointsPerPixel
      guard let image = try images.outlines(placed.glyph, outlines.glyph, pointsPerEm: em) else { return }
      return draw(image.surface, image.map.then(outlines.inBox).then(box).then(label.map))
    }
    let em = 1 / (try fonts.pixelsPerEm(placed.glyph))
    if case .missing(let scalars) = placed.glyph {
      let across = (placed.width / em).rounded()
      let down = (placed.height / em).rounded()
      let tofu = TofuBox(scalars: scalars, width: Int(across), height: Int(down))
      let map = Affine(a: em, b: 0, c: 0, d: em, e: placed.x, f: placed.y).then(label.map)
      transformed(map) { tofu.draw(on: cairo) }
    } else {
      let image = try images.glyph(placed.glyph, fonts)
      let pixel = placed.width / Double(image.width)
      draw(image.surface, Affine(a: pixel, b: 0, c: 0, d: pixel, e: placed.x, f: placed.y).then(label.map))
    }
  }

  /// Letters are shapes: a reader needs no font for them, and finds no text in them.
  private func draw(_ letters: Outline, _ label: DrawingScene.Label) {
    guard !letters.isEmpty else { return }
    var matrix = cairo_matrix_t()
    cairo_get_matrix(cairo, &matrix)
    let page = Affine(a: matrix.xx, b: matrix.yx, c: matrix.xy, d: matrix.yy, e: matrix.x0, f: matrix.y0)
    let shape = ResultOutline(letters, label.map.then(page), within: size)
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
      // A glyph takes as much as this many points.
      pieces += layout.letters.points.count / 8
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
    cairo_identity_matrix(cairo)
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

// MARK: - Pictures

/// The pictures of a PDF file as Cairo surfaces. Glyphs live until the file is written, because later pages use them.
final class PDFImages {
  /// A picture as it is stored, and its orientation.
  struct Background {
    let surface: OpaquePointer?
    let width: Int
    let height: Int
    let orientation: Int
    /// The size of a surface pixel in pixels of the picture.
    let pixel: (width: Double, height: Double)
  }

  /// The number of different glyphs that are stored in full resolution; more are stored in half of it.
  static let wholeGlyphs = 1000
  /// The pixels of a background that is not JPEG; larger ones are scaled down.
  static let backgroundPixels = 6_000_000.0

  /// A background is made smaller for the resolution if that takes away a fifth of a side.
  static let worthReducing = 0.8

  /// Whether glyphs are stored in half their resolution.
  var isHalved = false
  /// The most dots per inch that a background has on the page; nil for its own.
  var resolution: Int?
  private var glyphs: [Glyph: (surface: OpaquePointer?, pixels: PixelBuffer)] = [:]
  private var outlines: [Glyph: Outlines] = [:]
  private var backgrounds: [OpaquePointer?] = []

  deinit {
    for (surface, _) in glyphs.values { cairo_surface_destroy(surface) }
    for outlines in outlines.values { cairo_surface_destroy(outlines.surface) }
    dropBackgrounds()
  }

  /// Drops the backgrounds of the pages so far. Cairo has written them at the end of each page, and keeps what it still needs.
  func dropBackgrounds() {
    for surface in backgrounds { cairo_surface_destroy(surface) }
    backgrounds = []
  }

  /// A glyph of outlines as a surface.
  struct Outlines {
    let surface: OpaquePointer?
    /// Maps the surface to ems from the font's origin.
    let map: Affine
    /// The pixels of a glyph that is a picture, and the font size that they are for, in points.
    var bitmap: (pixels: PixelBuffer, pointsPerEm: Double)?
  }

  /// The points of an em of shapes that are kept: Cairo counts in 256ths of a point.
  private static let recordedEm = 100.0
  /// The pixels of all glyphs of outlines that are pictures, which Cairo keeps until the file is written.
  private static let outlinePixels = 8_000_000.0
  /// The pixels of a side of each at most.
  private var pictureSide = OutlineBitmap.side

  /// Sets the size of the pictures of outlines, for so many of them on a page.
  func setSide(ofPictures count: Int) {
    pictureSide = min(OutlineBitmap.side, (Self.outlinePixels / Double(max(count, 1))).squareRoot())
  }

  /// Dots per inch of glyphs that are pictures.
  private static let bitmapResolution = 300.0

  /// The shapes of a glyph, which the file has once, or its picture where PDF has no shapes for it; nil for a blank one. Throws `noMemory`.
  func outlines(_ glyph: Glyph, _ outlines: ColorGlyph, pointsPerEm: Double) throws(DrawingRefusal)
    -> Outlines?
  {
    if let known = self.outlines[glyph] { return known }
    guard let ink = outlines.ink else { return nil }
    let made: Outlines
    if outlines.isPDFVector {
      let em = Self.recordedEm
      var extents = cairo_rectangle_t(
        x: ink.left * em - 1, y: ink.top * em - 1, width: (ink.right - ink.left) * em + 2,
        height: (ink.bottom - ink.top) * em + 2)
      let surface = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, &extents)
      let cairo = cairo_create(surface)
      ColorGlyphPainter.draw(
        outlines, on: cairo, Affine(a: em, b: 0, c: 0, d: em, e: 0, f: 0),
        within: Outline.Bounds(
          left: extents.x, top: extents.y, right: extents.x + extents.width,
          bottom: extents.y + extents.height))
      let isDrawn = cairo_status(cairo) == CAIRO_STATUS_SUCCESS
      cairo_destroy(cairo)
      made = Outlines(
        surface: surface, map: Affine(a: 1 / em, b: 0, c: 0, d: 1 / em, e: 0, f: 0), bitmap: nil)
      guard isDrawn else {
        cairo_surface_destroy(surface)
        throw .noMemory
      }
    } else {
      let pixels = pointsPerEm * Self.bitmapResolution / 72
      guard let bitmap = try OutlineBitmap(outlines, pixelsPerEm: pixels, side: pictureSide) else {
        return nil
      }
      made = Outlines(
        surface: Self.surface(bitmap.pixels, CAIRO_FORMAT_ARGB32), map: bitmap.map,
        bitmap: (bitmap.pixels, pointsPerEm))
    }
    self.outlines[glyph] = made
    return made
  }

  /// The surface of a glyph, and its width in pixels. Throws `noMemory`.
  func glyph(_ glyph: Glyph, _ font: ColorFonts) throws(DrawingRefusal) -> (
    surface: OpaquePointer?, width: Int
  ) {
    if let known = glyphs[glyph] { return (known.surface, known.pixels.width) }
    var pixels = try font.bitmap(glyph)
    if isHalved, let half = try pixels.halved() { pixels = half }
    // Cairo writes transparent pixels as black. Readers scale colours and alpha separately, which would darken
    // the edges.
    guard craster_bleed(pixels.pixels, Int32(clamping: pixels.width), Int32(clamping: pixels.height)) else {
      throw .noMemory
    }
    let surface = Self.surface(pixels, CAIRO_FORMAT_ARGB32)
    glyphs[glyph] = (surface, pixels)
    return (surface, pixels.width)
  }

  /// The background: a JPEG file is embedded without its metadata, unless it has more than the resolution. Throws `notAnImage` and
  /// `tooManyPixels`.
  func background(_ bytes: [UInt8], _ canvas: Canvas, pointsPerPixel: Double) throws(Refusal) -> Background {
    let header = try PictureHeader(bytes)
    let dots = resolution.map { dots in
      Double(dots) / 72 * pointsPerPixel * CoverFit(picture: header.turned, canvas: canvas).scale
    }
    let isFiner = dots.map { $0 < Self.worthReducing } ?? false
    if header.kind == .jpeg, !isFiner, let made = try jpeg(bytes) { return made }
    let most = (Self.backgroundPixels / Double(header.width * header.height)).squareRoot()
    let scale = min(most, dots ?? most)
    let picture = try DecodedPicture(bytes, scale: scale, PictureLimits())
    let pixels = try allocate { () throws(DrawingRefusal) in try picture.turned() }
    if header.kind == .jpeg { return try smallerJPEG(pixels) }
    return keep(pixels, CAIRO_FORMAT_ARGB32, width: pixels.width, height: pixels.height, orientation: 1)
  }

  /// A JPEG file of the pixels, which is much smaller than they are.
  private func smallerJPEG(_ pixels: PixelBuffer) throws(Refusal) -> Background {
    let file = JPEGFile()
    file.bytes = try allocate { () throws(DrawingRefusal) in try LossyWriter.jpeg(of: pixels) }
    let pixel = try allocate { () throws(DrawingRefusal) in try PixelBuffer(width: 1, height: 1) }
    let made = keep(
      pixel, CAIRO_FORMAT_RGB24, width: pixels.width, height: pixels.height, orientation: 1)
    file.attach(to: made.surface)
    return made
  }

  /// Nil for a JPEG with four channels, which readers interpret differently.
  private func jpeg(_ bytes: [UInt8]) throws(Refusal) -> Background? {
    let plain = try StrippedPicture(bytes, PictureLimits())
    guard !plain.isFourColored else { return nil }
    // Cairo embeds the file, and uses the surface only for its position: one pixel is enough.
    let pixels = try allocate { () throws(DrawingRefusal) in try PixelBuffer(width: 1, height: 1) }
    let made = keep(
      pixels, CAIRO_FORMAT_RGB24, width: plain.width, height: plain.height, orientation: plain.orientation)
    let file = JPEGFile()
    try plain.write { file.bytes.append(contentsOf: $0) }
    file.attach(to: made.surface)
    return made
  }

  private func keep(
    _ pixels: PixelBuffer, _ format: cairo_format_t, width: Int, height: Int, orientation: Int
  ) -> Background {
    let surface = Self.surface(pixels, format)
    SurfacePixels.keep(pixels, aliveFor: surface)
    backgrounds.append(surface)
    return Background(
      surface: surface, width: width, height: height, orientation: orientation,
      pixel: (Double(width) / Double(pixels.width), Double(height) / Double(pixels.height)))
  }

  /// A lack of memory for a background is an error of the background.
  private func allocate<Value>(_ make: () throws(DrawingRefusal) -> Value) throws(Refusal) -> Value {
    do throws(DrawingRefusal) {
      return try make()
    } catch {
      throw Refusal(.tooManyPixels, error.detail)
    }
  }

  private static func surface(_ pixels: PixelBuffer, _ format: cairo_format_t) -> OpaquePointer? {
    cairo_image_surface_create_for_data(
      pixels.pixels, format, Int32(clamping: pixels.width), Int32(clamping: pixels.height),
      Int32(clamping: pixels.stride))
  }
}

/// Keeps pixels alive as long as Cairo has their surface.
private enum SurfacePixels {
  /// Its address is the key of the data; nothing reads or writes it.
  private nonisolated(unsafe) static let key = UnsafeMutablePointer<cairo_user_data_key_t>.allocate(
    capacity: 1)

  static func keep(_ pixels: PixelBuffer, aliveFor surface: OpaquePointer?) {
    let retained = Unmanaged.passRetained(pixels)
    let status = cairo_surface_set_user_data(surface, key, retained.toOpaque()) { context in
      if let context { Unmanaged<PixelBuffer>.fromOpaque(context).release() }
    }
    // A surface for which there is no memory is not read, either.
    if status != CAIRO_STATUS_SUCCESS { retained.release() }
  }
}

/// Keeps the bytes of a file alive for Cairo.
private final class JPEGFile {
  var bytes: [UInt8] = []
  private var memory: UnsafeMutablePointer<UInt8>?

  deinit { memory?.deallocate() }

  func attach(to surface: OpaquePointer?) {
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: max(bytes.count, 1))
    memory.update(from: bytes, count: bytes.count)
    self.memory = memory
    let count = UInt(bytes.count)
    bytes = []
    let retained = Unmanaged.passRetained(self)
    let status = cairo_surface_set_mime_data(
      surface, CAIRO_MIME_TYPE_JPEG, memory, count,
      { context in
        if let context { Unmanaged<JPEGFile>.fromOpaque(context).release() }
      }, retained.toOpaque())
    // Cairo did not accept the data; its status reports that when the file is written.
    if status != CAIRO_STATUS_SUCCESS { retained.release() }
  }
}

extension DecodedPicture {
  /// The pixels in Cairo's format, with the orientation applied.
  fileprivate func turned() throws(DrawingRefusal) -> PixelBuffer {
    let isAside = orientation > 4
    let result = try PixelBuffer(width: isAside ? height : width, height: isAside ? width : height)
    var target = result.part()
    withPixels { pixels in
      var decoded = craster_decoded(
        pixels: pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), stride: stride,
        width: Int32(clamping: width), height: Int32(clamping: height), channels: Int32(clamping: channels),
        orientation: Int32(clamping: orientation))
      craster_turn(&decoded, &target)
    }
    return result
  }
}

// MARK: - Output

/// Collects output into pieces, so that no result is held in memory as a whole.
final class ByteSink {
  private static let piece = 1 << 16

  private let receive: ([UInt8]) -> Void
  private var buffer: [UInt8] = []

  init(_ receive: @escaping ([UInt8]) -> Void) { self.receive = receive }

  func write(_ text: String) {
    buffer.append(contentsOf: text.utf8)
    flushIfFull()
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
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
