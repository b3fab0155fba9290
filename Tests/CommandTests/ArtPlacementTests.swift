// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal
import Foundation
import TestSupport
import Testing

@testable import emojiart

@Suite("Art on a terminal's cells")
struct ArtPlacementTests {
  private func scene(_ labels: [(String, Double, Double)], _ canvas: Canvas) throws -> DrawingScene {
    let labels = try labels.map {
      DrawingScene.Label(
        text: try EmojiText($0.0), position: try Point(x: $0.1, y: $0.2), size: try FontSize(40))
    }
    return DrawingScene(canvas: canvas, labels: labels, picture: nil)
  }

  private func placed(
    _ canvas: Canvas, _ space: TerminalSize, _ graphics: Graphics, _ view: ViewOptions.View = .init()
  ) throws -> ArtPlacement {
    var viewport = ArtPlacement.viewport(canvas, in: space)
    try view.apply(to: &viewport, canvas)
    return try ArtPlacement(viewport, in: space, graphics)
  }

  @Test("the art fits its space for any canvas, cell and zoom, and keeps its aspect")
  func fits() throws {
    var random = SplitMix64(seed: 125)
    var tried = 0
    let kinds: [Graphics] = [.kitty, .sixel, .symbols(.direct), .text]
    for _ in 0..<3_000 {
      let sides = (0..<2).map { _ in Int(exp(Double.random(in: 0...11.5, using: &random))) }
      let canvas = try Canvas(width: min(sides[0], 100_000), height: min(sides[1], 100_000))
      let cell = TerminalAnswers.Cell(
        width: .random(in: 2...40, using: &random), height: .random(in: 2...80, using: &random))
      let space = TerminalSize(
        columns: .random(in: 1...300, using: &random), rows: .random(in: 1...100, using: &random),
        cell: Bool.random(using: &random) ? cell : nil)
      var view = ViewOptions.View()
      if Bool.random(using: &random) { view.times = Double.random(in: 0.01...100, using: &random) }
      if Bool.random(using: &random) {
        view.center = Coordinates(
          x: .percent(.random(in: -50...150, using: &random)),
          y: .percent(.random(in: -50...150, using: &random)))
      }
      for graphics in kinds {
        let placement = try placed(canvas, space, graphics, view)
        #expect((1...space.columns).contains(placement.columns) && (1...space.rows).contains(placement.rows))
        let region = placement.region
        #expect(region.x >= 0 && region.y >= 0 && region.x + region.width <= Double(canvas.width) + 1e-6)
        #expect(region.y + region.height <= Double(canvas.height) + 1e-6)
        guard case .png(let size) = placement.format else { continue }
        // Whole pixels lose half a pixel.
        let (wide, high) = (Double(size.width) / region.width, Double(size.height) / region.height)
        if size.width > 20, size.height > 20 { #expect(abs(wide / high - 1) < 0.05) }
      }
      tried += 1
    }
    print("art on cells: \(tried) rooms")
  }

  @Test("a picture has at most the number of pixels that are drawn at once, and keeps its aspect")
  func limits() throws {
    let cell = TerminalAnswers.Cell(width: 40, height: 80)
    let space = TerminalSize(columns: 10_000, rows: 10_000, cell: cell)
    let canvas = try Canvas(width: 2_000, height: 1_000)
    for graphics in [Graphics.kitty, .sixel] {
      let placement = try placed(canvas, space, graphics)
      let size: PixelSize
      switch placement.format {
      case .png(let pixels), .sixel(let pixels): size = pixels
      default: throw ArtError(.badValue, "no picture")
      }
      #expect(size.width * size.height <= 8_100_000 && placement.isScaled)
      #expect(abs(Double(size.width) / Double(size.height) - 2) < 0.01)
      if graphics == .kitty { #expect(placement.columns == 400) }
    }
    let symbols = try placed(try Canvas(width: 100_000, height: 100_000), space, .symbols(.direct))
    #expect(symbols.columns * symbols.rows <= 66_000)
  }

  @Test("the height of sixels is a multiple of six, within the space")
  func sixels() throws {
    let space = TerminalSize(columns: 80, rows: 10, cell: TerminalAnswers.Cell(width: 9, height: 17))
    for height in [1, 5, 100, 333, 999, 5_000] {
      let placement = try placed(try Canvas(width: 700, height: height), space, .sixel)
      guard case .sixel(let size) = placement.format else {
        Issue.record("no sixels")
        continue
      }
      #expect(size.height % 6 == 0 && size.height <= 170)
    }
  }

  @Test("a zoom of 2 shows a quarter around the given centre, within the canvas")
  func zoom() throws {
    let space = TerminalSize(columns: 80, rows: 24, cell: TerminalAnswers.Cell(width: 10, height: 20))
    let canvas = try Canvas(width: 800, height: 480)
    var view = ViewOptions.View()
    view.times = 2
    #expect(
      try placed(canvas, space, .kitty, view).region == CanvasRect(x: 200, y: 120, width: 400, height: 240))
    view.center = try Coordinates("0,0")
    #expect(try placed(canvas, space, .kitty, view).region == CanvasRect(x: 0, y: 0, width: 400, height: 240))
    view.center = try Coordinates("75%,50%")
    #expect(
      try placed(canvas, space, .kitty, view).region == CanvasRect(x: 400, y: 120, width: 400, height: 240))
    view.times = 1
    #expect(try placed(canvas, space, .kitty, view).region == CanvasRect(canvas))
  }

