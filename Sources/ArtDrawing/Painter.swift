// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics
import CWorker
import Glibc

/// What is visible of a drawing, and what painting it takes. Nothing is decoded yet.
struct PaintingPlan {
  /// A visible label, and the rows that it touches.
  fileprivate struct VisibleLabel {
    var label: Int32
    var top: Int32
    var bottom: Int32
  }

  fileprivate let drawing: Drawing
  fileprivate let projection: Projection
  fileprivate let typesetter: Typesetter
  fileprivate private(set) var visibleLabels: [VisibleLabel] = []
  fileprivate let highlights: HighlightPainter
  fileprivate let missing: MissingGlyphTexts
  fileprivate let enlarged: Drawn.Enlarged?
  fileprivate let outlines: Drawn.Outlines?
  /// The work, which nothing has checked yet.
  let work: PaintingWork

  /// The size of the result.
  var size: PixelSize { projection.size }

  /// Finds the visible labels. Throws `noMemory`.
  init(_ drawing: Drawing, size: PixelSize, _ typesetter: Typesetter) throws(DrawingRefusal) {
    self.drawing = drawing
    self.typesetter = typesetter
    projection = Projection(
      drawing.region, of: drawing.scene.canvas, to: size, crop: drawing.details.crop)
    var missing = MissingGlyphTexts()
    let bounds = RasterBounds(drawing.format, isTransparent: drawing.isTransparent)
    var work = PaintingWork(drawing.region, size: size, bounds, page: drawing.details.page)
    let scale = max(projection.scaleX, projection.scaleY)
    var enlarging = Enlarging(typesetter.fonts, pixels: scale)
    for (index, label) in drawing.scene.labels.enumerated() {
      let layout = try typesetter.layout(label.text)
      guard let rows = projection.rows(of: label, layout, &work) else { continue }
      work.add(letters: layout.letters.points.count, rows: Int(rows.upperBound - rows.lowerBound))
      for placed in layout.glyphs {
        guard let outlines = try typesetter.fonts.outlines(placed.glyph) else { continue }
        let box = projection.box(of: placed, label)
        let shown = box.pixels.cut(to: projection.canvas)
        work.add(
          outlines.glyph, em: label.size.pixels * scale * outlines.inBox.a, shown, of: (box.width, box.height)
        )
      }
      if layout.hasMissingGlyphs { missing.insert(label.text) }
      try enlarging.add(label, layout)
      visibleLabels.append(
        VisibleLabel(label: Int32(clamping: index), top: rows.lowerBound, bottom: rows.upperBound))
    }
    let texts = visibleLabels.map { drawing.scene.labels[Int($0.label)].text }
    outlines = try Self.outlines(of: texts, typesetter)
    highlights = HighlightPainter(drawing.details.highlights, projection, &work)
    (self.missing, self.work, enlarged) = (missing, work, enlarging.most)
  }
}

extension PaintingPlan {
  /// How the only glyph of the only text is drawn from the first font's outlines; nil for anything else.
  private static func outlines(of texts: [EmojiText], _ typesetter: Typesetter) throws(DrawingRefusal)
    -> Drawn.Outlines?
  {
    guard texts.count == 1, !texts[0].isCaption else { return nil }
    let layout = try typesetter.layout(texts[0])
    let first = typesetter.fonts.first
    guard layout.glyphs.count == 1, layout.letters.isEmpty,
      // As it is: a program that has the font does not put U+FE0F in.
      let glyph = first.only(texts[0].string), layout.glyphs[0].glyph == .color(font: 0, glyph.glyph),
      let outlines = try first.outlines(glyph.glyph)
    else { return nil }
    let box = layout.glyphs[0]
    return Drawn.Outlines(
      scale: outlines.inBox.a, x: box.x + outlines.inBox.e - glyph.x, y: box.y + outlines.inBox.f + glyph.y)
  }
}

/// Paints the pixels of a drawing in bands; every band is identical to that part of the whole.
final class Painter: RasterSource {
  private let scene: DrawingScene
  private let projection: Projection
  let isTransparent: Bool
  private let typesetter: Typesetter
  private let glyphs: GlyphCache
  private let background: BackgroundPainter
  private let visibleLabels: [PaintingPlan.VisibleLabel]
  private let highlights: HighlightPainter
  /// Tiles of outlines that reach below the rows painted last, for the next ones.
  private var tiles: [TileKey: PixelBuffer] = [:]
  private var tileBytes = 0
  /// The summary for the caller.
  let drawn: Drawn

