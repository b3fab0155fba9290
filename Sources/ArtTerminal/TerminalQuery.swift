// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Queries the capabilities of the terminal.
///
/// Only a terminal that can answer here is queried: stdin and stdout are the same terminal, this program is in
/// its foreground, there is no input yet, and `TERM` is capable. It has `TerminalEnvironment.timeout` to answer, and all that comes
/// within that time counts. Echo is off until the answer is complete or `finish` is called, so that even a later one is not shown. The
/// caller must call `finish` before the program ends or stops, also by a signal, and must block signals until then.
package struct TerminalQuery {
  /// The most input that the system buffers for a terminal: N_TTY_BUF_SIZE.
  private static let inputLimit = 4096
  /// The answers that arrived in time.
  package private(set) var answers = TerminalAnswers()
  private var parser = TerminalReplyParser()
  private let start = ContinuousClock.now
  private let latest: Duration
  /// The original settings; nil after they are restored.
  private var original: termios?

  /// Sends the query and waits for the answer; nil for a terminal that is not queried. `put` writes to it and
  /// returns whether that succeeded.
  package init?(_ environment: TerminalEnvironment, put: (String) -> Bool) {
    guard environment.canBeQueried, Self.isForegroundTerminal else { return nil }
    var settings = termios()
    guard tcgetattr(0, &settings) == 0 else { return nil }
    original = settings
    latest = environment.latest
    settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
    withUnsafeMutableBytes(of: &settings.c_cc) { codes in
      codes[Int(VMIN)] = 0
      codes[Int(VTIME)] = 0
    }
    guard tcsetattr(0, TCSANOW, &settings) == 0 else { return nil }
    // Input that was typed before the query is not ours.
    guard !Self.isReadable(within: 0), put(environment.query)
    else {
      restore()
      return nil
    }
    read(until: start + environment.timeout)
    answers = parser.answers
    if answers.isComplete { restore() }
  }

  /// Drops an answer that came too late, and restores the terminal.
  package mutating func finish() {
    guard original != nil else { return }
    read(until: start + latest)
    restore()
  }

  /// Restores the terminal at once.
  package mutating func restore() {
    guard var settings = original else { return }
    original = nil
    tcsetattr(0, TCSANOW, &settings)
  }

  /// Reads byte by byte, because input after the answer belongs to the next reader. Input that has arrived by
  /// the end is still read: on a busy machine this program may not have run meanwhile.
  private mutating func read(until end: ContinuousClock.Instant) {
    var byte: UInt8 = 0
    var bytesLeft = Self.inputLimit
    while !parser.answers.isComplete, bytesLeft > 0 {
      let left = end - .now
      if left <= .zero { bytesLeft -= 1 }
      guard Self.isReadable(within: left > .zero ? Int32(left / .milliseconds(1)) + 1 : 0),
        Glibc.read(0, &byte, 1) == 1
      else { return }
      parser.receive(CollectionOfOne(byte))
    }
  }

  private static func isReadable(within milliseconds: Int32) -> Bool {
    var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    return poll(&input, 1, milliseconds) == 1 && input.revents & Int16(POLLIN) != 0
  }

  /// Whether stdin and stdout are one terminal with this program in its foreground.
  private static var isForegroundTerminal: Bool {
    var (input, output) = (stat(), stat())
    guard isatty(0) == 1, isatty(1) == 1, fstat(0, &input) == 0, fstat(1, &output) == 0 else { return false }
    return input.st_rdev == output.st_rdev && tcgetpgrp(0) == getpgrp()
  }
}

// MARK: - Environment

