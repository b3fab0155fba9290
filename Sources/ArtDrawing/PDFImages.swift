// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics
import CWorker

/// The pictures of a PDF file as Cairo surfaces, and its fonts. Glyphs live until the file is written, because later pages use them.
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
  /// The fonts of its text.
  let fonts = PDFFonts()
  private var glyphs: [Glyph: PDFPicture] = [:]
  private var outlines: [Glyph: Outlines] = [:]
  private var backgrounds: [OpaquePointer?] = []

  deinit {
    for case .shapes(let surface) in outlines.values.map(\.drawn) { cairo_surface_destroy(surface) }
    dropBackgrounds()
  }

  /// Drops the backgrounds of the pages so far. Cairo has written them at the end of each page, and keeps what it still needs.
  func dropBackgrounds() {
    for surface in backgrounds { cairo_surface_destroy(surface) }
    backgrounds = []
  }

  /// A glyph of outlines.
  struct Outlines {
    enum Drawn {
      /// A surface that has recorded the shapes.
      case shapes(OpaquePointer?)
      case picture(PDFPicture)
    }

    let drawn: Drawn
    /// Maps what is drawn to ems from the font's origin.
    let map: Affine
    /// The font size that a picture is for; nil for shapes.
    var pointsPerEm: Double?
  }

  /// The points of an em of shapes that are kept: Cairo counts in 256ths of a point.
  private static let recordedEm = 100.0
  /// The pixels of all glyphs of outlines that are pictures, which Cairo keeps until the file is written.
  private static let outlinePixels = 8_000_000.0
  /// Those of the pages so far.
  private var keptPixels = 0.0
  private static let leastSide = 48.0
  /// The pixels of a side of each at most.
  private var pictureSide = OutlineBitmap.side

  /// Sets the size of the pictures of outlines, for so many of them on the next page.
  func setSide(ofPictures count: Int) {
    let left = max(0, Self.outlinePixels - keptPixels)
    pictureSide = max(Self.leastSide, min(OutlineBitmap.side, (left / Double(max(count, 1))).squareRoot()))
  }

  /// Dots per inch of glyphs that are pictures.
  private static let bitmapResolution = 300.0

  /// The shapes of a glyph, which the file has once, or its picture where PDF has no shapes for it; nil for a blank one. Throws `noMemory`.
  func outlines(_ glyph: Glyph, _ outlines: ColorGlyph, pointsPerEm: Double) throws(DrawingRefusal)
    -> Outlines?
  {
    // A picture is made again for a use that is much larger.
    if let known = self.outlines[glyph], known.pointsPerEm.map({ pointsPerEm < 1.5 * $0 }) ?? true {
      return known
    }
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
        drawn: .shapes(surface), map: Affine(a: 1 / em, b: 0, c: 0, d: 1 / em, e: 0, f: 0))
      guard isDrawn else {
        cairo_surface_destroy(surface)
        throw .noMemory
      }
    } else {
      let pixels = pointsPerEm * Self.bitmapResolution / 72
      guard let bitmap = try OutlineBitmap(outlines, pixelsPerEm: pixels, side: pictureSide) else {
        return nil
      }
      keptPixels += Double(bitmap.pixels.width * bitmap.pixels.height)
      made = Outlines(
        drawn: .picture(try PDFPicture(bitmap.pixels)), map: bitmap.map, pointsPerEm: pointsPerEm)
    }
    self.outlines[glyph] = made
    return made
  }

  /// The picture of a glyph. Throws `noMemory`.
  func glyph(_ glyph: Glyph, _ font: ColorFonts) throws(DrawingRefusal) -> PDFPicture {
    if let known = glyphs[glyph] { return known }
    var pixels = try font.bitmap(glyph)
    if isHalved, let half = try pixels.halved() { pixels = half }
    let picture = try PDFPicture(pixels)
    glyphs[glyph] = picture
    return picture
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
    CairoData.keep(pixels, aliveFor: surface)
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

  fileprivate static func surface(_ pixels: PixelBuffer, _ format: cairo_format_t) -> OpaquePointer? {
    cairo_image_surface_create_for_data(
      pixels.pixels, format, Int32(clamping: pixels.width), Int32(clamping: pixels.height),
      Int32(clamping: pixels.stride))
  }
}

/// A picture with alpha: a surface of its colours, and one of its alpha, which Cairo stores once for all uses. Readers scale the two apart, so the
/// colours go on beyond the edge.
final class PDFPicture {
  /// How far they go on, in pixels: more than a pixel of the screen covers of a small emoji.
  private static let rings: Int32 = 12

  /// The colours.
  let colors: OpaquePointer?
  /// The alpha.
  let mask: OpaquePointer?
  private let pixels: PixelBuffer

  /// The width in pixels.
  var width: Int { pixels.width }

  /// Changes the pixels, which must not be used elsewhere. Throws `noMemory`.
  init(_ pixels: PixelBuffer) throws(DrawingRefusal) {
    let (width, height) = (Int32(clamping: pixels.width), Int32(clamping: pixels.height))
    mask = cairo_image_surface_create(CAIRO_FORMAT_A8, width, height)
    colors = PDFImages.surface(pixels, CAIRO_FORMAT_RGB24)
    self.pixels = pixels
    guard let alpha = cairo_image_surface_get_data(mask),
      craster_separate(
        pixels.pixels, width, height, Self.rings, alpha, Int(cairo_image_surface_get_stride(mask)))
    else { throw .noMemory }
    cairo_surface_mark_dirty(mask)
    cairo_surface_mark_dirty(colors)
  }

  deinit {
    cairo_surface_destroy(mask)
    cairo_surface_destroy(colors)
  }
}

/// Keeps memory alive as long as Cairo has an object that reads it.
enum CairoData {
  /// Any thread may use it without a lock: its address is the key of the data, and nothing reads or writes it.
  nonisolated(unsafe) static let key = UnsafeMutablePointer<cairo_user_data_key_t>.allocate(capacity: 1)

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
