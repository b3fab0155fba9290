// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// How a person wants the art to be shown.
package enum GraphicsChoice: String, CaseIterable, Sendable {
  case auto, kitty, sixel, symbols, text, none
}

/// How the art is shown.
package enum Graphics: Equatable, Sendable {
  /// A picture by kitty's protocol: https://sw.kovidgoyal.net/kitty/graphics-protocol/
  case kitty
  case sixel
  /// Characters in colours.
  case symbols(TerminalColors)
  /// The emoji themselves, each in a cell.
  case text

  /// What a terminal shows best; nil for nothing. A choice other than `auto` is not questioned. `answers` are nil where nobody
  /// was asked.
  package static func best(
    _ choice: GraphicsChoice, isTerminal: Bool, _ surroundings: TerminalSurroundings,
    _ answers: TerminalAnswers?
  ) -> Graphics? {
    let colors = surroundings.colors
    switch choice {
    case .none: return nil
    case .kitty: return .kitty
    case .sixel: return .sixel
    case .symbols: return .symbols(colors ?? .direct)
    case .text: return .text
    case .auto:
      guard isTerminal, surroundings.isCapable else { return nil }
      if answers?.hasKitty == true { return .kitty }
      if answers?.hasSixel == true { return .sixel }
      guard !surroundings.isColorless else { return .text }
      if let colors { return .symbols(colors) }
      return answers?.isComplete == true ? .symbols(.eight) : .text
    }
  }
}

extension TerminalSurroundings {
  /// The colours that the terminal is known to have.
  fileprivate var colors: TerminalColors? {
    if let colorTerm, ["truecolor", "24bit"].contains(colorTerm) { return .direct }
    guard let term else { return nil }
    if term.hasSuffix("-direct")
      || ["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm"].contains(term)
    {
      return .direct
    }
    if term.contains("256color") { return .indexed }
    return term == "linux" || term.hasSuffix("-16color") || term.hasSuffix("-color") ? .eight : nil
  }
}
