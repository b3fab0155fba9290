// SPDX-License-Identifier: Apache-2.0

import ArtTerminal
import TestSupport
import Testing

@testable import emojiart

@Suite("The prompt's line") struct PromptEditorTests {
  /// Keys as a terminal sends them, and the resulting line, with `|` for the cursor.
  static let walks: [(typed: String, line: String)] = [
    ("add 👩‍🚀", "add 👩‍🚀|"),
    // Backspace removes one character, whatever its scalars.
    ("a👩‍🚀\u{7F}", "a|"), ("a👨‍👩‍👧‍👦\u{7F}", "a|"), ("a🇩🇪\u{7F}", "a|"), ("a👍🏽\u{7F}", "a|"), ("a1️⃣\u{7F}", "a|"),
    ("a❤️\u{8}", "a|"), ("a🏴󠁧󠁢󠁳󠁣󠁴󠁿\u{7F}", "a|"), ("ae\u{301}\u{7F}", "a|"), ("\u{7F}", "|"),
    // Arrows move by one character.
    ("👩‍🚀🇩🇪\u{1B}[D", "👩‍🚀|🇩🇪"), ("👩‍🚀🇩🇪\u{1B}[D\u{1B}OD", "|👩‍🚀🇩🇪"), ("1️⃣x\u{2}\u{2}\u{6}", "1️⃣|x"),
    ("👍🏽👍🏿\u{1}\u{4}", "|👍🏿"), ("👍🏽👍🏿\u{1B}[H\u{1B}[3~", "|👍🏿"), ("ab\u{1}\u{5}c", "abc|"),
    ("ab\u{1B}[1~x\u{1B}[4~y", "xaby|"),
    // Scalars typed one by one become one character.
    ("👩\u{200D}🚀\u{7F}", "|"), ("🇩🇪\u{1}🇫", "🇫🇩|🇪"), ("👩🚀\u{2}\u{200D}", "👩‍🚀|"),
    ("👩\u{200D}x🚀\u{2}\u{7F}", "👩‍🚀|"),
    // Words end at blanks.
    ("add 🐝 --at\u{17}", "add 🐝 |"), ("add 🐝  \u{17}", "add |"), ("add 🐝 --at\u{1B}b\u{1B}b", "add |🐝 --at"),
    ("add 🐝 --at\u{1}\u{1B}f\u{1B}f", "add 🐝| --at"), ("a b c\u{1B}[1;5D\u{1B}[1;3D\u{1B}[1;5C", "a b| c"),
    // Kill and yank.
    ("add 🐝 🌸\u{2}\u{2}\u{B}", "add 🐝|"), ("add 🐝 🌸\u{2}\u{15}", "|🌸"),
    ("add 🐝\u{17}\u{19}\u{19}", "add 🐝🐝|"),
    ("ab\u{15}\u{15}\u{19}", "ab|"),
    // Ctrl-C clears the line.
    ("add\u{3}x", "x|"),
    // Recalled lines, and the line that is not entered yet.
    ("one\rtwo\rth\u{1B}[A", "two|"), ("one\rtwo\rth\u{10}\u{10}\u{10}", "one|"),
    ("one\rtwo\rth\u{10}\u{10}\u{E}\u{E}\u{E}", "th|"),
    ("one\rone\r  \r\u{10}\u{10}", "one|"), ("one\rtwo\r\u{10}!\r\u{10}\u{10}", "two|"),
    // Ctrl-R finds lines by a part of them, the newest first.
    ("one\rtwo\rth\u{12}o", "two|"), ("one\rtwo\rth\u{12}o\u{12}", "one|"),
    ("one\rtwo\rth\u{12}o\u{12}\u{12}", "one|"),
    ("one\rtwo\rth\u{12}zz", "th|"), ("one\rtwo\rth\u{12}one\u{3}", "th|"),
    ("one\rtwo\rth\u{12}on\u{7F}", "two|"),
    ("one\rtwo\rth\u{12}one\u{1}x", "x|one"), ("one\rtwo\rth\u{12}one\u{E}\u{E}", "th|"),
    ("a\u{12}\u{12}b\u{3}", "a|"),
    // So do Ctrl-G and Escape.
    ("one\rtwo\rth\u{12}one\u{7}", "th|"),
    ("one\r\u{12}on\rx\u{10}", "one|"),
    // A search that Ctrl-C ends leaves all as it was: the cursor, the place in the history, the draft.
    ("one\rtwo\rth\u{12}one\u{3}\u{10}", "two|"), ("one\rtwo\rth\u{12}one\u{3}\u{10}\u{E}", "th|"),
    ("one\rtwo\rth\u{2}\u{12}one\u{3}", "t|h"), ("one\rtwo\rth\u{10}\u{12}one\u{3}\u{10}", "one|"),
    // The draft survives a search that begins on a line of the history.
    ("one\rtwo\rth\u{10}\u{12}one\u{E}\u{E}", "th|"), ("one\rtwo\rth\u{10}\u{12}one\u{3}\u{E}", "th|"),
    // A paste is typed, and each of its lines entered.
    ("\u{1B}[200~one\ntwo\u{1B}[201~\u{10}", "one|"), ("one\r\u{12}\u{1B}[200~on\u{1B}[201~", "one|"),
  ]

  private func editor(after typed: String) -> LineEditor {
    var (decoder, editor) = (KeyDecoder(), LineEditor())
    for key in decoder.decode(typed.utf8) {
      if case .line(let line) = editor.key(key) { _ = editor.remember(line) }
    }
    return editor
  }

  private func shown(_ editor: LineEditor) -> String {
    String(editor.text[..<editor.cursor]) + "|" + String(editor.text[editor.cursor...])
  }

