// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtTerminal
import ArtWorkspace
import Glibc
import Synchronization

/// Follows a document on the screen until the program is ended. One thread waits for events, and draws:
///
///     WatchedFolder ──events──▶ WatchInbox ──┐ wakeup        with --edit: a Session's events, and its edits
///     LiveSignals ───────────────────────────┼──▶ LiveView ──▶ a drawing task ──wakeup──▶ LiveScreen ──▶ stdout
///     stdin ──▶ KeyDecoder ──────────────────┘
///
/// One drawing is made at a time; later changes are drawn when it is complete. A drawing is cancelled for a newer
/// change, but never two in a row, so that the screen is updated however fast edits and keys arrive. A drawing for
/// another size of the terminal is always cancelled.
struct LiveShow {
  private struct Drawing {
    let outcome: Outcome<Result<TerminalArt, DrawingFailure>>
    let task: Task<Result<TerminalArt, DrawingFailure>, Never>
    let terminal: TerminalSize
  }

  private let file: DocumentFile
  private let font: String?
  private let graphics: Graphics
  private let cell: TerminalAnswers.Cell?
  private let mode: TerminalMode
  private let inbox: WatchInbox
  private let signals: LiveSignals
  private let output = TerminalOutput()

  private var view: LiveView
  private var content: DocumentContent
  private var scene: DrawingScene
  /// The document as it is edited; nil while it is only followed.
  private var editing: LiveEditing?
  /// When a pause ends the gesture.
  private var gestureEnd: ContinuousClock.Instant?
  private var keys = KeyDecoder()
  private var errorMessage: String?
  private var degraded: String?
  private var art: TerminalArt?
  /// The part of the canvas that is being drawn, or was.
  private var drawn: CanvasRect?
  private var drawing: Drawing?
  /// Whether the current drawing may be cancelled: the last one was shown.
  private var mayCancel = true
  private var isStale = true
  /// Whether the screen is shown: not while the program is in the background.
  private var isShown = false
  /// Whether the document must be read again soon.
  private var isLate = false

  /// Follows a document on a terminal that was queried already. Throws the errors of reading, and `inputOutput`.
  init(
    _ file: DocumentFile, _ mode: TerminalMode, _ graphics: Graphics, _ cell: TerminalAnswers.Cell?,
    _ part: ViewOptions.View, font: String?
  ) throws(ArtError) {
    (self.file, self.mode, self.graphics, self.cell, self.font) = (file, mode, graphics, cell, font)
    let document = try DocumentView(file, recovery: .silent)
    (content, scene) = (document.content, document.scene)
    view = try LiveView(content.canvas, on: Self.size(cell), part)
    inbox = try WatchInbox()
    signals = try LiveSignals(inbox.wakeup, mode)
  }

  private static func size(_ cell: TerminalAnswers.Cell?) -> TerminalSize {
    var size = TerminalSize.now(nil)
    size.cell = size.cell ?? cell
    return size
  }

  /// Runs until the user or a signal ends it, and restores the terminal.
  mutating func run(in folder: WatchedFolder) throws(ArtError) {
    let (events, inbox) = (folder.events, inbox)
    Task.detached { for await event in events { await inbox.put(event, from: 0) } }
    do throws(ArtError) {
      try follow()
    } catch {
      leave()
      throw error
    }
    leave()
    drawing?.task.cancel()
    _ = drawing?.outcome.wait(atMost: .seconds(1))
    Outcome { await folder.close() }.wait()
  }

  /// Edits the document until the user or a signal ends that, saves it, and restores the terminal. Throws when it could not be saved.
  mutating func run(editing file: DocumentFile) throws(ArtError) {
    editing = try LiveEditing(file, inbox.wakeup)
    do throws(ArtError) {
      try follow()
    } catch {
      leave()
      try editing?.end()
      throw error
    }
    perform(editing?.editor.settle() ?? [])
    leave()
    drawing?.task.cancel()
    _ = drawing?.outcome.wait(atMost: .seconds(1))
    try editing?.end()
  }

  private mutating func follow() throws(ArtError) {
    // Include the changes between the first read and the start of the watch.
    reload()
    try enter()
    while true {
      beginDrawing()
      try wait()
      inbox.wakeup.clear()
      for number in signals.drain() where try !handle(number) { SignalSource.die(of: number) }
      apply(inbox.drain())
      receiveDrawing()
      if try readKeys() == .end { return }
      endGesture()
    }
  }

