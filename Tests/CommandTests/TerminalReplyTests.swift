// SPDX-License-Identifier: Apache-2.0

import ArtTerminal
import TestSupport
import Testing

@testable import emojiart

@Suite("What a terminal says of itself")
struct TerminalReplyTests {
  private func answers(_ text: String) -> TerminalAnswers {
    var replies = TerminalReplyParser()
    replies.receive(text.utf8)
    return replies.answers
  }

  @Test("answers are read: kitty's protocol, sixels, the size of a cell")
  func known() {
    let cell = TerminalAnswers.Cell(width: 10, height: 20)
    #expect(
      answers("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[6;20;10t\u{1B}[?62;4;22c")
        == TerminalAnswers(hasKitty: true, hasSixel: true, cell: cell, isComplete: true))
    #expect(answers("\u{1B}[?64;1;2;4c").hasSixel)
    #expect(!answers("\u{1B}[?4;1c").hasSixel, "the first number is a class")
    #expect(answers("\u{1B}[?6c") == TerminalAnswers(isComplete: true))
    #expect(answers("\u{1B}_Gi=31;OK\u{7}\u{1B}[?6c").hasKitty, "ended by BEL")
    for other in ["_Gi=31;ENOENT:no", "_Gi=32;OK", "_Gi=31", "_GOK", "]Gi=31;OK", "PGi=31;OK"] {
      #expect(!answers("\u{1B}\(other)\u{1B}\\").hasKitty, "\(other)")
    }
    #expect(!answers("\u{1B}[62;4c").isComplete, "a question is no answer")
  }

  @Test("a cell of no size is none")
  func cells() {
    for text in [
      "0;0", "1;1", "9999;10", "10;9999", "-5;10", "10", "10;20;30", ";", "99999999999999999999;10",
    ] {
      #expect(answers("\u{1B}[6;\(text)t").cell == nil, "\(text)")
    }
    #expect(answers("\u{1B}[4;600;800t").cell == nil)
    #expect(answers("\u{1B}[6;40;18t").cell == TerminalAnswers.Cell(width: 18, height: 40))
  }

  @Test("answers may be cut anywhere and stand among keys and other reports")
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

  @Test("whatever comes, the answer after it is read, and nothing grows")
  func hostile() {
    let pieces: [[UInt8]] = [
      [0x1B], [0x9B], [0xFF, 0xFE], [0], [0x7F], [0x07], [0xF0, 0x9F], Array("[".utf8), Array("]".utf8),
      Array("_G".utf8),
      Array("P".utf8), Array("?".utf8), Array(";".utf8), Array("31".utf8), Array("99999999999999999999".utf8),
      Array("t".utf8), Array("\u{1B}\\".utf8), [UInt8](repeating: 0x41, count: 500),
      Array("\u{1B}[6;0;0t".utf8),
    ]
    var chance = SplitMix64(seed: 127)
    var read = 0
    for _ in 0..<2_000 {
      var replies = TerminalReplyParser()
      for _ in 0..<40 { replies.receive(pieces.randomElement(using: &chance) ?? []) }
      #expect(!replies.answers.isComplete, "nothing of it says what the terminal is")
      // What was begun ends with the first of these.
      replies.receive("\u{7}\u{1B}\\\u{1B}[?62;4c".utf8)
      #expect(replies.answers.isComplete)
      if replies.answers.hasSixel { read += 1 }
    }
    print("terminal's answers: \(read) of 2000 read after what is hostile")
    #expect(read == 2_000)
  }
}

@Suite("What is asked of a terminal, and what it is given then")
struct GraphicsTests {
  private func surroundings(
    _ term: String?, color: String? = nil, colorless: Bool = false, multiplexer: Bool = false
  ) -> TerminalEnvironment {
    TerminalEnvironment(term: term, colorTerm: color, isColorless: colorless, isMultiplexer: multiplexer)
  }

  private func best(
    _ choice: GraphicsChoice, isTerminal: Bool = true, _ surroundings: TerminalEnvironment,
    _ answers: TerminalAnswers? = nil
  ) -> Graphics? {
    Graphics.best(choice, isTerminal: isTerminal, surroundings, answers)
  }

  private func best(
    isTerminal: Bool = true, _ surroundings: TerminalEnvironment, _ answers: TerminalAnswers?
  ) -> Graphics? {
    best(.auto, isTerminal: isTerminal, surroundings, answers)
  }

  @Test("who never answers costs 350 ms, and a second where the answer comes over a network")
  func latest() {
    var surroundings = surroundings("xterm-256color")
    #expect(surroundings.latest == .milliseconds(350))
    surroundings.isRemote = true
    #expect(surroundings.latest == .seconds(1))
  }

  @Test("a terminal gets what it shows best")
  func choices() {
    let xterm = surroundings("xterm-256color")
    let all = TerminalAnswers(hasKitty: true, hasSixel: true, isComplete: true)
    let plain = TerminalAnswers(isComplete: true)
    #expect(best(xterm, all) == .kitty)
    #expect(best(xterm, TerminalAnswers(hasSixel: true, isComplete: true)) == .sixel)
    #expect(best(xterm, plain) == .symbols(.indexed))
    #expect(best(xterm, nil) == .symbols(.indexed), "what it did not say is known")
    #expect(best(surroundings("xterm-256color", color: "truecolor"), plain) == .symbols(.direct))
    #expect(best(surroundings("xterm"), plain) == .symbols(.eight))
    #expect(best(surroundings("xterm"), nil) == .text, "nobody knows whether it has colours")
    #expect(best(surroundings("xterm-256color", colorless: true), plain) == .text)
    #expect(
      best(surroundings("xterm-256color", colorless: true), all) == .kitty, "a picture is no coloured text")
    for none in ["dumb", nil] { #expect(best(surroundings(none), all) == nil) }
    #expect(best(isTerminal: false, xterm, all) == nil)
  }

  @Test("what a person chooses is not questioned")
  func chosen() {
    let dumb = surroundings("dumb")
    #expect(best(.kitty, isTerminal: false, dumb) == .kitty)
    #expect(best(.sixel, isTerminal: false, dumb) == .sixel)
    #expect(best(.symbols, isTerminal: false, dumb) == .symbols(.direct))
    #expect(best(.symbols, surroundings("linux")) == .symbols(.eight))
    #expect(best(.text, surroundings("xterm-kitty")) == .text)
    #expect(
      best(.none, surroundings("xterm-kitty"), TerminalAnswers(hasKitty: true, isComplete: true)) == nil)
  }

  @Test("what the terminal would show of the question, or take for something else, is not asked")
  func questions() {
    #expect(
      surroundings("xterm").query.hasSuffix("\u{1B}[16t\u{1B}[c"), "what every terminal answers comes last"
    )
    #expect(surroundings("xterm").query.contains("\u{1B}_Gi=31,"))
    for multiplexed in [
      surroundings("tmux-256color"), surroundings("screen"), surroundings("xterm", multiplexer: true),
    ] {
      #expect(multiplexed.query == "\u{1B}[16t\u{1B}[c")
      #expect(multiplexed.canBeQueried)
    }
    for term in ["dumb", "linux", "vt52", "eterm-color", "emacs", nil] {
      #expect(!surroundings(term).canBeQueried, "\(term ?? "none")")
    }
  }
}