  /// A tile of a glyph of a label, by their numbers.
  private struct TileKey: Hashable {
    var label: Int32
    var glyph: Int
    var tile: PlacedOutlines.Tile
  }

  /// The bytes of tiles that are kept at most; what is not kept is painted again.
  private static let mostTileBytes = 16 << 20

  /// The size of the result.
  var size: PixelSize { projection.size }
  var rights: String? { typesetter.fonts.rights }

  /// Finds the visible labels and decodes the background. Throws `tooLarge` for too many pixels or too much
  /// work, and `noMemory`.
  convenience init(_ drawing: Drawing, size: PixelSize, _ typesetter: Typesetter) throws(DrawingRefusal) {
    let plan = try PaintingPlan(drawing, size: size, typesetter)
    try plan.work.check()
    self.init(plan)
  }

  /// Decodes the background, unless a painter beside this one has the same one. The work must be checked.
  init(_ plan: PaintingPlan, beside other: Painter? = nil) {
    scene = plan.drawing.scene
    isTransparent = plan.drawing.isTransparent
    (projection, typesetter, highlights) = (plan.projection, plan.typesetter, plan.highlights)
    visibleLabels = plan.visibleLabels
    glyphs = other?.glyphs ?? GlyphCache(plan.typesetter.fonts)
    if let other, other.scene.picture == scene.picture,
      other.scene.canvas == scene.canvas, other.projection.isSame(as: projection)
    {
      background = other.background
    } else {
      background = BackgroundPainter(scene, projection)
    }
    drawn = Drawn(
      lacking: plan.missing.first, lackingCount: plan.missing.count, pictureFault: background.fault,
      enlarged: plan.enlarged, outlines: plan.outlines)
  }

  func paint(_ rows: Range<Int>, into buffer: PixelBuffer) throws(DrawingRefusal) {
    try paint(rows, into: buffer, from: 0)
  }

  /// Paints some rows into the first rows of a buffer, from that column of it on. Throws `noMemory` and `badFont`.
  func paint(_ rows: Range<Int>, into buffer: PixelBuffer, from column: Int) throws(DrawingRefusal) {
    var target = buffer.columns(column, size.width)
    (target.top, target.height) = (Int32(clamping: rows.lowerBound), Int32(clamping: rows.count))
    target.whole_height = Int32(clamping: size.height)
    let all = craster_rect(
      left: 0, top: Int32(clamping: rows.lowerBound), right: Int32(clamping: size.width),
      bottom: Int32(clamping: rows.upperBound))
    craster_fill(&target, all, isTransparent ? 0 : 0xFFFF_FFFF)
    let part = all.cut(to: projection.canvas)
    guard !part.isEmpty else { return }
    if let fill = scene.fill { craster_fill(&target, part, fill.pixel(over: isTransparent ? 0 : 255)) }
    try background.paint(on: &target, part)
    for item in visibleLabels where item.top < part.bottom && item.bottom > part.top {
      try paint(item.label, on: &target, part)
    }
    highlights.paint(on: target, part)
  }

  /// Paints everything. Throws `noMemory` and `badFont`.
  func whole() throws(DrawingRefusal) -> PixelBuffer {
    let result = try PixelBuffer(width: size.width, height: size.height)
    try paint(0..<size.height, into: result)
    return result
  }

  private func paint(_ number: Int32, on target: inout craster_part, _ part: craster_rect)
    throws(DrawingRefusal)
  {
    let label = scene.labels[Int(number)]
    let layout = try typesetter.layout(label.text)
    try paint(layout.letters, of: label, on: &target, part)
    for (index, placed) in layout.glyphs.enumerated() {
      let box = projection.box(of: placed, label)
      let rect = box.pixels.cut(to: part)
      guard !rect.isEmpty else { continue }
      if let outlines = try typesetter.fonts.outlines(placed.glyph) {
        let box = Affine(a: 1, b: 0, c: 0, d: 1, e: placed.x, f: placed.y)
        let map = outlines.inBox.then(box).then(label.map).then(projection.map)
        if let glyph = PlacedOutlines(outlines.glyph, map) {
          try paint(glyph, (number, index), on: &target, part)
        }
        continue
      }
      guard label.isUpright else {
        try paint(placed, of: label, on: &target, rect)
        continue
      }
      let em = try typesetter.fonts.pixelsPerEm(placed.glyph)
      let scale = max(box.width / placed.width, box.height / placed.height) / em
      let pixels = try glyphs.pixels(placed.glyph, scale: scale)
      let place = craster_place(
        x: box.x, y: box.y, scale_x: box.width / Double(pixels.width),
        scale_y: box.height / Double(pixels.height),
        has_endless_border: false)
      var source = pixels.part()
      guard craster_draw(&source, place, &target, rect) else { throw .noMemory }
    }
  }

