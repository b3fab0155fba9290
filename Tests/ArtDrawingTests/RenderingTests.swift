// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtDrawing

@Suite("Painting") struct RenderingTests {
  @Test("V2 every sequence of Unicode's emoji-test.txt is one colour glyph")
  func sequences() throws {
    let file = "/usr/share/unicode/emoji/emoji-test.txt"
    let typesetter = try Typesetter(path: Sheet.font)
    let font = typesetter.fonts
    var count = 0
    var blank = 0
    for line in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    where line.first != "#" {
      let scalars = line.prefix { $0 != ";" }.split(separator: " ")
        .compactMap { UInt32($0, radix: 16).flatMap(Unicode.Scalar.init) }
      guard !scalars.isEmpty else { continue }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      let layout = try typesetter.layout(try EmojiText(String(text)))
      count += 1
      #expect(layout.glyphs.count == 1 && !layout.hasMissingGlyphs, "\(line)")
      let pixels = try font.bitmap(layout.glyphs[0].glyph)
      let bytes = UnsafeBufferPointer(start: pixels.pixels, count: pixels.count)
      if !bytes.contains(where: { $0 > 0 }) { blank += 1 }
    }
    print("V2: \(count) sequences, each one glyph")
    #expect(count >= 4_000)
    #expect(blank == 0)
    #expect(try typesetter.layout(try EmojiText("🐝🐝")).glyphs.count == 2, "two emoji are two glyphs")
  }

  @Test("V2 the centre of a label is at its place, and its font size is its size, at any scale")
  func placement() throws {
    let typesetter = try Typesetter(path: Sheet.font)
    let font = typesetter.fonts
    let texts = ["🐝", "👩‍🚀", "🏳️‍🌈", "🦒", "🪝"]
    var random = SplitMix64(seed: 21)
    var furthest = 0.0
    for index in 0..<60 {
      let text = texts[index % texts.count]
      let size = Double.random(in: 12...150, using: &random)
      let scale = [0.25, 0.5, 1, 1.5][index % 4]
      let (x, y) = (
        Double.random(in: 110...130, using: &random), Double.random(in: 110...130, using: &random)
      )
      var sheet = try Sheet(240, 240, isTransparent: true)
      try sheet.add(text, x, y, size)
      let side = Int(240 * scale)
      let center = try #require(try sheet.painted(width: side, height: side).center)
      let glyph = try typesetter.layout(try EmojiText(text)).glyphs[0].glyph
      let bitmap = Painted(try font.bitmap(glyph))
      let own = try #require(bitmap.center)
      let em = size * scale / font.first.pixelsPerEm
      let expected = (
        x: x * scale + (own.x - Double(bitmap.width) / 2) * em,
        y: y * scale + (own.y - Double(bitmap.height) / 2) * em
      )
      furthest = max(furthest, abs(center.x - expected.x), abs(center.y - expected.y))
    }
    print("V2: 60 labels, at most \(furthest) pixels beside their places")
    #expect(furthest < 0.04)
  }

  @Test("V2 a glyph in the size of the font's bitmaps and on whole pixels is its bitmap, byte for byte")
  func ownSize() throws {
    let typesetter = try Typesetter(path: Sheet.font)
    let font = typesetter.fonts
    var sheet = try Sheet(200, 200, isTransparent: true)
    try sheet.add("🐝", 100, 100, font.first.pixelsPerEm)
    let painted = try sheet.painted()
    let bitmap = Painted(try font.bitmap(try typesetter.layout(try EmojiText("🐝")).glyphs[0].glyph))
    let (left, top) = (100 - bitmap.width / 2, 100 - bitmap.height / 2)
    for y in 0..<200 {
      for x in 0..<200 {
        let isInside =
          (left..<left + bitmap.width).contains(x) && (top..<top + bitmap.height).contains(y)
        let expected = isInside ? bitmap[x - left, y - top] : [0, 0, 0, 0]
        guard painted[x, y] != expected else { continue }
        Issue.record("at \(x),\(y): \(painted[x, y]), not \(expected)")
        return
      }
    }
  }

  @Test("V2 several emoji of one label are side by side, with their middle at its place")
  func severalGlyphs() throws {
    let typesetter = try Typesetter(path: Sheet.font)
    let font = typesetter.fonts.first
    let layout = try typesetter.layout(try EmojiText("🐝🌸🐝"))
    #expect(layout.glyphs.count == 3)
    #expect(abs(layout.glyphs[1].x + layout.glyphs[1].width / 2) < 1e-9)
    #expect(abs(layout.glyphs[0].x + layout.width / 2) < 1e-9)
    #expect(layout.glyphs[1].x > layout.glyphs[0].x + 1)
    // 136 x 128 pixels at 109 pixels per em.
    #expect(abs(font.boxWidth - 136.0 / 109) < 1e-9 && abs(font.boxHeight - 128.0 / 109) < 1e-9)
    #expect(abs(layout.baselines[0] - (101.0 - 64) / 109) < 1e-9)
  }

  @Test("V2 a label covers the labels before it")
  func zOrder() throws {
    var sheet = try Sheet(100, 100)
    try sheet.add("🟥", 50, 50, 60)
    try sheet.add("🟦", 50, 50, 60)
    let blue = try sheet.painted()[50, 50]
    #expect(blue[2] > 150 && blue[0] < 100)
    sheet.labels.reverse()
    let red = try sheet.painted()[50, 50]
    #expect(red[0] > 150 && red[2] < 100)
  }

