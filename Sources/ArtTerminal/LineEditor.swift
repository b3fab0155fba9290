// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The line that is being edited: receives keys and returns effects.
///
/// The text is divided into characters after every edit, so that `text` is always what the line will be when it
/// is read: `👩`, a typed joiner and `🚀` become one character, and Backspace deletes it. Words are separated by
/// blanks.
package struct LineEditor {
  /// What the prompt does next.
  package enum Effect: Equatable {
    /// The text or the cursor has changed.
    case changed
    /// The key had no effect.
    case bell
    /// A line was entered; the editor is empty.
    case line(String)
    /// A line of more than `byteLimit` bytes was entered and dropped.
    case tooLong
    /// Call `complete`.
    case complete
    /// The possible completions.
    case offers([String])
    case clearScreen, interrupt, end, suspend
  }

  /// The limit of a line in bytes; input beyond it is refused.
  package static let byteLimit = 1 << 16
  /// The number of lines in the history.
  package static let historyLimit = 1_000

  package private(set) var text: [Character] = []
  /// The number of characters before the cursor.
  package private(set) var cursor = 0
  /// The lines entered, oldest first.
  package private(set) var history: [String]
  /// The index in `history` of the current text; `history.count` for a new line.
  private var historyIndex: Int
  private var draft = ""
  private var killBuffer = ""
  private var isTruncated = false
  /// The search in the history, Ctrl-R; nil while there is none.
  private var search: Search?

  private struct Search {
    var query = ""
    /// Whether no line, or no earlier one, has the query.
    var hasFailed = false
    /// The index in `history` of what was found.
    var index: Int
    /// The line before the search, and its cursor, index in `history` and draft.
    let before: (text: [Character], cursor: Int, historyIndex: Int, draft: String)
  }

  /// What to show in place of the prompt while the history is searched.
  package var searchLabel: String? {
    search.map { "(\($0.hasFailed ? "not found" : "search")) \($0.query):" }
  }

  package init(history: [String] = []) {
    self.history = history.suffix(Self.historyLimit)
    historyIndex = self.history.count
  }

  package mutating func key(_ key: Key) -> Effect {
    guard search != nil else { return edit(key) }
    if let effect = searching(key) { return effect }
    let effect = edit(key)
    // The label of the search goes in any case.
    return effect == .bell ? .changed : effect
  }

  private mutating func edit(_ key: Key) -> Effect {
    switch key {
    case .text(let new), .paste(let new): return replace(cursor..<cursor, with: new)
    case .backspace: return cursor == 0 ? .bell : replace(cursor - 1..<cursor, with: "")
    case .delete: return cursor == text.count ? .bell : replace(cursor..<cursor + 1, with: "")
    case .deleteOrEnd: return text.isEmpty ? .end : self.key(.delete)
    case .left: return move(to: cursor - 1)
    case .right: return move(to: cursor + 1)
    case .wordLeft, .shiftLeft: return move(to: wordStart)
    case .wordRight, .shiftRight: return move(to: wordEnd)
    case .home: return move(to: 0)
    case .end: return move(to: text.count)
    case .up, .shiftUp: return recall(historyIndex - 1)
    case .down, .shiftDown: return recall(historyIndex + 1)
    case .killToEnd: return kill(cursor..<text.count)
    case .killToStart: return kill(0..<cursor)
    case .killWord: return kill(wordStart..<cursor)
    case .yank: return replace(cursor..<cursor, with: killBuffer)
    case .enter, .pastedBreak: return enter()
    case .interrupt: return text.isEmpty && !isTruncated ? .interrupt : clear()
    case .tab: return .complete
    case .clearScreen: return .clearScreen
    case .suspend: return .suspend
    case .search:
      search = Search(index: history.count, before: (text, cursor, historyIndex, draft))
      return .changed
    case .backTab, .escape: return .bell
    }
  }

  /// A key while the history is searched; nil for one that ends the search and does what it does.
  private mutating func searching(_ key: Key) -> Effect? {
    guard var search else { return nil }
    switch key {
    case .search: return find(from: search.index - 1)
    case .text(let new), .paste(let new):
      search.query += new
      self.search = search
      return find(from: min(search.index, history.count - 1))
    case .backspace:
      guard !search.query.isEmpty else { return .bell }
      search.query.removeLast()
      self.search = search
      return find(from: history.count - 1)
    case .interrupt, .escape:
      self.search = nil
      (text, cursor, historyIndex, draft) = search.before
      return .changed
    default:
      self.search = nil
      return nil
    }
  }

  /// Shows the newest line that has the query, from an index back.
  private mutating func find(from index: Int) -> Effect {
    guard var search else { return .bell }
    search.hasFailed = false
    self.search = search
    guard !search.query.isEmpty else { return .changed }
    let lines = history.prefix(max(index + 1, 0))
    guard let found = lines.lastIndex(where: { $0.contains(search.query) }) else {
      self.search?.hasFailed = true
      return .changed
    }
    search.index = found
    (self.search, historyIndex) = (search, found)
    // A line of the history is no draft.
    if search.before.historyIndex == history.count { draft = String(search.before.text) }
    text = Array(history[found])
    cursor = text.count
    return .changed
  }

  /// Completes the word before the cursor with the longest common prefix. `candidates` receives the words
  /// before it and the word, unquoted, and returns whole words.
  package mutating func complete(from candidates: ([String], String) -> [String]) -> Effect {
    let typed = ShellWords.typed(String(text[..<cursor]))
    let fitting = candidates(typed.words, typed.word).filter {
      $0.hasPrefix(typed.word) && !$0.unicodeScalars.contains(where: \.isUnsafeOnTerminal)
    }
    guard let first = fitting.first else { return .bell }
    let common = fitting.reduce(first) { String(zip($0, $1).prefix { $0 == $1 }.map(\.0)) }
    if fitting.count > 1, common == typed.word { return .offers(fitting) }
    let end = fitting.count == 1 ? " " : ""
    return replace(min(typed.start, cursor)..<cursor, with: ShellWords.quoted(common) + end)
  }

  /// Adds a line to the history; false for a blank line and for a repetition of the last one.
  package mutating func remember(_ line: String) -> Bool {
    guard line != history.last, !line.allSatisfy(\.isWhitespace) else { return false }
    history.append(line)
    history.removeFirst(max(0, history.count - Self.historyLimit))
    historyIndex = history.count
    return true
  }

  /// Replaces a range; the cursor moves behind the new text, or behind the character that it has become part
  /// of.
  private mutating func replace(_ range: Range<Int>, with new: String) -> Effect {
    let before = String(text[..<range.lowerBound]) + new
    let whole = before + String(text[range.upperBound...])
    guard whole.utf8.count <= Self.byteLimit else {
      isTruncated = true
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
    killBuffer = String(text[range])
    return replace(range, with: "")
  }

  private mutating func move(to index: Int) -> Effect {
    guard (0...text.count).contains(index), index != cursor else { return .bell }
    cursor = index
    return .changed
  }

  private mutating func recall(_ wanted: Int) -> Effect {
    guard (0...history.count).contains(wanted) else { return .bell }
    if historyIndex == history.count { draft = String(text) }
    historyIndex = wanted
    text = Array(wanted == history.count ? draft : history[wanted])
    cursor = text.count
    return .changed
  }

  private mutating func enter() -> Effect {
    let (line, wasTruncated) = (String(text), isTruncated)
    _ = clear()
    return wasTruncated ? .tooLong : .line(line)
  }

  private mutating func clear() -> Effect {
    (text, cursor, isTruncated) = ([], 0, false)
    (historyIndex, draft) = (history.count, "")
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

// MARK: - Drawing

/// Draws the prompt and its line in one row; long lines scroll sideways.
///
/// Terminals disagree on the width of emoji sequences, so the cursor is never positioned by counting: it is
/// saved (`ESC 7`) between the text before and after it. Widths only decide how much of a long line is shown,
/// and are estimated high. Wrapping is off during the drawing, so that the row stays one row in any case.
package struct LineView {
  package var columns: Int
  /// The index of the first visible character.
  private var first = 0

  package init(columns: Int) { self.columns = columns }

  /// The output for the terminal; the cursor may be anywhere in the row.
  package mutating func drawing(status: String, text: [Character], cursor: Int) -> String {
    let label = Self.end(of: Array(status + " "), columns / 2)
    let window = window(of: text, cursor, columns: columns - 1 - Self.width(label[...]))
    let before = (window.lowerBound > 0 ? "…" : "") + String(text[window.lowerBound..<cursor])
    let after = String(text[cursor..<window.upperBound]) + (window.upperBound < text.count ? "…" : "")
    return "\r\u{1B}[?7l\((String(label) + before).visible)\u{1B}7\(after.visible)\u{1B}[K\u{1B}8\u{1B}[?7h"
  }

  /// The whole text if it fits; otherwise a part around the cursor, which moves only when the cursor leaves it.
  private mutating func window(of text: [Character], _ cursor: Int, columns: Int) -> Range<Int> {
    if Self.fits(text[...], columns) {
      first = 0
      return text.indices
    }
    // An ellipsis at each end.
    let columns = columns - 4
    let shown = min(cursor + 1, text.count)
    if first > 0 && cursor <= first || !Self.fits(text[first..<shown], columns) {
      first = cursor - Self.fittingCount(text[..<cursor].reversed(), columns / 2)
    }
    return first..<(cursor + Self.fittingCount(text[cursor...], columns - Self.width(text[first..<cursor])))
  }

  /// The text, or an ellipsis and as much of its end as fits.
  package static func end(of text: [Character], _ columns: Int) -> [Character] {
    fits(text[...], columns) ? text : ["…"] + text.suffix(fittingCount(text.reversed(), columns - 2))
  }

  /// The number of characters that fit.
  private static func fittingCount(_ text: some Sequence<Character>, _ columns: Int) -> Int {
    var left = columns
    var count = 0
    for character in text {
      left -= width(character)
      guard left >= 0 else { break }
      count += 1
    }
    return count
  }

  private static func fits(_ text: ArraySlice<Character>, _ columns: Int) -> Bool {
    fittingCount(text, columns) == text.count
  }

  /// Wraps a text into lines that fit even at the highest estimate; at least one line.
  package static func wrapped(_ text: String, _ columns: Int) -> [String] {
    var rest = Array(text)[...]
    var lines: [String] = []
    repeat {
      let count = max(fittingCount(rest, columns), min(rest.count, 1))
      lines.append(String(rest.prefix(count)))
      rest = rest.dropFirst(count)
    } while !rest.isEmpty
    return lines
  }

  /// Words in columns, sorted downwards, in as few rows as fit; each at the highest estimate of its width.
  package static func inColumns(_ words: [String], _ columns: Int) -> [String] {
    let width = words.reduce(0) { max($0, Self.width(Array($1)[...])) } + 2
    let rows = max((words.count + max(columns / width, 1) - 1) / max(columns / width, 1), 1)
    return (0..<min(rows, words.count)).map { row in
      stride(from: row, to: words.count, by: rows).map { index in
        let gap = index + rows < words.count ? width - likelyWidth(words[index]) : 0
        return words[index] + String(repeating: " ", count: gap)
      }
      .joined()
    }
  }

  /// The rows that a line needs at the highest estimate, colours apart; at least one.
  package static func rows(of line: String, columns: Int) -> Int {
    let width = width(Array(line.replacing(/\u{1B}\[[0-9;]*[mK]/, with: ""))[...])
    return max((width + columns - 1) / max(columns, 1), 1)
  }

  /// The columns that most terminals need. A name in Latin, Greek or Cyrillic letters has exactly these; emoji and ideographs usually have two.
  package static func likelyWidth(_ text: String) -> Int {
    text.reduce(0) {
      $0 + ($1.unicodeScalars.first.map { $0.value < 0x500 } == true ? 1 : width($1) > 1 ? 2 : width($1))
    }
  }

  package static func width(_ text: ArraySlice<Character>) -> Int { text.reduce(0) { $0 + width($1) } }

  /// The most columns that a terminal may need: two for each part of a sequence that can be drawn by itself.
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
