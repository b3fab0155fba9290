// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtExchange
@testable import ArtModel

@Suite("Round trips")
struct RoundTripTests {
  private let rounds = 400

  @Test(
    "X3 a document of an app is imported and exported as the same document, which that app's own decoder reads"
  )
  func apps() throws {
    try check(App2017.self, .emojiart2017)
    try check(App2020.self, .emojiart2020)
    try check(App2021a.self, .emojiart2021a)
    try check(App2021b.self, .emojiart2021b)
    try check(App2023.self, .emojiart2023)
  }

  private func check<App: AppDocument>(_: App.Type, _ dialect: Dialect) throws {
    var random = SplitMix64(seed: 20)
    for round in 0..<rounds {
      let document = try App.random(using: &random)
      let art = try ForeignArt([UInt8](try JSONEncoder().encode(document)))
      let content = try imported(art, using: &random)
      #expect(art.report.notes.isEmpty, "\(dialect), round \(round): \(art.report.lines)")
      let out = try written(content, picture: art.background?.bytes, to: dialect)
      #expect(try JSONDecoder().decode(App.self, from: Data(out)) == document, "\(dialect), round \(round)")
      // A picture that was fetched is again only a URL in the dialect of 2023.
      let losses = dialect.report(on: content).notes.filter { $0.code != "canvas" && $0.code != "picture" }
      #expect(losses.isEmpty, "\(dialect), round \(round): \(losses)")
    }
    print("X3 round trips, \(dialect.rawValue): \(rounds) documents of the app")
  }

  /// An embedded picture is set; of a picture that only a URL names, every second one is set, and every other one is pending.
  private func imported(_ art: ForeignArt, using random: inout SplitMix64) throws -> DocumentContent {
    let isThere = art.background?.bytes != nil || art.dialect == .emojiart2023 && random.oneIn(2)
    let size = try Canvas(width: 1 + random.below(2000), height: 1 + random.below(2000))
    guard art.background != nil, isThere else {
      return try art.content(pending: art.background?.url, seed: random.next()).content
    }
    return try art.content(picture: size, seed: random.next()).content
  }

  @Test("X4 a document that is exported as our own JSON and imported again is the same but for its revision")
  func own() throws {
    var random = SplitMix64(seed: 21)
    for round in 0..<rounds {
      let content = try RandomArt.content(using: &random)
      let picture: [UInt8]? = content.background == nil ? nil : [1, 2, 3]
      let json = try written(content, picture: picture, to: .json)
      let art = try ForeignArt(json)
      #expect(
        art.background?.bytes == picture && art.report.notes.isEmpty && art.emojiCount == content.emojiCount)
      let again = try art.content(picture: content.background?.size).content
      #expect(again.lines == content.lines, "round \(round)")
      #expect(try written(again, picture: picture, to: .json) == json, "round \(round)")
    }
    print("X4 round trips of our own JSON: \(rounds) documents")
  }

  @Test("X5 each dialect keeps all labels and their texts, and no other loss is without a note")
  func between() throws {
    var random = SplitMix64(seed: 22)
    var tried = 0
    var carried = 0
    var styled = 0
    for round in 0..<rounds {
      let content = try RandomArt.content(whole: random.oneIn(2), using: &random)
      for dialect in Dialect.allCases {
        let notes = dialect.report(on: content).notes
        let again = try throughForm(dialect, content)
        tried += 1
        let all = content.emojisInOrder()
        // The words of a caption are written, and read as a label where they can be one.
        let expected = dialect == .json ? all.map(\.text) : all.compactMap { Self.label($0.text) }
        #expect(again.emojisInOrder().map(\.text) == expected)
        for (code, count) in Self.styles(of: content) where dialect != .json && count > 0 {
          styled += 1
          #expect(
            notes.contains { $0.code == code && $0.emojis == count }, "\(dialect), round \(round): \(code)")
        }
        #expect((dialect != .json && content.fill != nil) == notes.contains { $0.code == "fill" })
        let isSame = again.linesWithoutIDs == content.linesWithoutIDs
        if isSame { carried += 1 }
        #expect(isSame || !notes.isEmpty, "\(dialect), round \(round): lost in silence: \(content.lines)")
      }
    }
    print(
      "X5 between the forms: \(tried) documents written and read, \(carried) of them the same, \(styled) kinds of losses reported"
    )
    #expect(carried > tried / 4 && carried < tried && styled > tried / 4)
  }

  private static func label(_ text: EmojiText) -> EmojiText? {
    text.isCaption ? try? EmojiText(text.string) : text
  }

  /// The number of labels with each of the values that no app has, by the code of its note.
  private static func styles(of content: DocumentContent) -> [String: Int] {
    let all = content.emojisInOrder()
    return [
      "captions": all.count { $0.text.isCaption }, "colors": all.count { $0.color != .black },
      "mirrored": all.count(where: \.isMirrored), "rotations": all.count { $0.rotation != .zero },
    ]
  }

  private func throughForm(_ dialect: Dialect, _ content: DocumentContent) throws -> DocumentContent {
    let picture: [UInt8]? = content.background == nil ? nil : [1, 2, 3]
    let art = try ForeignArt(try written(content, picture: picture, to: dialect))
    if let background = content.background, art.background != nil {
      return try art.content(picture: background.size).content
    }
    return try art.content(pending: art.pending == nil ? art.background?.url : nil).content
  }
}

extension DocumentContent {
  /// The lines that a foreign dialect may carry: the anchor and the reason of a pending background are the reader's own.
  fileprivate var linesWithoutIDs: [String] {
    lines.map { line in
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      switch words.first {
      case "emoji":
        return words.enumerated().filter { $0.offset != 1 }.map { $0.element }.joined(separator: " ")
      case "pending": return "pending \(words.last ?? "")"
      default: return line
      }
    }
  }
}