  /// Paints a glyph of outlines, which is the glyph of that index of a label.
  private func paint(
    _ glyph: PlacedOutlines, _ place: (label: Int32, glyph: Int), on target: inout craster_part,
    _ part: craster_rect
  ) throws(DrawingRefusal) {
    for tile in glyph.tiles(in: part) {
      let key = TileKey(label: place.label, glyph: place.glyph, tile: tile)
      let known = tiles.removeValue(forKey: key)
      let pixels = if let known { known } else { try glyph.pixels(tile) }
      tileBytes -= known?.count ?? 0
      if tile.top + tile.height > Int(part.bottom), tileBytes + pixels.count <= Self.mostTileBytes {
        tiles[key] = pixels
        tileBytes += pixels.count
      }
      var source = pixels.part()
      guard craster_draw(&source, tile.place, &target, tile.rect.cut(to: part)) else { throw .noMemory }
    }
  }
}

extension Painter {
  /// The columns that are painted at once: Cairo's pictures have at most 32,767.
  private static let columns: Int32 = 1 << 14

  /// Paints letters.
  private func paint(
    _ letters: Outline, of label: DrawingScene.Label, on target: inout craster_part, _ part: craster_rect
  ) throws(DrawingRefusal) {
    guard let rect = projection.box(of: letters, label)?.pixels.cut(to: part), !rect.isEmpty,
      let pixels = target.pixels
    else { return }
    let shape = ResultOutline(letters, label.map.then(projection.map), within: projection.whole)
    for left in stride(from: rect.left, to: rect.right, by: Int(Self.columns)) {
      let columns = min(rect.right - left, Self.columns)
      let first = pixels + Int(rect.top - target.top) * target.stride + 4 * Int(left - target.left)
      let surface = cairo_image_surface_create_for_data(
        first, CAIRO_FORMAT_ARGB32, columns, rect.bottom - rect.top, Int32(clamping: target.stride))
      let cairo = cairo_create(surface)
      label.ink.set(on: cairo)
      shape.add(to: cairo, left: left, top: rect.top)
      cairo_fill(cairo)
      let isPainted =
        cairo_status(cairo) == CAIRO_STATUS_SUCCESS
        && cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS
      cairo_destroy(cairo)
      cairo_surface_destroy(surface)
      guard isPainted else { throw .noMemory }
    }
  }
}

extension Painter {
  /// Paints a glyph that is turned or mirrored.
  private func paint(
    _ placed: GlyphLayout.Placed, of label: DrawingScene.Label, on target: inout craster_part,
    _ rect: craster_rect
  ) throws(DrawingRefusal) {
    let em = try typesetter.fonts.pixelsPerEm(placed.glyph)
    let scale = max(projection.scaleX, projection.scaleY) * label.size.pixels / em
    var pixels = try glyphs.pixels(placed.glyph, scale: scale)
    // A point is mixed from its four neighbours: of a picture that is much larger, most pixels would not count.
    let across = placed.width * em * scale
    if across * 3 < Double(pixels.width) { pixels = try pixels.shrunk(by: across * 2 / Double(pixels.width)) }
    let glyph = Affine(
      a: placed.width / Double(pixels.width), b: 0, c: 0, d: placed.height / Double(pixels.height),
      e: placed.x,
      f: placed.y)
    // Too small to be seen.
    guard let back = glyph.then(label.map).then(projection.map).inverse else { return }
    var source = pixels.part()
    let map = craster_map(a: back.a, b: back.b, c: back.c, d: back.d, e: back.e, f: back.f)
    guard craster_draw_mapped(&source, map, &target, rect) else { throw .noMemory }
  }
}

