// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import ArtTerminal
import ArtWorker
import ArtWorkspace
import Glibc

/// The art of a document on the terminal that a command was begun on, once.
struct ShownArt {
  let choice: GraphicsChoice
  let view: ViewOptions.View
  let font: String?

  /// Whether art is wanted here. A pipe gets it only where somebody asks for a kind.
  var isWanted: Bool {
    switch choice {
    case .none: false
    case .auto: isatty(1) == 1 && TerminalSurroundings.here.isCapable
    case .kitty, .sixel, .symbols, .text: true
    }
  }

  /// Has the scene drawn so that it fits the terminal below so many lines of text, of which it leaves a third in sight at most. Nil
  /// for nothing. A signal that ends or stops programs does so with this one, the terminal as it was.
  func drawn(_ scene: Scene, below lines: Int) throws -> TerminalArt? {
    let held = SignalSource(SignalSource.endings + [SIGTSTP])
    defer { held.release() }
    var question = isAsked ? TerminalQuestion() : nil
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
  func follow(_ file: DocumentFile, _ place: FollowedPlace) throws(ArtError) {
    guard let mode = TerminalMode(), choice != .none else {
      throw ArtError(
        .usage, "--live wants a terminal to draw on; `emojiart watch` tells of changes elsewhere")
    }
    try checkThreads()
    let held = SignalSource(SignalSource.endings + [SIGTSTP])
    var question = isAsked ? TerminalQuestion() : nil
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
