// SPDX-License-Identifier: Apache-2.0

@testable import ArtModel

// Cases of shared rules; `RuleVectorTests` documents their form. Viewports: steps at the bounds of what there is, and walks.

private enum Step {
  case fit
  case zoomTo(Double, about: (x: Double, y: Double)? = nil)
  case zoomBy(Double, about: (x: Double, y: Double)? = nil)
  case zoomToRect(CanvasRect)
  case scrollBy(Double, Double)
  case scrollTo(Double, Double)
  case resize(Double, Double)

  func perform(on viewport: inout Viewport) {
    switch self {
    case .fit: viewport.zoomToFit()
    case .zoomTo(let zoom, let place): viewport.zoom(to: zoom, about: place)
    case .zoomBy(let factor, let place): viewport.zoom(by: factor, about: place)
    case .zoomToRect(let rect): viewport.zoom(to: rect)
    case .scrollBy(let x, let y): viewport.scroll(byX: x, y: y)
    case .scrollTo(let x, let y): viewport.scroll(toCenterX: x, y: y)
    case .resize(let width, let height): viewport.resize(view: Viewport.Size(width: width, height: height))
    }
  }

  func write(to json: inout JSONWriter) {
    let (name, values): (String, [Double]) =
      switch self {
      case .fit: ("fit", [])
      case .zoomTo(let zoom, let place): ("zoomTo", [zoom] + (place.map { [$0.x, $0.y] } ?? []))
      case .zoomBy(let factor, let place): ("zoomBy", [factor] + (place.map { [$0.x, $0.y] } ?? []))
      case .zoomToRect(let rect): ("zoomToRect", [rect.x, rect.y, rect.width, rect.height])
      case .scrollBy(let x, let y): ("scrollBy", [x, y])
      case .scrollTo(let x, let y): ("scrollTo", [x, y])
      case .resize(let width, let height): ("resize", [width, height])
      }
    json.array {
      $0.string(name)
      for value in values { $0.input(value) }
    }
  }
}

private struct ViewportCase {
  var name: String
  var content: (width: Double, height: Double)
  var view: (width: Double, height: Double)
  var maximumTimes = 64.0
  var probe = (x: 17.5, y: -3.25)
  var every = 1
  var steps: [Step] = []

  var json: String {
    var viewport = Viewport(
      content: Viewport.Size(width: content.width, height: content.height),
      view: Viewport.Size(width: view.width, height: view.height), maximumTimes: maximumTimes)
    return jsonText {
      $0.member("content", content.width, content.height)
      $0.key("every")
      $0.integer(every)
      $0.key("maximumTimes")
      $0.input(maximumTimes)
      $0.key("name")
      $0.string(name)
      $0.member("probe", probe.x, probe.y)
      $0.key("states")
      $0.array {
        state(of: viewport, to: &$0)
        for (index, step) in steps.enumerated() {
          step.perform(on: &viewport)
          if (index + 1).isMultiple(of: every) { state(of: viewport, to: &$0) }
        }
      }
      $0.key("steps")
      $0.array { for step in steps { step.write(to: &$0) } }
      $0.member("view", view.width, view.height)
    }
  }

  private func state(of viewport: Viewport, to json: inout JSONWriter) {
    let (content, view) = (
      viewport.contentPlace(x: probe.x, y: probe.y), viewport.viewPlace(x: probe.x, y: probe.y)
    )
    json.object {
      $0.member("center", viewport.center.x, viewport.center.y)
      $0.member("contentPlace", content.x, content.y)
      $0.member("fitZoom", viewport.fitZoom)
      $0.key("isFit")
      $0.boolean(viewport.isFit)
      $0.member("maximumZoom", viewport.maximumZoom)
      $0.member("minimumZoom", viewport.minimumZoom)
      $0.member("offset", viewport.offset.x, viewport.offset.y)
      $0.member("viewPlace", view.x, view.y)
      $0.member("visible", viewport.visible)
      do throws(ArtError) {
        $0.member("window", try viewport.window())
      } catch {
        $0.key("window")
        $0.null()
      }
      $0.member("zoom", viewport.zoom)
    }
  }
}

