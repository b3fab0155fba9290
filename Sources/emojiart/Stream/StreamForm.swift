// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import ArtTerminal
import ArtWorkspace
import Glibc

/// The form of a stream's input and output: lines of JSON, words of commands, or a prompt.
protocol StreamForm: SendableMetatype {
  /// Reads once from stdin, which is readable, and returns the complete lines; nil at the end of the input. Throws
  /// `inputOutput`.
  mutating func readLines() throws(ArtError) -> [StreamLine]?
  /// Whether complete lines are buffered.
  var hasLines: Bool { get }
  /// Whether stdin may be read.
  var mayRead: Bool { get }
  /// Milliseconds without input after which `wake` is to be called; -1 for none.
  var timeout: Int32 { get }
  /// The timeout has passed without input.
  mutating func wake()

  /// Answers an edit, an undo or a redo.
  mutating func done(_ answer: DocumentAnswer, of line: StreamLine) throws(ArtError)
  /// Answers a save.
  mutating func saved(revision: Int, unsaved: Int, of line: StreamLine) throws(ArtError)
  /// Answers with the document's content.
  mutating func show(_ snapshot: DocumentSnapshot, of line: StreamLine) throws(ArtError)
  /// Answers a request about earlier states.
  mutating func answered(_ outcome: ProtocolAnswer.Outcome, of line: StreamLine) throws(ArtError)
  /// Answers with a help text.
  mutating func help(_ text: String) throws(ArtError)
  /// Answers that a background is being fetched, or a local picture is being checked; `what` describes it.
  mutating func fetching(_ what: String, of line: StreamLine) throws(ArtError)
  /// Answers that the background was cleared, or will be fetched later.
  mutating func edited(unsaved: Int, of line: StreamLine) throws(ArtError)
  /// Answers with an error.
  mutating func failed(_ error: ArtError, _ line: StreamLine) throws(ArtError)

  /// The number of bytes of buffered answers.
  var size: Int { get }
  /// Writes the answers, then the delayed answers, then the events, in whole lines.
  mutating func write(_ late: [UInt8], with events: [UInt8]) throws(ArtError)

  /// Whether `update` is to be called.
  var showsState: Bool { get }
  /// Updates the displayed state: the snapshot, the count of unsaved edits, and whether the terminal may have
  /// changed.
  mutating func update(
    _ session: Session, _ state: DocumentState, unsaved: Int, isTerminalNew: Bool)

  /// The lines for an event of the session; empty if it is not shown.
  static func lines(of event: SessionEvent) -> [UInt8]
  /// The lines for an event of the program's life cycle.
  static func lines(of event: LifeCycleEvent) -> [UInt8]
  /// Adds the lines for an event to the outbox.
  static func report(_ event: SessionEvent, to outbox: Outbox)
  /// Adds a notice for the user about work that was done.
  static func notice(_ text: String, by outbox: Outbox)
  /// Adds the warning of a refused background of the document at a path.
  static func warn(_ warning: RefusalWarning, of path: String, by outbox: Outbox)
}

extension StreamForm {
  mutating func write(with events: [UInt8]) throws(ArtError) { try write([], with: events) }
  var hasLines: Bool { false }
  var mayRead: Bool { true }
  var timeout: Int32 { -1 }
  func wake() {}
  static func notice(_ text: String, by outbox: Outbox) { Output.printError(text) }

  static func warn(_ warning: RefusalWarning, of path: String, by outbox: Outbox) {
    notice(RefusalMessages.text(of: warning, path), by: outbox)
  }

  var showsState: Bool { false }
  func update(_ session: Session, _ state: DocumentState, unsaved: Int, isTerminalNew: Bool) {}

  static func lines(of event: LifeCycleEvent) -> [UInt8] { [] }

  static func report(_ event: SessionEvent, to outbox: Outbox) {
    let version: Int? = if case .document(let event) = event { event.version } else { nil }
    outbox.put(lines(of: event), version: version)
  }
}