extension Color {
  /// The pixel of this colour over white of that opacity, premultiplied: 0xAARRGGBB.
  func pixel(over white: UInt32) -> UInt32 {
    let rest = white * (255 - UInt32(alpha))
    let parts = [255, UInt32(red), UInt32(green), UInt32(blue)].map {
      ($0 * UInt32(alpha) + rest + 127) / 255
    }
    return parts.reduce(0) { $0 << 8 | $1 }
  }
}

/// A rectangle in pixels of the result.
struct ResultBox {
  var x: Double
  var y: Double
  var width: Double
  var height: Double

  /// The pixels that a glyph in the rectangle may touch, including its blurred edge.
  var pixels: craster_rect {
    // An enlarged bitmap fades out over half of its own pixels: a 64th of its side is more than that.
    let (across, down) = (width / 64 + 1, height / 64 + 1)
    return craster_rect(
      left: Self.pixel((x - across).rounded(.down)), top: Self.pixel((y - down).rounded(.down)),
      right: Self.pixel((x + width + across).rounded(.up)),
      bottom: Self.pixel((y + height + down).rounded(.up)))
  }

  private static func pixel(_ value: Double) -> Int32 { Int32(max(-2e9, min(value, 2e9))) }
}

extension Projection {
  /// A glyph with a smaller side, in pixels, is invisible.
  private static let smallest = 1.0 / 64

  /// The rectangle of a glyph; of outlines, that of their ink.
  func box(of placed: GlyphLayout.Placed, _ label: DrawingScene.Label) -> ResultBox {
    let em = label.size.pixels
    if let ink = placed.inkBox {
      return label.map.then(map).bounds(
        x: ink.left, y: ink.top, width: ink.right - ink.left, height: ink.bottom - ink.top)
    }
    guard label.isUpright else {
      return label.map.then(map).bounds(x: placed.x, y: placed.y, width: placed.width, height: placed.height)
    }
    return ResultBox(
      x: x(label.position.x) + placed.x * em * scaleX, y: y(label.position.y) + placed.y * em * scaleY,
      width: placed.width * em * scaleX, height: placed.height * em * scaleY)
  }

  /// The rectangle of a label's letters; nil where there are none.
  func box(of letters: Outline, _ label: DrawingScene.Label) -> ResultBox? {
    letters.bounds.map {
      label.map.then(map).bounds(x: $0.left, y: $0.top, width: $0.right - $0.left, height: $0.bottom - $0.top)
    }
  }

  /// The rows that a label may touch, whose work is added; nil where it is invisible.
  fileprivate func rows(of label: DrawingScene.Label, _ layout: GlyphLayout, _ work: inout PaintingWork)
    -> Range<
      Int32
    >?
  {
    var rows: Range<Int32>?
    for box in layout.glyphs.map({ box(of: $0, label) }) + [box(of: layout.letters, label)].compactMap(\.self)
    {
      guard box.width > Self.smallest, box.height > Self.smallest else { continue }
      let rect = box.pixels.cut(to: canvas)
      work.add(rect)
      guard !rect.isEmpty else { continue }
      rows = min(rows?.lowerBound ?? rect.top, rect.top)..<max(rows?.upperBound ?? rect.bottom, rect.bottom)
    }
    return rows
  }
}

extension craster_rect {
  var isEmpty: Bool { left >= right || top >= bottom }

  func cut(to other: craster_rect) -> craster_rect {
    craster_rect(
      left: max(left, other.left), top: max(top, other.top), right: min(right, other.right),
      bottom: min(bottom, other.bottom))
  }
}

// MARK: - Limits of work

/// Estimates the work of painting, and limits it.
struct PaintingWork {
  /// The pixels of all emoji together, hidden ones included.
  static let painted = 2e9

  /// The sides of the region in canvas pixels.
  private let region: (width: Double, height: Double)
  private let size: PixelSize
  private let bounds: RasterBounds
  private let page: PageSize?
  /// The columns that do not grow with the scale.
  private var fixedColumns = 0
  private var sum = 0.0
  // Sums over all rectangles, to estimate the work at smaller scales.
  private var constant = 0.0
  private var widths = 0.0
  private var heights = 0.0
  private var areas = 0.0
  /// The points of letters and emoji in all bands, as pixels.
  private var points = 0.0

  /// No work yet, for a drawing of that region.
  init(_ region: CanvasRect, size: PixelSize, _ bounds: RasterBounds, page: PageSize? = nil) {
    self.region = (region.width, region.height)
    self.size = size
    self.bounds = bounds
    self.page = page
  }

