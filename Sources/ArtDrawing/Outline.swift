// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics

/// The outlines of glyphs, as one shape to be filled by the nonzero winding rule. Lengths are in ems; y points downwards.
struct Outline {
  /// A step of a contour; its points follow each other in `points`.
  enum Step: UInt8 {
    case move
    case line
    /// A quadratic Bézier curve: one control point and the end.
    case quadratic
    /// A cubic Bézier curve: two control points and the end.
    case cubic
    case close

    /// The number of its points.
    var pointCount: Int {
      switch self {
      case .move, .line: 1
      case .quadratic: 2
      case .cubic: 3
      case .close: 0
      }
    }
  }

  /// A point in ems.
  struct Point: Equatable {
    var x: Double
    var y: Double
  }

  /// The steps.
  private(set) var steps: [Step] = []
  /// The points of all steps.
  private(set) var points: [Point] = []

  /// Whether nothing is to be filled.
  var isEmpty: Bool { steps.isEmpty }

  /// The smallest rectangle around all points, control points included; nil for an empty outline.
  private(set) var bounds: Bounds?

  /// A rectangle in ems.
  struct Bounds: Equatable {
    var left: Double
    var top: Double
    var right: Double
    var bottom: Double
  }

  mutating func append(_ step: Step, _ points: Point...) {
    steps.append(step)
    self.points += points
    for point in points { enclose(Bounds(left: point.x, top: point.y, right: point.x, bottom: point.y)) }
  }

  private mutating func enclose(_ other: Bounds) { bounds = bounds?.union(other) ?? other }

  /// Appends another outline, moved by that distance.
  mutating func append(_ other: Outline, x: Double, y: Double) {
    var moved = other
    moved.move(x: x, y: y)
    steps += moved.steps
    points += moved.points
    if let bounds = moved.bounds { enclose(bounds) }
  }

  /// Moves it.
  mutating func move(x: Double, y: Double) {
    for index in points.indices {
      points[index].x += x
      points[index].y += y
    }
    guard let old = bounds else { return }
    bounds = Bounds(left: old.left + x, top: old.top + y, right: old.right + x, bottom: old.bottom + y)
  }

  /// Calls `body` with each step and its points.
  func forEach(_ body: (Step, ArraySlice<Point>) -> Void) {
    var rest = points[...]
    for step in steps {
      body(step, rest.prefix(step.pointCount))
      rest = rest.dropFirst(step.pointCount)
    }
  }
}

extension Outline {
  /// A rectangle.
  init(_ box: Bounds) {
    append(.move, Point(x: box.left, y: box.top))
    append(.line, Point(x: box.right, y: box.top))
    append(.line, Point(x: box.right, y: box.bottom))
    append(.line, Point(x: box.left, y: box.bottom))
    append(.close)
  }

  /// The smallest rectangle around the shape when it is mapped, and how far its contours go across and down along their control points. Control
  /// points beyond the curves are not in the rectangle, which is nil for an empty outline.
  func extent(_ map: Affine) -> (ink: Bounds?, length: Double) {
    guard !points.isEmpty else { return (nil, 0) }
    var ink = Bounds(left: .infinity, top: .infinity, right: -.infinity, bottom: -.infinity)
    var length = 0.0
    // Without arrays for single steps: a font has thousands of them for each emoji.
    points.withUnsafeBufferPointer { points in
      var last = Point(x: 0, y: 0)
      var index = 0
      for step in steps {
        let count = step.pointCount
        guard count > 0 else { continue }
        var (previous, first) = (last, last)
        for number in 0..<count {
          let point = map.map(points[index + number])
          if step != .move { length += abs(point.x - previous.x) + abs(point.y - previous.y) }
          if number == 0 { first = point }
          previous = point
        }
        // The control points: of a quadratic curve the first, of a cubic one the first two.
        let second = count == 3 ? map.map(points[index + 1]) : first
        ink.enclose(previous)
        if count == 2 {
          ink.encloseTurn(last.x, first.x, previous.x) { $0.encloseX($1) }
          ink.encloseTurn(last.y, first.y, previous.y) { $0.encloseY($1) }
        } else if count == 3 {
          ink.encloseTurns(last.x, first.x, second.x, previous.x) { $0.encloseX($1) }
          ink.encloseTurns(last.y, first.y, second.y, previous.y) { $0.encloseY($1) }
        }
        last = previous
        index += count
      }
    }
    return (ink, length)
  }
}

extension Outline.Bounds {
  fileprivate mutating func enclose(_ point: Outline.Point) {
    encloseX(point.x)
    encloseY(point.y)
  }

