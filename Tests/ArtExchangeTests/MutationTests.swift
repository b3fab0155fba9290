// SPDX-License-Identifier: Apache-2.0

import ArtExchange
import ArtModel
import Foundation
import TestSupport
import Testing

@Suite("Broken documents of other programs")
struct ForeignMutationTests {
  @Test(
    "X2 documents with random changes neither stop nor hang the program, and no emoji is lost without a note",
    arguments: Dialect.allCases)
  func mutations(dialect: Dialect) throws {
    let sources = try sources(of: dialect)
    let campaign = Campaign("exchange", smoke: 600)
    let count = campaign.count
    var accepted = 0
    var leftOut = 0
    var compared = 0
    var broken: [String] = []
    for round in campaign.cases {
      var random = campaign.random(round)
      let bytes = Mutation.of(sources[random.below(sources.count)], using: &random)
      let picture =
        random.oneIn(2) ? try Canvas(width: 1 + random.below(900), height: 1 + random.below(900)) : nil
      let law = ForeignLaw(picture: picture, dialect: Dialect.allCases[random.below(Dialect.allCases.count)])
      do {
        let outcome = try bytes.withUnsafeBufferPointer { (bytes) throws(ForeignLaw.Broken) in
          try law.check(bytes, using: &random)
        }
        guard case .accepted(let art, _, let report) = outcome else { continue }
        accepted += 1
        if report.emojisLeftOut > 0 { leftOut += 1 }
        guard let entries = entries(of: bytes) else { continue }
        compared += 1
        if entries != art.emojisFound {
          broken.append("round \(round): \(entries) entries, \(art.emojisFound) found")
        }
      } catch {
        broken.append(
          "round \(round): \(error.words) by \(String(decoding: bytes, as: UTF8.self).prefix(2000))")
      }
    }
    print(
      "X2 mutations, \(dialect.rawValue): \(count) tried, \(accepted) taken, \(leftOut) of them with emoji left out and told, "
        + "\(compared) counted by another reader, \(broken.count) broken")
    campaign.report(tried: count)
    #expect(broken.isEmpty, "\(broken.prefix(3))")
    #expect(accepted > count / 10 && leftOut > count / 50 && compared > count / 20)
  }

  @Test(
    "X2 a control: a lost emoji and a broken law are noticed"
  )
  func control() throws {
    var random = SplitMix64(seed: 1)
    let bytes = Array(
      #"{"emojis":[{"text":"🐝","x":1,"y":2,"size":3},{"text":"Hello","x":1,"y":2,"size":3}]}"#.utf8)
    let outcome = try bytes.withUnsafeBufferPointer {
      try ForeignLaw(picture: nil, dialect: .emojiart2017).check($0, using: &random)
    }
    guard case .accepted(let art, let content, let report) = outcome else {
      Issue.record("a valid document is refused")
      return
    }
    #expect(art.emojisFound == 2 && content.emojiCount == 1 && report.emojisLeftOut == 1)
    #expect(entries(of: bytes) == 2)
    #expect(throws: ForeignLaw.Broken.self) {
      try ForeignLaw(picture: nil, dialect: .json).compare(
        art.emojisFound, content.emojiCount, "emoji are lost")
    }
  }

  /// The fixtures of a dialect, and random documents that are written in it.
  private func sources(of dialect: Dialect) throws -> [[UInt8]] {
    var sources: [[UInt8]] = []
    for name in try fixtureNames() {
      let bytes = try fixture(name)
      do throws(ArtError) {
        if try ForeignArt(bytes).dialect == dialect, !bytes.isEmpty { sources.append(bytes) }
      } catch { continue }
    }
    for seed in 0..<8 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let content = try RandomArt.content(using: &random)
      sources.append(try written(content, picture: content.background == nil ? nil : [1, 2, 3], to: dialect))
    }
    return sources
  }

  /// The length of the list of emoji by Foundation's reader; nil if it reads none.
  private func entries(of bytes: [UInt8]) -> Int? {
    // Foundation accepts and refuses other things: only what both readers accept is compared.
    guard let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else {
      return nil
    }
    return (object["emojis"] as? [Any] ?? object["emoji"] as? [Any])?.count
  }
}
