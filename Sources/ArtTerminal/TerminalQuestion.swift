// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A terminal that was asked what it can show, and may still owe the answer.
///
/// Asked is only a terminal that can answer here: stdin and stdout are the same one, this program is before it, nobody has typed
/// ahead, and it is no dumb one. It has 100 ms, or what the surroundings say. While it owes an answer it does not show what is typed, so that nothing of a
/// late one is seen; whoever asked calls `finish` before the program ends or stops, also by a signal, and holds signals until then.
package struct TerminalQuestion {
  /// Bytes that the system holds at most of what a terminal sends: N_TTY_BUF_SIZE.
  private static let mostHeld = 4096
  /// What it said in time.
  package private(set) var answers = TerminalAnswers()
  private var replies = TerminalReplies()
  private let asked = ContinuousClock.now
  private let latest: Duration
  /// How the terminal was; nil when it is so again.
  private var original: termios?

  /// Asks, and waits for the answer; nil for a terminal that is not asked. `put` writes to it, and says whether that was possible.
  package init?(_ surroundings: TerminalSurroundings, put: (String) -> Bool) {
    guard surroundings.mayBeAsked, Self.isBeforeUs else { return nil }
    var settings = termios()
    guard tcgetattr(0, &settings) == 0 else { return nil }
    original = settings
    latest = surroundings.latest
    settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
    withUnsafeMutableBytes(of: &settings.c_cc) { codes in
      codes[Int(VMIN)] = 0
      codes[Int(VTIME)] = 0
    }
    guard tcsetattr(0, TCSANOW, &settings) == 0 else { return nil }
    // What somebody has typed ahead is not ours to read.
    guard !Self.isReadable(within: 0), put(surroundings.question)
    else {
      restore()
      return nil
    }
    read(until: asked + surroundings.timeout)
    answers = replies.answers
    if answers.isComplete { restore() }
  }

  /// Waits for what is still owed, drops it, and puts the terminal back.
  package mutating func finish() {
    guard original != nil else { return }
    read(until: asked + latest)
    restore()
  }

  /// Puts the terminal back, now.
  package mutating func restore() {
    guard var settings = original else { return }
    original = nil
    tcsetattr(0, TCSANOW, &settings)
  }

  /// A byte at a time: what is typed after the answer belongs to who reads next. What has come by the end is read after it, too: on
  /// a busy machine this program may not have run meanwhile.
  private mutating func read(until end: ContinuousClock.Instant) {
    var byte: UInt8 = 0
    var held = Self.mostHeld
    while !replies.answers.isComplete, held > 0 {
      let left = end - .now
      if left <= .zero { held -= 1 }
      guard Self.isReadable(within: left > .zero ? Int32(left / .milliseconds(1)) + 1 : 0),
        Glibc.read(0, &byte, 1) == 1
      else { return }
      replies.take(CollectionOfOne(byte))
    }
  }

  private static func isReadable(within milliseconds: Int32) -> Bool {
    var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    return poll(&input, 1, milliseconds) == 1 && input.revents & Int16(POLLIN) != 0
  }

  /// Whether stdin and stdout are one terminal that this program is before.
  private static var isBeforeUs: Bool {
    var (input, output) = (stat(), stat())
    guard isatty(0) == 1, isatty(1) == 1, fstat(0, &input) == 0, fstat(1, &output) == 0 else { return false }
    return input.st_rdev == output.st_rdev && tcgetpgrp(0) == getpgrp()
  }
}

/// What the environment says of the terminal.
package struct TerminalSurroundings: Equatable, Sendable {
  /// `TERM`.
  package var term: String?
  /// `COLORTERM`.
  package var colorTerm: String?
  /// `NO_COLOR` is set.
  package var isColorless = false
  /// The terminal is another program's window, which passes no pictures of kitty's protocol on: tmux, screen.
  package var isMultiplexer = false
  /// The terminal is on another machine: what it says comes over a network.
  package var isRemote = false
  /// How long an answer decides: 100 ms, or `EMOJIART_TERMINAL_TIMEOUT` in milliseconds, up to ten minutes, for what plays a terminal
  /// on a machine that is busy.
  package var timeout = Duration.milliseconds(100)
  /// For the same `EMOJIART_TERMINAL_LATEST`: how long a late answer is waited for at least.
  package var latestAtLeast = Duration.zero

  /// Of these.
  package init(
    term: String? = nil, colorTerm: String? = nil, isColorless: Bool = false, isMultiplexer: Bool = false,
    isRemote: Bool = false
  ) {
    (self.term, self.colorTerm, self.isColorless) = (term, colorTerm, isColorless)
    (self.isMultiplexer, self.isRemote) = (isMultiplexer, isRemote)
  }

  /// As the environment says, of which `variable` tells.
  package init(_ variable: (String) -> String?) {
    self.init(
      term: variable("TERM"), colorTerm: variable("COLORTERM"), isColorless: variable("NO_COLOR") != nil,
      isMultiplexer: variable("TMUX") != nil || variable("STY") != nil,
      isRemote: variable("SSH_TTY") != nil || variable("SSH_CONNECTION") != nil)
    func milliseconds(_ name: String) -> Duration? {
      variable(name).flatMap(Int.init).flatMap { (1...600_000).contains($0) ? .milliseconds($0) : nil }
    }
    timeout = milliseconds("EMOJIART_TERMINAL_TIMEOUT") ?? timeout
    latestAtLeast = milliseconds("EMOJIART_TERMINAL_LATEST") ?? latestAtLeast
  }

  /// Whether it obeys escape sequences.
  package var isCapable: Bool { term.map { !["dumb", "unknown", "emacs"].contains($0) } ?? false }

  /// Whether it can be expected to answer, or at least to show nothing of the question.
  package var mayBeAsked: Bool {
    guard isCapable, let term else { return false }
    return !["linux", "cons25", "vt52"].contains(term) && !term.hasPrefix("eterm")
  }

  /// How long after the question a late answer is still waited for, to be dropped. Who never answers costs that long.
  package var latest: Duration { max(timeout, latestAtLeast, isRemote ? .seconds(1) : .milliseconds(350)) }

  /// What is asked, the one that every terminal answers last: kitty's protocol, the size of a cell, what it is.
  ///
  /// tmux takes the first one for its window's title. What a terminal shows of it is wiped away.
  package var question: String {
    let kitty = "\u{1B}_Gi=\(TerminalReplies.pictureNumber),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
    return (hidesKitty ? "" : "\u{1B}7\(kitty)\u{1B}8\u{1B}[K") + "\u{1B}[16t\u{1B}[c"
  }

  private var hidesKitty: Bool {
    isMultiplexer || term.map { $0.hasPrefix("screen") || $0.hasPrefix("tmux") } ?? true
  }
}

