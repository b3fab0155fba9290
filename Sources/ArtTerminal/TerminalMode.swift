// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc
import Synchronization

/// Sets a terminal to raw mode with bracketed paste, and back. `restore` and `enter` may be called any number
/// of times, before the program stops and after it continues. After SIGCONT, call `enter` before the next read,
/// and do not read while it returns false: the system stops a background program that reads.
package struct TerminalMode: Sendable {
  private let input: Int32
  private let output: Int32
  /// The settings before `enter`.
  private let original: termios
  /// Whether `enter` has changed the terminal.
  private final class Entered: Sendable { let isSet = Atomic<Bool>(false) }
  private let entered = Entered()

  /// Nil when the descriptors are no terminal, or one that does not support escape sequences.
  package init?(input: Int32 = 0, output: Int32 = 1, term: String?) {
    var settings = termios()
    guard let term, term != "dumb", isatty(output) == 1, tcgetattr(input, &settings) == 0 else { return nil }
    (self.input, self.output, original) = (input, output, settings)
  }

  /// Sets raw mode; false for a background program, which must not change the terminal. Throws `inputOutput`
  /// when the terminal is gone.
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
    entered.isSet.store(true, ordering: .sequentiallyConsistent)
    write("\u{1B}[?2004h")
    return true
  }

  /// Restores the terminal, if `enter` has changed it. Async-signal-safe, and allocates nothing.
  package func restore() {
    let number = errno
    defer { errno = number }
    // The system would stop a background program here, for good if the program is about to end.
    guard isInForeground, entered.isSet.load(ordering: .sequentiallyConsistent) else { return }
    _ = withUnsafePointer(to: original) { tcsetattr(input, TCSANOW, $0) }
    // A terminal that does not accept output must not keep the program from ending.
    var ready = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
    guard poll(&ready, 1, 200) == 1 else { return }
    write("\u{1B}[?2004l")
  }

  /// The current number of columns; 80 where the terminal does not report it.
  package var columns: Int {
    var size = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// A terminal that is not this session's controlling terminal has no background programs.
  private var isInForeground: Bool {
    let group = tcgetpgrp(input)
    return group < 0 || group == getpgrp()
  }

  private func write(_ sequence: StaticString) {
    // When this fails, the terminal is gone, and its modes with it.
    _ = Glibc.write(output, sequence.utf8Start, sequence.utf8CodeUnitCount)
  }
}

// MARK: - Size

/// The size of a terminal.
package struct TerminalSize: Equatable, Sendable {
  /// The largest size that is used: more symbols are not drawn at once.
  private static let limits = (columns: 400, rows: 160)

  /// Columns.
  package var columns: Int
  /// Rows.
  package var rows: Int
  /// The size of a cell in pixels; nil where it is not known.
  package var cell: TerminalAnswers.Cell?

  /// A size, clamped to the bounds.
  package init(columns: Int, rows: Int, cell: TerminalAnswers.Cell? = nil) {
    self.columns = min(max(columns, 1), Self.limits.columns)
    self.rows = min(max(rows, 1), Self.limits.rows)
    self.cell = cell
  }

  /// The size of the terminal on stdout, else `COLUMNS` and `LINES`, else 80 x 24. The cell size that the
  /// terminal answered takes precedence over the system's.
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

  /// The layout for this size.
  package var sizeClass: SizeClass { SizeClass(columns: columns, rows: rows) }
}
