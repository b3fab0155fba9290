// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtNames
import Testing

@Suite("Names of emoji")
struct EmojiNamesTests {
  private func named(_ name: String) throws -> String { try EmojiNames.emoji(named: name).string }

  private func message(_ name: String) -> String {
    do throws(ArtError) {
      return "found \(try EmojiNames.emoji(named: name))"
    } catch {
      guard error.code == .badText else { return "\(error.code)" }
      return error.cause + (error.remedy.map { ", \($0): \(error.subject ?? "")" } ?? "")
    }
  }

  private func best(_ words: String..., limit: Int = 3) throws -> [String] {
    try #require(EmojiNames.search(words, limit: limit)).emojis.map(\.emoji)
  }

  @Test("N2 case, accents, apostrophes and separators make no difference in a name")
  func spellings() throws {
    for name in ["red-heart", "red_heart", "Red-Heart", "RED HEART", " red  heart "] {
      #expect(try named(name) == "❤️")
    }
    for name in ["flag: Côte d’Ivoire", "flag-cote-divoire", "flag_Cote_d'Ivoire"] {
      #expect(try named(name) == "🇨🇮")
    }
    for name in ["flag: Antigua & Barbuda", "flag-antigua-and-barbuda", "FLAG ANTIGUA&BARBUDA"] {
      #expect(try named(name) == "🇦🇬")
    }
    #expect(try named("pin\u{303}ata") == "🪅")
    #expect(try named("keycap: #") == "#️⃣")
    #expect(try named("keycap-*") == "*️⃣")
    #expect(try named("mrs-claus") == "🤶")
  }

  @Test("N3 a name is preferred to a keyword, and a keyword is accepted if one emoji has it")
  func keywords() throws {
    #expect(try named("honeybee") == "🐝")
    #expect(try named("bee") == "🐝")
    #expect(try named("+1") == "👍")
    // Several emoji have it as a keyword.
    #expect(try named("cat") == "🐈")
    #expect(try named("12:00") == "🕛")
  }

  @Test("N3 a shortcode of GitHub or Slack names its emoji, unless it is the name of another one")
  func aliases() throws {
    for (name, emoji) in [
      ("heart", "❤️"), ("smile", "😄"), ("joy", "😂"), ("thumbsup", "👍"), ("+1", "👍"), ("-1", "👎"),
      ("heart_eyes", "😍"),
      ("laughing", "😆"), ("wave", "👋"), ("sunny", "☀️"), ("beer", "🍺"), ("beers", "🍻"),
      ("white_check_mark", "✅"),
      ("x", "❌"), ("computer", "💻"), ("shrug", "🤷"), ("facepalm", "🤦"), ("us", "🇺🇸"), ("gb", "🇬🇧"), ("uk", "🇬🇧"),
      ("de", "🇩🇪"),
      ("tada", "🎉"), ("flag-at", "🇦🇹"), ("thinking_face", "🤔"), ("100", "💯"), ("1234", "🔢"),
    ] {
      #expect(try named(name) == emoji, "\(name)")
    }
    #expect(try named("cat") == "🐈", "GitHub's is the cat face")
    #expect(try named("-1-dark-skin-tone") == "👎🏿")
    #expect(EmojiNames.shortcodes(beginningWith: "-") == ["-1"])
    #expect(EmojiNames.names(of: "👎").first?.aliases == ["-1", "thumbsdown"])
    #expect(try best("1").first == "1️⃣" && !best("1", limit: 10).contains("👎"), "-1 has no 1")
  }

  @Test("N3 what no English word is names an emoji in any other language, if only one is called so")
  func foreign() throws {
    for name in ["Biene", "abeille", "abeja", "пчела", "蜜蜂", "نحلة", "ミツバチ"] {
      #expect(try named(name) == "🐝", "\(name)")
    }
    #expect(try named("loewe") == "🦁" && named("Löwe") == "🦁")
  }

  @Test("the newest emoji have names")
  func newest() throws {
    for (word, emoji) in [
      ("phoenix", "🐦‍🔥"), ("shovel", "🪏"), ("fingerprint", "🫆"), ("orca", "🫍"), ("trombone", "🪊"),
    ] {
      #expect(try best(word).contains(emoji), "\(word)")
    }
    #expect(EmojiNames.names(of: "🫩").first?.name == "face with bags under eyes")
    #expect(try best("usa") == ["🇺🇸"] && best("uk").first == "🇬🇧" && best("love").first == "❤️")
    #expect(try best("dinosaurs").contains("🦕"))
  }

