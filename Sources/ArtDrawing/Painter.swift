// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker
import Glibc

/// Paints a drawing's pixels, in any parts: a part is as it is in the whole.
final class Painter {
  /// A label that is seen, and on which rows.
  private struct Seen {
    var label: Int32
    var top: Int32
    var bottom: Int32
  }

  private let scene: DrawingScene
  private let projection: Projection
  private let isTransparent: Bool
  private let font: ColorFont
  private let glyphs: GlyphCache
  private let backdrop: Backdrop
  private var seen: [Seen] = []
  /// What is to be told of it.
  let drawn: Drawn

  /// How large the result is.
  var size: PixelSize { projection.size }

  /// Gets ready: decodes the background and sees what is to be painted. Throws `tooLarge` for too many pixels and for what would
  /// take too long, and `noMemory`.
  init(_ drawing: Drawing, size: PixelSize, font: ColorFont) throws(DrawingRefusal) {
    scene = drawing.scene
    isTransparent = drawing.isTransparent
    self.font = font
    glyphs = GlyphCache(font)
    projection = Projection(drawing.region, of: drawing.scene.canvas, to: size)
    var lacking = LackingTexts()
    var work = PaintingWork(drawing.region, size: size)
    for (index, label) in scene.labels.enumerated() {
      let layout = font.layout(label.text)
      guard let rows = projection.rows(of: label, layout, &work) else { continue }
      if layout.isLacking { lacking.insert(label.text) }
      seen.append(Seen(label: Int32(clamping: index), top: rows.lowerBound, bottom: rows.upperBound))
    }
    try work.check()
    backdrop = Backdrop(scene, projection)
    drawn = Drawn(lacking: lacking.named, lackingCount: lacking.count, pictureFault: backdrop.fault)
  }

  /// Paints some rows into the first ones of a buffer that is as wide as the result. Throws `noMemory` and `badFont`.
  func paint(_ rows: Range<Int>, into buffer: PixelBuffer) throws(DrawingRefusal) {
    var target = buffer.part(top: rows.lowerBound, rows: rows.count, of: (size.width, size.height))
    let all = craster_rect(
      left: 0, top: Int32(clamping: rows.lowerBound), right: Int32(clamping: size.width),
      bottom: Int32(clamping: rows.upperBound))
    craster_fill(&target, all, isTransparent ? 0 : 0xFFFF_FFFF)
    let part = all.cut(to: projection.canvas)
    guard !part.isEmpty else { return }
    try backdrop.paint(on: &target, part)
    for item in seen where item.top < part.bottom && item.bottom > part.top {
      try paint(scene.labels[Int(item.label)], on: &target, part)
    }
  }

  /// All of it. Throws `noMemory` and `badFont`.
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

/// A rectangle in the result's pixels.
struct ResultBox {
  var x: Double
  var y: Double
  var width: Double
  var height: Double

  /// The pixels that it may touch: as large as its edges, half a pixel of the glyph's aside, that it fades over.
  var pixels: craster_rect {
    // What is made larger fades out over half a pixel of the bitmap: a 64th is more than that.
    let (across, down) = (width / 64 + 1, height / 64 + 1)
    return craster_rect(
      left: Self.pixel((x - across).rounded(.down)), top: Self.pixel((y - down).rounded(.down)),
      right: Self.pixel((x + width + across).rounded(.up)),
      bottom: Self.pixel((y + height + down).rounded(.up)))
  }

  private static func pixel(_ value: Double) -> Int32 { Int32(max(-2e9, min(value, 2e9))) }
}

extension Projection {
  /// Below this many pixels a side nothing is seen of it.
  private static let smallest = 1.0 / 64

  /// Where a glyph of a label is.
  func box(of placed: GlyphLayout.Placed, _ label: DrawingScene.Label) -> ResultBox {
    let em = label.size.pixels
    return ResultBox(
      x: x(label.position.x) + placed.x * em * scaleX, y: y(label.position.y) + placed.y * em * scaleY,
      width: placed.width * em * scaleX, height: placed.height * em * scaleY)
  }

  /// The rows that a label may touch, counted as work; nil where nothing is seen of it.
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

/// How much there is to paint, and what is too much.
struct PaintingWork {
  /// Pixels of a PNG file.
  static let pixels = 1 << 28
  /// Pixels of its side.
  static let side = 100_000
  /// Pixels of all emoji together, those under others too.
  static let painted = 2e9

