// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtDrawing

@Suite("Lines around what differs") struct HighlightTests {
  private static func label(_ x: Double, _ y: Double, _ size: Double, degrees: Double = 0) throws
    -> DrawingScene.Label
  {
    var label = try Scenes.label("🐝", x, y, size)
    label.rotation = try Rotation(degrees: degrees)
    return label
  }

  private static func drawing(_ labels: [DrawingScene.Label], _ highlights: [DrawingHighlight]) throws
    -> Drawing
  {
    var drawing = try Drawing(
      DrawingScene(
        canvas: try Canvas(width: 200, height: 150), fill: Color(red: 40, green: 40, blue: 40),
        labels: labels, picture: nil)
    ) { .png($0) }
    drawing.details.highlights = highlights
    return drawing
  }

  private static func painted(_ drawing: Drawing) throws -> Painted {
    let size = try #require(drawing.format.raster)
    return Painted(try Painter(drawing, size: size, Typesetter(path: Sheet.font)).whole())
  }

  private static func pixel(_ color: Color) -> [UInt8] { [color.red, color.green, color.blue, 255] }

  /// How many bytes differ.
  private static func differences(_ bytes: [UInt8], _ whole: Painted) -> Int {
    guard bytes.count == whole.bytes.count else { return .max }
    return zip(bytes, whole.bytes).count { $0 != $1 }
  }

  /// How many pixels have that colour.
  private static func count(_ color: Color, in painted: Painted) -> Int {
    (0..<painted.height).reduce(0) { sum, y in
      sum + (0..<painted.width).count { painted[$0, y] == pixel(color) }
    }
  }

  @Test("V15 a highlight is a line of its kind just around the box, and changes nothing within it or beyond")
  func places() throws {
    // The box is 99.6 x 94 pixels. Beside it are half of the halo and of the line.
    let label = try Self.label(100, 75, 80)
    let plain = try Self.painted(try Self.drawing([label], []))
    let (left, top) = (100 - 49.8 - 3, 75 - 47 - 3.0)
    for kind in DrawingHighlight.Kind.allCases {
      let painted = try Self.painted(
        try Self.drawing([label], [DrawingHighlight(kind, around: EmojiBox(label))]))
      // A dash is in the middle of each corner.
      for (x, y) in [(left, top), (200 - left, top), (left, 150 - top), (200 - left, 150 - top)] {
        #expect(painted[Int(x), Int(y)] == Self.pixel(kind.color), "\(kind)")
      }
      for other in DrawingHighlight.Kind.allCases where other != kind {
        #expect(Self.count(other.color, in: painted) == 0)
      }
      var differ = 0
      for y in 0..<150 {
        for x in 0..<200 where painted[x, y] != plain[x, y] {
          differ += 1
          let isWithin = (51..<149).contains(x) && (29..<121).contains(y)
          let isBeyond = !(44..<156).contains(x) || !(22..<128).contains(y)
          #expect(!isWithin && !isBeyond, "\(x),\(y)")
        }
      }
      #expect(differ > 1_500)
    }
    #expect(DrawingHighlight.Kind.allCases.allSatisfy { Self.count($0.color, in: plain) == 0 })
  }

  @Test("V15 kinds differ without their colours: by the part of the line that is a gap")
  func dashes() throws {
    let label = try Self.label(100, 75, 80)
    func share(_ kind: DrawingHighlight.Kind) throws -> Double {
      let highlight = DrawingHighlight(kind, around: EmojiBox(label))
      let painted = try Self.painted(try Self.drawing([label], [highlight]))
      return Double(Self.count(kind.color, in: painted)) / 800
    }
    let (added, changed, removed) = (try share(.added), try share(.changed), try share(.removed))
    #expect(added > 1 && removed < added * 0.75 && changed < removed * 0.9, "\(added) \(changed) \(removed)")
  }

