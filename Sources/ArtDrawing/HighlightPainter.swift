// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics
import CWorker
import Glibc

/// Paints the lines around what differs: dashes on a light halo, which is seen on any background. Kinds differ in their dashes, too.
///
/// Each line is a shape that is filled, as letters are; so every band has the pixels of the whole.
struct HighlightPainter {
  /// A line of the drawing.
  private struct Line {
    var frame: Frame
    var kind: DrawingHighlight.Kind
    /// The pixels that it touches.
    var rect: craster_rect
  }

  /// The colour of the halo: white that lets a bit through.
  private static let halo = Color(red: 255, green: 255, blue: 255, alpha: 217)

  private let size: PixelSize
  private var lines: [Line] = []

  /// Finds the visible lines, and adds their work.
  init(_ highlights: [DrawingHighlight], _ projection: Projection, _ work: inout PaintingWork) {
    size = projection.size
    for highlight in highlights {
      guard let frame = Frame(highlight, projection) else { continue }
      let rect = frame.pixels.cut(to: projection.canvas)
      work.add(rect)
      guard !rect.isEmpty else { continue }
      work.add(points: frame.points(highlight.kind, within: size), rows: Int(rect.bottom - rect.top))
      lines.append(Line(frame: frame, kind: highlight.kind, rect: rect))
    }
  }

  /// Paints the lines within a rectangle of the target: all halos, and the dashes above them. Throws `noMemory`.
  func paint(on target: craster_part, _ part: craster_rect) throws(DrawingRefusal) {
    let visible = lines.filter { !$0.rect.cut(to: part).isEmpty }
    guard !visible.isEmpty else { return }
    try target.draw(part) { cairo, left, top in
      // One by one: how Cairo rounds depends on all of a path.
      func fill(_ outline: Outline) {
        ResultOutline(outline, .identity, within: size).add(to: cairo, left: left, top: top)
        cairo_fill(cairo)
      }
      Self.halo.set(on: cairo)
      for line in visible { fill(line.frame.halo) }
      for line in visible {
        line.kind.color.set(on: cairo)
        fill(line.frame.dashes(line.kind, within: size))
      }
    }
  }
}

extension DrawingHighlight.Kind {
  /// Three colours that people who confuse red and green tell apart. Source: Okabe and Ito, Color Universal Design, 2008.
  var color: Color {
    switch self {
    case .added: Color(red: 0, green: 158, blue: 115)
    case .changed: Color(red: 0, green: 114, blue: 178)
    case .removed: Color(red: 213, green: 94, blue: 0)
    }
  }

  /// The lengths of a dash and of a gap, in widths of the line; nil for a line without gaps.
  fileprivate var dash: (dash: Double, gap: Double)? {
    switch self {
    case .added: nil
    case .changed: (1, 1)
    case .removed: (4, 2)
    }
  }
}

// MARK: - The shape

/// A rectangle in pixels of the result, turned about its centre, whose sides are the middle of a line.
private struct Frame {
  private let x: Double
  private let y: Double
  /// Half of the sides.
  private let across: Double
  private let down: Double
  private let sine: Double
  private let cosine: Double
  /// Half of the line's width, without the halo.
  private let half: Double

  /// The halo on each side of the line, in widths of the line.
  private static let halo = 0.5
  /// The widths of a line, in pixels.
  private static let widths = 2.0...12.0
  /// The width in pixels of the canvas, where that is within the bounds.
  private static let width = 3.0

  /// The line around a highlight's box, or within the edges of the canvas; nil where there is no canvas.
  init?(_ highlight: DrawingHighlight, _ projection: Projection) {
    let scale = max(projection.scaleX, projection.scaleY)
    let width = min(max(Self.width * scale, Self.widths.lowerBound), Self.widths.upperBound)
    half = width / 2
    let edge = half + width * Self.halo
    guard let box = highlight.box else {
      let rect = projection.canvas
      guard !rect.isEmpty else { return nil }
      (x, y) = ((Double(rect.left) + Double(rect.right)) / 2, (Double(rect.top) + Double(rect.bottom)) / 2)
      across = max(0, (Double(rect.right) - Double(rect.left)) / 2 - edge)
      down = max(0, (Double(rect.bottom) - Double(rect.top)) / 2 - edge)
      (sine, cosine) = (0, 1)
      return
    }
    (x, y) = (projection.x(box.x), projection.y(box.y))
    (across, down) = (box.width / 2 * projection.scaleX + edge, box.height / 2 * projection.scaleY + edge)
    (sine, cosine) = box.rotation.sineAndCosine
  }

  /// The pixels that it may touch.
  var pixels: craster_rect {
    let outer = half + 2 * half * Self.halo
    let (width, height) = (across + outer, down + outer)
    let right = abs(width * cosine) + abs(height * sine)
    let bottom = abs(width * sine) + abs(height * cosine)
    return ResultBox(x: x - right, y: y - bottom, width: 2 * right, height: 2 * bottom).pixels
  }

