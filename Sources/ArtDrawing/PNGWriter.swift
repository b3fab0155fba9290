// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker
import Glibc

/// Writes a PNG file; one thread compresses while this one paints.
struct PNGWriter {
  /// The pixels of a band, which fit into the processor's cache.
  private static let bandPixels = 1 << 18
  /// The least number of rows of a band, unless that exceeds the second number of pixels: higher bands cut
  /// fewer emoji.
  private static let minimum = (rows: 64, pixels: 1 << 21)

  /// Paints and writes, band by band, with the resolution and the words of the details. Throws `noMemory`.
  static func write(
    _ source: some RasterSource, _ details: DrawingDetails = DrawingDetails(), _ receive: ([UInt8]) -> Void
  ) throws(DrawingRefusal) {
    let size = source.size
    let rows = min(
      size.height, max(1, bandPixels / size.width, min(minimum.rows, minimum.pixels / size.width)))
    // One band is painted while the other is compressed.
    var band = try PixelBuffer(width: size.width, height: rows)
    var other = try PixelBuffer(width: size.width, height: rows)
    let file = try PNGFile(
      width: size.width, height: size.height, isTransparent: source.isTransparent, isSmall: details.isSmall,
      details, rights: source.rights)
    for top in stride(from: 0, to: size.height, by: rows) {
      let end = min(top + rows, size.height)
      try source.paint(top..<end, into: band)
      try file.write(band, rows: end - top, receive)
      swap(&band, &other)
    }
    try file.finish(receive)
  }

  /// The file of a small picture, compressed as well as possible. Throws `noMemory`.
  static func png(of pixels: PixelBuffer, isTransparent: Bool) throws(DrawingRefusal) -> [UInt8] {
    let file = try PNGFile(
      width: pixels.width, height: pixels.height, isTransparent: isTransparent, isSmall: true)
    var bytes: [UInt8] = []
    try file.write(pixels, rows: pixels.height) { bytes += $0 }
    try file.finish { bytes += $0 }
    return bytes
  }
}

/// A file of libpng.
private final class PNGFile {
  private let file: OpaquePointer
  // The band that is being compressed must stay alive.
  private var current: PixelBuffer?

  init(
    width: Int, height: Int, isTransparent: Bool, isSmall: Bool = false,
    _ details: DrawingDetails = DrawingDetails(), rights: String? = nil
  ) throws(DrawingRefusal) {
    // PNG counts dots per metre.
    let density = details.resolution.map { UInt32((Double($0) / 0.0254).rounded()) } ?? 0
    guard
      let file = cpng_begin(
        UInt32(clamping: width), UInt32(clamping: height), isTransparent, isSmall, density, details.title,
        details.alternative, rights)
    else { throw .noMemory }
    self.file = file
  }

  deinit { cpng_free(file) }

  func write(_ pixels: PixelBuffer, rows: Int, _ receive: ([UInt8]) -> Void) throws(DrawingRefusal) {
    guard cpng_write(file, pixels.pixels, pixels.stride, UInt32(clamping: rows)) else { throw .noMemory }
    current = pixels
    pass(receive)
  }

  func finish(_ receive: ([UInt8]) -> Void) throws(DrawingRefusal) {
    guard cpng_finish(file) else { throw .noMemory }
    pass(receive)
  }

  private func pass(_ receive: ([UInt8]) -> Void) {
    var start: UnsafePointer<UInt8>?
    let count = cpng_take(file, &start)
    if count > 0 { receive(Array(UnsafeBufferPointer(start: start, count: count))) }
  }
}

// MARK: - Pixels

/// Pixels in Cairo's ARGB32: 32 bits in native order, premultiplied; in memory blue, green, red, alpha.
/// Initially transparent.
final class PixelBuffer {
  /// Width in pixels.
  let width: Int
  /// Height in pixels.
  let height: Int
  /// The rows, `stride` bytes each.
  let pixels: UnsafeMutablePointer<UInt8>

  /// Bytes from one row to the next.
  var stride: Int { 4 * width }
  /// The size in bytes.
  var count: Int { stride * height }

  /// Throws `noMemory`.
  init(width: Int, height: Int) throws(DrawingRefusal) {
    let (pixelCount, overflows) = width.multipliedReportingOverflow(by: height)
    guard width > 0, height > 0, !overflows, pixelCount <= 1 << 28,
      let memory = calloc(pixelCount, 4)
    else { throw .noMemory }
    (self.width, self.height) = (width, height)
    pixels = memory.bindMemory(to: UInt8.self, capacity: 4 * pixelCount)
  }

  deinit { free(pixels) }

  /// Some of its columns as a whole picture. They must be within it.
  func columns(_ first: Int, _ count: Int) -> craster_part {
    var part = part(of: (count, height))
    part.pixels = pixels + 4 * first
    part.width = Int32(clamping: count)
    return part
  }

  /// The buffer as a part of a larger picture.
  func part(left: Int = 0, top: Int = 0, rows: Int? = nil, of whole: (width: Int, height: Int)? = nil)
    -> craster_part
  {
    craster_part(
      pixels: pixels, stride: stride, left: Int32(clamping: left), top: Int32(clamping: top),
      width: Int32(clamping: width), height: Int32(clamping: min(rows ?? height, height)),
      whole_width: Int32(clamping: whole?.width ?? width),
      whole_height: Int32(clamping: whole?.height ?? height))
  }

  /// The picture in double size. Throws `noMemory`.
  func doubled() throws(DrawingRefusal) -> PixelBuffer {
    let result = try PixelBuffer(width: 2 * width, height: 2 * height)
    var source = part()
    guard craster_double(&source, result.pixels) else { throw .noMemory }
    return result
  }

  /// The picture in half size, each pixel the mean of four; nil where a side is odd. Throws `noMemory`.
  func halved() throws(DrawingRefusal) -> PixelBuffer? {
    guard width % 2 == 0, height % 2 == 0 else { return nil }
    let result = try PixelBuffer(width: width / 2, height: height / 2)
    craster_halve(pixels, stride, Int32(clamping: width), Int32(clamping: height), result.pixels)
    return result
  }
}

extension PixelBuffer {
  /// The picture at that scale, below 1, each pixel the mean of those that it covers. Throws `noMemory`.
  func shrunk(by scale: Double) throws(DrawingRefusal) -> PixelBuffer {
    func side(_ length: Int) -> Int { max(1, Int((Double(length) * scale).rounded(.up))) }
    let result = try PixelBuffer(width: side(width), height: side(height))
    var (source, target) = (part(), result.part())
    let place = craster_place(
      x: 0, y: 0, scale_x: Double(result.width) / Double(width),
      scale_y: Double(result.height) / Double(height),
      has_endless_border: false)
    let all = craster_rect(
      left: 0, top: 0, right: Int32(clamping: result.width), bottom: Int32(clamping: result.height))
    guard craster_draw(&source, place, &target, all) else { throw .noMemory }
    return result
  }
}

extension DrawingRefusal {
  /// More memory is needed than the process may use.
  static let noMemory = DrawingRefusal(
    .noMemory, "drawing it takes more memory than it may; a smaller scale takes less")
}
