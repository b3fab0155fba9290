// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtDrawing

@Suite("Parts of a drawing") struct PartsTests {
  private let texts = ["🐝", "👩‍🚀", "🏳️‍🌈", "1️⃣", "❤️", "🐝🌸", "🇳🇱", "\u{16A0}🐝"]

  /// Bitmaps, and outlines with every kind of paint.
  private static let fonts = [Sheet.font, TestFonts.path("paints-1")]

  private func sheet(_ random: inout SplitMix64, _ font: String = Sheet.font) throws -> Sheet {
    let texts =
      try font == Sheet.font ? texts : TestFonts.glyphs("paints-1").filter { $0.draws == true }.map(\.text)
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Fixtures/images").standardizedFileURL
    let pictures = ["meadow.jpg", "alpha.png", "turned-6.jpg", "wide.png", nil]
    let picture = try pictures.randomElement(using: &random)?.map {
      [UInt8](try Data(contentsOf: folder.appendingPathComponent($0)))
    }
    var sheet = try Sheet(
      .random(in: 1...160, using: &random), .random(in: 1...160, using: &random), picture: picture,
      isTransparent: .random(using: &random), fonts: [font])
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      try sheet.add(
        try #require(texts.randomElement(using: &random)), .random(in: -40...200, using: &random),
        .random(in: -40...200, using: &random), pow(10, .random(in: -1...4, using: &random)))
    }
    return sheet
  }

  @Test("V5 bands of a drawing have the pixels of the whole, wherever it is cut", arguments: fonts)
  func bands(font: String) throws {
    var random = SplitMix64(seed: 25)
    var cuts = 0
    for _ in 0..<60 {
      let sheet = try sheet(&random, font)
      let size = try PixelSize(
        width: .random(in: 1...200, using: &random), height: .random(in: 1...200, using: &random))
      let drawing = try sheet.drawing(width: size.width, height: size.height)
      let painter = try Painter(drawing, size: size, Typesetter(path: font))
      let whole = Painted(try painter.whole()).bytes
      var parts: [UInt8] = []
      var top = 0
      while top < size.height {
        let end = min(size.height, top + .random(in: 1...60, using: &random))
        let band = try PixelBuffer(width: size.width, height: end - top)
        try painter.paint(top..<end, into: band)
        parts += Painted(band).bytes
        top = end
        cuts += 1
      }
      #expect(parts == whole, "\(sheet.labels) \(size)")
    }
    print("V5: 60 drawings, \(cuts) bands")
  }

  @Test("V5 a control: a shift of a twentieth of a pixel changes the pixels")
  func control() throws {
    var sheet = try Sheet(60, 60)
    try sheet.add("🐝", 30, 30, 40)
    let before = try sheet.painted().bytes
    sheet.labels = []
    try sheet.add("🐝", 30.05, 30, 40)
    #expect(try sheet.painted().bytes != before)
  }

  @Test("V5 a region has the pixels of the whole, in any whole scale", arguments: fonts)
  func regions(font: String) throws {
    var random = SplitMix64(seed: 26)
    for _ in 0..<40 {
      let sheet = try sheet(&random, font)
      let (canvas, scale) = (sheet.canvas, 1 + random.below(3))
      let whole = try sheet.painted(width: canvas.width * scale, height: canvas.height * scale)
      let left = Int.random(in: 0..<canvas.width, using: &random)
      let top = Int.random(in: 0..<canvas.height, using: &random)
      let width = Int.random(in: 1...canvas.width - left, using: &random)
      let height = Int.random(in: 1...canvas.height - top, using: &random)
      let region = try CanvasRect(
        x: Double(left), y: Double(top), width: Double(width), height: Double(height))
      let part = try sheet.painted(region, width: width * scale, height: height * scale)
      var different = 0
      for y in 0..<part.height {
        for x in 0..<part.width where part[x, y] != whole[left * scale + x, top * scale + y] {
          different += 1
        }
      }
      #expect(different == 0, "\(region) of \(sheet.labels), scale \(scale)")
    }
    print("V5: 40 regions")
  }

  @Test("V6 a PNG file has the painted pixels, in any size")
  func files() throws {
    var random = SplitMix64(seed: 27)
    for _ in 0..<12 {
      let sheet = try sheet(&random)
      let painted = try sheet.painted()
      let decoded = try Pixels(decoding: try Sheet.png(try sheet.drawing()).bytes)
      #expect((decoded.width, decoded.height) == (painted.width, painted.height))
      var most = 0
      for y in 0..<painted.height {
        for x in 0..<painted.width {
          let (a, b) = (painted[x, y], decoded[x, y])
          let alpha = Int(a[3])
          most = max(most, abs(alpha - Int(b[3])))
          // Colours in the file are not premultiplied.
          for channel in 0..<3 {
            most = max(most, abs(Int(a[channel]) - (Int(b[channel]) * alpha + 127) / 255))
          }
        }
      }
      #expect(most <= 1)
    }
  }
}
