// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker
import Glibc

/// A PNG file, compressed on a thread of its own while it is painted.
struct PNGWriter {
  /// Pixels of a band: what the processor has near.
  private static let bandPixels = 1 << 18
  /// Rows of a band, at least, where that many pixels are not more than the second number: emoji are cut less often.
  private static let fewest = (rows: 64, pixels: 1 << 21)

  /// Paints and writes, band by band. Throws `noMemory`.
  static func write(_ painter: Painter, isTransparent: Bool, _ take: ([UInt8]) -> Void) throws(DrawingRefusal)
  {
    let size = painter.size
    let rows = min(
      size.height, max(1, bandPixels / size.width, min(fewest.rows, fewest.pixels / size.width)))
    // One is painted while the other is compressed.
    var band = try PixelBuffer(width: size.width, height: rows)
    var other = try PixelBuffer(width: size.width, height: rows)
    let file = try PNGFile(width: size.width, height: size.height, isTransparent: isTransparent)
    for top in stride(from: 0, to: size.height, by: rows) {
      let end = min(top + rows, size.height)
      try painter.paint(top..<end, into: band)
      try file.write(band, rows: end - top, take)
      swap(&band, &other)
    }
    try file.finish(take)
  }

  /// A small picture's file, as small as it can be. Throws `noMemory`.
  static func png(of pixels: PixelBuffer, isTransparent: Bool) throws(DrawingRefusal) -> [UInt8] {
    let file = try PNGFile(
      width: pixels.width, height: pixels.height, isTransparent: isTransparent, isSmall: true)
    var bytes: [UInt8] = []
    try file.write(pixels, rows: pixels.height) { bytes += $0 }
    try file.finish { bytes += $0 }
    return bytes
  }
}

/// libpng's file.
private final class PNGFile {
  private let file: OpaquePointer
  // What is compressed lives until it is.
  private var held: PixelBuffer?

  init(width: Int, height: Int, isTransparent: Bool, isSmall: Bool = false) throws(DrawingRefusal) {
    guard let file = cpng_begin(UInt32(clamping: width), UInt32(clamping: height), isTransparent, isSmall)
    else {
      throw .noMemory
    }
    self.file = file
  }

  deinit { cpng_free(file) }

  func write(_ pixels: PixelBuffer, rows: Int, _ take: ([UInt8]) -> Void) throws(DrawingRefusal) {
    guard cpng_write(file, pixels.pixels, pixels.stride, UInt32(clamping: rows)) else { throw .noMemory }
    held = pixels
    give(take)
  }

  func finish(_ take: ([UInt8]) -> Void) throws(DrawingRefusal) {
    guard cpng_finish(file) else { throw .noMemory }
    give(take)
  }

  private func give(_ take: ([UInt8]) -> Void) {
    var start: UnsafePointer<UInt8>?
    let count = cpng_take(file, &start)
    if count > 0 { take(Array(UnsafeBufferPointer(start: start, count: count))) }
  }
}

/// Pixels as Cairo's ARGB32: 32 bits of native order, premultiplied; blue, green, red, alpha in memory. Nothing at first.
final class PixelBuffer {
  /// Pixels across.
  let width: Int
  /// Pixels down.
  let height: Int
  /// The rows, each of `stride` bytes.
  let pixels: UnsafeMutablePointer<UInt8>

  /// Bytes from a row to the next.
  var stride: Int { 4 * width }
  /// Bytes in all.
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

  /// As a part of a picture of that size.
  func part(left: Int = 0, top: Int = 0, rows: Int? = nil, of whole: (width: Int, height: Int)? = nil)
    -> craster_part
  {
    craster_part(
      pixels: pixels, stride: stride, left: Int32(clamping: left), top: Int32(clamping: top),
      width: Int32(clamping: width), height: Int32(clamping: min(rows ?? height, height)),
      whole_width: Int32(clamping: whole?.width ?? width),
      whole_height: Int32(clamping: whole?.height ?? height))
  }

  /// Half as large, each pixel the mean of four; nil where a side is odd. Throws `noMemory`.
  func halved() throws(DrawingRefusal) -> PixelBuffer? {
    guard width % 2 == 0, height % 2 == 0 else { return nil }
    let result = try PixelBuffer(width: width / 2, height: height / 2)
    craster_halve(pixels, stride, Int32(clamping: width), Int32(clamping: height), result.pixels)
    return result
  }
}

extension DrawingRefusal {
  /// There is less memory than it takes.
  static let noMemory = DrawingRefusal(
    .noMemory, "drawing it takes more memory than it may; a smaller scale takes less")
}
