// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal

/// What a person did at the prompt.
enum PromptEvent: Equatable {
  case line(String)
  /// Ctrl-C where nothing is typed; else it clears the line.
  case interrupt
  /// Ctrl-D where nothing is typed. The prompt is hidden.
  case end
  /// Ctrl-Z. The prompt is hidden.
  case suspend
}

/// One row at the bottom of the terminal in which a line is typed, while other lines appear above it.
///
/// It neither reads nor waits: its owner reads, calls `feed`, then `next` until there is no event, and so can answer
/// a line before the next one of a paste is shown.
struct Prompt {
  /// How many candidates are shown at once.
  private static let offerLimit = 50

  /// What stands before the line, such as `bees* (3 unsaved)>`.
  var status: String { didSet { if isShown, status != oldValue { redraw() } } }

  private var decoder = KeyDecoder()
  private var keys: ArraySlice<Key> = []
  private var editor: LineEditor
  private var view: LineView
  private var historyFile: HistoryFile?
  private var isShown = false
  private let candidates: ([String], String) -> [String]
  private let write: ([UInt8]) -> Void

  /// Nothing is shown before `redraw`, but a notice when the history cannot be read. `candidates` gets the words
  /// before the one at the cursor and that word as far as it is typed, and gives whole words.
  init(
    status: String, columns: Int, history: HistoryFile?,
    candidates: @escaping (_ words: [String], _ word: String) -> [String],
    write: @escaping ([UInt8]) -> Void
  ) {
    (self.status, self.candidates, self.write) = (status, candidates, write)
    (view, historyFile, editor) = (LineView(columns: columns), history, LineEditor())
    do throws(ArtError) {
      editor = LineEditor(history: try history?.load() ?? [])
    } catch {
      giveUpHistory(error)
    }
  }

  /// Bytes that were read from the terminal.
  mutating func feed(_ bytes: ArraySlice<UInt8>) { keys += decoder.decode(bytes) }

  /// The next event; nil when what was fed is used up. Draws what changed.
  mutating func next() -> PromptEvent? {
    var isChanged = !isShown
    while let key = keys.popFirst() {
      let effect = editor.key(key)
      switch effect == .complete ? editor.complete(from: candidates) : effect {
      case .changed: isChanged = true
      case .bell, .complete: put("\u{7}")
      case .offers(let words): offer(words)
      case .tooLong:
        printAbove("a line has at most \(LineEditor.byteLimit) bytes; this one was dropped")
        isChanged = true
      case .clearScreen:
        put("\u{1B}[H\u{1B}[2J")
        redraw()
      case .line(let line):
        leave(line)
        return .line(line)
      case .interrupt:
        if isChanged { redraw() }
        return .interrupt
      case .end:
        hide()
        return .end
      case .suspend:
        hide()
        return .suspend
      }
    }
    if isChanged { redraw() }
    return nil
  }

  /// Whether the last bytes may be the beginning of a key: when no more come for 50 ms, call `settle`.
  var isUndecided: Bool { decoder.isUndecided }

  /// Drops the beginning of a key that nothing followed, such as Escape.
  mutating func settle() { decoder.settle() }

  /// Writes a line, or several, where the prompt is, and the prompt below.
  mutating func printAbove(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      safe(String($0)) + "\r\n"
    }
    put((isShown ? "\r\u{1B}[J" : "") + lines.joined())
    if isShown { redraw() }
  }

  /// Shows the prompt.
  mutating func redraw() {
    isShown = true
    put(view.drawing(status: status, text: editor.text, cursor: editor.cursor))
  }

  /// Takes the prompt away; what is typed stays, and comes back with `redraw`.
  mutating func hide() {
    if isShown { put("\r\u{1B}[J") }
    isShown = false
  }

  /// The terminal has another width.
  mutating func resize(columns: Int) {
    view.columns = columns
    if isShown { redraw() }
  }

  /// Leaves the entered line standing, and remembers it.
  private mutating func leave(_ line: String) {
    let text = Array(line)
    put(view.drawing(status: status, text: text, cursor: text.count) + "\r\n")
    isShown = false
    guard editor.remember(line) else { return }
    do throws(ArtError) { try historyFile?.append(line) } catch { giveUpHistory(error) }
  }

  private mutating func giveUpHistory(_ error: ArtError) {
    historyFile = nil
    printAbove(error.message)
  }

  private mutating func offer(_ words: [String]) {
    let more = words.count - Self.offerLimit
    let shown = words.prefix(Self.offerLimit).joined(separator: "  ")
    printAbove(more > 0 ? "\(shown)  and \(more) more" : shown)
  }

  private func put(_ text: String) { write(Array(text.utf8)) }
}
