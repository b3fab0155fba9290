// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ArtModel

@Suite("Texts that are probably mistakes") struct ProbableMistakeTests {
  /// A text; the emoji that were probably meant, nil where nothing is wrong; whether there are words.
  private static let texts: [(text: String, meant: [String]?, hasWords: Bool)] = [
    ("🐝", nil, false), ("🐝🌸", nil, false), ("👨‍👩‍👧‍👦", nil, false), ("1️⃣", nil, false), ("❤", nil, false),
    ("❤️", nil, false),
    ("🇦🇶", nil, false), ("👋🏽", nil, false), ("🏴󠁧󠁢󠁷󠁬󠁳󠁿", nil, false), ("Hello", nil, false), ("", nil, false),
    ("3", nil, false),
    ("🐝,🌸", ["🐝", "🌸"], false), ("🐝,", ["🐝"], false), ("🐝 🌸", ["🐝", "🌸"], false), ("“🐝”", ["🐝"], false),
    ("\"🐝\"", ["🐝"], false), ("🐝.", ["🐝"], false), ("(🐝)", ["🐝"], false), ("🐝!", ["🐝"], false),
    ("A🐝", ["🐝"], false),
    ("🐝x3", ["🐝", "🐝", "🐝"], false), ("🐝X2", ["🐝", "🐝"], false), ("3x🐝", ["🐝", "🐝", "🐝"], false),
    ("🐝×3", ["🐝", "🐝", "🐝"], false), ("🐝*2", ["🐝", "🐝"], false), ("🐝3", ["🐝", "🐝", "🐝"], false),
    ("🐝x1", ["🐝"], false), ("🐝x17", ["🐝"], false), ("🐝x99999999999999999999", ["🐝"], false),
    ("🐝x-3", ["🐝"], false),
    ("🐝🌸x3", ["🐝", "🌸"], false), ("🐝x", ["🐝"], false), ("Happy🎂", ["🎂"], true), ("🦋add", ["🦋"], true),
    ("🐝mal3", ["🐝"], true), ("пчела🐝", ["🐝"], true),
  ]

  @Test(
    "a text with signs or letters beside its emoji is probably a mistake, and what was meant is known",
    arguments: texts.indices)
  func table(index: Int) {
    let (text, meant, hasWords) = Self.texts[index]
    let mistake = ProbableMistake(text)
    #expect(mistake?.meant == meant, "\(text)")
    #expect((mistake?.hasWords ?? false) == hasWords, "\(text)")
  }

  @Test("what was meant is a text that can be added, and is no mistake itself")
  func meantTexts() throws {
    for (text, _, _) in Self.texts {
      for meant in ProbableMistake(text)?.meant ?? [] {
        #expect(ProbableMistake(try EmojiText(meant).string) == nil, "\(text)")
      }
    }
  }

  @Test("an action tells each of its mistakes once, and a caption has none")
  func actions() throws {
    let texts = try ["🐝", "🐝,", "🐝,", "🌸x2"].map { try EmojiText($0) }
    let add = Action.add(texts, at: .center, size: .standard)
    #expect(add.probableMistakes.map(\.text) == ["🐝,", "🌸x2"])
    #expect(Action.setText(.all, texts[1]).probableMistakes.map(\.meant) == [["🐝"]])
    let words = EmojiText(try Words("Happy 🎂"), box: try TextBox(width: 2, height: 1))
    #expect(Action.setText(.all, words).probableMistakes.isEmpty)
    #expect(Action.remove(.all).probableMistakes.isEmpty)
  }

  @Test("probable mistakes stay out of the emoji that were used last")
  func recent() throws {
    var recent = RecentEmoji()
    recent.add(try ["🐝", "🐝,🌸", "🌸", "🐝x3"].map { try EmojiText($0) })
    #expect(recent.emojis.map(\.string) == ["🌸", "🐝"])
  }
}
