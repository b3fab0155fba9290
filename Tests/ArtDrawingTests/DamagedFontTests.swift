// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtDrawing
@testable import ArtModel

@Suite("Damaged fonts") struct DamagedFontTests {
  @Test(
    "V9 a drawing with a bitmap of the font that cannot be decoded is refused, and the refusal names the font"
  )
  func brokenBitmap() throws {
    let typesetter = try Typesetter(path: Sheet.font)
    let font = typesetter.fonts.first
    guard case .color(_, let bee) = try typesetter.layout(try EmojiText("🐝")).glyphs[0].glyph else {
      Issue.record("no bee")
      return
    }
    let png = Data(try #require(font.shaper.png(bee)))
    var file = try Data(contentsOf: URL(fileURLWithPath: Sheet.font))
    let place = try #require(file.range(of: png))
    // The bitmap's size can still be read.
    file.resetBytes(in: place.lowerBound + 60..<place.upperBound)
    let damaged = FileManager.default.temporaryDirectory.appendingPathComponent("font-\(UUID()).ttf")
    try file.write(to: damaged)
    defer {
      // A file that cannot be removed fails no test.
      try? FileManager.default.removeItem(at: damaged)
    }
    var sheet = try Sheet(100, 100)
    try sheet.add("🌸", 50, 50, 40)
    let whole = try Sheet.png(try sheet.drawing()).bytes
    #expect(try Sheet.png(try sheet.drawing(font: damaged.path)).bytes == whole, "other emoji are drawn")
    try sheet.add("🐝", 50, 50, 40)
    let drawing = try sheet.drawing(font: damaged.path)
    do throws(DrawingRefusal) {
      _ = try Renderings.draw(drawing) { _ in }
      Issue.record("the drawing succeeded")
    } catch {
      #expect(error.reason == .badFont)
      #expect(error.detail.contains(damaged.path) && error.detail.contains("damaged"))
    }
  }

  @Test("V4 a stored text of joiners and selectors only is drawn as a box and named")
  func nothingButJoiners() throws {
    let text = try EmojiText(stored: "\u{200D}\u{FE0F}")
    var sheet = try Sheet(100, 100)
    sheet.labels = [
      DrawingScene.Label(text: text, position: try Point(x: 50, y: 50), size: try FontSize(40))
    ]
    let painted = try sheet.painted()
    #expect(painted.drawn == Drawn(lacking: [text.string], lackingCount: 1))
    #expect(painted[50, 35] != [255, 255, 255, 255])
  }
}
