// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtDrawing

/// SVG as other programs draw it, compared with our PNG.
@Suite struct SVGTests {
  private static let embedded: @Sendable (PixelSize) -> Drawing.Format = { .svg($0, embedsGlyphs: true) }
  private static let text: @Sendable (PixelSize) -> Drawing.Format = { .svg($0, embedsGlyphs: false) }

  /// Drawings of one size: with a picture, with a transparent background, with a missing glyph, and a region beyond the canvas.
  private func drawings() throws -> [Drawing] {
    let meadow = try Scenes.scene(500, 320, emoji: 60, seed: 56, picture: "meadow.jpg")
    let clear = try Scenes.scene(500, 320, emoji: 40, seed: 57)
    var lacking = try Scenes.scene(500, 320, emoji: 4, seed: 58, picture: "alpha.png")
    lacking.labels.append(try Scenes.label("🐝 bee", 250, 160, 48))
    var part = try Drawing(try Scenes.scene(400, 300, emoji: 60, seed: 59, picture: "turned-6.jpg")) {
      .png($0)
    }
    part.region = try CanvasRect(x: -40.5, y: 60, width: 250, height: 160)
    part.format = .png(try PixelSize(width: 500, height: 320))
    return [
      try Drawing(meadow) { .png($0) }, try Drawing(clear, { .png($0) }, isTransparent: true),
      try Drawing(lacking) { .png($0) }, part,
    ]
  }

  @Test("V6 an SVG file with embedded glyphs has in Chromium and librsvg the pixels of the PNG file")
  func embedded() throws {
    let (other, drawings) = (try OtherRenderer(), try drawings())
    let files = try drawings.map { try $0.as(Self.embedded).made().bytes }
    let pages = try other.chromium(files, width: 500, height: 320)
    for (index, drawing) in drawings.enumerated() {
      let ours = try drawing.pixels()
      for (name, theirs) in [("Chromium", pages[index]), ("librsvg", try other.rsvg(files[index]))] {
        let distance = try #require(theirs.distance(to: ours))
        print("V6 \(name) \(index): \(distance)")
        #expect(distance.mean < 0.006 && distance.different < 0.02, "\(name) \(index): \(distance)")
      }
    }
    // A control: a shift of one pixel is further away.
    var shifted = drawings[0]
    shifted.region = try CanvasRect(x: 1, y: 0, width: 500, height: 320)
    let distance = try #require(pages[0].distance(to: try shifted.pixels()))
    #expect(distance.mean > 0.006, "\(distance)")
  }

  @Test(
    "V6 an SVG file with its emoji as text has in Chromium the pixels of the PNG file, but for whole-pixel positions"
  )
  func text() throws {
    let (other, all) = (try OtherRenderer(), try drawings())
    // Chromium draws a missing glyph in another font.
    let drawings = [0, 1, 3].map { all[$0] }
    let files = try drawings.map { try $0.as(Self.text).made().bytes }
    let pages = try other.chromium(files, width: 500, height: 320)
    for (index, drawing) in drawings.enumerated() {
      let distance = try #require(pages[index].distance(to: try drawing.pixels()))
      print("V6 Chromium \(index): \(distance)")
      // Chromium moves glyphs to whole pixels.
      #expect(distance.mean < 0.012 && distance.different < 0.08, "\(index): \(distance)")
    }
    // A control: a shift of two pixels is further away.
    var shifted = drawings[0]
    shifted.region = try CanvasRect(x: 0, y: 2, width: 500, height: 320)
    let distance = try #require(pages[0].distance(to: try shifted.pixels()))
    print("V6 two pixels aside: \(distance)")
    #expect(distance.mean > 0.012, "\(distance)")
  }

  @Test("V12 no text of a document is markup in an SVG file")
  func hostile() throws {
    let other = try OtherRenderer()
    let texts = [
      "<b>🐝</b>", "</text>🐝", "🐝\"'&<>", "]]>🐝<![CDATA[", "<!--🐝", "&lt;🐝&#60;", "<script>🐝", "🐝\u{FFFE}",
    ]
    var random = SplitMix64(seed: 58)
    let pieces = Array("<>&\"'=/!?-[];#🐝 axlinkhref{}%:").map(String.init)
    let chance = (0..<300).map { _ in
      "🐝" + (0...random.below(14)).map { _ in pieces[random.below(pieces.count)] }.joined()
    }
    let accepted = (texts + chance).compactMap { text in
      // A text that is refused is in no document.
      try? Scenes.label(text, 20, 20, 10)
    }
    let scene = DrawingScene(canvas: try Canvas(width: 40, height: 40), labels: accepted, picture: nil)
    let svg = try Drawing(scene, Self.text).made().bytes
    let elements = try other.elements(svg)
    let names = elements.map { $0.split(separator: " ")[0] }
    #expect(names == ["svg", "clipPath", "rect", "rect", "g", "g"] + accepted.map { _ in "text" })
    let attributes = Set(elements.filter { $0.hasPrefix("text") }.map { $0.split(separator: "\t")[0] })
    #expect(attributes == ["text font-size,x,y "])
    // A control: without escapes the file cannot be parsed.
    let broken = String(decoding: svg, as: UTF8.self).replacingOccurrences(of: "&lt;", with: "<")
    #expect(throws: OtherRenderer.Failure.self) { try other.elements(Array(broken.utf8)) }
    print("V12 texts: \(accepted.count) in SVG, each one text")
    #expect(accepted.count > 200)
  }