  /// The work of panels beside each other, of the same scale, in a picture of that size with that many columns between them. The first
  /// one has the bounds.
  init(_ first: PaintingWork, beside others: [PaintingWork], size: PixelSize, gaps: Int) {
    let all = [first] + others
    region = (all.reduce(0) { $0 + $1.region.width }, all.map(\.region.height).max() ?? 0)
    (self.size, bounds, page) = (size, first.bounds, nil)
    // The width of each panel is rounded.
    fixedColumns = gaps + others.count
    for work in all {
      sum += work.sum
      constant += work.constant
      widths += work.widths
      heights += work.heights
      areas += work.areas
      points += work.points
    }
  }

  /// Adds the rectangle of a glyph or a highlight, even an empty one: at a smaller scale it may touch pixels. So many pixels of its sides
  /// do not shrink with the scale.
  mutating func add(_ rect: craster_rect, fixed: Double = 0) {
    let width = max(0, Double(rect.right) - Double(rect.left))
    let height = max(0, Double(rect.bottom) - Double(rect.top))
    // Each row costs time, too. The cost of a glyph itself is small, and the number of glyphs is limited.
    if width > 0 { sum += (width + 16) * height }
    // At a smaller scale this is (across + fixed + 4 + 16) * (down + fixed + 4); see `isBearable`.
    let (across, down) = (max(0, width - fixed), max(0, height - fixed))
    constant += (fixed + 20) * (fixed + 4)
    widths += across * (fixed + 4)
    heights += down * (fixed + 20)
    areas += across * down
  }

  /// Adds the outlines of a label's letters, which are mapped again for each band.
  mutating func add(letters points: Int, rows: Int) {
    // Mapping a point takes as long as painting some twenty pixels; a band has 64 rows or more.
    self.points += 20 * Double(points) * (Double(rows) / 64 + 1)
  }

  /// Adds a glyph of outlines of that size, of which a rectangle is seen. An em is that many pixels.
  mutating func add(
    _ glyph: ColorGlyph, em: Double, _ shown: craster_rect, of size: (width: Double, height: Double)
  ) {
    func painted(_ shown: Int32, _ whole: Double, _ tile: Int) -> Double {
      min(1, (Double(max(shown, 0)) + 2 * Double(tile)) / max(whole, 1))
    }
    // Tiles are painted whole.
    let rows = painted(shown.bottom - shown.top, size.height, PlacedOutlines.rows)
    let share = rows * painted(shown.right - shown.left, size.width, PlacedOutlines.columns)
    // So the limit is some 40 s: 100,000 emoji of Noto's outlines are within it. Measured with these, with radial gradients (4 ns a pixel), and
    // with stars of 30,000 points (26 ns for each line that an edge crosses).
    let (area, length) = (0.15 * glyph.area * em * em * share, glyph.length * em * rows)
    sum += area + length
    areas += area
    heights += length
    points += 2.5 * Double(glyph.points) * (rows * size.height / Double(PlacedOutlines.rows) + 1)
  }

  /// Throws `tooLarge` for a result of too many pixels or too much work; the error names the largest scale of
  /// three digits that works.
  func check() throws(DrawingRefusal) {
    guard bounds.contain(size.width, size.height) else {
      throw tooLarge(
        "\(bounds.name == "AVIF" ? "an" : "a") \(bounds.name) file of \(size.width) x \(size.height) pixels is too large: at most \(bounds.pixels) pixels, and \(bounds.side) a side, are drawn"
      )
    }
    guard sum + points <= Self.painted else { throw tooLarge("painting these emoji would take too long") }
  }

  /// Whether a smaller result can certainly be painted.
  private func isBearable(_ width: Int, _ height: Int) -> Bool {
    guard width <= size.width, height <= size.height, bounds.contain(width, height) else { return false }
    let growing = max(1, size.width - fixedColumns)
    let (across, down) = (
      Double(max(1, width - fixedColumns)) / Double(growing), Double(height) / Double(size.height)
    )
    // The sides of a rectangle shrink with the scale, and grow by up to 4 pixels: edges fade over a pixel at
    // any scale and are rounded to whole pixels, and so is the canvas. This is the sum of (side + 4 + 16) *
    // (side + 4).
    return areas * across * down + widths * across + heights * down + constant + points
      <= Self.painted
  }

