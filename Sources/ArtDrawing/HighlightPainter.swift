// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker

/// Paints the lines around what differs: dashes on a light halo, which is seen on any background. Kinds differ in their dashes, too.
struct HighlightPainter {
  /// A visible line.
  private struct Line {
    var halo: craster_frame_shape
    var dashes: craster_frame_shape
    var color: Color
    /// The pixels that it touches.
    var rect: craster_rect
  }

  /// The colour of the halo: white that lets a bit through.
  private static let halo = Color(red: 255, green: 255, blue: 255, alpha: 217)
  /// The halo on each side of the line, in widths of the line.
  private static let haloWidth = 0.5
  /// The widths of a line, in pixels.
  private static let widths = 2.0...12.0
  /// The width in pixels of the canvas, where that is within the bounds.
  private static let width = 3.0

  private var lines: [Line] = []

  /// Finds the visible lines, and adds their work.
  init(_ highlights: [DrawingHighlight], _ projection: Projection, _ work: inout PaintingWork) {
    guard !projection.canvas.isEmpty else { return }
    let scale = max(projection.scaleX, projection.scaleY)
    let width = min(max(Self.width * scale, Self.widths.lowerBound), Self.widths.upperBound)
    let edge = width / 2 + width * Self.haloWidth
    for highlight in highlights {
      var halo = craster_frame_shape(highlight.box, projection, edge: edge)
      var dashes = halo
      (halo.half, dashes.half) = (edge, width / 2)
      dashes.setDashes(highlight.kind, width: width)
      let rect = halo.pixels.cut(to: projection.canvas)
      // The halo, and the dashes.
      for _ in 0..<2 { work.add(rect, fixed: 4 * width) }
      if rect.isEmpty { continue }
      lines.append(Line(halo: halo, dashes: dashes, color: highlight.kind.color, rect: rect))
    }
  }

  /// Paints the lines within a rectangle of the target: all halos, and the dashes above them.
  func paint(on target: craster_part, _ part: craster_rect) {
    let visible = lines.filter { !$0.rect.cut(to: part).isEmpty }
    var target = target
    for line in visible { craster_frame(&target, line.rect.cut(to: part), line.halo, Self.halo.number) }
    for line in visible { craster_frame(&target, line.rect.cut(to: part), line.dashes, line.color.number) }
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

extension Color {
  /// 0xAARRGGBB.
  fileprivate var number: UInt32 { [alpha, red, green, blue].reduce(0) { $0 << 8 | UInt32($1) } }
}

extension craster_frame_shape {
  /// A line whose middle is that far from a box, or within the edges of the canvas without one. It has no width yet.
  fileprivate init(_ box: EmojiBox?, _ projection: Projection, edge: Double) {
    self.init()
    guard let box else {
      let rect = projection.canvas
      let (left, top) = (Double(rect.left), Double(rect.top))
      let (width, height) = (Double(rect.right) - left, Double(rect.bottom) - top)
      (x, y) = (left + width / 2, top + height / 2)
      (across, down) = (max(0, width / 2 - edge), max(0, height / 2 - edge))
      cosine = 1
      return
    }
    (x, y) = (projection.x(box.x), projection.y(box.y))
    across = box.width / 2 * projection.scaleX + edge
    down = box.height / 2 * projection.scaleY + edge
    (sine, cosine) = box.rotation.sineAndCosine
  }

  /// Makes it a line of that kind. There is a dash in each corner, and the others are equally far from each other.
  fileprivate mutating func setDashes(_ kind: DrawingHighlight.Kind, width: Double) {
    guard let dash = kind.dash else { return }
    let period = (dash.dash + dash.gap) * width
    func step(_ length: Double) -> Double { length / max(1, (length / period).rounded()) }
    (step_across, step_down) = (step(2 * across), step(2 * down))
    reach = dash.dash * width / 2
  }

  /// The pixels that it may touch.
  fileprivate var pixels: craster_rect {
    let (width, height) = (across + half, down + half)
    let right = abs(width * cosine) + abs(height * sine)
    let bottom = abs(width * sine) + abs(height * cosine)
    return ResultBox(x: x - right, y: y - bottom, width: 2 * right, height: 2 * bottom).pixels
  }
}