  fileprivate mutating func encloseX(_ x: Double) { (left, right) = (min(left, x), max(right, x)) }
  fileprivate mutating func encloseY(_ y: Double) { (top, bottom) = (min(top, y), max(bottom, y)) }

  /// Encloses the coordinate where a quadratic Bézier curve turns back, if it does between its ends.
  fileprivate mutating func encloseTurn(
    _ a: Double, _ b: Double, _ c: Double, _ enclose: (inout Self, Double) -> Void
  ) {
    guard b < min(a, c) || b > max(a, c) else { return }
    let t = (a - b) / (a - 2 * b + c)
    let (ab, bc) = (a + (b - a) * t, b + (c - b) * t)
    enclose(&self, ab + (bc - ab) * t)
  }

  /// The same for a cubic curve, which may turn back twice: where its derivative is 0.
  fileprivate mutating func encloseTurns(
    _ a: Double, _ b: Double, _ c: Double, _ d: Double, _ enclose: (inout Self, Double) -> Void
  ) {
    let (low, high) = (min(a, d), max(a, d))
    guard b < low || b > high || c < low || c > high else { return }
    let (p, q, r) = (d - a + 3 * (b - c), 2 * (a - 2 * b + c), b - a)
    let root = (q * q - 4 * p * r).squareRoot()
    let places = abs(p) < 1e-12 * abs(q) ? (-r / q, .nan) : ((-q + root) / (2 * p), (-q - root) / (2 * p))
    for t in [places.0, places.1] where t > 0 && t < 1 {
      let (ab, bc, cd) = (a + (b - a) * t, b + (c - b) * t, c + (d - c) * t)
      let (abc, bcd) = (ab + (bc - ab) * t, bc + (cd - bc) * t)
      enclose(&self, abc + (bcd - abc) * t)
    }
  }
}

extension Outline.Bounds {
  /// The smallest rectangle around both.
  func union(_ other: Self) -> Self {
    Self(
      left: min(left, other.left), top: min(top, other.top), right: max(right, other.right),
      bottom: max(bottom, other.bottom))
  }

  /// The area.
  var area: Double { (right - left) * (bottom - top) }

  /// What both contain; nil for nothing.
  func intersection(_ other: Self) -> Self? {
    let both = Self(
      left: max(left, other.left), top: max(top, other.top), right: min(right, other.right),
      bottom: min(bottom, other.bottom))
    return both.left < both.right && both.top < both.bottom ? both : nil
  }
}

// MARK: - From a font

/// The outlines of a font's glyphs, which are kept for their next use.
final class GlyphOutlines {
  private let font: OpaquePointer
  private let unitsPerEm: Double
  private var outlines: [UInt32: Outline] = [:]
  /// The points of `outlines`.
  private var held = 0
  /// The points that are kept at most, and the last outline: 64 MiB.
  static let points = 4_000_000

  /// Those of an `hb_font_t` that lives as long.
  init(_ font: OpaquePointer, unitsPerEm: Double) { (self.font, self.unitsPerEm) = (font, unitsPerEm) }

  /// The outline of a glyph, with its origin at the origin.
  func outline(_ glyph: UInt32) -> Outline {
    if let known = outlines[glyph] { return known }
    let outline = Outline(glyph, of: font, unitsPerEm: unitsPerEm)
    // A document may use all glyphs of a large font.
    held += outline.points.count
    if outlines.count >= 4_096 || held > Self.points { (outlines, held) = ([:], outline.points.count) }
    outlines[glyph] = outline
    return outline
  }
}

extension Outline {
  /// The outline of a glyph, with its origin at the origin. `unitsPerEm` is the scale of the font, an `hb_font_t`.
  init(_ glyph: UInt32, of font: OpaquePointer, unitsPerEm: Double) {
    let pen = Pen(unitsPerEm)
    withExtendedLifetime(pen) {
      cgraphics_draw_glyph(font, glyph, Pen.functions, Unmanaged.passUnretained(pen).toOpaque())
    }
    self = pen.outline
  }

  /// Collects what HarfBuzz draws.
  private final class Pen {
    var outline = Outline()
    private let unitsPerEm: Double

    init(_ unitsPerEm: Double) { self.unitsPerEm = unitsPerEm }

    func point(_ x: Float, _ y: Float) -> Point {
      Point(x: Double(x) / unitsPerEm, y: -Double(y) / unitsPerEm)
    }

    /// The points that are collected at most: no glyph of a usable font has as many.
    private static let limit = 1 << 17

    static func pen(_ data: UnsafeMutableRawPointer?) -> Pen? {
      guard let pen = data.map({ Unmanaged<Pen>.fromOpaque($0).takeUnretainedValue() }),
        pen.outline.points.count <= limit
      else { return nil }
      return pen
    }

