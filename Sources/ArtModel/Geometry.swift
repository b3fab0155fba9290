// SPDX-License-Identifier: Apache-2.0

/// A point in pixels from the canvas's top left corner, y downwards; finite, and within 1,000,000 of the origin in x
/// and y.
public struct Point: Hashable, Sendable {
  /// Pixels to the right of the left edge.
  public let x: Double
  /// Pixels below the top edge.
  public let y: Double

  /// Throws `badValue` for a value out of bounds or not a number. A negative zero becomes zero.
  public init(x: Double, y: Double) throws(ArtError) {
    guard abs(x) <= Limits.coordinate, abs(y) <= Limits.coordinate else {
      throw .badPlace("\(numberText(x)),\(numberText(y))")
    }
    self.x = x + 0.0
    self.y = y + 0.0
  }
}

/// A font size in canvas pixels: above 0, at most 100,000.
public struct FontSize: Hashable, Sendable {
  /// Canvas pixels.
  public let pixels: Double

  /// Throws `badValue` for a size out of bounds.
  public init(_ pixels: Double) throws(ArtError) {
    guard pixels > 0, pixels <= Limits.fontSize else { throw .badSize(numberText(pixels)) }
    self.pixels = pixels
  }

  /// The size times a factor. Throws `badValue` if the product is out of bounds or below a millionth of a pixel.
  func times(_ factor: Double) throws(ArtError) -> FontSize {
    guard factor != 1 else { return self }
    let product = rounded(pixels * factor)
    guard product.isFinite else { throw .badSize("\(numberText(pixels)) x \(factor)") }
    return try FontSize(product)
  }

  private init(trusted pixels: Double) { self.pixels = pixels }

  /// The default size, 40 pixels.
  public static let standard = FontSize(trusted: 40)
}

/// The size of a document's picture: 1 to 100,000 pixels a side.
public struct Canvas: Hashable, Sendable {
  /// The width.
  public let width: Int
  /// The height.
  public let height: Int

  /// Throws `badValue` for a side out of bounds.
  public init(width: Int, height: Int) throws(ArtError) {
    guard (1...Limits.canvasSide).contains(width), (1...Limits.canvasSide).contains(height) else {
      throw .badCanvas("\(width)x\(height)")
    }
    self.width = width
    self.height = height
  }

  private init(trustedWidth: Int, height: Int) {
    width = trustedWidth
    self.height = height
  }

  /// The canvas of a new document: 1024 x 768.
  public static let standard = Canvas(trustedWidth: 1024, height: 768)
}

// MARK: - Lengths in pixels or percent

/// A length in pixels, or in percent of the canvas's side.
public enum Length: Hashable, Sendable {
  case pixels(Double)
  case percent(Double)

  /// Parses `-10`, `12.5` or `50%`; nil for anything else.
  public init?(_ typed: some StringProtocol) {
    let isPercent = typed.hasSuffix("%")
    guard let value = decimal(isPercent ? typed.dropLast() : typed[...]) else { return nil }
    self = isPercent ? .percent(value) : .pixels(value)
  }

  /// The length in pixels. Pixels are not rounded.
  func pixels(of side: Int) -> Double {
    switch self {
    case .pixels(let value): value
    case .percent(let value): rounded(value / 100 * Double(side))
    }
  }

  /// The coordinate at this distance from a start. A distance of zero gives exactly the start.
  func pixels(from start: Double, of side: Int) -> Double {
    let distance = pixels(of: side)
    return distance == 0 ? start : rounded(start + distance)
  }
}

/// A point or a distance in pixels or percent.
public struct Coordinates: Hashable, Sendable {
  /// The distance to the right.
  public var x: Length
  /// The distance downwards.
  public var y: Length

  /// Coordinates with these lengths.
  public init(x: Length, y: Length) {
    self.x = x
    self.y = y
  }

  /// Parses `10,-20` or `50%,50%`. Throws `badValue`.
  public init(_ typed: String) throws(ArtError) {
    let parts = typed.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let x = Length(parts[0]), let y = Length(parts[1]) else {
      throw .badPlace(typed)
    }
    self.init(x: x, y: y)
  }

  /// The middle of the canvas.
  public static let center = Coordinates(x: .percent(50), y: .percent(50))

  /// The point on a canvas. Throws `badValue`.
  public func point(on canvas: Canvas) throws(ArtError) -> Point {
    try Point(x: x.pixels(of: canvas.width), y: y.pixels(of: canvas.height))
  }

  /// The point at this distance from another one. Throws `badValue`.
  public func point(from start: Point, on canvas: Canvas) throws(ArtError) -> Point {
    try Point(x: x.pixels(from: start.x, of: canvas.width), y: y.pixels(from: start.y, of: canvas.height))
  }
}

// MARK: - Rectangles

/// A rectangle in canvas pixels.
public struct CanvasRect: Hashable, Sendable {
  /// The smallest side in pixels: the coordinates of a smaller output would exceed a Double's precision.
  private static let leastSide = 0.000001
  /// The distance from the canvas's left edge.
  public let x: Double
  /// The distance from the canvas's top edge.
  public let y: Double
  /// The width.
  public let width: Double
  /// The height.
  public let height: Double

  /// Throws `badValue` for a value that is not finite, a side below 0.000001, or a corner more than 1,000,000 pixels
  /// from the origin.
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

  /// Parses `10,20,300x200`, each number in pixels or in percent of the canvas's side: `25%,0,50%x100%`. Throws
  /// `badValue`.
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

  /// A rectangle whose values are already checked.
  init(trustedX x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// The whole canvas.
  public init(_ canvas: Canvas) {
    (x, y, width, height) = (0, 0, Double(canvas.width), Double(canvas.height))
  }
}

// MARK: - User input

extension FontSize {
  /// Parses a number. Throws `badValue`.
  public init(typed: String) throws(ArtError) {
    guard let value = decimal(typed) else { throw .badSize(typed) }
    try self.init(value)
  }
}

extension Canvas {
  /// Parses `1024x768`. Throws `badValue`.
  public init(typed: String) throws(ArtError) {
    let parts = typed.lowercased().split(separator: "x", omittingEmptySubsequences: false)
    let digits = "0123456789x".utf8
    guard parts.count == 2, typed.lowercased().utf8.allSatisfy(digits.contains), let width = Int(parts[0]),
      let height = Int(parts[1])
    else {
      throw .badCanvas(typed)
    }
    try self.init(width: width, height: height)
  }
}

// MARK: - Numbers

/// Rounds a computed coordinate or size to a millionth of a pixel, so that moving by 0.1 three times gives 0.3.
func rounded(_ computed: Double) -> Double {
  abs(computed) <= Limits.coordinate ? (computed * 1e6).rounded() / 1e6 : computed
}

/// The shortest text that reads back as the same number. Whole numbers have no fraction.
package func numberText(_ value: Double) -> String {
  if let whole = Int(exactly: value), whole.magnitude < 1 << 53 { return String(whole) }
  return value.description
}

/// Parses a decimal number: digits, a point, a sign, an exponent. Refuses `nan`, `inf` and hexadecimal numbers, which
/// Swift would accept.
package func decimal(_ typed: some StringProtocol) -> Double? {
  let allowed = "0123456789.+-eE".utf8
  guard typed.utf8.count <= 64, typed.utf8.allSatisfy({ allowed.contains($0) }) else { return nil }
  guard let value = Double(typed), value.isFinite else { return nil }
  return value
}
