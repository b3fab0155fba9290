// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// The visible part of a canvas, and the terminal cells that it occupies.
package struct ArtPlacement: Equatable {
  /// The cell size of a terminal that does not report one; most cells are about twice as high as wide.
  private static let usualCell = (width: 10, height: 20)
  /// Rows of pixels in a row of sixels. A picture that ends within such a row may scroll the screen.
  private static let sixelRows = 6
  /// The pixels of a picture at most; larger ones are drawn smaller, and kitty scales them up.
  private static let pixelLimit = 8_000_000

  /// The part of the canvas.
  package let region: CanvasRect
  /// The width in cells.
  package let columns: Int
  /// The height in cells.
  package let rows: Int
  /// The format for a helper process to draw; nil for emoji on cells.
  package let format: Drawing.Format?
  /// Whether the picture is scaled to its cells: their size in pixels is a guess, or the picture would be too
  /// large.
  package let isScaled: Bool

  /// The view of `viewport` is the terminal in pixels. Throws `badValue` where nothing can be drawn.
  package init(_ viewport: Viewport, in terminal: TerminalSize, _ graphics: Graphics) throws(ArtError) {
    let cell = Self.cell(of: terminal)
    let region = viewport.visible
    let (width, height) = (region.width * viewport.zoom, region.height * viewport.zoom)
    let factor = min((Double(Self.pixelLimit) / (width * height)).squareRoot(), 1)
    isScaled = terminal.cell == nil || factor < 1
    self.region = region
    switch graphics {
    case .kitty:
      format = .png(
        try PixelSize(
          width: Self.whole(width * factor, in: 1...terminal.columns * cell.width),
          height: Self.whole(height * factor, in: 1...terminal.rows * cell.height)))
      columns = Self.cells(width, cell.width, of: terminal.columns)
      rows = Self.cells(height, cell.height, of: terminal.rows)
    case .sixel:
      let high = Self.whole(height * factor, in: 1...terminal.rows * cell.height) / Self.sixelRows
      let pixels = try PixelSize(
        width: Self.whole(width * factor, in: 1...terminal.columns * cell.width),
        height: max(high, 1) * Self.sixelRows)
      format = .sixel(pixels)
      columns = Self.cells(Double(pixels.width), cell.width, of: terminal.columns)
      rows = Self.cells(Double(pixels.height), cell.height, of: terminal.rows)
    case .symbols(let colors):
      columns = Self.whole(width / Double(cell.width), in: 1...terminal.columns)
      rows = Self.whole(height / Double(cell.height), in: 1...terminal.rows)
      format = .symbols(columns: columns, rows: rows, colors)
    case .text:
      columns = Self.whole(width / Double(cell.width), in: 1...terminal.columns)
      rows = Self.whole(height / Double(cell.height), in: 1...terminal.rows)
      format = nil
    }
  }

  private static func whole(_ value: Double, in bounds: ClosedRange<Int>) -> Int {
    guard value < Double(bounds.upperBound) else { return bounds.upperBound }
    return max(Int(value.rounded()), bounds.lowerBound)
  }

  /// The number of cells that a length in pixels covers.
  private static func cells(_ pixels: Double, _ side: Int, of limit: Int) -> Int {
    min(max(Int((pixels.rounded() / Double(side)).rounded(.up)), 1), limit)
  }

  private static func cell(of terminal: TerminalSize) -> (width: Int, height: Int) {
    terminal.cell.map { ($0.width, $0.height) } ?? usualCell
  }

  /// A viewport with the whole canvas, as large as it fits the terminal.
  package static func viewport(_ canvas: Canvas, in terminal: TerminalSize) -> Viewport {
    Viewport(
      content: Viewport.Size(width: Double(canvas.width), height: Double(canvas.height)),
      view: view(of: terminal)
    )
  }

  /// The size of the terminal in pixels.
  package static func view(of terminal: TerminalSize) -> Viewport.Size {
    let cell = cell(of: terminal)
    return Viewport.Size(
      width: Double(terminal.columns * cell.width), height: Double(terminal.rows * cell.height))
  }
}

// MARK: - Emoji as text

