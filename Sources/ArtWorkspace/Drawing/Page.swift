// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A page of paper, and how much of its edge stays empty.
public struct Page: Hashable, Sendable {
  /// The bounds of a side in millimetres.
  public static let sides = 10.0...5_000.0
  /// The dots per inch of pictures made of pixels, unless others are chosen.
  public static let resolution = PaperLength.resolution
  /// The least that a margin leaves of each side, in millimetres.
  private static let leastArea = 5.0
  private static let inch = PaperLength.inch
  /// Points of PDF, and pixels of CSS, in an inch.
  private static let (points, cssPixels) = (72.0, 96.0)

  /// The sizes that have a name, in millimetres and upright: ISO 216, those of North America, cards for business, and the prints of
  /// photo shops, whose names say their size.
  private static let named: [(name: String, width: Double, height: Double)] = [
    ("a0", 841, 1189), ("a1", 594, 841), ("a2", 420, 594), ("a3", 297, 420), ("a4", 210, 297),
    ("a5", 148, 210), ("a6", 105, 148), ("b5", 176, 250),
    ("letter", 215.9, 279.4), ("legal", 215.9, 355.6), ("tabloid", 279.4, 431.8),
    ("business-card", 55, 85), ("us-business-card", 50.8, 88.9),
    ("4x6in", 101.6, 152.4), ("5x7in", 127, 177.8), ("8x10in", 203.2, 254),
    ("9x13cm", 90, 130), ("10x15cm", 100, 150), ("13x18cm", 130, 180),
  ]

  /// The names of sizes.
  public static var names: [String] { named.map(\.name) }
  /// Those that are words.
  private static var words: [String] { names.filter { $0.utf8.first.map { $0 > 0x39 } ?? false } }

  /// The width in millimetres.
  public let width: Double
  /// The height in millimetres.
  public let height: Double
  /// The empty edge at each side, in millimetres.
  public let margin: Double

  /// Throws `badValue` for a side out of bounds, and for a margin that leaves less than 5 mm of a side.
  public init(width: Double, height: Double, margin: Double = 0) throws(ArtError) {
    guard Self.sides.contains(width), Self.sides.contains(height) else {
      throw ArtError(
        .badValue,
        "a page of \(numberText(width)) x \(numberText(height)) mm; a side has 10 to 5,000 mm")
    }
    guard margin >= 0, min(width, height) - 2 * margin >= Self.leastArea else {
      throw ArtError(
        .badValue,
        "a margin of \(numberText(margin)) mm leaves too little of a page of \(numberText(width)) x \(numberText(height)) mm; choose a smaller one"
      )
    }
    (self.width, self.height, self.margin) = (width, height, margin)
  }

  /// Parses `a4`, `letter`, `100x150mm`, `21cmx29.7cm` or `4x6in`, and a margin such as `10mm` or `0.5in`. `isLandscape` makes the longer side the
  /// width. Throws `badValue`.
  public init(typed: String, margin: String? = nil, isLandscape: Bool = false) throws(ArtError) {
    var (width, height) = try Self.size(typed)
    if isLandscape { (width, height) = (max(width, height), min(width, height)) }
    try self.init(width: width, height: height, margin: margin.map(Self.length) ?? 0)
  }

  private static func size(_ typed: String) throws(ArtError) -> (Double, Double) {
    let text = typed.lowercased()
    if let size = named.first(where: { $0.name == text }) { return (size.width, size.height) }
    guard let size = PaperLength.size(text) else {
      throw ArtError(
        .badValue,
        "\(Self.shown(typed)) is no page; give \(Self.words.joined(separator: ", ")), or a size such as 100x150mm or 4x6in"
      )
    }
    return (size.width, size.height)
  }

  private static func length(_ typed: String) throws(ArtError) -> Double {
    let text = typed.lowercased()
    if text == "0" { return 0 }
    guard let length = PaperLength.millimetres(text), length >= 0 else {
      throw ArtError(.badValue, "\(Self.shown(typed)) is no margin; give a length such as 10mm or 0.5in")
    }
    return length
  }

  private static func shown(_ typed: String) -> String { typed.isEmpty ? "\"\"" : typed }

  // MARK: - On the page

  /// The part of the plane around the canvas that fills the page when `rect` is fitted into it and centred. Throws `badValue` where
  /// that goes beyond the bounds of coordinates.
  func region(around rect: CanvasRect) throws(ArtError) -> CanvasRect {
    let scale = min((width - 2 * margin) / rect.width, (height - 2 * margin) / rect.height)
    let (across, down) = (width / scale, height / scale)
    do throws(ArtError) {
      return try CanvasRect(
        x: rect.x + (rect.width - across) / 2, y: rect.y + (rect.height - down) / 2, width: across,
        height: down)
    } catch {
      throw ArtError(
        .badValue,
        "\(numberText(rect.width)) x \(numberText(rect.height)) pixels do not fit such a page; choose one that is more alike"
      )
    }
  }

  /// The page in points.
  var size: PageSize {
    get throws(ArtError) {
      try PageSize(width: width / Self.inch * Self.points, height: height / Self.inch * Self.points)
    }
  }

  /// The page in whole pixels, or in points, or in CSS pixels: what the format counts.
  func pixels(_ format: PictureFormat, resolution: Int?) throws(ArtError) -> PixelSize {
    let dots =
      switch format {
      case .pdf: Self.points
      case .svg: Self.cssPixels
      case .png, .jpeg, .webp, .avif: Double(resolution ?? Self.resolution)
      }
    func side(_ length: Double) -> Int { max(1, Int((length / Self.inch * dots).rounded())) }
    return try PixelSize(width: side(width), height: side(height))
  }
}
