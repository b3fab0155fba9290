// SPDX-License-Identifier: Apache-2.0

/// A rectangle on the canvas in pixels.
public struct Rect: Hashable, Sendable {
  /// Pixels of a side, at least: with less, what is drawn of it would have no place that a Double can hold.
  static let leastSide = 0.000001
  /// Pixels from the canvas's left edge to its own.
  public let x: Double
  /// Pixels from the canvas's top edge to its own.
  public let y: Double
  /// Pixels across.
  public let width: Double
  /// Pixels down.
  public let height: Double

  /// Throws `badValue` for what is not finite, has a side of less than 0.000001, or reaches further than 1,000,000 pixels from the
  /// origin.
  public init(x: Double, y: Double, width: Double, height: Double) throws(ArtError) {
    let corners = [x, y, x + width, y + height]
    guard width >= Self.leastSide, height >= Self.leastSide,
      corners.allSatisfy({ abs($0) <= Limits.coordinate })
    else {
      throw .badRegion("\(numberText(x)),\(numberText(y)),\(numberText(width))x\(numberText(height))")
    }
    self.x = x + 0.0
    self.y = y + 0.0
    self.width = width
    self.height = height
  }

  /// Reads `10,20,300x200` on a canvas, each in pixels or percent of its side: `25%,0,50%x100%`. Throws `badValue`.
  public init(typed: String, on canvas: Canvas) throws(ArtError) {
    let places = typed.split(separator: ",", omittingEmptySubsequences: false)
    let sides = (places.last ?? "").split(omittingEmptySubsequences: false) { $0 == "x" || $0 == "X" }
    guard places.count == 3, sides.count == 2, let x = Length(places[0]), let y = Length(places[1]),
      let width = Length(sides[0]), let height = Length(sides[1])
    else {
      throw .badRegion(typed)
    }
    try self.init(
      x: x.pixels(of: canvas.width), y: y.pixels(of: canvas.height), width: width.pixels(of: canvas.width),
      height: height.pixels(of: canvas.height))
  }

  /// One whose values were checked.
  init(trustedX x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// All of a canvas.
  public init(_ canvas: Canvas) {
    (x, y, width, height) = (0, 0, Double(canvas.width), Double(canvas.height))
  }
}
