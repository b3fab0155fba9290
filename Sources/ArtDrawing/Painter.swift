// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker
import Glibc

/// Paints the pixels of a drawing in bands; every band is identical to that part of the whole.
final class Painter {
  /// A visible label, and the rows that it touches.
  private struct VisibleLabel {
    var label: Int32
    var top: Int32
    var bottom: Int32
  }

  private let scene: DrawingScene
  private let projection: Projection
  private let isTransparent: Bool
  private let font: ColorFont
  private let glyphs: GlyphCache
  private let background: BackgroundPainter
  private var visibleLabels: [VisibleLabel] = []
  /// The summary for the caller.
  let drawn: Drawn

  /// The size of the result.
  var size: PixelSize { projection.size }

  /// Decodes the background and finds the visible labels. Throws `tooLarge` for too many pixels or too much
  /// work, and `noMemory`.
  init(_ drawing: Drawing, size: PixelSize, font: ColorFont) throws(DrawingRefusal) {
    scene = drawing.scene
    isTransparent = drawing.isTransparent
    self.font = font
    glyphs = GlyphCache(font)
    projection = Projection(drawing.region, of: drawing.scene.canvas, to: size)
    var missing = MissingGlyphTexts()
    var work = PaintingWork(drawing.region, size: size)
    for (index, label) in scene.labels.enumerated() {
      let layout = font.layout(label.text)
      guard let rows = projection.rows(of: label, layout, &work) else { continue }
      if layout.hasMissingGlyphs { missing.insert(label.text) }
      visibleLabels.append(
        VisibleLabel(label: Int32(clamping: index), top: rows.lowerBound, bottom: rows.upperBound))
    }
    try work.check()
    background = BackgroundPainter(scene, projection)
    drawn = Drawn(lacking: missing.first, lackingCount: missing.count, pictureFault: background.fault)
  }

  /// Paints some rows into the first rows of a buffer that is as wide as the result. Throws `noMemory` and
  /// `badFont`.
  func paint(_ rows: Range<Int>, into buffer: PixelBuffer) throws(DrawingRefusal) {
    var target = buffer.part(top: rows.lowerBound, rows: rows.count, of: (size.width, size.height))
    let all = craster_rect(
      left: 0, top: Int32(clamping: rows.lowerBound), right: Int32(clamping: size.width),
      bottom: Int32(clamping: rows.upperBound))
    craster_fill(&target, all, isTransparent ? 0 : 0xFFFF_FFFF)
    let part = all.cut(to: projection.canvas)
    guard !part.isEmpty else { return }
    if let fill = scene.fill { craster_fill(&target, part, fill.pixel(over: isTransparent ? 0 : 255)) }
    try background.paint(on: &target, part)
    for item in visibleLabels where item.top < part.bottom && item.bottom > part.top {
      try paint(scene.labels[Int(item.label)], on: &target, part)
    }
  }

  /// Paints everything. Throws `noMemory` and `badFont`.
  func whole() throws(DrawingRefusal) -> PixelBuffer {
    let result = try PixelBuffer(width: size.width, height: size.height)
    try paint(0..<size.height, into: result)
    return result
  }

  private func paint(_ label: DrawingScene.Label, on target: inout craster_part, _ part: craster_rect)
    throws(DrawingRefusal)
  {
    for placed in font.layout(label.text).glyphs {
      let box = projection.box(of: placed, label)
      let rect = box.pixels.cut(to: part)
      guard !rect.isEmpty else { continue }
      guard label.isUpright else {
        try paint(placed, of: label, on: &target, rect)
        continue
      }
      let scale = max(box.width / placed.width, box.height / placed.height) / font.pixelsPerEm
      let pixels = try glyphs.pixels(placed.glyph, scale: scale)
      let place = craster_place(
        x: box.x, y: box.y, scale_x: box.width / Double(pixels.width),
        scale_y: box.height / Double(pixels.height),
        has_endless_border: false)
      var source = pixels.part()
      guard craster_draw(&source, place, &target, rect) else { throw .noMemory }
    }
  }
}

