// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal
import TestSupport
import Testing

@testable import emojiart

@Suite("The replies of a terminal")
struct TerminalReplyTests {
  private func answers(_ text: String) -> TerminalAnswers {
    var replies = TerminalReplyParser()
    replies.receive(text.utf8)
    return replies.answers
  }

  @Test("replies about kitty's protocol, sixels and the size of a cell are parsed")
  func known() {
    let cell = TerminalAnswers.Cell(width: 10, height: 20)
    #expect(
      answers("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[6;20;10t\u{1B}[?62;4;22c")
        == TerminalAnswers(hasKitty: true, hasSixel: true, cell: cell, isComplete: true))
    #expect(answers("\u{1B}[?64;1;2;4c").hasSixel)
    #expect(!answers("\u{1B}[?4;1c").hasSixel, "the first number is a class of terminals")
    #expect(answers("\u{1B}[?6c") == TerminalAnswers(isComplete: true))
    #expect(answers("\u{1B}_Gi=31;OK\u{7}\u{1B}[?6c").hasKitty, "a reply that ends with BEL")
    for other in ["_Gi=31;ENOENT:no", "_Gi=32;OK", "_Gi=31", "_GOK", "]Gi=31;OK", "PGi=31;OK"] {
      #expect(!answers("\u{1B}\(other)\u{1B}\\").hasKitty, "\(other)")
    }
    #expect(!answers("\u{1B}[62;4c").isComplete, "a query is not a reply")
  }

  @Test("an impossible size of a cell is ignored")
  func cells() {
    for text in [
      "0;0", "1;1", "9999;10", "10;9999", "-5;10", "10", "10;20;30", ";", "99999999999999999999;10",
    ] {
      #expect(answers("\u{1B}[6;\(text)t").cell == nil, "\(text)")
    }
    #expect(answers("\u{1B}[4;600;800t").cell == nil)
    #expect(answers("\u{1B}[6;40;18t").cell == TerminalAnswers.Cell(width: 18, height: 40))
  }

  @Test("replies may be cut anywhere, and stand among keys and other reports")
  func cuts() {
    let text = Array(
      "abc\u{1B}[A\u{1B}]11;rgb:00/00/00\u{1B}\\\u{1B}_Gi=31;OK\u{1B}\\\r\u{1B}[6;20;10t\u{1B}OP🐝\u{1B}[?62;4c"
        .utf8)
    var whole = TerminalReplyParser()
    whole.receive(text)
    #expect(whole.answers.hasKitty && whole.answers.hasSixel && whole.answers.isComplete)
    var tried = 0
    for first in text.indices {
      for second in first..<text.count {
        var replies = TerminalReplyParser()
        for part in [text[..<first], text[first..<second], text[second...]] { replies.receive(part) }
        #expect(replies.answers == whole.answers)
        tried += 1
      }
    }
    print("terminal's answers: \(tried) ways to cut")
  }

  @Test("after any bytes the next reply is parsed")
  func hostile() {
    let pieces: [[UInt8]] = [
      [0x1B], [0x9B], [0xFF, 0xFE], [0], [0x7F], [0x07], [0xF0, 0x9F], Array("[".utf8), Array("]".utf8),
      Array("_G".utf8),
      Array("P".utf8), Array("?".utf8), Array(";".utf8), Array("31".utf8), Array("99999999999999999999".utf8),
      Array("t".utf8), Array("\u{1B}\\".utf8), [UInt8](repeating: 0x41, count: 500),
      Array("\u{1B}[6;0;0t".utf8),
    ]
    var random = SplitMix64(seed: 127)
    var read = 0
    for _ in 0..<2_000 {
      var replies = TerminalReplyParser()
      for _ in 0..<40 { replies.receive(pieces.randomElement(using: &random) ?? []) }
      #expect(!replies.answers.isComplete, "no byte is a reply about the terminal")
      // An unfinished sequence ends with the first of these.
      replies.receive("\u{7}\u{1B}\\\u{1B}[?62;4c".utf8)
      #expect(replies.answers.isComplete)
      if replies.answers.hasSixel { read += 1 }
    }
    print("terminal's answers: \(read) of 2000 read after what is hostile")
    #expect(read == 2_000)
  }
}

@Suite("Queries to a terminal, and the choice of its graphics")
struct GraphicsTests {
  private func environment(
    _ term: String?, color: String? = nil, colorless: Bool = false, multiplexer: Bool = false
  ) -> TerminalEnvironment {
    TerminalEnvironment(term: term, colorTerm: color, isColorless: colorless, isMultiplexer: multiplexer)
  }

  private func best(
    _ choice: GraphicsChoice, isTerminal: Bool = true, _ environment: TerminalEnvironment,
    _ answers: TerminalAnswers? = nil
  ) -> Graphics? {
    Graphics.best(choice, isTerminal: isTerminal, environment, answers)
  }

  private func best(
    isTerminal: Bool = true, _ environment: TerminalEnvironment, _ answers: TerminalAnswers?
  ) -> Graphics? {
    best(.auto, isTerminal: isTerminal, environment, answers)
  }

