// SPDX-License-Identifier: Apache-2.0

/// Where a moved box snaps to the edges and centres of other boxes and of the canvas.
///
/// The twin of `Sources/CStudioPage/page/snapping.js`. Both use only + - * /, comparisons, minimum and maximum on doubles, so their
/// results are equal bit for bit.
///
/// Each of the other boxes has three lines across the x axis, at its left edge, its middle and its right edge, each from its top to its
/// bottom, and three across the y axis in the same way; so has the canvas. Lines of an axis at the same place are one, as long as all of them
/// together. The box that moves has three places on each axis, too: its start, its middle and its end.
///
/// On each axis by itself, the pair of a place and a line that are nearest to each other is taken, if they are within the distance; of equally
/// near pairs that of the earlier place, and then that of the line with the smaller coordinate. The box is shifted by their difference.
/// A guide is a line on which one of the places lies then, within a millionth of a pixel, made long enough for the shifted box.
public struct Snapping: Hashable, Sendable {
  /// A line that the box lies on after it has snapped.
  public struct Guide: Hashable, Sendable {
    /// The axis that the line crosses: horizontally for a vertical line.
    public let axis: Axis
    /// Where it crosses the axis.
    public let at: Double
    /// Its smaller end.
    public let from: Double
    /// Its larger end.
    public let to: Double
  }

  /// How far a box is shifted, and why.
  public struct Snap: Hashable, Sendable {
    /// The shift to the right.
    public let dx: Double
    /// The shift downwards.
    public let dy: Double
    /// The lines that the box lies on then, those across the x axis first. An axis on which nothing was near enough has none.
    public let guides: [Guide]
  }

  /// How near a line must be, in the view's units; divided by the zoom it is the distance in canvas pixels.
  public static let viewDistance = 8.0

  /// The largest distance of a guide from the place that it is for.
  private static let guideTolerance = 0.000001

  /// Sorted by `at`; no two are equal in it.
  private let across: [Line]
  private let down: [Line]

  /// The lines of the boxes that do not move, and of the canvas.
  public init(to boxes: some Sequence<EmojiBox>, on canvas: Canvas) {
    self.init(toEdges: boxes.lazy.map(\.edges), width: Double(canvas.width), height: Double(canvas.height))
  }

  /// The lines of upright rectangles, and of a canvas.
  init(
    toEdges others: some Sequence<(left: Double, top: Double, right: Double, bottom: Double)>, width: Double,
    height: Double
  ) {
    var (across, down): ([Line], [Line]) = ([], [])
    func add(_ edges: (left: Double, top: Double, right: Double, bottom: Double)) {
      for at in Self.places(edges.left, edges.right) {
        across.append(Line(at: at, from: edges.top, to: edges.bottom))
      }
      for at in Self.places(edges.top, edges.bottom) {
        down.append(Line(at: at, from: edges.left, to: edges.right))
      }
    }
    for edges in others { add(edges) }
    add((0, 0, width, height))
    (self.across, self.down) = (Self.merged(across), Self.merged(down))
  }

  /// How far the box with these edges is shifted, and the guides that it lies on then. The distance is in canvas pixels.
  public func snap(
    _ moved: (left: Double, top: Double, right: Double, bottom: Double), within distance: Double
  ) -> Snap {
    let columns = Self.places(moved.left, moved.right)
    let rows = Self.places(moved.top, moved.bottom)
    let (x, y) = (
      Self.shift(columns, to: across, within: distance), Self.shift(rows, to: down, within: distance)
    )
    let (dx, dy) = (x ?? 0, y ?? 0)
    var guides: [Guide] = []
    if let x {
      guides += Self.guides(
        .horizontally, across, at: columns, shift: x, start: moved.top + dy, end: moved.bottom + dy)
    }
    if let y {
      guides += Self.guides(
        .vertically, down, at: rows, shift: y, start: moved.left + dx, end: moved.right + dx)
    }
    return Snap(dx: dx, dy: dy, guides: guides)
  }
}

// MARK: - One axis

extension Snapping {
  private struct Line: Hashable, Sendable {
    let at: Double
    let from: Double
    let to: Double

    /// A negative zero becomes zero.
    init(at: Double, from: Double, to: Double) {
      (self.at, self.from, self.to) = (at + 0.0, from + 0.0, to + 0.0)
    }
  }

  private static func places(_ start: Double, _ end: Double) -> [Double] { [start, (start + end) / 2, end] }

  private static func merged(_ lines: [Line]) -> [Line] {
    var merged: [Line] = []
    for line in lines.sorted(by: { $0.at < $1.at }) {
      if let last = merged.last, last.at == line.at {
        merged[merged.count - 1] = Line(
          at: last.at, from: min(last.from, line.from), to: max(last.to, line.to))
      } else {
        merged.append(line)
      }
    }
    return merged
  }

  /// The shift to the nearest line; nil if none is near enough.
  private static func shift(_ places: [Double], to lines: [Line], within distance: Double) -> Double? {
    var best: Double?
    for place in places {
      guard let line = nearest(lines, to: place, shift: 0) else { continue }
      let offset = line.at - place
      if abs(offset) <= distance, best.map({ abs(offset) < abs($0) }) ?? true { best = offset }
    }
    return best
  }

  private static func guides(
    _ axis: Axis, _ lines: [Line], at places: [Double], shift: Double, start: Double, end: Double
  ) -> [Guide] {
    var guides: [Guide] = []
    for place in places {
      guard let line = nearest(lines, to: place, shift: shift),
        abs(line.at - place - shift) <= guideTolerance, !guides.contains(where: { $0.at == line.at })
      else { continue }
      guides.append(Guide(axis: axis, at: line.at, from: min(line.from, start), to: max(line.to, end)))
    }
    return guides
  }

  /// The line with the smallest `abs(at - place - shift)`; of equal ones the one with the smaller `at`.
  private static func nearest(_ lines: [Line], to place: Double, shift: Double) -> Line? {
    // The difference grows with `at`, so the nearest line is the first one that is not before the place, or one before that.
    var (low, high) = (0, lines.count)
    while low < high {
      let middle = (low + high) / 2
      if lines[middle].at - place - shift < 0 { low = middle + 1 } else { high = middle }
    }
    var best = low < lines.count ? lines[low] : nil
    // Rounding gives several lines one difference where they are very near to each other.
    for line in lines[..<low].reversed() {
      if let best, abs(line.at - place - shift) > abs(best.at - place - shift) { break }
      best = line
    }
    return best
  }
}
