// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtTerminal
import ArtWorkspace
import Glibc

/// Which part of the art is shown, and how large.
struct ViewOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The zoom: 1 shows the whole canvas, 2 twice as large.", valueName: "times"))
  var zoom: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The place in the middle: pixels or percent, 10,20 or 50%,50%.", valueName: "x,y"))
  var center: String?

  /// The parsed options.
  struct View: Equatable, Sendable {
    var times: Double?
    var center: Coordinates?
  }

  /// Throws `badValue`.
  func view() throws(ArtError) -> View {
    var view = View()
    if let zoom {
      guard let times = Double(zoom), times.isFinite, times > 0, !zoom.contains("x") else {
        throw ArtError(.badValue, "\(shown(zoom)) is no zoom; give a number above 0, such as 2")
      }
      view.times = times
    }
    if let center { view.center = try Coordinates(center) }
    return view
  }
}

extension ViewOptions.View {
  /// Applies it to a viewport, within its bounds. Throws `badValue`.
  func apply(to viewport: inout Viewport, _ canvas: Canvas) throws(ArtError) {
    if let times { viewport.zoom(to: viewport.fitZoom * times) }
    if let center {
      let point = try center.point(on: canvas)
      viewport.scroll(toCenterX: point.x, y: point.y)
    }
  }
}

/// How the art is to be shown.
struct ShowOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How to show the art: auto, kitty, sixel, symbols, text, words or none (default: EMOJIART_GRAPHICS, else auto; on a terminal).",
      valueName: "how"),
    completion: .list(GraphicsChoice.allCases.map(\.rawValue)))
  var graphics: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The emoji: noto, openmoji, twemoji, or a font file.", valueName: "file"),
    completion: .file())
  var font: String?

  /// The font: the option, else the user's setting. Throws what the settings throw.
  func fontFile() throws(ArtError) -> String? { try CurrentSettings.option(font, else: .font) }

  /// The option, else the user's setting, which is for terminals: a pipe gets `auto`. Throws `badValue`, and what the settings throw.
  func choice() throws(ArtError) -> GraphicsChoice {
    guard let graphics else {
      let usual = try Self.usual()
      return isatty(1) == 1 ? usual : .auto
    }
    return try Self.choice(graphics)
  }

  /// The user's setting. Throws what the settings throw.
  static func usual() throws(ArtError) -> GraphicsChoice {
    try CurrentSettings.ofCommand[.graphics].map { (value) throws(ArtError) in try choice(value.text) }
      ?? .auto
  }

  private static func choice(_ typed: String) throws(ArtError) -> GraphicsChoice {
    guard let choice = GraphicsChoice(rawValue: typed) else {
      throw ArtError(.badValue, "\(shown(typed)) is no way to show art; give \(GraphicsChoice.list)")
    }
    return choice
  }
}

/// How many lines are printed at most.
struct LimitOptions: ParsableArguments {
  @Option(
    name: .customShort("n"), parsing: .unconditional,
    help: ArgumentHelp("Print at most this many.", valueName: "count"))
  var most: String?

  /// Nil for all. Throws `badValue`.
  func limit() throws(ArtError) -> Int? {
    guard let most else { return nil }
    guard let limit = Int(most), limit > 0 else {
      throw ArtError(.badValue, "\(shown(most)) is no count; give a number from 1 up")
    }
    return limit
  }
}