  @Test("V15 a highlight is turned with its box")
  func turned() throws {
    let label = try Self.label(100, 75, 40, degrees: 30)
    let box = EmojiBox(label)
    let painted = try Self.painted(
      try Self.drawing([label], [DrawingHighlight(.added, around: box)]))
    // Three pixels beyond the middle of each side.
    for (first, second) in zip(box.corners, box.corners.dropFirst() + box.corners.prefix(1)) {
      let (x, y) = ((first.x + second.x) / 2, (first.y + second.y) / 2)
      let away = (x: x - box.x, y: y - box.y)
      let length = (away.x * away.x + away.y * away.y).squareRoot()
      let place = (Int(x + 3 * away.x / length), Int(y + 3 * away.y / length))
      #expect(painted[place.0, place.1] == Self.pixel(DrawingHighlight.Kind.added.color), "\(place)")
    }
    // The control: the corner of the box before turning is elsewhere.
    #expect(painted[Int(100 - box.width / 2 - 3), Int(75 - box.height / 2 - 3)] == [40, 40, 40, 255])
  }

  @Test("V15 the highlight of a canvas is within its edges, and nothing is drawn beyond the canvas")
  func canvas() throws {
    var drawing = try Self.drawing([], [DrawingHighlight(.changed)])
    drawing.region = try CanvasRect(x: -20, y: -20, width: 240, height: 190)
    drawing.format = .png(try PixelSize(width: 240, height: 190))
    drawing.scene.labels = [try Self.label(195, 75, 40)]
    drawing.details.highlights.append(
      DrawingHighlight(.added, around: EmojiBox(drawing.scene.labels[0])))
    let painted = try Self.painted(drawing)
    for y in 0..<190 {
      for x in 0..<240 where !(20..<220).contains(x) || !(20..<170).contains(y) {
        #expect(painted[x, y] == [255, 255, 255, 255])
      }
    }
    #expect(painted[23, 23] == Self.pixel(DrawingHighlight.Kind.changed.color))
    #expect(painted[216, 166] == Self.pixel(DrawingHighlight.Kind.changed.color))
    #expect(Self.count(DrawingHighlight.Kind.added.color, in: painted) > 100)
  }

  @Test("V5 bands with highlights have the pixels of the whole, wherever they are cut")
  func bands() throws {
    var random = SplitMix64(seed: 640)
    var visible = 0
    for _ in 0..<80 {
      var labels: [DrawingScene.Label] = []
      for _ in 0..<8 {
        labels.append(
          try Self.label(
            .random(in: -40...240, using: &random), .random(in: -40...190, using: &random),
            pow(10, .random(in: -1...5, using: &random)),
            degrees: Bool.random(using: &random) ? 0 : .random(in: -180...180, using: &random)))
      }
      let highlights = labels.map { label in
        DrawingHighlight(
          DrawingHighlight.Kind.allCases.randomElement(using: &random) ?? .added, around: EmojiBox(label))
      }
      var drawing = try Self.drawing([], highlights + [DrawingHighlight(.changed)])
      let size = try PixelSize(
        width: .random(in: 1...300, using: &random), height: .random(in: 1...300, using: &random))
      drawing.format = .png(size)
      let painter = try Painter(drawing, size: size, Typesetter(path: Sheet.font))
      let whole = Painted(try painter.whole())
      visible += DrawingHighlight.Kind.allCases.reduce(0) { $0 + Self.count($1.color, in: whole) }
      var (parts, top): ([UInt8], Int) = ([], 0)
      while top < size.height {
        let end = min(size.height, top + .random(in: 1...60, using: &random))
        let band = try PixelBuffer(width: size.width, height: end - top)
        try painter.paint(top..<end, into: band)
        parts += Painted(band).bytes
        top = end
      }
      #expect(Self.differences(parts, whole) == 0)
    }
    #expect(visible > 10_000)
  }

