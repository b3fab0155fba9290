// SPDX-License-Identifier: Apache-2.0

import CGraphics
import Foundation
import TestSupport
import Testing

@testable import ArtDrawing
@testable import ArtModel

@Suite("Captions, and letters beside emoji") struct CaptionTests {
  static let letters = ["/usr/share/fonts/truetype/noto"]

  private func typesetter() throws -> Typesetter {
    try Typesetter(path: Sheet.font, letterFolders: Self.letters)
  }

  private func text(_ words: String) throws -> EmojiText {
    let words = try Words(words)
    return EmojiText(words, box: try typesetter().box(of: words))
  }

  private func label(
    _ words: String, x: Double = 150, y: Double = 100, size: Double = 40, rotation: Double = 0,
    isMirrored: Bool = false, color: Color? = nil
  ) throws -> DrawingScene.Label {
    DrawingScene.Label(
      text: try text(words), position: try Point(x: x, y: y), size: try FontSize(size),
      rotation: try Rotation(degrees: rotation), isMirrored: isMirrored, color: color)
  }

  private func drawing(
    _ labels: [DrawingScene.Label], region: CanvasRect? = nil, size: PixelSize? = nil,
    isTransparent: Bool = true
  ) throws -> Drawing {
    let canvas = try Canvas(width: 300, height: 200)
    return Drawing(
      scene: DrawingScene(canvas: canvas, labels: labels, picture: nil), region: region ?? CanvasRect(canvas),
      format: .png(try size ?? PixelSize(width: 300, height: 200)), isTransparent: isTransparent,
      fonts: [Sheet.font])
  }

  private func painted(_ drawing: Drawing, bands: [Int] = []) throws -> [UInt8] {
    guard case .png(let size) = drawing.format else { return [] }
    let painter = try Painter(drawing, size: size, typesetter())
    var result: [UInt8] = []
    for (top, bottom) in zip([0] + bands, bands + [size.height]) {
      let buffer = try PixelBuffer(width: size.width, height: bottom - top)
      try painter.paint(top..<bottom, into: buffer)
      result += UnsafeBufferPointer(start: buffer.pixels, count: buffer.count)
    }
    return result
  }

  @Test(
    "V14 a caption's box is as wide as its widest line, and as high as all of them, in the metrics of the font"
  )
  func boxes() throws {
    let typesetter = try typesetter()
    // Of Noto Sans, by its tables hmtx and hhea: H 741, i 258 and the blank 260 of 1,000 units; 1,069 above the baseline and 293 below it.
    let one = try typesetter.box(of: Words("Hi"))
    #expect(abs(one.width - 0.999) < 1e-5 && abs(one.height - 1.362) < 1e-4)
    let two = try typesetter.box(of: Words("i\nHi Hi"))
    #expect(abs(two.width - 2.258) < 1e-4 && abs(two.height - 2 * one.height) < 1e-5)
    let empty = try typesetter.box(of: Words("Hi\n\nHi"))
    #expect(abs(empty.width - one.width) < 1e-6 && abs(empty.height - 3 * one.height) < 1e-5)
    // An emoji is as wide as it is in a label: 2,550 of 2,048 units.
    let mixed = try typesetter.box(of: Words("Hi🐝"))
    #expect(abs(mixed.width - 0.999 - 2550.0 / 2048) < 1e-4)
  }

  @Test("V14 lines are centred; those of scripts that are written to the left run to the left")
  func lines() throws {
    let layout = try typesetter().layout(text("wide line\nי"))
    #expect(layout.baselines.count == 2 && layout.baselines[0] < layout.baselines[1])
    #expect(layout.width > 4 && abs(layout.height - 2 * 1.362) < 1e-3)
    let short = try typesetter().layout(text("wide line\nי")).letters.points.filter { $0.y > 0 }.map(\.x)
    let middle = ((short.min() ?? 0) + (short.max() ?? 0)) / 2
    #expect(abs(middle) < 0.1, "the second line is in the middle: \(middle)")

    // Of two words the first one is on the right. Aleph is wide, yod is narrow.
    let hebrew = try typesetter().layout(text("א     י")).letters
    let latin = try typesetter().layout(text("m     i")).letters
    func widths(_ outline: Outline) -> (left: Double, right: Double) {
      let (left, right) = (
        outline.points.filter { $0.x < 0 }.map(\.x), outline.points.filter { $0.x > 0 }.map(\.x)
      )
      return ((left.max() ?? 0) - (left.min() ?? 0), (right.max() ?? 0) - (right.min() ?? 0))
    }
    #expect(widths(hebrew).right > widths(hebrew).left && widths(latin).right < widths(latin).left)
  }

