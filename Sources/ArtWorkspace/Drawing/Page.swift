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

  /// The part of the plane around the canvas that fills the page when `rect` is fitted into it, or into a cell of it, and centred. Throws
  /// `badValue` where that goes beyond the bounds of coordinates.
  func region(around rect: CanvasRect, in cell: Cell? = nil) throws(ArtError) -> CanvasRect {
    let place = area(of: cell)
    guard min(place.width, place.height) >= Self.leastArea else {
      throw ArtError(
        .badValue,
        "a margin of \(numberText(margin)) mm leaves too little for \(cell?.sheet.rawValue ?? 1) documents on a page; choose a smaller one"
      )
    }
    let scale = min(place.width / rect.width, place.height / rect.height)
    let (across, down) = (width / scale, height / scale)
    // The centre of the cell is that of the drawing.
    let (x, y) = ((place.x + place.width / 2) / scale, (place.y + place.height / 2) / scale)
    do throws(ArtError) {
      return try CanvasRect(
        x: rect.x + rect.width / 2 - x, y: rect.y + rect.height / 2 - y, width: across, height: down)
    } catch {
      throw ArtError(
        .badValue,
        "\(numberText(rect.width)) x \(numberText(rect.height)) pixels do not fit such a page; choose one that is more alike"
      )
    }
  }

  /// The rectangle of a cell, in millimetres. Between two cells is half of the margin.
  private func area(of cell: Cell?) -> (x: Double, y: Double, width: Double, height: Double) {
    let (columns, rows) = cell.map { $0.sheet.grid(isWide: width > height) } ?? (1, 1)
    let (column, row) = ((cell?.index ?? 0) % columns, (cell?.index ?? 0) / columns)
    func part(_ side: Double, _ count: Int, _ index: Int) -> (start: Double, length: Double) {
      let gap = margin / 2
      let length = (side - 2 * margin - Double(count - 1) * gap) / Double(count)
      return (margin + Double(index) * (length + gap), length)
    }
    let (across, down) = (part(width, columns, column), part(height, rows, row))
    return (across.start, down.start, across.length, down.length)
  }

  /// How many drawings are on a page.
  public enum Sheet: Int, CaseIterable, Sendable {
    case two = 2, four = 4, six = 6, eight = 8, nine = 9, sixteen = 16

    /// The margin of a page, unless another is chosen, in millimetres.
    public static let margin = 10.0

    /// The drawings beside and below each other: more along the longer side.
    fileprivate func grid(isWide: Bool) -> (columns: Int, rows: Int) {
      let (less, more) =
        switch self {
        case .two: (1, 2)
        case .four: (2, 2)
        case .six: (2, 3)
        case .eight: (2, 4)
        case .nine: (3, 3)
        case .sixteen: (4, 4)
        }
      return isWide ? (more, less) : (less, more)
    }
  }

  /// A place on a page with several drawings, which are in the order of reading.
  struct Cell {
    let sheet: Sheet
    let index: Int
  }

  /// Parses a bleed such as `3mm`, as points. Throws `badValue`.
  public static func bleed(typed: String) throws(ArtError) -> Double {
    guard let length = PaperLength.millimetres(typed.lowercased()), length > 0,
      DrawingDetails.bleeds.contains(length / inch * points)
    else {
      throw ArtError(
        .badValue, "\(shown(typed)) is no bleed; give a length up to 50mm, such as 3mm or 0.125in")
    }
    return length / inch * points
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
