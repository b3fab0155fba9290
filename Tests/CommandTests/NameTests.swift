// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Testing

@testable import emojiart

@Suite("Names that are typed")
struct NameTests {
  @Test("N12 what stands between colons is a name, unless it is an emoji")
  func typed() throws {
    #expect(try EmojiText(typed: ":honeybee:").string == "🐝")
    #expect(try EmojiText(typed: ":🐝:").string == ":🐝:")
    #expect(try EmojiText(typed: "🐝:").string == "🐝:")
    for word in [":", "::", ":bee", "bee", ":hunybee:", ":-:"] {
      #expect(throws: ArtError.self) { try EmojiText(typed: word) }
    }
  }

  @Test("N13 the prompt goes on with a name after a colon, and with options elsewhere")
  func prompt() {
    func candidates(_ words: [String], _ word: String) -> [String] {
      StreamWords.candidates(after: words, of: word, in: nil)
    }
    #expect(candidates(["add"], ":honeyb") == [":honeybee:", "--at", "--size"])
    #expect(candidates(["add", "🐝"], ":beer") == [":beer-mug:", "--at", "--size"])
    #expect(candidates(["add"], "honeyb") == ["--at", "--size"])
    #expect(candidates(["move"], ":honeyb") == ["--all", "--by", "--to"])
  }
}
