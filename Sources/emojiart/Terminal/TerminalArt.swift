// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtTerminal
import ArtWorkspace
import Glibc

/// Art for a terminal, and notices about it for the user.
struct TerminalArt: Sendable {
  /// The maximum number of bytes that a helper process may produce for a terminal.
  static let limit = 1 << 26

  /// The bytes to write.
  enum Body: Sendable {
    /// Lines of text, each terminated.
    case lines([UInt8])
    /// A picture that begins at the cursor.
    case picture([UInt8])
  }

  var body: Body
  /// Its width in cells.
  var columns: Int
  /// Its height in cells.
  var rows: Int
  /// Notices about what is drawn differently, one sentence each.
  var notices: [String] = []
  /// Whether a part of the document itself cannot be drawn.
  var isFaulty = false

  /// Draws a scene. If drawing fails, the emoji are put on cells, with the reason as a notice. Throws `cancelled`
  /// only.
  static func drawn(
    _ scene: DrawingScene, _ placement: ArtPlacement, _ graphics: Graphics, font: String?,
    by renderer: Renderer = Renderer()
  ) async throws(DrawingFailure) -> TerminalArt {
    let notice: String
    do throws(DrawingFailure) {
      return try await picture(scene, placement, graphics, font: font, by: renderer)
    } catch {
      switch error {
      case .refused(let refusal): notice = refusal.message
      case .failed(let failure): notice = failure.message
      case .cancelled: throw error
      }
    }
    return onCells(scene, placement, notice: notice)
  }

  /// Draws a scene, or throws the reason why it cannot be drawn.
  static func picture(
    _ scene: DrawingScene, _ placement: ArtPlacement, _ graphics: Graphics, font: String?,
    by renderer: Renderer = Renderer()
  ) async throws(DrawingFailure) -> TerminalArt {
    guard let format = placement.format else { return onCells(scene, placement) }
    let drawing = Drawing(scene: scene, region: placement.region, format: format, fonts: EmojiFont.find(font))
    let (drawn, bytes) = try await renderer.draw(drawing, limit: limit)
    guard let body = body(bytes, placement, graphics) else {
      throw .failed(
        ArtError(
          .unavailable, "the output of emojiart-worker is not allowed on a terminal; install emojiart again"))
    }
    return TerminalArt(
      body: body, columns: placement.columns, rows: placement.rows, notices: notices(drawn),
      isFaulty: drawn.pictureFault != nil)
  }

  /// Validates the bytes of a helper process; nil for invalid ones.
  private static func body(_ bytes: [UInt8], _ placement: ArtPlacement, _ graphics: Graphics) -> Body? {
    switch graphics {
    case .kitty:
      guard case .png(let size) = placement.format, TerminalBytes.arePNG(bytes, size) else { return nil }
      return .picture(KittyPicture.sequence(bytes, columns: placement.isScaled ? placement.columns : nil))
    case .sixel:
      guard case .sixel(let size) = placement.format, TerminalBytes.areSixels(bytes, size) else { return nil }
      return .picture(bytes)
    case .symbols:
      let isFine = TerminalBytes.areSymbols(bytes, columns: placement.columns, rows: placement.rows)
      // The colours of the last line are reset at its end.
      let lines = bytes.last == 0x0A ? bytes.dropLast() : bytes[...]
      return isFine ? .lines(lines + Array("\u{1B}[0m\n".utf8)) : nil
    case .text: return nil
    }
  }

  private static func onCells(_ scene: DrawingScene, _ placement: ArtPlacement, notice: String? = nil)
    -> TerminalArt
  {
    let lines = EmojiGrid.lines(scene, placement.region, columns: placement.columns, rows: placement.rows)
    return TerminalArt(
      body: .lines(Array(lines.map { $0 + "\n" }.joined().utf8)), columns: placement.columns,
      rows: lines.count, notices: notice.map { [$0] } ?? [])
  }

  private static func notices(_ drawn: Drawn) -> [String] {
    var notices: [String] = []
    if let fault = drawn.pictureFault { notices.append("the background cannot be drawn: \(fault)") }
    if let lacking = DrawingNotes.lacking(drawn) { notices.append(lacking) }
    return notices
  }

  /// What terminates a partly written picture.
  var closing: String {
    guard case .picture(let picture) = body else { return KittyPicture.closing(isKitty: false) }
    return KittyPicture.closing(isKitty: picture.starts(with: [0x1B, UInt8(ascii: "_")]))
  }

  /// The bytes to write at the beginning of a line; afterwards the cursor is at the beginning of the line below the
  /// art.
  ///
  /// Terminals place the cursor differently after a picture. Therefore the lines are reserved first, and the cursor
  /// is restored.
  var bytes: [UInt8] {
    switch body {
    case .lines(let lines): return lines
    case .picture(let picture):
      let room = String(repeating: "\n", count: rows) + "\u{1B}[\(rows)A\u{1B}7"
      return Array(room.utf8) + picture + Array("\u{1B}8\u{1B}[\(rows)B\r".utf8)
    }
  }
}

// MARK: - Art of a command

/// The art of a document, shown once on the terminal of a command.
struct ShownArt {
  let choice: GraphicsChoice
  let view: ViewOptions.View
  let font: String?

  /// Whether to show art. On a pipe it is shown only when the user chose a kind.
  var isWanted: Bool {
    switch choice {
    case .none, .words: false
    case .auto: isatty(1) == 1 && TerminalEnvironment.here.isCapable
    case .kitty, .sixel, .symbols, .text: true
    }
  }

