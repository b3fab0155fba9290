// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The line that is being typed: a key goes in, what is to be done comes out.
///
/// Every edit cuts the text into characters anew, so that `text` is always what the line will be when it is read:
/// `👩` and a typed joiner and `🚀` become one character, and Backspace takes all of it. A word ends at a blank.
package struct LineEditor {
  /// What the prompt does next.
  package enum Effect: Equatable {
    /// The text or the cursor is another.
    case changed
    /// There was nothing to do.
    case bell
    /// A line was entered; the editor is empty.
    case line(String)
    /// A line with more than `byteLimit` bytes was entered, and dropped.
    case tooLong
    /// `complete` is to be called.
    case complete
    /// How the word could go on.
    case offers([String])
    case clearScreen, interrupt, end, suspend
  }

  /// The bytes of a line; what would make it longer is not put in.
  package static let byteLimit = 1 << 16
  /// The lines that can be called back.
  package static let historyLimit = 1_000

  package private(set) var text: [Character] = []
  /// How many characters stand before it.
  package private(set) var cursor = 0
  /// Lines entered, oldest first.
  package private(set) var history: [String]
  /// Where in `history` the text comes from; its count stands for the line that is not entered yet.
  private var place: Int
  private var draft = ""
  private var killed = ""
  private var isCut = false

  package init(history: [String] = []) {
    self.history = history.suffix(Self.historyLimit)
    place = self.history.count
  }

  package mutating func key(_ key: Key) -> Effect {
    switch key {
    case .text(let new): return replace(cursor..<cursor, with: new)
    case .backspace: return cursor == 0 ? .bell : replace(cursor - 1..<cursor, with: "")
    case .delete: return cursor == text.count ? .bell : replace(cursor..<cursor + 1, with: "")
    case .deleteOrEnd: return text.isEmpty ? .end : self.key(.delete)
    case .left: return move(to: cursor - 1)
    case .right: return move(to: cursor + 1)
    case .wordLeft: return move(to: wordStart)
    case .wordRight: return move(to: wordEnd)
    case .home: return move(to: 0)
    case .end: return move(to: text.count)
    case .up: return recall(place - 1)
    case .down: return recall(place + 1)
    case .killToEnd: return kill(cursor..<text.count)
    case .killToStart: return kill(0..<cursor)
    case .killWord: return kill(wordStart..<cursor)
    case .yank: return replace(cursor..<cursor, with: killed)
    case .enter: return enter()
    case .interrupt: return text.isEmpty && !isCut ? .interrupt : clear()
    case .tab: return .complete
    case .clearScreen: return .clearScreen
    case .suspend: return .suspend
    }
  }

  /// Lengthens the word before the cursor as far as all that fit agree. `candidates` gets the words before it and
  /// the word, without their quotes, and gives whole words.
  package mutating func complete(from candidates: ([String], String) -> [String]) -> Effect {
    let typed = CommandWords.typed(String(text[..<cursor]))
    let fitting = candidates(typed.words, typed.word).filter {
      $0.hasPrefix(typed.word) && !$0.unicodeScalars.contains(where: \.isUnsafeOnTerminal)
    }
    guard let first = fitting.first else { return .bell }
    let common = fitting.reduce(first) { String(zip($0, $1).prefix { $0 == $1 }.map(\.0)) }
    if fitting.count > 1, common == typed.word { return .offers(fitting) }
    let end = fitting.count == 1 ? " " : ""
    return replace(min(typed.start, cursor)..<cursor, with: CommandWords.quoted(common) + end)
  }

  /// Keeps a line that was entered; false for a blank one and for the one before again.
  package mutating func remember(_ line: String) -> Bool {
    guard line != history.last, !line.allSatisfy(\.isWhitespace) else { return false }
    history.append(line)
    history.removeFirst(max(0, history.count - Self.historyLimit))
    place = history.count
    return true
  }

  /// Puts other text in the place of some, and the cursor behind it, or behind the character that it became part of.
  private mutating func replace(_ range: Range<Int>, with new: String) -> Effect {
    let before = String(text[..<range.lowerBound]) + new
    let whole = before + String(text[range.upperBound...])
    guard whole.utf8.count <= Self.byteLimit else {
      isCut = true
      return .bell
    }
    text = Array(whole)
    let end = before.unicodeScalars.count
    var scalars = 0
    cursor =
      text.prefix { character in
        defer { scalars += character.unicodeScalars.count }
        return scalars < end
      }.count
    return .changed
  }

  private mutating func kill(_ range: Range<Int>) -> Effect {
    guard !range.isEmpty else { return .bell }
    killed = String(text[range])
    return replace(range, with: "")
  }

  private mutating func move(to place: Int) -> Effect {
    guard (0...text.count).contains(place), place != cursor else { return .bell }
    cursor = place
    return .changed
  }

  private mutating func recall(_ wanted: Int) -> Effect {
    guard (0...history.count).contains(wanted) else { return .bell }
    if place == history.count { draft = String(text) }
    place = wanted
    text = Array(wanted == history.count ? draft : history[wanted])
    cursor = text.count
    return .changed
  }

  private mutating func enter() -> Effect {
    let (line, wasCut) = (String(text), isCut)
    _ = clear()
    return wasCut ? .tooLong : .line(line)
  }

  private mutating func clear() -> Effect {
    (text, cursor, isCut) = ([], 0, false)
    (place, draft) = (history.count, "")
    return .changed
  }

  private var wordStart: Int {
    let blanks = text[..<cursor].reversed().prefix(while: \.isWhitespace).count
    return cursor - blanks
      - text[..<(cursor - blanks)].reversed().prefix { !$0.isWhitespace }.count
  }

  private var wordEnd: Int {
    let blanks = text[cursor...].prefix(while: \.isWhitespace).count
    return cursor + blanks + text[(cursor + blanks)...].prefix { !$0.isWhitespace }.count
  }
}

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
