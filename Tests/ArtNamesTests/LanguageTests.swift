// SPDX-License-Identifier: Apache-2.0

import ArtModel
import TestSupport
import Testing

@testable import ArtNames

@Suite("Names of emoji in other languages")
struct LanguageTests {
  private static let others = EmojiLanguage.allCases.filter { $0 != .english }

  private func rows(_ language: EmojiLanguage) -> [NameTable.Row] {
    var rows: [NameTable.Row] = []
    NameTable(language).forEach { row in
      rows.append(row)
      return true
    }
    return rows
  }

  private func german(_ words: String..., limit: Int = 100) throws -> [NamedEmoji] {
    try #require(EmojiNames.search(words, in: .german, limit: limit)).emojis
  }

  @Test("N4 a search finds German names and keywords, best first, and compounds last")
  func german() throws {
    let bee = try #require(try german("Biene").first)
    #expect(bee.emoji == "🐝" && bee.name == "Biene" && bee.shortcode == "honeybee")
    #expect(bee.keywords.contains("honigbiene"))
    #expect(try german("Hummel").map(\.emoji) == ["🐝"])
    #expect(try german("rotes", "Herz").first?.emoji == "❤️")
    #expect(try german("schweiz").first?.emoji == "🇨🇭")
    let cakes = try german("Kuchen").map(\.emoji)
    #expect(cakes.first == "🥧" && cakes.contains("🎂"))
    #expect(
      try !german("eis").map(\.emoji).contains("🏆"), "three letters are looked for at the beginning only")
    #expect(try german("qqqq").isEmpty)
    #expect(EmojiNames.search([","], in: .german, limit: 1) == nil)
  }

  @Test("N4 a search finds the names of every language, with other marks, and in words without blanks")
  func languages() throws {
    for (language, word, emoji) in [
      (EmojiLanguage.arabic, "نحلة", "🐝"), (.chinese, "蜜蜂", "🐝"), (.chinese, "蜂", "🐝"),
      (.french, "abeille", "🐝"),
      (.french, "cœur rouge", "❤️"), (.german, "Biene", "🐝"), (.italian, "ape", "🐝"), (.japanese, "ミツバチ", "🐝"),
      (.japanese, "ひまわり", "🌻"), (.polish, "pszczola", "🐝"), (.polish, "pszczoła", "🐝"),
      (.portuguese, "abelha", "🐝"),
      (.russian, "пчела", "🐝"), (.russian, "самолёт", "✈️"), (.russian, "самолет", "✈️"),
      (.spanish, "abeja", "🐝"),
      (.ukrainian, "бджола", "🐝"), (.spanish, "dinosaurio", "🦕"),
    ] {
      let found = try #require(EmojiNames.search([word], in: language, limit: 3))
      #expect(
        found.emojis.contains { $0.emoji == emoji }, "\(language) \(word): \(found.emojis.map(\.emoji))")
    }
    #expect(try german("Hund").first?.emoji == "🐕" && !german("Hund", limit: 6).contains { $0.emoji == "💯" })
    #expect(try !german("Herz", limit: 20).contains { $0.emoji == "🇧🇦" })
  }

  @Test("N4 umlauts are found as they are, without their dots, and spelled with an e; ß as ss")
  func spellings() throws {
    for word in ["Löwe", "löwe", "LÖWE", "lo\u{308}we", "Loewe", "loewe", "lowe"] {
      #expect(try german(word).first?.emoji == "🦁", "\(word)")
    }
    for words in [["weiß"], ["weiss"], ["WEISS"], ["weiẞ"]] {
      let found = try #require(EmojiNames.search(words, in: .german, limit: 200))
      #expect(found.count > 5 && found.emojis.contains { $0.name == "weißes Herz" }, "\(words)")
    }
    #expect(try german("gruenes", "herz").first?.emoji == "💚")
    #expect(try german("blaues", "herz").first?.emoji == "💙", "an e that is no spelling")
    #expect(try german("Flagge", "Oesterreich").first?.emoji == "🇦🇹")
  }

  @Test("N4 what only English names find comes behind, with its German name where it has one")
  func english() throws {
    let bee = try #require(try german("honeybee").first)
    #expect(bee.emoji == "🐝" && bee.name == "Biene")
    #expect(try german("jellyfish").map(\.name) == ["Qualle"])
    // Music in both languages, and a stone in English.
    let rocks = try german("rock").map(\.emoji)
    let own = NameTable(.german).rows(try #require(NameQuery(["rock"], in: .german))).map(\.emoji.text)
    #expect(!own.isEmpty && !own.contains("🪨") && rocks.contains("🪨") && rocks.starts(with: own))
    #expect(Set(rocks).count == rocks.count)
    let some = try #require(EmojiNames.search(["rock"], in: .german, limit: 2))
    #expect(some.emojis.map(\.emoji) == Array(rocks.prefix(2)) && some.count == rocks.count)
    #expect(EmojiNames.search(["Biene"], limit: 1)?.count == 0, "English finds no German name")
  }

  @Test("N4 an emoji has its German name, in its skin tone, and its English shortcode")
  func names() throws {
    func name(_ emoji: String) -> String? { EmojiNames.names(of: emoji, in: .german).first?.name }
    #expect(name("🦁") == "Löwe")
    #expect(name("❤") == "rotes Herz")
    #expect(name("👋🏽") == "winkende Hand: mittlere Hautfarbe")
    #expect(name("👨🏻‍🦰") == "Mann: rotes Haar, helle Hautfarbe")
    #expect(name("🧑🏻‍🤝‍🧑🏿") == "sich an den Händen haltende Personen: helle Hautfarbe, dunkle Hautfarbe")
    #expect(name("🪼") == "Qualle")
    #expect(name("bee") == nil)
    #expect(EmojiNames.names(of: "👋🏽", in: .german).first?.shortcode == "waving-hand-medium-skin-tone")
    #expect(
      EmojiNames.names(of: "👋", tone: .all, in: .german).map(\.name).last == "winkende Hand: dunkle Hautfarbe"
    )
    #expect(EmojiNames.names(of: "👋", tone: .tone(.dark), in: .german).map(\.emoji) == ["👋🏿"])
  }

  @Test("a word that finds nothing has similar German names, or else English ones")
  func near() {
    #expect(EmojiNames.names(near: "Hummmel", in: .german).first?.name == "Biene")
    #expect(EmojiNames.names(near: "jellifish", in: .german).first?.emoji == "🪼")
    #expect(EmojiNames.names(near: "qqqqqq", in: .german).isEmpty)
  }

  @Test("a language is found by a BCP 47 tag, whatever follows its code")
  func tags() {
    for (tag, language) in [
      ("de", EmojiLanguage.german), ("DE", .german), ("de-AT", .german), ("de-Latn-DE-1996", .german),
      ("en", .english), ("en-GB", .english),
    ] {
      #expect(EmojiLanguage(tag: tag) == language, "\(tag)")
    }
    for tag in ["", "-", "nl", "deu", "d", "de_AT", "german", "\u{0}"] {
      #expect(EmojiLanguage(tag: tag) == nil, "\(tag)")
    }
    for (locale, language) in [
      ("de_AT.UTF-8", EmojiLanguage.german), ("de@euro", .german), ("de", .german), ("zh_CN.UTF-8", .chinese),
      ("C", nil),
      ("C.UTF-8", nil), ("POSIX", nil), ("", nil), ("nl_NL", nil), ("deu_DE", nil),
    ] {
      #expect(EmojiLanguage(locale: locale) == language, "\(locale)")
    }
  }

  @Test(
    "N1 a table has the emoji of the English one in their order, all but a few, with folded words",
    arguments: others)
  func table(_ language: EmojiLanguage) throws {
    let english = rows(.english).map(\.emoji.text)
    let own = rows(language)
    var rest = english[...]
    for row in own {
      while let emoji = rest.first, emoji != row.emoji.text { rest.removeFirst() }
      #expect(!rest.isEmpty, "\(row.emoji.text) is not in the English table, or not in its order")
      #expect(Shortcode.of(row.name.text) == row.shortcode.text && !row.shortcode.isEmpty)
      let keywords = row.keywords.parts(at: UInt8(ascii: "|")).map(\.text)
      let spellings = row.spellings.parts(at: UInt8(ascii: "|")).map(\.text)
      for word in keywords + spellings { #expect(Shortcode.of(word) == word) }
      #expect(Set(keywords + spellings + [row.shortcode.text]).count == keywords.count + spellings.count + 1)
    }
    print("\(language): \(own.count) of \(english.count) emoji have names")
    #expect(own.count == 1_914)
    let tones = NameTable(language).tones
    #expect(tones.count == SkinTone.allCases.count && Set(tones).count == tones.count)
  }

  @Test("N1 a table with a line of skin tones that is cut at any byte is read without a trap")
  func cut() throws {
    let table = Array("\t\t\tlight|dark\t\n🐝\tbiene\ttier\tBiene\t\n🦁\tlowe\ttier\tLöwe\tloewe\n".utf8)
    for end in 0...table.count {
      Array(table.prefix(end)).withUnsafeBufferPointer { bytes in
        let table = NameTable(bytes, hasTones: true)
        #expect(table.tones.count <= 2)
        table.forEach { row in
          _ = NameQuery(["loewe"], in: .german)?.rank(row, at: 0)
          _ = table.row(of: row.emoji)
          return true
        }
      }
    }
  }

  @Test("a search that skips lines finds as many emoji as a search of every line", arguments: others)
  func wholeSearch(_ language: EmojiLanguage) throws {
    let rows = rows(language)
    let words = Set(
      rows.flatMap { row in
        "\(row.shortcode.text)-\(row.keywords.text)|\(row.spellings.text)".split { "-|".contains($0) }
          .map(String.init)
      })
    var (tried, found) = (0, 0)
    for (index, word) in words.sorted().enumerated() where index.isMultiple(of: 601) {
      for search in [[word], [String(word.dropFirst())], [String(word.prefix(2))], ["rotes", word]] {
        guard let query = NameQuery(search, in: language) else { continue }
        let fits = rows.compactMap { query.rank($0, at: 0)?.fit }
        let others = fits.count { $0 != .stem }
        let fitting = others > 0 ? others : fits.count
        #expect(NameTable(language).rows(query).count == fitting, "\(search)")
        tried += 1
        if fitting > 0 { found += 1 }
      }
    }
    print("\(language): \(tried) searches, \(found) of which find something, each as by every line")
    #expect(tried > 20 && found > 12)
  }
}
