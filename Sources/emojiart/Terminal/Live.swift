// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtTerminal
import ArtWorkspace
import Glibc
import Synchronization

/// Follows a document on the screen until the program is ended. One thread waits for events, and draws:
///
///     WatchedFolder ──events──▶ WatchInbox ──┐ wakeup
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
  private var document: DocumentView
  private var keys = KeyDecoder()
  private var errorMessage: String?
  private var degraded: String?
  private var art: TerminalArt?
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
    document = try DocumentView(file, recovery: .silent)
    view = try LiveView(document.content.canvas, on: Self.size(cell), part)
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
    }
  }

  private func wait() throws(ArtError) {
    var ready = [
      pollfd(fd: inbox.wakeup.readEnd, events: Int16(POLLIN), revents: 0),
      pollfd(fd: isShown ? 0 : -1, events: Int16(POLLIN), revents: 0),
    ]
    let timeout: Int32 = keys.isUndecided ? 50 : isLate ? 250 : -1
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
      leave()
      return false
    }
    return true
  }

  private mutating func suspend() throws(ArtError) {
    leave()
    SignalSource.stopWithoutOpenFiles()
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
    if !batch.events.isEmpty || isLate { reload() }
  }

  /// Reads the document again. On an error the last content stays, and the error is shown.
  private mutating func reload() {
    do throws(ArtError) {
      let new = try DocumentView(file, recovery: .silent)
      isLate = false
      if errorMessage != nil || new.content != document.content { isStale = true }
      (document, errorMessage) = (new, nil)
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
    let (scene, graphics, font, wakeup) = (document.scene, graphics, font, inbox.wakeup)
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
    let content = document.content
    let count = content.emojiCount == 0 ? "no emoji" : "\(content.emojiCount) emoji"
    let isCompact = view.terminal.sizeClass == .compact
    let more =
      isCompact
      ? "" : "  \(content.canvas.width) x \(content.canvas.height), \(count), revision \(content.revision)"
    let hint = isCompact ? "q + - 0" : "q quits   + - 0 zoom   arrows scroll"
    let below = errorMessage ?? art?.notices.first ?? degraded ?? hint
    let bytes = LiveScreen.bytes(
      title: "\(file.path)\(more)  \(view.percent)", art, below: below, on: view.terminal, graphics)
    // On failure the terminal is gone; a signal or the end of stdin follows.
    do throws(ArtError) { try put(bytes) } catch {}
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
    let top = 2 + max(terminal.rows - 2 - art.rows, 0) / 2
    let left = 1 + max(terminal.columns - art.columns, 0) / 2
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