  /// The halo, which has no gaps.
  var halo: Outline { solid(half + 2 * half * Self.halo) }

  /// The line. Dashes that are far from the result are left out.
  func dashes(_ kind: DrawingHighlight.Kind, within size: PixelSize) -> Outline {
    guard let dash = kind.dash else { return solid(half) }
    var result = Outline()
    for side in sides {
      let row = DashRow(side, period: (dash.dash + dash.gap) * 2 * half, within: size)
      for number in row.numbers {
        let (middle, reach) = (Double(number) * row.step, dash.dash * half)
        // Those at the corners fill them.
        let start = number == 0 ? -half : max(middle - reach, -half)
        let end = number == row.last ? side.length + half : min(middle + reach, side.length + half)
        result.append(side, start, end, half)
      }
    }
    return result
  }

  /// How many points the shapes have, at most; at a smaller scale they have no more.
  func points(_ kind: DrawingHighlight.Kind, within size: PixelSize) -> Int {
    guard let dash = kind.dash else { return 32 }
    return sides.reduce(16) {
      // Six, because counts are rounded, and the margin around the result is wider at a smaller scale.
      $0 + 4 * (DashRow($1, period: (dash.dash + dash.gap) * 2 * half, within: size).numbers.count + 6)
    }
  }

  private func solid(_ half: Double) -> Outline {
    var result = Outline()
    for side in sides { result.append(side, -half, side.length + half, half) }
    return result
  }

  /// Clockwise, from the one that is on top before turning.
  private var sides: [Side] {
    func corner(_ right: Double, _ low: Double) -> Outline.Point {
      Outline.Point(
        x: x + right * across * cosine - low * down * sine, y: y + right * across * sine + low * down * cosine
      )
    }
    return [
      Side(start: corner(-1, -1), across: cosine, down: sine, length: 2 * across),
      Side(start: corner(1, -1), across: -sine, down: cosine, length: 2 * down),
      Side(start: corner(1, 1), across: -cosine, down: -sine, length: 2 * across),
      Side(start: corner(-1, 1), across: sine, down: -cosine, length: 2 * down),
    ]
  }
}

/// A side of a rectangle: its first corner, its direction, of length 1, and its length in pixels.
private struct Side {
  let start: Outline.Point
  let across: Double
  let down: Double
  let length: Double

  /// The point that is so far from the first corner, and so far to the right of the side.
  func point(_ along: Double, _ aside: Double) -> Outline.Point {
    Outline.Point(x: start.x + along * across - aside * down, y: start.y + along * down + aside * across)
  }

  /// The part within a rectangle around a picture, as distances from the first corner; nil if there is none.
  func part(within size: PixelSize, margin: Double) -> ClosedRange<Double>? {
    var (low, high) = (0.0, length)
    for (start, step, side) in [(start.x, across, size.width), (start.y, down, size.height)] {
      let (near, far) = (-margin - start, Double(side) + margin - start)
      guard abs(step) > 1e-9 else {
        guard near <= 0, far >= 0 else { return nil }
        continue
      }
      low = max(low, min(near / step, far / step))
      high = min(high, max(near / step, far / step))
    }
    return low <= high ? low...high : nil
  }
}

/// The dashes of a side. There is one in the middle of each corner, and the others are equally far from each other.
private struct DashRow {
  /// The pixels from the middle of a dash to the next.
  let step: Double
  /// The number of the last dash.
  let last: Int
  /// The numbers of those near the result.
  let numbers: Range<Int>

  /// Dashes about `period` pixels from each other.
  init(_ side: Side, period: Double, within size: PixelSize) {
    let count = max(1, min((side.length / period).rounded(), 1e15))
    (step, last) = (side.length / count, Int(count))
    guard let part = side.part(within: size, margin: 2 * period), step > 0 else {
      numbers = step > 0 ? 0..<0 : 0..<1
      return
    }
    let low = max(0, (part.lowerBound / step).rounded(.down))
    let high = min(count, (part.upperBound / step).rounded(.up))
    numbers = Int(low)..<max(Int(low), Int(high) + 1)
  }
}

extension Outline {
  /// Appends the rectangle around a piece of a side.
  fileprivate mutating func append(_ side: Side, _ start: Double, _ end: Double, _ half: Double) {
    append(.move, side.point(start, -half))
    append(.line, side.point(end, -half))
    append(.line, side.point(end, half))
    append(.line, side.point(start, half))
    append(.close)
  }
}

extension Affine {
  /// Maps each point to itself.
  static let identity = Affine(a: 1, b: 0, c: 0, d: 1, e: 0, f: 0)
}
