// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

@Suite("Places, sizes and canvases")
struct GeometryTests {
  static let absurd: [Double] = [
    .nan, .infinity, -.infinity, 1e308, -1e308, 1_000_000.5, -9_223_372_036_854_775_808, 9.3e18,
    .greatestFiniteMagnitude,
  ]

  @Test("M9 a place lies within 1,000,000 pixels of the origin", arguments: absurd)
  func badPlaces(_ value: Double) {
    #expect(failure { () throws(ArtError) in try Point(x: value, y: 0) }?.code == .badValue)
    #expect(failure { () throws(ArtError) in try Point(x: 0, y: value) }?.code == .badValue)
  }

  @Test("M9 a place may lie on the bounds, and a negative zero is zero")
  func places() throws {
    #expect(try Point(x: 1e6, y: -1e6).y == -1e6)
    #expect(try Point(x: -0.0, y: -0.0).x.sign == .plus)
  }

  @Test("M9 a size is above 0 and at most 100,000 pixels", arguments: absurd + [0, -0.0, -1, 100_000.1])
  func badSizes(_ value: Double) {
    #expect(failure { () throws(ArtError) in try FontSize(value) }?.code == .badValue)
  }

  @Test("M9 the largest and the smallest size are accepted")
  func sizes() throws {
    #expect(try FontSize(100_000).pixels == 100_000)
    #expect(try FontSize(.leastNonzeroMagnitude).pixels > 0)
    #expect(try FontSize(typed: "1e2").pixels == 100)
  }

  @Test("M9 a canvas has 1 to 100,000 pixels a side")
  func canvases() throws {
    #expect(try Canvas(width: 1, height: 100_000).height == 100_000)
    for (width, height) in [(0, 1), (1, 0), (-1, 1), (100_001, 1), (1, Int.max), (Int.min, 1)] {
      #expect(failure { () throws(ArtError) in try Canvas(width: width, height: height) }?.code == .badValue)
    }
    #expect(try Canvas(typed: "1024x768") == .standard)
    #expect(try Canvas(typed: "1024X768") == .standard)
    #expect(try Canvas(typed: "1024 x 768") == .standard)
    #expect(try Canvas(typed: "A4") == Canvas(width: 2480, height: 3508))
    for (name, canvas) in Canvas.named { #expect(try Canvas(typed: name) == canvas) }
    for text in [
      "", "x", "1024", "1024x", "10x10x10", "1.5x2", "99999999999999999999x1", "0x10", "-1x1",
    ] {
      #expect(failure { () throws(ArtError) in try Canvas(typed: text) }?.code == .badValue, "\(text)")
    }
  }

  @Test("coordinates are pixels or percent of the canvas, and may be negative")
  func coordinates() throws {
    let canvas = try Canvas(width: 1000, height: 500)
    #expect(try Coordinates("-10,20").point(on: canvas) == Point(x: -10, y: 20))
    #expect(try Coordinates("50%,10%").point(on: canvas) == Point(x: 500, y: 50))
    #expect(try Coordinates("-1%,+1e1").point(on: canvas) == Point(x: -10, y: 10))
    #expect(try Coordinates("1 ,2").point(on: canvas) == Point(x: 1, y: 2))
    #expect(try Coordinates.center.point(on: canvas) == Point(x: 500, y: 250))
  }

  @Test(
    "any other text is refused as coordinates",
    arguments: [
      "", ",", "1", "1,", ",1", "1,2,3", "nan,0", "inf,0", "-infinity,0", "0x10,0", "1e400,0", "1%%,0", "%,0",
      "１,2", "1_000,0", "1e,0", String(repeating: "1", count: 65) + ",0",
    ])
  func noCoordinates(_ typed: String) {
    #expect(failure { () throws(ArtError) in try Coordinates(typed) }?.code == .badValue)
  }

  @Test("coordinates out of bounds are refused, also as a distance from a place")
  func farCoordinates() throws {
    let far = try Coordinates("1000001,0")
    #expect(failure { () throws(ArtError) in try far.point(on: .standard) }?.code == .badValue)
    let start = try Point(x: 1e6, y: 0)
    let step = try Coordinates("1,0")
    #expect(failure { () throws(ArtError) in try step.point(from: start, on: .standard) }?.code == .badValue)
    let endless = try Coordinates("1e308%,-9223372036854775808")
    #expect(failure { () throws(ArtError) in try endless.point(on: .standard) }?.code == .badValue)
  }

  @Test("M10 computed coordinates and sizes are rounded to a millionth of a pixel")
  func rounding() throws {
    var place = try Point(x: 512.6, y: 0)
    for _ in 0..<3 { place = try Coordinates("0.042,0.1").point(from: place, on: .standard) }
    #expect(numberText(place.x) == "512.726" && numberText(place.y) == "0.3")
    let third = try Coordinates("33.3333333%,66.6666666%").point(on: .standard)
    #expect(numberText(third.x) == "341.333333" && numberText(third.y) == "511.999999")
    #expect(try numberText(FontSize(40).times(1.1).pixels) == "44")
    #expect(try numberText(FontSize(1).times(1.0 / 3).pixels) == "0.333333")
  }

  @Test("M10 typed numbers stay exact, also after a move by 0 or a resize by 1")
  func exact() throws {
    let typed = try Coordinates("0.12345678901,1e-9").point(on: .standard)
    #expect(typed.x == 0.12345678901 && typed.y == 1e-9)
    let moved = try Coordinates("0,5").point(from: typed, on: .standard)
    #expect(moved.x == 0.12345678901 && moved.y == 5)
    #expect(try FontSize(1e-9).times(1).pixels == 1e-9)
  }

  @Test("M10 a factor whose result is out of bounds is refused", arguments: absurd + [0, -1, 1e-8, 2_501])
  func badFactors(_ factor: Double) {
    #expect(failure { () throws(ArtError) in try FontSize.standard.times(factor) }?.code == .badValue)
  }

  @Test(
    "J5 a number is written as the shortest text that reads back the same, a whole number without a fraction")
  func numberTexts() throws {
    let texts: [(Double, String)] = [
      (100, "100"), (-0.0, "0"), (0.5, "0.5"), (-1e6, "-1000000"), (0.1, "0.1"), (1e-7, "1e-07"),
      (9_007_199_254_740_991, "9007199254740991"), (1e300, "1e+300"),
    ]
    for (value, text) in texts { #expect(numberText(value) == text) }
    for value in Self.absurd + [.nan, 9_223_372_036_854_775_808] { #expect(!numberText(value).isEmpty) }
    var generator = SplitMix64(seed: 4)
    for _ in 0..<20_000 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      #expect(Double(numberText(value)) == value)
    }
  }
}