  @Test("each emoji in the grid has its own cells, the uppermost first, after a move of the cursor")
  func grid() throws {
    let canvas = try Canvas(width: 100, height: 100)
    let scene = try scene(
      [("🐝", 50, 50), ("🌸", 50, 50), ("☕", 0, 0), ("🏳️‍🌈", 100, 100), ("🐛", 120, 50)], canvas)
    let lines = EmojiGrid.lines(scene, CanvasRect(canvas), columns: 12, rows: 5)
    #expect(lines.count == 5)
    #expect(lines[0] == "\u{1B}[1G┌──────────┐")
    #expect(lines[1] == "\u{1B}[1G│\u{1B}[2G☕\u{1B}[12G│")
    // Two emoji at the same place are moved apart by half a place.
    #expect(lines[2].contains("🌸") && !lines[2].contains("🐛"))
    #expect(lines[3] == "\u{1B}[1G│\u{1B}[10G🏳️‍🌈\u{1B}[12G│")
    #expect(
      EmojiGrid.lines(scene, CanvasRect(canvas), columns: 1, rows: 1).count == 3,
      "the smallest grid has three lines")
    let part = EmojiGrid.lines(
      scene, try CanvasRect(x: 90, y: 90, width: 10, height: 10), columns: 12, rows: 5)
    #expect(part.joined().contains("🏳️‍🌈") && !part.joined().contains("☕"))
  }

  @Test("each emoji of a text has cells of its own, within the frame")
  func gridTexts() throws {
    let canvas = try Canvas(width: 100, height: 100)
    let texts = [("🐝🌸", 50.0, 10.0), (String(repeating: "🐛", count: 16), 50, 50), ("☕🏳️‍🌈", 100, 90)]
    let lines = EmojiGrid.lines(try scene(texts, canvas), CanvasRect(canvas), columns: 12, rows: 5)
    #expect(lines[1] == "\u{1B}[1G│\u{1B}[5G🐝\u{1B}[7G🌸\u{1B}[12G│")
    #expect(lines[2].count { $0 == "🐛" } == 4 && lines[2].hasSuffix("\u{1B}[12G│"))
    #expect(lines[3].contains("☕") && lines[3].hasSuffix("\u{1B}[12G│"))
  }

  @Test("the grid does not depend on the width that a terminal gives an emoji")
  func gridMoves() throws {
    var random = SplitMix64(seed: 133)
    let texts = ["🐝", "👩‍👩‍👧‍👦", "❤️", "🏳️‍🌈", "1️⃣", "🇦🇶"]
    let move = try Regex(#"\x1B\[([0-9]+)G"#)
    for _ in 0..<200 {
      let labels = (0..<60).map { _ in
        (
          texts.randomElement(using: &random) ?? "🐝", Double.random(in: -20...520, using: &random),
          Double.random(in: -20...320, using: &random)
        )
      }
      let canvas = try Canvas(width: 500, height: 300)
      let lines = EmojiGrid.lines(try scene(labels, canvas), CanvasRect(canvas), columns: 40, rows: 12)
      for line in lines[1...10] {
        let columns = line.matches(of: move).compactMap { $0.output[1].substring.flatMap { Int($0) } }
        #expect(columns == columns.sorted() && columns.first == 1 && columns.last == 40)
        let emojis = columns.dropFirst().dropLast()
        #expect(zip(emojis, emojis.dropFirst()).allSatisfy { $1 - $0 >= 2 }, "each emoji has two columns")
        let texts = line.replacing(move, with: "|").split(separator: "|").filter { $0 != "│" }
        #expect(texts.allSatisfy { $0.count == 1 }, "each emoji has a move before it")
      }
    }
  }
}