  private func wait() throws(ArtError) {
    var ready = [
      pollfd(fd: inbox.wakeup.readEnd, events: Int16(POLLIN), revents: 0),
      pollfd(fd: isShown ? 0 : -1, events: Int16(POLLIN), revents: 0),
    ]
    let pause = gestureEnd.map { max(Int32(($0 - .now) / .milliseconds(1)), 0) + 1 }
    let timeout: Int32 = keys.isUndecided ? 50 : pause ?? (isLate ? 250 : -1)
    poll(&ready, nfds_t(ready.count), timeout)
  }
}

// MARK: - Screen and signals

extension LiveShow {
  /// Enters the screen, unless the program is in the background.
  private mutating func enter() throws(ArtError) {
    let wasShown = isShown
    isShown = try mode.enter()
    guard isShown else { return }
    // After a SIGSTOP the screen is still entered.
    if !wasShown { try put(Array(LiveScreen.enter.utf8)) }
    _ = view.resize(Self.size(cell))
    isStale = true
    show()
  }

  private mutating func leave() {
    guard isShown else { return }
    isShown = false
    output.writeLast(LiveScreen.leave)
    mode.restore()
  }

  /// Handles a signal. Returns false for one that ends the program, after restoring the terminal.
  private mutating func handle(_ number: Int32) throws(ArtError) -> Bool {
    switch number {
    case SIGWINCH:
      if view.resize(Self.size(cell)) == .draw { isStale = true }
    case SIGTSTP: try suspend()
    case SIGCONT:
      // The program may continue in the background, or another program may have used the terminal.
      try enter()
    default:
      perform(editing?.editor.settle() ?? [])
      let failure = editing?.endInTime()
      leave()
      if let failure { Output.printError(failure) }
      return false
    }
    return true
  }

  private mutating func suspend() throws(ArtError) {
    if editing != nil { perform(editing?.editor.settle() ?? []) }
    guard let editing else {
      leave()
      SignalSource.stopWithoutOpenFiles()
      return try enter()
    }
    editing.pause()
    leave()
    signal(SIGTSTP, SIG_DFL)
    SignalSource.stop()
    editing.goOn()
    try enter()
  }

  private func put(_ bytes: [UInt8]) throws(ArtError) {
    // An urgent signal interrupts the write: the screen is redrawn, or the program ends.
    _ = try output.write(bytes, unless: { signals.isUrgent })
  }

  /// Reads pending input.
  private mutating func readKeys() throws(ArtError) -> LiveView.Effect {
    guard isShown else { return .nothing }
    var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    guard poll(&input, 1, 0) == 1 else {
      keys.settle()
      return .nothing
    }
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = read(0, &buffer, buffer.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return .nothing }
    // The terminal is gone.
    guard count > 0 else { return .end }
    for key in keys.decode(buffer[..<count]) {
      guard editing == nil else {
        if try edit(key) == .end { return .end }
        continue
      }
      switch view.press(key) {
      case .nothing: break
      case .draw: isStale = true
      case .suspend: try suspend()
      case .end: return .end
      }
    }
    return .nothing
  }
}

// MARK: - Document and drawings

extension LiveShow {
  private mutating func apply(_ batch: WatchInbox.Batch) {
    for (_, event) in batch.events {
      if case .degraded(let reason) = event { degraded = reason }
    }
    if editing?.hasNews() == true { adopt() }
    if editing == nil, !batch.events.isEmpty || isLate { reload() }
  }

  /// Reads the document again. On an error the last content stays, and the error is shown.
  private mutating func reload() {
    guard editing == nil else { return adopt() }
    do throws(ArtError) {
      let new = try DocumentView(file, recovery: .silent)
      isLate = false
      if errorMessage != nil || new.content != content { isStale = true }
      (content, scene, errorMessage) = (new.content, new.scene, nil)
      view.adopt(new.content.canvas)
    } catch {
      let isBusy = error.code == .busy
      // The file is being written, or its stamp is inconclusive: a later event is not certain.
      isLate = isBusy || !((try? file.stamp())?.isConclusive ?? true)
      if !isBusy, errorMessage != error.message {
        errorMessage = error.message
        show()
      }
    }
  }

