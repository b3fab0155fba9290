// SPDX-License-Identifier: Apache-2.0

import ArtTerminal
import Glibc

// The terminal that a command was begun on, as its environment tells of it.

extension TerminalSurroundings {
  /// This program's.
  static var here: TerminalSurroundings { TerminalSurroundings(environment) }
}

extension TerminalQuestion {
  /// Asks the terminal behind stdout.
  init?() { self.init(.here) { Output.write(Array($0.utf8)[...], to: 1) == nil } }
}

extension TerminalSize {
  /// That of the terminal behind stdout; what it answered of its cells counts more than what the system knows.
  static func now(_ answers: TerminalAnswers?) -> TerminalSize { now(answers, environment) }
}

extension TerminalMode {
  /// Of the terminal behind stdin and stdout.
  init?() { self.init(term: environment("TERM")) }
}
