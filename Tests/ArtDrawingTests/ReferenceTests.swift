// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtDrawing

/// Drawings compared with pictures that were checked by eye, in `Fixtures/render`. They are drawn with a font of the tests, so no update of the
/// system's fonts changes them.
@Suite("Reference pictures") struct ReferenceTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Fixtures").standardizedFileURL

  /// The font of `scripts/dev test-font`.
  private static let font = folder.appendingPathComponent("fonts/emoji.ttf").path

  private static func sheet(_ name: String) throws -> (Sheet, CanvasRect?, Int, Int) {
    func picture(_ name: String) throws -> [UInt8] {
      [UInt8](try Data(contentsOf: folder.appendingPathComponent("images/\(name)")))
    }
    switch name {
    case "kinds":
      var sheet = try Sheet(360, 200)
      let texts = [
        "🐝", "👩‍🚀", "🏳️‍🌈", "👍🏽", "🇳🇱", "1️⃣", "❤️", "☕", "👨‍👩‍👧‍👦", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🧑🏿‍🤝‍🧑🏻", "🫠", "🐝🌸", "🪿", "😀",
      ]
      for (index, text) in texts.enumerated() {
        try sheet.add(text, 36 + Double(index % 5) * 72, 36 + Double(index / 5) * 64, 44)
      }
      return (sheet, nil, 360, 200)
    case "sizes":
      var sheet = try Sheet(400, 240, picture: picture("meadow.jpg"))
      for (index, size) in [3.0, 6, 10, 16, 24, 40, 64, 109, 180].enumerated() {
        try sheet.add("🦋", 8 + pow(Double(index), 2) * 5.5, 40 + Double(index) * 20, size)
      }
      return (sheet, nil, 400, 240)
    case "missing":
      var sheet = try Sheet(320, 120)
      for (index, text) in ["🖼︎ᚠ", "𓀀🐝", "🐝Ж", "⌘❤️"].enumerated() {
        try sheet.add(text, 45 + Double(index) * 78, 60, 28)
      }
      return (sheet, nil, 320, 120)
    case "beyond":
      var sheet = try Sheet(120, 80, picture: picture("alpha.png"), isTransparent: true)
      for index in 0..<8 { try sheet.add("🌼", Double(index) * 18, Double(index) * 12, 36) }
      return (sheet, try CanvasRect(x: -30.5, y: -20.25, width: 180, height: 120), 270, 180)
    default:
      var sheet = try Sheet(2048, 1536, picture: picture("garbage.png"))
      var random = SplitMix64(seed: 33)
      for _ in 0..<60 {
        try sheet.add(
          ["🐝", "🌸", "👩‍🚀", "🌳"].randomElement(using: &random) ?? "", .random(in: 0...2048, using: &random),
          .random(in: 0...1536, using: &random), .random(in: 60...300, using: &random))
      }
      return (sheet, nil, 256, 192)
    }
  }

  /// The scene of `picnic` in docs/GUIDE.md, which `scripts/demo` draws.
  @Test("the picture at the head of the README is the result of the demo")
  func picnic() throws {
    struct Line: Decodable {
      struct Add: Decodable {
        let text: String
        let x: Double
        let y: Double
        let size: Double
      }
      let add: Add
    }
    let meadow = try Data(contentsOf: Self.folder.appendingPathComponent("images/meadow.png"))
    var sheet = try Sheet(800, 600, picture: [UInt8](meadow))
    let script = try String(contentsOf: Self.folder.appendingPathComponent("picnic.jsonl"), encoding: .utf8)
    for line in script.split(separator: "\n") {
      let add = try JSONDecoder().decode(Line.self, from: Data(line.utf8)).add
      try sheet.add(add.text, add.x, add.y, add.size)
    }
    let shown = Self.folder.appendingPathComponent("../docs/pictures/picnic.png").standardizedFileURL
    let drawn = try Pixels(decoding: try Sheet.png(try sheet.drawing(font: Self.font)).bytes)
    let reference = try Pixels(contentsOf: shown)
    let distance = try #require(drawn.distance(to: reference))
    #expect(distance.mean < 0.001 && distance.different < 0.001, "\(distance)")
    #expect(sheet.labels.count == 23 && script.contains("🧺"))
  }

  @Test(
    "drawings differ from their reference pictures by at most a thousandth on average, and in at most a thousandth of their pixels",
    arguments: ["kinds", "sizes", "missing", "beyond", "thumbnail"])
  func references(_ name: String) throws {
    let (sheet, region, width, height) = try Self.sheet(name)
    let bytes = try Sheet.png(
      try sheet.drawing(region, width: width, height: height, font: Self.font)
    ).bytes
    let place = Self.folder.appendingPathComponent("render/\(name).png")
    try GoldenFiles.record("references") { try Data(bytes).write(to: place) }
    let reference = try Pixels(contentsOf: place)
    let distance = try #require(try Pixels(decoding: bytes).distance(to: reference))
    #expect(distance.mean < 0.001 && distance.different < 0.001, "\(distance)")
    // A control: a shift of half a pixel is further away.
    var moved = sheet
    for index in moved.labels.indices {
      let old = moved.labels[index].position
      let step = Double(sheet.canvas.width) / Double(width) / 2
      moved.labels[index].position = try Point(x: old.x + step, y: old.y)
    }
    let other = try Sheet.png(
      try moved.drawing(region, width: width, height: height, font: Self.font)
    ).bytes
    let far = try #require(try Pixels(decoding: other).distance(to: reference))
    #expect(far.mean > 0.001, "a shift is noticed: \(far)")
    print("\(name): \(distance.mean) apart; half a pixel beside: \(far.mean)")
  }
}