  /// Draws the scene so that it fits the terminal below that many rows of text, and above the rows that `notices` gives for what the
  /// drawing says. Nil when there is no art. A signal that ends or stops programs does so after restoring the terminal.
  func drawn(
    _ scene: DrawingScene, below rows: Int, notices: (TerminalArt) -> Int = { _ in 0 }
  ) throws -> TerminalArt? {
    let signals = SignalSource(SignalSource.endings + [SIGTSTP])
    defer { signals.release() }
    var query = needsQuery ? TerminalQuery() : nil
    defer { query?.finish() }
    let answers = query?.answers
    let graphics = Graphics.best(choice, isTerminal: isatty(1) == 1, .here, answers)
    guard let graphics else { return nil }
    let font = font
    let restore = { query?.restore() ?? () }
    func drawn(in room: TerminalSize) throws -> TerminalArt {
      var viewport = ArtPlacement.viewport(scene.canvas, in: room)
      try view.apply(to: &viewport, scene.canvas)
      let placement = try ArtPlacement(viewport, in: room, graphics)
      return try waitForDrawing(signals, restore: restore, pause: restore) {
        () async throws(DrawingFailure) in
        try await TerminalArt.drawn(scene, placement, graphics, font: font)
      }
    }
    let terminal = TerminalSize.now(answers)
    let room = Self.room(terminal, below: rows)
    let art = try drawn(in: room)
    // Notices come up where a font lacks something. They must not scroll the document's name off.
    let more = notices(art)
    let smaller = Self.room(terminal, below: rows + more)
    return art.rows > smaller.rows ? try drawn(in: smaller) : art
  }

  /// Flushes stdout, and writes the art.
  func put(_ art: TerminalArt) throws(ArtError) {
    try Output.flush()
    let signals = SignalSource()
    defer { signals.release() }
    try signals.put(art.bytes, last: art.closing)
  }

  /// Follows a document on the screen, or edits it there. Throws `usage` without a terminal.
  func follow(_ file: DocumentFile, _ place: FollowedFolder, isEdited: Bool) throws(ArtError) {
    guard let mode = TerminalMode() else {
      throw ArtError(
        .usage, "--live needs a terminal to draw on; elsewhere, `emojiart watch` reports changes")
    }
    guard choice != .none, choice != .words else {
      throw ArtError(.usage, "graphics \(choice.rawValue) shows no art; give --graphics auto with --live")
    }
    let signals = SignalSource(SignalSource.endings + [SIGTSTP])
    try prepareThreads()
    var query = needsQuery ? TerminalQuery() : nil
    query?.finish()
    signals.release()
    let answers = query?.answers
    let best = Graphics.best(choice, isTerminal: true, .here, answers)
    let quiet = DocumentFile(file.path, timeout: .milliseconds(100))
    var show = try LiveShow(quiet, mode, best ?? .text, answers?.cell, view, font: font)
    if isEdited { return try show.run(editing: file) }
    let opened = Outcome {
      await result { () async throws(ArtError) in
        try await WatchedFolder.open(place, isRecursive: false, pollBecause: nil)
      }
    }
    try show.run(in: try opened.wait().get())
  }

  /// Whether to query the terminal. When the user chose a kind, or the terminal's name says it, only the size of a cell may be unknown.
  var needsQuery: Bool {
    let isTerminal = isatty(1) == 1
    let knowsCell = TerminalSize.now(nil).cell != nil
    return switch choice {
    case .none, .words, .text, .symbols: false
    case .auto: isWanted && !(TerminalEnvironment.here.isKitty && knowsCell)
    case .kitty, .sixel: isTerminal && !knowsCell
    }
  }

  /// The cells available for art. One row is reserved for the shell's prompt.
  static func room(_ terminal: TerminalSize, below rows: Int) -> TerminalSize {
    var room = terminal
    room.rows = max(terminal.rows - 1 - rows, 1)
    return room
  }
}

// MARK: - Output

/// The terminal behind stdout, for long output: a terminal that blocks does not keep the program from ending.
struct TerminalOutput: Sendable {
  private let descriptor: Int32

  /// Opens the terminal anew, so that non-blocking mode does not affect other programs. If this fails, writing may
  /// block.
  init() {
    let own = isatty(1) == 1 ? open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
    descriptor = own >= 0 ? own : 1
  }

  /// Writes as fast as the terminal accepts; returns false when `isOver` has returned true before the end. Throws
  /// `inputOutput`.
  func write(_ bytes: [UInt8], unless isOver: () -> Bool) throws(ArtError) -> Bool {
    var left = bytes[...]
    while !left.isEmpty {
      if isOver() { return false }
      var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard poll(&room, 1, 50) != 0 else { continue }
      let count = left.prefix(1 << 14).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        // The terminal has less capacity than one write needs.
        poll(nil, 0, 5)
        continue
      }
      guard count > 0 else { throw .notWritten(to: "stdout", errno) }
      left = left.dropFirst(count)
    }
    return true
  }

  /// Writes a short text before this process ends or stops, with a short timeout.
  func writeLast(_ text: String) {
    let end = ContinuousClock.now + .milliseconds(500)
    // On failure the terminal is gone.
    do throws(ArtError) { _ = try write(Array(text.utf8), unless: { ContinuousClock.now > end }) } catch {}
  }
}

extension SignalSource {
  /// Writes a drawing to stdout. A signal that ends programs ends this one, after `last` has terminated a partly
  /// written picture.
  func put(_ bytes: [UInt8], last: String) throws(ArtError) {
    let terminal = TerminalOutput()
    var number: Int32?
    let isWhole = try terminal.write(
      bytes,
      unless: {
        number = next(of: Self.endings)
        return number != nil
      })
    guard !isWhole, let number else { return }
    terminal.writeLast(last)
    SignalSource.die(of: number)
  }
}