  @Test("an SVG file with embedded glyphs has each glyph once: 1,000 emoji have at most 2 MB")
  func once() throws {
    let other = try OtherRenderer()
    let scene = try Scenes.scene(2048, 1536, emoji: 1000, seed: 59)
    let (svg, drawn) = try Drawing(scene, Self.embedded).made()
    let names = try other.elements(svg).map { $0.split(separator: " ")[0] }
    // A text of several emoji uses each of its glyphs.
    #expect(names.count { $0 == "image" } == Set(Scenes.texts.flatMap { $0 }).count)
    #expect(names.count { $0 == "use" } >= 1000)
    #expect(svg.count < 2_000_000 && drawn == Drawn())
    print("1,000 emoji of \(Scenes.texts.count) texts: \(svg.count) bytes with glyphs, ", terminator: "")
    let text = try Drawing(scene, Self.text).made().bytes
    print("\(text.count) as text")
    #expect(text.count < 100_000)
    // 500 different emoji.
    let kinds = (0x1F300...0x1F6FF).compactMap { number in
      Unicode.Scalar(number).flatMap { $0.properties.isEmojiPresentation ? String($0) : nil }
    }
    var various = scene
    various.labels = try (0..<1000).map { try Scenes.label(kinds[$0 % 500], 1000, 700, 40) }
    let mixed = try Drawing(various, Self.embedded).made()
    #expect(mixed.drawn == Drawn() && mixed.bytes.count < 2_000_000)
    print("1,000 emoji of 500 kinds: \(mixed.bytes.count) bytes")
    // Emoji outside of the region are left out.
    var part = try Drawing(scene, Self.embedded)
    part.region = try CanvasRect(x: 0, y: 0, width: 64, height: 64)
    #expect(try part.made().bytes.count < svg.count / 2)
  }

  @Test(
    "each emoji of an SVG file is a group with its name, in z-order, and captions are shapes or text by choice"
  )
  func groups() throws {
    let folder = ["/usr/share/fonts/truetype/noto"]
    let words = try Words("Hello & <you>\n🐝")
    let caption = EmojiText(
      words, box: try Typesetter(path: Scenes.font, letterFolders: folder).box(of: words))
    var labels = try [Scenes.label("🐝", 50, 50, 40), Scenes.label("🌸🌸", 100, 50, 40)]
    labels.insert(
      DrawingScene.Label(text: caption, position: try Point(x: 50, y: 80), size: try FontSize(20)), at: 1)
    var drawing = try Drawing(
      DrawingScene(canvas: try Canvas(width: 200, height: 100), labels: labels, picture: nil)
    ) { .svg($0, embedsGlyphs: true) }
    drawing.details.names = ["🐝": "bee"]
    func lines() throws -> [Substring] {
      String(decoding: try drawing.made(letterFolders: folder).bytes, as: UTF8.self).split(separator: "\n")
    }
    let groups = try lines().filter { $0.hasPrefix("<g role") }
    #expect(
      groups == [
        #"<g role="img" aria-label="bee">"#, #"<g role="img" aria-label="Hello &amp; &lt;you&gt; 🐝">"#,
        #"<g role="img" aria-label="🌸🌸">"#,
      ])
    #expect(
      try lines().contains { $0.hasPrefix("<path transform") } && !lines().contains { $0.hasPrefix("<text") })
    drawing.details.hasTextCaptions = true
    let other = try OtherRenderer()
    let elements = try other.elements(try drawing.made(letterFolders: folder).bytes)
    #expect(
      elements.filter { $0.hasPrefix("text ") }.map { $0.split(separator: "\t").last ?? "" } == [
        " Hello & <you>", " \\U0001f41d",
      ])
    #expect(!elements.contains { $0.hasPrefix("path ") } && elements.count { $0.hasPrefix("use ") } == 3)
  }
}
