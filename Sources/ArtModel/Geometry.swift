// SPDX-License-Identifier: Apache-2.0

import ArtSystem

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

/// How far a label is turned: degrees clockwise, above -180, up to 180, in millionths.
public struct Rotation: Hashable, Sendable {
  private let millionths: Int32

  private init(millionths: Int32) { self.millionths = millionths }

  /// Not turned.
  public static let zero = Rotation(millionths: 0)

  /// Degrees clockwise.
  public var degrees: Double { Double(millionths) / 1e6 }

  /// Rounds to millionths, and takes full turns off. Throws `badValue` for more than 1,000,000 degrees.
  public init(degrees: Double) throws(ArtError) {
    guard abs(degrees) <= Limits.coordinate else { throw .badRotation(numberText(degrees)) }
    let (turn, half) = (360_000_000, 180_000_000)
    var rest = Int((degrees * 1e6).rounded()) % turn
    if rest > half { rest -= turn }
    if rest <= -half { rest += turn }
    millionths = Int32(rest)
  }

  /// The stored form, which is within bounds and has no more than six decimal places. Throws `badValue`.
  init(stored degrees: Double) throws(ArtError) {
    try self.init(degrees: degrees)
    guard self.degrees == degrees else { throw .badRotation(numberText(degrees)) }
  }

  /// Parses a number of degrees, with or without `°`. Throws `badValue`.
  public init(typed: String) throws(ArtError) {
    guard let degrees = decimal(typed.hasSuffix("°") ? typed.dropLast() : typed[...]) else {
      throw .badRotation(typed)
    }
    try self.init(degrees: degrees)
  }

  /// Turned further by that much.
  func turned(by other: Rotation) -> Rotation {
    let (turn, half) = (360_000_000, 180_000_000)
    var sum = Int(millionths) + Int(other.millionths)
    if sum > half { sum -= turn }
    if sum <= -half { sum += turn }
    return Rotation(millionths: Int32(sum))
  }
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
public enum Length: Hashable, Sendable, CustomStringConvertible {
  case pixels(Double)
  case percent(Double)

  /// Parses `-10`, `12.5`, `12.5px` or `50%`; nil for anything else.
  public init?(_ typed: some StringProtocol) {
    let typed = typed.withoutOuterBlanks
    let isPercent = typed.hasSuffix("%")
    let rest = isPercent ? typed.dropLast() : typed.hasSuffix("px") ? typed.dropLast(2) : typed[...]
    guard let value = decimal(rest) else { return nil }
    self = isPercent ? .percent(value) : .pixels(value)
  }

  /// As users type it.
  public var description: String {
    switch self {
    case .pixels(let value): numberText(value)
    case .percent(let value): "\(numberText(value))%"
    }
  }

  /// Parses a font size. Throws `badValue`.
  public init(size typed: String) throws(ArtError) {
    guard let length = Length(typed) else { throw .badSize(typed) }
    if case .pixels(let pixels) = length { _ = try FontSize(pixels) }
    self = length
  }

  /// The default font size.
  public static let standard = Length.pixels(FontSize.standard.pixels)

  /// The length in pixels. Pixels are not rounded.
  func pixels(of side: Int) -> Double {
    switch self {
    case .pixels(let value): value
    case .percent(let value): rounded(value / 100 * Double(side))
    }
  }

  /// A gap or a margin in pixels; `name` says which in errors. Throws `badValue` for more than 1,000,000 pixels.
  func pixels(of side: Double, asA name: String) throws(ArtError) -> Double {
    let pixels =
      switch self {
      case .pixels(let value): value
      case .percent(let value): value / 100 * side
      }
    guard abs(pixels) <= Limits.coordinate else { throw .badLength(description, name) }
    return pixels
  }

  /// The coordinate at this distance from a start. A distance of zero gives exactly the start.
  func pixels(from start: Double, of side: Int) -> Double {
    let distance = pixels(of: side)
    return distance == 0 ? start : rounded(start + distance)
  }
}

/// A place on the canvas by its name: a corner, the middle of an edge, or the centre. A label there touches the edges.
public enum CanvasPlace: String, Hashable, Sendable, CaseIterable {
  case topLeft = "top-left"
  case top
  case topRight = "top-right"
  case left
  case center
  case right
  case bottomLeft = "bottom-left"
  case bottom
  case bottomRight = "bottom-right"

