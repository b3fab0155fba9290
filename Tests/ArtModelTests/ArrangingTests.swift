// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

/// Emoji of random sizes and rotations, with other bounds of their boxes than the ones that the rules compute.
private struct Meadow {
  var art: DocumentContent
  var random: RandomEdits
  var author: Author

  init(seed: UInt64, emojis count: Int = 6) throws {
    random = RandomEdits(seed: seed)
    var emojis: [Emoji] = []
    var generator = SplitMix64(seed: seed)
    for z in 0..<count {
      var emoji = Emoji(
        id: .random(using: &generator), text: try EmojiText("🐝"),
        position: try Point(x: Double(random.int(0...1_000)), y: Double(random.int(0...700))),
        size: try FontSize(Double(random.int(10...90))), z: z)
      if random.int(0...1) == 0 { emoji.rotation = try Rotation(degrees: Double(random.int(-179...180))) }
      emojis.append(emoji)
    }
    art = try document(emojis)
    author = try ArtModelTests.author(1)
  }

  mutating func perform(_ action: Action) throws -> [EmojiBox] {
    var generator = SplitMix64(seed: 3)
    let plan = try action.plan(on: art, using: &generator)
    try art.perform(plan.edit, by: &author)
    return art.emojisInOrder().map(EmojiBox.init)
  }
}

@Suite("Arranging") struct ArrangingTests {
  private func isNear(_ left: Double, _ right: Double) -> Bool { abs(left - right) < 5e-6 }

  @Test(
    "M34 aligned boxes touch one line, which is where the outermost one was", arguments: Alignment.allCases)
  func aligned(_ line: Alignment) throws {
    for seed in UInt64(1)...50 {
      var meadow = try Meadow(seed: seed)
      let before = meadow.art.emojisInOrder().map(EmojiBox.init)
      let edges = before.map(\.edges)
      let after = try meadow.perform(.align(.all, line))
      let wanted: Double =
        switch line {
        case .left: try #require(edges.map(\.left).min())
        case .right: try #require(edges.map(\.right).max())
        case .top: try #require(edges.map(\.top).min())
        case .bottom: try #require(edges.map(\.bottom).max())
        case .center: try #require(edges.map(\.left).min()) / 2 + #require(edges.map(\.right).max()) / 2
        case .middle: try #require(edges.map(\.top).min()) / 2 + #require(edges.map(\.bottom).max()) / 2
        }
      for (box, old) in zip(after, before) {
        switch line {
        case .left: #expect(isNear(box.edges.left, wanted) && box.y == old.y)
        case .right: #expect(isNear(box.edges.right, wanted) && box.y == old.y)
        case .center: #expect(isNear(box.x, wanted) && box.y == old.y)
        case .top: #expect(isNear(box.edges.top, wanted) && box.x == old.x)
        case .bottom: #expect(isNear(box.edges.bottom, wanted) && box.x == old.x)
        case .middle: #expect(isNear(box.y, wanted) && box.x == old.x)
        }
      }
    }
  }

  @Test("M34 a single emoji is aligned to the canvas")
  func single() throws {
    var meadow = try Meadow(seed: 7, emojis: 1)
    #expect(isNear(try meadow.perform(.align(.all, .right))[0].edges.right, 1024))
    #expect(isNear(try meadow.perform(.align(.all, .middle))[0].y, 384))
  }

  @Test("M34 distributed boxes have equal gaps, and the outermost two stay", arguments: Axis.allCases)
  func distributed(_ axis: Axis) throws {
    for seed in UInt64(1)...50 {
      var meadow = try Meadow(seed: seed)
      let before = meadow.art.emojisInOrder().map(EmojiBox.init)
      let after = try meadow.perform(.distribute(.all, axis))
      func place(_ box: EmojiBox) -> Double { axis == .horizontally ? box.x : box.y }
      func start(_ box: EmojiBox) -> Double { axis == .horizontally ? box.edges.left : box.edges.top }
      func end(_ box: EmojiBox) -> Double { axis == .horizontally ? box.edges.right : box.edges.bottom }
      let order = before.indices.sorted { (place(before[$0]), $0) < (place(before[$1]), $1) }
      #expect(after[order[0]] == before[order[0]] && after[order[5]] == before[order[5]])
      let gaps = zip(order, order.dropFirst()).map { start(after[$1]) - end(after[$0]) }
      for gap in gaps { #expect(isNear(gap, gaps[0]), "seed \(seed)") }
    }
  }

  @Test("M34 a grid has one cell for each, in the order in which they are named")
  func grid() throws {
    var meadow = try Meadow(seed: 3, emojis: 7)
    let named = meadow.art.emojisInOrder().reversed().map { Reference.id($0.id.prefix) }
    let boxes = try meadow.perform(
      .grid(.references(named), columns: 3, gap: .pixels(10), at: .point(x: 500, y: 300)))
    let width = try #require(boxes.map { 2 * $0.extent.x }.max()) + 10
    let height = try #require(boxes.map { 2 * $0.extent.y }.max()) + 10
    for (index, box) in boxes.reversed().enumerated() {
      #expect(isNear(box.x, 500 + width * (Double(index % 3) - 1)))
      #expect(isNear(box.y, 300 + height * (Double(index / 3) - 1)))
    }
    for columns in [0, -1] {
      let bad = Action.grid(.all, columns: columns, gap: .pixels(0), at: nil)
      #expect(
        failure { () throws(ArtError) in
          var generator = SplitMix64(seed: 3)
          return try bad.plan(on: meadow.art, using: &generator)
        }?.code == .badValue)
    }
  }

