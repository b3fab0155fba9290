// SPDX-License-Identifier: Apache-2.0

/// A place on the canvas in pixels from its top left corner, y downwards; finite, and within 1,000,000 of
/// the origin.
public struct Point: Hashable, Sendable {
  /// Pixels to the right of the left edge.
  public let x: Double
  /// Pixels below the top edge.
  public let y: Double

  /// Throws `badValue` for what is not finite or too far away. A negative zero becomes zero.
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

  /// Throws `badValue` for what is not above zero and within bounds.
  public init(_ pixels: Double) throws(ArtError) {
    guard pixels > 0, pixels <= Limits.fontSize else { throw .badSize(numberText(pixels)) }
    self.pixels = pixels
  }

  /// This size times a factor. Throws `badValue` when that is out of bounds, or less than a millionth of a pixel.
  func times(_ factor: Double) throws(ArtError) -> FontSize {
    guard factor != 1 else { return self }
    let product = rounded(pixels * factor)
    guard product.isFinite else { throw .badSize("\(numberText(pixels)) x \(factor)") }
    return try FontSize(product)
  }

  private init(trusted pixels: Double) { self.pixels = pixels }

  /// What an emoji gets when nobody says: 40 pixels.
  public static let standard = FontSize(trusted: 40)
}

/// The size of the picture in pixels, 1 to 100,000 a side.
public struct Canvas: Hashable, Sendable {
  /// Pixels across.
  public let width: Int
  /// Pixels down.
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

  /// A new document's canvas: 1024 x 768.
  public static let standard = Canvas(trustedWidth: 1024, height: 768)
}

/// A computed coordinate or size, rounded to a millionth of a pixel: a person who moves an emoji by 0.1 three
/// times is to read 0.3.
func rounded(_ computed: Double) -> Double {
  abs(computed) <= Limits.coordinate ? (computed * 1e6).rounded() / 1e6 : computed
}

/// The shortest text that reads back as the same number, whole numbers without a fraction.
public func numberText(_ value: Double) -> String {
  if let whole = Int(exactly: value), whole.magnitude < 1 << 53 { return String(whole) }
  return value.description
}