  @Test("emoji among words are emoji, digits are letters, and a heart is what its selector says")
  func emoji() throws {
    let typesetter = try typesetter()
    let layout = try typesetter.layout(text("30 🐝 👩‍🚒 #1 ❤️"))
    #expect(layout.glyphs.count == 3 && !layout.letters.isEmpty && !layout.hasMissingGlyphs)
    #expect(layout.glyphs.allSatisfy { if case .color = $0.glyph { true } else { false } })
    let label = try typesetter.layout(try EmojiText("👩‍🚒"))
    #expect(layout.glyphs[1].glyph == label.glyphs[0].glyph, "a sequence is one glyph, as in a label")
    #expect(try typesetter.layout(text("❤")).glyphs.isEmpty, "without a selector a heart is a letter")
  }

  @Test(
    "V14 words with a character that no font has are not measured; drawn they have a box for it, which is told"
  )
  func missing() throws {
    let unknown = "Hi \u{1F1E6} \u{E000}"
    let typesetter = try typesetter()
    let han = try Words("漢 and more")
    do throws(DrawingRefusal) {
      _ = try typesetter.box(of: han)
      Issue.record("measured")
    } catch {
      #expect(error.reason == .noFont && error.detail.contains("漢"), "\(error.detail)")
    }
    let foreign = EmojiText(try Words(stored: unknown), box: try TextBox(width: 2, height: 1))
    let scene = DrawingScene.Label(
      text: foreign, position: try Point(x: 150, y: 100), size: try FontSize(40))
    let drawing = try drawing([scene])
    guard case .png(let size) = drawing.format else { return }
    #expect(try Painter(drawing, size: size, typesetter).drawn.lackingCount == 1)
    #expect(try typesetter.layout(foreign).glyphs.contains { $0.glyph == .missing([0xE000]) })
  }

