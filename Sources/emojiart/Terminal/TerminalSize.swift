// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// How large a terminal is.
struct TerminalSize: Equatable, Sendable {
  /// The bounds of what is used of it: more symbols are not drawn at once.
  private static let most = (columns: 400, rows: 160)

  /// Cells across.
  var columns: Int
  /// Cells down.
  var rows: Int
  /// Pixels of a cell; nil where nobody knows.
  var cell: TerminalAnswers.Cell?

  /// A size within bounds; nothing is less than a cell.
  init(columns: Int, rows: Int, cell: TerminalAnswers.Cell? = nil) {
    self.columns = min(max(columns, 1), Self.most.columns)
    self.rows = min(max(rows, 1), Self.most.rows)
    self.cell = cell
  }

  /// What the system says of the terminal behind stdout, else `COLUMNS` and `LINES`, else 80 x 24. What the terminal answered
  /// of its cells counts more than what the system knows.
  static func now(_ answers: TerminalAnswers?) -> TerminalSize {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return TerminalSize(
        columns: number("COLUMNS") ?? 80, rows: number("LINES") ?? 24, cell: answers?.cell)
    }
    let (columns, rows) = (Int(size.ws_col), Int(size.ws_row))
    let known = TerminalAnswers.Cell(width: Int(size.ws_xpixel) / columns, height: Int(size.ws_ypixel) / rows)
    return TerminalSize(columns: columns, rows: rows, cell: answers?.cell ?? known)
  }

  private static func number(_ name: String) -> Int? {
    environment(name).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Which design fits.
  var sizeClass: SizeClass { SizeClass(columns: columns, rows: rows) }
}
