// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtDrawing

@Suite("Refused drawings") struct RefusalTests {
  private func refusal(_ drawing: Drawing) -> DrawingRefusal? {
    do throws(DrawingRefusal) {
      _ = try Renderings.draw(drawing) { _ in }
      return nil
    } catch {
      return error
    }
  }

  /// The scale that a refusal names.
  private func scale(_ refusal: DrawingRefusal?) throws -> Double {
    let words = try #require(refusal).detail.split(separator: " ")
    return try #require(words.dropLast().last.flatMap { Double($0) }, "\(words)")
  }

  /// The size that `render` gives to a region.
  private static func size(_ region: CanvasRect, scale: Double) throws -> PixelSize {
    func side(_ length: Double) -> Int { max(1, Int((length * scale).rounded())) }
    return try PixelSize(width: side(region.width), height: side(region.height))
  }

  @Test("V8 a PNG file with too many pixels is refused with the largest scale that works")
  func pixels() throws {
    for (width, height, times) in [
      (100_000, 100_000, 1.0), (100_000, 10, 2), (4000, 3000, 6), (7, 100_000, 100),
    ] {
      let sheet = try Sheet(width, height)
      let (across, down) = (Int(Double(width) * times), Int(Double(height) * times))
      let refusal = refusal(try sheet.drawing(width: across, height: down))
      #expect(refusal?.reason == .tooLarge)
      let scale = try scale(refusal)
      #expect(scale < times && scale > 0)
      let typesetter = try Typesetter(path: Sheet.font)
      func check(_ scale: Double) throws {
        let size = try Self.size(CanvasRect(sheet.canvas), scale: scale)
        _ = try Painter(try sheet.drawing(), size: size, typesetter)
      }
      try check(scale)
      #expect(throws: DrawingRefusal.self, "the scale is the largest one") { try check(scale * 1.02) }
    }
  }

  @Test("V8 emoji that would take too long to paint are refused with a scale that works")
  func work() throws {
    var sheet = try Sheet(100_000, 100_000)
    for index in 0..<3_000 { try sheet.add("🐝", 50_000 + Double(index), 50_000, 100_000) }
    let refusal = refusal(try sheet.drawing(width: 10_000, height: 10_000))
    #expect(refusal?.reason == .tooLarge)
    let scale = try scale(refusal)
    let side = Int(100_000 * scale)
    #expect((400...1_000).contains(side))
    let typesetter = try Typesetter(path: Sheet.font)
    let drawing = try sheet.drawing(width: side, height: side)
    _ = try Painter(drawing, size: try PixelSize(width: side, height: side), typesetter)
    let more = try PixelSize(width: side * 11 / 10, height: side * 11 / 10)
    #expect(throws: DrawingRefusal.self) { _ = try Painter(drawing, size: more, typesetter) }
  }

  @Test("V8 the scale that a refusal names works, whatever the reason of the refusal")
  func namedScales() throws {
    let typesetter = try Typesetter(path: Sheet.font)
    var random = SplitMix64(seed: 30)
    func logarithmic(_ low: Double, _ high: Double) -> Double {
      pow(10, Double.random(in: log10(low)...log10(high), using: &random))
    }
    let texts = ["🐝", "👩‍🚀🌸", "🏳️‍🌈🦒🪝🐝", "🐝🌸🐝🌸🐝🌸🐝🌸🐝🌸🐝🌸🐝🌸🐝🌸"]
    var (refused, byWork, higher) = (0, 0, 0)
    for _ in 0..<200 {
      var sheet = try Sheet(Int(logarithmic(1, 100_000)), Int(logarithmic(1, 100_000)))
      let (width, height) = (Double(sheet.canvas.width), Double(sheet.canvas.height))
      for _ in 0..<Int(logarithmic(1, 1_000)) {
        try sheet.add(
          texts.randomElement(using: &random) ?? "", .random(in: 0...width, using: &random),
          .random(in: 0...height, using: &random), logarithmic(100, 100_000))
      }
      let part = logarithmic(1e-9, 1)
      let region = try CanvasRect(
        x: .random(in: 0...width, using: &random), y: 0, width: max(width * part, 1e-6),
        height: max(height * part, 1e-6))
      let drawing = try sheet.drawing(Bool.random(using: &random) ? region : nil)
      let side = max(drawing.region.width, drawing.region.height)
      let size = try Self.size(drawing.region, scale: logarithmic(10_000, 1_000_000) / side)
      func refusal(_ size: PixelSize) -> DrawingRefusal? {
        do throws(DrawingRefusal) {
          _ = try Painter(drawing, size: size, typesetter)
          return nil
        } catch {
          return error
        }
      }
      guard let first = refusal(size) else { continue }
      refused += 1
      if first.detail.hasPrefix("painting") { byWork += 1 }
      let named = try self.scale(first)
      let second = refusal(try Self.size(drawing.region, scale: named))
      #expect(second == nil, "\(first.detail) \(drawing.region) \(size)")
      if refusal(try Self.size(drawing.region, scale: named * 1.5)) != nil { higher += 1 }
    }
    print(
      "V8: \(refused) refusals, \(byWork) for what takes too long; half as large again \(higher) are refused, too"
    )
    #expect(refused > 50 && byWork > 5 && higher > refused / 2)
  }

  @Test("V8 the refusal of the smallest region names a scale, too")
  func nextToNothing() throws {
    // The smallest region that there is.
    let region = try CanvasRect(x: 0, y: 0, width: 1e-6, height: 1e-6)
    let drawing = try Sheet(10, 10).drawing(region, width: 10_000_000, height: 10_000_000)
    let scale = try scale(refusal(drawing))
    #expect(scale.isFinite && scale > 0)
  }

  @Test("V10 a missing font and a file that is no colour font are refused, and the refusal names the package")
  func fonts() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fonts-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      // A folder that cannot be removed fails no test.
      try? FileManager.default.removeItem(at: folder)
    }
    func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
      let path = folder.appendingPathComponent(name)
      try Data(bytes).write(to: path)
      return path.path
    }
    let font = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Sheet.font)))
    let pipe = folder.appendingPathComponent("pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    var sheet = try Sheet(20, 20)
    try sheet.add("🐝", 10, 10, 10)
    let missing: [String?] = [nil, folder.appendingPathComponent("none").path]
    for path in missing { #expect(refusal(try sheet.drawing(font: path))?.reason == .noFont) }
    let bad = [
      folder.path, pipe, try file("empty", []), try file("text", "no font".utf8),
      try file("cut", font.prefix(4096)),
      "/dev/zero",
    ]
    for path in bad {
      let refusal = refusal(try sheet.drawing(font: path))
      #expect(refusal?.reason == .badFont, "\(path)")
      #expect(refusal?.detail.contains("fonts-noto-color-emoji") == true)
    }
  }
}
