// SPDX-License-Identifier: Apache-2.0

import ArtModel
import TestSupport
import Testing

@testable import ArtDrawing

/// Drawings on pages, of parts of a canvas, and with words for those who cannot see them.
@Suite struct PageTests {
  private static let svg: @Sendable (PixelSize) -> Drawing.Format = { .svg($0, embedsGlyphs: true) }

  /// A drawing with empty paper around a part of its canvas.
  private static func cropped() throws -> Drawing {
    var scene = try Scenes.scene(300, 200, emoji: 40, seed: 90, picture: "meadow.jpg")
    scene.labels.append(try Scenes.label("🐝", 150, 100, 120))
    var drawing = try Drawing(scene) { .png($0) }
    drawing.region = try CanvasRect(x: -30, y: 10, width: 300, height: 200)
    drawing.details.crop = try CanvasRect(x: 100, y: 50, width: 60, height: 60)
    return drawing
  }

  @Test("V6 a crop leaves nothing of the rest of the canvas, in every format")
  func crop() throws {
    let drawing = try Self.cropped()
    let png = try drawing.pixels()
    var whole = drawing
    whole.details.crop = nil
    let all = try whole.pixels()
    var (inside, outside) = (0, 0)
    for y in 0..<200 {
      for x in 0..<300 {
        let isInside = (130..<190).contains(x) && (40..<100).contains(y)
        if isInside {
          inside += png[x, y] == all[x, y] ? 1 : 0
        } else {
          outside += png[x, y] == [255, 255, 255, 255] ? 1 : 0
        }
      }
    }
    #expect(inside == 60 * 60 && outside == 300 * 200 - 60 * 60)
    let other = try OtherRenderer()
    let svg = try #require(try other.rsvg(try drawing.as(Self.svg).made().bytes).distance(to: png))
    let pdf = try #require(try other.poppler(try drawing.as { .pdf($0) }.made().bytes).distance(to: png))
    #expect(svg.mean < 0.006 && pdf.mean < 0.006, "\(svg) \(pdf)")
    // Nothing is left where the crop is beside the canvas.
    var empty = drawing
    empty.details.crop = try CanvasRect(x: 400, y: 50, width: 60, height: 60)
    #expect(try empty.pixels().bytes.allSatisfy { $0 == 255 })
    #expect(try other.rsvg(try empty.as(Self.svg).made().bytes).bytes.allSatisfy { $0 == 255 })
    #expect(try other.poppler(try empty.as { .pdf($0) }.made().bytes).bytes.allSatisfy { $0 == 255 })
  }

  @Test("a page in SVG and PDF has exactly its size")
  func sizes() throws {
    var drawing = try Self.cropped()
    drawing.details.page = try PageSize(width: 595.276, height: 841.89)
    let other = try OtherRenderer()
    let pdf = try other.write(try drawing.as { .pdf($0) }.made().bytes, "page.pdf")
    #expect(try other.run("pdfinfo", pdf.path).contains("595.276 x 841.89 pts (A4)"))
    let svg = try String(decoding: drawing.as(Self.svg).made().bytes, as: UTF8.self)
    #expect(svg.contains(#"width="595.276pt" height="841.89pt""#))
  }

  @Test("several drawings are the pages of one PDF file, which stores a glyph of all of them once")
  func pages() throws {
    let drawings = try (0..<3).map { number in
      var drawing = try Drawing(try Scenes.scene(300 + number, 200, emoji: 50, seed: 91)) { .pdf($0) }
      drawing.details = DrawingDetails(
        title: "Sheet \(number) – 🐝", alternative: "picture \(number)", pagesLeft: 2 - number)
      return drawing
    }
    var bytes: [UInt8] = []
    let file = PDFFile { bytes += $0 }
    for drawing in drawings {
      #expect(try file.add(drawing, with: OpenFonts(colors: [Scenes.font])) == drawing.made().drawn)
    }
    var single = drawings[0]
    single.details.pagesLeft = 0
    #expect(bytes.count < 2 * (try single.made().bytes.count))
    let other = try OtherRenderer()
    let path = try other.write(bytes, "pages.pdf").path
    let info = try other.run("pdfinfo", path)
    #expect(info.contains("Pages:           3"))
    #expect(info.contains("Title:           Sheet 0 – 🐝, Sheet 1 – 🐝, Sheet 2 – 🐝\n"))
    #expect(info.contains("picture 0\npicture 1\npicture 2\n"))
    for (index, drawing) in drawings.enumerated() {
      let page = try other.poppler(bytes, page: index + 1)
      var alone = drawing
      alone.details.pagesLeft = 0
      #expect(try page.bytes == other.poppler(try alone.made().bytes).bytes, "page \(index)")
    }
  }

