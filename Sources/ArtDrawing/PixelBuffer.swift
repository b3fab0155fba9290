// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker
import Glibc

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