// MARK: - JSON

/// The form with requests and answers in JSON Lines, as `ArtProtocol` defines them.
struct JSONForm: StreamForm {
  private var input = StreamLineReader()
  private var json = JSONWriter(reserving: 1 << 18, urls: .redacted)
  /// Whether every answer says that nothing is saved before the end.
  private let isPending: Bool
  /// Whether the answer to `show` includes what a client needs to apply effects.
  private let isFollowed: Bool

  init(isPending: Bool, isFollowed: Bool) { (self.isPending, self.isFollowed) = (isPending, isFollowed) }

  mutating func readLines() throws(ArtError) -> [StreamLine]? { try input.readLines(StreamLine.init(json:)) }

  mutating func done(_ answer: DocumentAnswer, of line: StreamLine) throws(ArtError) {
    try respond(
      ProtocolAnswer.Outcome(
        answer, isStep: line.steps != nil || line.revertedState != nil, isAboutSeveral: line.isAboutSeveral,
        isPending: isPending),
      to: line)
  }

  mutating func saved(revision: Int, unsaved: Int, of line: StreamLine) throws(ArtError) {
    try respond(.saved(revision: revision, unsaved: unsaved), to: line)
  }

  mutating func fetching(_ what: String, of line: StreamLine) throws(ArtError) {
    try respond(.fetching(what), to: line)
  }

  mutating func edited(unsaved: Int, of line: StreamLine) throws(ArtError) {
    try respond(.edited(ProtocolAnswer.Edited(unsaved: unsaved, isPending: isPending)), to: line)
  }

  mutating func show(_ snapshot: DocumentSnapshot, of line: StreamLine) throws(ArtError) {
    try respond(.document(ProtocolDocument(snapshot, hasZ: isFollowed)), to: line)
  }

  mutating func answered(_ outcome: ProtocolAnswer.Outcome, of line: StreamLine) throws(ArtError) {
    guard case .document(var document) = outcome else { return try respond(outcome, to: line) }
    document.hasZ = isFollowed
    try respond(.document(document), to: line)
  }

  /// JSON has no request for help.
  func help(_ text: String) {}

  mutating func failed(_ error: ArtError, _ line: StreamLine) throws(ArtError) {
    try respond(.failed(error), to: line)
  }

  private mutating func respond(_ outcome: ProtocolAnswer.Outcome, to line: StreamLine) throws(ArtError) {
    try ProtocolAnswer(outcome, tag: line.tag, inputLine: line.number).write(to: &json, message: \.message) {
      (piece) throws(ArtError) in
      try Output.writeAnswers(piece)
    }
    json.endLine()
  }

  var size: Int { json.bytes.count }

  /// Delayed answers are part of the events.
  mutating func write(_ late: [UInt8], with events: [UInt8]) throws(ArtError) {
    if !events.isEmpty {
      json.verbatim(events.dropLast())
      json.endLine()
    }
    defer { json.removeAll() }
    try Output.writeAnswers(json.bytes)
  }

  static func lines(of event: SessionEvent) -> [UInt8] {
    ProtocolEvent(event)?.line(message: \.message) ?? []
  }

  static func lines(of event: LifeCycleEvent) -> [UInt8] { ProtocolEvent.lifeCycle(event).line() }

  /// The event `rejected` answers a request, so nothing more is said of it.
  static func warn(_ warning: RefusalWarning, of path: String, by outbox: Outbox) {
    if !warning.isAnswered { notice(RefusalMessages.text(of: warning, path), by: outbox) }
  }
}

extension Output {
  /// Writes at once. Throws `brokenPipe` when the reader has gone.
  static func writeAnswers(_ bytes: [UInt8]) throws(ArtError) {
    if let number = write(bytes[...], to: 1) { throw .notWritten(to: "stdout", number) }
  }
}

// MARK: - Words

/// The form with the words of commands, without `emojiart` and the document. Answers are the output of the commands,
/// and errors are lines on stderr.
struct WordForm: StreamForm {
  private let document: StreamDocument
  private var input = StreamLineReader()

