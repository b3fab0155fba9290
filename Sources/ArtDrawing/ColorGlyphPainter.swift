// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics
import CWorker
import Glibc

/// Draws a glyph of outlines on a Cairo context whose matrix is the identity: this type maps all points.
struct ColorGlyphPainter {
  private let cairo: OpaquePointer?
  /// Maps the glyph to the context.
  private let map: Affine
  /// The part of the context that is drawn.
  private let part: Outline.Bounds

  /// Draws the steps of a glyph, mapped. Only `part` of the context has to be right. The status of the context tells of errors.
  static func draw(_ glyph: ColorGlyph, on cairo: OpaquePointer?, _ map: Affine, within part: Outline.Bounds)
  {
    let painter = ColorGlyphPainter(cairo: cairo, map: map, part: part)
    for step in glyph.steps { painter.draw(step) }
  }

  private func draw(_ step: ColorGlyph.Step) {
    switch step {
    case .fill(let outline, let own, let paint):
      addPath(outline, own)
      set(paint)
      cairo_fill(cairo)
    case .paint(let paint):
      set(paint)
      cairo_paint(cairo)
    case .beginClip(let outline, let own):
      cairo_save(cairo)
      addPath(outline, own)
      cairo_clip(cairo)
    case .endClip: cairo_restore(cairo)
    case .beginGroup: cairo_push_group(cairo)
    case .endGroup(let blending):
      cairo_pop_group_to_source(cairo)
      switch blending {
      case .over(let opacity): cairo_paint_with_alpha(cairo, opacity)
      case .mode(let mode):
        cairo_set_operator(cairo, mode.cairo)
        cairo_paint(cairo)
        cairo_set_operator(cairo, CAIRO_OPERATOR_OVER)
      }
    }
  }

  private func addPath(_ outline: Outline, _ own: Affine) {
    cairo_new_path(cairo)
    let all = own.then(map)
    guard let bounds = outline.bounds else { return }
    let box = all.bounds(
      x: bounds.left, y: bounds.top, width: bounds.right - bounds.left, height: bounds.bottom - bounds.top)
    if [box.x, box.y, box.x + box.width, box.y + box.height].allSatisfy({ abs($0) <= ResultOutline.farthest })
    {
      outline.add(to: cairo, all.map)
    } else {
      var cutter = OutlineCutter(around: part)
      outline.forEach { cutter.add($0, $1.map(all.map)) }
      cutter.finish().add(to: cairo) { $0 }
    }
  }

  // MARK: Paints

  private func set(_ paint: ColorGlyph.Paint) {
    switch paint {
    case .solid(let tint):
      let parts = tint.parts
      cairo_set_source_rgba(cairo, parts[0], parts[1], parts[2], parts[3])
    case .gradient(let gradient):
      let pattern = pattern(gradient)
      // Cairo maps the other way: from the context to the pattern.
      if let back = gradient.map.then(map).inverse {
        var matrix = cairo_matrix_t(xx: back.a, yx: back.b, xy: back.c, yy: back.d, x0: back.e, y0: back.f)
        cairo_pattern_set_matrix(pattern, &matrix)
        cairo_set_source(cairo, pattern)
      } else {
        cairo_set_source_rgba(cairo, 0, 0, 0, 0)
      }
      cairo_pattern_destroy(pattern)
    }
  }

  private func pattern(_ gradient: Gradient) -> OpaquePointer? {
    let pattern: OpaquePointer?
    switch gradient.shape {
    case .linear(let start, let end): pattern = cairo_pattern_create_linear(start.x, start.y, end.x, end.y)
    case .radial(let inner, let outer):
      pattern = cairo_pattern_create_radial(
        inner.center.x, inner.center.y, inner.radius, outer.center.x, outer.center.y, outer.radius)
    case .sweep(let center, let from, let to):
      return Sweep(gradient, from: from, to: to).pattern(
        around: center, radius: reach(from: center, gradient.map))
    }
    for stop in gradient.stops {
      let parts = stop.tint.parts
      cairo_pattern_add_color_stop_rgba(pattern, stop.at, parts[0], parts[1], parts[2], parts[3])
    }
    cairo_pattern_set_extend(pattern, gradient.extend.cairo)
    return pattern
  }

  /// A radius beyond the drawn part, in the gradient's space.
  private func reach(from center: Outline.Point, _ own: Affine) -> Double {
    guard let back = own.then(map).inverse else { return 0 }
    let corners = [part.left, part.right].flatMap { x in
      [part.top, part.bottom].map { back.map(Outline.Point(x: x, y: $0)) }
    }
    let farthest = corners.map { hypot($0.x - center.x, $0.y - center.y) }.max() ?? 0
    return farthest * 1.01 + 1e-3
  }
}

