// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtDrawing

@Suite("Backgrounds") struct BackdropTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Fixtures/images").standardizedFileURL

  private func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: Self.folder.appendingPathComponent(name)))
  }

  private func other(_ name: String) throws -> Pixels {
    try Pixels(contentsOf: Self.folder.appendingPathComponent(name))
  }

  @Test("V3 a background of the canvas's size is drawn pixel for pixel")
  func exact() throws {
    let expected = try other("meadow.png")
    let sheet = try Sheet(expected.width, expected.height, picture: bytes("meadow.png"))
    let decoded = try Pixels(decoding: try Sheet.png(try sheet.drawing()).bytes)
    #expect(decoded.bytes == expected.bytes)
  }

  @Test("V3 any other background covers the canvas, centred, and its overhang is cut")
  func cover() throws {
    // Four quarters on 24 x 16 pixels, red at the top left.
    let picture = try bytes("turned-1.png")
    let (wide, tall) = (try Sheet(480, 100, picture: picture), try Sheet(60, 400, picture: picture))
    for sheet in [wide, tall] {
      let painted = try sheet.painted()
      let quarter = (x: sheet.canvas.width / 4, y: sheet.canvas.height / 4)
      let small = try other("turned-1.png")
      for (x, y) in [(1, 1), (3, 1), (1, 3), (3, 3)] {
        let expected = small[x < 2 ? 11 : 12, y < 2 ? 7 : 8]
        let found = painted[x * quarter.x, y * quarter.y]
        #expect(zip(found, expected).allSatisfy { abs(Int($0) - Int($1)) <= 2 }, "\(sheet.canvas) \(x) \(y)")
      }
    }
  }

  @Test("V3 a background in any of EXIF's orientations is drawn as the same picture", arguments: 1...8)
  func turned(_ orientation: Int) throws {
    func painted(_ name: String) throws -> [UInt8] { try Sheet(24, 16, picture: bytes(name)).painted().bytes }
    #expect(try painted("turned-\(orientation).png") == painted("turned-1.png"))
    let region = try CanvasRect(x: 3, y: 2, width: 14, height: 9)
    let part = try Sheet(24, 16, picture: bytes("turned-\(orientation).png")).painted(
      region, width: 14, height: 9)
    #expect(
      try part.bytes
        == Sheet(24, 16, picture: bytes("turned-1.png")).painted(region, width: 14, height: 9).bytes)
  }

  @Test("V3 transparent parts of a background are white, or transparent if the drawing is")
  func clear() throws {
    let expected = try other("alpha.png")
    var sheet = try Sheet(expected.width, expected.height, picture: bytes("alpha.png"))
    let white = try Pixels(decoding: try Sheet.png(try sheet.drawing()).bytes)
    sheet.isTransparent = true
    let clear = try Pixels(decoding: try Sheet.png(try sheet.drawing()).bytes)
    let distance = try #require(clear.distance(to: expected))
    #expect(distance.mean < 0.003 && distance.different == 0)
    #expect(stride(from: 3, to: white.bytes.count, by: 4).allSatisfy { white.bytes[$0] == 255 })
    #expect(stride(from: 3, to: clear.bytes.count, by: 4).contains { clear.bytes[$0] < 255 })
  }

  @Test(
    "V7 a background that cannot be decoded is drawn as stripes and reported, and all else is drawn"
  )
  func fault() throws {
    for name in ["garbage.png", "cut.jpg", "empty.png", "drawing.svg"] {
      var sheet = try Sheet(100, 60, picture: bytes(name))
      try sheet.add("🟥", 50, 30, 40)
      let painted = try sheet.painted()
      #expect(painted.drawn.pictureFault?.isEmpty == false, "\(name)")
      let greys: Set = [painted[0, 0], painted[8, 0]]
      #expect(greys == [[0xC8, 0xC8, 0xC8, 255], [0xDC, 0xDC, 0xDC, 255]])
      #expect(painted[50, 30][0] > 150 && painted[50, 30][1] < 100)
      #expect(try Sheet.png(try sheet.drawing()).drawn == painted.drawn)
    }
  }
}