  @Test("V3 nothing is drawn beyond the canvas: it is white, or transparent if the drawing is")
  func beyond() throws {
    var sheet = try Sheet(100, 50)
    try sheet.add("🟥", 0, 25, 60)
    let region = try CanvasRect(x: -50, y: -50, width: 200, height: 150)
    let white = try sheet.painted(region, width: 200, height: 150)
    #expect(white[49, 75] == [255, 255, 255, 255])
    #expect(white[55, 75][0] > 150 && white[55, 75][1] < 100)
    #expect(white[55, 49] == [255, 255, 255, 255] && white[55, 100] == [255, 255, 255, 255])
    sheet.isTransparent = true
    let clear = try sheet.painted(region, width: 200, height: 150)
    #expect(clear[49, 75] == [0, 0, 0, 0] && clear[140, 75] == [0, 0, 0, 0])
    #expect(clear[55, 75][3] == 255)
    let (_, bytes) = try Sheet.png(try sheet.drawing(region, width: 200, height: 150))
    let decoded = try Pixels(decoding: bytes)
    #expect(decoded[49, 75][3] == 0 && decoded[55, 75] == clear[55, 75])
  }

  @Test("V4 a text without a colour glyph is drawn as a box with its code points, and named once")
  func lacking() throws {
    var sheet = try Sheet(300, 120)
    try sheet.add("🐝", 50, 60, 40)
    // Assigned by Unicode, and not an emoji of this font.
    let odd = "🖼︎ᚠ"
    try sheet.add(odd, 150, 60, 40)
    try sheet.add(odd, 220, 60, 40)
    let painted = try sheet.painted()
    #expect(painted.drawn == Drawn(lacking: [odd], lackingCount: 1, pictureFault: nil))
    #expect(try Sheet.png(try sheet.drawing()).drawn == painted.drawn)
    let typesetter = try Typesetter(path: Sheet.font)
    let layout = try typesetter.layout(try EmojiText(odd))
    #expect(layout.hasMissingGlyphs && layout.glyphs.last?.glyph == .missing([0x16A0]))
    let box = TofuBox(scalars: [0x16A0], width: 136, height: 128)
    // 1, 6, A and 0, with strokes as on a seven-segment display.
    #expect(box.lines.count == 2 + 6 + 6 + 6)
    // A label outside of the region is not named.
    var unseen = try Sheet(100, 100)
    try unseen.add(odd, 5_000, 50, 40)
    #expect(try unseen.painted().drawn == Drawn())
  }

  @Test(
    "V4 a sequence that the font does not join is one box, in the place and the size of an emoji, and is told",
    arguments: ["🧑‍🩰", "👯🏽", "👨🏽‍👩🏽‍👧🏽", "🇨🇶", "🇦🇧", "🏴󠁦󠁲󠁢󠁲󠁥󠁿", "🐝🏽"])
  func unjoined(_ sequence: String) throws {
    let typesetter = try Typesetter(path: Sheet.font)
    let bee = try typesetter.layout(try EmojiText("🐝"))
    let text = try EmojiText(sequence)
    let layout = try typesetter.layout(text)
    #expect(layout.hasMissingGlyphs && layout.glyphs.count == 1)
    #expect(layout.width == bee.width && layout.height == bee.height)
    #expect(
      layout.glyphs.first.map { abs($0.x + $0.width / 2) < 1e-9 && abs($0.y + $0.height / 2) < 1e-9 } == true)
    // Its neighbours lie where they would lie beside any emoji.
    let row = try typesetter.layout(try EmojiText("🐝\(sequence)🌸"))
    let bees = try typesetter.layout(try EmojiText("🐝🐝🌸"))
    #expect(row.glyphs.count == 3 && row.hasMissingGlyphs && !bees.hasMissingGlyphs)
    #expect(
      zip(row.glyphs, bees.glyphs).allSatisfy { abs($0.x - $1.x) < 0.01 && abs($0.width - $1.width) < 0.01 })
    var sheet = try Sheet(200, 100)
    try sheet.add(sequence, 100, 50, 40)
    let painted = try sheet.painted()
    #expect(painted.drawn == Drawn(lacking: [sequence], lackingCount: 1))
    let box = EmojiBox(sheet.labels[0])
    for x in 0..<200 where abs(Double(x) + 0.5 - 100) > box.width / 2 + 1 {
      #expect(painted[x, 50] == [255, 255, 255, 255], "nothing outside of its box: \(x)")
    }
  }

  @Test("V4 the texts that the font lacks are named up to a limit, and all are counted")
  func manyLacking() throws {
    var sheet = try Sheet(300, 120)
    for scalar in 0x16A0..<UInt32(0x16A0 + 30) {
      let rune = try #require(Unicode.Scalar(scalar))
      try sheet.add("🐝\(Character(rune))", 150, 60, 20)
    }
    let drawn = try sheet.painted().drawn
    #expect(drawn.lackingCount == 30)
    #expect(drawn.lacking.count == Drawn.namedTexts && drawn.lacking.first == "🐝\u{16A0}")
  }
}