extension Painter {
  /// Paints a glyph that is turned or mirrored.
  private func paint(
    _ placed: GlyphLayout.Placed, of label: DrawingScene.Label, on target: inout craster_part,
    _ rect: craster_rect
  ) throws(DrawingRefusal) {
    let scale = max(projection.scaleX, projection.scaleY) * label.size.pixels / font.pixelsPerEm
    let pixels = try glyphs.pixels(placed.glyph, scale: scale)
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

  /// The rectangle of a glyph.
  func box(of placed: GlyphLayout.Placed, _ label: DrawingScene.Label) -> ResultBox {
    let em = label.size.pixels
    guard label.isUpright else {
      return label.map.then(map).bounds(x: placed.x, y: placed.y, width: placed.width, height: placed.height)
    }
    return ResultBox(
      x: x(label.position.x) + placed.x * em * scaleX, y: y(label.position.y) + placed.y * em * scaleY,
      width: placed.width * em * scaleX, height: placed.height * em * scaleY)
  }

  /// The rows that a label may touch, whose work is added; nil where it is invisible.
  fileprivate func rows(of label: DrawingScene.Label, _ layout: GlyphLayout, _ work: inout PaintingWork)
    -> Range<
      Int32
    >?
  {
    var rows: Range<Int32>?
    for placed in layout.glyphs {
      let box = box(of: placed, label)
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
  /// The pixels of a PNG file.
  static let pixels = 1 << 28
  /// The pixels of a side.
  static let side = 100_000
  /// The pixels of all emoji together, hidden ones included.
  static let painted = 2e9

  private let region: CanvasRect
  private let size: PixelSize
  private var sum = 0.0
  // Sums over all rectangles, to estimate the work at smaller scales.
  private var glyphs = 0.0
  private var widths = 0.0
  private var heights = 0.0
  private var areas = 0.0

  /// No work yet, for a drawing of that region.
  init(_ region: CanvasRect, size: PixelSize) {
    self.region = region
    self.size = size
  }

  /// Adds the rectangle of a glyph, even an empty one: at a smaller scale it may touch pixels.
  mutating func add(_ rect: craster_rect) {
    let width = max(0, Double(rect.right) - Double(rect.left))
    let height = max(0, Double(rect.bottom) - Double(rect.top))
    // Each row costs time, too. The cost of a glyph itself is small, and the number of glyphs is limited.
    if width > 0 { sum += (width + 16) * height }
    glyphs += 1
    widths += width
    heights += height
    areas += width * height
  }

  /// Throws `tooLarge` for a result of too many pixels or too much work; the error names the largest scale of
  /// three digits that works.
  func check() throws(DrawingRefusal) {
    guard Self.fits(size.width, size.height) else {
      throw tooLarge(
        "a PNG file of \(size.width) x \(size.height) pixels is too large: at most \(Self.pixels) pixels, and \(Self.side) a side, are drawn"
      )
    }
    guard sum <= Self.painted else { throw tooLarge("painting these emoji would take too long") }
  }

  private static func fits(_ width: Int, _ height: Int) -> Bool {
    width <= side && height <= side && width * height <= pixels
  }

  /// Whether a smaller result can certainly be painted.
  private func isBearable(_ width: Int, _ height: Int) -> Bool {
    guard width <= size.width, height <= size.height, Self.fits(width, height) else { return false }
    let (across, down) = (Double(width) / Double(size.width), Double(height) / Double(size.height))
    // The sides of a rectangle shrink with the scale, and grow by up to 4 pixels: edges fade over a pixel at
    // any scale and are rounded to whole pixels, and so is the canvas. This is the sum of (side + 4 + 16) *
    // (side + 4).
    return areas * across * down + 4 * widths * across + 20 * heights * down + 80 * glyphs <= Self.painted
  }

  private func tooLarge(_ words: String) -> DrawingRefusal {
    let scale = max(Double(size.width) / region.width, Double(size.height) / region.height)
    // For a tiny region, any scale gives one pixel.
    var power = Int(log10(min(scale, 1e300)).rounded(.down)) - 2
    var digits = 999
    while true {
      // The same value that a user's text is read as.
      guard let scale = Double("\(digits)e\(power)") else { break }
      let (width, height) = (Self.side(region.width * scale), Self.side(region.height * scale))
      if isBearable(width, height) {
        return DrawingRefusal(.tooLarge, "\(words); scale \(numberText(scale)) works")
      }
      guard width > 1 || height > 1 else { break }
      digits -= 1
      if digits < 100 { (digits, power) = (999, power - 1) }
    }
    return DrawingRefusal(.tooLarge, "\(words), at any scale; draw a smaller region")
  }

  /// The pixels of a side of that length, as `render` computes them.
  private static func side(_ length: Double) -> Int { max(1, Int(min(length, 1e9).rounded())) }
}

// MARK: - The background

/// Paints the background, or stripes where it cannot be decoded.
struct BackgroundPainter {
  private enum Kind {
    case nothing
    case picture(DecodedPicture, craster_place)
    /// The stripes start at the corner of the canvas.
    case stripes(start: Int64)
  }

  /// The greys of the stripes, 0xRRGGBB.
  static let stripes: (UInt32, UInt32) = (0xC8C8C8, 0xDCDCDC)
  private let kind: Kind
  /// Why stripes are painted.
  let fault: String?

  /// Decodes the background in the size in which it is drawn.
  init(_ scene: DrawingScene, _ projection: Projection) {
    guard let bytes = scene.picture, projection.canvas.left < projection.canvas.right,
      projection.canvas.top < projection.canvas.bottom
    else {
      (kind, fault) = (.nothing, nil)
      return
    }
    do throws(Refusal) {
      let header = try PictureHeader(bytes)
      let cover = CoverFit(picture: header.turned, canvas: scene.canvas)
      let scale = cover.scale * max(projection.scaleX, projection.scaleY)
      let picture = try DecodedPicture(bytes, scale: scale, PictureLimits())
      let size = Self.turnedSize(picture)
      let whole = header.turned
      let place = craster_place(
        x: projection.x(cover.x), y: projection.y(cover.y),
        scale_x: Double(whole.width) * cover.scale * projection.scaleX / Double(size.width),
        scale_y: Double(whole.height) * cover.scale * projection.scaleY / Double(size.height),
        has_endless_border: true)
      (kind, fault) = (.picture(picture, place), nil)
    } catch {
      let corner = (projection.x(0) + projection.y(0)).rounded()
      (kind, fault) = (.stripes(start: Int64(max(-1e15, min(corner, 1e15)))), error.detail)
    }
  }

  private static func turnedSize(_ picture: DecodedPicture) -> (width: Int, height: Int) {
    picture.orientation > 4 ? (picture.height, picture.width) : (picture.width, picture.height)
  }

  /// Paints the background over a rectangle of the target within the canvas. Throws `noMemory`.
  func paint(on target: inout craster_part, _ rect: craster_rect) throws(DrawingRefusal) {
    switch kind {
    case .nothing: return
    case .stripes(let start): craster_hatch(&target, rect, start)
    case .picture(let picture, let place): try paint(picture, place, on: &target, rect)
    }
  }

  private func paint(
    _ picture: DecodedPicture, _ place: craster_place, on target: inout craster_part, _ rect: craster_rect
  ) throws(DrawingRefusal) {
    let whole = Self.turnedSize(picture)
    var source = craster_part()
    (source.whole_width, source.whole_height) = (Int32(clamping: whole.width), Int32(clamping: whole.height))
    let needed = craster_needed(&source, place, rect)
    // Only the needed part is rotated.
    let buffer = try PixelBuffer(
      width: Int(needed.right - needed.left), height: Int(needed.bottom - needed.top))
    source = buffer.part(left: Int(needed.left), top: Int(needed.top), of: whole)
    picture.withPixels { pixels in
      var decoded = craster_decoded(
        pixels: pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), stride: picture.stride,
        width: Int32(clamping: picture.width), height: Int32(clamping: picture.height),
        channels: Int32(clamping: picture.channels), orientation: Int32(clamping: picture.orientation))
      craster_turn(&decoded, &source)
    }
    guard craster_draw(&source, place, &target, rect) else { throw .noMemory }
  }
}

/// The position of a picture that covers the canvas: as small as possible, and centred, like `background-size:
/// cover` in CSS.
struct CoverFit: Hashable {
  /// The left edge of the picture on the canvas; at most 0.
  let x: Double
  /// The top edge.
  let y: Double
  /// Pixels of the canvas for each pixel of the picture.
  let scale: Double

  /// `picture` is the size with the orientation applied.
  init(picture: (width: Int, height: Int), canvas: Canvas) {
    let (width, height) = (Double(picture.width), Double(picture.height))
    scale = max(Double(canvas.width) / width, Double(canvas.height) / height)
    x = (Double(canvas.width) - width * scale) / 2
    y = (Double(canvas.height) - height * scale) / 2
  }
}

// MARK: - ISO boxes

/// A box of ISO/IEC 14496-12: a size, a four-character code, and data, which may contain boxes.
struct Box {
  let kind: String
  let data: PictureBytes

  /// Calls `body` with each box until it returns false; stops at an incomplete one.
  static func each(_ boxes: PictureBytes, _ body: (Box) -> Bool) {
    var offset = 0
    while let size = boxes.big(offset, 4), let kind = boxes.fourLetters(offset + 4) {
      var header = 8
      var length = size
      if size == 1 {
        // A size with a non-zero first byte exceeds any file.
        guard boxes.byte(offset + 8) == 0, let large = boxes.big(offset + 9, 7) else { return }
        header = 16
        length = large
      } else if size == 0 {
        // Up to the end.
        length = boxes.count - offset
      }
      guard length >= header, let data = boxes.part(offset + header, length - header) else { return }
      guard body(Box(kind: kind, data: data)) else { return }
      offset += length
    }
  }

  /// The data of the first box of a kind.
  static func first(_ kind: String, in boxes: PictureBytes) -> PictureBytes? {
    var found: PictureBytes?
    each(boxes) { box in
      if box.kind == kind { found = box.data }
      return found == nil
    }
    return found
  }
}

extension PictureBytes {
  /// The brands of the first box, the major brand first; empty where it is not `ftyp`.
  var brands: [String] { PictureKind.brands(of: slice) }

  /// The part without its first bytes; nil when there are fewer.
  func dropped(_ count: Int) -> PictureBytes? { part(count, self.count - count) }
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

  /// Maps the whole region to the whole result.
  init(_ region: CanvasRect, of canvas: Canvas, to size: PixelSize) {
    self.size = size
    (originX, originY) = (region.x, region.y)
    (scaleX, scaleY) = (Double(size.width) / region.width, Double(size.height) / region.height)
    let across = Self.cut(-originX * scaleX, (Double(canvas.width) - originX) * scaleX, to: size.width)
    let down = Self.cut(-originY * scaleY, (Double(canvas.height) - originY) * scaleY, to: size.height)
    self.canvas = craster_rect(
      left: across.lowerBound, top: down.lowerBound, right: across.upperBound, bottom: down.upperBound)
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

// MARK: - Formats

/// Makes drawings in all formats. Call it only in a process with limits on memory and time, because fonts and
/// pictures are decoded in C.
public enum Renderings {
  /// Draws with the drawing's font, which is opened here.
  public static func draw(
    _ drawing: Drawing, _ receive: ([UInt8]) -> Void
  ) throws(DrawingRefusal) -> Drawn {
    try draw(drawing, with: OpenFont(path: drawing.font), receive)
  }

  /// Draws with an opened font. `receive` gets the bytes of the result in pieces and in order; they are valid
  /// only if this does not throw.
  public static func draw(
    _ drawing: Drawing, with font: OpenFont, _ receive: ([UInt8]) -> Void
  ) throws(DrawingRefusal) -> Drawn {
    switch drawing.format {
    case .png(let size):
      let painter = try Painter(drawing, size: size, font: ColorFont(font.file()))
      try PNGWriter.write(painter, isTransparent: drawing.isTransparent, receive)
      return painter.drawn
    case .sixel, .symbols:
      let size = try TerminalEncoder.paintedSize(drawing.format)
      let painter = try Painter(drawing, size: size, font: ColorFont(font.file()))
      let pixels = try painter.whole()
      let rows = UnsafeRawBufferPointer(start: pixels.pixels, count: pixels.count)
      receive(try TerminalEncoder.encode(pixels: rows, size: size, stride: pixels.stride, as: drawing.format))
      return painter.drawn
    case .svg(let size, let embedsGlyphs):
      return try withoutActuallyEscaping(receive) { (receive) throws(DrawingRefusal) in
        try SVGWriter.write(drawing, font, size, embedsGlyphs: embedsGlyphs, receive)
      }
    case .pdf(let size):
      return try withoutActuallyEscaping(receive) { (receive) throws(DrawingRefusal) in
        try PDFWriter.write(drawing, font, size, receive)
      }
    }
  }
}
