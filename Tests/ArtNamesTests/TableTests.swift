// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtNames

@Suite("The table of names")
struct TableTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func rows() -> [NameTable.Row] {
    var rows: [NameTable.Row] = []
    NameTable.own.forEach { row in
      rows.append(row)
      return true
    }
    return rows
  }

  @Test(
    "N1 a table is the output of scripts/dev emoji-names for the sources in Fixtures/names",
    arguments: EmojiLanguage.allCases)
  func regenerated(_ language: EmojiLanguage) throws {
    let code = language.rawValue
    let file = language == .english ? "names.tsv" : "names.\(code).tsv"
    let process = Process()
    let output = Pipe.unshared()
    process.executableURL = Self.root.appending(path: "scripts/dev")
    process.arguments = ["emoji-names", "--print", code]
    process.standardOutput = output
    try process.start()
    let made = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let table = try Data(contentsOf: Self.root.appending(path: "Sources/CEmojiNames/\(file)"))
    print("N1 \(file): \(made.count) bytes made again, \(table.count) in the project")
    #expect(made == table)
    let linked = NameTable.whole(language)
    #expect(table.elementsEqual(linked), "the program has another table")
  }

  @Test("N1 the program has the whole table, and each of its emoji is a valid text of one character")
  func whole() throws {
    let rows = rows()
    #expect(rows.count == 1_914)
    var versions = 0
    for row in rows {
      for emoji in [row.emoji.text] + NamedEmoji.versions(of: row).map(\.emoji) {
        versions += 1
        #expect(try EmojiText(emoji).string == emoji)
        #expect(emoji.count == 1)
      }
      #expect(!row.name.isEmpty)
    }
    #expect(versions == 1_914 + 2_030)
  }

  @Test(
    "N2 every emoji in every skin tone has a shortcode of its own, and a sample of them is found by shortcode and name"
  )
  func everyName() throws {
    var count = 0
    var shortcodes: Set<String> = []
    var lookups = 0
    for (place, row) in rows().enumerated() {
      for named in NamedEmoji.chosen(.all, of: row) {
        count += 1
        #expect(Shortcode.of(named.name) == named.shortcode)
        #expect(shortcodes.insert(named.shortcode).inserted, "\(named.shortcode) is the name of two")
      }
      // Looking all of them up would take a minute; the shortcodes were compared above.
      guard place % 16 == 0 else { continue }
      lookups += 1
      #expect(try EmojiNames.emoji(named: row.shortcode.text).string == row.emoji.text)
      #expect(try EmojiNames.emoji(named: row.name.text).string == row.emoji.text)
      // All versions are made in the same way: the first and the last one are enough.
      let versions = NamedEmoji.versions(of: row)
      for named in [versions.first, versions.last].compactMap(\.self) {
        #expect(try EmojiNames.emoji(named: named.shortcode).string == named.emoji)
      }
    }
    print("N2 names: \(count) emoji, each with a name of its own, \(lookups) looked up")
    #expect(count == 3_944)
  }

  @Test("N2 the script and the program make the same shortcodes")
  func spelling() {
    var count = 0
    for row in rows() {
      for code in [row.shortcode] + row.keywords.parts(at: UInt8(ascii: "|")) {
        count += 1
        #expect(Shortcode.of(code.text) == code.text)
      }
      #expect(Shortcode.of(row.name.text) == row.shortcode.text)
    }
    #expect(count > 5_000)
    for (name, code) in [
      ("gyōza", "gyoza"), ("hóngbāo", "hongbao"), ("crêpe", "crepe"), ("ココ", "ココ"), ("", ""), ("--", ""),
      ("U.S. Outlying Islands", "us-outlying-islands"), ("A_B", "a-b"), ("Ǆ", "ǆ"),
    ] {
      #expect(Shortcode.of(name) == code)
    }
  }

  @Test("N1 a table that is cut at any byte is read without a trap")
  func cut() throws {
    let table = Array("🐝\thoneybee\tbee|insect\thoneybee\t\n👍\tthumbs-up\t+1\tthumbs up\t👍🏻 👍🏿\n".utf8)
    for end in 0...table.count {
      var count = 0
      Array(table.prefix(end)).withUnsafeBufferPointer { bytes in
        NameTable(bytes).forEach { row in
          _ = NamedEmoji.chosen(.all, of: row)
          _ = NameQuery(["bee"])?.rank(row, at: count)
          count += 1
          return true
        }
      }
      #expect(count <= 2)
    }
  }

  @Test("a search that skips lines finds as many emoji as a search of every line")
  func wholeSearch() throws {
    let rows = rows()
    let words = Set(
      rows.flatMap { row in
        "\(row.shortcode.text)-\(row.keywords.text)".split { "-|".contains($0) }.map(String.init)
      })
    var (tried, found) = (0, 0)
    for (index, word) in words.sorted().enumerated() where index.isMultiple(of: 53) {
      for search in [[word], [word + "s"], [String(word.prefix(2))], ["red", word]] {
        let query = try #require(NameQuery(search))
        let fits = rows.compactMap { query.rank($0, at: 0)?.fit }
        let others = fits.count { $0 != .stem }
        let fitting = others > 0 ? others : fits.count
        #expect(EmojiNames.search(search, limit: 1)?.count == fitting, "\(search)")
        tried += 1
        if fitting > 0 { found += 1 }
      }
    }
    print("searches: \(tried), \(found) of which find something, each as by every line")
    #expect(tried > 150 && found > 100)
  }
}