    /// HarfBuzz's table of functions. Any thread may use it without a lock: it is immutable once it is made, and is never freed.
    nonisolated(unsafe) static let functions: OpaquePointer? = {
      let table = hb_draw_funcs_create()
      hb_draw_funcs_set_move_to_func(
        table,
        { _, data, _, x, y, _ in
          guard let pen = Pen.pen(data) else { return }
          pen.outline.append(.move, pen.point(x, y))
        }, nil, nil)
      hb_draw_funcs_set_line_to_func(
        table,
        { _, data, _, x, y, _ in
          guard let pen = Pen.pen(data) else { return }
          pen.outline.append(.line, pen.point(x, y))
        }, nil, nil)
      hb_draw_funcs_set_quadratic_to_func(
        table,
        { _, data, _, x1, y1, x, y, _ in
          guard let pen = Pen.pen(data) else { return }
          pen.outline.append(.quadratic, pen.point(x1, y1), pen.point(x, y))
        }, nil, nil)
      hb_draw_funcs_set_cubic_to_func(
        table,
        { _, data, _, x1, y1, x2, y2, x, y, _ in
          guard let pen = Pen.pen(data) else { return }
          pen.outline.append(.cubic, pen.point(x1, y1), pen.point(x2, y2), pen.point(x, y))
        }, nil, nil)
      hb_draw_funcs_set_close_path_func(
        table,
        { _, data, _, _ in Pen.pen(data)?.outline.append(.close) }, nil, nil)
      hb_draw_funcs_make_immutable(table)
      return table
    }()
  }
}

// MARK: - On a surface

extension Outline {
  /// Appends the shape to the path of a Cairo context, each point mapped by `map`.
  func add(to cairo: OpaquePointer?, _ map: (Point) -> Point) {
    // Without arrays for single steps: a glyph of emoji has thousands.
    points.withUnsafeBufferPointer { points in
      var last = Point(x: 0, y: 0)
      var index = 0
      for step in steps {
        switch step {
        case .move:
          last = map(points[index])
          cairo_move_to(cairo, last.x, last.y)
        case .line:
          last = map(points[index])
          cairo_line_to(cairo, last.x, last.y)
        case .quadratic:
          let (control, end) = (map(points[index]), map(points[index + 1]))
          let (first, second) = (Self.third(last, control), Self.third(end, control))
          cairo_curve_to(cairo, first.x, first.y, second.x, second.y, end.x, end.y)
          last = end
        case .cubic:
          let (first, second, end) = (map(points[index]), map(points[index + 1]), map(points[index + 2]))
          cairo_curve_to(cairo, first.x, first.y, second.x, second.y, end.x, end.y)
          last = end
        case .close: cairo_close_path(cairo)
        }
        index += step.pointCount
      }
    }
  }

  /// The control point of the cubic curve that equals a quadratic one, between an end and its control point.
  fileprivate static func third(_ end: Point, _ control: Point) -> Point {
    Point(x: end.x + (control.x - end.x) * 2 / 3, y: end.y + (control.y - end.y) * 2 / 3)
  }
}

/// An outline in pixels of a drawing's result. Points are on a 256th of a pixel, as in Cairo, so that every part of the result is painted alike.
struct ResultOutline {
  private let outline: Outline
  /// Maps the outline to the result; nil if its points are pixels already.
  private let map: Affine?

  /// Maps an outline. One that reaches far beyond the result, at a large scale, is cut off around it.
  init(_ outline: Outline, _ map: Affine, within part: Outline.Bounds) {
    guard let bounds = outline.bounds, Self.isFar(bounds, map) else {
      (self.outline, self.map) = (outline, map)
      return
    }
    var cutter = OutlineCutter(around: part)
    outline.forEach { cutter.add($0, $1.map(map.map)) }
    (self.outline, self.map) = (cutter.finish(), nil)
  }

  private static func isFar(_ bounds: Outline.Bounds, _ map: Affine) -> Bool {
    let box = map.bounds(
      x: bounds.left, y: bounds.top, width: bounds.right - bounds.left, height: bounds.bottom - bounds.top)
    return [box.x, box.y, box.x + box.width, box.y + box.height].contains { abs($0) > farthest }
  }

  /// How far around the result an outline is kept, in pixels.
  fileprivate static let margin = 16.0

  /// The largest coordinate that Cairo, whose numbers have 24 bits before the point, computes with.
  static let farthest = Double(1 << 20)

