// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ArtDrawing
@testable import ArtModel

@Suite("Turned and mirrored emoji, and the canvas's colour") struct TurnedTests {
  private static let side = 140

  /// The pixels of a bee in the middle of a square canvas, row by row: blue, green, red, alpha.
  private func pixels(
    size: Double = 80, rotation: Double = 0, isMirrored: Bool = false, fill: Color? = nil,
    isTransparent: Bool = false,
    bands: [Int] = []
  ) throws -> [[UInt8]] {
    let side = Self.side
    let bee = DrawingScene.Label(
      text: try EmojiText("🐝"), position: try Point(x: Double(side) / 2, y: Double(side) / 2),
      size: try FontSize(size), rotation: try Rotation(degrees: rotation), isMirrored: isMirrored)
    let scene = DrawingScene(
      canvas: try Canvas(width: side, height: side), fill: fill, labels: [bee], picture: nil)
    let drawing = try Drawing(scene, { .png($0) }, isTransparent: isTransparent)
    let painter = try Painter(
      drawing, size: PixelSize(width: side, height: side), Typesetter(path: Scenes.font))
    var result: [[UInt8]] = []
    for (top, bottom) in zip([0] + bands, bands + [side]) {
      let buffer = try PixelBuffer(width: side, height: bottom - top)
      try painter.paint(top..<bottom, into: buffer)
      for row in 0..<bottom - top {
        let start = UnsafeBufferPointer(start: buffer.pixels + row * buffer.stride, count: 4 * side)
        result += stride(from: 0, to: 4 * side, by: 4).map { Array(start[$0..<$0 + 4]) }
      }
    }
    return result
  }

  /// The mean difference of two pictures' channels, where `place` gives the column and the row in the other one.
  private func difference(
    _ picture: [[UInt8]], _ other: [[UInt8]], _ place: (Int, Int) -> (Int, Int)
  ) -> Double {
    var sum = 0
    for y in 0..<Self.side {
      for x in 0..<Self.side {
        let (column, row) = place(x, y)
        for (left, right) in zip(picture[y * Self.side + x], other[row * Self.side + column]) {
          sum += abs(Int(left) - Int(right))
        }
      }
    }
    return Double(sum) / Double(4 * picture.count)
  }

  @Test("a turned or mirrored emoji is the upright one, turned or mirrored about its centre")
  func rightAngles() throws {
    let upright = try pixels()
    let last = Self.side - 1
    let cases: [(rotation: Double, isMirrored: Bool, place: (Int, Int) -> (Int, Int))] = [
      (90, false, { ($1, last - $0) }), (180, false, { (last - $0, last - $1) }),
      (-90, false, { (last - $1, $0) }),
      (0, true, { (last - $0, $1) }), (180, true, { ($0, last - $1) }),
      (90, true, { (last - $1, last - $0) }),
    ]
    for (rotation, isMirrored, place) in cases {
      let turned = try pixels(rotation: rotation, isMirrored: isMirrored)
      #expect(difference(turned, upright, place) < 1, "\(rotation), \(isMirrored)")
      // The control: it is not drawn upright.
      #expect(difference(turned, upright) { ($0, $1) } > 5, "\(rotation), \(isMirrored)")
    }
  }

  @Test("a small emoji that is turned is as smooth as the upright one")
  func small() throws {
    let last = Self.side - 1
    for size in [3.0, 6, 9, 14, 25] {
      let (upright, turned) = (try pixels(size: size), try pixels(size: size, rotation: 90))
      // Of the pixels of the emoji, not of all.
      let share = Double(Self.side * Self.side) / (size * size * 1.4)
      let distance = difference(turned, upright) { ($1, last - $0) } * share
      #expect(distance < 12, "\(size): \(distance)")
      #expect(difference(turned, upright) { ($0, $1) } * share > 20, "\(size)")
    }
  }

  @Test("V5 each band of a drawing with turned emoji is that part of the whole")
  func bands() throws {
    for rotation in [0.0, 30, 90, -123.4] {
      let whole = try pixels(rotation: rotation, isMirrored: true)
      #expect(try pixels(rotation: rotation, isMirrored: true, bands: [1, 50, 71, 139]) == whole)
    }
  }

  @Test("the canvas's colour is behind the emoji, over white or over nothing")
  func fills() throws {
    let gold = Color(red: 255, green: 204, blue: 0)
    let glass = Color(red: 255, green: 204, blue: 0, alpha: 128)
    #expect(try pixels(fill: gold)[0] == [0, 204, 255, 255])
    #expect(try pixels(fill: glass)[0] == [127, 229, 255, 255])
    #expect(try pixels(fill: glass, isTransparent: true)[0] == [0, 102, 128, 128])
    #expect(try pixels(isTransparent: true)[0] == [0, 0, 0, 0])
  }
}
