// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtDrawing

/// Tests of both SVG and PDF.
@Suite struct VectorTests {
  private static let kinds: [(name: String, format: @Sendable (PixelSize) -> Drawing.Format)] = [
    ("SVG", { .svg($0, embedsGlyphs: true) }), ("text", { .svg($0, embedsGlyphs: false) }),
    ("PDF", { .pdf($0) }),
  ]

  @Test("V3 a background of any kind has the same orientation and transparency in SVG and PDF as in PNG")
  func backgrounds() throws {
    let other = try OtherRenderer()
    var names = (1...8).flatMap { turn in ["png", "jpg", "webp", "avif"].map { "turned-\(turn).\($0)" } }
    // There is no AVIF fixture without a rotation.
    names.removeAll { $0 == "turned-1.avif" }
    names += [
      "alpha.png", "alpha.gif", "alpha.webp", "alpha.avif", "offset.gif", "offset.webp", "cmyk.jpg",
      "deep.png",
    ]
    for name in names {
      // The picture is scaled to ten times its size, and cut at the sides.
      let scene = DrawingScene(
        canvas: try Canvas(width: 200, height: 160), labels: [], picture: try Scenes.picture(name))
      let drawing = try Drawing(scene, { .png($0) }, isTransparent: true)
      let ours = try drawing.pixels()
      let svg = try other.rsvg(try drawing.as { .svg($0, embedsGlyphs: true) }.made().bytes)
      let distance = try #require(svg.distance(to: ours))
      #expect(distance.mean < 0.02, "\(name) in SVG: \(distance)")
      var white = drawing
      white.isTransparent = false
      let pdf = try other.poppler(try white.as { .pdf($0) }.made().bytes)
      let paper = try #require(pdf.distance(to: try white.pixels()))
      #expect(paper.mean < 0.035, "\(name) in PDF: \(paper)")
    }
    print("V3 backgrounds: \(names.count) in SVG and PDF")
    // A control: another orientation is further away.
    let scene = DrawingScene(
      canvas: try Canvas(width: 200, height: 160), labels: [], picture: try Scenes.picture("meadow.png"))
    let upside = try Drawing(scene) { .png($0) }.pixels()
    let turned = try Pixels(
      width: 200, height: 160,
      bytes: stride(from: 0, to: upside.bytes.count, by: 4).reversed()
        .flatMap { upside.bytes[$0..<$0 + 4] })
    let distance = try #require(
      try other.rsvg(try Drawing(scene) { .svg($0, embedsGlyphs: true) }.made().bytes).distance(to: turned))
    #expect(distance.mean > 0.035, "\(distance)")
  }

  @Test(
    "V7 a background that cannot be decoded is drawn as stripes in SVG and PDF as in PNG, with the reason, and all else is drawn"
  )
  func fault() throws {
    let other = try OtherRenderer()
    for name in ["cut.jpg", "page.png", "bad-sum.png", "garbage.jpg"] {
      var scene = try Scenes.scene(200, 160, emoji: 5, seed: 64)
      scene.picture = try Scenes.picture(name)
      let drawing = try Drawing(scene) { .png($0) }
      let ours = try drawing.pixels()
      for (kind, format) in Self.kinds where kind != "text" {
        let (bytes, drawn) = try drawing.as(format).made()
        #expect(drawn.pictureFault != nil)
        #expect(try drawing.made().drawn.pictureFault == drawn.pictureFault)
        let theirs = kind == "PDF" ? try other.poppler(bytes) : try other.rsvg(bytes)
        let distance = try #require(theirs.distance(to: ours))
        #expect(distance.mean < 0.02, "\(name) in \(kind): \(distance)")
      }
    }
  }

  @Test("V4 visible texts that the font lacks are named once, in every format")
  func lacking() throws {
    var labels = try ["🐝", "a🐝", "a🐝", "☃️b", "🐝"].map { try Scenes.label($0, 20, 20, 10) }
    // A label outside of the canvas.
    labels.append(try Scenes.label("🐝c", 200, 20, 10))
    let scene = DrawingScene(canvas: try Canvas(width: 40, height: 40), labels: labels, picture: nil)
    for (name, format) in Self.kinds {
      let drawn = try Drawing(scene, format).made().drawn
      #expect(drawn.lacking == ["a🐝", "☃️b"] && drawn.lackingCount == 2, "\(name)")
    }
  }

  @Test("V5 the same drawing has the same bytes, without a date and without the font's name")
  func same() throws {
    let scene = try Scenes.scene(200, 160, emoji: 20, seed: 66, picture: "meadow.jpg")
    for (name, format) in Self.kinds {
      let bytes = try Drawing(scene, format).made().bytes
      #expect(try Drawing(scene, format).made().bytes == bytes, "\(name)")
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(
        !text.contains("CreationDate") && !text.contains("noto") && !text.contains("ModDate"), "\(name)")
    }
  }

  @Test("V10 without a font SVG with emoji as text is drawn, and every other format is refused")
  func fontless() throws {
    let scene = try Scenes.scene(200, 160, emoji: 20, seed: 67)
    for (name, format) in Self.kinds {
      var drawing = try Drawing(scene, format)
      let whole = try drawing.made().bytes
      drawing.fonts = []
      if name == "text" {
        #expect(try drawing.made().bytes.count >= whole.count - 100)
      } else {
        #expect(#expect(throws: DrawingRefusal.self) { try drawing.made() }?.reason == .noFont, "\(name)")
      }
      drawing.fonts = ["/dev/null/none.ttf"]
      #expect(#expect(throws: DrawingRefusal.self) { try drawing.made() }?.reason == .noFont, "\(name)")
    }
  }

  @Test("results are passed on in parts, and numbers, Base64 and escapes are read back as the same")
  func pieces() throws {
    let scene = try Scenes.scene(800, 600, emoji: 100, seed: 68, picture: "meadow.png")
    for (name, format) in Self.kinds {
      var largest = 0
      _ = try Renderings.draw(try Drawing(scene, format)) { largest = max(largest, $0.count) }
      #expect(largest < 1 << 21, "\(name)")
    }
    var random = SplitMix64(seed: 68)
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8(random.below(256)) }
      var text: [UInt8] = []
      let sink = ByteSink { text += $0 }
      var writer = Base64Writer(sink)
      var start = 0
      while start < count {
        let end = min(count, start + 1 + random.below(9))
        bytes[start..<end].withUnsafeBytes { writer.write($0) }
        start = end
      }
      writer.end()
      sink.flush()
      #expect(String(decoding: text, as: UTF8.self) == Data(bytes).base64EncodedString())
    }
    for value in [0, 1, -1, 0.5, 1e-9, 123.456789, -999_999.99999, 1e6, 0.000012345, 99_999.5, -0.0] {
      let read = try #require(Double(XMLText.number(value)))
      #expect(
        abs(read - value) <= max(0.00006, abs(value) * 1e-6)
          && (abs(value) > 0.01 || abs(read - value) <= abs(value) / 100))
    }
    #expect(XMLText.number(12.50001) == "12.5" && XMLText.number(3) == "3")
    #expect(
      XMLText.escaped("<a b='\"&'>\u{1}\u{FFFF}") == "&lt;a b=&#39;&quot;&amp;&#39;&gt;\u{FFFD}\u{FFFD}")
  }

  @Test(
    "V8 100,000 emoji are drawn as SVG and PDF within 256 MiB of address space; one more is refused as PDF")
  func many() throws {
    guard !AddressSanitizer.prevents("V8 the memory of 100,000 emoji") else { return }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("many-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer {
      // A folder that cannot be removed fails no test.
      try? FileManager.default.removeItem(at: folder)
    }
    let lines = folder.appendingPathComponent("lines")
    let single = Scenes.texts.filter { $0.count == 1 }
    let other = try OtherRenderer()
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let child = own.deletingLastPathComponent().appendingPathComponent("DrawingChild").path
    for (count, file) in [(100_000, "a.svg"), (100_000, "a.pdf"), (100_001, "b.pdf")] {
      let text = (0..<count).map { "\($0 % 2048) \($0 % 1535) 40 \(single[$0 % single.count])" }
      try Data(text.joined(separator: "\n").utf8).write(to: lines)
      let printed = try other.run(
        "prlimit",
        arguments: AddressSanitizer.limit(mebibytes: 256) + [
          child, Scenes.font, lines.path, "2048", "1536", folder.appendingPathComponent(file).path,
        ])
      #expect(printed.hasPrefix(count == 100_000 ? "lacking 0" : "refused: tooLarge"), "\(file): \(printed)")
      print("V8 \(count) emoji in \(file): \(printed.split(separator: "\n").joined(separator: ", "))")
    }
  }
}
