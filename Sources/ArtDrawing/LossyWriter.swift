// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker

/// The largest picture of a format that is made of pixels.
struct RasterBounds {
  /// The format's name in messages.
  let name: String
  /// The pixels of a side.
  let side: Int
  /// All pixels.
  let pixels: Int

  /// The bounds of a format. JPEG and WebP have no larger sides; the pixels of WebP are in memory as a whole, with alpha twice.
  init(_ format: Drawing.Format, isTransparent: Bool) {
    switch format {
    case .jpeg: (name, side, pixels) = ("JPEG", 65_500, 1 << 28)
    case .webp: (name, side, pixels) = ("WebP", 16_383, isTransparent ? 10_000_000 : 1 << 25)
    default: (name, side, pixels) = ("PNG", 100_000, 1 << 28)
    }
  }

  /// Whether a picture of that size is within the bounds.
  func contain(_ width: Int, _ height: Int) -> Bool {
    width <= side && height <= side && width * height <= pixels
  }
}

/// Writes JPEG and WebP files, band by band.
enum LossyWriter {
  /// The pixels of a band, about.
  private static let bandPixels = 1 << 18

  /// Paints and writes a JPEG file. Throws `noMemory`.
  static func writeJPEG(
    _ source: some RasterSource, quality: Int, resolution: Int?, _ receive: ([UInt8]) -> Void
  ) throws(DrawingRefusal) {
    let size = source.size
    guard
      let file = cjpeg_begin(
        UInt32(clamping: size.width), UInt32(clamping: size.height), Int32(clamping: quality),
        UInt16(clamping: resolution ?? 0))
    else { throw .noMemory }
    defer { cjpeg_free(file) }
    try eachBand(of: source) { (band, rows) throws(DrawingRefusal) in
      guard cjpeg_write(file, band.pixels, band.stride, UInt32(clamping: rows)) else { throw .noMemory }
      var start: UnsafePointer<UInt8>?
      let count = cjpeg_take(file, &start)
      if count > 0 { receive(Array(UnsafeBufferPointer(start: start, count: count))) }
    }
  }

  /// The JPEG file of pixels, whose alpha is ignored. Throws `noMemory`.
  static func jpeg(of pixels: PixelBuffer, quality: Int = 90) throws(DrawingRefusal) -> [UInt8] {
    guard
      let file = cjpeg_begin(
        UInt32(clamping: pixels.width), UInt32(clamping: pixels.height), Int32(clamping: quality), 0)
    else { throw .noMemory }
    defer { cjpeg_free(file) }
    guard cjpeg_write(file, pixels.pixels, pixels.stride, UInt32(clamping: pixels.height)) else {
      throw .noMemory
    }
    var start: UnsafePointer<UInt8>?
    let count = cjpeg_take(file, &start)
    return Array(UnsafeBufferPointer(start: start, count: count))
  }

  /// Writes the JPEG file of a decoded picture without transparency, whose orientation is not applied. Throws `noMemory`.
  static func writeJPEG(
    of picture: DecodedPicture, quality: Int, _ receive: (UnsafeRawBufferPointer) -> Void
  ) throws(DrawingRefusal) {
    guard
      let file = cjpeg_begin(
        UInt32(clamping: picture.width), UInt32(clamping: picture.height), Int32(clamping: quality), 0)
    else { throw .noMemory }
    defer { cjpeg_free(file) }
    let rows = min(picture.height, max(1, bandPixels / picture.width))
    let band = try PixelBuffer(width: picture.width, height: rows)
    for top in stride(from: 0, to: picture.height, by: rows) {
      let count = min(rows, picture.height - top)
      var target = band.part(rows: count)
      picture.withPixels { pixels in
        var decoded = craster_decoded(
          pixels: pixels.baseAddress?.advanced(by: top * picture.stride).assumingMemoryBound(to: UInt8.self),
          stride: picture.stride, width: Int32(clamping: picture.width), height: Int32(clamping: count),
          channels: Int32(clamping: picture.channels), orientation: 1)
        craster_turn(&decoded, &target)
      }
      guard cjpeg_write(file, band.pixels, band.stride, UInt32(clamping: count)) else { throw .noMemory }
      var start: UnsafePointer<UInt8>?
      let written = cjpeg_take(file, &start)
      receive(UnsafeRawBufferPointer(start: start, count: written))
    }
  }

  /// Paints and writes a WebP file. Throws `noMemory`.
  static func writeWebP(
    _ source: some RasterSource, quality: Int, _ receive: @escaping ([UInt8]) -> Void
  ) throws(DrawingRefusal) {
    let size = source.size
    guard
      let file = cwebp_begin(
        UInt32(clamping: size.width), UInt32(clamping: size.height), source.isTransparent,
        Int32(clamping: quality))
    else { throw .noMemory }
    defer { cwebp_free(file) }
    try eachBand(of: source) { (band, rows) throws(DrawingRefusal) in
      guard cwebp_write(file, band.pixels, band.stride, UInt32(clamping: rows)) else { throw .noMemory }
    }
    let sink = ByteSink(receive)
    let isWhole = cwebp_finish(file, Unmanaged.passUnretained(sink).toOpaque()) { context, bytes, count in
      guard let context else { return }
      Unmanaged<ByteSink>.fromOpaque(context).takeUnretainedValue()
        .write(UnsafeRawBufferPointer(start: bytes, count: count))
    }
    guard isWhole else { throw .noMemory }
    sink.flush()
  }

  /// Paints band by band; each has an even number of rows, but for the last one.
  private static func eachBand(
    of source: some RasterSource, _ body: (PixelBuffer, _ rows: Int) throws(DrawingRefusal) -> Void
  ) throws(DrawingRefusal) {
    let size = source.size
    let rows = min(size.height, max(2, bandPixels / size.width / 2 * 2))
    let band = try PixelBuffer(width: size.width, height: rows)
    for top in stride(from: 0, to: size.height, by: rows) {
      let end = min(top + rows, size.height)
      try source.paint(top..<end, into: band)
      try body(band, end - top)
    }
  }
}
