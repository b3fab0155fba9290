// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Which part of a canvas is shown, and on how many cells of a terminal.
package struct ArtPlacement: Equatable {
  /// Of a terminal that does not say how large its cells are; most are about twice as high as wide.
  private static let usualCell = (width: 10, height: 20)
  /// Rows of pixels in a row of sixels: one that is begun may be scrolled by.
  private static let sixelRows = 6
  /// Pixels of a picture at most; of what has more a terminal gets a smaller one, which kitty scales up.
  private static let pixelLimit = 8_000_000

  /// The part of the canvas.
  package let region: Rect
  /// Cells across that it takes.
  package let columns: Int
  /// Cells down.
  package let rows: Int
  /// What a helper program has to draw; nil for emoji on cells.
  package let format: Drawing.Format?
  /// Whether the picture's own size may not be the one of its cells: how many pixels a cell has is a guess, or they are too many.
  package let isScaled: Bool

  /// The viewport's view is of pixels of the room's cells. Throws `badValue` for what nothing can be drawn of.
  package init(_ viewport: Viewport, in room: TerminalSize, _ graphics: Graphics) throws(ArtError) {
    let cell = Self.cell(of: room)
    let region = viewport.visible
    let (width, height) = (region.width * viewport.zoom, region.height * viewport.zoom)
    let factor = min((Double(Self.pixelLimit) / (width * height)).squareRoot(), 1)
    isScaled = room.cell == nil || factor < 1
    self.region = region
    switch graphics {
    case .kitty:
      format = .png(
        try PixelSize(
          width: Self.whole(width * factor, in: 1...room.columns * cell.width),
          height: Self.whole(height * factor, in: 1...room.rows * cell.height)))
      columns = Self.cells(width, cell.width, of: room.columns)
      rows = Self.cells(height, cell.height, of: room.rows)
    case .sixel:
      let high = Self.whole(height * factor, in: 1...room.rows * cell.height) / Self.sixelRows
      let pixels = try PixelSize(
        width: Self.whole(width * factor, in: 1...room.columns * cell.width),
        height: max(high, 1) * Self.sixelRows)
      format = .sixel(pixels)
      columns = Self.cells(Double(pixels.width), cell.width, of: room.columns)
      rows = Self.cells(Double(pixels.height), cell.height, of: room.rows)
    case .symbols(let colors):
      columns = Self.whole(width / Double(cell.width), in: 1...room.columns)
      rows = Self.whole(height / Double(cell.height), in: 1...room.rows)
      format = .symbols(columns: columns, rows: rows, colors)
    case .text:
      columns = Self.whole(width / Double(cell.width), in: 1...room.columns)
      rows = Self.whole(height / Double(cell.height), in: 1...room.rows)
      format = nil
    }
  }

  private static func whole(_ value: Double, in bounds: ClosedRange<Int>) -> Int {
    guard value < Double(bounds.upperBound) else { return bounds.upperBound }
    return max(Int(value.rounded()), bounds.lowerBound)
  }

  /// How many cells so many pixels lie on.
  private static func cells(_ pixels: Double, _ side: Int, of most: Int) -> Int {
    min(max(Int((pixels.rounded() / Double(side)).rounded(.up)), 1), most)
  }

  private static func cell(of room: TerminalSize) -> (width: Int, height: Int) {
    room.cell.map { ($0.width, $0.height) } ?? usualCell
  }

  /// What a viewport on that room sees: all of a canvas, as large as it fits.
  package static func viewport(_ canvas: Canvas, in room: TerminalSize) -> Viewport {
    Viewport(
      content: Viewport.Size(width: Double(canvas.width), height: Double(canvas.height)), view: view(of: room)
    )
  }

  /// The room in pixels.
  package static func view(of room: TerminalSize) -> Viewport.Size {
    let cell = cell(of: room)
    return Viewport.Size(width: Double(room.columns * cell.width), height: Double(room.rows * cell.height))
  }
}