/// What the environment says about the terminal.
package struct TerminalEnvironment: Equatable, Sendable {
  /// `TERM`.
  package var term: String?
  /// `COLORTERM`.
  package var colorTerm: String?
  /// `NO_COLOR` is set.
  package var isColorless = false
  /// The terminal is a window of tmux or screen, which does not pass kitty's protocol on.
  package var isMultiplexer = false
  /// The terminal is on another machine, so answers come over a network.
  package var isRemote = false
  /// The terminal is a window of tmux.
  package var isTmux = false
  /// The terminal is one of GNOME's library VTE.
  package var isVTE = false
  /// The name of the terminal's program, where it gives one: `TERM_PROGRAM`, or `LC_TERMINAL`, which comes through SSH.
  package var program: String?
  /// How long an answer is waited for: 350 ms, over a network a second; or `EMOJIART_TERMINAL_TIMEOUT` in milliseconds, up to ten
  /// minutes, for what plays a terminal on a machine that is busy. A terminal that never answers costs this time.
  package var timeout: Duration { chosenTimeout ?? (isRemote ? .seconds(1) : .milliseconds(350)) }
  private var chosenTimeout: Duration?
  /// For what plays a terminal `EMOJIART_TERMINAL_LATEST`: how long an answer that is too late is waited for at least, to be dropped.
  package var latestAtLeast = Duration.zero

  /// Creates an environment from values.
  package init(
    term: String? = nil, colorTerm: String? = nil, isColorless: Bool = false, isMultiplexer: Bool = false,
    isRemote: Bool = false
  ) {
    (self.term, self.colorTerm, self.isColorless) = (term, colorTerm, isColorless)
    (self.isMultiplexer, self.isRemote) = (isMultiplexer, isRemote)
  }

  /// Reads the environment with a closure.
  package init(_ variable: (String) -> String?) {
    self.init(
      term: variable("TERM"), colorTerm: variable("COLORTERM"), isColorless: variable("NO_COLOR") != nil,
      isMultiplexer: variable("TMUX") != nil || variable("STY") != nil,
      isRemote: variable("SSH_TTY") != nil || variable("SSH_CONNECTION") != nil)
    func milliseconds(_ name: String) -> Duration? {
      variable(name).flatMap(Int.init).flatMap { (1...600_000).contains($0) ? .milliseconds($0) : nil }
    }
    isTmux = variable("TMUX") != nil
    isVTE = variable("VTE_VERSION") != nil
    program = variable("TERM_PROGRAM") ?? variable("LC_TERMINAL")
    chosenTimeout = milliseconds("EMOJIART_TERMINAL_TIMEOUT")
    latestAtLeast = milliseconds("EMOJIART_TERMINAL_LATEST") ?? latestAtLeast
  }

  /// Whether the terminal supports escape sequences.
  package var isCapable: Bool { term.map { !["dumb", "unknown", "emacs"].contains($0) } ?? false }

  /// Whether the terminal answers, or at least does not show the query.
  package var canBeQueried: Bool {
    guard isCapable, let term else { return false }
    return !["linux", "cons25", "vt52"].contains(term) && !term.hasPrefix("eterm")
  }

  /// The time after the query before which the terminal is not restored, unless it has answered.
  package var latest: Duration { max(timeout, latestAtLeast) }

  /// Whether the terminal shows pictures by kitty's protocol, as its name says. Within tmux and screen the name is that of another one.
  package var isKitty: Bool {
    !isMultiplexer && (term == "xterm-kitty" || term == "xterm-ghostty")
  }

  /// The query: kitty's protocol, the cell size, and the device attributes, which every terminal answers, and
  /// last.
  ///
  /// tmux takes the first one for a window title. Anything that the terminal shows of it is erased.
  package var query: String {
    let kitty = "\u{1B}_Gi=\(TerminalReplyParser.pictureNumber),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
    return (hidesKitty ? "" : "\u{1B}7\(kitty)\u{1B}8\u{1B}[K") + "\u{1B}[16t\u{1B}[c"
  }

  private var hidesKitty: Bool {
    isMultiplexer || term.map { $0.hasPrefix("screen") || $0.hasPrefix("tmux") } ?? true
  }
}

// MARK: - Answers

