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
  package let region: CanvasRect
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

/// The emoji themselves on cells, within a frame: the art where there is nothing to draw it, or nobody to show it.
///
/// No two terminals agree on the width of emoji sequences, so the cursor is moved before each, and nothing follows by counting.
package enum EmojiGrid {
  /// Cells of the frame.
  package static let frame = 2

  /// Lines for so many cells, the frame included. Of emoji that would lie on one another the uppermost is shown. `left` is how many
  /// columns lie to the left of it.
  package static func lines(
    _ scene: DrawingScene, _ region: CanvasRect, columns: Int, rows: Int, left: Int = 0
  ) -> [String] {
    let inner = (columns: max(columns - frame, 2), rows: max(rows - frame, 1))
    var cells = [[Int: String]](repeating: [:], count: inner.rows)
    var free = inner.columns * inner.rows
    for label in scene.labels.reversed() where free >= 2 {
      guard let place = place(label.position, region, inner.columns, inner.rows) else { continue }
      let characters = Array(label.text.string)
      // Half of a cell makes room for a neighbour.
      let near = [0, -1, 1].map { place.column + $0 }.filter { (0...inner.columns - 2).contains($0) }
      let isFree = { column in !(column - 1...column + 1).contains { cells[place.row][$0] != nil } }
      guard let middle = near.first(where: isFree) else { continue }
      // What stands beyond the frame, or under another one, is not seen.
      for (index, character) in characters.enumerated() {
        let column = middle + 2 * index - (characters.count - 1)
        guard (0...inner.columns - 2).contains(column), isFree(column) else { continue }
        cells[place.row][column] = String(character).visible
        free -= 2
      }
    }
    let edge = String(repeating: "─", count: inner.columns)
    let end = "\(move(left + inner.columns + 1))│"
    let body = cells.map { row in
      let emojis = row.sorted { $0.key < $1.key }.map { "\(move(left + 1 + $0.key))\($0.value)" }
      return "\(move(left))│\(emojis.joined())\(end)"
    }
    return ["\(move(left))┌\(edge)┐"] + body + ["\(move(left))└\(edge)┘"]
  }

  /// Where a place lies; an emoji is two columns wide. Nil outside.
  private static func place(
    _ point: Point, _ region: CanvasRect, _ columns: Int, _ rows: Int
  ) -> (column: Int, row: Int)? {
    let x = (point.x - region.x) / region.width
    let y = (point.y - region.y) / region.height
    guard (0...1).contains(x), (0...1).contains(y) else { return nil }
    let column = Int((x * Double(columns)).rounded()) - 1
    let row = Int(y * Double(rows))
    return (min(max(column, 0), columns - 2), min(row, rows - 1))
  }

  /// To that column, counted from 0.
  private static func move(_ column: Int) -> String { "\u{1B}[\(column + 1)G" }
}

/// How a person wants the art to be shown.
package enum GraphicsChoice: String, CaseIterable, Sendable {
  case auto, kitty, sixel, symbols, text, none
}

/// How the art is shown.
package enum Graphics: Equatable, Sendable {
  /// A picture by kitty's protocol: https://sw.kovidgoyal.net/kitty/graphics-protocol/
  case kitty
  case sixel
  /// Characters in colours.
  case symbols(TerminalColors)
  /// The emoji themselves, each in a cell.
  case text

  /// What a terminal shows best; nil for nothing. A choice other than `auto` is not questioned. `answers` are nil where nobody
  /// was asked.
  package static func best(
    _ choice: GraphicsChoice, isTerminal: Bool, _ surroundings: TerminalSurroundings,
    _ answers: TerminalAnswers?
  ) -> Graphics? {
    let colors = surroundings.colors
    switch choice {
    case .none: return nil
    case .kitty: return .kitty
    case .sixel: return .sixel
    case .symbols: return .symbols(colors ?? .direct)
    case .text: return .text
    case .auto:
      guard isTerminal, surroundings.isCapable else { return nil }
      if answers?.hasKitty == true { return .kitty }
      if answers?.hasSixel == true { return .sixel }
      guard !surroundings.isColorless else { return .text }
      if let colors { return .symbols(colors) }
      return answers?.isComplete == true ? .symbols(.eight) : .text
    }
  }
}

extension TerminalSurroundings {
  /// The colours that the terminal is known to have.
  fileprivate var colors: TerminalColors? {
    if let colorTerm, ["truecolor", "24bit"].contains(colorTerm) { return .direct }
    guard let term else { return nil }
    if term.hasSuffix("-direct")
      || ["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm"].contains(term)
    {
      return .direct
    }
    if term.contains("256color") { return .indexed }
    return term == "linux" || term.hasSuffix("-16color") || term.hasSuffix("-color") ? .eight : nil
  }
}
