// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Testing

@testable import ArtWorkspace

@Suite("Pages, names of several files, and words for a picture") struct PageTests {
  @Test("a page is read by its name or its size, with its margin, upright or not")
  func pages() throws {
    #expect(try Page(typed: "A4") == Page(width: 210, height: 297))
    #expect(try Page(typed: "a4", isLandscape: true) == Page(width: 297, height: 210))
    #expect(try Page(typed: "300x200mm", isLandscape: true) == Page(width: 300, height: 200))
    #expect(try Page(typed: "letter", margin: "0.5in") == Page(width: 215.9, height: 279.4, margin: 12.7))
    #expect(try Page(typed: "4x6in", margin: "0").width == 101.6)
    #expect(try Page(typed: "21cmx29.7cm", margin: "1cm") == Page(width: 210, height: 297, margin: 10))
    #expect(try Page(typed: "10x10cm") == Page(width: 100, height: 100))
    #expect(try Page(typed: "B5") == Page(width: 176, height: 250))
    #expect(try Page(typed: "business-card", isLandscape: true) == Page(width: 85, height: 55))
    for photo in Page.names.filter({ $0.utf8.first.map { $0 < 0x3A } ?? false }) {
      let size = try #require(PaperLength.size(photo))
      let page = try Page(typed: photo)
      #expect(abs(page.width - size.width) < 1e-9 && abs(page.height - size.height) < 1e-9, "\(photo)")
    }
    for name in Page.names { #expect(throws: Never.self) { try Page(typed: name) } }
    for bad in [
      "", "a44", "10x", "x10mm", "10x10", "9x10mm", "5001x10mm", "-10x10mm", "10x10x10mm", "mm",
      "in",
    ] {
      #expect(#expect(throws: ArtError.self) { try Page(typed: bad) }?.code == .badValue, "\(bad)")
    }
    for bad in ["", "1", "-1mm", "103mm", "5in", "xmm"] {
      #expect(
        #expect(throws: ArtError.self) { try Page(typed: "a4", margin: bad) }?.code == .badValue, "\(bad)")
    }
    #expect(throws: Never.self) { try Page(typed: "a4", margin: "102.5mm") }
  }

  @Test(
    "a page has cells in the order of reading, more along its longer side, with half of the margin between")
  func cells() throws {
    let page = try Page(width: 230, height: 340, margin: 20)
    // Cells of 90 x 145 mm, and a drawing of 90 x 145 pixels: a pixel is a millimetre.
    let rect = try CanvasRect(x: 0, y: 0, width: 90, height: 145)
    for (index, place) in [(20, 20), (120, 20), (20, 175), (120, 175)].enumerated() {
      let region = try page.region(around: rect, in: Page.Cell(sheet: .four, index: index))
      #expect(region == (try CanvasRect(x: Double(-place.0), y: Double(-place.1), width: 230, height: 340)))
    }
    func column(_ width: Double, _ height: Double, _ sheet: Page.Sheet) throws -> (Double, Double) {
      let region = try Page(width: width, height: height).region(
        around: CanvasRect(x: 0, y: 0, width: 1, height: 1),
        in: Page.Cell(sheet: sheet, index: sheet.rawValue - 1))
      // The centre of the last cell, in parts of the page.
      return ((0.5 - region.x) / region.width, (0.5 - region.y) / region.height)
    }
    for (sheet, columns, rows) in [
      (Page.Sheet.two, 1.0, 2.0), (.six, 2, 3), (.eight, 2, 4), (.nine, 3, 3), (.sixteen, 4, 4),
    ] {
      let (high, wide) = (try column(100, 200, sheet), try column(200, 100, sheet))
      #expect(abs(high.0 - (1 - 0.5 / columns)) < 1e-9 && abs(high.1 - (1 - 0.5 / rows)) < 1e-9, "\(sheet)")
      #expect(abs(wide.0 - (1 - 0.5 / rows)) < 1e-9 && abs(wide.1 - (1 - 0.5 / columns)) < 1e-9, "\(sheet)")
    }
    #expect(throws: ArtError.self) {
      try Page(width: 210, height: 297, margin: 80).region(
        around: rect, in: Page.Cell(sheet: .nine, index: 0))
    }
    #expect(try abs(Page.bleed(typed: "1in") - 72) < 1e-9)
    for bad in ["", "3", "0mm", "-3mm", "51mm"] {
      #expect(#expect(throws: ArtError.self) { try Page.bleed(typed: bad) }?.code == .badValue, "\(bad)")
    }
  }

  @Test("a page has its pixels by the resolution, its points in PDF, and the pixels of CSS in SVG")
  func pixels() throws {
    let page = try Page(typed: "a4")
    #expect(try page.pixels(.png, resolution: nil) == PixelSize(width: 2_480, height: 3_508))
    #expect(try page.pixels(.webp, resolution: 72) == PixelSize(width: 595, height: 842))
    #expect(try page.pixels(.pdf, resolution: 600) == PixelSize(width: 595, height: 842))
    #expect(try page.pixels(.svg, resolution: nil) == PixelSize(width: 794, height: 1_123))
    #expect(try page.pixels(.jpeg, resolution: 1) == PixelSize(width: 8, height: 12))
  }

