// SPDX-License-Identifier: Apache-2.0

import ArtModel
import TestSupport
import Testing

@testable import ArtDrawing

/// The rectangle of what is drawn, compared with the pixels of a drawing.
@Suite("Ink") struct InkTests {
  private func ink(_ scene: DrawingScene, _ region: CanvasRect? = nil, width: Int = 400) throws -> CanvasRect?
  {
    var drawing = try Drawing(scene, { .png($0) }, isTransparent: true)
    drawing.region = region ?? CanvasRect(scene.canvas)
    drawing.format = .ink(
      try PixelSize(
        width: width,
        height: max(1, Int(Double(width) * drawing.region.height / drawing.region.width))))
    let made = try drawing.made()
    #expect(made.bytes.isEmpty)
    return made.drawn.ink
  }

  @Test("the ink of emoji is where their pixels are, turned or not, at any resolution of the first look")
  func emoji() throws {
    var random = SplitMix64(seed: 91)
    for turn in 0..<6 {
      var scene = try Scenes.scene(400, 300, emoji: 0, seed: 1)
      for _ in 0..<2 {
        var label = try Scenes.label(
          "🐝", Double(100 + random.below(200)), Double(80 + random.below(140)), Double(20 + random.below(60)))
        label.rotation = try Rotation(degrees: Double(random.below(360) - 180))
        scene.labels.append(label)
      }
      let found = try #require(try ink(scene, width: [400, 40, 1_000][turn % 3]))
      // The same pixels in eight times the size.
      var drawing = try Drawing(scene, { .png($0) }, isTransparent: true)
      drawing.format = .png(try PixelSize(width: 3_200, height: 2_400))
      let pixels = try drawing.pixels()
      var bounds = (left: Int.max, top: Int.max, right: 0, bottom: 0)
      for y in 0..<2_400 {
        for x in 0..<3_200 where pixels.bytes[4 * (y * 3_200 + x) + 3] >= 4 {
          bounds = (
            min(bounds.left, x), min(bounds.top, y), max(bounds.right, x + 1), max(bounds.bottom, y + 1)
          )
        }
      }
      let edges = [
        (found.x, bounds.left), (found.y, bounds.top), (found.x + found.width, bounds.right),
        (found.y + found.height, bounds.bottom),
      ]
      for (edge, pixel) in edges {
        #expect(abs(edge - Double(pixel) / 8) < 0.6, "\(turn): \(found) \(bounds)")
      }
    }
  }

  @Test("a fill and a background are ink, also where they are hidden; an empty canvas has none")
  func whole() throws {
    let empty = try Scenes.scene(400, 300, emoji: 0, seed: 1)
    #expect(try ink(empty) == nil)
    var filled = empty
    filled.fill = Color(red: 255, green: 255, blue: 255)
    #expect(try ink(filled) == CanvasRect(empty.canvas))
    #expect(
      try ink(try Scenes.scene(400, 300, emoji: 3, seed: 1, picture: "meadow.jpg"))
        == CanvasRect(empty.canvas))
  }

  @Test("only the ink of the region counts, and none of what is off the canvas")
  func region() throws {
    var scene = try Scenes.scene(400, 300, emoji: 0, seed: 1)
    scene.labels = [try Scenes.label("🐝", 0, 150, 100), try Scenes.label("🐝", 300, 150, 100)]
    let all = try #require(try ink(scene))
    #expect(all.x == 0 && all.x + all.width > 330)
    let left = try #require(try ink(scene, try CanvasRect(x: -100, y: 0, width: 300, height: 300)))
    #expect(left.x == 0 && left.width < 70)
    #expect(try ink(scene, try CanvasRect(x: 100, y: 0, width: 50, height: 300)) == nil)
  }

  @Test("the ink of something small on a large canvas is exact to a part of its own size")
  func small() throws {
    var scene = DrawingScene(canvas: try Canvas(width: 20_000, height: 20_000), labels: [], picture: nil)
    scene.labels = [try Scenes.label("🌸", 12_345.5, 6_789.25, 20)]
    let found = try #require(try ink(scene, width: 2_000))
    #expect(abs(found.x + found.width / 2 - 12_345.5) < 1 && abs(found.y + found.height / 2 - 6_789.25) < 1)
    #expect(found.width > 18 && found.width < 25)
  }
}
