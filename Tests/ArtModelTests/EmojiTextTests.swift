// SPDX-License-Identifier: Apache-2.0

import Foundation
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
      "🐝", "🐝🐝", "a🐝", "🐝!", "🐝 🌸", "👩‍🚀", "👍🏽", "🇩🇪", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "❤️", "❤︎", "1️⃣", "#⃣", "é🐝", "e\u{301}🐝", "🏻", "☕",
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
    "M6 control, invisible, private and unassigned characters are refused",
    arguments: [
      "\u{0}", "\n", "\u{1B}", "\u{7F}", "\u{9B}", "\u{AD}", "\u{200B}", "\u{200E}", "\u{202E}", "\u{2028}",
      "\u{2029}",
      "\u{2066}", "\u{FEFF}", "\u{3164}", "\u{2800}", "\u{115F}", "\u{FFA0}", "\u{34F}", "\u{E0100}",
      "\u{E000}", "\u{378}", "\u{FFFF}", "\u{E0001}", "\u{110BD}",
    ])
  func invisible(_ character: String) {
    #expect(refusal("🐝" + character)?.cause.contains("control or an unknown") == true)
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
    "a font may lack letters and the emoji of a Unicode after 13, and no older emoji",
    arguments: [
      ("🐝", false), ("❤", false), ("👩🏽‍🚀", false), ("🇫🇷", false), ("1️⃣", false), ("🥸", false), ("🫠", true),
      ("🪿", true),
      ("🐝a", true), ("🐝🪿", true),
    ])
  func lacking(text: String, expected: Bool) throws {
    #expect(try EmojiText(text).mayBeLacking == expected)
  }
}
