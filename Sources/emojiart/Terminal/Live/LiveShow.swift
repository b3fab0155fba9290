// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import ArtTerminal
import ArtWorker
import ArtWorkspace
import Glibc

/// A document that is followed on the screen until somebody ends it. One thread waits for what happens, and draws:
///
///     WatchedFolder ──events──▶ WatchInbox ──┐ wakeup
///     LiveSignals ───────────────────────────┼──▶ LiveView ──▶ a drawing, of a task ──wakeup──▶ LiveScreen ──▶ stdout
///     stdin ──▶ KeyDecoder ──────────────────┘
///
/// One drawing is made at a time; what changed meanwhile is drawn as soon as it is over. It is given up for that, but never two of them
/// one after the other: however fast edits and keys come, something is seen. One for another size of the terminal is always given up.
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
  private var seen: DocumentView
  private var keys = KeyDecoder()
  private var trouble: String?
  private var degraded: String?
  private var art: TerminalArt?
  private var drawing: Drawing?
  /// Whether the last drawing was shown.
  private var mayGiveUp = true
  private var isStale = true
  /// Whether the terminal is ours: not while the program is in the background.
  private var isShown = false
  /// Whether the document is to be read again soon.
  private var isLate = false

  /// Follows a document on that terminal, which has been asked. Throws what reading throws, and `inputOutput`.
  init(
    _ file: DocumentFile, _ mode: TerminalMode, _ graphics: Graphics, _ cell: TerminalAnswers.Cell?,
    _ part: ViewOptions.View, font: String?
  ) throws(ArtError) {
    (self.file, self.mode, self.graphics, self.cell, self.font) = (file, mode, graphics, cell, font)
    seen = try DocumentView(file, recovery: .silent)
    view = try LiveView(seen.content.canvas, on: Self.size(cell), part)
    inbox = try WatchInbox()
    signals = try LiveSignals(inbox.wakeup, mode)
  }

  private static func size(_ cell: TerminalAnswers.Cell?) -> TerminalSize {
    var size = TerminalSize.now(nil)
    size.cell = size.cell ?? cell
    return size
  }

  /// Follows it until a person ends it, or a signal does; then the terminal is as it was.
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
    // What happened between the reading and the watching.
    reload()
    try enter()
    while true {
      beginDrawing()
      try wait()
      inbox.wakeup.clear()
      for number in signals.take() where try !obey(number) { SignalSource.die(of: number) }
      take(inbox.take())
      takeDrawing()
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

extension LiveShow {
  /// Takes the terminal, unless the program is in the background.
  private mutating func enter() throws(ArtError) {
    let wasShown = isShown
    isShown = try mode.enter()
    guard isShown else { return }
    // Who was stopped without hearing of it has left its screen there.
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

  /// Does what a signal asks for; false for one that ends this program, the terminal as it was.
  private mutating func obey(_ number: Int32) throws(ArtError) -> Bool {
    switch number {
    case SIGWINCH:
      if view.resize(Self.size(cell)) == .draw { isStale = true }
    case SIGTSTP: try suspend()
    case SIGCONT:
      // Somebody may have let it go on in the background, or another program may have had the terminal.
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
    // A signal that comes first draws all of it anew, or ends it.
    _ = try output.write(bytes, unless: { signals.isUrgent })
  }

  /// Reads what was typed, where something was.
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

extension LiveShow {
  private mutating func take(_ taken: WatchInbox.Taken) {
    for (_, event) in taken.events {
      if case .degraded(let reason) = event { degraded = reason }
    }
    if !taken.events.isEmpty || isLate { reload() }
  }

  /// Reads the document again. What cannot be read is said, and what was read last stays.
  private mutating func reload() {
    do throws(ArtError) {
      let new = try DocumentView(file, recovery: .silent)
      isLate = false
      if trouble != nil || new.content != seen.content { isStale = true }
      (seen, trouble) = (new, nil)
      view.take(new.content.canvas)
    } catch {
      let isBusy = error.code == .busy
      // What is being written now comes to be whole, perhaps as it was, of which nobody tells.
      isLate = isBusy || !((try? file.stamp())?.canBeTrusted ?? true)
      if !isBusy, trouble != error.message {
        trouble = error.message
        show()
      }
    }
  }

  /// Begins a drawing of how things are, if there is something new.
  private mutating func beginDrawing() {
    guard isStale, isShown else { return }
    if let drawing {
      guard mayGiveUp || drawing.terminal != view.terminal else { return }
      mayGiveUp = false
      return drawing.task.cancel()
    }
    isStale = false
    let placement: ArtPlacement
    do throws(ArtError) {
      placement = try ArtPlacement(view.viewport, in: view.room, graphics)
    } catch {
      trouble = error.message
      return show()
    }
    let (scene, graphics, font, wakeup) = (seen.scene, graphics, font, inbox.wakeup)
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

  /// Shows a drawing that is over.
  private mutating func takeDrawing() {
    guard let over = drawing, let result = over.outcome.now else { return }
    drawing = nil
    // One that was given up is begun anew.
    guard case .success(let new) = result, over.terminal == view.terminal else { return }
    (art, mayGiveUp) = (new, true)
    show()
  }

  private func show() {
    guard isShown else { return }
    let content = seen.content
    let count = content.emojiCount == 0 ? "no emoji" : "\(content.emojiCount) emoji"
    let isCompact = view.terminal.sizeClass == .compact
    let more =
      isCompact
      ? "" : "  \(content.canvas.width) x \(content.canvas.height), \(count), revision \(content.revision)"
    let hint = isCompact ? "q + - 0" : "q quits   + - 0 zoom   arrows scroll"
    let below = trouble ?? art?.complaints.first ?? degraded ?? hint
    let bytes = LiveScreen.bytes(
      title: "\(file.path)\(more)  \(view.percent)", art, below: below, on: view.terminal, graphics)
    // When this fails the terminal is gone, and its end comes as a signal or as the end of stdin.
    do throws(ArtError) { try put(bytes) } catch {}
  }
}