  @Test("M34 a grid of new emoji has one in the middle of each cell, small enough for it")
  func newGrid() throws {
    var meadow = try Meadow(seed: 3, emojis: 0)
    let texts = [try EmojiText("🐝"), try EmojiText("🌸")]
    let region = try Region(typed: "10,20,300x200")
    let boxes = try meadow.perform(.addGrid(texts, Grid(columns: 3, rows: 2), in: region, size: nil))
    #expect(boxes.map(\.x) == [60, 160, 260, 60, 160, 260] && boxes.map(\.y) == [70, 70, 70, 170, 170, 170])
    #expect(boxes.allSatisfy { $0.width <= 100 && $0.height <= 100 && $0.width > 60 })
    #expect(
      meadow.art.emojisInOrder().map(\.text) == [texts[0], texts[1], texts[0], texts[1], texts[0], texts[1]])
    for typed in ["", "3", "0x3", "3x-1", "x", "1000001x1", "9999999999x9999999999", "3x4x5"] {
      #expect(failure { () throws(ArtError) in try Grid(typed: typed) }?.code == .badValue, "\(typed)")
    }
  }

  @Test(
    "M35 a named place touches the edges, and what is larger than the canvas is centred",
    arguments: CanvasPlace.allCases)
  func places(_ place: CanvasPlace) throws {
    for seed in UInt64(1)...20 {
      var meadow = try Meadow(seed: seed, emojis: 1)
      let box = try #require(try meadow.perform(.move(.all, .to(.place(place)))).first)
      let (x, y) = place.fractions
      let room = (x: 1024 - 2 * box.extent.x, y: 768 - 2 * box.extent.y)
      #expect(isNear(box.edges.left, room.x * x) && isNear(box.edges.top, room.y * y))
    }
    var meadow = try Meadow(seed: 1, emojis: 1)
    _ = try meadow.perform(.resize(.all, .to(.pixels(5_000))))
    let box = try #require(try meadow.perform(.move(.all, .to(.place(place)))).first)
    #expect(box.x == 512 && box.y == 384)
  }

  @Test("M35 lengths and sizes are pixels or percent, with or without px, and sizes joined by x, × or *")
  func lengths() throws {
    #expect(Length("12.5px") == .pixels(12.5) && Length("-3") == .pixels(-3) && Length("5%") == .percent(5))
    for bad in ["", "px", "%", "5%px", "5pt", "nan"] { #expect(Length(bad) == nil, "\(bad)") }
    for typed in ["1080 x 1350", "1080x1350", "1080×1350", "1080*1350", "1080X1350"] {
      #expect(try Canvas(typed: typed) == Canvas(width: 1080, height: 1350))
    }
    for bad in ["1080", "1080x", "x1350", "1080x1350x1", "-1x5", "1.5x2"] {
      #expect(failure { () throws(ArtError) in try Canvas(typed: bad) }?.code == .badValue, "\(bad)")
    }
    var meadow = try Meadow(seed: 1, emojis: 1)
    _ = try meadow.perform(.resize(.all, .to(.percent(25))))
    #expect(meadow.art.top()?.size.pixels == 192)
  }

  @Test("M36 a new size of the canvas keeps the distance from the anchor, and scales by the smaller ratio")
  func canvasSizes() throws {
    for place in CanvasPlace.allCases {
      var meadow = try Meadow(seed: 5)
      let before = meadow.art.emojisInOrder()
      let after = try Canvas(width: 2048, height: 384)
      let (x, y) = place.fractions
      for scales in [false, true] {
        var copy = meadow
        _ = try copy.perform(.canvas(.resize(after, anchor: place, scales: scales)))
        #expect(copy.art.canvas == after)
        let factor = scales ? 0.5 : 1
        for (new, old) in zip(copy.art.emojisInOrder(), before) {
          #expect(isNear(new.position.x - 2048 * x, (old.position.x - 1024 * x) * factor))
          #expect(isNear(new.position.y - 384 * y, (old.position.y - 768 * y) * factor))
          #expect(isNear(new.size.pixels, old.size.pixels * factor) && new.rotation == old.rotation)
        }
        try copy.art.undo(by: &copy.author)
        #expect(Picture(copy.art) == Picture(meadow.art))
      }
      meadow = try Meadow(seed: 6)
    }
  }

  @Test("M36 a canvas that fits has everything on it, and no more margin than it was given")
  func fits() throws {
    for seed in UInt64(1)...50 {
      var meadow = try Meadow(seed: seed)
      let boxes = try meadow.perform(.canvas(.fit(margin: .pixels(12.5))))
      let (width, height) = (Double(meadow.art.canvas.width), Double(meadow.art.canvas.height))
      let edges = boxes.map(\.edges)
      let gaps = [
        try #require(edges.map(\.left).min()), try #require(edges.map(\.top).min()),
        width - (try #require(edges.map(\.right).max())), height - (try #require(edges.map(\.bottom).max())),
      ]
      for gap in gaps { #expect(gap >= 12.5 - 5e-6 && gap < 13.0 + 5e-6, "seed \(seed)") }
    }
    var empty = try Meadow(seed: 1, emojis: 0)
    #expect(
      failure { () throws(ArtError) in
        var generator = SplitMix64(seed: 1)
        return try Action.canvas(.fit(margin: .pixels(0))).plan(on: empty.art, using: &generator)
      }?.code == .noSuchEmoji)
    _ = try empty.perform(.canvas(.fill(.black)))
    #expect(empty.art.fill == .black)
  }

  @Test("gaps, margins and columns out of bounds are refused by their names")
  func outOfBounds() throws {
    let meadow = try Meadow(seed: 7)
    func refusal(_ action: Action) -> ArtError? {
      var generator = SplitMix64(seed: 1)
      return failure { () throws(ArtError) in try action.plan(on: meadow.art, using: &generator) }
    }
    for gap in [Length.pixels(1e308), .percent(1e308), .pixels(-1e308), .pixels(1_000_001)] {
      for target in [nil, .center] as [Target?] {
        let error = refusal(.grid(.all, columns: 2, gap: gap, at: target))
        #expect(error?.code == .badValue && error?.cause.contains("is no gap;") == true, "\(gap)")
      }
      let error = refusal(.canvas(.fit(margin: gap)))
      #expect(error?.code == .badValue && error?.cause.contains("is no margin;") == true, "\(gap)")
    }
    let wide = refusal(.grid(.all, columns: 6, gap: .pixels(900_000), at: nil))
    #expect(wide?.cause.contains("the grid would be larger") == true)
    let columns = refusal(.grid(.all, columns: -1, gap: .pixels(0), at: nil))
    #expect(columns?.cause == "\"-1\" is no number of columns; give 1 or more")
  }

  @Test("M30 a new size of the canvas counts all emoji, and another action those that it names")
  func offCanvas() throws {
    let art = try document([
      try emoji("aaaaaaaa", x: 10, y: 10, z: 1), try emoji("bbbbbbbb", x: 900, y: 10, z: 2),
      try emoji("cccccccc", x: -900, y: 10, z: 3),
    ])
    func count(_ action: Action) throws -> Int {
      var (after, generator) = (art, SplitMix64(seed: 1))
      let plan = try action.plan(on: art, using: &generator)
      _ = try after.apply(plan.edit.changes)
      return try action.offCanvas(among: plan.subjects.map { after.emoji($0.id) ?? $0 }, of: after).count
    }
    let first = EmojiSelection([try Reference("aaaaaaaa")])
    #expect(
      try count(.canvas(.resize(Canvas(width: 100, height: 100), anchor: .topLeft, scales: false))) == 2)
    #expect(try count(.canvas(.fit(margin: .pixels(1)))) == 0)
    #expect(try count(.canvas(.fill(.black))) == 0 && count(.remove(.all)) == 0)
    #expect(try count(.rotate(first, .to(Rotation(degrees: 1)))) == 0)
    #expect(try count(.rotate(.all, .to(Rotation(degrees: 1)))) == 1)
    #expect(try count(.move(first, .to(.point(x: -500, y: 5)))) == 1)
  }

  @Test("M37 a copy has all values but id, place and order, and one undo takes all copies back")
  func copies() throws {
    var meadow = try Meadow(seed: 8)
    let before = meadow.art
    _ = try meadow.perform(.duplicate(.all, by: try Coordinates("10,-5")))
    let all = meadow.art.emojisInOrder()
    #expect(all.count == 12 && Set(all.map(\.id)).count == 12)
    for (copy, original) in zip(all.suffix(6), all.prefix(6)) {
      var wanted = original.with(id: copy.id)
      wanted.position = try Point(x: original.position.x + 10, y: original.position.y - 5)
      wanted.z = copy.z
      #expect(copy == wanted)
    }
    try meadow.art.undo(by: &meadow.author)
    #expect(Picture(meadow.art) == Picture(before))
  }
}

extension EmojiID {
  fileprivate var prefix: Prefix { Prefix(whole: self) }
}
