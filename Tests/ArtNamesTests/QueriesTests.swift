// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtNames

/// What people look for, with the emoji that answer it: Fixtures/names/queries.tsv.
@Suite("300 searches")
struct QueriesTests {
  private struct Query {
    let words: String
    let answers: Set<String>
    /// Whether nobody may change a rule because of it.
    let isHeldOut: Bool
    let found: [String]

    var isRight: Bool { found.contains(where: answers.contains) }
  }

  private struct Share: CustomStringConvertible {
    var right = 0
    var tried = 0

    init(_ queries: [Query]) { (right, tried) = (queries.count(where: \.isRight), queries.count) }
    var value: Double { tried > 0 ? Double(right) / Double(tried) : 0 }
    var description: String {
      "\(right) of \(tried), \((value * 100).formatted(.number.precision(.fractionLength(1)))) %"
    }
  }

  /// The share of right answers below which the test fails.
  private static let bar = 0.9

  /// All searches by language, with the first three emoji of each; U+FE0F is left out.
  private func queries() throws -> [(EmojiLanguage, [Query])] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/names/queries.tsv")
    var all: [(EmojiLanguage, [Query])] = []
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    where !line.hasPrefix("#") {
      let columns = line.split(separator: "\t").map(String.init)
      try #require(columns.count == 3, "\(line)")
      let language = try #require(EmojiLanguage(tag: columns[0]))
      let words = columns[1].split(separator: " ").map(String.init)
      let found = try #require(EmojiNames.search(words, in: language, limit: 3))
      if all.last?.0 != language { all.append((language, [])) }
      let query = Query(
        words: columns[1], answers: Set(columns[2].split(separator: " ").map { Self.plain(String($0)) }),
        isHeldOut: !all[all.count - 1].1.count.isMultiple(of: 2),
        found: found.emojis.map { Self.plain($0.emoji) })
      all[all.count - 1].1.append(query)
    }
    return all
  }

  private static func plain(_ emoji: String) -> String {
    String(String.UnicodeScalarView(emoji.unicodeScalars.filter { $0 != "\u{FE0F}" }))
  }

  @Test("N5 a right answer is among the first three emoji for at least 90 % of 300 searches in 6 languages")
  func answers() throws {
    let all = try queries()
    for (language, queries) in all {
      print("N5 \(language): \(Share(queries)); not answered:")
      for miss in queries where !miss.isRight {
        print("    \(miss.words)\(miss.isHeldOut ? " (held out)" : ""): \(miss.found.joined(separator: " "))")
      }
    }
    let queries = all.flatMap(\.1)
    let (seen, held) = (queries.filter { !$0.isHeldOut }, queries.filter(\.isHeldOut))
    print("N5 in all: \(Share(queries)); looked at: \(Share(seen)); held out: \(Share(held))")
    #expect(all.count == 6 && all.allSatisfy { $0.1.count == 50 })
    #expect(Share(queries).value >= Self.bar)
    #expect(Share(held).value >= Self.bar)
  }

  @Test("N5 with the answers of another search, the share is far below the bar")
  func otherAnswers() throws {
    for (language, queries) in try queries() {
      let moved = queries.indices.map { index in
        let other = queries[(index + 7) % queries.count]
        return Query(
          words: queries[index].words, answers: other.answers, isHeldOut: false, found: queries[index].found)
      }
      print("N5 \(language), with other answers: \(Share(moved))")
      #expect(Share(moved).value < Self.bar / 2)
    }
  }
}
