// SPDX-License-Identifier: Apache-2.0

import ArtTerminal
import TestSupport
import Testing

@testable import emojiart

@Suite("The prompt's keys") struct PromptKeyTests {
  private func keys(_ typed: String) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.decode(typed.utf8)
  }

  /// Joins successive texts, however they were cut.
  private func joined(_ keys: [Key]) -> [Key] {
    keys.reduce(into: []) { result, key in
      if case .text(let new) = key, case .text(let old) = result.last {
        result[result.count - 1] = .text(String(old.unicodeScalars) + String(new.unicodeScalars))
      } else if case .paste(let new) = key, case .paste(let old) = result.last {
        result[result.count - 1] = .paste(String(old.unicodeScalars) + String(new.unicodeScalars))
      } else {
        result.append(key)
      }
    }
  }

  @Test("keys of every common terminal are recognised, and unknown sequences are dropped")
  func table() {
    #expect(keys("\u{1B}[A\u{1B}OA\u{10}") == [.up, .up, .up])
    #expect(keys("\u{1B}[B\u{1B}[C\u{1B}[D") == [.down, .right, .left])
    #expect(keys("\u{1B}[H\u{1B}OH\u{1B}[1~\u{1B}[7~\u{1}") == Array(repeating: .home, count: 5))
    #expect(keys("\u{1B}[F\u{1B}OF\u{1B}[4~\u{1B}[8~\u{5}") == Array(repeating: .end, count: 5))
    #expect(
      keys("\u{1B}[1;5C\u{1B}[1;3C\u{1B}f\u{1B}[1;5D\u{1B}b") == [
        .wordRight, .wordRight, .wordRight, .wordLeft, .wordLeft,
      ])
    #expect(keys("\u{1B}[3~\u{7F}\u{8}\u{4}") == [.delete, .backspace, .backspace, .deleteOrEnd])
    #expect(keys("\r\n\t") == [.enter, .enter, .tab])
    #expect(
      keys("\u{B}\u{15}\u{17}\u{1B}\u{7F}\u{19}") == [.killToEnd, .killToStart, .killWord, .killWord, .yank])
    #expect(
      keys("\u{1B}[1;2A\u{1B}[1;2B\u{1B}[1;2C\u{1B}[1;2D\u{1B}[a\u{1B}[d") == [
        .shiftUp, .shiftDown, .shiftRight, .shiftLeft, .shiftUp, .shiftLeft,
      ])
    #expect(keys("\u{1B}[Z\u{12}") == [.backTab, .search])
    #expect(keys("\u{C}\u{3}\u{1A}") == [.clearScreen, .interrupt, .suspend])
    #expect(
      keys("a\u{1B}[<35;1;1Mb\u{1B}[5~\u{1B}[Ec\u{1B}x\u{0}\u{1C}d") == [.text("abcd")])
    #expect(keys("a\u{1B}]11;rgb:0/0/0\u{7}b\u{1B}P1$r\u{1B}\\c") == [.text("abc")])
    #expect(keys("\u{1B}🐝\u{1B}[1\r\u{85}\u{9B}x") == [.text("🐝"), .enter, .text("x")])
  }

  @Test("P2 a paste is told from typed text, Ctrl-C ends it, and all other keys in it are ignored")
  func paste() {
    #expect(
      keys("\u{1B}[200~a\tb\r\nc\nd\re\u{1B}[201~") == [
        .paste("a b"), .pastedBreak, .paste("c"), .pastedBreak, .paste("d"), .pastedBreak, .paste("e"),
      ])
    #expect(keys("q\u{1B}[200~d\u{1B}[201~m\r") == [.text("q"), .paste("d"), .text("m"), .enter])
    #expect(
      keys("\u{1B}[200~\u{4}\u{1A}\u{1}\u{1B}[A\u{1B}b\u{7F}x\u{1B}[201~\u{1}") == [.paste("x"), .home])
    #expect(keys("\u{1B}[200~lost\u{3}\u{1}") == [.paste("lost"), .interrupt, .home], "Ctrl-C ends it")
  }

  @Test("keys that arrive together can be taken one by one")
  func characters() {
    #expect(keys("d👩‍🚀\t").flatMap(\.characters) == [.text("d"), .text("👩‍🚀"), .tab])
    #expect(keys("\u{1B}[200~dd\u{1B}[201~").flatMap(\.characters) == [.paste("dd")])
  }

  @Test("a lone Escape is a key only when nothing follows it; other beginnings are dropped then")
  func escape() {
    var decoder = KeyDecoder()
    var found = decoder.decode([0x1B])
    #expect(found.isEmpty && decoder.pause == .milliseconds(50))
    #expect(decoder.settle() == .escape)
    #expect(decoder.pause == nil && decoder.settle() == nil)
    for beginning in ["\u{1B}[", "\u{1B}[1;", "\u{1B}O", "\u{1B}]0;x", "\u{1B}[200~\u{1B}"] {
      var decoder = KeyDecoder()
      #expect(decoder.decode(beginning.utf8).isEmpty && decoder.pause == .seconds(1))
      #expect(decoder.settle() == nil, "\(beginning.debugDescription)")
    }
    found = decoder.decode("[A\u{1B}".utf8)
    #expect(found == [.text("[A")])
    found = decoder.decode("[A".utf8)
    #expect(found == [.up])
  }

  @Test("P1 bytes give the same keys however they are cut, and no bytes trap the decoder")
  func cutAnywhere() {
    var random = SplitMix64(seed: 9)
    let pieces: [[UInt8]] = [
      Array("👩‍🚀".utf8), Array("\u{1B}[200~".utf8), Array("\u{1B}[201~".utf8), Array("\u{1B}[1;5D".utf8),
      [0x1B], [0x0D, 0x0A],
      [0xF0, 0x9F], [0xE2, 0x80], [0xC3], [0x80], [0xFF], Array("\u{1B}]0;x\u{7}".utf8), Array("ab".utf8),
      [0x1B, 0x4F],
    ]
    var (cases, differing) = (0, 0)
    for _ in 0..<4_000 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        bytes +=
          Bool.random(using: &random)
          ? pieces.randomElement(using: &random) ?? [] : [UInt8.random(in: 0...255, using: &random)]
      }
      var whole = KeyDecoder()
      let expected = joined(whole.decode(bytes))
      var (parts, settled): (KeyDecoder, KeyDecoder) = (KeyDecoder(), KeyDecoder())
      var (found, wrong): ([Key], [Key]) = ([], [])
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = rest.prefix(Int.random(in: 1...3, using: &random))
        rest = rest.dropFirst(part.count)
        found += parts.decode(part)
        wrong += settled.decode(part)
        settled.settle()
      }
      #expect(joined(found) == expected, "\(bytes)")
      if joined(wrong) != expected { differing += 1 }
      cases += 1
    }
    print("prompt: \(cases) byte strings cut anywhere; a decoder that forgets differed on \(differing)")
    #expect(differing > 1_000, "the control: a decoder that drops unfinished sequences differs")
  }

  @Test("C6 text is decoded without invalid UTF-8 and control characters, and otherwise unchanged")
  func text() {
    var random = SplitMix64(seed: 10)
    for _ in 0..<4_000 {
      let bytes = (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }.filter {
        $0 >= 0x20 && $0 != 0x7F
      }
      let sound = String(decoding: bytes, as: UTF8.self).unicodeScalars.filter {
        $0 != "\u{FFFD}" && $0.properties.generalCategory != .control
      }
      var decoder = KeyDecoder()
      let scalars = decoder.decode(bytes).flatMap { key -> [Unicode.Scalar] in
        if case .text(let text) = key { Array(text.unicodeScalars) } else { [] }
      }
      #expect(scalars == Array(sound), "\(bytes)")
    }
  }
}
