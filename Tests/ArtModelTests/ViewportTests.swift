// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

@Suite("Viewports") struct ViewportTests {
  private typealias Size = Viewport.Size

  private static let content = Size(width: 1000, height: 500)
  private static let view = Size(width: 200, height: 200)

  @Test("a new viewport shows all of the content, as large as possible, in the middle")
  func fit() throws {
    let viewport = Viewport(content: Self.content, view: Self.view)
    #expect(viewport.zoom == 0.2 && viewport.isFit && viewport.fitZoom == 0.2)
    #expect(viewport.center == (500, 250) && viewport.offset == (0, -50))
    #expect(viewport.visible == (try CanvasRect(x: 0, y: 0, width: 1000, height: 500)))
    #expect(try viewport.window() == CanvasRect(x: 0, y: -250, width: 1000, height: 1000))
    #expect(viewport.viewPlace(x: 0, y: 0) == (0, 50) && viewport.contentPlace(x: 200, y: 150) == (1000, 500))
    let small = Viewport(content: Size(try Canvas(width: 10, height: 10)), view: Self.view)
    #expect(small.zoom == 20 && small.isFit)
  }

  @Test("the smallest zoom is the fitting one or 1, and the largest zoom is a multiple of it, or 1")
  func bounds() {
    for (content, low, high) in [(Self.content, 0.2, 64.0), (Size(width: 10, height: 10), 1, 1280)] {
      var viewport = Viewport(content: content, view: Self.view)
      #expect(viewport.minimumZoom == low && viewport.maximumZoom == high)
      viewport.zoom(to: 1e9)
      #expect(viewport.zoom == high)
      viewport.zoom(to: 0)
      #expect(viewport.zoom == low)
      viewport.zoom(by: 2)
      #expect(viewport.zoom == low * 2)
      viewport.zoom(by: -1)
      viewport.zoom(by: .nan)
      viewport.zoom(to: .nan)
      #expect(viewport.zoom == low * 2)
      viewport.zoomToFit()
      #expect(viewport.isFit)
    }
    for (times, kept) in [(2.0, 2.0), (0, 1), (-.infinity, 1), (.nan, 1), (1e300, 500), (.infinity, 500)] {
      #expect(
        Viewport(content: Self.content, view: Self.view, maximumTimes: times).maximumZoom == kept, "\(times)")
    }
  }

  @Test("V1 zooming keeps the given place of the view fixed, as far as the content's edges allow it")
  func aboutPlace() {
    var viewport = Viewport(content: Self.content, view: Self.view)
    viewport.zoom(to: 2, about: (150, 100))
    // The place (150, 100) of the view showed (750, 250).
    #expect(viewport.contentPlace(x: 150, y: 100) == (750, 250) && viewport.center == (725, 250))
    viewport.zoom(by: 2)
    #expect(viewport.center == (725, 250) && viewport.zoom == 4)
    viewport.zoomToFit()
    viewport.zoom(to: 1, about: (0, 100))
    #expect(viewport.visible.x == 0, "the content's left edge stays at the view's left edge")
    viewport.zoom(to: 0.2, about: (200, 0))
    #expect(viewport.center == (500, 250), "content that fits is in the middle")
  }

  @Test("zooming to a rectangle shows all of it, as large as possible")
  func toRectangle() throws {
    var viewport = Viewport(content: Self.content, view: Self.view)
    viewport.zoom(to: try CanvasRect(x: 100, y: 200, width: 50, height: 20))
    #expect(viewport.zoom == 4 && viewport.center == (125, 210))
    #expect(viewport.visible == (try CanvasRect(x: 100, y: 185, width: 50, height: 50)))
    viewport.zoom(to: try CanvasRect(x: -1000, y: -1000, width: 3000, height: 3000))
    #expect(viewport.isFit)
    viewport.zoom(to: try CanvasRect(x: 990, y: 0, width: 10, height: 100))
    #expect(viewport.zoom == 2 && viewport.center == (950, 50), "the view stays within the content")
    viewport.zoom(to: try CanvasRect(x: 1, y: 1, width: 1e-6, height: 1e-6))
    #expect(viewport.zoom == viewport.maximumZoom)
  }

  @Test("V1 scrolling ends at the content's edges, and content that is smaller than the view does not scroll")
  func scrolling() {
    var viewport = Viewport(content: Self.content, view: Self.view)
    viewport.scroll(byX: 10, y: 10)
    #expect(viewport.center == (500, 250))
    viewport.zoom(to: 0.5)
    viewport.scroll(byX: 10, y: -20)
    #expect(viewport.center == (520, 210) && viewport.offset == (160, 5))
    viewport.scroll(byX: -1e300, y: .infinity)
    #expect(viewport.center == (520, 210), "an infinite distance is ignored")
    viewport.scroll(byX: -1e300, y: 1e300)
    #expect(viewport.center == (200, 300) && viewport.offset == (0, 50))
    viewport.scroll(toCenterX: 600, y: 0)
    #expect(viewport.center == (600, 200))
  }

  @Test("after a resize of the view fitting content still fits, and otherwise zoom and centre stay")
  func resizing() {
    var viewport = Viewport(content: Self.content, view: Self.view)
    viewport.resize(view: Size(width: 500, height: 500))
    #expect(viewport.isFit && viewport.zoom == 0.5)
    viewport.zoom(to: 2)
    viewport.scroll(toCenterX: 300, y: 300)
    viewport.resize(view: Size(width: 100, height: 50))
    #expect(viewport.zoom == 2 && viewport.center == (300, 300) && viewport.minimumZoom == 0.1)
    viewport.resize(view: Size(width: 3000, height: 10_000))
    #expect(viewport.zoom == 2 && viewport.center == (500, 250), "the content fits now")
  }

  @Test(
    "V1 after random inputs a viewport shows a part of the content, with its zoom within bounds"
  )
  func anything() throws {
    var generator = SplitMix64(seed: 7)
    func number(_ kind: Int) -> Double {
      let odd = [0, -1, 1e300, -1e300, .infinity, -.infinity, .nan, 1e-300, .leastNonzeroMagnitude]
      guard !generator.oneIn(6) else { return odd[generator.below(odd.count)] }
      let exponent = Double(generator.below(12) - 4)
      var value = Double(1 + generator.below(9_999)) / 1_000
      for _ in 0..<Int(abs(exponent)) { value = exponent < 0 ? value / 10 : value * 10 }
      return kind == 0 || generator.oneIn(2) ? value : -value
    }
    var counts = (steps: 0, held: 0, still: 0, windows: 0)
    for _ in 0..<2_000 {
      var viewport = Viewport(
        content: Size(width: number(0), height: number(0)), view: Size(width: number(0), height: number(0)),
        maximumTimes: generator.oneIn(3) ? number(1) : 64)
      for _ in 0..<20 {
        let before = viewport
        let place = (x: number(1), y: number(1))
        switch generator.below(7) {
        case 0: viewport.zoom(to: number(1), about: place)
        case 1:
          // A place in the middle of the content and of the view stays exactly fixed.
          let place = (x: viewport.view.width / 2, y: viewport.view.height / 2)
          viewport.zoom(by: number(0), about: place)
          if viewport.zoom >= before.zoom {
            counts.held += 1
            #expect(Self.isNear(viewport.center.x, before.center.x, viewport.content.width))
            #expect(Self.isNear(viewport.center.y, before.center.y, viewport.content.height))
          }
        case 2: viewport.scroll(byX: number(1), y: number(1))
        case 3: viewport.scroll(toCenterX: number(1), y: number(1))
        case 4: viewport.resize(view: Size(width: number(1), height: number(1)))
        case 5: viewport.zoomToFit()
        default:
          guard let rect = try? CanvasRect(x: number(1), y: number(1), width: number(0), height: number(0))
          else {
            continue
          }
          viewport.zoom(to: rect)
        }
        counts.steps += 1
        if before == viewport { counts.still += 1 }
        Self.check(viewport)
        if (try? viewport.window()) != nil { counts.windows += 1 }
      }
    }
    print(
      "V1 steps of a viewport: \(counts.steps), \(counts.held) held in the middle, \(counts.still) without a change, \(counts.windows) with a window"
    )
    #expect(counts.steps > 30_000 && counts.held > 1_000 && counts.still > 1_000 && counts.windows > 10_000)
  }

  private static func check(_ viewport: Viewport) {
    let (content, view, visible) = (viewport.content, viewport.view, viewport.visible)
    let isSound =
      viewport.minimumZoom <= viewport.zoom && viewport.zoom <= viewport.maximumZoom
      && viewport.minimumZoom > 0
      && visible.width > 0 && visible.height > 0 && visible.x >= 0 && visible.y >= 0
      && isNear(max(visible.x + visible.width, content.width), content.width, content.width)
      && isNear(max(visible.y + visible.height, content.height), content.height, content.height)
      && isNear(visible.width, min(content.width, view.width / viewport.zoom), content.width)
      && isNear(visible.height, min(content.height, view.height / viewport.zoom), content.height)
    #expect(isSound, "\(viewport)")
    // The visible part is a valid rectangle. At the bound of coordinates an addition may lose too much precision.
    if max(content.width, content.height) < Limits.coordinate {
      #expect(throws: Never.self, "\(viewport)") {
        try CanvasRect(x: visible.x, y: visible.y, width: visible.width, height: visible.height)
      }
    }
    // A place of the content is converted back to the place of the view.
    let place = viewport.contentPlace(x: view.width / 3, y: view.height / 4)
    let back = viewport.viewPlace(x: place.x, y: place.y)
    let most = max(content.width, content.height) * viewport.zoom + max(view.width, view.height)
    #expect(isNear(back.x, view.width / 3, most) && isNear(back.y, view.height / 4, most), "\(viewport)")
    // Zooming to the visible part does not zoom out.
    var again = viewport
    again.zoom(to: visible)
    #expect(again.zoom >= viewport.zoom * (1 - 1e-9), "\(viewport)")
  }

  private static func isNear(_ left: Double, _ right: Double, _ most: Double) -> Bool {
    abs(left - right) <= most * 1e-9
  }
}