  init(_ document: StreamDocument) { self.document = document }

  private var path: String { document.path }

  mutating func readLines() throws(ArtError) -> [StreamLine]? {
    let document = document
    return try input.readLines { StreamLine(words: $0, of: document) }
  }

  mutating func done(_ answer: DocumentAnswer, of line: StreamLine) throws(ArtError) {
    if let state = line.revertedState {
      try Revert.write(
        answer.entries.last, lost: answer.lostBackgrounds, at: state, of: DocumentName.withoutEnding(path))
    } else if let (direction, count) = line.steps {
      let notes =
        direction.notes(answer.entries, of: count, left: answer.left)
        + answer.lostBackgrounds.map { $0.background.lossText(isPending: $0.isPending) }
      if !notes.isEmpty { try Output.flush() }
      for note in notes { Output.printError(note) }
      for entry in answer.entries { try Output.line(safe(entry.title)) }
    } else if let words = line.describe {
      let notices = line.mistakes.map(\.message) + (answer.offCanvas.notice.map { [$0] } ?? [])
      if !notices.isEmpty { try Output.flush() }
      for notice in notices { Output.printError(notice) }
      for emoji in answer.emojis { try Output.line(words(emoji)) }
    }
  }

  mutating func saved(revision: Int, unsaved: Int, of line: StreamLine) throws(ArtError) {
    try Output.line("saved: revision \(revision)")
  }

  mutating func fetching(_ what: String, of line: StreamLine) throws(ArtError) {
    try Output.line("fetching \(safe(what))")
  }

  mutating func edited(unsaved: Int, of line: StreamLine) {}

  mutating func show(_ snapshot: DocumentSnapshot, of line: StreamLine) throws(ArtError) {
    if case .history(let most) = line.request {
      return try History.write(snapshot.content.log.reversed().prefix(most ?? .max))
    }
    try Show.write(snapshot.content, of: path)
  }

  mutating func answered(_ outcome: ProtocolAnswer.Outcome, of line: StreamLine) throws(ArtError) {
    switch outcome {
    case .document(let document): try Show.write(document.content, of: path)
    case .versions(let versions, _):
      guard case .earlier(let request) = line.request, request.body != .versions else {
        return try VersionCommand.write(versions)
      }
      let isRemoved = if case .removeVersion = request.body { true } else { false }
      for version in versions { try Output.line(VersionCommand.line(version, isRemoved: isRemoved)) }
    case .edited, .stepped, .saved, .fetching, .failed: break
    }
  }

  mutating func help(_ text: String) throws(ArtError) { try Output.line(text) }

  mutating func failed(_ error: ArtError, _ line: StreamLine) throws(ArtError) {
    try Output.flush()
    Output.printError((line.number.map { "line \($0): " } ?? "") + error.messageInStream)
  }

  /// Output is buffered by `Output`.
  var size: Int { 0 }

  mutating func write(_ late: [UInt8], with events: [UInt8]) throws(ArtError) {
    try Output.write(late)
    try Output.flush()
    if !events.isEmpty { Output.writeError(String(decoding: events, as: UTF8.self)) }
  }

  /// Only events that a user has to know.
  static func lines(of event: SessionEvent) -> [UInt8] {
    switch event {
    case .document(.state(.error)), .document(.dropped), .document(.renamed), .degraded, .watching:
      Array("emojiart: \(safe(StreamMessages.text(of: event)))\n".utf8)
    case .background(let background):
      if case .failed = background.outcome {
        Array("emojiart: \(safe(StreamMessages.text(of: event)))\n".utf8)
      } else {
        []
      }
    case .document, .warning, .rescanned, .moved, .removed: []
    }
  }

  static func report(_ event: SessionEvent, to outbox: Outbox) {
    if case .background(let background) = event, case .set = background.outcome, background.isRequested {
      return outbox.putLate(Array("\(safe(StreamMessages.text(of: event)))\n".utf8))
    }
    outbox.put(lines(of: event))
  }
}

