// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtDrawing

@Suite("Fonts of outlines in colours") struct OutlineFontTests {
  private static func table(_ name: String) throws -> (font: ColorFont, table: ColorTable) {
    let font = try ColorFont(FontFile(TestFonts.path(name)))
    guard case .outlines(let table) = font.glyphs else {
      throw ArtError(.badValue, "\(name) has no outlines")
    }
    return (font, table)
  }

  /// What a glyph of a font is read as: its steps, nothing, or why it is refused.
  private static func read(_ glyph: TestFonts.Glyph, _ name: String) throws -> Result<
    ColorGlyph, ColorTable.Fault
  >? {
    let (font, table) = try table(name)
    let shaped = font.shaper.shape(glyph.text)
    guard shaped.count == 1 else { return nil }
    do throws(ColorTable.Fault) { return try table.glyph(shaped[0].glyph).map { .success($0) } } catch {
      return .failure(error)
    }
  }

  @Test(
    "V19 each paint, transformation, mode and clip box of COLR is read, and SVG has shapes where it can",
    arguments: ["paints-1", "paints-1-cff", "paints-1-cff2", "layers-0"])
  func paints(font: String) throws {
    let glyphs = try TestFonts.glyphs(font)
    for glyph in glyphs {
      let read = try #require(try Self.read(glyph, font), "\(glyph.name)")
      guard case .success(let outlines) = read else {
        Issue.record("\(glyph.name): \(read)")
        continue
      }
      if let draws = glyph.draws { #expect((outlines.ink != nil) == draws, "\(glyph.name)") }
      if let vector = glyph.vector { #expect(outlines.isVector == vector, "\(glyph.name)") }
    }
    print("V19: \(glyphs.count) glyphs of \(font)")
    #expect(glyphs.count > 10)
  }

  @Test("V19 a glyph that is damaged, endless or too large is refused, and every other one is drawn")
  func hostile() throws {
    var (drawn, refused, fonts) = (0, 0, 0)
    for name in try TestFonts.names("hostile-") {
      fonts += 1
      for glyph in try TestFonts.glyphs(name) {
        var sheet = try Sheet(60, 60, isTransparent: true, fonts: [TestFonts.path(name)])
        try sheet.add(glyph.text, 30, 30, 30)
        do throws(DrawingRefusal) {
          let result = Result { () throws(DrawingRefusal) in
            try Renderings.draw(try! sheet.drawing()) { _ in }
          }
          let report = try result.get()
          drawn += 1
          #expect(glyph.draws != true || report.isFaultless, "\(name) \(glyph.name) is a box")
        } catch {
          refused += 1
          #expect([.badFont, .tooLarge].contains(error.reason), "\(name) \(glyph.name): \(error)")
          #expect(glyph.draws != true, "\(name) \(glyph.name): \(error)")
        }
      }
    }
    print("V19: \(fonts) damaged fonts, \(drawn) glyphs drawn, \(refused) refused")
    #expect(fonts > 40 && drawn > 50 && refused > 20)
  }

  @Test(
    "V19 a glyph has the same look in PNG, in SVG by librsvg and in PDF by poppler",
    arguments: ["paints-1", "layers-0"])
  func formats(font: String) throws {
    let other = try OtherRenderer()
    let glyphs = try TestFonts.glyphs(font).filter { $0.draws == true && $0.name != "layers.many" }
    let columns = 12
    let rows = (glyphs.count + columns - 1) / columns
    var sheet = try Sheet(columns * 80, rows * 80, fonts: [TestFonts.path(font)])
    for (index, glyph) in glyphs.enumerated() {
      try sheet.add(glyph.text, Double(index % columns) * 80 + 40, Double(index / columns) * 80 + 40, 50)
    }
    let drawing = try sheet.drawing()
    let png = try drawing.pixels()
    let svg = try other.rsvg(drawing.as { .svg($0, embedsGlyphs: true) }.made().bytes)
    let pdf = try other.poppler(drawing.as { .pdf($0) }.made().bytes)
    for (index, glyph) in glyphs.enumerated() {
      let box = (x: index % columns * 80, y: index / columns * 80, side: 80)
      // The edges of pictures, which are scaled down, are softer.
      let isVector = glyph.vector == true
      for (pixels, format, most) in [(svg, "SVG", isVector ? 1.0 : 3.0), (pdf, "PDF", isVector ? 2.0 : 3.0)] {
        let mean = png.meanDifference(to: pixels, box)
        #expect(mean <= most, "\(glyph.name) in \(format): \(mean)")
      }
    }
  }

  @Test("V19 Chromium draws the same from the same font")
  func chromium() throws {
    let other = try OtherRenderer()
    let glyphs = try TestFonts.glyphs("paints-1").filter { $0.exact == true }
    let columns = 12
    let rows = (glyphs.count + columns - 1) / columns
    var sheet = try Sheet(columns * 120, rows * 120, fonts: [TestFonts.path("paints-1")])
    var page = """
      <!doctype html><style>@font-face{font-family:t;src:url(t.ttf)}body{margin:0}\
      div{position:absolute;font:80px/1 t;white-space:pre}</style>
      """
    _ = try other.write([UInt8](Data(contentsOf: URL(fileURLWithPath: TestFonts.path("paints-1")))), "t.ttf")
    let font = try Self.table("paints-1").font
    for (index, glyph) in glyphs.enumerated() {
      // The glyph's origin is on a whole pixel; a line of height 1 has the middle of ascent and descent in its middle.
      let origin = (x: Double(index % columns) * 120 + 10, y: Double(index / columns) * 120 + 88)
      let placed = try Typesetter(OpenFonts(colors: sheet.fonts)).layout(try EmojiText(glyph.text)).glyphs[0]
      let map = try #require(try font.outlines(font.shaper.shape(glyph.text)[0].glyph)).inBox
      let size = 80 / map.a
      try sheet.add(
        glyph.text, origin.x - size * (placed.x + map.e), origin.y - size * (placed.y + map.f), size)
      let top = origin.y - 80 * (0.5 + (0.95 - 0.25) / 2)
      page +=
        "<div style=\"left:\(origin.x)px;top:\(top)px\">&#\(glyph.text.unicodeScalars.first!.value);</div>"
    }
    let seen = try other.chromium(
      page: page, width: columns * 120, height: rows * 120,
      // Until the font is there.
      more: "--allow-file-access-from-files", "--virtual-time-budget=20000")
    let drawn = try sheet.drawing().pixels()
    var worst = 0.0
    for (index, glyph) in glyphs.enumerated() {
      let mean = drawn.meanDifference(to: seen, (index % columns * 120, index / columns * 120, 120))
      worst = max(worst, mean)
      #expect(mean <= 3, "\(glyph.name): \(mean)")
    }
    print("V19: \(glyphs.count) glyphs as in Chromium, mean differences up to \(worst)")
  }
}

extension Pixels {
  /// The mean of the differences of all channels over white in a square, of 255.
  fileprivate func meanDifference(to other: Pixels, _ box: (x: Int, y: Int, side: Int)) -> Double {
    var sum = 0.0
    for y in box.y..<box.y + box.side {
      for x in box.x..<box.x + box.side {
        for channel in 0..<3 { sum += abs(overWhite(x, y, channel) - other.overWhite(x, y, channel)) }
      }
    }
    return sum / Double(3 * box.side * box.side)
  }

  private func overWhite(_ x: Int, _ y: Int, _ channel: Int) -> Double {
    let start = 4 * (y * width + x)
    let alpha = Double(bytes[start + 3])
    return (Double(bytes[start + channel]) * alpha + 255 * (255 - alpha)) / 255
  }
}