  private let region: CanvasRect
  private let size: PixelSize
  private var sum = 0.0
  // Of the rectangles, from which it is told how much it is when all is smaller.
  private var glyphs = 0.0
  private var widths = 0.0
  private var heights = 0.0
  private var areas = 0.0

  /// Nothing yet, of a drawing of that region.
  init(_ region: CanvasRect, size: PixelSize) {
    self.region = region
    self.size = size
  }

  /// Counts a glyph's rectangle, empty or not: at a smaller scale it may touch what it does not touch at this one.
  mutating func add(_ rect: craster_rect) {
    let width = max(0, Double(rect.right) - Double(rect.left))
    let height = max(0, Double(rect.bottom) - Double(rect.top))
    // Each row takes its time, too. What each glyph takes beside is little, and their number is bounded.
    if width > 0 { sum += (width + 16) * height }
    glyphs += 1
    widths += width
    heights += height
    areas += width * height
  }

  /// Throws `tooLarge` for a result of too many pixels, and for more than can be painted in a bearable time, with the largest
  /// scale of three digits that works.
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

  /// Whether a smaller result surely can be painted.
  private func isBearable(_ width: Int, _ height: Int) -> Bool {
    guard width <= size.width, height <= size.height, Self.fits(width, height) else { return false }
    let (across, down) = (Double(width) / Double(size.width), Double(height) / Double(size.height))
    // A rectangle's sides are smaller by that, and then as much as 4 larger: its edges fade over a pixel at any scale, and are
    // whole pixels; so are the canvas's. This is the sum of (side + 4 + 16) * (side + 4).
    return areas * across * down + 4 * widths * across + 20 * heights * down + 80 * glyphs <= Self.painted
  }

