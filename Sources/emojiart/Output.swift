// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import ArtSystem
import ArtTerminal
import ArtWorkspace
import Glibc
import Synchronization

/// Buffered output to stdout, and messages to stderr.
enum Output {
  private struct State {
    var gathered: [UInt8] = []
    /// Whether the output is kept until it is known to hold.
    var isHeld = false
    var errorNote: String?
    var timeout = Timeout.unlimited
    /// The output that is collected for a pager; nil while none is.
    var page: [UInt8]?
  }

  /// How long a write waits for a slow reader.
  private enum Timeout {
    /// Without a limit; a signal ends the process.
    case unlimited
    /// Until the source receives a blocked signal, which then ends the process.
    case until(SignalSource)
    /// Until the deadline; then the process dies of the signal.
    case last(Int32, ContinuousClock.Instant)
  }

  private static let limit = 1 << 16
  private static let state = Mutex(State())

  /// Notes that the edit is saved already. A later failed write adds this to its error, so that the user does not
  /// repeat the edit.
  static func addToErrors(_ note: String) { state.withLock { $0.errorNote = note } }

  /// From now on a blocked signal ends the process while a write waits; nil when no signals are blocked any more.
  static func wait(until signals: SignalSource?) {
    state.withLock { $0.timeout = signals.map { .until($0) } ?? .unlimited }
  }

  /// The following output is the last before the process dies of the signal; writes wait for one second at most.
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
      return state.gathered.count >= limit && !state.isHeld
    }
    if isFull { try flush() }
  }

  /// Collects the output from now on, with what goes to stderr if that is a terminal, too.
  static func beginPage() throws(ArtError) {
    try flush()
    state.withLock { $0.page = [] }
  }

  /// Returns what was collected.
  static func endPage() -> [UInt8] {
    state.withLock { state in
      defer { (state.page, state.gathered) = (nil, []) }
      return (state.page ?? []) + state.gathered
    }
  }

  /// From now on nothing is written to stdout, until `release` or `discard`.
  static func hold() { state.withLock { $0.isHeld = true } }

  /// Writes what was held with the next flush.
  static func release() { state.withLock { $0.isHeld = false } }

  /// Drops what was held.
  static func discard() {
    state.withLock { state in
      state.gathered.removeAll()
      state.isHeld = false
    }
  }

  /// Throws `inputOutput` when stdout cannot be written.
  static func flush() throws(ArtError) {
    let (bytes, note) = state.withLock { state in
      if state.isHeld { return ([UInt8](), state.errorNote) }
      defer { state.gathered.removeAll() }
      guard state.page == nil else {
        state.page?.append(contentsOf: state.gathered)
        return ([UInt8](), state.errorNote)
      }
      return (state.gathered, state.errorNote)
    }
    guard let number = write(bytes[...], to: 1) else { return }
    let error = ArtError.notWritten(to: "stdout", number)
    throw note.map { ArtError(error.code, "\(error.message); \($0)") } ?? error
  }

  /// Prints one line on stderr. Line breaks in the message are escaped like other control characters.
  static func printError(_ message: String) { writeError("emojiart: \(safe(message))\n") }

  /// Prints the error as a line of JSON on stderr: `{"error":{"code":"…","message":"…"}}`.
  static func printJSON(_ error: ArtError) {
    var writer = JSONWriter(urls: .redacted)
    writer.object {
      $0.key("error")
      error.write(to: &$0, message: \.message)
    }
    writeError(writer.text + "\n")
  }

  /// Writes text to stderr unchanged.
  static func writeError(_ text: String) {
    let isCollected = state.withLock { state in
      guard state.page != nil, isatty(2) == 1 else { return false }
      state.page?.append(contentsOf: state.gathered + Array(text.utf8))
      state.gathered.removeAll()
      return true
    }
    if isCollected { return }
    // There is no other channel on which a failure could be reported.
    _ = write(Array(text.utf8)[...], to: 2)
  }

  /// Writes all bytes. Returns the system's error number on failure.
  static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int32? {
    let timeout = state.withLock { $0.timeout }
    var left = bytes
    while !left.isEmpty {
      let most = waitForCapacity(in: descriptor, timeout)
      let count = left.prefix(most).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        // Another program has made the pipe non-blocking.
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&room, 1, -1)
        continue
      }
      guard count > 0 else { return errno }
      left = left.dropFirst(count)
    }
    return nil
  }

  /// Returns how many bytes may be written without exceeding the timeout.
  private static func waitForCapacity(in descriptor: Int32, _ timeout: Timeout) -> Int {
    if case .unlimited = timeout { return .max }
    var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    while poll(&room, 1, 50) <= 0 {
      switch timeout {
      case .unlimited: break
      case .until(let signals): if let number = signals.next() { SignalSource.die(of: number) }
      case .last(let number, let end): if ContinuousClock.now > end { SignalSource.die(of: number) }
      }
    }
    // A pipe that is ready for writing accepts a page without blocking.
    return 4096
  }
}

// MARK: - Text

/// Makes text from a document, a path or an argument safe for a terminal: control characters and characters that
/// change the text direction become visible escapes such as `\u{1b}`.
func safe(_ text: String) -> String { text.visible }

/// Shows an argument in a message; an empty one is shown as `""`.
func shown(_ typed: String) -> String { typed.isEmpty ? "\"\"" : typed }

/// Whether to style text: on a terminal, unless `NO_COLOR` is set (https://no-color.org) or the terminal is dumb.
enum Style {
  static let isColored: Bool = {
    guard isatty(1) == 1, environment("NO_COLOR") == nil else { return false }
    return environment("TERM").map { $0 != "dumb" } ?? false
  }()

  static func bold(_ text: String) -> String { isColored ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
  static func faint(_ text: String) -> String { isColored ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}

/// Asks for confirmation on the terminal. Throws `usage` without a terminal, `notPermitted` for any answer but yes.
///
/// `operation` is what needs the confirmation, `stays` says what remains without it.
func confirm(_ question: String, _ operation: String, otherwise stays: String) throws(ArtError) {
  guard isatty(0) == 1, isatty(2) == 1 else {
    throw ArtError(.usage, "\(operation) needs confirmation; add --yes")
  }
  Output.writeError("\(safe(question))? Type yes: ")
  guard readLine()?.lowercased() == "yes" else {
    throw ArtError(.notPermitted, "\(stays): the answer was not yes")
  }
}

// MARK: - Terminal

extension TerminalEnvironment {
  /// The environment of this process.
  static var here: TerminalEnvironment { TerminalEnvironment(environment) }
}

extension TerminalQuery {
  /// Queries the terminal behind stdout. Nil when it should not be queried.
  init?() { self.init(.here) { Output.write(Array($0.utf8)[...], to: 1) == nil } }
}

extension TerminalSize {
  /// The size of the terminal behind stdout. Cell sizes that the terminal reported take precedence over the system's.
  static func now(_ answers: TerminalAnswers?) -> TerminalSize { now(answers, environment) }
}

extension TerminalMode {
  /// The mode of the terminal behind stdin and stdout.
  init?() { self.init(term: environment("TERM")) }
}
