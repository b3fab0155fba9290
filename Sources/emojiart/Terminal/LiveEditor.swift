// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal
import ArtWorkspace

/// Editing by eye, as a state machine: keys and contents go in, effects come out.
///
///     keys ──a──▶ asking ──Enter, Escape, Ctrl-C──▶ keys        asking: a line for the emoji to be added
///       └───?──▶ help ──any key──▶ keys                         which the key then acts in, but for Escape and ?
///
///     no gesture ──arrow, + - [ ]──▶ gesture ──another key, a pause, the end──▶ perform ──▶ no gesture
///
/// A gesture changes one field of the selected emoji, is shown at once, and becomes one edit, however many keys it has. What others do
/// meanwhile comes under it: its changes are relative, except for the size.
struct LiveEditor {
  /// What the owner has to do, in this order.
  enum Effect: Equatable {
    /// Draw the art, and what stands around it.
    case draw
    /// Draw what stands around the art.
    case show
    /// Scroll the selected emoji into the view.
    case reveal
    /// Perform an edit.
    case perform(Action)
    case undo, redo
    /// A key of the view: zoom.
    case view(Key)
    case bell, suspend, end

    /// What the document is asked for; nil for an effect on the screen.
    var request: DocumentRequest? {
      switch self {
      case .perform(let action): .action(action)
      case .undo: .undo(1)
      case .redo: .redo(1)
      case .draw, .show, .reveal, .view, .bell, .suspend, .end: nil
      }
    }
  }

  /// The phase that decides what keys mean.
  enum Phase {
    case keys, help
    case asking(LineEditor)
  }

  private enum Gesture: Equatable {
    case move(Double, Double)
    case size(Double)
    case turn(Double)
  }

  /// The degrees of a turn, and the factor of a size.
  private static let (turn, growth) = (15.0, 1.1)

  private(set) var phase = Phase.keys
  /// The document, without the gesture.
  private(set) var content: DocumentContent
  /// The selected emoji; nil where the document has none.
  private(set) var selected: EmojiID? { didSet { if selected != oldValue { locate() } } }
  /// The order of Tab: all emoji, first in reading order. A move changes no place in it; what is added comes last.
  private(set) var tour: [EmojiID]
  /// Where the selected emoji is in the tour.
  private var place: Int?
  /// A refusal, or what others did, until the next key.
  var message: String?
  /// The size of what is added.
  private let size: Length
  private var gesture: Gesture?

  /// Selects the uppermost emoji.
  init(_ content: DocumentContent, size: Length) {
    (self.content, self.size) = (content, size)
    let emojis = content.emojisInOrder()
    selected = emojis.last?.id
    tour = Self.readingOrder(emojis).map(\.id)
    locate()
  }

  /// Finds the selected emoji in the tour.
  private mutating func locate() { place = selected.flatMap { tour.firstIndex(of: $0) } }

  /// Whether a gesture is to be ended by a pause.
  var hasGesture: Bool { gesture != nil }

  /// The selected emoji, with the gesture.
  var emoji: Emoji? { gestured ?? selected.flatMap { content.emoji($0) } }

  /// The selected emoji with the gesture; nil without a gesture. A gesture changes nothing else of the document.
  var gestured: Emoji? {
    do throws(ArtError) { return try gestureAction.flatMap(result) } catch { return nil }
  }

  /// What an action makes of the selected emoji. It acts on a document with that emoji alone: a copy of the whole one costs as much as it
  /// is large, with each key. Throws what planning throws.
  private func result(_ action: Action) throws(ArtError) -> Emoji? {
    guard let emoji = selected.flatMap({ content.emoji($0) }),
      var alone = DocumentContent(id: content.id, canvas: content.canvas, emojis: [emoji])
    else { return nil }
    // Only additions draw ids.
    var generator = SystemRandomNumberGenerator()
    _ = try alone.apply(action.plan(on: alone, using: &generator).edit.changes)
    return alone.emoji(emoji.id)
  }
}

