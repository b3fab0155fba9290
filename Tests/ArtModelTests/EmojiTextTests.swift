// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel

@Suite("Texts of emoji")
struct EmojiTextTests {
  private func refusal(_ text: String) -> ArtError? {
    failure { () throws(ArtError) in try EmojiText(text) }
  }

  @Test(
    "M5 a text with an emoji character is accepted, and stays exactly as given",
    arguments: [
      "🐝", "🐝🐝", "a🐝", "🐝!", "👩‍🚀", "👍🏽", "🇩🇪", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "❤️", "❤︎", "1️⃣", "#⃣", "é🐝", "e\u{301}🐝", "🏻", "☕",
    ])
  func accepted(_ text: String) throws {
    #expect(try Array(EmojiText(text).string.utf8) == Array(text.utf8))
  }

  @Test(
    "M5 a text without an emoji character is refused",
    arguments: ["a", "hello", "é", "漢", " ", "→", "\u{FE0F}", "\u{200D}"])
  func noEmoji(_ text: String) {
    #expect(refusal(text)?.code == .badText)
  }

  @Test(
    "M5 a digit, # or * outside of a keycap sequence is no emoji",
    arguments: ["1", "#", "*", "12", "1\u{FE0F}", "a\u{20E3}", "1a\u{20E3}"])
  func bareDigits(_ text: String) {
    #expect(refusal(text)?.code == .badText)
  }

  @Test("M6 a text has 1 to 16 characters and at most 256 bytes")
  func bounds() throws {
    #expect(refusal("")?.cause.contains("empty") == true)
    #expect(try EmojiText(String(repeating: "🐝", count: 16)).string.count == 16)
    #expect(refusal(String(repeating: "🐝", count: 17))?.cause.contains("17 characters") == true)
    let family = "👩‍👩‍👧‍👧"
    #expect(try EmojiText(String(repeating: family, count: 10)).string.utf8.count == 250)
    #expect(refusal(String(repeating: family, count: 11))?.cause.contains("256 bytes") == true)
  }

  @Test(
    "M6 control, private and unassigned characters are refused",
    arguments: [
      "\u{0}", "\u{1B}", "\u{7F}", "\u{9B}", "\u{2800}", "\u{E000}", "\u{378}", "\u{FFFF}", "\u{110BD}",
    ])
  func refused(_ character: String) {
    #expect(refusal("🐝" + character)?.cause.contains("control or an unknown") == true)
  }