  /// Starts a drawing if something has changed.
  private mutating func beginDrawing() {
    guard isStale, isShown else { return }
    if let drawing {
      guard mayCancel || drawing.terminal != view.terminal else { return }
      mayCancel = false
      return drawing.task.cancel()
    }
    isStale = false
    let placement: ArtPlacement
    do throws(ArtError) {
      placement = try ArtPlacement(view.viewport, in: view.room, graphics)
    } catch {
      errorMessage = error.message
      return show()
    }
    let (scene, graphics, font, wakeup) = (scene, graphics, font, inbox.wakeup)
    drawn = view.viewport.visible
    let task = Task.detached { () -> Result<TerminalArt, DrawingFailure> in
      do throws(DrawingFailure) {
        return .success(try await TerminalArt.drawn(scene, placement, graphics, font: font))
      } catch {
        return .failure(error)
      }
    }
    drawing = Drawing(
      outcome: Outcome({ await task.value }, done: { wakeup.wake() }), task: task, terminal: view.terminal)
  }

  /// Shows a completed drawing.
  private mutating func receiveDrawing() {
    guard let over = drawing, let result = over.outcome.now else { return }
    drawing = nil
    // A cancelled drawing is started again.
    guard case .success(let new) = result, over.terminal == view.terminal else { return }
    (art, mayCancel) = (new, true)
    show()
  }

  private func show() {
    guard isShown else { return }
    let count = content.emojiCount == 0 ? "no emoji" : "\(content.emojiCount) emoji"
    let isCompact = view.terminal.sizeClass == .compact
    let more =
      isCompact
      ? "" : "  \(content.canvas.width) x \(content.canvas.height), \(count), revision \(content.revision)"
    let hint = isCompact ? "q + - 0" : "q quits   + - 0 zoom   arrows scroll"
    let below = errorMessage ?? art?.notices.first ?? degraded ?? hint
    var bytes = LiveScreen.bytes(
      title: "\(file.path)\(more)  \(view.percent)\(editing.map { "  \($0.state)" } ?? "")", art,
      below: editing.map { $0.editor.message ?? errorMessage ?? $0.editor.status } ?? below,
      on: view.terminal, graphics)
    if let editing { bytes += marks(editing.editor) }
    // On failure the terminal is gone; a signal or the end of stdin follows.
    do throws(ArtError) { try put(bytes) } catch {}
  }
}

// MARK: - Editing

extension LiveShow {
  /// How long a gesture waits for its next key.
  private static let pause = Duration.milliseconds(400)

  private mutating func edit(_ key: Key) throws(ArtError) -> LiveView.Effect {
    let effects = editing?.editor.press(key, center: view.viewport.center) ?? []
    gestureEnd = editing?.editor.hasGesture == true ? .now + Self.pause : nil
    perform(effects)
    if effects.contains(.suspend) { try suspend() }
    return effects.contains(.end) ? .end : .nothing
  }

  private mutating func endGesture() {
    guard let end = gestureEnd, end <= .now else { return }
    gestureEnd = nil
    perform(editing?.editor.settle() ?? [])
  }

  /// Performs what the editor wants, up to the end or a stop, which are the caller's.
  private mutating func perform(_ effects: [LiveEditor.Effect]) {
    guard !effects.isEmpty else { return }
    for effect in effects {
      switch effect {
      case .draw, .show, .suspend, .end: break
      case .view(let key): if view.press(key) == .draw { isStale = true }
      case .bell: put("\u{7}")
      case .perform(let action): editing?.perform(.action(action))
      case .undo: editing?.perform(.undo(1))
      case .redo: editing?.perform(.redo(1))
      }
    }
    adopt()
  }

  /// Takes the session's content, and the gesture on it.
  private mutating func adopt() {
    guard editing != nil else { return }
    editing?.refresh()
    guard let editing else { return }
    let shown = editing.editor.shown
    if shown != content { isStale = true }
    (content, scene) = (shown, DrawingScene(shown, picture: editing.picture))
    view.adopt(content.canvas)
    if let emoji = editing.editor.emoji, view.reveal(emoji.position) { isStale = true }
    show()
  }

  private func put(_ text: String) {
    // On failure the terminal is gone; a signal or the end of stdin follows.
    do throws(ArtError) { try put(Array(text.utf8)) } catch {}
  }

