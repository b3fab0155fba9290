// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtTerminal
import ArtWorkspace
import Glibc

/// The art as a terminal is given it, and what a person has to know of it.
struct TerminalArt: Sendable {
  /// Bytes that a helper program may make for a terminal.
  static let limit = 1 << 26

  /// What the terminal is given.
  enum Body: Sendable {
    /// Lines, each ended.
    case lines([UInt8])
    /// A picture that begins where the cursor is.
    case picture([UInt8])
  }

  var body: Body
  /// Cells across that it takes.
  var columns: Int
  /// Cells down.
  var rows: Int
  /// What is not as it should be, a sentence each.
  var complaints: [String] = []
  /// Whether something of the document itself cannot be drawn.
  var isFaulty = false

  /// Has it drawn. Where it cannot be, the emoji are put on cells, and why is a complaint. Throws `cancelled` only.
  static func drawn(
    _ scene: DrawingScene, _ placement: ArtPlacement, _ graphics: Graphics, font: String?,
    by renderer: Renderer = Renderer()
  ) async throws(DrawingFailure) -> TerminalArt {
    let complaint: String
    do throws(DrawingFailure) {
      return try await picture(scene, placement, graphics, font: font, by: renderer)
    } catch {
      switch error {
      case .refused(let refusal): complaint = refusal.message
      case .failed(let failure): complaint = failure.message
      case .cancelled: throw error
      }
    }
    return onCells(scene, placement, complaint: complaint)
  }

  /// Has it drawn, or throws why it cannot be.
  static func picture(
    _ scene: DrawingScene, _ placement: ArtPlacement, _ graphics: Graphics, font: String?,
    by renderer: Renderer = Renderer()
  ) async throws(DrawingFailure) -> TerminalArt {
    guard let format = placement.format else { return onCells(scene, placement) }
    let drawing = Drawing(scene: scene, region: placement.region, format: format, font: EmojiFont.find(font))
    let (drawn, bytes) = try await renderer.draw(drawing, limit: limit)
    guard let body = body(bytes, placement, graphics) else {
      throw .failed(
        ArtError(.unavailable, "what emojiart-worker drew is nothing for a terminal; install emojiart again"))
    }
    return TerminalArt(
      body: body, columns: placement.columns, rows: placement.rows, complaints: complaints(drawn),
      isFaulty: drawn.pictureFault != nil)
  }

  /// Nil for bytes that are not what was asked for.
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
      // Whatever colours the last line ended with.
      let lines = bytes.last == 0x0A ? bytes.dropLast() : bytes[...]
      return isFine ? .lines(lines + Array("\u{1B}[0m\n".utf8)) : nil
    case .text: return nil
    }
  }

  private static func onCells(_ scene: DrawingScene, _ placement: ArtPlacement, complaint: String? = nil)
    -> TerminalArt
  {
    let lines = EmojiGrid.lines(scene, placement.region, columns: placement.columns, rows: placement.rows)
    return TerminalArt(
      body: .lines(Array(lines.map { $0 + "\n" }.joined().utf8)), columns: placement.columns,
      rows: lines.count, complaints: complaint.map { [$0] } ?? [])
  }

  private static func complaints(_ drawn: Drawn) -> [String] {
    var complaints: [String] = []
    if let fault = drawn.pictureFault { complaints.append("the background cannot be drawn: \(fault)") }
    if let lacking = DrawingNotes.lacking(drawn) { complaints.append(lacking) }
    return complaints
  }

  /// What closes it when only a part of it was written.
  var closing: String {
    guard case .picture(let picture) = body else { return KittyPicture.closing(isKitty: false) }
    return KittyPicture.closing(isKitty: picture.starts(with: [0x1B, UInt8(ascii: "_")]))
  }

  /// What stands on the screen where the cursor is, at the beginning of a line; then the cursor is at the beginning of the line below.
  ///
  /// Terminals leave the cursor in several places after a picture: room is made for it first, and the cursor is put back.
  var bytes: [UInt8] {
    switch body {
    case .lines(let lines): return lines
    case .picture(let picture):
      let room = String(repeating: "\n", count: rows) + "\u{1B}[\(rows)A\u{1B}7"
      return Array(room.utf8) + picture + Array("\u{1B}8\u{1B}[\(rows)B\r".utf8)
    }
  }
}

/// The art of a document on the terminal that a command was begun on, once.
struct ShownArt {
  let choice: GraphicsChoice
  let view: ViewOptions.View
  let font: String?

  /// Whether art is wanted here. A pipe gets it only where somebody asks for a kind.
  var isWanted: Bool {
    switch choice {
    case .none: false
    case .auto: isatty(1) == 1 && TerminalEnvironment.here.isCapable
    case .kitty, .sixel, .symbols, .text: true
    }
  }

