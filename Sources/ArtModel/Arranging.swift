// SPDX-License-Identifier: Apache-2.0

// Where emoji go so that they are in line, evenly apart, or in rows. Each rule takes boxes and gives their new centres in the same order.

/// The line to which emoji are aligned: an edge or the middle of the smallest rectangle around them, or of the canvas for a single one.
public enum Alignment: String, Hashable, Sendable, CaseIterable {
  case left
  case center
  case right
  case top
  case middle
  case bottom

  /// The new centres.
  func centers(of boxes: [EmojiBox], on canvas: Canvas) -> [(x: Double, y: Double)] {
    let edges = boxes.map(\.edges)
    guard let first = edges.first else { return [] }
    var around = first
    if boxes.count == 1 {
      around = (0, 0, Double(canvas.width), Double(canvas.height))
    } else {
      for edge in edges {
        around = (
          min(around.left, edge.left), min(around.top, edge.top), max(around.right, edge.right),
          max(around.bottom, edge.bottom)
        )
      }
    }
    return boxes.map { box in
      let extent = box.extent
      switch self {
      case .left: return (rounded(around.left + extent.x), box.y)
      case .center: return (rounded((around.left + around.right) / 2), box.y)
      case .right: return (rounded(around.right - extent.x), box.y)
      case .top: return (box.x, rounded(around.top + extent.y))
      case .middle: return (box.x, rounded((around.top + around.bottom) / 2))
      case .bottom: return (box.x, rounded(around.bottom - extent.y))
      }
    }
  }
}

/// A direction in which emoji are distributed.
public enum Axis: String, Hashable, Sendable, CaseIterable {
  case horizontally
  case vertically

  /// The new centres: the gaps between neighbours are equal, and negative where there is too little room.
  func distributed(_ boxes: [EmojiBox]) -> [(x: Double, y: Double)] {
    var centers = boxes.map { (x: $0.x, y: $0.y) }
    guard boxes.count > 2 else { return centers }
    let isHorizontal = self == .horizontally
    func place(_ index: Int) -> Double { isHorizontal ? boxes[index].x : boxes[index].y }
    func extent(_ index: Int) -> Double { isHorizontal ? boxes[index].extent.x : boxes[index].extent.y }
    let order = boxes.indices.sorted { (place($0), $0) < (place($1), $1) }
    let (first, last) = (order[0], order[order.count - 1])
    let room = place(last) + extent(last) - place(first) + extent(first)
    let filled = order.reduce(0) { $0 + 2 * extent($1) }
    let gap = (room - filled) / Double(order.count - 1)
    var start = place(first) - extent(first)
    for index in order {
      if index != first, index != last {
        let center = rounded(start + extent(index))
        if isHorizontal { centers[index].x = center } else { centers[index].y = center }
      }
      start += 2 * extent(index) + gap
    }
    return centers
  }
}

/// Columns and rows of cells: at least 1 each, at most 1,000,000 cells.
public struct Grid: Hashable, Sendable, CustomStringConvertible {
  /// The number of columns.
  public let columns: Int
  /// The number of rows.
  public let rows: Int

  /// Throws `badValue` for a number out of bounds.
  public init(columns: Int, rows: Int) throws(ArtError) {
    let (cells, overflow) = columns.multipliedReportingOverflow(by: rows)
    guard columns > 0, rows > 0, !overflow, cells <= Limits.emojiCount else {
      throw .badGrid("\(columns)x\(rows)")
    }
    (self.columns, self.rows) = (columns, rows)
  }

  /// Parses `3x4`. Throws `badValue`.
  public init(typed: String) throws(ArtError) {
    let parts = typed.sides
    guard parts.count == 2, let columns = Int(parts[0]), let rows = Int(parts[1]) else {
      throw .badGrid(typed)
    }
    try self.init(columns: columns, rows: rows)
  }

  /// As users type it.
  public var description: String { "\(columns)x\(rows)" }

  /// The part of a cell that a label fills, at most.
  private static let filling = 0.8

  /// The centres of the cells that divide a rectangle, row by row. Throws `badValue`.
  func centers(in rect: CanvasRect) throws(ArtError) -> [Point] {
    let (width, height) = (rect.width / Double(columns), rect.height / Double(rows))
    var centers: [Point] = []
    for row in 0..<rows {
      for column in 0..<columns {
        centers.append(
          try Point(
            x: rounded(rect.x + (Double(column) + 0.5) * width),
            y: rounded(rect.y + (Double(row) + 0.5) * height)))
      }
    }
    return centers
  }

  /// The largest size in which each of the texts fits into a cell of a rectangle. Throws `badValue`.
  func size(for texts: [EmojiText], in rect: CanvasRect) throws(ArtError) -> FontSize {
    let width = texts.map { $0.ems.width }.max() ?? 1
    let height = texts.map { $0.ems.height }.max() ?? 1
    let largest =
      min(rect.width / Double(columns) / width, rect.height / Double(rows) / height) * Self.filling
    return try FontSize(max(rounded(largest), 0.000001))
  }