  @Test(
    "V4 a sequence that the font does not join is one box among words, too, as wide as an emoji",
    arguments: ["🧑‍🩰", "👯🏽", "🇦🇧", "🏴󠁦󠁲󠁢󠁲󠁥󠁿"])
  func unjoined(_ sequence: String) throws {
    let typesetter = try typesetter()
    #expect(try typesetter.box(of: Words("Hi \(sequence) you")) == typesetter.box(of: Words("Hi 🐝 you")))
    let scalars = Glyph.shownScalars(of: sequence.unicodeScalars)
    let layout = try typesetter.layout(text("Hi \(sequence) you"))
    #expect(layout.glyphs.map(\.glyph) == [.missing(scalars)] && layout.hasMissingGlyphs)
    let label = try typesetter.layout(try EmojiText("A\(sequence)"))
    #expect(
      label.glyphs.map(\.glyph) == [.missing(scalars)] && label.hasMissingGlyphs && !label.letters.isEmpty)
  }

  @Test("without fonts for letters a caption cannot be measured, and is drawn as boxes")
  func withoutFonts() throws {
    let bare = try Typesetter(path: Sheet.font)
    #expect(throws: DrawingRefusal.self) { try bare.box(of: Words("Hi")) }
    let layout = try bare.layout(EmojiText(try Words("Hi y"), box: try TextBox(width: 2, height: 1.4)))
    #expect(layout.glyphs.count == 3 && layout.letters.isEmpty && layout.hasMissingGlyphs)
    #expect(try bare.layout(try EmojiText("A🐝")).hasMissingGlyphs)
  }

  @Test("letters beside emoji in a label are set in the same font")
  func labels() throws {
    let typesetter = try typesetter()
    let layout = try typesetter.layout(try EmojiText("A🐝1"))
    #expect(!layout.hasMissingGlyphs && layout.glyphs.count == 1 && !layout.letters.isEmpty)
    let bounds = try #require(layout.letters.bounds)
    #expect(abs(bounds.left + bounds.right) < 0.2, "a letter on each side, the whole centred: \(bounds)")
    let plain = try typesetter.layout(try EmojiText("🐝"))
    let bare = try Typesetter(path: Sheet.font).layout(try EmojiText("🐝"))
    #expect(plain.letters.isEmpty && plain.glyphs[0].x == bare.glyphs[0].x)
  }

  @Test("V5 every part of the result is painted as in the whole, turned and mirrored captions, too")
  func bands() throws {
    let labels = try [
      label("Grüße\nan alle 🎂", rotation: 30), label("שלום", x: 60, isMirrored: true),
      label("big", size: 900, color: Color(red: 200, green: 0, blue: 0, alpha: 100)),
    ]
    let drawing = try drawing(labels)
    let whole = try painted(drawing)
    #expect(Set(whole).count > 100, "something is painted")
    for bands in [[1, 2, 100], [64, 128], Array(1..<200)] {
      #expect(try painted(drawing, bands: bands) == whole, "\(bands.count) cuts")
    }
  }

  @Test(
    "at a scale at which Cairo's numbers overflow, letters are cut off around the result, and are the same shapes"
  )
  func zoom() throws {
    // The stem of an l is a rectangle; its right edge is looked at from nearer and nearer.
    let stem = try label("l", size: 100)
    let bounds = try #require(try typesetter().layout(stem.text).letters.bounds)
    let edge = 150 + bounds.right * 100
    for width in [10, 0.1, 0.001, 0.000_01] {
      let region = try CanvasRect(x: edge - width / 2, y: 100, width: width, height: width)
      let pixels = try painted(drawing([stem], region: region, size: PixelSize(width: 64, height: 64)))
      let row = (0..<64).map { pixels[4 * (32 * 64 + $0) + 3] }
      let ink = row.prefix { $0 == 255 }.count
      #expect((31...33).contains(ink) && row[(ink + 1)...].allSatisfy { $0 == 0 }, "\(width): \(row)")
    }
    // Round letters, at a scale on each side of the bound.
    let round = try label("O8", size: 100)
    let layout = try typesetter().layout(round.text)
    let side = try #require(layout.letters.points.min { $0.x < $1.x })
    let near = try CanvasRect(x: 149 + side.x * 100, y: 98 + side.y * 100, width: 4, height: 4)
    let direct = try painted(drawing([round], region: near, size: PixelSize(width: 512, height: 512)))
    var cut = Outline()
    cut.append(layout.letters, x: 0, y: 0)
    // A point far away makes the outline one that is cut.
    cut.append(.move, Outline.Point(x: 1e5, y: 0))
    cut.append(.close)
    let map = round.map.then(Affine(a: 128, b: 0, c: 0, d: 128, e: -128 * near.x, f: -128 * near.y))
    let shape = ResultOutline(cut, map, within: Outline.Bounds(left: 0, top: 0, right: 512, bottom: 512))
    let buffer = try PixelBuffer(width: 512, height: 512)
    let surface = cairo_image_surface_create_for_data(buffer.pixels, CAIRO_FORMAT_ARGB32, 512, 512, 2048)
    let cairo = cairo_create(surface)
    shape.add(to: cairo, left: 0, top: 0)
    cairo_fill(cairo)
    cairo_destroy(cairo)
    cairo_surface_destroy(surface)
    let other = Array(UnsafeBufferPointer(start: buffer.pixels, count: buffer.count))
    let differing = zip(direct, other).count { abs(Int($0) - Int($1)) > 40 }
    #expect(Set(direct).count > 10, "an edge is seen")
    #expect(differing < direct.count / 5_000, "\(differing) of \(direct.count)")
  }

  @Test("Pango's own program draws the same lines as wide")
  func pangoView() throws {
    let renderer = try OtherRenderer()
    let lines = [
      ("Hello world", ""), ("AVATAR fi ffi", ""), ("Grüße, ½ № …", ""), ("Ελληνικά привет", ""),
      ("שלום", " Hebrew"),
      ("नमस्ते", " Devanagari"), ("สวัสดี", " Thai"), ("السلام", " Arabic"),
    ]
    for (words, script) in lines {
      let picture = try renderer.pango(words, "Noto Sans\(script)")
      let width = try typesetter().box(of: Words(words)).width * 100
      #expect(abs(Double(picture.width) - width) < 2, "\(words): \(picture.width), \(width)")
    }
  }

  @Test("each script's font has characters of that script, and each file is in Debian's packages")
  func table() throws {
    let opened = OpenLetterFonts(folders: Self.letters)
    let absent = LetterFonts.names.filter { opened.files[$0] == nil }
    #expect(absent == ["NotoSansCJK"], "in a package of its own: fonts-noto-cjk")
    let functions = hb_unicode_funcs_get_default()
    var characters: [UInt32: [UInt32]] = [:]
    for scalar in UInt32(0x20)...0x1FFFF {
      characters[hb_unicode_script(functions, scalar).rawValue, default: []].append(scalar)
    }
    var checked = 0
    for (script, name) in LetterFonts.scripts where name != "NotoSansCJK" {
      guard let file = try opened.files[name]?.get() else { continue }
      let start = file.bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      let blob = hb_blob_create(start, UInt32(file.bytes.count), HB_MEMORY_MODE_READONLY, nil, nil)
      let face = hb_face_create(blob, 0)
      let font = hb_font_create(face)
      var glyph: UInt32 = 0
      let has = (characters[script] ?? []).contains { hb_font_get_nominal_glyph(font, $0, &glyph) != 0 }
      #expect(has, "\(name) has none of its script")
      hb_font_destroy(font)
      hb_face_destroy(face)
      hb_blob_destroy(blob)
      checked += 1
    }
    #expect(checked > 135)
  }

  @Test("letters have their colour in PNG, SVG and PDF, and other programs draw the files alike")
  func formats() throws {
    let labels = try [
      label("Happy\nbirthday", size: 50, rotation: -10, color: Color(red: 200, green: 0, blue: 120)),
      label("half", y: 170, color: Color(red: 0, green: 80, blue: 0, alpha: 128)),
    ]
    let drawing = try drawing(labels, isTransparent: false)
    let own = try Pixels(decoding: drawing.made(letterFolders: Self.letters).bytes)
    let renderer = try OtherRenderer()
    let svg = try drawing.as { .svg($0, embedsGlyphs: true) }.made(letterFolders: Self.letters).bytes
    let pdf = try drawing.as { .pdf($0) }.made(letterFolders: Self.letters).bytes
    // Poppler moves letters by parts of a pixel, of which four times the size has more.
    var large = drawing
    large.format = .png(try PixelSize(width: 1200, height: 800))
    let ownLarge = try Pixels(decoding: large.made(letterFolders: Self.letters).bytes)
    for (name, own, other) in [
      ("rsvg-convert", own, try renderer.rsvg(svg)),
      ("pdftocairo", ownLarge, try renderer.poppler(pdf, scale: 4)),
    ] {
      let distance = try #require(own.distance(to: other))
      #expect(distance.mean < 0.004 && distance.different < 0.01, "\(name): \(distance)")
    }
    let blank = try Pixels(decoding: self.drawing([], isTransparent: false).made().bytes)
    let distance = try #require(own.distance(to: blank))
    #expect(distance.mean > 0.02, "a picture without the words is another one: \(distance)")
    #expect(String(decoding: svg, as: UTF8.self).contains("fill=\"#c80078\""))
  }

  @Test("letters far outside of a page are not on it, in PDF as in PNG")
  func farAway() throws {
    let wide = try (0..<150).map {
      try label("H", x: Double($0) * 660, y: 400, size: 900, color: Color(red: 255, green: 0, blue: 0))
    }
    let canvas = try Canvas(width: 100_000, height: 800)
    let region = try CanvasRect(x: 40_000, y: 400, width: 1, height: 1)
    let size = try PixelSize(width: 500, height: 500)
    let scene = DrawingScene(canvas: canvas, labels: wide, picture: nil)
    func made(_ format: Drawing.Format) throws -> [UInt8] {
      try Drawing(scene: scene, region: region, format: format, fonts: [Sheet.font])
        .made(letterFolders: Self.letters).bytes
    }
    let own = try Pixels(decoding: made(.png(size)))
    let pdf = try OtherRenderer().poppler(made(.pdf(size)))
    let distance = try #require(own.distance(to: pdf))
    #expect(distance.mean < 0.01 && distance.different < 0.02, "\(distance)")
  }

  @Test("a damaged font for letters gives other letters, boxes or an error, and never ends the program")
  func damaged() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("letters-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let whole = [UInt8](
      try Data(contentsOf: URL(fileURLWithPath: "\(Self.letters[0])/NotoSans-Regular.ttf")))
    var random = SplitMix64(seed: 16)
    let words = try Words("Affe fi 30 Grüße")
    let intact = try typesetter().box(of: words)
    var (other, refused, unwritten) = (0, 0, 0)
    for turn in 0..<120 {
      var bytes = turn == 0 ? Array(whole.prefix(whole.count / 2)) : whole
      for _ in 0..<(turn == 0 ? 0 : 1 + random.below(200)) {
        // Half of the changes are in the directory and the tables at the beginning.
        let place = random.below(random.oneIn(2) ? 4_096 : bytes.count)
        bytes[place] = UInt8(truncatingIfNeeded: random.next())
      }
      try Data(bytes).write(to: folder.appendingPathComponent("NotoSans-Regular.ttf"))
      do {
        let typesetter = try Typesetter(path: Sheet.font, letterFolders: [folder.path])
        let box = try typesetter.box(of: words)
        if box != intact { other += 1 }
        var label = try label("x")
        label.text = EmojiText(words, box: box)
        // Cairo embeds what FreeType can read of it; the rest is drawn as shapes.
        let pdf = try drawing([label]).as { .pdf($0) }.made(letterFolders: [folder.path]).bytes
        if !pdf.suffix(16).contains(0x25) { unwritten += 1 }
      } catch is DrawingRefusal {
        refused += 1
      }
    }
    print("damaged letters: 120 fonts, \(other) other boxes, \(refused) refused")
    #expect(other + refused > 20, "the damage is noticed")
    #expect(unwritten == 0)
  }
}