extension ColorGlyph.Tint {
  /// Red, green, blue and alpha, 0 to 1.
  fileprivate var parts: [Double] { [Double(red) / 255, Double(green) / 255, Double(blue) / 255, alpha] }
}

extension Gradient.Extend {
  fileprivate var cairo: cairo_extend_t {
    switch self {
    case .pad: CAIRO_EXTEND_PAD
    case .repeat: CAIRO_EXTEND_REPEAT
    case .reflect: CAIRO_EXTEND_REFLECT
    }
  }
}

extension CompositeMode {
  fileprivate var cairo: cairo_operator_t {
    switch self {
    case .clear: CAIRO_OPERATOR_CLEAR
    case .source: CAIRO_OPERATOR_SOURCE
    case .destination: CAIRO_OPERATOR_DEST
    case .sourceOver: CAIRO_OPERATOR_OVER
    case .destinationOver: CAIRO_OPERATOR_DEST_OVER
    case .sourceIn: CAIRO_OPERATOR_IN
    case .destinationIn: CAIRO_OPERATOR_DEST_IN
    case .sourceOut: CAIRO_OPERATOR_OUT
    case .destinationOut: CAIRO_OPERATOR_DEST_OUT
    case .sourceAtop: CAIRO_OPERATOR_ATOP
    case .destinationAtop: CAIRO_OPERATOR_DEST_ATOP
    case .xor: CAIRO_OPERATOR_XOR
    case .plus: CAIRO_OPERATOR_ADD
    case .screen: CAIRO_OPERATOR_SCREEN
    case .overlay: CAIRO_OPERATOR_OVERLAY
    case .darken: CAIRO_OPERATOR_DARKEN
    case .lighten: CAIRO_OPERATOR_LIGHTEN
    case .colorDodge: CAIRO_OPERATOR_COLOR_DODGE
    case .colorBurn: CAIRO_OPERATOR_COLOR_BURN
    case .hardLight: CAIRO_OPERATOR_HARD_LIGHT
    case .softLight: CAIRO_OPERATOR_SOFT_LIGHT
    case .difference: CAIRO_OPERATOR_DIFFERENCE
    case .exclusion: CAIRO_OPERATOR_EXCLUSION
    case .multiply: CAIRO_OPERATOR_MULTIPLY
    case .hue: CAIRO_OPERATOR_HSL_HUE
    case .saturation: CAIRO_OPERATOR_HSL_SATURATION
    case .color: CAIRO_OPERATOR_HSL_COLOR
    case .luminosity: CAIRO_OPERATOR_HSL_LUMINOSITY
    }
  }
}

// MARK: - Around a centre

/// A gradient around a centre, as wedges of a mesh that fill one turn.
private struct Sweep {
  /// A part of the turn, between two colours. Places are in turns, counter-clockwise from the right.
  struct Wedge {
    var from: Double
    var to: Double
    var first: ColorGlyph.Tint
    var last: ColorGlyph.Tint
  }

  /// Repetitions that are narrower than can be seen are not drawn.
  private static let mostRepetitions = 256.0

  private var wedges: [Wedge] = []

  init(_ gradient: Gradient, from: Double, to: Double) {
    let span = to - from
    let (first, last) = (gradient.stops[0].tint, gradient.stops[gradient.stops.count - 1].tint)
    guard span != 0 else {
      if gradient.extend == .pad {
        add(0, from, first, first)
        add(from, 1, last, last)
      }
      return
    }
    // A line that runs backwards is read from its end.
    let (start, length) = (min(from, to), abs(span))
    let stops =
      span > 0
      ? gradient.stops : gradient.stops.reversed().map { Gradient.Stop(at: 1 - $0.at, tint: $0.tint) }
    switch gradient.extend {
    case .pad:
      add(0, start + stops[0].at * length, stops[0].tint, stops[0].tint)
      add(stops, start, length)
      let end = stops[stops.count - 1]
      add(start + end.at * length, 1, end.tint, end.tint)
    case .repeat, .reflect:
      let (low, high) = ((-start / length).rounded(.down), ((1 - start) / length).rounded(.up))
      guard high - low <= Self.mostRepetitions else { return }
      for turn in Int(low)..<Int(high) {
        let isMirrored = gradient.extend == .reflect && turn % 2 != 0
        let line = isMirrored ? stops.reversed().map { Gradient.Stop(at: 1 - $0.at, tint: $0.tint) } : stops
        add(line, start + Double(turn) * length, length)
      }
    }
  }

  private mutating func add(_ stops: [Gradient.Stop], _ start: Double, _ length: Double) {
    for (low, high) in zip(stops, stops.dropFirst()) {
      add(start + low.at * length, start + high.at * length, low.tint, high.tint)
    }
  }