  /// The new centres of boxes in rows of cells that are each as large as the largest box. Without a target the centre of all boxes stays.
  /// Throws `badValue`.
  static func centers(
    of boxes: [EmojiBox], columns: Int, gap: Length, at target: Target?, on canvas: Canvas
  ) throws(ArtError) -> [(x: Double, y: Double)] {
    guard columns > 0 else { throw .badColumns("\(columns)") }
    guard !boxes.isEmpty else { return [] }
    let columns = min(columns, boxes.count)
    let rows = (boxes.count + columns - 1) / columns
    let space = rounded(try gap.pixels(of: Double(min(canvas.width, canvas.height)), asA: "gap"))
    let width = 2 * (boxes.map { $0.extent.x }.max() ?? 0)
    let height = 2 * (boxes.map { $0.extent.y }.max() ?? 0)
    let extent = (
      x: (Double(columns) * (width + space) - space) / 2, y: (Double(rows) * (height + space) - space) / 2
    )
    guard abs(extent.x) <= Limits.coordinate, abs(extent.y) <= Limits.coordinate else {
      throw .tooLargeGrid()
    }
    let center: Point
    if let target {
      center = try target.point(on: canvas, extent: extent)
    } else {
      let edges = boxes.map(\.edges)
      let (left, right) = (edges.map(\.left).min() ?? 0, edges.map(\.right).max() ?? 0)
      let (top, bottom) = (edges.map(\.top).min() ?? 0, edges.map(\.bottom).max() ?? 0)
      center = try Point(x: (left + right) / 2, y: (top + bottom) / 2)
    }
    return boxes.indices.map { index in
      let (column, row) = (Double(index % columns), Double(index / columns))
      return (
        rounded(center.x - extent.x + width / 2 + column * (width + space)),
        rounded(center.y - extent.y + height / 2 + row * (height + space))
      )
    }
  }
}

extension Action {
  /// An edit that moves emoji to the centres that a rule gives for their boxes.
  static func arrange(
    _ verb: String, _ selection: EmojiSelection, in art: some ArtReading,
    _ rule: ([EmojiBox]) throws(ArtError) -> [(x: Double, y: Double)]
  ) throws(ArtError) -> PlannedEdit {
    let emojis = try selection.resolve(in: art)
    let centers = try rule(emojis.map(EmojiBox.init))
    var changes: [Change] = []
    changes.reserveCapacity(emojis.count)
    for (emoji, center) in zip(emojis, centers) {
      changes.append(.move(emoji.id, to: try Point(x: center.x, y: center.y)))
    }
    return PlannedEdit(edit: Edit(name: name(verb, emojis), changes: changes), subjects: emojis)
  }
}

// MARK: - The canvas

/// A change of the canvas in the user's terms.
public enum CanvasAction: Hashable, Sendable {
  /// Gives the canvas another size. The emoji keep their distance from the anchor; with `scales` they grow or shrink with the canvas, as much
  /// as its smaller ratio of sides.
  case resize(Canvas, anchor: CanvasPlace, scales: Bool)
  /// Makes the canvas as large as the emoji, with a margin around them, which is in pixels or in percent of their shorter side.
  case fit(margin: Length)
  /// Fills the canvas with a colour, or with none.
  case fill(Color?)

  /// Plans the action. Throws `badValue`, `noSuchEmoji`, and what the document's read methods throw.
  func plan(on art: some ArtReading) throws(ArtError) -> PlannedEdit {
    switch self {
    case .resize(let canvas, let anchor, let scales):
      let emojis = try art.emojisInOrder()
      let (x, y) = anchor.fractions
      let old = (x: Double(art.canvas.width) * x, y: Double(art.canvas.height) * y)
      let new = (x: Double(canvas.width) * x, y: Double(canvas.height) * y)
      let ratio = min(
        Double(canvas.width) / Double(art.canvas.width), Double(canvas.height) / Double(art.canvas.height))
      let factor = scales ? ratio : 1
      var changes = [Change.setCanvas(canvas)]
      for emoji in emojis {
        let place = try Point(
          x: rounded(new.x + (emoji.position.x - old.x) * factor),
          y: rounded(new.y + (emoji.position.y - old.y) * factor))
        if place != emoji.position { changes.append(.move(emoji.id, to: place)) }
        if factor != 1 { changes.append(.resize(emoji.id, to: try emoji.size.times(factor))) }
      }
      return PlannedEdit(edit: Edit(name: "resize the canvas", changes: changes), subjects: [])
    case .fit(let margin):
      return try Self.fit(margin: margin, art)
    case .fill(let color):
      return PlannedEdit(
        edit: Edit(
          name: color == nil ? "clear the canvas's colour" : "fill the canvas", changes: [.setFill(color)]),
        subjects: [])
    }
  }

  private static func fit(margin: Length, _ art: some ArtReading) throws(ArtError) -> PlannedEdit {
    let emojis = try art.emojisInOrder()
    let edges = emojis.map { EmojiBox($0).edges }
    guard let left = edges.map(\.left).min(), let top = edges.map(\.top).min(),
      let right = edges.map(\.right).max(), let bottom = edges.map(\.bottom).max()
    else { throw .nothingToFit() }
    let space = try margin.pixels(of: min(right - left, bottom - top), asA: "margin")
    let sides = (
      width: (right - left + 2 * space).rounded(.up), height: (bottom - top + 2 * space).rounded(.up)
    )
    guard let width = Int(exactly: sides.width), let height = Int(exactly: sides.height) else {
      throw .badCanvas("\(numberText(sides.width))x\(numberText(sides.height))")
    }
    let canvas = try Canvas(width: width, height: height)
    let shift = (
      x: (sides.width - (left + right)) / 2, y: (sides.height - (top + bottom)) / 2
    )
    var changes = [Change.setCanvas(canvas)]
    for emoji in emojis {
      let place = try Point(x: rounded(emoji.position.x + shift.x), y: rounded(emoji.position.y + shift.y))
      if place != emoji.position { changes.append(.move(emoji.id, to: place)) }
    }
    return PlannedEdit(edit: Edit(name: "fit the canvas", changes: changes), subjects: [])
  }
}