@Suite("Size classes of terminals") struct SizeClassTests {
  @Test("a terminal of fewer than 60 columns, or of fewer than 16 rows, is compact")
  func rule() {
    let cases: [(Int, Int, SizeClass)] = [
      (80, 24, .regular), (60, 16, .regular), (59, 16, .compact), (60, 15, .compact), (40, 24, .compact),
      (160, 10, .compact), (160, 50, .regular), (0, 0, .compact), (-1, 24, .compact), (.max, .max, .regular),
    ]
    for (columns, rows, expected) in cases {
      #expect(SizeClass(columns: columns, rows: rows) == expected, "\(columns) x \(rows)")
    }
    for columns in 0..<200 {
      for rows in 0..<60 {
        let isRegular = SizeClass(columns: columns, rows: rows) == .regular
        #expect(isRegular == (columns >= 60 && rows >= 16))
      }
    }
  }
}

@Suite("Regions of the canvas") struct RectTests {
  private static func rect(_ typed: String) throws(ArtError) -> [Double] {
    let rect = try CanvasRect(typed: typed, on: try Canvas(width: 400, height: 300))
    return [rect.x, rect.y, rect.width, rect.height]
  }

  @Test("a region is typed as X,Y,WIDTHxHEIGHT, each number in pixels or percent of the canvas")
  func typed() throws {
    for (typed, expected) in [
      ("0,0,400x300", [0.0, 0, 400, 300]), ("10,-20.5,1e2x0.25", [10, -20.5, 100, 0.25]),
      ("25%,50%,50%x100%", [100, 150, 200, 300]), ("-10%,0,120%X20", [-40, 0, 480, 20]),
      ("1000,1000,1x1", [1000, 1000, 1, 1]), ("1,2,3*4", [1, 2, 3, 4]), ("1px,2,3×4px", [1, 2, 3, 4]),
      ("-0,-0%,1x1", [0, 0, 1, 1]),
    ] {
      #expect(try Self.rect(typed) == expected, "\(typed)")
    }
    #expect(
      CanvasRect(try Canvas(width: 400, height: 300))
        == (try CanvasRect(typed: "0,0,100%x100%", on: Canvas(width: 400, height: 300))))
  }

  @Test(
    "a text that is no region is refused, and the refusal gives the syntax",
    arguments: [
      "", ",", ",,", "1,2", "1,2,3", "1,2,3x", "1,2,x4", "1,2,3x4x5", "1,2,3,4x5", "1,2,3+4",
      "1,2,0x4", "1,2,3x-4", "1,2,0%x4", "1e6,0,1x1", "-1000001,0,5x5", "0,0,1000001x1", "nan,0,1x1",
      "0,inf,1x1",
      "0,0,0x10x10", "0x1,0,1x1", "1,2,3%%x4", "１,2,3x4", "0,0,1e-400x1", "0,0,1e-300x1e-300",
      "0,0,1e308%x1", "999999.9999999999,0,1e-7x1",
    ])
  func none(_ typed: String) throws {
    let error = #expect(throws: ArtError.self) { try Self.rect(typed) }
    #expect(error?.code == .badValue)
    #expect(error?.cause.contains("is no region; give X,Y,WIDTHxHEIGHT in pixels or percent") == true)
  }

  @Test(
    "a rectangle has sides of at least 0.000001 pixels and lies within 1,000,000 pixels of the origin")
  func bounds() throws {
    var generator = SplitMix64(seed: 10)
    let odd = [
      0, -0.0, 1, -1, 1e6, -1e6, 1e6 + 1, -1e6 - 1, 2e6, 1e308, .infinity, -.infinity, .nan,
      .leastNonzeroMagnitude, 1e-6, 0.999e-6,
    ]
    var counts = (accepted: 0, refused: 0)
    for _ in 0..<20_000 {
      let n = (0..<4).map { _ in
        generator.oneIn(2) ? Double(generator.below(1000)) : odd[generator.below(odd.count)]
      }
      let isSound =
        n[2] >= 1e-6 && n[3] >= 1e-6
        && [n[0], n[1], n[0] + n[2], n[1] + n[3]].allSatisfy { $0 >= -1e6 && $0 <= 1e6 }
      do throws(ArtError) {
        let rect = try CanvasRect(x: n[0], y: n[1], width: n[2], height: n[3])
        #expect(isSound && rect.x == n[0] && rect.y == n[1] && rect.width == n[2] && rect.height == n[3])
        #expect(rect.x.sign == .plus || rect.x < 0, "no negative zero")
        counts.accepted += 1
      } catch {
        #expect(!isSound && error.code == .badValue)
        counts.refused += 1
      }
    }
    print("rectangles: \(counts.accepted) taken, \(counts.refused) refused")
    #expect(counts.accepted > 1_000 && counts.refused > 1_000)
  }
}