extension DocumentAnswer {
  /// The backgrounds that are not back.
  fileprivate var lostBackgrounds: [UndoRun.LostBackground] {
    lost.map { UndoRun.LostBackground($0, pending: pending) }
  }

  /// The pending background after these edits.
  private var pending: PendingBackground? {
    for entry in entries.reversed() {
      for case .setPending(let pending) in entry.edit.changes.reversed() { return pending }
    }
    return nil
  }
}

// MARK: - Prompt

/// The form with the words of commands at a prompt on a terminal. The prompt shows the state of the document, and
/// edits by others appear above it.
struct PromptForm: StreamForm {
  private var words: WordForm
  private let document: StreamDocument
  private let name: String
  private let terminal: TerminalMode
  private var prompt: Prompt
  /// Whether the terminal is in raw mode and in our hands.
  private var hasTerminal = false
  private var hasKeys = false
  private var isOver = false
  /// For completion.
  private let opened = Opened()

  private final class Opened {
    var session: Session?

    var content: DocumentContent? {
      session.map { session in Outcome { await session.snapshot.content }.wait() }
    }
  }

  init(_ document: StreamDocument, terminal: TerminalMode) {
    let opened = opened
    words = WordForm(document)
    self.document = document
    name = DocumentName.withoutEnding(FilePath(document.path).name)
    self.terminal = terminal
    prompt = Prompt(
      status: "\(name)>", columns: terminal.columns, history: Self.history,
      candidates: { words, word in StreamCommands.candidates(after: words, of: word, in: opened.content) }
    ) { bytes in
      // On failure the terminal is gone, and the next read reports that.
      _ = Output.write(bytes[...], to: 1)
    }
  }

  /// The history in the state folder; nil if it cannot be created.
  private static var history: HistoryFile? {
    do throws(ArtError) {
      return HistoryFile(path: try StateFolder.create() + "/history")
    } catch {
      Output.printError("\(error.message); lines are kept for this session only")
      return nil
    }
  }

