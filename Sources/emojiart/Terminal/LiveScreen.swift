// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal

/// The bytes for the screen. Each update redraws everything, as a synchronized update where the terminal supports it.
enum LiveScreen {
  /// Switches to the alternate screen, and hides the cursor.
  static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[H\u{1B}[2J"
  /// Returns to the main screen, even after a partly written picture.
  static let leave = "\u{1B}\\\(end)\u{1B}[?7h\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"
  /// Synchronized update: https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036
  private static let (begin, end) = ("\u{1B}[?2026h", "\u{1B}[?2026l")

  /// The art between a title and a status line.
  static func bytes(
    title: String, _ art: TerminalArt?, below: String, on terminal: TerminalSize, _ graphics: Graphics
  ) -> [UInt8] {
    let wipe = graphics == .kitty ? "\u{1B}_Ga=d,d=A,q=2\u{1B}\\" : ""
    let top =
      "\(begin)\u{1B}[?7l\u{1B}[0m\u{1B}[2J\(wipe)\u{1B}[H\u{1B}[1m\(fitted(title, terminal.columns))\u{1B}[0m"
    let bottom = terminal.rows > 2 ? "\u{1B}[\(terminal.rows);1H\(fitted(below, terminal.columns))" : ""
    return Array(top.utf8) + (art.map { placed($0, on: terminal) } ?? [])
      + Array("\(bottom)\u{1B}[?7h\(end)".utf8)
  }

  /// The art, centred between the two lines.
  private static func placed(_ art: TerminalArt, on terminal: TerminalSize) -> [UInt8] {
    let (top, left) = origin(of: art, on: terminal)
    switch art.body {
    case .picture(let picture): return Array("\u{1B}[\(top);\(left)H".utf8) + picture
    case .lines(let lines):
      var bytes: [UInt8] = []
      let last = lastRow(of: terminal)
      for (index, line) in lines.split(separator: 0x0A).enumerated() where top + index <= last {
        bytes += Array("\u{1B}[\(top + index);\(left)H".utf8) + line
      }
      return bytes + Array("\u{1B}[0m".utf8)
    }
  }

  /// The row and the column of the art's upper left cell, counted from 1.
  static func origin(of art: TerminalArt, on terminal: TerminalSize) -> (row: Int, column: Int) {
    (2 + max(terminal.rows - 2 - art.rows, 0) / 2, 1 + max(terminal.columns - art.columns, 0) / 2)
  }

  /// The last row for the art, counted from 1: a terminal of two rows has no status line.
  static func lastRow(of terminal: TerminalSize) -> Int {
    terminal.rows > 2 ? terminal.rows - 1 : terminal.rows
  }

  /// The title: `bees.emojiart  800 x 600, revision 2  100 %  saved`. Where it does not fit, the path loses its beginning, and then the
  /// details go, the first one first. The state stays.
  static func title(_ path: String, _ details: [String], state: String?, _ columns: Int) -> String {
    let name = Array(safe(path))
    for start in 0...details.count {
      let end = (details.dropFirst(start) + (state.map { [$0] } ?? [])).map { "  \(safe($0))" }.joined()
      let room = columns - LineView.width(Array(end)[...])
      if room >= min(LineView.width(name[...]), leastPath) {
        return String(LineView.end(of: name, room)) + end
      }
    }
    return state.map { fitted($0, columns) } ?? String(LineView.end(of: name, columns))
  }

  /// The columns of a path below which a detail is left out instead.
  private static let leastPath = 16

  /// As much of a text as certainly fits in the columns.
  static func fitted(_ text: String, _ columns: Int) -> String {
    let characters = Array(safe(text))
    guard LineView.width(characters[...]) > columns else { return String(characters) }
    var kept: [Character] = []
    for character in characters {
      guard LineView.width((kept + [character])[...]) < columns else { break }
      kept.append(character)
    }
    return String(kept) + "…"
  }
}