  /// What lies over the screen while editing: the corners around the selected emoji, the keys, or the line that is typed.
  private func marks(_ editor: LiveEditor) -> [UInt8] {
    let terminal = view.terminal
    switch editor.phase {
    case .help:
      let lines = LiveEditor.help.prefix(max(terminal.rows - 2, 0)).enumerated().map {
        "\u{1B}[\($0.offset + 2);1H\u{1B}[0m\u{1B}[K\(LiveScreen.fitted($0.element, terminal.columns))"
      }
      return Array(lines.joined().utf8)
    case .asking(let line):
      guard editor.message == nil else { return [] }
      var row = LineView(columns: terminal.columns)
      let text = row.drawing(status: "add:", text: line.text, cursor: line.cursor)
      return Array("\u{1B}[\(terminal.rows);1H\(text)\u{1B}[?25h".utf8)
    case .keys: break
    }
    let hidden = "\u{1B}[?25l"
    guard let art, let drawn, let emoji = editor.emoji else { return Array(hidden.utf8) }
    let corners = SelectionMarks(EmojiBox(emoji), in: drawn, columns: art.columns, rows: art.rows)
    let (top, left) = LiveScreen.origin(of: art, on: terminal)
    let marks = corners.marks.map {
      "\u{1B}[\(top + $0.row);\(left + $0.column)H\u{1B}[0;1;7m\($0.sign)\u{1B}[0m"
    }
    return Array((marks.joined() + hidden).utf8)
  }
}

/// The corners around a selected emoji on the cells of its art:
///
///     ┌  ┐
///      🐝
///     └  ┘
///
/// They stand just outside its box, and at the edge of the art where the box goes beyond it.
struct SelectionMarks: Equatable {
  /// A sign on a cell, counted from 0.
  struct Mark: Equatable {
    let row: Int
    let column: Int
    let sign: String
  }

  let marks: [Mark]

  init(_ box: EmojiBox, in region: CanvasRect, columns: Int, rows: Int) {
    let edges = box.edges
    func cell(_ place: Double, _ start: Double, _ length: Double, _ count: Int, _ outwards: Double) -> Int {
      let cell =
        ((place - start) / length * Double(count)).rounded(outwards < 0 ? .down : .up) + min(outwards, 0)
      return Int(min(max(cell, 0), Double(count - 1)))
    }
    let left = cell(edges.left, region.x, region.width, columns, -1)
    let right = cell(edges.right, region.x, region.width, columns, 1)
    let top = cell(edges.top, region.y, region.height, rows, -1)
    let bottom = cell(edges.bottom, region.y, region.height, rows, 1)
    marks = [
      Mark(row: top, column: left, sign: "┌"), Mark(row: top, column: right, sign: "┐"),
      Mark(row: bottom, column: left, sign: "└"), Mark(row: bottom, column: right, sign: "┘"),
    ]
  }
}

// MARK: - View

/// The state of the live view as a state machine: keys, sizes and documents go in, effects come out.
///
///     a title line; the art, centred; a line for an error, else for the keys
///
/// The centre of a zoomed view is kept while the terminal and the document change; a view that fits keeps fitting.
struct LiveView {
  /// What the owner has to do.
  enum Effect: Equatable {
    case nothing, draw, end, suspend
  }

  /// The zoom factor of a key.
  private static let step = 1.25
  /// The part of the view that an arrow key scrolls.
  private static let stride = 0.25

  private(set) var terminal: TerminalSize
  private(set) var canvas: Canvas
  private(set) var viewport: Viewport

  /// Shows the whole canvas, or the given part. Throws `badValue`.
  init(_ canvas: Canvas, on terminal: TerminalSize, _ view: ViewOptions.View) throws(ArtError) {
    self.canvas = canvas
    self.terminal = terminal
    viewport = ArtPlacement.viewport(canvas, in: Self.room(of: terminal))
    try view.apply(to: &viewport, canvas)
  }

  /// The cells available for the art.
  var room: TerminalSize { Self.room(of: terminal) }

  /// The zoom relative to a canvas that fits, such as `150 %`.
  var percent: String { "\(Int((viewport.zoom / viewport.fitZoom * 100).rounded())) %" }

  mutating func press(_ key: Key) -> Effect {
    switch key {
    case .text(let text):
      // Several keys may arrive in one read; each one counts.
      return text.reduce(.nothing) { effect, character in
        let next = press(character)
        return next == .nothing || effect == .end ? effect : next
      }
    case .interrupt: return .end
    case .suspend: return .suspend
    case .left: return scroll(-1, 0)
    case .right: return scroll(1, 0)
    case .up: return scroll(0, -1)
    case .down: return scroll(0, 1)
    default: return .nothing
    }
  }