  @Test("V8 highlights of any size and number are painted or refused with a scale that works")
  func hostile() throws {
    let far = EmojiBox(try Self.label(1e6, -1e6, 1e5, degrees: 45))
    let size = try FontSize(1e5)
    let huge = EmojiBox(
      DrawingScene.Label(
        text: try EmojiText(String(repeating: "🐝", count: 16)), position: try Point(x: 100, y: 75),
        size: size,
        rotation: try Rotation(degrees: 0.000_001)))
    for kind in DrawingHighlight.Kind.allCases {
      let highlights = [far, huge].map { DrawingHighlight(kind, around: $0) }
      for side in [1, 100, 3_000] {
        var drawing = try Self.drawing([], highlights)
        drawing.region = try CanvasRect(x: 99, y: 74, width: 0.001, height: 0.001)
        drawing.format = .png(try PixelSize(width: side, height: side))
        _ = try drawing.made()
      }
    }
    // Each fills the canvas with dots.
    var sheet = try Sheet(100_000, 100_000)
    try sheet.add("🐝", 50_000, 50_000, 70_000)
    let box = EmojiBox(sheet.labels[0])
    sheet.labels = []
    var drawing = try sheet.drawing(width: 15_000, height: 15_000)
    drawing.details.highlights = Array(repeating: DrawingHighlight(.changed, around: box), count: 5_000)
    let refusal = #expect(throws: DrawingRefusal.self) { try drawing.made() }
    let words = try #require(refusal).detail.split(separator: " ")
    #expect(words.first == "painting" && words.last == "works")
    let scale = try #require(words.dropLast().last.flatMap { Double($0) })
    let side = Int((100_000 * scale).rounded())
    let smaller = try PixelSize(width: side, height: side)
    _ = try Painter(drawing, size: smaller, Typesetter(path: Sheet.font))
    print("V8: 5,000 lines around 70,000 pixels are painted at the scale \(scale)")
    #expect(side > 100)
  }
}

@Suite("Drawings side by side") struct PanelTests {
  private static func panels(_ sizes: [(Int, Int)], picture: String? = "meadow.jpg") throws -> [Drawing] {
    try sizes.enumerated().map { index, size in
      var drawing = try Drawing(
        try Scenes.scene(size.0, size.1, emoji: 40, seed: UInt64(700 + index), picture: picture)
      ) { .png($0) }
      drawing.scene.labels.append(try Scenes.label(index == 0 ? "\u{16A0}🐝" : "🐝\u{18B00}", 20, 20, 20))
      drawing.details.highlights = drawing.scene.labels.prefix(5).map {
        DrawingHighlight(.removed, around: EmojiBox($0))
      }
      return drawing
    }
  }

  private static var fonts: OpenFonts { OpenFonts(colors: [Scenes.font]) }

  private static func made(_ panels: [Drawing]) throws -> (bytes: [UInt8], drawn: [Drawn]) {
    var bytes: [UInt8] = []
    let drawn = try Renderings.draw(panels: panels, with: fonts) { bytes += $0 }
    return (bytes, drawn)
  }

  @Test("V16 each panel has the pixels and the report of its drawing, with grey beside and below it")
  func pixels() throws {
    for sizes in [[(200, 150), (120, 190)], [(300, 700), (300, 700)], [(1, 1), (40, 3)], [(90, 90)]] {
      let panels = try Self.panels(sizes)
      let (bytes, drawn) = try Self.made(panels)
      let whole = try Pixels(decoding: bytes)
      #expect(whole.width == sizes.reduce(-20) { $0 + $1.0 + 20 })
      #expect(whole.height == sizes.map(\.1).max())
      var (left, compared, grey) = (0, 0, 0)
      for (panel, report) in zip(panels, drawn) {
        let (alone, drawn) = (try panel.pixels(), try panel.made().drawn)
        #expect(drawn == report)
        for y in 0..<whole.height {
          for x in 0..<alone.width {
            let isPanel = y < alone.height
            let pixel = whole[left + x, y]
            #expect(pixel == (isPanel ? alone[x, y] : [128, 128, 128, 255]))
            if isPanel { compared += 1 } else { grey += 1 }
          }
          for x in left + alone.width..<min(left + alone.width + 20, whole.width) {
            #expect(whole[x, y] == [128, 128, 128, 255])
            grey += 1
          }
        }
        left += alone.width + 20
      }
      #expect(compared + grey == whole.width * whole.height)
    }
  }

