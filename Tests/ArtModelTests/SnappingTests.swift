// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

@Suite("Snapping") struct SnappingTests {
  private typealias Edges = (left: Double, top: Double, right: Double, bottom: Double)

  private static func edges(_ generator: inout SplitMix64) -> Edges {
    func number(_ limit: Int) -> Double { Double(generator.below(limit)) / 2 }
    let (left, top) = (number(400) - 20, number(400) - 20)
    return (left, top, left + number(100), top + number(100))
  }

  /// The lines that these boxes and the canvas have on an axis.
  private static func lines(_ boxes: [Edges], _ isAcross: Bool) -> [Double] {
    boxes.flatMap { isAcross ? places($0.left, $0.right) : places($0.top, $0.bottom) }
  }

  private static func places(_ start: Double, _ end: Double) -> [Double] { [start, (start + end) / 2, end] }

  /// The least shift that brings one of the places onto a line.
  private static func least(_ places: [Double], _ lines: [Double], within distance: Double) -> Double? {
    let shifts = places.flatMap { place in lines.map { abs($0 - place) } }
    return shifts.filter { $0 <= distance }.min()
  }

  @Test(
    "M38 a box is shifted to the nearest line within the distance, and each guide is a line that it lies on")
  func nearest() {
    var generator = SplitMix64(seed: 38)
    var (snapped, free) = (0, 0)
    for _ in 0..<2_000 {
      let others = (0..<generator.below(6)).map { _ in Self.edges(&generator) }
      let moved = Self.edges(&generator)
      let distance = Double(generator.below(9))
      let snap = Snapping(toEdges: others, width: 200, height: 150).snap(moved, within: distance)
      let all = others + [(0, 0, 200, 150)]
      for (axis, shift, start, end) in [
        (Axis.horizontally, snap.dx, moved.left, moved.right),
        (.vertically, snap.dy, moved.top, moved.bottom),
      ] {
        let lines = Self.lines(all, axis == .horizontally)
        let least = Self.least(Self.places(start, end), lines, within: distance)
        #expect(abs(shift) == least ?? 0)
        let guides = snap.guides.filter { $0.axis == axis }.map(\.at)
        // The numbers are quarters, so sums are exact.
        let shifted = Self.places(start + shift, end + shift)
        #expect(Set(guides) == (least == nil ? [] : Set(shifted.filter(lines.contains))))
        if least == nil { free += 1 } else { snapped += 1 }
      }
    }
    #expect(snapped > 500 && free > 500)
  }

  @Test("M38 a guide reaches over all boxes on its line, and over the shifted one")
  func guides() {
    let others: [Edges] = [(100, 10, 140, 50), (100, 300, 120, 320)]
    let snapping = Snapping(toEdges: others, width: 1024, height: 768)
    let snap = snapping.snap((102, 500, 130, 520), within: 8)
    #expect(snap.dx == -2 && snap.dy == 0)
    #expect(snap.guides == [Snapping.Guide(axis: .horizontally, at: 100, from: 10, to: 520)])
    let corner = snapping.snap((141, 51, 151, 61), within: 8)
    #expect(corner.dx == -1 && corner.dy == -1)
    #expect(
      corner.guides == [
        Snapping.Guide(axis: .horizontally, at: 140, from: 10, to: 60),
        Snapping.Guide(axis: .vertically, at: 50, from: 100, to: 150),
      ])
  }

  @Test("a tie goes to the earlier edge, and then to the line before")
  func ties() {
    let others: [Edges] = [(100, 0, 100, 0), (120, 0, 120, 0)]
    let snapping = Snapping(toEdges: others, width: 10_000, height: 10_000)
    #expect(snapping.snap((110, 5_100, 111, 5_101), within: 10).dx == 9, "the right edge is nearest")
    #expect(snapping.snap((110, 5_100, 150, 5_101), within: 10).dx == -10)
    #expect(
      snapping.snap((105, 5_100, 115, 5_101), within: 10).dx == -5, "the left edge is the earlier place")
  }

  @Test("emoji snap by their boxes, turned ones by the upright rectangle around them")
  func emoji() throws {
    var bee = try ArtModelTests.emoji("aaaaaaaa", x: 300, y: 300, size: 100)
    bee.rotation = try Rotation(degrees: 90)
    let snapping = Snapping(to: [EmojiBox(bee)], on: .standard)
    let snap = snapping.snap((360, 500, 380, 520), within: Snapping.viewDistance)
    #expect(snap.dx == -1.25 && snap.guides.map(\.at) == [358.75])
  }

  @Test("numbers that are not finite shift nothing and trap nothing")
  func notFinite() {
    let others: [Edges] = [(.nan, .nan, .nan, .nan), (-.infinity, 0, .infinity, 1)]
    let snapping = Snapping(toEdges: others, width: 100, height: 100)
    for value in [Double.nan, .infinity, -.infinity] {
      let snap = snapping.snap((value, value, value, value), within: 8)
      #expect(!(abs(snap.dx) > 8) && !(abs(snap.dy) > 8))
    }
    #expect(
      Snapping(toEdges: [Edges](), width: 100, height: 100).snap((1, 1, 9, 9), within: .nan).guides.isEmpty)
  }
}
