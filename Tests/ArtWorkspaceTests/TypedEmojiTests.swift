// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace
import Testing

@Suite("Emoji and references that are typed")
struct TypedEmojiTests {
  @Test("a text between colons is a name, unless it is an emoji")
  func typed() throws {
    #expect(try EmojiText(typed: ":honeybee:").string == "🐝")
    #expect(try EmojiText(typed: ":🐝:").string == ":🐝:")
    #expect(try EmojiText(typed: "🐝:").string == "🐝:")
    for word in [":", "::", ":bee", "bee", ":hunybee:", ":-:"] {
      #expect(throws: ArtError.self) { try EmojiText(typed: word) }
    }
  }

  @Test("a reference may have a name in place of an emoji, with or without a number")
  func references() throws {
    #expect(try Reference(typed: ":honeybee:") == Reference("🐝"))
    #expect(try Reference(typed: ":bee::2") == Reference("🐝:2"))
    #expect(try Reference(typed: ":keycap 1::1") == Reference("1️⃣:1"))
    #expect(try Reference(typed: "🐝:2") == Reference("🐝:2"))
    #expect(try Reference(typed: ":🐝:") == Reference(":🐝:"))
    #expect(try Reference(typed: ":🐝::3") == Reference(":🐝::3"))
    #expect(try Reference(typed: "k3") == Reference("k3"))
    for word in [
      ":hunybee:", ":insect:", ":insect::2", ":bee::0", ":bee::-1", ":bee", ":bee:2", "::", ":::2", ":2",
    ] {
      #expect(throws: ArtError.self, "\(word)") { try Reference(typed: word) }
    }
    #expect { try Reference(typed: ":hunybee::2") } throws: { error in
      (error as? ArtError)?.cause.contains(":honeybee: 🐝") == true
    }
  }
}
