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
