// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Testing

@testable import emojiart

@Suite("Typed names of emoji")
struct NameTests {
  @Test("the prompt completes the names of a document's emoji")
  func promptOfReferences() throws {
    let labels = [("k3v9x2pq", "🐝"), ("0a1b2c3d", "❤"), ("0a1b2c3e", "❤️"), ("0a1b2c3f", "🐝🐝")]
    let emojis = try labels.map { id, text in
      Emoji(
        id: try #require(EmojiID(id)), text: try EmojiText(text), position: try Point(x: 1, y: 2),
        size: .standard, z: 0)
    }
    var random = SystemRandomNumberGenerator()
    let content = try #require(
      DocumentContent(id: DocumentID(using: &random), canvas: .standard, emojis: emojis))
    #expect(
      StreamCommands.candidates(after: ["move"], of: ":", in: content) == [
        ":honeybee:", ":red-heart::1", ":red-heart::2", "--all", "--by", "--in", "--to",
      ])
    #expect(StreamCommands.candidates(after: ["move"], of: "k", in: content).contains("k3v9x2pq"))
  }

  @Test("the prompt completes a name after a colon, and options elsewhere")
  func prompt() {
    func candidates(_ words: [String], _ word: String) -> [String] {
      StreamCommands.candidates(after: words, of: word, in: nil)
    }
    #expect(candidates(["add"], ":honeyb") == [":honeybee:", "--at", "--grid", "--in", "--size"])
    #expect(
      candidates(["add", "🐝"], ":beer") == [
        ":beer:", ":beer-mug:", ":beers:", "--at", "--grid", "--in", "--size",
      ])
    #expect(candidates(["add"], "honeyb") == ["--at", "--grid", "--in", "--size"])
    #expect(candidates(["move"], ":honeyb") == ["--all", "--by", "--in", "--to"])
    #expect(candidates(["order"], "") == ["--above", "--all", "--back", "--front", "--in"])
    #expect(candidates(["undo"], "") == [])
  }
}
