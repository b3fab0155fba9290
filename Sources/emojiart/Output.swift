// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtTerminal
import ArtWorkspace
import Glibc
import Synchronization

/// What goes to stdout, gathered and written in large pieces, and what goes to stderr.
enum Output {
  private struct State {
    var gathered: [UInt8] = []
    var deed: String?
    var timeout = Patience.endless
  }

  /// How long who takes what is written is waited for.
  private enum Patience {
    /// As long as the system does, which a signal ends.
    case endless
    /// Until one of the signals comes that somebody holds back; it ends this program then.
    case until(SignalSource)
    /// So long; then this program dies of that signal.
    case last(Int32, ContinuousClock.Instant)
  }

  private static let limit = 1 << 16
  private static let state = Mutex(State())

  /// What is written from here on tells of something that is in the file: who cannot be told should not do it again.
  static func tell(of deed: String) { state.withLock { $0.deed = deed } }

  /// From here on signals that are held back end this program while nobody takes what it writes; nil where none are any more.
  static func wait(until held: SignalSource?) {
    state.withLock { $0.timeout = held.map { .until($0) } ?? .endless }
  }

  /// What is written from here on is the last before this program dies of a signal, and is not waited for long.
  static func beginLast(before number: Int32) {
    state.withLock { $0.timeout = .last(number, ContinuousClock.now + .seconds(1)) }
  }

  static func line(_ text: String) throws(ArtError) { try gather(text.utf8, [UInt8(ascii: "\n")]) }

  static func write(_ bytes: [UInt8]) throws(ArtError) { try gather(bytes, []) }

  static func json(_ value: JSON) throws(ArtError) { try line(value.text) }

  private static func gather(_ text: some Sequence<UInt8>, _ end: [UInt8]) throws(ArtError) {
    let isFull = state.withLock { state in
      state.gathered.append(contentsOf: text)
      state.gathered.append(contentsOf: end)
      return state.gathered.count >= limit
    }
    if isFull { try flush() }
  }

  /// Throws `inputOutput` when stdout does not take it.
  static func flush() throws(ArtError) {
    let (bytes, deed) = state.withLock { state in
      defer { state.gathered.removeAll() }
      return (state.gathered, state.deed)
    }
    guard let number = write(bytes[...], to: 1) else { return }
    let error = ArtError.notWritten(to: "stdout", number)
    throw deed.map { ArtError(error.code, "\(error.message); \($0)") } ?? error
  }

  /// One line to people, on stderr. Line breaks within it are made visible like other control characters.
  static func complain(_ message: String) { writeError("emojiart: \(safe(message))\n") }

  /// Text to people, on stderr, as it is.
  static func writeError(_ text: String) {
    // When this fails there is nobody left to tell.
    _ = write(Array(text.utf8)[...], to: 2)
  }

  /// Writes all bytes; the system's error number when that fails.
  static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int32? {
    let timeout = state.withLock { $0.timeout }
    var left = bytes
    while !left.isEmpty {
      let most = waitForCapacity(in: descriptor, timeout)
      let count = left.prefix(most).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        // Another program left the pipe so that writing does not wait.
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&room, 1, -1)
        continue
      }
      guard count > 0 else { return errno }
      left = left.dropFirst(count)
    }
    return nil
  }

  /// How many bytes may be written without more timeout than there is.
  private static func waitForCapacity(in descriptor: Int32, _ timeout: Patience) -> Int {
    if case .endless = timeout { return .max }
    var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    while poll(&room, 1, 50) <= 0 {
      switch timeout {
      case .endless: break
      case .until(let held): if let number = held.next() { SignalSource.die(of: number) }
      case .last(let number, let end): if ContinuousClock.now > end { SignalSource.die(of: number) }
      }
    }
    // A pipe that has room takes a page at once.
    return 4096
  }
}

/// Text from a document, a path or an argument, made fit for a terminal: control characters and what changes the
/// order of text become visible escapes, `\u{1b}`.
func safe(_ text: String) -> String { text.visible }

/// What was typed, so that it can be seen in a message.
func shown(_ typed: String) -> String { typed.isEmpty ? "\"\"" : typed }

/// Colour on a terminal, unless `NO_COLOR` says otherwise (https://no-color.org) or the terminal is dumb.
enum Style {
  static let isColored: Bool = {
    guard isatty(1) == 1, environment("NO_COLOR") == nil else { return false }
    return environment("TERM").map { $0 != "dumb" } ?? false
  }()

  static func bold(_ text: String) -> String { isColored ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
  static func faint(_ text: String) -> String { isColored ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}

/// Asks for a yes on the terminal. Throws `usage` where nobody can be asked, `notPermitted` where the answer is another.
///
/// `deed` is what wants the yes, `stays` what happens without it.
func confirm(_ question: String, _ deed: String, otherwise stays: String) throws(ArtError) {
  guard isatty(0) == 1, isatty(2) == 1 else { throw ArtError(.usage, "\(deed) wants a yes: add --yes") }
  Output.writeError("\(safe(question))? Type yes: ")
  guard readLine()?.lowercased() == "yes" else {
    throw ArtError(.notPermitted, "\(stays): the answer was not yes")
  }
}

// The terminal that a command was begun on, as its environment tells of it.

extension TerminalEnvironment {
  /// This program's.
  static var here: TerminalEnvironment { TerminalEnvironment(environment) }
}

extension TerminalQuery {
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
