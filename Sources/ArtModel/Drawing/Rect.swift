// SPDX-License-Identifier: Apache-2.0

/// A rectangle on the canvas in pixels, its sides above zero.
public struct Rect: Hashable, Sendable {
  /// Pixels from the canvas's left edge to its own.
  public let x: Double
  /// Pixels from the canvas's top edge to its own.
  public let y: Double
  /// Pixels across.
  public let width: Double
  /// Pixels down.
  public let height: Double

  /// Throws `badValue` for what is not finite, has a side that is not above zero, or reaches further than 1,000,000 pixels from
  /// the origin.
  public init(x: Double, y: Double, width: Double, height: Double) throws(ArtError) {
    let corners = [x, y, x + width, y + height]
    guard width > 0, height > 0, corners.allSatisfy({ abs($0) <= Limits.coordinate }) else {
      throw ArtError(
        .badValue,
        "no region \(numberText(x)),\(numberText(y)),\(numberText(width))x\(numberText(height)); "
          + "its sides are above zero, and it lies within \(numberText(Limits.coordinate)) pixels of the origin"
      )
    }
    self.x = x + 0.0
    self.y = y + 0.0
    self.width = width
    self.height = height
  }

  /// All of a canvas.
  public init(_ canvas: Canvas) {
    (x, y, width, height) = (0, 0, Double(canvas.width), Double(canvas.height))
  }
}