  /// Parses a name in any case, with or without its hyphen. Throws `badValue`.
  public init(typed: String) throws(ArtError) {
    let word = typed.lowercased()
    let place = Self.allCases.first { word == $0.rawValue || word == $0.rawValue.filter { $0 != "-" } }
    guard let place else { throw .badAnchor(typed, among: Self.allCases.map(\.rawValue)) }
    self = place
  }

  /// The part of the canvas's width to the left of it, and of its height above it: 0, a half or 1.
  public var fractions: (x: Double, y: Double) {
    switch self {
    case .topLeft: (0, 0)
    case .top: (0.5, 0)
    case .topRight: (1, 0)
    case .left: (0, 0.5)
    case .center: (0.5, 0.5)
    case .right: (1, 0.5)
    case .bottomLeft: (0, 1)
    case .bottom: (0.5, 1)
    case .bottomRight: (1, 1)
    }
  }

  /// The centre of something that reaches that far from its centre, and touches the edges. What is larger than the canvas is centred.
  func point(on canvas: Canvas, extent: (x: Double, y: Double)) throws(ArtError) -> Point {
    func place(_ fraction: Double, _ side: Int, _ extent: Double) -> Double {
      let room = Double(side) - 2 * extent
      return room > 0 ? rounded(extent + room * fraction) : Double(side) / 2
    }
    let (x, y) = fractions
    return try Point(x: place(x, canvas.width, extent.x), y: place(y, canvas.height, extent.y))
  }
}

/// Where something is put.
public enum Target: Hashable, Sendable {
  case at(Coordinates)
  case place(CanvasPlace)

  /// Parses `10,-20`, `50%,50%` or a name such as `top-right`. Throws `badValue`.
  public init(typed: String) throws(ArtError) {
    if typed.contains(",") {
      self = .at(try Coordinates(typed))
    } else {
      do throws(ArtError) { self = .place(try CanvasPlace(typed: typed)) } catch {
        throw .badPlace(typed, isNamed: true)
      }
    }
  }

  /// A point in pixels.
  public static func point(x: Double, y: Double) -> Target {
    .at(Coordinates(x: .pixels(x), y: .pixels(y)))
  }

  /// The middle of the canvas.
  public static let center = Target.place(.center)

  /// The centre of something that reaches that far from its centre. Throws `badValue`.
  func point(on canvas: Canvas, extent: (x: Double, y: Double)) throws(ArtError) -> Point {
    switch self {
    case .at(let coordinates): try coordinates.point(on: canvas)
    case .place(let place): try place.point(on: canvas, extent: extent)
    }
  }
}

/// A point or a distance in pixels or percent.
public struct Coordinates: Hashable, Sendable, CustomStringConvertible {
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

  /// As users type it.
  public var description: String { "\(x),\(y)" }

  /// The middle of the canvas.
  public static let center = Coordinates(x: .percent(50), y: .percent(50))

  /// The default distance of a copy from its original.
  public static let duplicateDistance = Coordinates(x: .pixels(20), y: .pixels(20))

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
    self = try Region(typed: typed).rect(on: canvas)
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

/// A part of any canvas, in pixels or percent.
public struct Region: Hashable, Sendable, CustomStringConvertible {
  /// The top left corner.
  public var place: Coordinates
  /// The width.
  public var width: Length
  /// The height.
  public var height: Length

  /// A region with these values.
  public init(_ place: Coordinates, width: Length, height: Length) {
    (self.place, self.width, self.height) = (place, width, height)
  }

  /// The whole canvas.
  public static let whole = Region(
    Coordinates(x: .pixels(0), y: .pixels(0)), width: .percent(100), height: .percent(100))

  /// Parses `10,20,300x200` or `25%,0,50%x100%`. Throws `badValue`.
  public init(typed: String) throws(ArtError) {
    let places = typed.split(separator: ",", omittingEmptySubsequences: false)
    let sides = (places.last ?? "").sides
    guard places.count == 3, sides.count == 2, let x = Length(places[0]), let y = Length(places[1]),
      let width = Length(sides[0]), let height = Length(sides[1])
    else {
      throw .badRegion(typed)
    }
    self.init(Coordinates(x: x, y: y), width: width, height: height)
  }

  /// The rectangle on a canvas. Throws `badValue`.
  public func rect(on canvas: Canvas) throws(ArtError) -> CanvasRect {
    try CanvasRect(
      x: place.x.pixels(of: canvas.width), y: place.y.pixels(of: canvas.height),
      width: width.pixels(of: canvas.width),
      height: height.pixels(of: canvas.height))
  }