  /// Appends the part from a pixel on to the path of a context.
  func add(to cairo: OpaquePointer?, left: Int32, top: Int32) {
    let (left, top) = (Double(left), Double(top))
    outline.add(to: cairo) { point in
      let mapped = map?.map(point) ?? point
      return Outline.Point(
        x: (mapped.x * 256).rounded() / 256 - left, y: (mapped.y * 256).rounded() / 256 - top)
    }
  }
}

/// Cuts an outline off at a rectangle: curves become lines where they are near it, and polygons are cut side by side (the algorithm of Sutherland
/// and Hodgman).
struct OutlineCutter {
  typealias Point = Outline.Point

  let left: Double
  let top: Double
  let right: Double
  let bottom: Double
  private var contour: [Point] = []
  private var result = Outline()

  /// Cuts off what is beyond a part, with a margin.
  init(around part: Outline.Bounds) {
    (left, top) = (part.left - ResultOutline.margin, part.top - ResultOutline.margin)
    (right, bottom) = (part.right + ResultOutline.margin, part.bottom + ResultOutline.margin)
  }

  /// Adds a step of the outline.
  mutating func add(_ step: Outline.Step, _ points: [Point]) {
    switch (step, points.count) {
    case (.move, 1):
      cut()
      contour = points
    case (.line, 1): contour += points
    case (.quadratic, 2):
      guard let start = contour.last else { return }
      let controls = [start, points[1]].map { Outline.third($0, points[0]) }
      curve(start, controls[0], controls[1], points[1], depth: 0)
    case (.cubic, 3):
      guard let start = contour.last else { return }
      curve(start, points[0], points[1], points[2], depth: 0)
    default: cut()
    }
  }

  /// The outline within the rectangle, of lines only.
  mutating func finish() -> Outline {
    cut()
    return result
  }

  /// Adds a curve as lines that differ from it by less than an eighth of a pixel near the rectangle. Parts on one far side of it become one line.
  private mutating func curve(_ a: Point, _ b: Point, _ c: Point, _ d: Point, depth: Int) {
    let all = [a, b, c, d]
    let isAside =
      all.allSatisfy { $0.x < left } || all.allSatisfy { $0.x > right } || all.allSatisfy { $0.y < top }
      || all.allSatisfy { $0.y > bottom }
    // The distance of the curve from its chord is at most that of the second differences, times a bit more than an eighth.
    let bends = [
      abs(a.x - 2 * b.x + c.x), abs(a.y - 2 * b.y + c.y), abs(b.x - 2 * c.x + d.x), abs(b.y - 2 * c.y + d.y),
    ]
    guard !isAside, depth < 48, bends.contains(where: { $0 > 0.125 }) else { return contour.append(d) }
    let (ab, bc, cd) = (Self.middle(a, b), Self.middle(b, c), Self.middle(c, d))
    let (abc, bcd) = (Self.middle(ab, bc), Self.middle(bc, cd))
    let middle = Self.middle(abc, bcd)
    curve(a, ab, abc, middle, depth: depth + 1)
    curve(middle, bcd, cd, d, depth: depth + 1)
  }

  private static func middle(_ a: Point, _ b: Point) -> Point {
    Point(x: (a.x + b.x) / 2, y: (a.y + b.y) / 2)
  }

  /// Ends the contour.
  private mutating func cut() {
    defer { contour = [] }
    var points = contour
    points = Self.part(of: points, \.x, from: left)
    points = Self.part(of: points, \.y, from: top)
    points = Self.part(of: points, \.x, to: right)
    points = Self.part(of: points, \.y, to: bottom)
    guard points.count > 2 else { return }
    result.append(.move, points[0])
    for point in points.dropFirst() { result.append(.line, point) }
    result.append(.close)
  }

  /// The part of a polygon whose coordinate is at least `low` and at most `high`.
  private static func part(
    of points: [Point], _ coordinate: KeyPath<Point, Double>, from low: Double = -.infinity,
    to high: Double = .infinity
  ) -> [Point] {
    guard var last = points.last else { return [] }
    var result: [Point] = []
    for point in points {
      let (old, new) = (last[keyPath: coordinate], point[keyPath: coordinate])
      let edge = min(old, new) < low ? low : high
      let (wasIn, isIn) = (old >= low && old <= high, new >= low && new <= high)
      if wasIn != isIn {
        let share = (edge - old) / (new - old)
        result.append(Point(x: last.x + (point.x - last.x) * share, y: last.y + (point.y - last.y) * share))
      }
      if isIn { result.append(point) }
      last = point
    }
    return result
  }
}

extension Affine {
  /// Maps a point.
  func map(_ point: Outline.Point) -> Outline.Point {
    Outline.Point(x: a * point.x + c * point.y + e, y: b * point.x + d * point.y + f)
  }
}