  @Test("every key treats a character as one, whatever its scalars", arguments: walks)
  func walk(_ walk: (typed: String, line: String)) {
    #expect(shown(editor(after: walk.typed)) == walk.line, "\(walk.typed.debugDescription)")
  }

  @Test("P1 the line is always a sequence of whole characters, and no keys trap the editor")
  func randomKeys() {
    var random = SplitMix64(seed: 2)
    let parts = [
      "a", " ", "👩", "\u{200D}", "🚀", "🏽", "🇩", "🇪", "1", "\u{FE0F}", "\u{20E3}", "\u{301}", "🏴", "\u{E0067}",
    ]
    let keys: [Key] = [
      .tab, .backspace, .delete, .left, .right, .wordLeft, .wordRight, .home, .end, .up, .down, .killToEnd,
      .killToStart, .killWord, .yank, .clearScreen, .suspend, .enter, .interrupt, .deleteOrEnd,
    ]
    var joined = 0
    for _ in 0..<300 {
      var editor = LineEditor(history: ["👩‍🚀 x", "b"])
      for _ in 0..<60 {
        let isText = Int.random(in: 0..<3, using: &random) > 0
        let count = editor.text.count
        let effect = editor.key(
          isText
            ? .text(parts.randomElement(using: &random) ?? "") : keys.randomElement(using: &random) ?? .tab)
        if isText, editor.text.count <= count { joined += 1 }
        if effect == .complete { _ = editor.complete { _, word in [word + "🐝", word + "🐝:2"] } }
        #expect(editor.text == Array(String(editor.text)))
        #expect((0...editor.text.count).contains(editor.cursor))
      }
    }
    print("prompt: 18000 keys, \(joined) of them joined characters")
    #expect(joined > 500, "the keys include characters that join")
  }

  @Test("Tab completes a word to the common beginning of all candidates, and else shows them")
  func completion() {
    func completed(_ typed: String, _ candidates: [String]) -> (String, LineEditor.Effect) {
      var editor = editor(after: typed)
      let effect = editor.complete { words, word in
        words == ["move", "be es"] || words.isEmpty ? candidates : []
      }
      return (shown(editor), effect)
    }
    #expect(completed("mo", ["move", "remove"]) == ("move |", .changed))
    #expect(completed("re", ["remove", "resize", "redo"]) == ("re|", .offers(["remove", "resize", "redo"])))
    #expect(completed("rem", ["remove", "remote"]) == ("remo|", .changed))
    #expect(completed("x", ["move"]) == ("x|", .bell))
    #expect(completed("move 'be es' 🐝", ["🐝:1", "🐝:2"]) == ("move 'be es' 🐝:|", .changed))
    #expect(completed("move be\\ es 👩‍", ["👩‍🚀"]).1 == .bell, "half a character completes to none")
    #expect(completed("move \"be es\" ", ["a b"]) == ("move \"be es\" a\\ b |", .changed))
    #expect(completed("move \"be es\" 'a b", ["a bc"]) == ("move \"be es\" a\\ bc |", .changed))
    #expect(completed("m", ["m\u{1B}[2J"]) == ("m|", .bell), "no candidate with a control character is used")
  }

  @Test("a line longer than 64 KiB is dropped with a report, and never entered in part")
  func tooLong() {
    var editor = LineEditor()
    let keys: [Key] = [
      .text(String(repeating: "a", count: LineEditor.byteLimit)), .text("🐝"), .enter, .text("b"), .enter,
    ]
    let effects = keys.map { key in editor.key(key) }
    #expect(effects == [.changed, .bell, .tooLong, .changed, .line("b")])
    #expect(editor.text.isEmpty)
  }

  @Test("while lines are searched, the prompt shows for what")
  func searchLabel() {
    #expect(editor(after: "one\r").searchLabel == nil)
    #expect(editor(after: "one\r\u{12}").searchLabel == "(search) :")
    #expect(editor(after: "one\r\u{12}on").searchLabel == "(search) on:")
    #expect(editor(after: "one\r\u{12}on\u{1}").searchLabel == nil)
    #expect(editor(after: "one\r\u{12}xy").searchLabel == "(not found) xy:")
    #expect(editor(after: "one\r\u{12}xy\u{2}").searchLabel == nil)
    var (decoder, editor) = (KeyDecoder(), LineEditor())
    var last = LineEditor.Effect.bell
    for key in decoder.decode("one\r\u{12}xy\u{2}".utf8) { last = editor.key(key) }
    #expect(last == .changed, "the label is drawn over")
  }

  @Test("words stand in columns, and none is broken")
  func columns() {
    let words = ["move", "remove", "resize", "save", "show", "undo"]
    #expect(LineView.inColumns(words, 24) == ["move    resize  show", "remove  save    undo"])
    #expect(LineView.inColumns(words, 1) == words)
    for columns in 1...100 {
      let lines = LineView.inColumns(words, columns)
      #expect(lines.allSatisfy { $0.count <= columns || !$0.contains(" ") })
      #expect(lines.flatMap { $0.split(separator: " ").map(String.init) }.sorted() == words)
    }
  }

  @Test("the history keeps at most 1,000 lines, without blank and repeated ones")
  func historyLimit() {
    var editor = LineEditor(history: (0..<1_500).map { "\($0)" })
    #expect(editor.history.count == 1_000)
    let kept = ["x", "x", " ", ""].map { line in editor.remember(line) }
    #expect(kept == [true, false, false, false])
    #expect(editor.history.count == 1_000)
    #expect(editor.history.last == "x")
    #expect(editor.history.first == "501")
  }
}