  private func tooLarge(_ words: String) -> DrawingRefusal {
    let growing = max(1, size.width - fixedColumns)
    let scale = max(Double(growing) / region.width, Double(size.height) / region.height)
    // For a tiny region, any scale gives one pixel.
    var power = Int(log10(min(scale, 1e300)).rounded(.down)) - 2
    var digits = 999
    while true {
      // The same value that a user's text is read as.
      guard let scale = Double("\(digits)e\(power)") else { break }
      let (width, height) = (Self.side(region.width * scale) + fixedColumns, Self.side(region.height * scale))
      if isBearable(width, height) {
        guard let page else {
          return DrawingRefusal(.tooLarge, "\(words); scale \(numberText(scale)) works")
        }
        let dots = max(1, Int(scale * region.width / page.width * 72))
        return DrawingRefusal(.tooLarge, "\(words); \(dots) dots per inch work")
      }
      guard width > 1 + fixedColumns || height > 1 else { break }
      digits -= 1
      if digits < 100 { (digits, power) = (999, power - 1) }
    }
    return DrawingRefusal(.tooLarge, "\(words), at any scale; draw a smaller region")
  }

  /// The pixels of a side of that length, as `render` computes them.
  private static func side(_ length: Double) -> Int { max(1, Int(min(length, 1e9).rounded())) }
}

// MARK: - Projection

/// Maps a region of the canvas to the pixels of the result.
struct Projection {
  /// The size of the result.
  let size: PixelSize
  /// The x coordinate on the canvas of the result's left edge.
  let originX: Double
  /// The y coordinate on the canvas of its top edge.
  let originY: Double
  /// Horizontal pixels of the result for each pixel of the canvas.
  let scaleX: Double
  /// The same vertically; almost equal, because sides are whole numbers.
  let scaleY: Double
  /// The canvas in pixels of the result, clipped to it; empty where it is not visible.
  let canvas: craster_rect

  /// Whether both map the canvas alike.
  func isSame(as other: Projection) -> Bool {
    size == other.size && numbers == other.numbers
  }

  private var numbers: [Double] {
    [originX, originY, scaleX, scaleY]
      + [canvas.left, canvas.top, canvas.right, canvas.bottom].map { Double($0) }
  }

  /// Maps the whole region to the whole result.
  init(_ region: CanvasRect, of canvas: Canvas, to size: PixelSize, crop: CanvasRect? = nil) {
    self.size = size
    (originX, originY) = (region.x, region.y)
    (scaleX, scaleY) = (Double(size.width) / region.width, Double(size.height) / region.height)
    let drawn = DrawnArea(canvas, crop: crop)
    guard !drawn.isEmpty else {
      self.canvas = craster_rect()
      return
    }
    let across = Self.cut((drawn.left - originX) * scaleX, (drawn.right - originX) * scaleX, to: size.width)
    let down = Self.cut((drawn.top - originY) * scaleY, (drawn.bottom - originY) * scaleY, to: size.height)
    self.canvas = craster_rect(
      left: across.lowerBound, top: down.lowerBound, right: across.upperBound, bottom: down.upperBound)
  }

  /// All of the result.
  var whole: Outline.Bounds {
    Outline.Bounds(left: 0, top: 0, right: Double(size.width), bottom: Double(size.height))
  }

  /// Maps the canvas to the result.
  var map: Affine {
    Affine(a: scaleX, b: 0, c: 0, d: scaleY, e: -originX * scaleX, f: -originY * scaleY)
  }

  /// The horizontal position of a point of the canvas.
  func x(_ x: Double) -> Double { (x - originX) * scaleX }
  /// The vertical position of a point of the canvas.
  func y(_ y: Double) -> Double { (y - originY) * scaleY }

  /// The whole pixels between two edges, clipped; at least one where they touch the result.
  private static func cut(_ low: Double, _ high: Double, to side: Int) -> Range<Int32> {
    let start = low.rounded()
    let end = max(high.rounded(), start + 1)
    return Int32(
      clamping: max(start, 0), side)..<max(Int32(clamping: max(start, 0), side), Int32(clamping: end, side))
  }
}

extension Int32 {
  /// A rounded number, clamped to 0 to `bound`.
  fileprivate init(clamping value: Double, _ bound: Int) {
    self.init(clamping: Int(Swift.max(0, Swift.min(value, Double(bound)))))
  }
}