/// What a terminal says of itself.
package struct TerminalAnswers: Equatable, Sendable {
  /// Pixels of a cell.
  package struct Cell: Equatable, Sendable {
    /// The bounds of what is believed.
    package static let sides = 2...256
    package let width: Int
    package let height: Int

    /// Nil for what no cell has.
    package init?(width: Int, height: Int) {
      guard Self.sides.contains(width), Self.sides.contains(height) else { return nil }
      (self.width, self.height) = (width, height)
    }
  }

  /// It shows pictures by kitty's protocol.
  package var hasKitty = false
  /// It shows sixels.
  package var hasSixel = false
  /// How large its cells are, if it said so.
  package var cell: Cell?
  /// It has said what it is: nothing more comes.
  package var isComplete = false

  /// What it said.
  package init(
    hasKitty: Bool = false, hasSixel: Bool = false, cell: Cell? = nil, isComplete: Bool = false
  ) {
    (self.hasKitty, self.hasSixel, self.cell, self.isComplete) = (hasKitty, hasSixel, cell, isComplete)
  }
}

/// Bytes from a terminal that was asked to what it answers. They may be cut anywhere, and hold anything; what is no answer is
/// dropped, such as keys that were pressed meanwhile.
///
///     ground ──ESC──▶ escape ──[──▶ control ──final──▶ ground     CSI 6;H;W t: a cell; CSI ?…c: what it is, the last answer
///                        └─ _ P ] ^ X ─▶ string ─BEL, ST─▶ ground     APC Gi=31;OK: kitty's protocol
///
/// A byte that does not fit ends what was begun.
package struct TerminalReplies {
  /// The number of the picture that kitty's protocol is asked about.
  package static let pictureNumber = 31
  /// Bytes of one answer that are kept; a longer one is none.
  package static let longest = 128

  private enum State { case ground, escape, control, string, stringEscape }

  package private(set) var answers = TerminalAnswers()
  private var state = State.ground
  private var kept: [UInt8] = []
  private var isTooLong = false

  /// Nothing was said yet.
  package init() {}

  /// Whether the last bytes are the beginning of something.
  package var isUndecided: Bool { state != .ground }

  package mutating func take(_ bytes: some Sequence<UInt8>) { for byte in bytes { take(byte) } }

  private mutating func take(_ byte: UInt8) {
    switch (state, byte) {
    case (.escape, UInt8(ascii: "[")): begin(.control)
    case (.escape, _) where "_P]^X".utf8.contains(byte):
      begin(.string)
      keep(byte)
    case (.control, 0x20...0x3F): keep(byte)
    case (.control, 0x40...0x7E):
      state = .ground
      if !isTooLong { takeControl(kept, final: byte) }
    case (.string, 0x07), (.stringEscape, UInt8(ascii: "\\")):
      state = .ground
      if !isTooLong { takeString(kept) }
    case (.string, 0x1B): state = .stringEscape
    case (.string, 0x20...): keep(byte)
    case (.stringEscape, _):
      state = .escape
      take(byte)
    case (_, 0x1B): state = .escape
    default: state = .ground
    }
  }

  private mutating func begin(_ new: State) {
    state = new
    kept.removeAll(keepingCapacity: true)
    isTooLong = false
  }

  private mutating func keep(_ byte: UInt8) {
    if kept.count < Self.longest { kept.append(byte) } else { isTooLong = true }
  }

  private mutating func takeControl(_ parameters: [UInt8], final: UInt8) {
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

  private mutating func takeString(_ bytes: [UInt8]) {
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: ";", maxSplits: 1)
    guard parts.count == 2, parts[0] == "_Gi=\(Self.pictureNumber)" else { return }
    answers.hasKitty = parts[1] == "OK"
  }

  /// Nothing where one of them is none, or has more than four digits.
  private static func numbers(_ text: Substring) -> [Int] {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.utf8.count <= 4 && !$0.hasPrefix("+") ? Int($0) : nil }
    return numbers.count == parts.count ? numbers : []
  }
}
