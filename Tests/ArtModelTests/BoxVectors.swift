// SPDX-License-Identifier: Apache-2.0

@testable import ArtModel

// Cases of shared rules; `RuleVectorTests` documents their form. Boxes of labels, and arranged ones.

func boxCases() throws -> [String] {
  var chance = Chance(seed: 29)
  return try (0..<200).map { index in
    let emoji = try chance.emoji(wide: index.isMultiple(of: 10))
    let box = EmojiBox(emoji)
    let (points, rects) = (chance.points(around: box), try chance.rectangles(around: box))
    return jsonText {
      $0.member("corners", points: box.corners)
      $0.member("edges", box.edges.left, box.edges.top, box.edges.right, box.edges.bottom)
      $0.key("emoji")
      $0.emoji(emoji)
      $0.member("ems", emoji.text.ems.width, emoji.text.ems.height)
      $0.member("extent", box.extent.x, box.extent.y)
      $0.key("points")
      $0.array {
        for point in points {
          $0.array {
            $0.number(point.x)
            $0.number(point.y)
            $0.boolean(box.contains(x: point.x, y: point.y))
          }
        }
      }
      $0.key("rectangles")
      $0.array {
        for rect in rects {
          $0.array {
            for value in [rect.x, rect.y, rect.width, rect.height] { $0.number(value) }
            $0.boolean(box.overlaps(rect))
          }
        }
      }
    }
  }
}

extension EmojiBox {
  /// A right angle's sine and cosine are exact.
  fileprivate var isUpright: Bool { rotation.degrees.truncatingRemainder(dividingBy: 90) == 0 }

  /// Whether corners and extent are the same with a sine and a cosine that differ in the last bit: no value is near to the middle between two
  /// millionths, or beyond the bounds above which values are not rounded.
  fileprivate var isStable: Bool {
    guard !isUpright else { return true }
    let (sine, cosine) = rotation.sineAndCosine
    let (right, down) = (width / 2, height / 2)
    let values = [
      abs(width * cosine) + abs(height * sine), abs(width * sine) + abs(height * cosine),
      x + right * cosine - down * sine, x + right * cosine + down * sine, x - right * cosine - down * sine,
      x - right * cosine + down * sine, y + right * sine - down * cosine, y + right * sine + down * cosine,
      y - right * sine - down * cosine, y - right * sine + down * cosine,
    ]
    // The first two are halved before they are rounded.
    return zip(values.indices, values).allSatisfy { index, value in
      let millionths = abs(index < 2 ? value / 2 : value) * 1e6
      return millionths < 1e11 && abs(millionths - millionths.rounded(.down) - 0.5) > 0.001
    }
  }

  /// A point's distances from the centre along the box's sides.
  fileprivate func local(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    let (sine, cosine) = rotation.sineAndCosine
    let (dx, dy) = (x - self.x, y - self.y)
    return (abs(dx * cosine + dy * sine), abs(dy * cosine - dx * sine))
  }

  /// Whether a point is neither on an edge of a turned box nor near to one.
  fileprivate func isClear(ofPoint x: Double, _ y: Double) -> Bool {
    let place = local(x, y)
    return abs(place.x - width / 2) > 1e-6 * width && abs(place.y - height / 2) > 1e-6 * height
  }

  /// The same for a rectangle whose sides may touch the box.
  fileprivate func isClear(of rect: CanvasRect) -> Bool {
    let (sine, cosine) = rotation.sineAndCosine
    let place = local(rect.x + rect.width / 2, rect.y + rect.height / 2)
    let along = (abs(rect.width * cosine) + abs(rect.height * sine)) / 2
    let across = (abs(rect.width * sine) + abs(rect.height * cosine)) / 2
    return abs(place.x - width / 2 - along) > 1e-6 && abs(place.y - height / 2 - across) > 1e-6
  }
}