  /// Adds the part of a wedge that is within the turn.
  private mutating func add(_ from: Double, _ to: Double, _ first: ColorGlyph.Tint, _ last: ColorGlyph.Tint) {
    let (low, high) = (max(from, 0), min(to, 1))
    guard low < high else { return }
    wedges.append(
      Wedge(
        from: low, to: high, first: .between(first, last, (low - from) / (to - from)),
        last: .between(first, last, (high - from) / (to - from))))
  }

  func pattern(around center: Outline.Point, radius: Double) -> OpaquePointer? {
    let mesh = cairo_pattern_create_mesh()
    for wedge in wedges {
      // Arcs of at most a 32nd of a turn.
      let count = max(1, Int(((wedge.to - wedge.from) * 32 - 1e-9).rounded(.up)))
      func place(_ index: Int) -> Double {
        wedge.from + (wedge.to - wedge.from) * Double(index) / Double(count)
      }
      func tint(_ index: Int) -> ColorGlyph.Tint {
        .between(wedge.first, wedge.last, Double(index) / Double(count))
      }
      for index in 0..<count {
        Self.add(
          to: mesh, center, radius, (place(index), tint(index)), (place(index + 1), tint(index + 1)))
      }
    }
    return mesh
  }

  private static func add(
    to mesh: OpaquePointer?, _ center: Outline.Point, _ radius: Double, _ from: (Double, ColorGlyph.Tint),
    _ to: (Double, ColorGlyph.Tint)
  ) {
    let (first, last) = (from.0 * 2 * .pi, to.0 * 2 * .pi)
    let bend = 4.0 / 3 * tan((last - first) / 4)
    // y points downwards, so that this is counter-clockwise.
    func point(_ angle: Double, _ along: Double) -> (x: Double, y: Double) {
      (
        center.x + radius * (cos(angle) - along * sin(angle)),
        center.y - radius * (sin(angle) + along * cos(angle))
      )
    }
    let points = [point(first, 0), point(first, bend), point(last, -bend), point(last, 0)]
    cairo_mesh_pattern_begin_patch(mesh)
    cairo_mesh_pattern_move_to(mesh, center.x, center.y)
    cairo_mesh_pattern_line_to(mesh, points[0].x, points[0].y)
    cairo_mesh_pattern_curve_to(
      mesh, points[1].x, points[1].y, points[2].x, points[2].y, points[3].x, points[3].y)
    cairo_mesh_pattern_line_to(mesh, center.x, center.y)
    for corner in 0..<4 {
      let parts = (corner < 2 ? from.1 : to.1).parts
      cairo_mesh_pattern_set_corner_color_rgba(mesh, UInt32(corner), parts[0], parts[1], parts[2], parts[3])
    }
    cairo_mesh_pattern_end_patch(mesh)
  }
}

// MARK: - Tiles

/// A glyph of outlines at its place in a picture, which is painted in tiles from its own origin: each part of the picture makes the same calls of
/// Cairo, and so has the same pixels as the whole.
struct PlacedOutlines {
  /// The rows of a tile; the glyph's own height, and so the memory, does not matter.
  static let rows = 64
  /// The columns of a tile: of a huge glyph little more than what is seen is painted.
  static let columns = 1 << 12

  private let glyph: ColorGlyph
  /// Maps the glyph to pixels from the origin.
  private let map: Affine
  /// The pixel that coordinates count from.
  private let origin: (x: Int, y: Int)
  /// The pixels that have ink, from the origin.
  private let box: (left: Int, top: Int, right: Int, bottom: Int)

  /// Nil for a glyph that is not seen.
  init?(_ glyph: ColorGlyph, _ map: Affine) {
    guard let ink = glyph.ink,
      [map.a, map.b, map.c, map.d].allSatisfy({ abs($0) < 1e8 }), abs(map.e) < 1e9, abs(map.f) < 1e9
    else { return nil }
    // Positions that differ by a rounding error only, as those of parts of a drawing do, become the same.
    func fixed(_ value: Double, _ unit: Double) -> Double { (value * unit + 0.500_001).rounded(.down) / unit }
    let (x, y) = (fixed(map.e, 256), fixed(map.f, 256))
    origin = (Int(x.rounded(.down)), Int(y.rounded(.down)))
    self.map = Affine(
      a: fixed(map.a, 0x1p20), b: fixed(map.b, 0x1p20), c: fixed(map.c, 0x1p20), d: fixed(map.d, 0x1p20),
      e: x - Double(origin.x), f: y - Double(origin.y))
    self.glyph = glyph
    let bounds = self.map.bounds(
      x: ink.left, y: ink.top, width: ink.right - ink.left, height: ink.bottom - ink.top)
    box = (
      Int(bounds.x.rounded(.down)) - 1, Int(bounds.y.rounded(.down)) - 1,
      Int((bounds.x + bounds.width).rounded(.up)) + 1, Int((bounds.y + bounds.height).rounded(.up)) + 1
    )
  }

