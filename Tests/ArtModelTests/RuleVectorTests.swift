// SPDX-License-Identifier: Apache-2.0

// The vectors of the rules that Swift and the studio's page share: inputs, and the exact results of the rules in Swift.
//
//     scripts/dev record vectors                             writes Fixtures/rules/*.json; a test that writes fails
//     scripts/dev test --module ArtModel RuleVectorTests     compares these files with what it would write
//     node --test Tests/StudioPage                           replays them with the modules of Sources/CStudioPage/page
//
// A file is one JSON object, `{"cases":[…],"rule":"viewport"}`, with a case on each line and its keys sorted. A rule is the name of its file.
//
// Numbers are the shortest decimals that read back as the same Double, so a reader compares with `===`, without a tolerance. Negative zero
// is written as 0, which `===` takes as equal. An input that is no finite number is one of the texts "NaN", "Infinity" and "-Infinity", which
// `Number(…)` reads; no result is one. A point is `[x,y]`, a rectangle `[x,y,width,height]`, edges are `[left,top,right,bottom]`, a canvas and a
// size are `[width,height]`.
//
// An emoji has the keys of a document's JSON, as far as boxes need them: `{"size":40,"text":"🐝","x":1,"y":2}`, with `"rotation":30` (degrees) if
// it is turned, and `"box":[6.25,2.4],"kind":"caption"` if it is a caption.
//
// viewport: `{"content":SIZE,"every":1,"maximumTimes":64,"name":"…","probe":POINT,"states":[STATE…],"steps":[STEP…],"view":SIZE}`. The first state
//   is that of the new viewport, each further one the state after `every` more steps. A probe is a point.
//   STEP  ["fit"]                 zoomToFit()
//         ["zoomTo",z]            zoom(to: z)                       ["zoomTo",z,x,y]   zoom(to: z, about: (x, y))
//         ["zoomBy",f]            zoom(by: f)                       ["zoomBy",f,x,y]   zoom(by: f, about: (x, y))
//         ["zoomToRect",x,y,w,h]  zoom(to: CanvasRect)
//         ["scrollBy",x,y]        scroll(byX: x, y: y)
//         ["scrollTo",x,y]        scroll(toCenterX: x, y: y)
//         ["resize",w,h]          resize(view: Size), whose sides are clamped to 0.001 … 1,000,000, like those of content and view
//   STATE {"center":POINT,"contentPlace":POINT,"fitZoom":z,"isFit":false,"maximumZoom":z,"minimumZoom":z,"offset":POINT,"viewPlace":POINT,
//         "visible":RECTANGLE,"window":RECTANGLE,"zoom":z}; contentPlace and viewPlace are those of the probe; window is null where Swift
//         refuses it
// boxes: `{"corners":[POINT…],"edges":EDGES,"emoji":EMOJI,"ems":SIZE,"extent":POINT,"points":[[x,y,true]…],"rectangles":[[x,y,w,h,false]…]}`. A
//   point ends with whether the box contains it, a rectangle with whether the box overlaps it. Points and edges of the rectangles around a
//   label with a right angle may lie exactly on the box's edges; those of others keep away from them, because sine and cosine may differ
//   in their last bit between two languages.
// align: `{"canvas":SIZE,"centers":{"bottom":[POINT…],"center":[…],"left":[…],"middle":[…],"right":[…],"top":[…]},"emojis":[EMOJI…]}`.
// distribute: `{"centers":{"horizontally":[POINT…],"vertically":[…]},"emojis":[EMOJI…]}`.
// grid: `{"at":null,"canvas":SIZE,"centers":[POINT…],"columns":4,"emojis":[EMOJI…],"gap":10}`: rows of cells, with `gap` and `at` as in a request
//   `{"grid":{…}}`: a length is a number of pixels or a text like "5%"; `at` is null, a text like "top-right", or `[LENGTH,LENGTH]`. What Swift
//   refuses has `"error":"badValue"` in place of `centers`.
// snapping: `{"canvas":SIZE,"moves":[{"distance":8,"dx":0,"dy":0,"guides":[["x",at,from,to]…],"moved":EDGES}…],"name":"…","others":[EDGES…]}`: the
//   lines are those of `others` and of the canvas; each move is one call with `moved` and `distance`, from which `dx`, `dy` and `guides` follow.
// layout: `{"documents":"beside","horizontal":"regular","palette":"panel","places":["whole"…],"size":SIZE,"tools":"bar","vertical":"regular"}`. The
//   places of the document browser are those for the states 0 to 7: 4 if a document is open, 2 if the browser is wanted beside it, 1 if it is
//   asked for in its place.

import Foundation
import TestSupport
import Testing

@testable import ArtModel