  @Test(
    "M49 invisible signs and blanks at the ends of a text and between its emoji are left out",
    arguments: [
      "\n", "\t", " ", "\u{A0}", "\u{AD}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}", "\u{200F}",
      "\u{61C}",
      "\u{202E}", "\u{2028}", "\u{2060}", "\u{2066}", "\u{2069}", "\u{FEFF}", "\u{3164}", "\u{115F}",
      "\u{FFA0}",
      "\u{34F}", "\u{E0100}", "\u{E0001}", "\u{200B}\u{200D} \u{200E}",
    ])
  func invisible(_ sign: String) throws {
    func same(_ typed: String, _ text: String) throws {
      #expect(
        try Array(EmojiText(typed).string.unicodeScalars) == Array(text.unicodeScalars), "\(typed.revealed)")
    }
    for text in ["🐝", "👩‍🚀", "❤\u{FE0F}", "🐝🌸", "a🐝"] {
      try same(sign + text + sign, text)
      #expect(try EmojiText(text + sign).comparisonKey == EmojiText(text).comparisonKey)
    }
    if sign != "\u{200D}" {
      try same("🐝\(sign)🌸", "🐝🌸")
      // Nothing becomes one emoji that were two.
      try same("🇩\(sign)🇪", "🇩 🇪")
      try same("👋\(sign)🏽", "👋 🏽")
    }
    #expect(refusal(sign)?.code == .badText)
  }

  @Test("M49 beside letters blanks stay, and invisible signs between letters are refused and shown")
  func besideLetters() throws {
    for (typed, text) in [
      ("a 🐝", "a 🐝"), ("a  🐝", "a  🐝"), ("a\t🐝", "a 🐝"), ("a\u{200B} 🐝", "a 🐝"), ("hi ho🐝", "hi ho🐝"),
    ] {
      #expect(try EmojiText(typed).string == text)
    }
    #expect(refusal("a\u{200B}b🐝")?.cause.contains("\"a\\u{200b}b🐝\" holds") == true)
    #expect(refusal("🐝\nx")?.cause.contains("\\u{a}") == true)
  }

  @Test("M49 the words of a caption keep marks of direction, and isolates end in their line")
  func directions() throws {
    let words = [
      ("שלום\u{200F}!", "שלום\u{200F}!"), ("\u{61C}a\u{200E}", "\u{61C}a\u{200E}"), ("a\tb", "a b"),
      ("\u{2067}a\u{2069} b", "\u{2067}a\u{2069} b"), ("\u{2067}a\nb", "\u{2067}a\u{2069}\nb"),
      ("a\u{2069}b", "ab"), ("\u{2066}\u{2067}a\u{2069}", "\u{2066}\u{2067}a\u{2069}\u{2069}"),
    ]
    for (typed, stored) in words {
      #expect(
        try Array(Words(typed).string.unicodeScalars) == Array(stored.unicodeScalars), "\(typed.revealed)")
      #expect(try Words(stored: stored).string.utf8.elementsEqual(stored.utf8))
    }
    for text in ["\u{202E}a", "a\u{2028}b", "a\u{1B}b"] {
      #expect(failure { () throws(ArtError) in try Words(text) }?.code == .badText)
    }
    for text in ["\u{2067}a", "a\u{2069}", "\u{2067}a\n\u{2069}", "a\tb"] {
      #expect(failure { () throws(ArtError) in try Words(stored: text) }?.code == .badText)
    }
    #expect(failure { () throws(ArtError) in try Words("\u{200F}\u{200E}") }?.code == .badText)
  }

  @Test("a caption is listed as it is typed, and read as it is listed")
  func typedWords() throws {
    var random = SplitMix64(seed: 8)
    #expect(
      Words.typed("C:\\new") == "C:\\\\new" && Words.typed("C:\new") == "C:\\new"
        && Words.typed("\\o/") == "\\o/")
    let letters: [Character] = ["\\", "n", "\n", "a", " "]
    for _ in 0..<2_000 {
      let text = String((0..<random.below(8)).map { _ in letters[random.below(letters.count)] })
      #expect(Words.untyped(Words.typed(text)) == text)
    }
  }

  @Test("M5 every sequence of Unicode's emoji-test is a text of one character")
  func emojiTest() throws {
    let path = "/usr/share/unicode/emoji/emoji-test.txt"
    let file = try? String(contentsOfFile: path, encoding: .utf8)
    let text = try #require(file, "\(path) is missing: install the Debian package unicode-data")
    var tried = 0
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      guard let codes = line.split(separator: ";").first else { continue }
      var sequence = String.UnicodeScalarView()
      for code in codes.split(separator: " ") {
        sequence.append(try #require(UInt32(code, radix: 16).flatMap(Unicode.Scalar.init)))
      }
      let typed = String(sequence)
      let label = try EmojiText(typed)
      #expect(typed.count == 1 && EmojiText.isEmoji(Character(typed)), "\(line)")
      #expect(label.string == typed || label.string == typed + "\u{FE0F}", "\(line)")
      #expect(try EmojiText(stored: label.string) == label)
      tried += 1
    }
    print("emoji-test: \(tried) sequences")
    #expect(tried >= 4_000)
  }

  @Test(
    "M7 a lone emoji without emoji presentation gets the variation selector",
    arguments: [
      ("❤", "❤\u{FE0F}"), ("✈", "✈\u{FE0F}"), ("☕", "☕"), ("❤❤", "❤❤"), ("❤\u{FE0E}", "❤\u{FE0E}"),
      ("©", "©\u{FE0F}"),
    ])
  func selector(_ typed: String, _ label: String) throws {
    #expect(try Array(EmojiText(typed).string.unicodeScalars) == Array(label.unicodeScalars))
  }

  @Test("M7 two texts are equal when their bytes are, and references compare them without selectors")
  func comparison() throws {
    let (heart, selected) = (try EmojiText("❤❤"), try EmojiText("❤\u{FE0F}❤\u{FE0F}"))
    #expect(heart != selected)
    #expect(heart.comparisonKey == selected.comparisonKey)
    let (composed, decomposed) = (try EmojiText("é🐝"), try EmojiText("e\u{301}🐝"))
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed, composed]).count == 2)
    #expect(composed.comparisonKey == decomposed.comparisonKey)
  }

  @Test("M8 a stored text is refused only if it is empty, too long or has a dangerous character")
  func stored() throws {
    for text in ["a", "1", "\u{378}", "\u{E000}", String(repeating: "🐝", count: 64)] {
      #expect(try EmojiText(stored: text).string == text)
    }
    for text in ["", "\n", "🐝\u{202E}", "\u{9B}", String(repeating: "🐝", count: 65)] {
      #expect(failure { () throws(ArtError) in try EmojiText(stored: text) }?.code == .badText)
    }
  }

  @Test(
    "M8 the refused characters are a fixed list: controls, separators and characters that change the direction of text"
  )
  func tables() throws {
    var tried = 0
    for value in UInt32(1)...0xE0FFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let isRefused = failure { () throws(ArtError) in try EmojiText(stored: String(scalar)) } != nil
      let category = scalar.properties.generalCategory
      let directions: Set<UInt32> = [
        0x61C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069,
      ]
      let isDangerous =
        [.control, .lineSeparator, .paragraphSeparator].contains(category) || directions.contains(value)
      if isRefused != isDangerous { Issue.record("U+\(String(value, radix: 16))") }
      tried += 1
    }
    print("stored texts: \(tried) scalars")
    #expect(tried > 900_000)
  }

  @Test(
    "a font may lack letters, sequences, and the emoji of a Unicode after 13, and no older emoji",
    arguments: [
      ("🐝", false), ("❤", false), ("👩‍🚀", true), ("👋🏽", true), ("🇫🇷", true), ("🏴󠁧󠁢󠁷󠁬󠁳󠁿", true), ("1️⃣", false),
      ("🥸", false), ("🫠", true),
      ("🪿", true),
      ("🐝a", true), ("🐝🪿", true),
    ])
  func lacking(text: String, expected: Bool) throws {
    #expect(try EmojiText(text).mayBeLacking == expected)
  }
}
