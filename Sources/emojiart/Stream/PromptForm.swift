// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtTerminal
import ArtWorkspace
import Glibc

/// The words of the commands, typed at a prompt on a terminal. The prompt says in which state the document is; what
/// others do appears above it.
struct PromptForm: StreamForm {
  private var words: WordForm
  private let name: String
  private let terminal: TerminalMode
  private var prompt: Prompt
  /// Whether the terminal gives each key, and is ours.
  private var hasTerminal = false
  private var hasKeys = false
  private var isOver = false
  /// For completion.
  private let opened = Opened()

  private final class Opened {
    var document: Document?

    var content: DocumentContent? {
      document.map { document in Outcome { await document.content }.wait() }
    }
  }

  /// `path` is what the document is called.
  init(path: String, terminal: TerminalMode) {
    let opened = opened
    words = WordForm(path: path)
    name = String(FilePath(path).name.dropLast(path.hasSuffix(".emojiart") ? ".emojiart".count : 0))
    self.terminal = terminal
    prompt = Prompt(
      status: "\(name)>", columns: terminal.columns, history: Self.history,
      candidates: { words, word in StreamWords.candidates(after: words, of: word, in: opened.content) }
    ) { bytes in
      // When this fails the terminal is gone, which reading from it tells.
      _ = Output.write(bytes[...], to: 1)
    }
  }

  /// In the state folder; none where that cannot be made.
  private static var history: HistoryFile? {
    do throws(ArtError) {
      return HistoryFile(path: try StateFolder.made() + "/history")
    } catch {
      Output.complain("\(error.message); lines are kept for this session only")
      return nil
    }
  }

  /// One line at a time: each is answered before the next one of a paste is shown.
  mutating func take() throws(ArtError) -> [StreamLine]? {
    if !hasKeys {
      var bytes = [UInt8](repeating: 0, count: 4_096)
      let count = read(0, &bytes, bytes.count)
      // A terminal that has gone away says EIO.
      guard count > 0 || count < 0 && (errno == EINTR || errno == EAGAIN) else { return nil }
      prompt.feed(bytes[..<max(0, count)])
    }
    hasKeys = true
    switch prompt.next() {
    case .line(let line):
      return StreamLine(words: line).map { [$0] } ?? []
    case .interrupt, .end:
      prompt.hide()
      hasTerminal = false
      isOver = true
      return [StreamLine(request: .quit)]
    case .suspend:
      // Until the process is stopped and goes on.
      hasTerminal = false
      kill(0, SIGTSTP)
      return []
    case nil:
      hasKeys = false
      return []
    }
  }

  var hasLines: Bool { hasKeys && hasTerminal }
  var mayRead: Bool { hasTerminal }
  var timeout: Int32 { hasTerminal ? prompt.isUndecided ? 50 : -1 : 200 }

  mutating func wake() {
    if hasTerminal { prompt.settle() } else { enter() }
  }

  /// A program in the background has no terminal; nobody says when it comes to the front.
  private mutating func enter() {
    guard !isOver else { return }
    do throws(ArtError) {
      hasTerminal = try terminal.enter()
      guard hasTerminal else { return }
      prompt.resize(columns: terminal.columns)
      prompt.redraw()
    } catch {
      Output.complain(error.message)
      // Reading from it will tell that it is over.
      hasTerminal = true
    }
  }

  mutating func done(_ answer: DocumentAnswer, of line: StreamLine) throws(ArtError) {
    try words.done(answer, of: line)
  }

  mutating func saved(revision: Int, unsaved: Int, of line: StreamLine) throws(ArtError) {
    try words.saved(revision: revision, unsaved: unsaved, of: line)
  }

  mutating func fetching(_ what: String, of line: StreamLine) throws(ArtError) {
    try words.fetching(what, of: line)
  }

  mutating func edited(unsaved: Int, of line: StreamLine) { words.edited(unsaved: unsaved, of: line) }

  mutating func show(_ snapshot: DocumentSnapshot, unsaved: Int, of line: StreamLine) throws(ArtError) {
    try words.show(snapshot, unsaved: unsaved, of: line)
  }

  mutating func help(_ text: String) throws(ArtError) { try words.help(text) }

  mutating func failed(_ error: ArtError, _ line: StreamLine) throws(ArtError) {
    try words.failed(error, line)
  }

  var size: Int { 0 }

  mutating func write(_ late: [UInt8], with news: [UInt8]) throws(ArtError) {
    try words.write(with: [])
    let text = String(decoding: (late + news).dropLast(), as: UTF8.self)
    if !text.isEmpty { prompt.printAbove(text) }
  }

  var showsState: Bool { true }

  mutating func update(
    _ document: Document, _ state: DocumentState, unsaved: Int, isTerminalNew: Bool
  ) {
    opened.document = document
    let count = unsaved == 0 ? "" : "* (\(unsaved) unsaved)"
    switch state {
    case .open, .closed: prompt.status = "\(name)\(count)>"
    case .saving: prompt.status = "\(name)\(count) saving>"
    case .error: prompt.status = "\(name)\(count) not saved>"
    case .editingDisabled: prompt.status = "\(name) (read-only)>"
    }
    if isTerminalNew { enter() }
  }

  static func news(of event: DocumentEvent) -> [UInt8] {
    let text = StreamNews.text(of: event)
    return text.isEmpty ? [] : Array("\(text)\n".utf8)
  }

  static func news(of event: LifeCycleEvent) -> [UInt8] { [] }

  static func news(of event: DocumentWatch.Event) -> [UInt8] { Array("\(StreamNews.text(of: event))\n".utf8) }

  static func tell(_ event: DocumentBackgrounds.Event, by outbox: Outbox) {
    switch event.outcome {
    // A prompt has no exit status: what was asked for is answered, warned of or not.
    case .rejected(let refusal) where event.isRequested:
      outbox.put(Array("background refused: \(refusal.reason.rawValue)\n".utf8))
    case .rejected: break
    case .set, .failed: outbox.put(Array("\(StreamNews.text(of: event))\n".utf8))
    }
  }

  static func notice(_ text: String, by outbox: Outbox) { outbox.put(Array("\(text)\n".utf8)) }
}