/// The emoji as text on cells, within a frame: for terminals without graphics, and where nothing can be drawn.
///
/// Terminals disagree on the width of emoji sequences, so the cursor is positioned before each emoji.
package enum EmojiGrid {
  /// The cells that the frame takes from each dimension.
  package static let frame = 2

  /// The lines of a grid with that many cells, the frame included. Of overlapping emoji, the uppermost is
  /// shown. `left` is the number of columns to the left of the grid.
  package static func lines(
    _ scene: DrawingScene, _ region: CanvasRect, columns: Int, rows: Int, left: Int = 0
  ) -> [String] {
    let inner = (columns: max(columns - frame, 2), rows: max(rows - frame, 1))
    var cells = [[Int: String]](repeating: [:], count: inner.rows)
    var free = inner.columns * inner.rows
    for label in scene.labels.reversed() where free >= 2 {
      guard let place = place(label.position, region, inner.columns, inner.rows) else { continue }
      let characters = Array(label.text.description)
      // An emoji may be shifted by one column to fit beside its neighbour.
      let near = [0, -1, 1].map { place.column + $0 }.filter { (0...inner.columns - 2).contains($0) }
      let isFree = { column in !(column - 1...column + 1).contains { cells[place.row][$0] != nil } }
      guard let middle = near.first(where: isFree) else { continue }
      // Characters beyond the frame, or under another emoji, are not shown.
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

  /// The cell of a position; an emoji is two columns wide. Nil outside the region.
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

  /// Moves the cursor to a column, counted from 0.
  private static func move(_ column: Int) -> String { "\u{1B}[\(column + 1)G" }
}

// MARK: - Choice of graphics

/// How the art is shown.
package enum Graphics: Equatable, Sendable {
  /// A picture by kitty's protocol: https://sw.kovidgoyal.net/kitty/graphics-protocol/
  case kitty
  case sixel
  /// Characters in colours.
  case symbols(TerminalColors)
  /// The emoji as text, each in a cell.
  case text

  /// The best graphics that the terminal supports; nil for none. A choice other than `auto` is used as it is.
  /// `answers` are nil where the terminal was not queried.
  package static func best(
    _ choice: GraphicsChoice, isTerminal: Bool, _ environment: TerminalEnvironment,
    _ answers: TerminalAnswers?
  ) -> Graphics? {
    let colors = environment.colors
    switch choice {
    case .none, .words: return nil
    case .kitty: return .kitty
    case .sixel: return .sixel
    case .symbols: return .symbols(colors ?? .direct)
    case .text: return .text
    case .auto:
      guard isTerminal, environment.isCapable else { return nil }
      if environment.isKitty || answers?.hasKitty == true { return .kitty }
      if answers?.hasSixel == true { return .sixel }
      guard !environment.isColorless, let colors else { return .text }
      return .symbols(colors)
    }
  }
}

extension TerminalEnvironment {
  /// The colours that the terminal supports; nil for none. As chafa decides (chafa-term-db.c): 256 unless the terminal is known for
  /// fewer or says that it has all. Unlike chafa's, `xterm-256color` stands for 256: too many terminals have that name.
  fileprivate var colors: TerminalColors? {
    guard isCapable, let term, term != "vt52", !term.hasSuffix("-mono"), !term.hasSuffix("-m") else {
      return nil
    }
    if ["linux", "fbterm", "rxvt-unicode"].contains(term) || term.hasSuffix("-16color")
      || term.hasSuffix("-color")
    {
      return .eight
    }
    // screen passes on no more; within it, COLORTERM is that of the terminal around it.
    let isScreen = term.hasPrefix("screen") && !isTmux
    if isScreen || ["mlterm", "yaft", "yaft-256color", "rxvt-unicode-256color"].contains(term) {
      return .indexed
    }
    switch program {
    case "Apple_Terminal": return .indexed
    case "iTerm.app", "iTerm2": return .direct
    default: break
    }
    let saysAll = colorTerm.map {
      ["truecolor", "24bit", "gnome-terminal", "xfce-terminal"].contains($0.lowercased())
    }
    let isDirect =
      saysAll == true || isVTE || term.hasSuffix("-direct")
      || ["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "st-256color"].contains(term)
    return isDirect ? .direct : .indexed
  }
}
