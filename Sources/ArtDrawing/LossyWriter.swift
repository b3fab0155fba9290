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

  /// The bounds of a format. JPEG and WebP have no larger sides; the pixels of WebP and AVIF are in memory as a whole, together with
  /// what the encoder makes of them.
  init(_ format: Drawing.Format, isTransparent: Bool) {
    switch format {
    case .jpeg: (name, side, pixels) = ("JPEG", 65_500, 1 << 28)
    case .webp: (name, side, pixels) = ("WebP", 16_383, isTransparent ? 10_000_000 : 1 << 25)
    case .losslessWebP: (name, side, pixels) = ("WebP", 16_383, 6_000_000)
    case .avif: (name, side, pixels) = ("AVIF", 16_384, 4_000_000)
    default: (name, side, pixels) = ("PNG", 100_000, 1 << 28)
    }
  }

  /// Whether a picture of that size is within the bounds.
  func contain(_ width: Int, _ height: Int) -> Bool {
    width <= side && height <= side && width * height <= pixels
  }
}

/// Writes JPEG, WebP and AVIF files, band by band.
enum LossyWriter {
  /// The pixels of a band, about.
  private static let bandPixels = 1 << 18

  /// Paints and writes a JPEG file. Throws `noMemory`.
  static func writeJPEG(
    _ source: some RasterSource, quality: Int, _ details: DrawingDetails, _ receive: ([UInt8]) -> Void
  ) throws(DrawingRefusal) {
    let size = source.size
    let xmp = XMPPacket.bytes(of: details, rights: source.rights)
    guard
      let file = cjpeg_begin(
        UInt32(clamping: size.width), UInt32(clamping: size.height), Int32(clamping: quality),
        UInt16(clamping: details.resolution ?? 0), xmp, xmp.count)
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
        UInt32(clamping: pixels.width), UInt32(clamping: pixels.height), Int32(clamping: quality), 0, nil,
        0)
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
        UInt32(clamping: picture.width), UInt32(clamping: picture.height), Int32(clamping: quality), 0, nil, 0
      )
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

  /// Paints and writes a WebP file; without loss if there is no quality. Throws `noMemory`.
  static func writeWebP(
    _ source: some RasterSource, quality: Int?, _ details: DrawingDetails,
    _ receive: @escaping ([UInt8]) -> Void
  ) throws(DrawingRefusal) {
    let size = source.size
    let (width, height) = (UInt32(clamping: size.width), UInt32(clamping: size.height))
    let begun =
      if let quality {
        cwebp_begin(width, height, source.isTransparent, Int32(clamping: quality))
      } else {
        cwebp_begin_lossless(width, height, source.isTransparent, details.isSmall)
      }
    guard let file = begun else { throw .noMemory }
    defer { cwebp_free(file) }
    try eachBand(of: source) { (band, rows) throws(DrawingRefusal) in
      guard cwebp_write(file, band.pixels, band.stride, UInt32(clamping: rows)) else { throw .noMemory }
    }
    var metadata = WebPMetadata(XMPPacket.bytes(of: details, rights: source.rights), size: size, receive)
    let sink = ByteSink { metadata.append($0) }
    let isWhole = cwebp_finish(file, Unmanaged.passUnretained(sink).toOpaque()) { context, bytes, count in
      guard let context else { return }
      Unmanaged<ByteSink>.fromOpaque(context).takeUnretainedValue()
        .write(UnsafeRawBufferPointer(start: bytes, count: count))
    }
    guard isWhole else { throw .noMemory }
    sink.flush()
    metadata.finish()
  }

  /// Paints and writes an AVIF file. Throws `noEncoder` and `noMemory`.
  static func writeAVIF(
    _ source: some RasterSource, quality: Int, _ details: DrawingDetails,
    _ receive: @escaping ([UInt8]) -> Void
  ) throws(DrawingRefusal) {
    let size = source.size
    guard
      let file = cavif_begin(
        UInt32(clamping: size.width), UInt32(clamping: size.height), source.isTransparent,
        Int32(clamping: quality))
    else { throw .noMemory }
    defer { cavif_free(file) }
    try eachBand(of: source) { (band, rows) throws(DrawingRefusal) in
      guard cavif_write(file, band.pixels, band.stride, UInt32(clamping: rows)) else { throw .noMemory }
    }
    let xmp = XMPPacket.bytes(of: details, rights: source.rights)
    let sink = ByteSink(receive)
    let isWhole = cavif_finish(file, xmp, xmp.count, Unmanaged.passUnretained(sink).toOpaque()) {
      context, bytes, count in
      guard let context else { return }
      Unmanaged<ByteSink>.fromOpaque(context).takeUnretainedValue()
        .write(UnsafeRawBufferPointer(start: bytes, count: count))
    }
    guard isWhole else { throw .noMemory }
    sink.flush()
  }

  /// Throws `noEncoder` where AVIF cannot be written.
  static func checkAVIF() throws(DrawingRefusal) {
    guard !cavif_is_available() else { return }
    throw DrawingRefusal(
      .noEncoder,
      "AVIF is written by libavif with an encoder, which is not installed; install libavif16 (Debian 13, Ubuntu 24.04) or libavif15 (Debian 12), or write WebP"
    )
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
