// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal

/// What lies over the screen while a document is edited: the corners around the selected emoji, the list of keys, or the line that is
/// typed.
enum EditingOverlay {
  /// The bytes for a terminal that shows `art`; without it no corners.
  static func bytes(_ editor: LiveEditor, over art: DrawnArt?, on terminal: TerminalSize) -> [UInt8] {
    switch editor.phase {
    case .help:
      let help = LiveEditor.help(columns: terminal.columns, rows: max(terminal.rows - 2, 0))
      let lines = help.enumerated().map {
        "\u{1B}[\($0.offset + 2);1H\u{1B}[0m\u{1B}[K\(LiveScreen.fitted($0.element, terminal.columns))"
      }
      return Array(lines.joined().utf8)
    case .asking(let line):
      // What others do must not hide the line.
      let message = terminal.rows > 1 ? editor.message ?? LiveEditor.hintWhileAsking : nil
      let above = message.map {
        "\u{1B}[\(terminal.rows - 1);1H\u{1B}[0m\u{1B}[K\(LiveScreen.fitted($0, terminal.columns))"
      }
      var row = LineView(columns: terminal.columns)
      let text = row.drawing(status: "add:", text: line.text, cursor: line.cursor)
      return Array("\(above ?? "")\u{1B}[\(terminal.rows);1H\(text)\u{1B}[?25h".utf8)
    case .keys: break
    }
    let hidden = "\u{1B}[?25l"
    guard let art, let emoji = editor.emoji else { return Array(hidden.utf8) }
    let selection = SelectionCorners(
      EmojiBox(emoji), in: art.region, columns: art.art.columns, rows: art.art.rows)
    let (top, left) = LiveScreen.origin(of: art.art, on: terminal)
    let last = LiveScreen.lastRow(of: terminal)
    let corners = selection.corners.filter {
      top + $0.row <= last && left + $0.column <= terminal.columns
    }.map {
      "\u{1B}[\(top + $0.row);\(left + $0.column)H\u{1B}[0;1;7m\($0.sign)\u{1B}[0m"
    }
    return Array((corners.joined() + hidden).utf8)
  }
}

/// Art with the part of the canvas that it shows.
struct DrawnArt {
  let art: TerminalArt
  let region: CanvasRect
}

/// The corners around a selected emoji on the cells of its art:
///
///     ┌  ┐
///      🐝
///     └  ┘
///
/// They stand just outside its box, and at the edge of the art where the box goes beyond it.
struct SelectionCorners: Equatable {
  /// A sign on a cell, counted from 0.
  struct Corner: Equatable {
    let row: Int
    let column: Int
    let sign: String
  }

  let corners: [Corner]

  init(_ box: EmojiBox, in region: CanvasRect, columns: Int, rows: Int) {
    let edges = box.edges
    func cell(_ place: Double, _ start: Double, _ length: Double, _ count: Int, _ outwards: Double) -> Int {
      let cell =
        ((place - start) / length * Double(count)).rounded(outwards < 0 ? .down : .up) + min(outwards, 0)
      return Int(min(max(cell, 0), Double(count - 1)))
    }
    let left = cell(edges.left, region.x, region.width, columns, -1)
    let right = cell(edges.right, region.x, region.width, columns, 1)
    let top = cell(edges.top, region.y, region.height, rows, -1)
    let bottom = cell(edges.bottom, region.y, region.height, rows, 1)
    corners = [
      Corner(row: top, column: left, sign: "┌"), Corner(row: top, column: right, sign: "┐"),
      Corner(row: bottom, column: left, sign: "└"), Corner(row: bottom, column: right, sign: "┘"),
    ]
  }
}