/// Contents and views of different shapes, the last ones at the bounds of a size.
private let viewportShapes: [(content: (Double, Double), view: (Double, Double))] = [
  ((1024, 768), (1280, 720)), ((1000, 500), (200, 200)), ((10, 10), (390.5, 844)),
  ((100_000, 3), (333.33, 777)), ((1, 100_000), (1920, 1080)), ((800, 600), (800, 600)), ((3, 7), (0.5, 0.1)),
  ((0, 1e9), (1e9, 0)),
]

func viewportCases() throws -> [String] {
  let huge = Double.greatestFiniteMagnitude
  let steps: [[Step]] = [
    [
      .zoomTo(2, about: (150, 100)), .zoomBy(2), .zoomBy(0.1, about: (0, 0)), .fit,
      .zoomTo(1, about: (0, 100)),
    ],
    [
      .zoomTo(1e9), .scrollBy(-1e9, 3.5), .scrollBy(1e9, -1e9), .scrollTo(0.1, 0.2), .zoomTo(0),
      .scrollBy(5, 5),
    ],
    [
      .zoomToRect(try CanvasRect(x: 1, y: 2, width: 3, height: 0.7)), .resize(77, 1234.5),
      .resize(0.001, 1e6),
      .resize(-1, .nan), .zoomBy(1.1),
    ],
    [
      .zoomTo(3), .zoomTo(.nan), .zoomBy(.nan), .zoomBy(-1), .zoomBy(0), .scrollBy(.infinity, 0),
      .scrollTo(0, .nan),
      .zoomTo(5, about: (.infinity, 0)), .zoomTo(.infinity), .zoomTo(-.infinity), .zoomBy(.infinity),
    ],
    [
      .zoomTo(7), .zoomTo(2, about: (huge, 0)), .zoomTo(4, about: (-huge, huge)), .scrollBy(huge, -huge),
      .scrollTo(-huge, huge), .zoomTo(0.7), .zoomTo(0.6, about: (huge, -huge)),
    ],
    [
      .zoomBy(1.000_000_000_001), .resize(641, 480), .resize(640, 481), .fit, .resize(320, 240), .zoomBy(0.5),
    ],
  ]
  var cases: [String] = []
  for (index, shape) in viewportShapes.enumerated() {
    for (number, steps) in steps.enumerated() where index < 3 || (index + number).isMultiple(of: 2) {
      cases.append(
        ViewportCase(
          name: "steps \(number) of shape \(index)", content: shape.content, view: shape.view, steps: steps
        ).json)
    }
  }
  for times in [-.infinity, .nan, 0, 2, 1e300, .infinity] {
    cases.append(
      ViewportCase(
        name: "maximumTimes \(times)", content: (300, 200), view: (.infinity, -.infinity),
        maximumTimes: times,
        steps: [.resize(100, 101), .zoomTo(1e9)]
      ).json)
  }
  for (seed, shape) in viewportShapes.prefix(3).enumerated() {
    var chance = Chance(seed: UInt64(seed) + 1)
    cases.append(
      ViewportCase(
        name: "walk \(seed + 1)", content: shape.content, view: shape.view, maximumTimes: [64, 500, 3][seed],
        probe: (chance.hundredths(-500, 500), chance.hundredths(-500, 500)), every: 50,
        steps: try (0..<2_000).map { _ in try chance.step(in: shape.content) }
      ).json)
  }
  return cases
}

extension Chance {
  /// Mostly a zoom or a scroll as a hand makes it.
  fileprivate mutating func step(in content: (width: Double, height: Double)) throws -> Step {
    switch below(20) {
    case 0: .fit
    case 1: .zoomTo(hundredths(0, 100))
    case 2:
      .zoomToRect(
        try CanvasRect(
          x: hundredths(-5, content.width), y: hundredths(-5, content.height),
          width: hundredths(0.01, content.width), height: hundredths(0.01, content.height)))
    case 3: .scrollTo(hundredths(-5, content.width + 5), hundredths(-5, content.height + 5))
    case 4, 5: .resize(hundredths(1, 2_000), hundredths(1, 1_500))
    case 6...12: .zoomBy(hundredths(0.7, 1.5), about: (Double(below(800)), Double(below(600))))
    default: .scrollBy(hundredths(-90, 90), hundredths(-90, 90))
    }
  }
}
