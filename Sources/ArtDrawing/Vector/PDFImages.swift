// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics
import CWorker

/// The pictures of a PDF file as Cairo's surfaces, which live until the file is written.
final class PDFImages {
  /// A picture as it is stored, and how it is to be turned.
  struct Background {
    let surface: OpaquePointer?
    let width: Int
    let height: Int
    let orientation: Int
    /// What one pixel of the surface is of the picture's.
    let pixel: (width: Double, height: Double)
  }

  /// Different glyphs that are held in all their pixels; of more, each has half as many a side.
  static let wholeGlyphs = 1000
  /// Pixels of a background that is no JPEG file; what has more is made smaller.
  static let backgroundPixels = 6_000_000.0

  /// Whether glyphs have half their pixels a side.
  var isHalved = false
  private var glyphs: [Glyph: (surface: OpaquePointer?, pixels: PixelBuffer)] = [:]
  private var background: (surface: OpaquePointer?, pixels: PixelBuffer)?

  deinit {
    for (surface, _) in glyphs.values { cairo_surface_destroy(surface) }
    cairo_surface_destroy(background?.surface)
  }

  /// A glyph's surface and its pixels across. Throws `noMemory`.
  func glyph(_ glyph: Glyph, _ font: ColorFont) throws(DrawingRefusal) -> (
    surface: OpaquePointer?, width: Int
  ) {
    if let known = glyphs[glyph] { return (known.surface, known.pixels.width) }
    var pixels = try font.bitmap(glyph)
    if isHalved, let half = try pixels.halved() { pixels = half }
    // Cairo writes what is clear as black. Readers make colours and alpha smaller apart from one another, and edges would be dark.
    guard craster_bleed(pixels.pixels, Int32(clamping: pixels.width), Int32(clamping: pixels.height)) else {
      throw .noMemory
    }
    let surface = Self.surface(pixels, CAIRO_FORMAT_ARGB32)
    glyphs[glyph] = (surface, pixels)
    return (surface, pixels.width)
  }

  /// The background: a JPEG file as it came, without what it tells beside its pixels. Throws `notAnImage` and `tooManyPixels`.
  func background(_ bytes: [UInt8]) throws(Refusal) -> Background {
    let header = try PictureHeader(bytes)
    if header.kind == .jpeg, let made = try jpeg(bytes) { return made }
    let scale = (Self.backgroundPixels / Double(header.width * header.height)).squareRoot()
    let picture = try DecodedPicture(bytes, scale: scale, PictureLimits())
    let pixels = try held { () throws(DrawingRefusal) in try picture.turned() }
    return keep(pixels, CAIRO_FORMAT_ARGB32, width: pixels.width, height: pixels.height, orientation: 1)
  }

  /// Nil for one in four colours, which readers understand in several ways.
  private func jpeg(_ bytes: [UInt8]) throws(Refusal) -> Background? {
    let plain = try PlainPicture(bytes, PictureLimits())
    guard !plain.isFourColored else { return nil }
    // Cairo writes the file as an image of its own size, and asks the surface's pixels only where they lie: one is enough.
    let pixels = try held { () throws(DrawingRefusal) in try PixelBuffer(width: 1, height: 1) }
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
    background = (surface, pixels)
    return Background(
      surface: surface, width: width, height: height, orientation: orientation,
      pixel: (Double(width) / Double(pixels.width), Double(height) / Double(pixels.height)))
  }

  /// For a background too little memory is a fault of its own.
  private func held(_ make: () throws(DrawingRefusal) -> PixelBuffer) throws(Refusal) -> PixelBuffer {
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

/// A file's bytes as long as Cairo wants them.
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
    // Cairo has not taken it; its own status says so when the file is written.
    if status != CAIRO_STATUS_SUCCESS { retained.release() }
  }
}

extension DecodedPicture {
  /// Its pixels as Cairo has them, turned.
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
