// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A size in pixels that a drawing is fitted into and centred in; what is beside it stays empty.
public struct PixelFrame: Hashable, Sendable {
  /// The size of the picture.
  public let size: PixelSize
  /// The empty edge at each side, in pixels.
  public let margin: Int

  /// Throws `badValue` for a margin that leaves nothing.
  public init(_ size: PixelSize, margin: Int = 0) throws(ArtError) {
    let least = min(size.width, size.height)
    guard margin >= 0, margin <= least, least - 2 * margin >= 1 else {
      throw ArtError(
        .badValue,
        "a margin of \(margin) pixels leaves nothing of \(size.width) x \(size.height) pixels; choose a smaller one"
      )
    }
    (self.size, self.margin) = (size, margin)
  }

  /// The part of the plane around the canvas that fills the picture when `rect` is fitted into it and centred. Throws `badValue` where
  /// that goes beyond the bounds of coordinates.
  func region(around rect: CanvasRect) throws(ArtError) -> CanvasRect {
    let (width, height) = (Double(size.width), Double(size.height))
    let scale = min(
      (width - 2 * Double(margin)) / rect.width, (height - 2 * Double(margin)) / rect.height)
    let (across, down) = (width / scale, height / scale)
    do throws(ArtError) {
      return try CanvasRect(
        x: rect.x + (rect.width - across) / 2, y: rect.y + (rect.height - down) / 2, width: across,
        height: down)
    } catch {
      throw ArtError(
        .badValue,
        "\(numberText(rect.width)) x \(numberText(rect.height)) pixels do not fit \(size.width) x \(size.height); choose a size that is more alike"
      )
    }
  }
}