// MARK: - Keys

extension LiveEditor {
  /// Takes a key. A text has one character: what the next one does depends on the effects of this one. See `Key.characters`.
  mutating func press(_ key: Key, center: (x: Double, y: Double)) -> [Effect] {
    message = nil
    switch phase {
    case .asking(let line): return ask(line, key, center)
    case .help:
      phase = .keys
      return key == .escape || key == .text("?") ? [.draw] : [.draw] + act(on: key)
    case .keys: return act(on: key)
    }
  }

  private mutating func act(on key: Key) -> [Effect] {
    switch key {
    case .text(let text): return text.count == 1 ? text.flatMap { type($0) } : [.bell]
    case .paste, .pastedBreak:
      message = "a paste is no key; press a first"
      return [.bell, .show]
    default: return command(key)
    }
  }

  private mutating func command(_ key: Key) -> [Effect] {
    switch key {
    case .left: return move(-step, 0)
    case .right: return move(step, 0)
    case .up: return move(0, -step)
    case .down: return move(0, step)
    case .shiftLeft: return move(-1, 0)
    case .shiftRight: return move(1, 0)
    case .shiftUp: return move(0, -1)
    case .shiftDown: return move(0, 1)
    case .tab: return select(1)
    case .backTab: return select(-1)
    case .delete, .backspace: return remove()
    case .search: return settle() + [.redo, .reveal]
    case .interrupt, .deleteOrEnd: return settle() + [.end]
    case .suspend: return settle() + [.suspend]
    case .clearScreen: return [.draw]
    case .escape: return settle()
    default: return [.bell]
    }
  }

  private mutating func type(_ character: Character) -> [Effect] {
    switch character {
    case "h": return move(-1, 0)
    case "l": return move(1, 0)
    case "k": return move(0, -1)
    case "j": return move(0, 1)
    case "+", "=": return resize(Self.growth)
    case "-", "_": return resize(1 / Self.growth)
    case "]": return turn(Self.turn)
    case "[": return turn(-Self.turn)
    case "u": return settle() + [.undo, .reveal]
    case "r": return settle() + [.redo, .reveal]
    case "d": return remove()
    case "f": return act { .order($0, .front) }
    case "b": return act { .order($0, .back) }
    case "m":
      let isMirrored = emoji?.isMirrored ?? false
      return act { .mirror($0, !isMirrored) }
    case "a":
      let effects = settle()
      phase = .asking(LineEditor())
      return effects + [.show]
    case "z": return [.view(.text("+"))]
    case "Z": return [.view(.text("-"))]
    case "0": return [.view(.text("0"))]
    case "?":
      let effects = settle()
      phase = .help
      return effects + [.show]
    case "q", "Q": return settle() + [.end]
    default: return [.bell]
    }
  }

  /// The step of an arrow in pixels: 1, 2 or 5 times a power of ten, at most a fiftieth of the canvas's longer side.
  var step: Double {
    let most = Double(max(content.canvas.width, content.canvas.height)) / 50
    var step = 1.0
    for next in [2.0, 5, 10, 20, 50, 100, 200, 500, 1_000] where next <= most { step = next }
    return step
  }
}

// MARK: - Gestures and edits

extension LiveEditor {
  private var selection: EmojiSelection? {
    guard let selected else { return nil }
    do throws(ArtError) { return .references([try Reference(selected.description)]) } catch { return nil }
  }

  private var gestureAction: Action? {
    guard let selection else { return nil }
    switch gesture {
    case nil, .move(0, 0), .turn(0): return nil
    case .move(let x, let y): return .move(selection, .by(Coordinates(x: .pixels(x), y: .pixels(y))))
    case .size(let size): return .resize(selection, .to(.pixels(size)))
    case .turn(let degrees):
      do throws(ArtError) { return .rotate(selection, .by(try Rotation(degrees: degrees))) } catch {
        return nil
      }
    }
  }

