// SPDX-License-Identifier: Apache-2.0

/// A length as a person gives it: pixels, or percent of the canvas.
public enum Length: Hashable, Sendable {
  case pixels(Double)
  case percent(Double)

  /// Reads `-10`, `12.5` or `50%`; nil for anything else.
  public init?(_ typed: some StringProtocol) {
    let isPercent = typed.hasSuffix("%")
    guard let value = decimal(isPercent ? typed.dropLast() : typed[...]) else { return nil }
    self = isPercent ? .percent(value) : .pixels(value)
  }

  /// What a person typed in pixels stays exactly so.
  func pixels(of side: Int) -> Double {
    switch self {
    case .pixels(let value): value
    case .percent(let value): rounded(value / 100 * Double(side))
    }
  }

  /// That far from a start; no distance leaves the start exactly as it is.
  func pixels(from start: Double, of side: Int) -> Double {
    let distance = pixels(of: side)
    return distance == 0 ? start : rounded(start + distance)
  }
}

/// A place or a distance as a person gives it.
public struct Coordinates: Hashable, Sendable {
  /// To the right.
  public var x: Length
  /// Downwards.
  public var y: Length

  /// Coordinates of these lengths.
  public init(x: Length, y: Length) {
    self.x = x
    self.y = y
  }

  /// Reads `10,-20` or `50%,50%`. Throws `badValue`.
  public init(_ typed: String) throws(ArtError) {
    let parts = typed.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let x = Length(parts[0]), let y = Length(parts[1]) else {
      throw .badPlace(typed)
    }
    self.init(x: x, y: y)
  }

  /// The middle of the canvas.
  public static let center = Coordinates(x: .percent(50), y: .percent(50))

  /// The place on a canvas. Throws `badValue`.
  public func point(on canvas: Canvas) throws(ArtError) -> Point {
    try Point(x: x.pixels(of: canvas.width), y: y.pixels(of: canvas.height))
  }

  /// The place that far from another. Throws `badValue`.
  public func point(from start: Point, on canvas: Canvas) throws(ArtError) -> Point {
    try Point(x: x.pixels(from: start.x, of: canvas.width), y: y.pixels(from: start.y, of: canvas.height))
  }
}

extension FontSize {
  /// Reads a number. Throws `badValue`.
  public init(typed: String) throws(ArtError) {
    guard let value = decimal(typed) else { throw .badSize(typed) }
    try self.init(value)
  }
}

extension Canvas {
  /// Reads `1024x768`. Throws `badValue`.
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

/// A decimal number as people write it: digits, a point, a sign, an exponent. Neither `nan` nor `inf` nor
/// hexadecimal, which Swift would read too.
public func decimal(_ typed: some StringProtocol) -> Double? {
  let allowed = "0123456789.+-eE".utf8
  guard typed.utf8.count <= 64, typed.utf8.allSatisfy({ allowed.contains($0) }) else { return nil }
  guard let value = Double(typed), value.isFinite else { return nil }
  return value
}
