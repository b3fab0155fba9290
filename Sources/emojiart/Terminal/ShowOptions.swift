// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtTerminal

/// How the art is to be shown.
struct ShowOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How to show the art: auto, kitty, sixel, symbols, text or none (default: auto, on a terminal).",
      valueName: "how"),
    completion: .list(GraphicsChoice.allCases.map(\.rawValue)))
  var graphics: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The font with colour glyphs.", valueName: "file"), completion: .file())
  var font: String?

  /// Throws `badValue`.
  func choice() throws(ArtError) -> GraphicsChoice {
    guard let graphics else { return .auto }
    guard let choice = GraphicsChoice(rawValue: graphics) else {
      throw ArtError(
        .badValue, "\(shown(graphics)) is no way to show art; give auto, kitty, sixel, symbols, text or none")
    }
    return choice
  }
}
