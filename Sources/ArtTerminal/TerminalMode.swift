// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// A terminal that gives each key at once, and marks pastes; and back. Whoever stops, continues or ends the program
/// calls `restore` and `enter`, each as often as it likes. After SIGCONT the terminal is anybody's: `enter` comes before
/// the next read, and while it is false nothing is read, for the system stops a background program that does.
package struct TerminalMode: Sendable {
  private let input: Int32
  private let output: Int32
  /// How the terminal was.
  private let original: termios

  /// Nil when the two are no terminal, or one that obeys no escape sequences.
  package init?(input: Int32 = 0, output: Int32 = 1, term: String?) {
    var settings = termios()
    guard let term, term != "dumb", isatty(output) == 1, tcgetattr(input, &settings) == 0 else { return nil }
    (self.input, self.output, original) = (input, output, settings)
  }

  /// False for a program in the background, which must leave the terminal to the one before it.
  /// Throws `inputOutput` when the terminal is gone.
  package func enter() throws(ArtError) -> Bool {
    guard isInForeground else { return false }
    var settings = original
    settings.c_iflag &= ~tcflag_t(BRKINT | ICRNL | IGNCR | INLCR | ISTRIP | IXON)
    settings.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
    withUnsafeMutableBytes(of: &settings.c_cc) { (codes) in
      codes[Int(VMIN)] = 1
      codes[Int(VTIME)] = 0
    }
    guard tcsetattr(input, TCSANOW, &settings) == 0 else {
      throw ArtError(.inputOutput, "cannot set up the terminal: \(SystemError.text(of: errno))")
    }
    write("\u{1B}[?2004h")
    return true
  }

  /// Puts the terminal back. It only makes calls that a signal handler may make, and allocates nothing.
  package func restore() {
    let number = errno
    defer { errno = number }
    // A background program would be stopped by this, for good if it is about to end.
    guard isInForeground else { return }
    _ = withUnsafePointer(to: original) { tcsetattr(input, TCSANOW, $0) }
    // A terminal that takes nothing keeps nobody from ending.
    var ready = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
    guard poll(&ready, 1, 200) == 1 else { return }
    write("\u{1B}[?2004l")
  }

  /// How many columns there are now; 80 where the terminal does not say.
  package var columns: Int {
    var size = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// A terminal that is not the one of this session knows no background.
  private var isInForeground: Bool {
    let group = tcgetpgrp(input)
    return group < 0 || group == getpgrp()
  }

  private func write(_ sequence: StaticString) {
    // When this fails the terminal is gone, and its modes with it.
    _ = Glibc.write(output, sequence.utf8Start, sequence.utf8CodeUnitCount)
  }
}

/// How large a terminal is.
package struct TerminalSize: Equatable, Sendable {
  /// The bounds of what is used of it: more symbols are not drawn at once.
  private static let most = (columns: 400, rows: 160)

  /// Cells across.
  package var columns: Int
  /// Cells down.
  package var rows: Int
  /// Pixels of a cell; nil where nobody knows.
  package var cell: TerminalAnswers.Cell?

  /// A size within bounds; nothing is less than a cell.
  package init(columns: Int, rows: Int, cell: TerminalAnswers.Cell? = nil) {
    self.columns = min(max(columns, 1), Self.most.columns)
    self.rows = min(max(rows, 1), Self.most.rows)
    self.cell = cell
  }

  /// What the system says of the terminal behind stdout, else `COLUMNS` and `LINES` of the environment, else 80 x 24. What the terminal answered
  /// of its cells counts more than what the system knows.
  package static func now(_ answers: TerminalAnswers?, _ variable: (String) -> String?) -> TerminalSize {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return TerminalSize(
        columns: number(variable("COLUMNS")) ?? 80, rows: number(variable("LINES")) ?? 24, cell: answers?.cell
      )
    }
    let (columns, rows) = (Int(size.ws_col), Int(size.ws_row))
    let known = TerminalAnswers.Cell(width: Int(size.ws_xpixel) / columns, height: Int(size.ws_ypixel) / rows)
    return TerminalSize(columns: columns, rows: rows, cell: answers?.cell ?? known)
  }

  private static func number(_ text: String?) -> Int? {
    text.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Which design fits.
  package var sizeClass: SizeClass { SizeClass(columns: columns, rows: rows) }
}
