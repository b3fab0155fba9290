// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Draws the prompt and its line in one row. What does not fit scrolls sideways.
///
/// No two terminals agree on the width of emoji sequences, so the cursor is never placed by counting: it is saved
/// (`ESC 7`) between what stands before and behind it. Widths only decide how much of a long line is shown, and are
/// guessed high; the terminal is told not to wrap while it draws, for the row to stay one whatever it makes of them.
package struct LineView {
  package var columns: Int
  /// The first character shown.
  private var first = 0

  package init(columns: Int) { self.columns = columns }

  /// What the terminal gets, with the cursor anywhere in the row.
  package mutating func drawing(status: String, text: [Character], cursor: Int) -> String {
    let label = Self.end(of: Array(status + " "), columns / 2)
    let window = window(of: text, cursor, room: columns - 1 - Self.width(label[...]))
    let before = (window.lowerBound > 0 ? "…" : "") + String(text[window.lowerBound..<cursor])
    let after = String(text[cursor..<window.upperBound]) + (window.upperBound < text.count ? "…" : "")
    return "\r\u{1B}[?7l\((String(label) + before).visible)\u{1B}7\(after.visible)\u{1B}[K\u{1B}8\u{1B}[?7h"
  }

  /// All of the text when it fits; else a part around the cursor, which stays until the cursor leaves it.
  private mutating func window(of text: [Character], _ cursor: Int, room: Int) -> Range<Int> {
    if Self.fits(text[...], room) {
      first = 0
      return text.indices
    }
    // An ellipsis at each end.
    let room = room - 4
    let shown = min(cursor + 1, text.count)
    if first > 0 && cursor <= first || !Self.fits(text[first..<shown], room) {
      first = cursor - Self.reach(text[..<cursor].reversed(), room / 2)
    }
    return first..<(cursor + Self.reach(text[cursor...], room - Self.width(text[first..<cursor])))
  }

  private static func end(of text: [Character], _ room: Int) -> [Character] {
    fits(text[...], room) ? text : ["…"] + text.suffix(reach(text.reversed(), room - 2))
  }

  /// How many characters have room.
  private static func reach(_ text: some Sequence<Character>, _ room: Int) -> Int {
    var left = room
    var count = 0
    for character in text {
      left -= width(character)
      guard left >= 0 else { break }
      count += 1
    }
    return count
  }

  private static func fits(_ text: ArraySlice<Character>, _ room: Int) -> Bool {
    reach(text, room) == text.count
  }

  /// A text as lines that each fit for sure; one at least.
  package static func wrapped(_ text: String, _ columns: Int) -> [String] {
    var rest = Array(text)[...]
    var lines: [String] = []
    repeat {
      let count = max(reach(rest, columns), min(rest.count, 1))
      lines.append(String(rest.prefix(count)))
      rest = rest.dropFirst(count)
    } while !rest.isEmpty
    return lines
  }

  package static func width(_ text: ArraySlice<Character>) -> Int { text.reduce(0) { $0 + width($1) } }

  /// The most columns that a terminal may need: two for each part of a sequence that has a picture of its own.
  private static func width(_ character: Character) -> Int {
    let parts = String(character).visible.unicodeScalars
    let sum = parts.reduce(0) { $0 + ($1.isASCII ? 1 : isMark($1) ? 0 : 2) }
    return parts.allSatisfy(\.isASCII) ? sum : max(sum, 2)
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: true
    // The joiner, and the tags of flags.
    default: scalar == "\u{200D}" || (0xE0020...0xE007F).contains(scalar.value)
    }
  }
}