  /// Returns one line at a time, so that each is answered before the next line of a paste is shown.
  mutating func readLines() throws(ArtError) -> [StreamLine]? {
    if !hasKeys {
      var bytes = [UInt8](repeating: 0, count: 4_096)
      let count = read(0, &bytes, bytes.count)
      // A terminal that was closed reports EIO.
      guard count > 0 || count < 0 && (errno == EINTR || errno == EAGAIN) else { return nil }
      prompt.feed(bytes[..<max(0, count)])
    }
    hasKeys = true
    switch prompt.next() {
    case .line(let line):
      return StreamLine(words: line, of: document).map { [$0] } ?? []
    case .interrupt, .end:
      prompt.hide()
      hasTerminal = false
      isOver = true
      return [StreamLine(request: .quit)]
    case .suspend:
      // Until the process was stopped and continues.
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
  var timeout: Int32 { hasTerminal ? prompt.pause : 200 }

  mutating func wake() {
    if hasTerminal { prompt.settle() } else { enter() }
  }

  /// Enters raw mode. A program in the background has no terminal, and there is no signal when it comes to the
  /// foreground.
  private mutating func enter() {
    guard !isOver else { return }
    do throws(ArtError) {
      hasTerminal = try terminal.enter()
      guard hasTerminal else { return }
      prompt.resize(columns: terminal.columns)
      prompt.redraw()
    } catch {
      Output.printError(error.message)
      // The next read reports that the terminal is gone.
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

  mutating func show(_ snapshot: DocumentSnapshot, of line: StreamLine) throws(ArtError) {
    try words.show(snapshot, of: line)
  }

  mutating func answered(_ outcome: ProtocolAnswer.Outcome, of line: StreamLine) throws(ArtError) {
    try words.answered(outcome, of: line)
  }

  mutating func help(_ text: String) throws(ArtError) { try words.help(text) }

  mutating func failed(_ error: ArtError, _ line: StreamLine) throws(ArtError) {
    try words.failed(error, line)
  }

  var size: Int { 0 }

  mutating func write(_ late: [UInt8], with events: [UInt8]) throws(ArtError) {
    try words.write(with: [])
    let text = String(decoding: (late + events).dropLast(), as: UTF8.self)
    if !text.isEmpty { prompt.printAbove(text) }
  }

  var showsState: Bool { true }

  mutating func update(
    _ session: Session, _ state: DocumentState, unsaved: Int, isTerminalNew: Bool
  ) {
    opened.session = session
    let count = unsaved == 0 ? "" : "* (\(unsaved) unsaved)"
    switch state {
    case .open, .closed: prompt.status = "\(name)\(count)>"
    case .saving: prompt.status = "\(name)\(count) saving>"
    case .error: prompt.status = "\(name)\(count) not saved>"
    case .editingDisabled: prompt.status = "\(name) (read-only)>"
    }
    if isTerminalNew { enter() }
  }

  static func lines(of event: SessionEvent) -> [UInt8] {
    let text: String
    if case .background(let background) = event, case .rejected(let refusal) = background.outcome {
      // A prompt has no exit status, so a requested background is always answered.
      text = background.isRequested ? "background refused: \(refusal.detail)" : ""
    } else {
      text = StreamMessages.text(of: event)
    }
    return text.isEmpty ? [] : Array("\(text)\n".utf8)
  }

  static func notice(_ text: String, by outbox: Outbox) { outbox.put(Array("\(text)\n".utf8)) }
}

// MARK: - Messages

/// Events of an open document as text.
enum StreamMessages {
  /// One or more lines; empty for what a prompt shows in another way.
  static func text(of event: SessionEvent) -> String {
    switch event {
    case .document(let event): text(of: event)
    case .background(let event):
      switch event.outcome {
      case .set(let background, _):
        "background set: \(background.mediaType), \(background.size.width)x\(background.size.height)"
      case .rejected(let refusal): ArtError.refused(refusal).message
      case .failed(let error): "no background: \(error.message)"
      }
    case .degraded(let reason): "others' edits are heard of every two seconds: \(reason)"
    case .watching: "others' edits are heard of at once again"
    case .warning, .rescanned, .moved, .removed: ""
    }
  }

  private static func setAside(_ edits: Int, _ files: [String]) -> String {
    let what =
      edits == 0
      ? "another program has replaced the document; what was saved before"
      : "another program has replaced the document, and it lacks \(edits == 1 ? "1 edit" : "\(edits) edits") of yours; what was saved before"
    guard !files.isEmpty else { return what + " could not be kept" }
    let words = files.map { ArtError.Remedy.shellWord($0) }.joined(separator: " ")
    return what + " is in \(words): `emojiart merge` brings it in"
  }

  private static func text(of event: DocumentEvent) -> String {
    switch event {
    case .saved, .state(.open), .state(.saving), .state(.closed): ""
    case .state(.error(let error)): "not saved: \(error.message)"
    case .state(.editingDisabled(let reason)): "it cannot be edited: \(reason)"
    case .changed(let change) where change.cause.isOwn: ""
    case .changed(let change) where !change.isComplete: "others changed much; `show` shows the document"
    case .changed(let change):
      change.edits.map { "\($0.author ?? "\($0.id.origin)"): \($0.title)" }.joined(separator: "\n")
    case .dropped(_, let changes):
      changes.count == 1
        ? "1 change of yours was left out: another program removed its emoji"
        : "\(changes.count) changes of yours were left out: another program removed their emoji"
    case .setAside(let edits, let files): setAside(edits, files)
    case .renamed(let old, let new): "\(old) is now \(new): another program had added an emoji with that id"
    case .repeated: "another program had made the same edit for this session"
    case .resync: "much happened meanwhile; `show` shows the document"
    }
  }
}
