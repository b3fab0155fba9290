// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtTerminal
import Glibc

/// Shows output that is longer than the terminal in the user's pager, as git does: `EMOJIART_PAGER`, else `PAGER`, else less, run by a
/// shell, with `LESS=FRX` unless `LESS` is set. Empty or `cat` means none.
///
/// All of the output is collected first, so a pager that cannot be run, or dies, loses nothing: then the output goes to the terminal.
/// The exit status stays that of the command.
enum Pager {
  /// Runs `body`, and shows what it writes by `Output`. Rethrows its error afterwards.
  static func show(_ body: () throws -> Void) throws {
    guard let command = command(Environment.raw), canPage else { return try body() }
    try Output.beginPage()
    let result = Result { try body() }
    try write(Output.endPage(), by: command)
    try result.get()
  }

  /// The user's pager; nil for none.
  static func command(_ variable: (String) -> String?) -> String? {
    let command = variable("EMOJIART_PAGER") ?? variable("PAGER") ?? standard
    return command.allSatisfy(\.isWhitespace) || command == "cat" ? nil : command
  }

  private static let standard = "less"

  /// Only in the foreground of a terminal that a pager can use.
  private static var canPage: Bool {
    guard isatty(1) == 1, TerminalEnvironment.here.isCapable, tcgetpgrp(1) == getpgrp() else { return false }
    // At the prompt of `edit` the keys are the prompt's.
    var settings = termios()
    return tcgetattr(1, &settings) == 0 && settings.c_lflag & tcflag_t(ICANON) != 0
  }

  /// Whether an output needs more rows than the terminal has above the shell's prompt. Long lines wrap.
  static func isLong(_ output: [UInt8], on terminal: TerminalSize) -> Bool {
    var rows = 0
    for line in output.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
      rows += LineView.rows(of: String(decoding: line, as: UTF8.self), columns: terminal.columns)
      if rows >= terminal.rows { return true }
    }
    return false
  }

  private static func write(_ output: [UInt8], by command: String) throws(ArtError) {
    guard isLong(output, on: TerminalSize.now(nil)) else { return try put(output) }
    // A plain word is looked up here, because the shell's own message would stand before all of the output.
    let isPlain = command.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || "0123456789-_./".unicodeScalars.contains($0)
    }
    guard !isPlain || Programs.isThere(command) else {
      try put(output)
      if command != standard {
        Output.printError("the pager \(command) cannot be run; EMOJIART_PAGER names another, or cat for none")
      }
      return
    }
    if !shows(output, command) { try put(output) }
  }

  private static func put(_ output: [UInt8]) throws(ArtError) {
    try Output.write(output)
    try Output.flush()
  }

  /// Returns false if the pager could not be run, failed, or was killed. Ctrl-C is the pager's.
  private static func shows(_ output: [UInt8], _ command: String) -> Bool {
    guard let pipe = popen("LESS=${LESS-FRX} LV=${LV--c}; export LESS LV\n\(command)", "we") else {
      return false
    }
    // From here on, so that the pager does not inherit it.
    let signals = SignalSource([SIGINT, SIGQUIT])
    let pipeHandler = signal(SIGPIPE, SIG_IGN)
    // A pager that was left early takes no more.
    _ = Output.write(output[...], to: fileno(pipe))
    let status = pclose(pipe)
    signal(SIGPIPE, pipeHandler)
    let isInterrupted = signals.next() != nil
    signals.release()
    return status == 0 || isInterrupted
  }
}
