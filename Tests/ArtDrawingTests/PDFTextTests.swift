// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtDrawing
@testable import ArtModel

/// The text of PDF files, as poppler reads it.
@Suite("Text in PDF") struct PDFTextTests {
  private static let letters = ["/usr/share/fonts/truetype/noto"]

  private func caption(
    _ words: String, _ x: Double, _ y: Double, _ size: Double, turned: Double = 0, isMirrored: Bool = false
  ) throws -> DrawingScene.Label {
    let words = try Words(words)
    let typesetter = try Typesetter(path: Scenes.font, letterFolders: Self.letters)
    return DrawingScene.Label(
      text: EmojiText(words, box: try typesetter.box(of: words)), position: try Point(x: x, y: y),
      size: try FontSize(size), rotation: try Rotation(degrees: turned), isMirrored: isMirrored)
  }

  private func drawing(_ labels: [DrawingScene.Label], fonts: [String] = [Scenes.font]) throws -> Drawing {
    var drawing = try Drawing(
      DrawingScene(canvas: try Canvas(width: 600, height: 400), labels: labels, picture: nil)
    ) { .png($0) }
    drawing.fonts = fonts
    return drawing
  }

  /// The words that are on a page, in their order.
  private func words(_ pdf: [UInt8], _ other: OtherRenderer) throws -> [String] {
    try other.run("pdftotext", try other.write(pdf, "text.pdf").path, "-")
      .split { $0.isWhitespace || $0 == "\u{202A}" || $0 == "\u{202B}" || $0 == "\u{202C}" }.map(String.init)
  }

  @Test(
    "V22 captions and emoji in a PDF file are text, in the order of their lines and with joined sequences whole"
  )
  func text() throws {
    let other = try OtherRenderer()
    let drawing = try drawing([
      caption("Happy birthday, Zoë! office\nsecond 🎂 line", 300, 80, 30), caption("שלום עולם", 300, 180, 30),
      caption("नमस्ते क्षत्रिय", 300, 240, 30), Scenes.label("🐸", 100, 330, 60), Scenes.label("👩‍🚀", 300, 330, 60),
      Scenes.label("🦋🌸", 500, 330, 60),
    ]).as { .pdf($0) }
    let pdf = try drawing.made(letterFolders: Self.letters).bytes
    #expect(
      try words(pdf, other) == [
        "Happy", "birthday,", "Zoë!", "office", "second", "🎂", "line", "שלום", "עולם", "नमस्ते", "क्षत्रिय", "🐸", "👩‍🚀",
        "🦋🌸",
      ])
    let fonts = try other.run("pdffonts", try other.write(pdf, "text.pdf").path).split(separator: "\n")
      .dropFirst(2)
    #expect(
      fonts.contains { $0.contains("+NotoSans-Regular") } && fonts.contains { $0.contains("+EmojiartEmoji") })
    // Embedded, a subset, and with a table of characters.
    #expect(fonts.allSatisfy { $0.contains(" yes yes yes ") }, "\(fonts)")
  }

  @Test(
    "V22 an emoji that no font has, turned and mirrored text, and more emoji than the font without ink has glyphs are text"
  )
  func unusual() throws {
    let other = try OtherRenderer()
    let unknown = "\u{1FAE8}"
    let some = try drawing(
      [
        caption("mirrored", 300, 60, 30, isMirrored: true), caption("turned", 300, 200, 30, turned: 180),
        Scenes.label(unknown, 100, 300, 40), Scenes.label("🐝", 500, 300, 0.5),
      ]
    ).as { .pdf($0) }
    let found = try words(some.made(letterFolders: Self.letters).bytes, other)
    // Poppler sees no mirrored letters; it reads them one by one.
    #expect(found.contains("turned") && found.contains(unknown), "\(found)")
    var random = SplitMix64(seed: 98)
    let texts = (0..<BlankFont.glyphs + 100).map { _ in
      String(
        String.UnicodeScalarView(
          (0..<3).map { _ in Unicode.Scalar(UInt32(0x1F400 + random.below(0x3F))) ?? "🐝" }))
    }
    let many = try drawing(
      texts.enumerated().map { index, text in
        try Scenes.label(text, Double(index % 60) * 10 + 5, Double(index / 60) * 5 + 5, 2)
      }
    ).as { .pdf($0) }
    let seen = try words(many.made().bytes, other).joined()
    for text in texts { #expect(seen.contains(text), "\(text)") }
  }

  @Test("V6 text in PDF looks as in the PNG file, whatever its size and colour")
  func look() throws {
    let other = try OtherRenderer()
    var labels = try [
      caption("Quick brown fox", 300, 80, 70), caption("12 small letters", 80, 180, 9, turned: 30),
      caption("العربية שלום", 400, 200, 60, turned: 345), caption("mirrored", 200, 300, 50, isMirrored: true),
      caption("W", 500, 350, 6_000),
    ]
    labels[2].color = Color(red: 0, green: 51, blue: 204, alpha: 128)
    var drawing = try drawing(labels)
    drawing.format = .png(try PixelSize(width: 1200, height: 800))
    let pdf = try drawing.as { .pdf($0) }.made(letterFolders: Self.letters).bytes
    let png = try Pixels(decoding: drawing.made(letterFolders: Self.letters).bytes)
    // Poppler moves letters by parts of a pixel, and makes their stems sharper.
    let distance = try #require(try other.poppler(pdf).distance(to: png))
    #expect(distance.mean < 0.006, "\(distance)")
    // A control: other letters.
    drawing.scene.labels[0] = try caption("Quick brown box", 300, 80, 70)
    let control = try Pixels(decoding: drawing.made(letterFolders: Self.letters).bytes)
    let far = try #require(try other.poppler(pdf).distance(to: control))
    #expect(far.mean > distance.mean * 1.05, "\(far)")
  }

  @Test("a PDF file with text has the same bytes each time, and letters only once")
  func same() throws {
    let one = try drawing([caption("abc", 100, 100, 20)]).as { .pdf($0) }
    let bytes = try one.made(letterFolders: Self.letters).bytes
    #expect(try one.made(letterFolders: Self.letters).bytes == bytes)
    let many = try drawing((0..<200).map { try caption("abc", 100, 100, 20 + Double($0)) }).as { .pdf($0) }
    #expect(try many.made(letterFolders: Self.letters).bytes.count < bytes.count + 200 * 200)
  }
}
