// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The emoji themselves on cells, within a frame: the art where there is nothing to draw it, or nobody to show it.
///
/// No two terminals agree on the width of emoji sequences, so the cursor is moved before each, and nothing follows by counting.
package enum EmojiGrid {
  /// Cells of the frame.
  package static let frame = 2

  /// Lines for so many cells, the frame included. Of emoji that would lie on one another the uppermost is shown. `left` is how many
  /// columns lie to the left of it.
  package static func lines(
    _ scene: Scene, _ region: Rect, columns: Int, rows: Int, left: Int = 0
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
    _ point: Point, _ region: Rect, _ columns: Int, _ rows: Int
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
