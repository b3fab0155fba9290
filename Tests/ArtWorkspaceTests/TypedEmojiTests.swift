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

/// With Noto Color Emoji of the tests, which has the emoji of Unicode 15.1.
@Suite("Emoji that the font lacks") struct FontCoverageTests {
  private func found(_ words: String..., limit: Int = 20, tone: ToneChoice = .none) async throws -> [String] {
    try await EmojiSearch(words, tone: tone, limit: limit, drawnBy: FontCoverage()).emojis.map(\.emoji)
  }

  @Test("N6 a search offers no emoji that the font lacks, and others up to its limit")
  func offers() async throws {
    let plain = try EmojiSearch(["ballet"], limit: 100).emojis.map(\.emoji)
    #expect(plain.contains("🧑‍🩰"))
    let offered = plain.filter { $0 != "🧑‍🩰" }
    #expect(try await found("ballet", limit: 100) == offered)
    #expect(try await found("ballet", limit: 1) == Array(offered.prefix(1)))
    #expect(try await found("bunny", "ears", tone: .all) == ["👯", "👯‍♂️", "👯‍♀️"])
  }

  @Test("N6 an emoji that the font lacks still has a name, and a search that finds only such ones says so")
  func lacking() async throws {
    #expect(try await found("🪊") == ["🪊"])
    do throws(EmojiSearch.Failure) {
      _ = try await EmojiSearch(["trombone"], limit: 9, drawnBy: FontCoverage())
      Issue.record("offered")
    } catch {
      guard case .lacking("trombone", let emojis) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(emojis.map(\.emoji) == ["🪊"])
    }
    func near(_ search: () async throws(EmojiSearch.Failure) -> EmojiSearch) async -> [String] {
      do throws(EmojiSearch.Failure) { _ = try await search() } catch {
        if case .nothing(_, let near) = error { return near.map(\.emoji) }
      }
      return []
    }
    let all = await near { () throws(EmojiSearch.Failure) in try EmojiSearch(["trombqne"], limit: 9) }
    let drawn = await near { () async throws(EmojiSearch.Failure) in
      try await EmojiSearch(["trombqne"], limit: 9, drawnBy: FontCoverage())
    }
    #expect(all.contains("🪊") && drawn == all.filter { $0 != "🪊" }, "what is near is offered, too")
  }

  @Test("more texts than a drawing names are told apart, and without a font all are offered")
  func many() async throws {
    let flags = (0..<676).map { number in
      let letters = [number / 26, number % 26].compactMap { Unicode.Scalar(0x1F1E6 + $0) }
      return String(String.UnicodeScalarView(letters))
    }
    let texts = try flags.map { try EmojiText($0) }
    let lacking = await FontCoverage().lacking(among: texts)
    // Unicode 15 has 258 flags of two letters.
    #expect(lacking.count == 676 - 258)
    #expect(lacking.contains(try EmojiText("🇨🇶")))
    #expect(await FontCoverage(font: "/nowhere").lacking(among: texts).isEmpty)
  }
}