  /// Has the scene drawn so that it fits the terminal below so many lines of text, of which it leaves a third in sight at most. Nil
  /// for nothing. A signal that ends or stops programs does so with this one, the terminal as it was.
  func drawn(_ scene: DrawingScene, below lines: Int) throws -> TerminalArt? {
    let held = SignalSource(SignalSource.endings + [SIGTSTP])
    defer { held.release() }
    var question = isAsked ? TerminalQuery() : nil
    defer { question?.finish() }
    let answers = question?.answers
    let graphics = Graphics.best(choice, isTerminal: isatty(1) == 1, .here, answers)
    guard let graphics else { return nil }
    let room = Self.room(TerminalSize.now(answers), below: lines, graphics)
    var viewport = ArtPlacement.viewport(scene.canvas, in: room)
    try view.apply(to: &viewport, scene.canvas)
    let placement = try ArtPlacement(viewport, in: room, graphics)
    let font = font
    let restore = { question?.restore() ?? () }
    return try waitForDrawing(held, restore: restore, pause: restore) { () async throws(DrawingFailure) in
      try await TerminalArt.drawn(scene, placement, graphics, font: font)
    }
  }

  /// Writes it after what was written before.
  func put(_ art: TerminalArt) throws(ArtError) {
    try Output.flush()
    let held = SignalSource()
    defer { held.release() }
    try held.put(art.bytes, last: art.closing)
  }

  /// Follows a document on the screen. Throws `usage` where there is none.
  func follow(_ file: DocumentFile, _ place: FollowedFolder) throws(ArtError) {
    guard let mode = TerminalMode(), choice != .none else {
      throw ArtError(
        .usage, "--live wants a terminal to draw on; `emojiart watch` tells of changes elsewhere")
    }
    try checkThreads()
    let held = SignalSource(SignalSource.endings + [SIGTSTP])
    var question = isAsked ? TerminalQuery() : nil
    question?.finish()
    held.release()
    let answers = question?.answers
    let best = Graphics.best(choice, isTerminal: true, .here, answers)
    let quiet = DocumentFile(file.path, timeout: .milliseconds(100))
    var show = try LiveShow(quiet, mode, best ?? .text, answers?.cell, view, font: font)
    let opened = Outcome {
      await result { () async throws(ArtError) in
        try await WatchedFolder.open(place, isRecursive: false, pollBecause: nil)
      }
    }
    try show.run(in: try opened.wait().get())
  }

  /// Of a kind that somebody chose only the size of a cell may be unknown.
  var isAsked: Bool {
    switch choice {
    case .none, .text, .symbols: false
    case .auto: isWanted
    case .kitty, .sixel: isatty(1) == 1 && TerminalSize.now(nil).cell == nil
    }
  }

  /// The prompt that follows has a line.
  static func room(_ terminal: TerminalSize, below lines: Int, _ graphics: Graphics) -> TerminalSize {
    var room = terminal
    room.rows = max(terminal.rows - 1 - min(lines, terminal.rows / 3), 1)
    return room
  }
}

/// The terminal behind stdout, for much that is written at once: one that takes nothing keeps nobody from ending.
struct TerminalOutput: Sendable {
  private let descriptor: Int32

  /// What is opened here does not make others wait less, or more, for the same terminal. Without it writing may wait.
  init() {
    let own = isatty(1) == 1 ? open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
    descriptor = own >= 0 ? own : 1
  }

  /// Writes as fast as it is taken; false when `isOver` told meanwhile that the rest is not wanted. Throws `inputOutput`.
  func write(_ bytes: [UInt8], unless isOver: () -> Bool) throws(ArtError) -> Bool {
    var left = bytes[...]
    while !left.isEmpty {
      if isOver() { return false }
      var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard poll(&room, 1, 50) != 0 else { continue }
      let count = left.prefix(1 << 14).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        // There is room for less than the system writes at once.
        poll(nil, 0, 5)
        continue
      }
      guard count > 0 else { throw .notWritten(to: "stdout", errno) }
      left = left.dropFirst(count)
    }
    return true
  }

  /// Writes what little there is to say before this process ends or stops, if it is taken soon.
  func writeLast(_ text: String) {
    let end = ContinuousClock.now + .milliseconds(500)
    // When this fails the terminal is gone.
    do throws(ArtError) { _ = try write(Array(text.utf8), unless: { ContinuousClock.now > end }) } catch {}
  }
}

extension SignalSource {
  /// Writes what was drawn to stdout. A signal that ends programs ends this one, and `last` closes what the terminal has half of.
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
