// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// How large a terminal is.
package struct TerminalSize: Equatable, Sendable {
  /// The bounds of what is used of it: more symbols are not drawn at once.
  private static let most = (columns: 400, rows: 160)

  /// Cells across.
  package var columns: Int
  /// Cells down.
  package var rows: Int
  /// Pixels of a cell; nil where nobody knows.
  package var cell: TerminalAnswers.Cell?

  /// A size within bounds; nothing is less than a cell.
  package init(columns: Int, rows: Int, cell: TerminalAnswers.Cell? = nil) {
    self.columns = min(max(columns, 1), Self.most.columns)
    self.rows = min(max(rows, 1), Self.most.rows)
    self.cell = cell
  }

  /// What the system says of the terminal behind stdout, else `COLUMNS` and `LINES` of the environment, else 80 x 24. What the terminal answered
  /// of its cells counts more than what the system knows.
  package static func now(_ answers: TerminalAnswers?, _ variable: (String) -> String?) -> TerminalSize {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return TerminalSize(
        columns: number(variable("COLUMNS")) ?? 80, rows: number(variable("LINES")) ?? 24, cell: answers?.cell
      )
    }
    let (columns, rows) = (Int(size.ws_col), Int(size.ws_row))
    let known = TerminalAnswers.Cell(width: Int(size.ws_xpixel) / columns, height: Int(size.ws_ypixel) / rows)
    return TerminalSize(columns: columns, rows: rows, cell: answers?.cell ?? known)
  }

  private static func number(_ text: String?) -> Int? {
    text.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Which design fits.
  package var sizeClass: SizeClass { SizeClass(columns: columns, rows: rows) }
}