  @Test("an answer counts within 350 ms, and within 1 second over a network")
  func timeouts() {
    var environment = environment("xterm-256color")
    #expect(environment.timeout == .milliseconds(350))
    environment.isRemote = true
    #expect(environment.timeout == .seconds(1))
    #expect(environment.latest == environment.timeout)
    #expect(TerminalEnvironment { $0 == "EMOJIART_TERMINAL_TIMEOUT" ? "7" : nil }.timeout == .milliseconds(7))
  }

  @Test("a terminal gets the best graphics that it can show")
  func choices() {
    let xterm = environment("xterm-256color")
    let all = TerminalAnswers(hasKitty: true, hasSixel: true, isComplete: true)
    let plain = TerminalAnswers(isComplete: true)
    #expect(best(xterm, all) == .kitty)
    #expect(best(xterm, TerminalAnswers(hasSixel: true, isComplete: true)) == .sixel)
    #expect(best(xterm, plain) == .symbols(.indexed))
    #expect(best(xterm, nil) == .symbols(.indexed), "without replies the colours follow from TERM")
    #expect(best(environment("xterm-256color", colorless: true), plain) == .text)
    #expect(
      best(environment("xterm-256color", colorless: true), all) == .kitty, "a picture is not coloured text")
    for none in ["dumb", nil] { #expect(best(environment(none), all) == nil) }
    #expect(best(isTerminal: false, xterm, all) == nil)
    for term in ["xterm-kitty", "xterm-ghostty"] {
      #expect(best(environment(term), nil) == .kitty, "the name decides")
      #expect(
        best(environment(term, multiplexer: true), plain) == .symbols(.direct),
        "but not of the terminal around tmux")
    }
  }

  @Test(
    "a terminal gets 256 colours, unless it is known for fewer or says that it has all",
    arguments: [
      ("xterm", nil, .indexed), ("vt100", nil, .indexed), ("screen", nil, .indexed), ("tmux", nil, .indexed),
      ("xterm-256color", nil, .indexed), ("xterm-256color", "truecolor", .direct),
      ("xterm", "24bit", .direct), ("xterm", "gnome-terminal", .direct), ("xterm", "1", .indexed),
      ("screen", "truecolor", .indexed), ("screen.xterm-256color", "truecolor", .indexed),
      ("tmux-256color", "truecolor", .direct), ("xterm-direct", nil, .direct), ("foot", nil, .direct),
      ("st-256color", nil, .direct), ("mlterm", "truecolor", .indexed),
      ("rxvt-unicode-256color", "truecolor", .indexed), ("rxvt-unicode", nil, .eight),
      ("linux", "truecolor", .eight), ("xterm-16color", nil, .eight), ("xterm-color", nil, .eight),
    ] as [(String, String?, TerminalColors)])
  func colors(_ term: String, _ colorTerm: String?, _ colors: TerminalColors) {
    #expect(best(environment(term, color: colorTerm), nil) == .symbols(colors))
  }

  @Test("other variables tell of colours, too; some terminals have none")
  func others() {
    func colors(_ variables: [String: String]) -> Graphics? {
      best(TerminalEnvironment { variables[$0] }, nil)
    }
    #expect(colors(["TERM": "xterm-256color", "VTE_VERSION": "7006"]) == .symbols(.direct))
    #expect(colors(["TERM": "screen", "COLORTERM": "truecolor", "TMUX": "/tmp/1"]) == .symbols(.direct))
    #expect(colors(["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"]) == .symbols(.direct))
    #expect(colors(["TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"]) == .symbols(.direct))
    #expect(
      colors(["TERM": "xterm-256color", "COLORTERM": "truecolor", "TERM_PROGRAM": "Apple_Terminal"])
        == .symbols(.indexed))
    for term in ["vt52", "xterm-mono", "vt220-m"] { #expect(colors(["TERM": term]) == .text) }
    #expect(colors(["TERM": "xterm", "COLORTERM": "truecolor", "NO_COLOR": "1"]) == .text)
  }

  @Test("graphics that the user chooses are used without a query")
  func chosen() {
    let dumb = environment("dumb")
    #expect(best(.kitty, isTerminal: false, dumb) == .kitty)
    #expect(best(.sixel, isTerminal: false, dumb) == .sixel)
    #expect(best(.symbols, isTerminal: false, dumb) == .symbols(.direct))
    #expect(best(.symbols, environment("linux")) == .symbols(.eight))
    #expect(best(.text, environment("xterm-kitty")) == .text)
    #expect(
      best(.none, environment("xterm-kitty"), TerminalAnswers(hasKitty: true, isComplete: true)) == nil)
  }

  @Test("a terminal that would show a query or misread it is not queried")
  func questions() {
    #expect(
      environment("xterm").query.hasSuffix("\u{1B}[16t\u{1B}[c"),
      "the query that every terminal answers comes last"
    )
    #expect(environment("xterm").query.contains("\u{1B}_Gi=31,"))
    for multiplexed in [
      environment("tmux-256color"), environment("screen"), environment("xterm", multiplexer: true),
    ] {
      #expect(multiplexed.query == "\u{1B}[16t\u{1B}[c")
      #expect(multiplexed.canBeQueried)
    }
    for term in ["dumb", "linux", "vt52", "eterm-color", "emacs", nil] {
      #expect(!environment(term).canBeQueried, "\(term ?? "none")")
    }
  }
}