extension Chance {
  /// An emoji or a caption, often turned; far away and large, or tiny, where `wide` is true.
  fileprivate mutating func emoji(wide: Bool = false) throws -> Emoji {
    while true {
      var emoji = try ArtModelTests.emoji(
        "aaaaaaaa", pick(["🐝", "🌸", "❤️", "👩‍🚀", "🏳️‍🌈", "🇩🇪", "1️⃣", "👍🏽", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🐝🌸", "👩‍🚀🇩🇪👨‍👩‍👧", "a🐝"]),
        x: hundredths(-200, 1_300), y: hundredths(-200, 900), size: hundredths(8, 200))
      if below(5) == 0 {
        let box = try TextBox(width: hundredths(0.5, 12), height: Double(below(3) + 1) * 1.2)
        emoji.text = EmojiText(try Words(pick(["Happy birthday", "Grüße\nan alle 🐝", "12"])), box: box)
      }
      if below(2) == 0 { emoji.rotation = try Rotation(degrees: turn()) }
      if wide {
        let bound = emoji.rotation.degrees.truncatingRemainder(dividingBy: 90) == 0 ? 1e6 : 9e4
        emoji.position = try Point(x: dirty(-bound, bound), y: pick([-bound, 0, bound]))
        emoji.size = try FontSize(pick([1e-6, 0.1, bound / 100, 333.25]))
      }
      if EmojiBox(emoji).isStable { return emoji }
    }
  }

  private mutating func turn() -> Double {
    switch below(6) {
    case 0: 90
    case 1: 180
    case 2: -90
    case 3: pick([45, -45.5, 30, 0.000_001, -179.999_999, 123.456_789])
    default: Double(below(361) - 180)
    }
  }

  fileprivate mutating func points(around box: EmojiBox) -> [(x: Double, y: Double)] {
    let (edges, reach) = (box.edges, box.extent)
    var points = [(x: box.x, y: box.y)]
    if box.isUpright {
      points += [
        (edges.left, edges.top), (edges.right, box.y), (box.x, edges.bottom), (edges.left.nextDown, box.y),
        (box.x, edges.top.nextUp), (edges.right.nextUp, edges.bottom.nextUp),
      ]
    }
    for _ in 0..<5 {
      let point = (x: box.x + hundredths(-1.2, 1.2) * reach.x, y: box.y + hundredths(-1.2, 1.2) * reach.y)
      if box.isUpright || box.isClear(ofPoint: point.x, point.y) { points.append(point) }
    }
    return points
  }

  fileprivate mutating func rectangles(around box: EmojiBox) throws -> [CanvasRect] {
    let (edges, reach) = (box.edges, box.extent)
    // Rectangles have bounds, and an edge of a tiny box far away is no end of one.
    let isWithin = [edges.left, edges.top, edges.right, edges.bottom].allSatisfy { abs($0) < 9e5 }
    guard isWithin, reach.x > 0.01, reach.y > 0.01 else { return [] }
    // A rectangle that touches the upright one around the box is decided by the edges, which are rounded.
    var rects = [
      try CanvasRect(x: edges.right, y: edges.top, width: 7, height: 9),
      try CanvasRect(x: edges.left - 8, y: edges.bottom - 1, width: 8, height: 9),
    ]
    for _ in 0..<4 {
      rects.append(
        try CanvasRect(
          x: box.x + hundredths(-1.5, 1.2) * reach.x, y: box.y + hundredths(-1.5, 1.2) * reach.y,
          width: hundredths(0.05, 0.7) * reach.x, height: hundredths(0.05, 0.7) * reach.y))
    }
    return rects.filter { box.isUpright || box.isClear(of: $0) }
  }
}

// MARK: - Arranging

private let canvases: [(width: Int, height: Int)] = [
  (1024, 768), (1, 1), (1080, 1350), (100_000, 333), (17, 100_000),
]

extension Chance {
  /// As many emoji as the case's index says, at first, some of them at the same place.
  fileprivate mutating func emojis(_ index: Int) throws -> [Emoji] {
    var emojis: [Emoji] = []
    for _ in 0..<(index < 5 ? index : below(7) + 1) {
      var emoji = try emoji(wide: index.isMultiple(of: 17))
      if let last = emojis.last, below(4) == 0 {
        emoji.position = try Point(x: last.position.x, y: emoji.position.y)
        if !EmojiBox(emoji).isStable { continue }
      }
      emojis.append(emoji)
    }
    return emojis
  }
}

func alignCases() throws -> [String] {
  var chance = Chance(seed: 34)
  return try (0..<120).map { index in
    let side = chance.pick(canvases)
    let canvas = try Canvas(width: side.width, height: side.height)
    let emojis = try chance.emojis(index)
    let boxes = emojis.map(EmojiBox.init)
    return jsonText {
      $0.member("canvas", Double(canvas.width), Double(canvas.height))
      $0.key("centers")
      $0.object {
        for line in Alignment.allCases.sorted(by: { $0.rawValue < $1.rawValue }) {
          $0.member(line.rawValue, points: line.centers(of: boxes, on: canvas))
        }
      }
      $0.member("emojis", emojis)
    }
  }
}

func distributeCases() throws -> [String] {
  var chance = Chance(seed: 35)
  return try (0..<150).map { index in
    let emojis = try chance.emojis(index)
    let boxes = emojis.map(EmojiBox.init)
    return jsonText {
      $0.key("centers")
      $0.object {
        for axis in [Axis.horizontally, .vertically] {
          $0.member(axis.rawValue, points: axis.distributed(boxes))
        }
      }
      $0.member("emojis", emojis)
    }
  }
}

/// Grids that are too large, and odd numbers of millionths around a percentage.
private let grids: [(columns: Int, gap: Length, target: Target?)] = [
  (4, .pixels(1e6), nil), (1, .pixels(1e6), nil), (2, .pixels(-1e6), nil), (1, .pixels(-1e6), nil),
  (2, .pixels(0.123_456_78), .at(Coordinates(x: .percent(33.333_333_33), y: .percent(12.345_678_9)))),
  (3, .pixels(0.123_457), .at(Coordinates(x: .percent(66.666_666_66), y: .percent(0.000_050_1)))),
]

func gridCases() throws -> [String] {
  var chance = Chance(seed: 36)
  return try (0..<240).map { index in
    let side = chance.pick(canvases)
    let canvas = try Canvas(width: side.width, height: side.height)
    let emojis = try chance.emojis(max(0, index - 1))
    var columns = index == 0 ? 0 : chance.pick([1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 9, 1_000_000, index % 4 - 3])
    var gap: Length = chance.pick([
      .pixels(0), .pixels(10), .pixels(chance.hundredths(-40, 90)), .percent(5),
      .percent(chance.hundredths(-9, 30)), .pixels(index.isMultiple(of: 4) ? 1e6 : 2.5),
      .pixels(index.isMultiple(of: 8) ? -1e6 - 1 : -3), .pixels(0.123_456_78),
      .percent(index.isMultiple(of: 7) ? 1e9 : 1),
    ])
    var target: Target? = chance.pick([
      nil, nil, .center, .place(chance.pick(CanvasPlace.allCases)),
      .at(Coordinates(x: .percent(chance.dirty(-5, 110)), y: .pixels(chance.hundredths(-50, 900)))),
      .at(Coordinates(x: .pixels(chance.dirty(0, 999)), y: .percent(chance.dirty(0, 100)))),
      .point(x: 1e6, y: index.isMultiple(of: 2) ? -1_000_001 : -1e6),
      .point(x: index.isMultiple(of: 3) ? 1_000_000.5 : 7, y: 0),
    ])
    if index >= 200 { (columns, gap, target) = grids[index % grids.count] }
    return try jsonText { (json) throws in
      json.key("at")
      json.target(target)
      json.member("canvas", Double(canvas.width), Double(canvas.height))
      do throws(ArtError) {
        let boxes = emojis.map(EmojiBox.init)
        json.member(
          "centers", points: try Grid.centers(of: boxes, columns: columns, gap: gap, at: target, on: canvas))
        json.member("columns", Double(columns))
        json.member("emojis", emojis)
      } catch {
        json.member("columns", Double(columns))
        json.member("emojis", emojis)
        json.key("error")
        json.string(error.code.rawValue)
      }
      json.key("gap")
      json.length(gap)
    }
  }
}