  /// Ends the gesture.
  mutating func settle() -> [Effect] {
    defer { gesture = nil }
    return gestureAction.map { [.perform($0)] } ?? []
  }

  /// Goes on with the gesture, or ends it and begins another one. A step out of bounds is refused.
  private mutating func change(_ next: Gesture, isSame: Bool) -> [Effect] {
    guard selected != nil else { return nothing() }
    let effects = isSame ? [] : settle()
    let before = gesture
    gesture = next
    guard let action = gestureAction else { return effects + [.draw] }
    do throws(ArtError) { _ = try result(action) } catch {
      (gesture, message) = (before, error.cause)
      return effects + [.show]
    }
    return effects + [.draw]
  }

  private mutating func move(_ x: Double, _ y: Double) -> [Effect] {
    guard case .move(let oldX, let oldY) = gesture else {
      return change(.move(x, y), isSame: gesture == nil) + [.reveal]
    }
    return change(.move(oldX + x, oldY + y), isSame: true) + [.reveal]
  }

  private mutating func turn(_ degrees: Double) -> [Effect] {
    guard case .turn(let old) = gesture else { return change(.turn(degrees), isSame: gesture == nil) }
    return change(.turn(old + degrees), isSame: true)
  }

  private mutating func resize(_ factor: Double) -> [Effect] {
    guard let pixels = emoji?.size.pixels else { return nothing() }
    // Whole pixels, and at least one more or less.
    let wanted = (pixels * factor).rounded()
    let size = factor > 1 ? max(wanted, pixels.rounded(.down) + 1) : min(wanted, pixels.rounded(.up) - 1)
    let isSame = if case .size = gesture { true } else { gesture == nil }
    return change(.size(size), isSame: isSame)
  }

  private mutating func act(_ action: (EmojiSelection) -> Action) -> [Effect] {
    guard let selection else { return nothing() }
    return settle() + [.perform(action(selection))]
  }

  private mutating func remove() -> [Effect] {
    let effects = act { .remove($0) }
    if selected != nil { selected = neighbour(by: 1) }
    return effects + [.reveal]
  }

  private mutating func nothing() -> [Effect] {
    message = "there is no emoji; a adds one"
    return [.show]
  }
}

// MARK: - Selection

extension LiveEditor {
  private mutating func select(_ distance: Int) -> [Effect] {
    let effects = settle()
    guard selected != nil else { return effects + nothing() }
    selected = neighbour(by: distance) ?? selected
    return effects + [.show, .reveal]
  }

  /// The emoji before or behind the selected one in the tour; nil if there is no other.
  private func neighbour(by distance: Int) -> EmojiID? {
    guard tour.count > 1, let place else { return nil }
    return tour[(place + distance + tour.count) % tour.count]
  }

  /// The emoji as a text is read: in rows from above, each from the left. An emoji is in the row that begins above it if its centre is within
  /// half of the size of that row's first one. The page has the same rule (`readingOrder`).
  static func readingOrder(_ emojis: [Emoji]) -> [Emoji] {
    let falling = emojis.sorted {
      ($0.position.y, $0.position.x, $0.id) < ($1.position.y, $1.position.x, $1.id)
    }
    var rest = falling[...]
    var result: [Emoji] = []
    while let first = rest.first {
      let row = rest.prefix { $0.position.y <= first.position.y + first.size.pixels / 2 }
      result += row.sorted { ($0.position.x, $0.position.y, $0.id) < ($1.position.x, $1.position.y, $1.id) }
      rest = rest.dropFirst(row.count)
    }
    return result
  }

  /// Selects what was added.
  mutating func select(_ id: EmojiID?) { selected = id ?? selected }

  /// Takes another content. An emoji that is gone is selected no more, and its gesture ends without an edit.
  mutating func adopt(_ new: DocumentContent) {
    let before = place
    defer { locate() }
    content = new
    tour = tour.filter { new.emoji($0) != nil }
    if tour.count < new.emojiCount {
      let known = Set(tour)
      tour += Self.readingOrder(new.emojisInOrder().filter { !known.contains($0.id) }).map(\.id)
    }
    if let selected, new.emoji(selected) != nil { return }
    if gesture != nil { message = "somebody removed it" }
    gesture = nil
    let index = before ?? tour.count - 1
    selected = tour.isEmpty ? nil : tour[min(max(index, 0), tour.count - 1)]
  }
}

