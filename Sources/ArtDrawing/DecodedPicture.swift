// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker

/// The pixels of a picture's first frame, on a canvas as large as all of it.
public final class DecodedPicture {
  /// Pixels across, before it is turned.
  public let width: Int
  /// Pixels down, before it is turned.
  public let height: Int
  /// How it is to be turned: 1 to 8 as in EXIF.
  public let orientation: Int
  /// Bytes of a pixel: 3 (red, green, blue) or 4 (and alpha, not premultiplied).
  public let channels: Int
  /// Bytes from a row to the next.
  public let stride: Int

  private var pixels: cpixbuf_pixels

  /// Decodes it; where `scale` (of both sides) is below 1 it is made smaller by it, sides rounded up, while or after it is decoded.
  /// Throws `notAnImage` and `tooManyPixels`. For a process of its own with limits on memory and time.
  public init(_ bytes: [UInt8], scale: Double, _ limits: PictureLimits) throws(Refusal) {
    let header = try PictureHeader(bytes)
    try limits.check(header.width, header.height)
    let frame = try FirstFrame.of(bytes, header, limits)
    // AVIF's loader turns it.
    let isTurned = header.kind == .avif
    let stored = isTurned ? header.turned : (header.width, header.height)
    let size = Shrinking(width: stored.0, height: stored.1, scale: scale)
    pixels = cpixbuf_pixels()
    orientation = isTurned ? 1 : header.orientation
    do throws(Refusal) {
      let reduction = header.kind == .jpeg ? size.reduction : 1
      try frame.decode(header, reduction: Int32(reduction), into: &pixels)
      if (frame.width, frame.height) != stored {
        let isPlaced = cpixbuf_place(
          &pixels, Int32(frame.left), Int32(frame.top), Int32(stored.0), Int32(stored.1))
        guard isPlaced else { throw Refusal.outOfMemory(header) }
      }
      guard size.shrink(&pixels, reducedBy: reduction) else { throw Refusal.outOfMemory(header) }
    } catch {
      cpixbuf_free(&pixels)
      (width, height, channels, stride) = (0, 0, 0, 0)
      throw error
    }
    (width, height) = (Int(pixels.width), Int(pixels.height))
    (channels, stride) = (Int(pixels.channels), pixels.stride)
  }

  deinit { cpixbuf_free(&pixels) }

  /// Calls with all rows; behind the last one there is no room for its stride.
  public func withPixels<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let count = stride * (height - 1) + channels * width
    return body(UnsafeRawBufferPointer(start: pixels.bytes, count: count))
  }
}

extension DecodedPicture {
  /// Calls with the bytes of a PNG file, and the context; whether that was all of them.
  func writePNG(_ context: UnsafeMutableRawPointer, _ take: @escaping cpixbuf_take) -> Bool {
    cpixbuf_write_png(&pixels, take, context)
  }
}

/// How a picture is made smaller: by its loader as far as that goes, the rest by the mean of each area.
private struct Shrinking {
  let width: Int
  let height: Int
  /// What comes of it: at least 1.
  let across: Int
  let down: Int

  init(width: Int, height: Int, scale: Double) {
    (self.width, self.height) = (width, height)
    let scale = scale > 0 ? min(scale, 1) : scale.isNaN ? 1 : 0
    // A scale is itself rounded: what is just above a whole number is that number.
    func scaled(_ side: Int) -> Int { max(1, min(side, Int((Double(side) * scale - 1e-6).rounded(.up)))) }
    (across, down) = (scaled(width), scaled(height))
  }

  /// By how much libjpeg may make it smaller: 1, 2, 4 or 8.
  var reduction: Int {
    [8, 4, 2].first { (width + $0 - 1) / $0 >= across && (height + $0 - 1) / $0 >= down } ?? 1
  }

  /// False when there is no memory.
  func shrink(_ pixels: inout cpixbuf_pixels, reducedBy reduction: Int) -> Bool {
    let isDone = Int(pixels.width) == across && Int(pixels.height) == down
    // The last pixels of what was reduced stand for more than was there.
    let isWhole = width % reduction == 0 && height % reduction == 0
    if isDone, isWhole { return true }
    return cpixbuf_shrink(
      &pixels, Double(width) / Double(reduction), Double(height) / Double(reduction), Int32(across),
      Int32(down)
    )
  }
}
