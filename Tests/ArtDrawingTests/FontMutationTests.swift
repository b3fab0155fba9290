// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtDrawing
@testable import ArtModel

/// Fonts with random changes to their tables of colours and outlines. A reader passes if it does not trap, and either draws a glyph or refuses it.
@Suite("Changed fonts") struct FontMutationTests {
  /// A font's bytes, and where its tables are.
  private struct Source {
    let bytes: [UInt8]
    let tables: [(name: String, range: Range<Int>)]
    let texts: [String]

    init(_ name: String) throws {
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: TestFonts.path(name))))
      func number(_ place: Int, _ size: Int) -> Int {
        bytes[place..<place + size].reduce(0) { $0 << 8 | Int($1) }
      }
      tables = (0..<number(4, 2)).map { entry in
        let start = 12 + 16 * entry
        let first = number(start + 8, 4)
        return (
          String(decoding: bytes[start..<start + 4], as: UTF8.self), first..<first + number(start + 12, 4)
        )
      }
      texts = try TestFonts.glyphs(name).filter { $0.draws == true }.map(\.text)
      self.bytes = bytes
    }

    /// The font with some changes, most of them in its paints.
    func mutated(_ random: inout SplitMix64) -> [UInt8] {
      var bytes = bytes
      let (paints, others) = (["COLR", "CPAL"], ["glyf", "CFF ", "CFF2", "loca", "maxp", "head", "hmtx"])
      for _ in 0...random.below(4) {
        let names = random.below(4) > 0 ? paints : others
        let ranges = tables.filter { names.contains($0.name) && !$0.range.isEmpty }.map(\.range)
        guard let range = ranges.randomElement(using: &random) else { continue }
        // Heads and lists are near the beginning.
        let reach = random.oneIn(3) ? min(range.count, 64) : range.count
        let place = range.lowerBound + random.below(reach)
        switch random.below(4) {
        case 0: bytes[place] ^= 1 << random.below(8)
        case 1: bytes[place] = UInt8(random.below(256))
        case 2:
          let value: [UInt8] = [[0, 0, 0], [255, 255, 255], [127, 255, 255], [0, 0, 1], [0, 128, 0]][
            random.below(5)]
          for (offset, byte) in value.enumerated() where place + offset < range.upperBound {
            bytes[place + offset] = byte
          }
        default:
          // Another place's bytes: a paint refers to other paints.
          let other = range.lowerBound + random.below(range.count)
          for offset in 0..<random.below(24) where max(place, other) + offset < range.upperBound {
            bytes[place + offset] = bytes[other + offset]
          }
        }
      }
      return bytes
    }
  }

  @Test("V19 a changed font traps nothing: its glyphs are drawn, or refused, in each format")
  func fonts() throws {
    let sources = try ["paints-1", "layers-0", "paints-1-cff", "small"].map(Source.init)
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("changed-\(UUID()).ttf")
    defer {
      // A file that cannot be removed fails no test.
      try? FileManager.default.removeItem(at: path)
    }
    let campaign = Campaign("fuzz-fonts", smoke: 150)
    var (drawn, refused, unread) = (0, 0, 0)
    for number in campaign.cases {
      var random = campaign.random(number)
      let source = sources[random.below(sources.count)]
      try Data(source.mutated(&random)).write(to: path)
      var sheet = try Sheet(120, 120, isTransparent: true, fonts: [path.path])
      for _ in 0..<3 {
        let text = source.texts[random.below(source.texts.count)]
        try sheet.add(
          text, Double(random.below(120)), Double(random.below(120)), Double(1 + random.below(60)))
      }
      var drawing = try sheet.drawing()
      if random.oneIn(3) {
        drawing = drawing.as { random.oneIn(2) ? .pdf($0) : .svg($0, embedsGlyphs: true) }
      }
      do throws(DrawingRefusal) {
        _ = try Renderings.draw(drawing) { _ in }
        drawn += 1
      } catch {
        #expect([.badFont, .tooLarge].contains(error.reason), "case \(number): \(error)")
        if error.detail.contains("its glyph") { refused += 1 } else { unread += 1 }
      }
    }
    print(
      "V19 fonts: \(campaign.count) mutations, \(drawn) drawn, \(refused) with a glyph refused, \(unread) refused"
    )
    campaign.report(tried: campaign.count)
    #expect(drawn > campaign.count / 4 && refused > 0)
  }
}
