// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CPixbuf

/// The pixels of a picture's first frame. STUB
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

  /// Decodes it; where `scale` (of both sides) is below 1 it is made smaller by it, sides rounded up, while or after it is decoded.
  /// Throws `notAnImage` and `tooManyPixels`.
  public init(_ bytes: [UInt8], scale: Double, _ limits: PictureLimits) throws(Refusal) {
    throw Refusal(.notAnImage, "STUB")
  }

  /// Calls with all rows.
  public func withPixels<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(start: nil, count: 0))
  }
}
