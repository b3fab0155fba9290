// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorker
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Drawing with the real worker", .timeLimit(.minutes(10))) struct RealDrawingTests {
  /// Bees in a row, and above them a text that no font has.
  private static func drawing(_ count: Int, font: String?) throws -> Drawing {
    var labels: [DrawingScene.Label] = []
    for place in 0..<count {
      labels.append(
        DrawingScene.Label(
          text: try EmojiText("🐝"), position: try Point(x: Double(place % 100), y: 50), size: try FontSize(20)
        ))
    }
    labels.append(
      DrawingScene.Label(
        text: try EmojiText("🐝\u{18B00}"), position: try Point(x: 50, y: 20), size: try FontSize(10)))
    let canvas = try Canvas(width: 100, height: 80)
    return Drawing(
      scene: DrawingScene(canvas: canvas, labels: labels, picture: nil), region: CanvasRect(canvas),
      format: .png(try PixelSize(width: 200, height: 160)), fonts: [font].compactMap(\.self))
  }

  @Test(
    "the worker draws thousands of emoji, names the text that the font lacks, and gives the same bytes again")
  func picture() async throws {
    let font = try #require(EmojiFont.find(nil).first, "the tests need the package fonts-noto-color-emoji")
    let (drawn, bytes) = try await Renderer(clock: ManualClock())
      .draw(Self.drawing(5_000, font: font), limit: 1 << 20)
    #expect(drawn == Drawn(lacking: ["🐝\u{18B00}"], lackingCount: 1))
    let pixels = try Pixels(decoding: bytes)
    #expect(pixels.width == 200 && pixels.height == 160)
    #expect(
      Set(stride(from: 0, to: pixels.bytes.count, by: 4).map { pixels.bytes[$0] }).count > 50, "in colours")
    let (_, again) = try await Renderer(clock: ManualClock())
      .draw(Self.drawing(5_000, font: font), limit: 1 << 20)
    #expect(again == bytes)
  }

  @Test("V16 the worker draws two drawings side by side, with a report on each, and refuses a third")
  func panels() async throws {
    let font = try #require(EmojiFont.find(nil).first, "the tests need the package fonts-noto-color-emoji")
    var panels = [try Self.drawing(3, font: font), try Self.drawing(3, font: font)]
    panels[1].scene.labels = []
    let bytes = Mutex<[UInt8]>([])
    let renderer = Renderer(clock: ManualClock())
    let drawn = try await renderer.draw(panels: panels) { part in
      bytes.withLock { $0 += part }
      return true
    }
    #expect(drawn == [Drawn(lacking: ["🐝\u{18B00}"], lackingCount: 1), Drawn()])
    let pixels = try Pixels(decoding: bytes.withLock { $0 })
    #expect(pixels.width == 420 && pixels.height == 160)
    let refused = await #expect(throws: DrawingFailure.self) {
      try await renderer.draw(panels: panels + panels) { _ in true }
    }
    guard case .refused(let refusal) = refused else { return #expect(Bool(false)) }
    #expect(refusal.reason == .tooLarge && refusal.detail.hasPrefix("4 panels"))
    panels[0].details.highlights = Array(
      repeating: DrawingHighlight(.added), count: DrawingDetails.highlights + 1)
    await #expect(throws: DrawingFailure.self) { try await renderer.draw(panels: panels) { _ in true } }
  }

  @Test("B13 the first twenty texts that the font lacks are named, and each one is counted once")
  func lacking() async throws {
    let font = try #require(EmojiFont.find(nil).first, "the tests need the package fonts-noto-color-emoji")
    var drawing = try Self.drawing(1, font: font)
    let texts = (0..<25).map { "🐝\(Unicode.Scalar(0x18B00 + $0).map(String.init) ?? "")" }
    for text in texts + texts {
      drawing.scene.labels.append(
        DrawingScene.Label(
          text: try EmojiText(text), position: try Point(x: 50, y: 40), size: try FontSize(10)))
    }
    let (drawn, _) = try await Renderer(clock: ManualClock()).draw(drawing, limit: 1 << 20)
    #expect(drawn.lackingCount == 25 && drawn.lacking == Array(texts.prefix(20)))
  }

  @Test("V8 a drawing without a usable font is refused by the worker, with the font's path or package")
  func refused() async throws {
    for (font, reason) in [
      (nil, DrawingRefusal.Reason.noFont), ("/nothing.ttf", .noFont), (#filePath, .badFont),
    ] {
      let drawing = try Self.drawing(1, font: font)
      do throws(DrawingFailure) {
        _ = try await Renderer(clock: ManualClock()).draw(drawing, limit: 1 << 20)
        Issue.record("the drawing succeeded with \(font ?? "no font")")
      } catch {
        guard case .refused(let refusal) = error else { throw error }
        #expect(refusal.reason == reason && refusal.detail.contains(font ?? "fonts-noto-color-emoji"))
      }
    }
  }
}
