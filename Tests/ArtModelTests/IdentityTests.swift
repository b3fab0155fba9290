// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

@Suite("Identities")
struct IdentityTests {
  @Test("M1 an emoji's id has eight characters of the alphabet")
  func emojiID() throws {
    #expect(EmojiID("k3m9abcd")?.description == "k3m9abcd")
    let none = [
      "", "k3m9abc", "k3m9abcde", "K3m9abcd", "k3m9abcl", "k3m9abci", "k3m9abco", "k3m9abcu", "k3m9-abcd",
    ]
    for text in none + ["k3m9abc\u{0}", "k3m9abc🐝", " k3m9abcd"] { #expect(EmojiID(text) == nil, "\(text)") }
  }

  @Test("M1 a random id is read back as it was written, and ids sort like their texts")
  func drawnIDs() throws {
    var generator = SplitMix64(seed: 1)
    let ids = (0..<1_000).map { _ in EmojiID.random(using: &generator) }
    for id in ids { #expect(EmojiID(id.description) == id) }
    #expect(Set(ids).count == ids.count)
    #expect(ids.sorted().map(\.description) == ids.map(\.description).sorted())
  }

  @Test(
    "M3 a typed id may be in any case, with look-alikes and hyphens",
    arguments: [
      ("k3", "k3"), ("K3", "k3"), ("k-3", "k3"), ("--k3-", "k3"), ("oO", "00"), ("iIlL", "1111"),
      ("K3M9-ABCD", "k3m9abcd"), ("7", "7"),
    ])
  func typedID(_ typed: String, _ read: String) {
    #expect(EmojiID.Prefix(typed: typed)?.description == read)
  }

  @Test(
    "M3 a typed id has one to eight characters of the alphabet",
    arguments: ["", "-", "k3m9abcde", "u", "k 3", "🐝", "é"])
  func noTypedID(_ typed: String) {
    #expect(EmojiID.Prefix(typed: typed) == nil)
  }

  @Test("M3 a prefix matches exactly the ids in its range")
  func prefixes() throws {
    var generator = SplitMix64(seed: 2)
    for _ in 0..<2_000 {
      let id = EmojiID.random(using: &generator)
      let length = Int.random(in: 1...8, using: &generator)
      let prefix = try #require(EmojiID.Prefix(typed: id.description.prefix(length)))
      let other = EmojiID.random(using: &generator)
      #expect(prefix.matches(id) && prefix.range.contains(id))
      #expect(prefix.matches(other) == prefix.range.contains(other))
      #expect(prefix.matches(other) == other.description.hasPrefix(prefix.description))
    }
  }

  @Test("the unique prefix of an id is the shortest one that no other id has")
  func uniquePrefixes() throws {
    var generator = SplitMix64(seed: 3)
    let ids = (0..<300).map { _ in EmojiID(bits: generator.next() & 0xFF_FFFF) }
    let sorted = Set(ids).sorted()
    for (index, id) in sorted.enumerated() {
      let length = id.uniquePrefixLength(
        between: index > 0 ? sorted[index - 1] : nil, index + 1 < sorted.count ? sorted[index + 1] : nil)
      let sharing = { (length: Int) in
        sorted.count { $0.description.hasPrefix(id.description.prefix(length)) }
      }
      #expect(sharing(length) == 1)
      #expect(length == 1 || sharing(length - 1) > 1)
    }
    #expect(try id("k3m9abcd").uniquePrefixLength(between: nil, nil) == 1)
  }

  @Test("M1 an id of an origin or a document has twelve characters, and an edit's id adds a number from 1")
  func longIDs() throws {
    let origin = try #require(Origin("k3m9abcd0f2z"))
    #expect(origin.description == "k3m9abcd0f2z")
    #expect(DocumentID("k3m9abcd0f2z")?.description == "k3m9abcd0f2z")
    for text in ["", "k3m9abcd0f2", "k3m9abcd0f2zz", "K3M9ABCD0F2Z", "k3m9abcd0f2u"] {
      #expect(Origin(text) == nil && DocumentID(text) == nil, "\(text)")
    }
    #expect(EditID("k3m9abcd0f2z:17") == EditID(origin: origin, sequence: 17))
    #expect(EditID(origin: origin, sequence: 17).description == "k3m9abcd0f2z:17")
    let none = ["", ":", ":1", "0", "-1", "+1", "01", "1:", "1 ", "9223372036854775808"]
    for text in none { #expect(EditID("k3m9abcd0f2z:\(text)") == nil, "\(text)") }
    #expect(EditID("k3m9abcd0f2z") == nil)
  }

  @Test("M2 an author numbers edits from 1, and has a name of 1 to 64 bytes without control characters")
  func authors() throws {
    var author = try author(1)
    #expect([author.stamp(at: 5), author.stamp(at: 6)].map(\.id.sequence) == [1, 2])
    let origin = author.origin
    #expect(try Author(origin: origin, name: String(repeating: "é", count: 32)).name?.utf8.count == 64)
    for name in ["", String(repeating: "é", count: 33), "a\nb", "\u{1B}[31m", "a\u{202E}b", "a\u{0}"] {
      #expect(failure { () throws(ArtError) in try Author(origin: origin, name: name) }?.code == .badValue)
    }
  }
}