  private mutating func press(_ character: Character) -> Effect {
    switch character {
    case "q", "Q": return .end
    case "+", "=": return change { $0.zoom(by: Self.step) }
    case "-", "_": return change { $0.zoom(by: 1 / Self.step) }
    case "0": return change { $0.zoomToFit() }
    default: return .nothing
    }
  }

  private mutating func scroll(_ x: Double, _ y: Double) -> Effect {
    change { $0.scroll(byX: x * Self.stride * $0.view.width, y: y * Self.stride * $0.view.height) }
  }

  private mutating func change(_ body: (inout Viewport) -> Void) -> Effect {
    let before = viewport
    body(&viewport)
    return viewport == before ? .nothing : .draw
  }

  /// Scrolls a point of the canvas into the view. Returns whether it had to.
  mutating func reveal(_ point: Point) -> Bool {
    let visible = viewport.visible
    let x = max(visible.x, min(point.x, visible.x + visible.width))
    let y = max(visible.y, min(point.y, visible.y + visible.height))
    guard (x, y) != (point.x, point.y) else { return false }
    return change { $0.scroll(toCenterX: point.x, y: point.y) } == .draw
  }

  /// Adapts to a new size of the terminal.
  mutating func resize(_ new: TerminalSize) -> Effect {
    guard new != terminal else { return .nothing }
    terminal = new
    viewport.resize(view: ArtPlacement.view(of: room))
    return .draw
  }

  /// Adapts to a new canvas.
  mutating func adopt(_ new: Canvas) {
    guard new != canvas else { return }
    canvas = new
    viewport = ArtPlacement.viewport(new, in: room)
  }

  private static func room(of terminal: TerminalSize) -> TerminalSize {
    var room = terminal
    room.rows = max(terminal.rows - 2, 1)
    return room
  }
}

// MARK: - Bytes of the screen

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
      let last = terminal.rows - 1
      for (index, line) in lines.split(separator: 0x0A).enumerated() where top + index <= max(last, 2) {
        bytes += Array("\u{1B}[\(top + index);\(left)H".utf8) + line
      }
      return bytes + Array("\u{1B}[0m".utf8)
    }
  }

  /// The row and the column of the art's upper left cell, counted from 1.
  static func origin(of art: TerminalArt, on terminal: TerminalSize) -> (row: Int, column: Int) {
    (2 + max(terminal.rows - 2 - art.rows, 0) / 2, 1 + max(terminal.columns - art.columns, 0) / 2)
  }

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

// MARK: - Signals

/// Signals for the drawing thread: those that end or stop programs, and changes of the window's size.
final class LiveSignals: Sendable {
  /// Seconds that the drawing thread has for ending. It may wait for a file or folder that does not respond.
  private static let timeout: UInt32 = 2

  private let wakeup: WakeupPipe
  private let mode: TerminalMode
  private let received = Mutex<[Int32]>([])

  /// Blocks the signals in this thread and all later ones, and starts the thread that handles them. Throws
  /// `inputOutput`.
  init(_ wakeup: WakeupPipe, _ mode: TerminalMode) throws(ArtError) {
    (self.wakeup, self.mode) = (wakeup, mode)
    let source = SignalSource(SignalSource.endings + [SIGTSTP, SIGCONT, SIGWINCH])
    do throws(SystemError) {
      try source.follow { self.note($0) }
    } catch {
      throw .noThread(error)
    }
  }

  /// Removes and returns the signals received, in their order.
  func drain() -> [Int32] {
    received.withLock { received in
      defer { received = [] }
      return received
    }
  }

  /// Whether a signal was received that must interrupt the writing of a drawing.
  var isUrgent: Bool {
    received.withLock { $0.contains { $0 == SIGTSTP || SignalSource.endings.contains($0) } }
  }

  private func note(_ number: Int32) {
    // Each kind of signal is kept once.
    received.withLock { if !$0.contains(number) { $0.append(number) } }
    wakeup.wake()
    if SignalSource.endings.contains(number) { end(by: number) }
  }

  /// Ends this process if the drawing thread does not.
  private func end(by number: Int32) -> Never {
    sleep(Self.timeout)
    let mode = mode
    // The terminal may block.
    _ = Outcome { mode.restore() }.wait(atMost: .milliseconds(200))
    SignalSource.die(of: number)
  }
}