  /// A tile: its columns and rows in pixels of the picture.
  struct Tile: Hashable {
    var left: Int
    var top: Int
    var width: Int
    var height: Int

    var rect: craster_rect {
      craster_rect(
        left: Int32(clamping: left), top: Int32(clamping: top), right: Int32(clamping: left + width),
        bottom: Int32(clamping: top + height))
    }

    /// Where its pixels are copied to.
    var place: craster_place {
      craster_place(x: Double(left), y: Double(top), scale_x: 1, scale_y: 1, has_endless_border: false)
    }
  }

  /// The tiles that have pixels in a part of the picture.
  func tiles(in part: craster_rect) -> [Tile] {
    let all = (
      left: box.left + origin.x, top: box.top + origin.y, right: box.right + origin.x,
      bottom: box.bottom + origin.y
    )
    func steps(_ low: Int, _ high: Int, _ side: Int, _ first: Int32, _ end: Int32) -> [Range<Int>] {
      let (first, end) = (max(low, Int(first)), min(high, Int(end)))
      guard first < end else { return [] }
      let start = low + (first - low) / side * side
      return stride(from: start, to: end, by: side).map { $0..<min($0 + side, high) }
    }
    let columns = steps(all.left, all.right, Self.columns, part.left, part.right)
    return steps(all.top, all.bottom, Self.rows, part.top, part.bottom).flatMap { rows in
      columns.map { Tile(left: $0.lowerBound, top: rows.lowerBound, width: $0.count, height: rows.count) }
    }
  }

  /// The pixels of a tile. Throws `noMemory`.
  func pixels(_ tile: Tile) throws(DrawingRefusal) -> PixelBuffer {
    let pixels = try PixelBuffer(width: tile.width, height: tile.height)
    let surface = cairo_image_surface_create_for_data(
      pixels.pixels, CAIRO_FORMAT_ARGB32, Int32(clamping: tile.width), Int32(clamping: tile.height),
      Int32(clamping: pixels.stride))
    let cairo = cairo_create(surface)
    var moved = map
    moved.e += Double(origin.x - tile.left)
    moved.f += Double(origin.y - tile.top)
    let part = Outline.Bounds(left: 0, top: 0, right: Double(tile.width), bottom: Double(tile.height))
    ColorGlyphPainter.draw(glyph, on: cairo, moved, within: part)
    cairo_surface_flush(surface)
    let isPainted =
      cairo_status(cairo) == CAIRO_STATUS_SUCCESS && cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS
    cairo_destroy(cairo)
    cairo_surface_destroy(surface)
    guard isPainted else { throw .noMemory }
    return pixels
  }
}

// MARK: - Pictures

/// A glyph of outlines as a picture, for files that have no shapes for what the glyph is made of.
struct OutlineBitmap {
  /// Pixels of the picture for a pixel of the result.
  static let sharpness = 2.0
  /// The pixels of a side at most.
  static let side = 2_048.0

  let pixels: PixelBuffer
  /// Maps pixels to ems from the font's origin.
  let map: Affine

  /// Nil for a blank glyph. An em gets that many pixels, unless the picture would be too large. Throws `noMemory`.
  init?(_ glyph: ColorGlyph, pixelsPerEm: Double, side: Double = Self.side) throws(DrawingRefusal) {
    guard let ink = glyph.ink else { return nil }
    let sides = (width: ink.right - ink.left, height: ink.bottom - ink.top)
    let scale = max(1, min(pixelsPerEm, (side - 2) / max(sides.width, sides.height)))
    let (left, top) = ((ink.left * scale).rounded(.down), (ink.top * scale).rounded(.down))
    pixels = try PixelBuffer(
      width: Int((ink.right * scale).rounded(.up) - left),
      height: Int((ink.bottom * scale).rounded(.up) - top))
    map = Affine(a: 1 / scale, b: 0, c: 0, d: 1 / scale, e: left / scale, f: top / scale)
    let placed = PlacedOutlines(glyph, Affine(a: scale, b: 0, c: 0, d: scale, e: -left, f: -top))
    var target = pixels.part()
    let all = craster_rect(left: 0, top: 0, right: target.width, bottom: target.height)
    for tile in placed?.tiles(in: all) ?? [] {
      let painted = try placed?.pixels(tile)
      guard var source = painted?.part() else { continue }
      let rect = tile.rect.cut(to: all)
      guard craster_draw(&source, tile.place, &target, rect) else { throw .noMemory }
    }
  }
}
