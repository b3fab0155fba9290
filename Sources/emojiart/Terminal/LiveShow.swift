// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtTerminal
import ArtWorkspace
import Glibc

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
    let region: CanvasRect
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
  private var content: DocumentContent { didSet { count = content.countText } }
  /// How much is on the canvas, in words.
  private var count: String
  private var scene: DrawingScene
  /// The document as it is edited; nil while it is only followed.
  private var editing: LiveEditing?
  /// The changes of the edited document that the scene has; nil before the first ones.
  private var drawnChanges: Int?
  /// The emoji that the scene has with a gesture.
  private var gestured: Emoji?
  /// When a pause ends the gesture.
  private var gestureEnd: ContinuousClock.Instant?
  private var keys = KeyDecoder()
  /// When a pause ends the beginning of a key sequence.
  private var sequenceEnd: ContinuousClock.Instant?
  /// Who edited the document that is only followed, and what, until the next key.
  private var lastEdit: String?
  private var errorMessage: String?
  private var degraded: String?
  private var art: DrawnArt?
  /// What the drawing on the screen says that no key has followed yet, and what the last one said.
  private var (notice, lastNotice): (String?, String?) = (nil, nil)
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
    (content, count, scene) = (document.content, document.content.countText, document.scene)
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

  /// Edits the document until the user or a signal ends that, saves it, and restores the terminal. Throws when an edit was refused at the
  /// end, or the document could not be saved.
  mutating func run(editing file: DocumentFile) throws(ArtError) {
    editing = try LiveEditing(file, inbox.wakeup)
    var errors: [ArtError] = []
    do throws(ArtError) { try follow() } catch { errors.append(error) }
    leave()
    errors += editing?.end() ?? []
    drawing?.task.cancel()
    _ = drawing?.outcome.wait(atMost: .seconds(1))
    guard let first = errors.first else { return }
    for error in errors.dropFirst() { Output.printError(error.message) }
    throw first
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
    let pause = [isShown ? sequenceEnd : nil, gestureEnd].compactMap(\.self).min().map {
      Self.milliseconds(until: $0, now: .now)
    }
    let timeout: Int32 = pause ?? (isLate ? 250 : -1)
    poll(&ready, nfds_t(ready.count), timeout)
  }

  /// The timeout of `poll` until then, rounded up: 1 for a time that is past, and about a minute at most. A process may be stopped for
  /// weeks, which are more milliseconds than fit.
  static func milliseconds(until end: ContinuousClock.Instant, now: ContinuousClock.Instant) -> Int32 {
    Int32(min(max((end - now) / .milliseconds(1), 0), 60_000)) + 1
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
    keys.settle()
    sequenceEnd = nil
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
      // Nothing is drawn before the document is saved: the terminal may not take it.
      let errors = editing?.end(atMost: .milliseconds(1_500)) ?? []
      leave()
      for error in errors { Output.printError(error.message) }
      return false
    }
    return true
  }

  private mutating func suspend() throws(ArtError) {
    editing?.settle()
    guard let editing else {
      leave()
      FileGate.shared.stopProcess()
      return try enter()
    }
    editing.pause()
    leave()
    signal(SIGTSTP, SIG_DFL)
    SignalSource.stop()
    editing.goOn()
    try enter()
    adopt()
  }

  /// Returns false when an urgent signal has interrupted the write: the screen is redrawn, or the program ends.
  @discardableResult
  private func put(_ bytes: [UInt8]) throws(ArtError) -> Bool {
    try output.write(bytes, unless: { signals.isUrgent })
  }

  /// Reads pending input.
  private mutating func readKeys() throws(ArtError) -> LiveView.Effect {
    guard isShown else { return .nothing }
    var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    guard poll(&input, 1, 0) == 1 else {
      guard let end = sequenceEnd, end <= .now else { return .nothing }
      sequenceEnd = nil
      return try take(keys.settle().map { [$0] } ?? [])
    }
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = read(0, &buffer, buffer.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return .nothing }
    // The terminal is gone.
    guard count > 0 else { return .end }
    let found = keys.decode(buffer[..<count])
    sequenceEnd = keys.pause.map { .now + $0 }
    return try take(found)
  }

  private mutating func take(_ keys: [Key]) throws(ArtError) -> LiveView.Effect {
    guard editing == nil else { return try edit(keys) }
    if lastEdit != nil, !keys.isEmpty {
      lastEdit = nil
      show()
    }
    for key in keys {
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
    let before = lastEdit
    for (_, event) in batch.events {
      switch event {
      case .degraded(let reason): degraded = reason
      case .changed(_, let change): lastEdit = change.edits.last.map(Self.text) ?? lastEdit
      default: break
      }
    }
    if lastEdit != before { show() }
    if editing?.hasEvents() == true { adopt() }
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

  /// `Ada: move 🌳`, as in `edit`.
  private static func text(of edit: LoggedEdit) -> String {
    "\(edit.author ?? edit.id.origin.description): \(edit.title)"
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
    let task = Task.detached { () -> Result<TerminalArt, DrawingFailure> in
      do throws(DrawingFailure) {
        return .success(try await TerminalArt.drawn(scene, placement, graphics, font: font))
      } catch {
        return .failure(error)
      }
    }
    drawing = Drawing(
      outcome: Outcome({ await task.value }, done: { wakeup.wake() }), task: task, terminal: view.terminal,
      region: view.viewport.visible)
  }

  /// Shows a completed drawing.
  private mutating func receiveDrawing() {
    guard let over = drawing, let result = over.outcome.now else { return }
    drawing = nil
    // A cancelled drawing is started again.
    guard case .success(let new) = result, over.terminal == view.terminal else { return }
    (art, mayCancel) = (DrawnArt(art: new, region: over.region), true)
    if new.notices.first != lastNotice { (notice, lastNotice) = (new.notices.first, new.notices.first) }
    show()
  }

  private mutating func show() {
    guard isShown else { return }
    if let refusal = editing?.refusal { editing?.editor.message = refusal.message }
    let isCompact = view.terminal.sizeClass == .compact
    var details = [view.percent]
    if !isCompact {
      details.insert(
        "\(content.canvas.width) x \(content.canvas.height), \(count), revision \(content.revision)", at: 0)
    }
    let hint = isCompact ? "q + - 0" : "q quits   + - 0 zoom   arrows scroll"
    let message = editing.map { $0.editor.message ?? errorMessage ?? notice ?? $0.editor.status }
    var bytes = LiveScreen.bytes(
      title: LiveScreen.title(file.path, details, state: editing?.state, view.terminal.columns), art?.art,
      below: message ?? errorMessage ?? lastEdit ?? art?.art.notices.first ?? degraded ?? hint,
      on: view.terminal, graphics)
    if let editing { bytes += EditingOverlay.bytes(editing.editor, over: art, on: view.terminal) }
    // On failure the terminal is gone; a signal or the end of stdin follows.
    do throws(ArtError) { if try put(bytes) { editing?.refusal = nil } } catch {}
  }
}

// MARK: - Editing

extension LiveShow {
  /// How long a gesture waits for its next key.
  private static let pause = Duration.milliseconds(400)

  /// Takes the keys of one read, and draws what has come of them.
  private mutating func edit(_ keys: [Key]) throws(ArtError) -> LiveView.Effect {
    for key in keys.flatMap(\.characters) where try edit(key) == .end { return .end }
    if !keys.isEmpty { adopt() }
    return .nothing
  }

  private mutating func edit(_ key: Key) throws(ArtError) -> LiveView.Effect {
    if editing?.editor.message == nil { notice = nil }
    let effects = editing?.editor.press(key, center: view.viewport.center) ?? []
    gestureEnd = editing?.editor.hasGesture == true ? .now + Self.pause : nil
    var isRefused = false
    for effect in effects {
      if let request = effect.request {
        // What follows a refused edit was meant for the document with it.
        if !isRefused { isRefused = editing?.perform(request) == false }
        continue
      }
      switch effect {
      case .view(let key): if view.press(key) == .draw { isStale = true }
      case .reveal: if let emoji = editing?.editor.emoji, view.reveal(emoji.position) { isStale = true }
      case .bell: put("\u{7}")
      case .suspend: try suspend()
      case .end: return .end
      default: break
      }
    }
    return .nothing
  }

  private mutating func endGesture() {
    guard let end = gestureEnd, end <= .now else { return }
    gestureEnd = nil
    editing?.settle()
    adopt()
  }

  /// Takes the session's content, and the gesture on it. A gesture changes one label of the scene.
  private mutating func adopt() {
    editing?.refresh()
    guard let editing else { return }
    errorMessage = nil
    if drawnChanges != editing.changes {
      content = editing.editor.content
      scene = DrawingScene(content, picture: editing.picture)
      (drawnChanges, gestured, isStale) = (editing.changes, nil, true)
      view.adopt(content.canvas)
    }
    let new = editing.editor.gestured
    if new != gestured {
      // Without its gesture the emoji is as in the document.
      if let old = gestured, old.id != new?.id { draw(content.emoji(old.id)) }
      if let new { draw(new) }
      (gestured, isStale) = (new, true)
    }
    show()
  }

  private mutating func draw(_ emoji: Emoji?) {
    guard let emoji, let index = content.orderIndex(of: emoji) else { return }
    scene.labels[index] = DrawingScene.Label(emoji)
  }

  private func put(_ text: String) {
    // On failure the terminal is gone; a signal or the end of stdin follows.
    do throws(ArtError) { try put(Array(text.utf8)) } catch {}
  }
}