  private func tooLarge(_ words: String) -> DrawingRefusal {
    let scale = max(Double(size.width) / region.width, Double(size.height) / region.height)
    // Of a region that is next to nothing any scale is one pixel.
    var power = Int(log10(min(scale, 1e300)).rounded(.down)) - 2
    var digits = 999
    while true {
      // Exactly what is read from its text.
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

  /// Pixels of a side of that length, as `render` has them.
  private static func side(_ length: Double) -> Int { max(1, Int(min(length, 1e9).rounded())) }
}

/// What lies under the emoji: the background's pixels, or the stripes that stand for one that cannot be decoded.
struct Backdrop {
  private enum Kind {
    case nothing
    case picture(DecodedPicture, craster_place)
    /// They begin at the canvas's corner.
    case stripes(start: Int64)
  }

  /// The greys of the stripes, 0xRRGGBB.
  static let stripes: (UInt32, UInt32) = (0xC8C8C8, 0xDCDCDC)
  private let kind: Kind
  /// Why there are stripes.
  let fault: String?

  /// Decodes the background, as large as it is drawn.
  init(_ scene: DrawingScene, _ projection: Projection) {
    guard let bytes = scene.picture, projection.canvas.left < projection.canvas.right,
      projection.canvas.top < projection.canvas.bottom
    else {
      (kind, fault) = (.nothing, nil)
      return
    }
    do throws(Refusal) {
      let header = try PictureHeader(bytes)
      let cover = Cover(picture: header.turned, canvas: scene.canvas)
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

  /// Paints it over a rectangle of the target, which lies on the canvas. Throws `noMemory`.
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
    // Only what is needed of it is turned.
    let held = try PixelBuffer(
      width: Int(needed.right - needed.left), height: Int(needed.bottom - needed.top))
    source = held.part(left: Int(needed.left), top: Int(needed.top), of: whole)
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

/// How a picture covers the canvas: as small as it can, its middle in the canvas's.
struct Cover: Hashable {
  /// The picture's left edge on the canvas; at most 0.
  let x: Double
  /// Its top edge.
  let y: Double
  /// Canvas pixels for one of the picture's.
  let scale: Double

  /// A picture of that size, after it is turned.
  init(picture: (width: Int, height: Int), canvas: Canvas) {
    let (width, height) = (Double(picture.width), Double(picture.height))
    scale = max(Double(canvas.width) / width, Double(canvas.height) / height)
    x = (Double(canvas.width) - width * scale) / 2
    y = (Double(canvas.height) - height * scale) / 2
  }
}

/// A box of ISO/IEC 14496-12: a size, four letters, and data, which may be boxes.
struct Box {
  let kind: String
  let data: PictureBytes

  /// Calls for each box until it answers false; one that is not all there is the last.
  static func each(_ boxes: PictureBytes, _ body: (Box) -> Bool) {
    var offset = 0
    while let size = boxes.big(offset, 4), let kind = boxes.fourLetters(offset + 4) {
      var header = 8
      var length = size
      if size == 1 {
        // Sizes of which the first byte counts are larger than any file.
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

  /// The data of the first box of that kind.
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
  /// The brands of the first box, the major one first; none when that is no `ftyp`.
  var brands: [String] { PictureKind.brands(of: slice) }

  /// Without its first bytes; nil when there are not so many.
  func dropped(_ count: Int) -> PictureBytes? { part(count, self.count - count) }
}

/// How a part of the canvas lies on a result of so many pixels.
struct Projection {
  /// The result's.
  let size: PixelSize
  /// Of the canvas's pixels, which is at the result's left edge.
  let originX: Double
  /// Which is at the top.
  let originY: Double
  /// Pixels of the result for one of the canvas, across.
  let scaleX: Double
  /// The same, down; as good as the same number, since sides are whole.
  let scaleY: Double
  /// The canvas in the result's pixels, cut to the result; empty where none of it is there.
  let canvas: craster_rect

  /// All of that region on all of the result.
  init(_ region: CanvasRect, of canvas: Canvas, to size: PixelSize) {
    self.size = size
    (originX, originY) = (region.x, region.y)
    (scaleX, scaleY) = (Double(size.width) / region.width, Double(size.height) / region.height)
    let across = Self.cut(-originX * scaleX, (Double(canvas.width) - originX) * scaleX, to: size.width)
    let down = Self.cut(-originY * scaleY, (Double(canvas.height) - originY) * scaleY, to: size.height)
    self.canvas = craster_rect(
      left: across.lowerBound, top: down.lowerBound, right: across.upperBound, bottom: down.upperBound)
  }

  /// Where a place of the canvas is, across.
  func x(_ x: Double) -> Double { (x - originX) * scaleX }
  /// Where a place of the canvas is, down.
  func y(_ y: Double) -> Double { (y - originY) * scaleY }

  /// The whole pixels between two edges, one at least where they touch the result.
  private static func cut(_ low: Double, _ high: Double, to side: Int) -> Range<Int32> {
    let start = low.rounded()
    let end = max(high.rounded(), start + 1)
    return Int32(
      clamping: max(start, 0), side)..<max(Int32(clamping: max(start, 0), side), Int32(clamping: end, side))
  }
}

extension Int32 {
  /// A whole number cut to 0 to `bound`.
  fileprivate init(clamping value: Double, _ bound: Int) {
    self.init(clamping: Int(Swift.max(0, Swift.min(value, Double(bound)))))
  }
}

/// Makes drawings. For a process of its own with limits on memory and time: what decodes fonts and pictures is C.
public enum Renderings {
  /// Draws with the drawing's font, which is opened here.
  public static func draw(
    _ drawing: Drawing, _ take: ([UInt8]) -> Void
  ) throws(DrawingRefusal) -> Drawn {
    try draw(drawing, with: OpenFont(path: drawing.font), take)
  }

  /// Draws with a font that was opened before; `take` is called with the result's bytes in pieces, in their order. What was taken counts only if this does not throw.
  public static func draw(
    _ drawing: Drawing, with font: OpenFont, _ take: ([UInt8]) -> Void
  ) throws(DrawingRefusal) -> Drawn {
    switch drawing.format {
    case .png(let size):
      let painter = try Painter(drawing, size: size, font: ColorFont(font.file()))
      try PNGWriter.write(painter, isTransparent: drawing.isTransparent, take)
      return painter.drawn
    case .sixel, .symbols:
      let size = try TerminalEncoder.paintedSize(drawing.format)
      let painter = try Painter(drawing, size: size, font: ColorFont(font.file()))
      let pixels = try painter.whole()
      let rows = UnsafeRawBufferPointer(start: pixels.pixels, count: pixels.count)
      take(try TerminalEncoder.encode(pixels: rows, size: size, stride: pixels.stride, as: drawing.format))
      return painter.drawn
    case .svg(let size, let embedsGlyphs):
      return try withoutActuallyEscaping(take) { (take) throws(DrawingRefusal) in
        try SVGWriter.write(drawing, font, size, embedsGlyphs: embedsGlyphs, take)
      }
    case .pdf(let size):
      return try withoutActuallyEscaping(take) { (take) throws(DrawingRefusal) in
        try PDFWriter.write(drawing, font, size, take)
      }
    }
  }
}
