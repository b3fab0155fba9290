// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtDrawing

/// PDF as poppler draws it, compared with our PNG.
@Suite struct PDFTests {
  @Test("V6 a PDF page in poppler has the pixels of the PNG file, one for each point")
  func pages() throws {
    let other = try OtherRenderer()
    let pictures = [nil, "meadow.jpg", "meadow.png", "cmyk.jpg", "turned-5.jpg", "meadow.webp"]
    for (index, picture) in pictures.enumerated() {
      var scene = try Scenes.scene(500, 320, emoji: 60, seed: UInt64(60 + index), picture: picture)
      scene.labels.append(try Scenes.label("🐝 bee", 250, 160, 48))
      let drawing = try Drawing(scene) { .png($0) }
      let (pdf, drawn) = try drawing.as { .pdf($0) }.made()
      #expect(drawn == Drawn(lacking: ["🐝 bee"], lackingCount: 1))
      let distance = try #require(try other.poppler(pdf).distance(to: try drawing.pixels()))
      print("V6 \(picture ?? "no picture"): \(distance), \(pdf.count) bytes")
      #expect(distance.mean < 0.006 && distance.different < 0.006, "\(picture ?? ""): \(distance)")
      let other = try #require(try other.poppler(pdf, usesSplash: true).distance(to: try drawing.pixels()))
      #expect(other.mean < 0.025, "\(picture ?? ""): \(other)")
    }
    // A control: a shift of one pixel is further away.
    var shifted = try Drawing(try Scenes.scene(500, 320, emoji: 60, seed: 60)) { .png($0) }
    let pdf = try shifted.as { .pdf($0) }.made().bytes
    shifted.region = try CanvasRect(x: 1, y: 0, width: 500, height: 320)
    let distance = try #require(try other.poppler(pdf).distance(to: try shifted.pixels()))
    #expect(distance.mean > 0.006 && distance.different > 0.02, "\(distance)")
  }

  @Test("V6 the paper around an emoji in PDF is white")
  func paper() throws {
    let other = try OtherRenderer()
    let scene = DrawingScene(
      canvas: try Canvas(width: 700, height: 700), labels: [try Scenes.label("🦋", 350, 350, 600)],
      picture: nil)
    let drawing = try Drawing(scene) { .png($0) }
    let png = try drawing.pixels()
    let pdf = try drawing.as { .pdf($0) }.made().bytes
    for usesSplash in [false, true] {
      let page = try other.poppler(pdf, usesSplash: usesSplash)
      var nearlyWhite = 0
      for index in stride(from: 0, to: png.bytes.count, by: 4) {
        let least = page.bytes[index..<index + 3].min() ?? 0
        if png.bytes[index..<index + 3].allSatisfy({ $0 == 255 }), (250..<255).contains(least) {
          nearlyWhite += 1
        }
      }
      // Colours with a little alpha around the butterfly make it 22 % of the page.
      #expect(nearlyWhite < 700 * 700 / 100, "\(nearlyWhite) pixels")
    }
  }

  @Test("V8 a PDF page with a side of more than 14,400 points is refused with a scale that works")
  func side() throws {
    let scene = try Scenes.scene(14_400, 10, emoji: 2, seed: 61)
    #expect(try Drawing(scene) { .pdf($0) }.made().bytes.count > 1000)
    var large = try Drawing(scene) { .pdf($0) }
    large.format = .pdf(try PixelSize(width: 28_800, height: 20))
    let refusal = try #require(#expect(throws: DrawingRefusal.self) { try large.made() })
    #expect(refusal.reason == .tooLarge && refusal.detail.contains("a scale of 1 "))
    large.region = try CanvasRect(x: 0, y: 0, width: 14_000, height: 10)
    #expect(#expect(throws: DrawingRefusal.self) { try large.made() }?.detail.contains("1.028 ") == true)
  }

  @Test("a PDF file has each glyph once, and the compressed data of a JPEG background")
  func once() throws {
    let few = try Drawing(try Scenes.scene(500, 320, emoji: 100, seed: 62)) { .pdf($0) }.made().bytes
    let many = try Drawing(try Scenes.scene(500, 320, emoji: 1000, seed: 62)) { .pdf($0) }.made().bytes
    #expect(many.count < few.count + 900 * 60)
    let picture = try Scenes.picture("meadow.jpg")
    let scene = DrawingScene(canvas: try Canvas(width: 640, height: 400), labels: [], picture: picture)
    let pdf = try Drawing(scene) { .pdf($0) }.made().bytes
    let tables = picture[picture.count - 2000..<picture.count - 2]
    #expect(pdf.count < picture.count + 4000)
    #expect(pdf.indices.contains { pdf[$0...].starts(with: tables) })
    print("a PDF of 100 emoji: \(few.count) bytes, of 1,000: \(many.count)")
  }
}