  @Test("V6 JPEG and WebP files of panels show the PNG file's picture")
  func formats() throws {
    let panels = try Self.panels([(200, 150), (120, 190)])
    let png = try Pixels(decoding: try Self.made(panels).bytes)
    let formats: [(String, (PixelSize) -> Drawing.Format)] = [
      ("jpg", { .jpeg($0, quality: 90) }), ("webp", { .webp($0, quality: 90) }),
    ]
    for (kind, format) in formats {
      let other = try Pixels(decoding: try Self.made(panels.map { $0.as(format) }).bytes, as: kind)
      #expect(try #require(other.distance(to: png)).mean < 0.03, "\(kind)")
    }
  }

  @Test("V5 bands of panels have the pixels of the whole, wherever they are cut")
  func bands() throws {
    var random = SplitMix64(seed: 641)
    let row = try PainterRow(try Self.panels([(200, 150), (120, 190)]), Typesetter(Self.fonts))
    let whole = try PixelBuffer(width: row.size.width, height: row.size.height)
    try row.paint(0..<row.size.height, into: whole)
    for _ in 0..<20 {
      var (parts, top): ([UInt8], Int) = ([], 0)
      while top < row.size.height {
        let end = min(row.size.height, top + .random(in: 1...60, using: &random))
        let band = try PixelBuffer(width: row.size.width, height: end - top)
        try row.paint(top..<end, into: band)
        parts += Painted(band).bytes
        top = end
      }
      #expect(parts == Painted(whole).bytes)
    }
  }

  @Test("V8 panels that are too large together are refused with the largest scale that works")
  func tooLarge() throws {
    var random = SplitMix64(seed: 642)
    let typesetter = try Typesetter(Self.fonts)
    func row(_ panels: [Drawing], _ scale: Double) throws -> DrawingRefusal? {
      var panels = panels
      for index in panels.indices {
        let region = panels[index].region
        panels[index].format = .png(
          try PixelSize(
            width: max(1, Int((region.width * scale).rounded())),
            height: max(1, Int((region.height * scale).rounded()))))
      }
      do throws(DrawingRefusal) {
        _ = try PainterRow(panels, typesetter)
        return nil
      } catch {
        return error
      }
    }
    var (refused, byWork) = (0, 0)
    for round in 0..<80 {
      var panels = try Self.panels([(400, 300), (.random(in: 1...2_000, using: &random), 500)], picture: nil)
      if round % 2 == 1 {
        for index in panels.indices {
          panels[index].scene.labels = try (0..<100).map { _ in try Scenes.label("🐝", 200, 150, 2_000) }
        }
      }
      let scale = Double.random(in: 10...60, using: &random)
      guard let refusal = try row(panels, scale) else { continue }
      refused += 1
      let isByWork = refusal.detail.hasPrefix("painting")
      if isByWork { byWork += 1 }
      let words = refusal.detail.split(separator: " ")
      let named = try #require(words.dropLast().last.flatMap { Double($0) }, "\(refusal.detail)")
      #expect(try row(panels, named) == nil, "\(refusal.detail)")
      // The control: the scale is not much smaller than it needs to be.
      if !isByWork { #expect(try row(panels, named * 1.05) != nil, "\(refusal.detail)") }
    }
    print("V8: \(refused) refused rows of panels, \(byWork) by their work")
    #expect(refused > 15 && byWork > 3)
  }
}
