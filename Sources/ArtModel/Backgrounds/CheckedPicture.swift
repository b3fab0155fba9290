// SPDX-License-Identifier: Apache-2.0

/// A picture whose bytes were decoded once, as a trial: a document may take it.
public struct CheckedPicture: Sendable, Equatable {
  /// The file's bytes, as they came.
  public let bytes: [UInt8]
  /// `image/png`, `image/jpeg`, `image/gif`, `image/webp` or `image/avif`, by the bytes.
  public let mediaType: String
  /// Pixels across and down, after its orientation is applied.
  public let size: Canvas
  /// Whether there is more than one frame; the first one is the background.
  public let isAnimated: Bool

  /// A picture.
  public init(bytes: [UInt8], mediaType: String, size: Canvas, isAnimated: Bool) {
    self.bytes = bytes
    self.mediaType = mediaType
    self.size = size
    self.isAnimated = isAnimated
  }
}