  @Test("a background in PDF has at most the resolution, and a JPEG that has less stays as it is")
  func resolution() throws {
    let picture = try Scenes.picture("meadow.jpg")
    let scene = DrawingScene(canvas: try Canvas(width: 640, height: 400), labels: [], picture: picture)
    var drawing = try Drawing(scene) { .pdf($0) }
    let whole = try drawing.made().bytes
    // It has 72 pixels in an inch.
    drawing.details.resolution = 80
    #expect(try drawing.made().bytes == whole)
    drawing.details.resolution = 36
    let smaller = try drawing.made().bytes
    let other = try OtherRenderer()
    let list = try other.run("pdfimages", "-list", try other.write(smaller, "small.pdf").path)
    #expect(
      list.split(separator: "\n").last?.split(separator: " ").prefix(5) == ["1", "0", "image", "320", "200"])
    #expect(smaller.count < whole.count)
    let distance = try #require(try other.poppler(smaller).distance(to: try other.poppler(whole)))
    #expect(distance.mean < 0.05, "\(distance)")
  }

  @Test("V12 a title and a description are text in SVG and PDF, whatever they contain")
  func words() throws {
    let evil = "</title><script>alert(1)</script>\u{1}&\"'🐝 ünd"
    var drawing = try Self.cropped()
    drawing.details.title = evil
    drawing.details.alternative = "]]>\n\(evil)"
    let other = try OtherRenderer()
    let elements = try other.elements(try drawing.as(Self.svg).made().bytes)
    #expect(
      elements.contains {
        $0.hasPrefix("title ") && $0.contains("</title><script>alert(1)</script>\\ufffd&")
      })
    #expect(elements.contains { $0.hasPrefix("desc ") } && !elements.contains { $0.hasPrefix("script") })
    let svg = try String(decoding: drawing.as(Self.svg).made().bytes, as: UTF8.self)
    let ids = try ["title", "desc"].map { (name) -> Substring in
      let start = try #require(svg.range(of: "<\(name) id=\"")).upperBound
      return svg[start...].prefix { $0 != "\"" }
    }
    #expect(
      svg.contains(#"role="graphics-document document" aria-labelledby="\#(ids.joined(separator: " "))""#))
    let pdf = try other.write(try drawing.as { .pdf($0) }.made().bytes, "words.pdf")
    let info = try other.run("pdfinfo", pdf.path)
    #expect(info.contains("<script>alert(1)</script>") && info.contains("&\"'🐝 ünd"), "\(info)")
  }

  @Test("the bitmap that is enlarged most is told if that is more than twice,")
  func enlarged() throws {
    func drawn(
      _ labels: [(String, Double)], scale: Int = 1, _ format: (PixelSize) -> Drawing.Format = { .png($0) }
    ) throws
      -> Drawn.Enlarged?
    {
      let labels = try labels.map { try Scenes.label($0.0, 300, 300, $0.1) }
      let scene = DrawingScene(canvas: try Canvas(width: 600, height: 600), labels: labels, picture: nil)
      var drawing = try Drawing(scene, format)
      drawing.format = format(try PixelSize(width: 600 * scale, height: 600 * scale))
      return try drawing.made().drawn.enlarged
    }
    // Noto Color Emoji has 109 pixels in an em.
    #expect(try drawn([("🐝", 218)]) == nil)
    #expect(try drawn([("🐝", 240), ("🌸", 327), ("🎂", 300)]) == Drawn.Enlarged(text: "🌸", times: 3))
    #expect(try drawn([("🐝", 109)], scale: 3) == Drawn.Enlarged(text: "🐝", times: 3))
    #expect(try drawn([("🐝", 327)], Self.svg) == Drawn.Enlarged(text: "🐝", times: 3))
    #expect(try drawn([("🐝", 327)]) { .pdf($0) } == Drawn.Enlarged(text: "🐝", times: 3))
    #expect(try drawn([("🐝", 327)]) { .svg($0, embedsGlyphs: false) } == nil)
  }
}