  /// As users type it.
  public var description: String { "\(place),\(width)x\(height)" }
}

// MARK: - User input

extension FontSize {
  /// Parses a number of pixels. Throws `badValue`.
  public init(typed: String) throws(ArtError) {
    guard case .pixels(let value)? = Length(typed) else { throw .badSize(typed) }
    try self.init(value)
  }

  /// A length on a canvas: percent are of the canvas's shorter side. Throws `badValue`.
  init(_ length: Length, on canvas: Canvas) throws(ArtError) {
    try self.init(length.pixels(of: min(canvas.width, canvas.height)))
  }
}

extension StringProtocol {
  /// The parts between the signs that stand between a width and a height. The unit `px` may follow each.
  var sides: [String] {
    replacing(part: "px", with: "").split(omittingEmptySubsequences: false) { "xX×*".contains($0) }
      .map(\.withoutOuterBlanks)
  }
}

/// Lengths on paper.
package enum PaperLength {
  /// The dots per inch of paper, unless others are chosen.
  package static let resolution = 300
  /// Millimetres in an inch.
  package static let inch = 25.4

  /// Parses a length such as `10mm`, `21cm` or `0.5in` to millimetres; nil for anything else.
  package static func millimetres(_ typed: some StringProtocol) -> Double? {
    let text = typed.withoutOuterBlanks
    guard let unit = units[String(text.suffix(2))], let number = decimal(text.dropLast(2)) else { return nil }
    return number * unit
  }

  /// Parses a size such as `100x150mm` or `21cmx29.7cm`; nil for anything else.
  package static func size(_ typed: String) -> (width: Double, height: Double)? {
    let sides = typed.lowercased().sides
    guard sides.count == 2, let height = millimetres(sides[1]),
      let width = millimetres(sides[0]) ?? millimetres(sides[0] + sides[1].suffix(2))
    else { return nil }
    return (width, height)
  }

  private static let units = ["mm": 1, "cm": 10, "in": inch]
}

extension Canvas {
  /// The sizes that have a name, as the studio's page offers them. Paper has 300 pixels per inch.
  public static let named: [(name: String, canvas: Canvas)] = [
    ("square", Canvas(trustedWidth: 1080, height: 1080)),
    ("portrait", Canvas(trustedWidth: 1080, height: 1350)),
    ("story", Canvas(trustedWidth: 1080, height: 1920)),
    ("slide", Canvas(trustedWidth: 1920, height: 1080)),
    ("a4", Canvas(trustedWidth: 2480, height: 3508)),
    ("a4-landscape", Canvas(trustedWidth: 3508, height: 2480)),
    ("poster", Canvas(trustedWidth: 5906, height: 8268)),
  ]

  /// Parses `1024x768`, also with `×` or `*`, the name of a size, such as `a4`, in any case, and a size of paper, such as `21cmx29.7cm`.
  /// Throws `badValue`.
  public init(typed: String) throws(ArtError) {
    if let (_, canvas) = Self.named.first(where: { $0.name == typed.lowercased() }) {
      self = canvas
      return
    }
    if let paper = PaperLength.size(typed) {
      func pixels(_ length: Double) throws(ArtError) -> Int {
        let pixels = (length / PaperLength.inch * Double(PaperLength.resolution)).rounded()
        guard (1...Double(Limits.canvasSide)).contains(pixels) else { throw .badCanvas(typed) }
        return Int(pixels)
      }
      try self.init(width: pixels(paper.width), height: pixels(paper.height))
      return
    }
    let parts = typed.sides
    let digits = "0123456789".utf8
    guard parts.count == 2, parts.joined().utf8.allSatisfy(digits.contains), let width = Int(parts[0]),
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

/// Parses a decimal number: digits, a point, a sign, an exponent; also with the minus of word processors, U+2212, and with blanks around it.
/// Refuses `nan`, `inf` and hexadecimal numbers, which Swift would accept.
package func decimal(_ typed: some StringProtocol) -> Double? {
  let allowed = "0123456789.+-eE".utf8
  guard typed.utf8.count <= 64 else { return nil }
  let text = typed.withoutOuterBlanks.replacing(part: "\u{2212}", with: "-")
  guard text.utf8.allSatisfy({ allowed.contains($0) }), let value = Double(text), value.isFinite else {
    return nil
  }
  return value
}

extension StringProtocol {
  /// The text without spaces at its ends.
  var withoutOuterBlanks: String {
    var rest = String(self)[...]
    while rest.first == " " { rest.removeFirst() }
    while rest.last == " " { rest.removeLast() }
    return String(rest)
  }
}
