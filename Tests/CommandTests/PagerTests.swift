// SPDX-License-Identifier: Apache-2.0

import ArtTerminal
import Testing

@testable import emojiart

@Suite("Long output on a terminal")
struct PagerTests {
  @Test(
    "the pager is that of EMOJIART_PAGER, else of PAGER, else less; empty and cat are none",
    arguments: [
      ([:], "less"), (["PAGER": "most"], "most"), (["EMOJIART_PAGER": "bat -p", "PAGER": "most"], "bat -p"),
      (["EMOJIART_PAGER": "", "PAGER": "most"], nil), (["PAGER": ""], nil), (["PAGER": "cat"], nil),
      (["EMOJIART_PAGER": " "], nil),
    ] as [([String: String], String?)])
  func commands(_ variables: [String: String], _ command: String?) {
    #expect(Pager.command { variables[$0] } == command)
  }

  @Test("output is long when it needs all rows of the terminal, wrapped and without colours")
  func lengths() {
    let terminal = TerminalSize(columns: 10, rows: 5)
    func isLong(_ text: String) -> Bool { Pager.isLong(Array(text.utf8), on: terminal) }
    #expect(!isLong("a\nb\nc\nd\n") && isLong("a\nb\nc\nd\ne\n"))
    #expect(!isLong("0123456789\nb\nc\nd\n") && isLong("01234567890\nb\nc\nd\n"))
    #expect(!isLong("\u{1B}[1m0123456789\u{1B}[0m\nb\nc\nd\n"))
    #expect(!isLong("") && !isLong("\n\n\n\n") && isLong("\n\n\n\n\n"))
  }

  @Test("names stand in as many columns as fit, downwards, with their counts before them")
  func columns() {
    let names = ["ants", "bees", "häppy", "moths", "wasps 🐝"]
    let entries = names.map { (String($0.count), $0) }
    #expect(
      NameColumns(entries, columns: 80).lines == [
        "4 ants       4 bees       5 häppy      5 moths      7 wasps 🐝"
      ])
    #expect(
      NameColumns(entries, columns: 30).lines == [
        "4 ants       5 moths", "4 bees       7 wasps 🐝", "5 häppy",
      ])
    #expect(NameColumns(entries, columns: 1).lines.count == 5)
    #expect(NameColumns([], columns: 80).lines.isEmpty)
    for columns in 1...200 {
      for count in 0...40 {
        let entries = (0..<count).map { ("\($0)", String(repeating: "n", count: 1 + $0 % 7)) }
        let made = NameColumns(entries, columns: columns)
        #expect(made.count == 1 || made.lines.allSatisfy { $0.count < columns })
        let words = made.lines.flatMap { $0.split(separator: " ").map(String.init) }
        #expect(words.count == 2 * count && Set(words).isSuperset(of: entries.map(\.0)))
      }
    }
  }
}