@Suite("The vectors of shared rules") struct RuleVectorTests {
  @Test("A14 the vectors are what the rules give", arguments: SharedRule.allCases)
  func vectors(_ rule: SharedRule) throws {
    let cases = try rule.cases()
    let lines =
      ["{\"cases\":["] + cases.dropLast().map { "\($0)," } + cases.suffix(1) + ["],\"rule\":\"\(rule)\"}"]
    let text = lines.joined(separator: "\n") + "\n"
    #expect(cases.count >= 30 && text.utf8.count < 300_000, "\(cases.count) cases, \(text.utf8.count) bytes")
    let folder = URL(filePath: #filePath).appending(path: "../../../Fixtures/rules").standardized
    let file = folder.appending(path: "\(rule).json")
    try GoldenFiles.record("vectors") { try Data(text.utf8).write(to: file) }
    let stored = try String(contentsOf: file, encoding: .utf8)
    if stored != text {
      let pairs = zip(lines, stored.split(separator: "\n", omittingEmptySubsequences: false))
      let difference = pairs.enumerated().first { $0.element.0 != $0.element.1 }
      Issue.record("\(rule).json differs from line \(difference.map { $0.offset + 1 } ?? 0) on")
    }
    print("\(rule): \(cases.count) vectors")
  }

  @Test("A14 a vector's numbers read back as they were")
  func numbers() throws {
    var chance = Chance(seed: 1)
    var json = JSONWriter()
    let values =
      (0..<1_000).map { _ in chance.dirty(-1e6, 1e6) } + [
        0.1, 1e-300, .leastNonzeroMagnitude, 1e16, 1e300, -0.0,
      ]
    json.array { for value in values { $0.input(value) } }
    #expect(try JSONDecoder().decode([Double].self, from: Data(json.bytes)) == values)
  }
}

/// A rule that the studio's page has, too.
enum SharedRule: CaseIterable {
  case viewport
  case boxes
  case align
  case distribute
  case grid
  case snapping
  case layout

  /// The cases, each as JSON on a line.
  func cases() throws -> [String] {
    switch self {
    case .viewport: try viewportCases()
    case .boxes: try boxCases()
    case .align: try alignCases()
    case .distribute: try distributeCases()
    case .grid: try gridCases()
    case .snapping: snappingCases()
    case .layout: layoutCases()
    }
  }
}

// MARK: - Chance

/// Numbers for vectors. They are made of the generator's bits here, because `random(in:using:)` may change with the compiler's version.
struct Chance {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  private mutating func fraction() -> Double { Double(generator.next() >> 11) * 0x1p-53 }

  mutating func below(_ limit: Int) -> Int { Int(fraction() * Double(limit)) }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

  /// A number with at most two decimal places, which makes files small.
  mutating func hundredths(_ low: Double, _ high: Double) -> Double {
    ((low + fraction() * (high - low)) * 100).rounded() / 100
  }

  /// A number with all its bits.
  mutating func dirty(_ low: Double, _ high: Double) -> Double { low + fraction() * (high - low) }
}

// MARK: - JSON

func jsonText(_ body: (inout JSONWriter) throws -> Void) rethrows -> String {
  var json = JSONWriter(reserving: 4096)
  try json.object(body)
  return json.text
}

extension JSONWriter {
  /// A number, or the name of one that is not finite.
  mutating func input(_ value: Double) {
    if value.isFinite {
      number(value)
    } else {
      string(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    }
  }

  mutating func member(_ name: String, _ value: Double) {
    key(name)
    number(value)
  }

  mutating func member(_ name: String, _ first: Double, _ others: Double...) {
    key(name)
    array { for value in [first] + others { $0.input(value) } }
  }

  mutating func member(_ name: String, _ rect: CanvasRect) {
    member(name, rect.x, rect.y, rect.width, rect.height)
  }

  mutating func member(_ name: String, points: [(x: Double, y: Double)]) {
    key(name)
    array {
      for point in points {
        $0.array {
          $0.number(point.x)
          $0.number(point.y)
        }
      }
    }
  }

  mutating func member(_ name: String, _ emojis: [Emoji]) {
    key(name)
    array { for emoji in emojis { $0.emoji(emoji) } }
  }

  mutating func emoji(_ emoji: Emoji) {
    object {
      if let box = emoji.text.box {
        $0.member("box", box.width, box.height)
        $0.key("kind")
        $0.string("caption")
      }
      if emoji.rotation != .zero { $0.member("rotation", emoji.rotation.degrees) }
      $0.member("size", emoji.size.pixels)
      $0.key("text")
      $0.string(emoji.text.string)
      $0.member("x", emoji.position.x)
      $0.member("y", emoji.position.y)
    }
  }

  mutating func length(_ length: Length) {
    switch length {
    case .pixels(let value): number(value)
    case .percent: string(length.description)
    }
  }

  mutating func target(_ target: Target?) {
    switch target {
    case nil: null()
    case .place(let place): string(place.rawValue)
    case .at(let coordinates):
      array {
        $0.length(coordinates.x)
        $0.length(coordinates.y)
      }
    }
  }
}
