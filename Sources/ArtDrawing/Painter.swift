// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker

/// Paints a drawing's pixels, in any parts: a part is as it is in the whole.
final class Painter {
  /// A label that is seen, and on which rows.
  private struct Seen {
    var label: Int32
    var top: Int32
    var bottom: Int32
  }

  private let scene: Scene
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

  private func paint(_ label: Scene.Label, on target: inout craster_part, _ part: craster_rect)
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
  func box(of placed: GlyphLayout.Placed, _ label: Scene.Label) -> ResultBox {
    let em = label.size.pixels
    return ResultBox(
      x: x(label.position.x) + placed.x * em * scaleX, y: y(label.position.y) + placed.y * em * scaleY,
      width: placed.width * em * scaleX, height: placed.height * em * scaleY)
  }

  /// The rows that a label may touch, counted as work; nil where nothing is seen of it.
  fileprivate func rows(of label: Scene.Label, _ layout: GlyphLayout, _ work: inout PaintingWork) -> Range<
    Int32
  >? {
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
