// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtRender

@Suite("What is not drawn") struct RefusalTests {
  private func refusal(_ drawing: Drawing) -> DrawingRefusal? {
    do throws(DrawingRefusal) {
      _ = try Renderings.draw(drawing) { _ in }
      return nil
    } catch {
      return error
    }
  }

  /// The scale that a refusal says works.
  private func scale(_ refusal: DrawingRefusal?) throws -> Double {
    let words = try #require(refusal).detail.split(separator: " ")
    return try #require(words.dropLast().last.flatMap { Double($0) }, "\(words)")
  }

  @Test("V30 a PNG file of too many pixels is refused with the scale that works")
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
      func check(_ scale: Double) throws {
        let size = try PixelSize(
          width: Int((Double(width) * scale).rounded()),
          height: max(1, Int((Double(height) * scale).rounded())))
        try PaintingWork.check(size, of: Rect(sheet.canvas))
      }
      try check(scale)
      #expect(throws: DrawingRefusal.self, "as large as it can be") { try check(scale * 1.02) }
    }
  }

  @Test("V30 emoji that would take too long to paint are refused with the scale that works")
  func work() throws {
    var sheet = try Sheet(100_000, 100_000)
    for index in 0..<3_000 { try sheet.add("🐝", 50_000 + Double(index), 50_000, 100_000) }
    let refusal = refusal(try sheet.drawing(width: 10_000, height: 10_000))
    #expect(refusal?.reason == .tooLarge)
    let scale = try scale(refusal)
    let side = Int(100_000 * scale)
    #expect((400...1_000).contains(side))
    let font = try ColorFont(path: Sheet.font)
    let drawing = try sheet.drawing(width: side, height: side)
    _ = try Painter(drawing, size: try PixelSize(width: side, height: side), font: font)
    let more = try PixelSize(width: side * 11 / 10, height: side * 11 / 10)
    #expect(throws: DrawingRefusal.self) { _ = try Painter(drawing, size: more, font: font) }
  }

  @Test("V31 without a font, or with a file that is none with colours, it says which package brings it")
  func fonts() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fonts-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      // A folder that is left behind in the temporary one fails no test.
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
