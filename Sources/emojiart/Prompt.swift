// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal

/// An action of the user at the prompt.
enum PromptEvent: Equatable {
  case line(String)
  /// Ctrl-C on an empty line; on any other line it clears the line.
  case interrupt
  /// Ctrl-D on an empty line. The prompt is hidden.
  case end
  /// Ctrl-Z. The prompt is hidden.
  case suspend
}

/// One row at the bottom of the terminal in which the user types a line, while other lines appear above it.
///
/// It neither reads nor waits. Its owner reads, calls `feed`, and then calls `next` until it returns nil; so each
/// line of a paste can be answered before the next one is shown.
struct Prompt {
  /// The maximum number of candidates shown at once.
  private static let offerLimit = 50

  /// The text before the line, such as `bees* (3 unsaved)>`.
  var status: String { didSet { if isShown, status != oldValue { redraw() } } }

  private var decoder = KeyDecoder()
  private var keys: ArraySlice<Key> = []
  private var editor: LineEditor
  private var view: LineView
  private var historyFile: HistoryFile?
  private var isShown = false
  private let candidates: ([String], String) -> [String]
  private let write: ([UInt8]) -> Void

  /// Draws nothing before `redraw`, except a notice when the history cannot be read. `candidates` receives the words
  /// before the cursor's word and the typed part of that word, and returns whole words.
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

  /// Feeds bytes read from the terminal.
  mutating func feed(_ bytes: ArraySlice<UInt8>) { keys += decoder.decode(bytes) }

  /// The next event; nil when all bytes are consumed. Draws changes.
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

  /// How long more bytes of a key that has begun are waited for before `settle`, in milliseconds; -1 where none has.
  var pause: Int32 { decoder.pause.map { Int32($0 / .milliseconds(1)) } ?? -1 }

  /// Drops an incomplete key sequence, such as a single Escape.
  mutating func settle() { decoder.settle() }

  /// Writes one or more lines in place of the prompt, and redraws the prompt below them.
  mutating func printAbove(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      safe(String($0)) + "\r\n"
    }
    put((isShown ? "\r\u{1B}[J" : "") + lines.joined())
    if isShown { redraw() }
  }

  /// Draws the prompt.
  mutating func redraw() {
    isShown = true
    put(view.drawing(status: editor.searchLabel ?? status, text: editor.text, cursor: editor.cursor))
  }

  /// Hides the prompt. The typed text is kept, and reappears with `redraw`.
  mutating func hide() {
    if isShown { put("\r\u{1B}[J") }
    isShown = false
  }

  /// Adapts to a new width of the terminal.
  mutating func resize(columns: Int) {
    view.columns = columns
    if isShown { redraw() }
  }

  /// Leaves the entered line on the screen, and adds it to the history.
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
    let rows = LineView.inColumns(words.prefix(Self.offerLimit).map { safe($0) }, view.columns)
    printAbove((rows + (more > 0 ? ["and \(more) more"] : [])).joined(separator: "\n"))
  }

  private func put(_ text: String) { write(Array(text.utf8)) }
}