  @Test("a drawing is centred on its page and as large as the margin lets it be")
  func placing() throws {
    let page = try Page(width: 210, height: 300, margin: 10)
    // 190 mm for 380 pixels: two a millimetre.
    let wide = try page.region(around: try CanvasRect(x: 100, y: 50, width: 380, height: 100))
    #expect(try wide == CanvasRect(x: 80, y: -200, width: 420, height: 600))
    let high = try page.region(around: try CanvasRect(x: 0, y: 0, width: 28, height: 280))
    #expect(try high == CanvasRect(x: -91, y: -10, width: 210, height: 300))
    let far = try Page(width: 5_000, height: 10)
    #expect(
      #expect(throws: ArtError.self) {
        try far.region(around: try CanvasRect(x: 0, y: 0, width: 100_000, height: 100_000))
      }?.code == .badValue)
  }

  @Test(
    "a region on a page is a crop, and the whole canvas needs none; only raster formats get the usual resolution"
  )
  func options() throws {
    let scene = DrawingScene(canvas: .standard, labels: [], picture: nil)
    let page = try Page(typed: "a6")
    for format in PictureFormat.allCases {
      let whole = try RenderOptions(format, page: page).drawing(of: scene, title: "t").drawing
      #expect(whole.details.crop == nil && whole.region != CanvasRect(scene.canvas))
      #expect(whole.details.resolution == (format.recordsResolution ? 300 : nil))
      #expect(whole.details.title == "t" && whole.details.alternative == "1024 x 768 pixels")
      let part = try RenderOptions(format, region: "0,0,50%x50%", page: page).drawing(of: scene).drawing
      #expect(try part.details.crop == CanvasRect(typed: "0,0,50%x50%", on: .standard))
      let plain = try RenderOptions(format).drawing(of: scene).drawing
      #expect(
        plain.details.page == nil && plain.details.resolution == nil
          && plain.region == CanvasRect(scene.canvas))
    }
  }

  @Test("a pattern names a file for each document, and no two the same")
  func patterns() throws {
    #expect(OutputPattern("out/x.png") == nil && OutputPattern("{names}.png") == nil)
    let pattern = try #require(OutputPattern("out/{name}.png"))
    #expect(try pattern.paths(for: ["a/bees.emojiart", "wasps"]) == ["out/bees.png", "out/wasps.png"])
    #expect(try pattern.paths(for: ["{n}.emojiart"]) == ["out/{n}.png"], "a document's name is no pattern")
    #expect(
      #expect(throws: ArtError.self) { try pattern.paths(for: ["a/x", "b/x.emojiart"]) }?.code == .badValue)
    let numbered = try #require(OutputPattern("{n}-{name}{n}.png"))
    let paths = try numbered.paths(for: Array(repeating: "a", count: 10))
    #expect(paths.first == "01-a01.png" && paths.last == "10-a10.png")
  }

  @Test(
    "a picture in words names the canvas, the captions and the emoji that are seen, the most frequent first")
  func words() throws {
    func label(_ text: EmojiText, _ x: Double) throws -> DrawingScene.Label {
      DrawingScene.Label(text: text, position: try Point(x: x, y: 50), size: try FontSize(20))
    }
    var scene = DrawingScene(canvas: try Canvas(width: 300, height: 100), labels: [], picture: nil)
    #expect(scene.alternativeText() == "300 x 100 pixels")
    scene.fill = Color(red: 255, green: 204, blue: 0)
    scene.picture = [1]
    #expect(scene.alternativeText() == "300 x 100 pixels, filled with #ffcc00, with a picture behind")
    (scene.fill, scene.picture) = (nil, nil)
    for (text, x) in [("🎂", 10.0), ("🕯️", 50), ("🕯️", 90), ("🐝🌸", 150), ("🦈", 900)] {
      scene.labels.append(try label(try EmojiText(text), x))
    }
    #expect(scene.alternativeText() == "300 x 100 pixels: 🕯️ candle ×2, 🎂 birthday cake ×1, 🐝🌸 ×1")
    let left = try CanvasRect(x: 0, y: 0, width: 40, height: 100)
    #expect(scene.alternativeText(of: left) == "40 x 100 pixels: 🎂 birthday cake ×1, 🕯️ candle ×1")
    let part = try CanvasRect(x: 0.25, y: 0, width: 39.5, height: 0.25)
    #expect(scene.alternativeText(of: part).hasPrefix("40 x 1 pixels"))
    let caption = try EmojiText(Words("Happy\nbirthday 🎂"), box: try TextBox(width: 5, height: 2))
    scene.labels.append(try label(caption, 200))
    #expect(scene.alternativeText().hasPrefix("300 x 100 pixels: \"Happy birthday 🎂\", 🕯️ candle ×2"))
  }

  @Test("a picture of anything in words has bounds")
  func bounds() throws {
    var scene = DrawingScene(canvas: .standard, labels: [], picture: nil)
    let box = try TextBox(width: 5, height: 2)
    for number in 0..<500 {
      for text in [
        try EmojiText(Words(String(repeating: "\(number) ", count: 200)), box: box),
        try EmojiText("🐝\(number)"),
      ] {
        scene.labels.append(
          DrawingScene.Label(text: text, position: try Point(x: 50, y: 50), size: try FontSize(20)))
      }
    }
    let text = scene.alternativeText()
    #expect(text.contains("480 more captions") && text.contains("480 more kinds of emoji"))
    #expect(text.unicodeScalars.count < 10_000)
    let details = DrawingDetails(alternative: text)
    #expect(details.alternative?.unicodeScalars.count == DrawingDetails.textLength)
  }
}
