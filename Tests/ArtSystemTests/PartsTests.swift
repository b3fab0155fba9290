// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Foundation
import Testing

@Suite("Parts of texts and bytes") struct PartsTests {
  @Test(
    "the first place of a part, and what is between its places",
    arguments: [
      ("", "a"), ("a", "a"), ("aaa", "aa"), ("aab", "ab"), ("{n}", "{n}"), ("a{n}b{n}", "{n}"),
      ("a{n", "{n}"),
      ("é", "e"), ("👩‍🚀🚀", "🚀"), ("a\u{301}b", "áb"), ("one two", "three"),
    ])
  func places(text: String, part: String) {
    let found = text.firstRange(ofPart: part).map { text.distance(from: text.startIndex, to: $0.lowerBound) }
    let wanted = text.firstRange(of: part).map { text.distance(from: text.startIndex, to: $0.lowerBound) }
    #expect(found == wanted)
    #expect(text.contains(part: part) == text.contains(part))
    #expect(
      text.pieces(separatedBy: part) == text.split(separator: part, omittingEmptySubsequences: false))
    #expect(text.replacing(part: part, with: "<>") == text.replacing(part, with: "<>"))
  }

  @Test("parts are where the standard library finds them, in all rows of up to eight bits")
  func bits() {
    let rows = (0...8).flatMap { count in
      (0..<1 << count).map { bits in (0..<count).map { UInt8(bits >> $0 & 1) } }
    }
    for row in rows {
      for part in rows where (1...3).contains(part.count) {
        #expect(row.firstRange(ofPart: part) == row.firstRange(of: part), "\(part) in \(row)")
      }
    }
  }
}