/// The answers of a terminal.
package struct TerminalAnswers: Equatable, Sendable {
  /// The size of a cell in pixels.
  package struct Cell: Equatable, Sendable {
    /// The plausible range.
    package static let sides = 2...256
    package let width: Int
    package let height: Int

    /// Nil for an implausible size.
    package init?(width: Int, height: Int) {
      guard Self.sides.contains(width), Self.sides.contains(height) else { return nil }
      (self.width, self.height) = (width, height)
    }
  }

  /// It supports kitty's graphics protocol.
  package var hasKitty = false
  /// It supports sixels.
  package var hasSixel = false
  /// The cell size, if it was answered.
  package var cell: Cell?
  /// The last answer has arrived.
  package var isComplete = false

  /// Creates answers.
  package init(
    hasKitty: Bool = false, hasSixel: Bool = false, cell: Cell? = nil, isComplete: Bool = false
  ) {
    (self.hasKitty, self.hasSixel, self.cell, self.isComplete) = (hasKitty, hasSixel, cell, isComplete)
  }
}

// MARK: - Parsing

/// Parses the answers of a terminal. The bytes may be split anywhere; anything else, such as typed keys, is
/// dropped.
///
///     ground ──ESC──▶ escape ──[──▶ control ──final──▶ ground     CSI 6;H;W t: cell; CSI ?…c: the end
///                        └─ _ P ] ^ X ─▶ string ─BEL, ST─▶ ground     APC Gi=31;OK: kitty's protocol
///
/// An unexpected byte ends the current sequence.
package struct TerminalReplyParser {
  /// The number of the picture in the query of kitty's protocol.
  package static let pictureNumber = 31
  /// The bytes of an answer; a longer one is dropped.
  package static let answerLimit = 128

  private enum State { case ground, escape, control, string, stringEscape }

  package private(set) var answers = TerminalAnswers()
  private var state = State.ground
  private var buffer: [UInt8] = []
  private var isTooLong = false

  /// A parser in its ground state.
  package init() {}

  /// Whether the last bytes are the beginning of a sequence.
  package var isUndecided: Bool { state != .ground }

  package mutating func receive(_ bytes: some Sequence<UInt8>) { for byte in bytes { receive(byte) } }

  private mutating func receive(_ byte: UInt8) {
    switch (state, byte) {
    case (.escape, UInt8(ascii: "[")): begin(.control)
    case (.escape, _) where "_P]^X".utf8.contains(byte):
      begin(.string)
      keep(byte)
    case (.control, 0x20...0x3F): keep(byte)
    case (.control, 0x40...0x7E):
      state = .ground
      if !isTooLong { parseControl(buffer, final: byte) }
    case (.string, 0x07), (.stringEscape, UInt8(ascii: "\\")):
      state = .ground
      if !isTooLong { parseString(buffer) }
    case (.string, 0x1B): state = .stringEscape
    case (.string, 0x20...): keep(byte)
    case (.stringEscape, _):
      state = .escape
      receive(byte)
    case (_, 0x1B): state = .escape
    default: state = .ground
    }
  }

  private mutating func begin(_ new: State) {
    state = new
    buffer.removeAll(keepingCapacity: true)
    isTooLong = false
  }

  private mutating func keep(_ byte: UInt8) {
    if buffer.count < Self.answerLimit { buffer.append(byte) } else { isTooLong = true }
  }

  private mutating func parseControl(_ parameters: [UInt8], final: UInt8) {
    let text = String(decoding: parameters, as: UTF8.self)
    switch final {
    case UInt8(ascii: "c") where text.hasPrefix("?"):
      answers.hasSixel = Self.numbers(text.dropFirst()).dropFirst().contains(4)
      answers.isComplete = true
    case UInt8(ascii: "t"):
      let numbers = Self.numbers(text[...])
      guard numbers.count == 3, numbers[0] == 6 else { return }
      answers.cell = TerminalAnswers.Cell(width: numbers[2], height: numbers[1])
    default: break
    }
  }

  private mutating func parseString(_ bytes: [UInt8]) {
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: ";", maxSplits: 1)
    guard parts.count == 2, parts[0] == "_Gi=\(Self.pictureNumber)" else { return }
    answers.hasKitty = parts[1] == "OK"
  }

  /// Empty where a number is invalid, or has more than four digits.
  private static func numbers(_ text: Substring) -> [Int] {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.utf8.count <= 4 && !$0.hasPrefix("+") ? Int($0) : nil }
    return numbers.count == parts.count ? numbers : []
  }
}