  @Test("N3 a name that fits several emoji or none is refused with the nearest names")
  func near() {
    #expect(
      message("insect")
        == ":insect: fits several emoji, such as :spider: 🕷️, :bug: 🐛 or :ant: 🐜, listMatches: insect")
    #expect(message("hunybee") == "no emoji is called :hunybee:; did you mean :honeybee: 🐝?")
    #expect(message("thumbsupp") == "no emoji is called :thumbsupp:; did you mean :thumbs-up: 👍?")
    #expect(message("hart").contains("did you mean :red-heart: ❤️"), "the word that most emoji have")
    #expect(
      message("honeyb") == "no emoji is called :honeyb:; did you mean :honeybee: 🐝?")
    #expect(message("qqqqqq") == "no emoji is called :qqqqqq:, searchNames: qqqqqq")
    #expect(message("-)") == ":-): has no letters to look for, searchNames: -)")
  }

  @Test("a search finds emoji that have all of its words, best first: the name itself, whole words, prefixes")
  func ranking() throws {
    #expect(try best("bee").first == "🐝")
    #expect(try best("red", "heart", limit: 1) == ["❤️"])
    #expect(try best("heart", "red", limit: 1) == ["❤️"])
    #expect(try best("heart", limit: 1) == ["❤️"])
    #expect(try best("cat", limit: 2) == ["🐈", "🐱"])
    #expect(try best("germany") == ["🇩🇪"])
    #expect(try best("CÔTE").first == "🇨🇮")
    #expect(try best("bee", "heart") == [])
    #expect(try best("insects", limit: 20).contains("🐝"))
    let all = try #require(EmojiNames.search(["heart"], limit: 1_000))
    #expect(all.count == all.emojis.count && all.count > 30)
    #expect(Set(all.emojis.map(\.emoji)).count == all.count)
    let few = try #require(EmojiNames.search(["heart"], limit: 7))
    #expect(few.emojis == Array(all.emojis.prefix(7)) && few.count == all.count)
  }

  @Test("a search gives emoji in the requested skin tone, or in all skin tones")
  func tones() throws {
    func found(_ word: String, _ tone: ToneChoice) throws -> [String] {
      try #require(EmojiNames.search([word], tone: tone, limit: 100)).emojis.map(\.emoji)
    }
    #expect(try found("thumbs-up", .none) == ["👍"])
    #expect(try found("thumbs-up", .tone(.mediumDark)) == ["👍🏾"])
    #expect(try found("thumbs-up", .all) == ["👍", "👍🏻", "👍🏼", "👍🏽", "👍🏾", "👍🏿"])
    #expect(try found("honeybee", .tone(.dark)) == ["🐝"])
    #expect(try found("people holding hands", .all).count == 26)
    #expect(try found("people holding hands", .tone(.light)) == ["🧑🏻‍🤝‍🧑🏻"])
    for limit in [1, 6, 7, 30] {
      let some = try #require(EmojiNames.search(["holding"], tone: .all, limit: limit))
      let all = try #require(EmojiNames.search(["holding"], tone: .all, limit: 10_000))
      #expect(some.count == all.emojis.count && some.emojis.count == min(limit, all.count))
    }
  }

  @Test("N2 an emoji has its name with and without variation selectors")
  func names() throws {
    #expect(EmojiNames.names(of: "🐝").first?.shortcode == "honeybee")
    #expect(EmojiNames.names(of: "❤").first?.name == "red heart")
    #expect(EmojiNames.names(of: "❤️").first?.name == "red heart")
    #expect(EmojiNames.names(of: "1⃣").first?.name == "keycap: 1")
    #expect(EmojiNames.names(of: "👋🏽").first?.name == "waving hand: medium skin tone")
    #expect(EmojiNames.names(of: "🧑🏻‍🤝‍🧑🏿").first?.tones == [.light, .dark])
    for text in ["🐝🐝", "bee", "1", "#", "", "\u{FE0F}", "a🐝", "🏽"] {
      #expect(EmojiNames.names(of: text) == [])
    }
  }

  @Test(
    "a name in a skin tone that its emoji does not have, or a keyword in one, is refused with the nearest names"
  )
  func tonesOfNames() {
    #expect(
      message("honeybee-dark-skin-tone")
        == "no emoji is called :honeybee-dark-skin-tone:; did you mean :honeybee: 🐝?")
    #expect(message("wave-medium-light-skin-tone") == "found 👋🏼", "GitHub's :wave:")
    #expect(message("bye-medium-light-skin-tone").contains(":waving-hand-medium-light-skin-tone: 👋🏼"))
    #expect(message("-dark-skin-tone").hasPrefix("no emoji is called"))
  }

  @Test("an emoji in any skin tone is given in the requested one")
  func tonesOfEmoji() {
    #expect(EmojiNames.names(of: "👋", tone: .tone(.dark)).map(\.emoji) == ["👋🏿"])
    #expect(EmojiNames.names(of: "👋🏻", tone: .tone(.dark)).map(\.shortcode) == ["waving-hand-dark-skin-tone"])
    #expect(EmojiNames.names(of: "👋🏻", tone: .all).count == 6)
    #expect(EmojiNames.names(of: "🐝", tone: .all).map(\.emoji) == ["🐝"])
    #expect(EmojiNames.names(of: "bee", tone: .all) == [])
  }

  @Test("the error about a long unknown name is shorter than 250 bytes")
  func longNames() {
    for long in [String(repeating: "a", count: 100_000), "a" + String(repeating: "\u{301}", count: 100_000)] {
      #expect(message(long).utf8.count < 250)
    }
    #expect(message(String(repeating: "-", count: 100_000)).utf8.count < 250)
  }

  @Test("completions are the names with that prefix, and the keywords of one emoji only")
  func completions() throws {
    #expect(
      EmojiNames.shortcodes(beginningWith: "honey") == [
        "honey-pot", "honeybee", "honeypot",
      ])
    #expect(
      EmojiNames.shortcodes(beginningWith: "bee") == ["bee", "beer", "beer-mug", "beers", "beet", "beetle"])
    #expect(EmojiNames.shortcodes(beginningWith: "qqq") == [])
    var count = 0
    for code in EmojiNames.shortcodes(beginningWith: "s") {
      count += 1
      #expect(throws: Never.self) { try EmojiNames.emoji(named: code) }
    }
    print("completions: \(count) that begin with s, each a name")
    #expect(count > 100)
  }
}