// MARK: - Asking

extension LiveEditor {
  /// A key for the line in which the user types what to add.
  private mutating func ask(_ line: LineEditor, _ key: Key, _ center: (x: Double, y: Double)) -> [Effect] {
    var line = line
    guard key != .escape else {
      phase = .keys
      return [.show]
    }
    // There is no history to search. A paste is one line.
    guard key != .search else { return [.bell] }
    var effect = line.key(key == .pastedBreak ? .text(" ") : key)
    if effect == .complete {
      effect = line.complete { (_, word) in EmojiCompletion.labels(beginningWith: word).map(\.text) }
    }
    phase = .asking(line)
    switch effect {
    case .changed: return [.show]
    case .offers(let words):
      message = words.prefix(12).joined(separator: "  ") + (words.count > 12 ? "  …" : "")
      return [.show]
    case .interrupt, .end:
      phase = .keys
      return [.show]
    case .suspend: return [.suspend]
    case .line(let text):
      phase = .keys
      return add(text, center)
    case .bell, .complete, .tooLong, .clearScreen: return [.bell]
    }
  }

  private mutating func add(_ line: String, _ center: (x: Double, y: Double)) -> [Effect] {
    do throws(ArtError) {
      let texts = try EmojiText.typed(ShellWords.split(line))
      guard !texts.isEmpty else { return [.show] }
      let place = Coordinates(x: .pixels(center.x.rounded()), y: .pixels(center.y.rounded()))
      return [.perform(.add(texts, at: .at(place), size: size)), .reveal]
    } catch {
      message = error.message
      return [.show]
    }
  }
}

// MARK: - Words

extension LiveEditor {
  /// `🐝 honeybee 240,160 size 64  2 of 5`, or the line in which the user types.
  var status: String {
    guard let emoji else { return "no emoji; a adds one" }
    let number = (place ?? 0) + 1
    let text = emoji.text.isCaption ? "" : "\(emoji.text) "
    return "\(text)\(ArtWords.sentence(about: emoji))  \(number) of \(tour.count)"
  }

  /// What stands above the line in which the user types, unless there is a message.
  static let hintWhileAsking = "Enter adds, Escape cancels"

  private static let help = [
    ("Escape", "close this list"), ("q", "save and end"), ("Tab, Shift-Tab", "next, previous emoji"),
    ("arrows", "move it"),
    ("Shift-arrows, h j k l", "by 1 pixel"), ("+ -", "larger, smaller"),
    ("[ ]", "turn it by 15 degrees"),
    ("m", "mirror it"), ("f b", "to front, to back"), ("a", "add emoji, or :names:"),
    ("d, Delete", "remove it"), ("u r", "undo, redo what you did here"), ("z Z 0", "zoom in, out, all of it"),
  ]

  /// What the keys do: a line each, or one behind the other where that does not fit. An ellipsis where even that does not.
  static func help(columns: Int, rows: Int) -> [String] {
    let width = help.reduce(0) { max($0, $1.0.count) } + 2
    let lines = help.map { keys, meaning in
      keys + String(repeating: " ", count: width - keys.count) + meaning
    }
    if lines.count <= rows, lines.allSatisfy({ $0.count <= columns }) { return lines }
    var short: [String] = []
    for (keys, meaning) in help {
      let next = "\(keys): \(meaning)"
      if let last = short.last, last.count + next.count + 3 <= columns {
        short[short.count - 1] = "\(last)   \(next)"
      } else {
        short.append(next)
      }
    }
    guard short.count > rows else { return short }
    return rows > 0 ? short.prefix(rows - 1) + ["\(short[rows - 1]) …"] : []
  }
}
