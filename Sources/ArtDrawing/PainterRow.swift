// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker

/// Paints the pixels of a picture in bands.
protocol RasterSource {
  /// The size of the picture.
  var size: PixelSize { get }
  /// Whether the picture has transparent pixels.
  var isTransparent: Bool { get }
  /// What whoever publishes the picture has to say; nil for nothing.
  var rights: String? { get }

  /// Paints some rows into the first rows of a buffer that is as wide as the picture. Throws `noMemory` and `badFont`.
  func paint(_ rows: Range<Int>, into buffer: PixelBuffer) throws(DrawingRefusal)
}

/// Paints drawings side by side, with their tops at the same height. What they leave is grey, so that the edge of a white canvas is seen.
struct PainterRow: RasterSource {
  /// The grey, 0xAARRGGBB.
  static let ground: UInt32 = 0xFF80_8080

  private let painters: [Painter]
  let size: PixelSize
  /// The report on each drawing.
  var drawn: [Drawn] { painters.map(\.drawn) }
  let isTransparent = false
  var rights: String? { painters.first?.rights }

  /// Finds what is visible of all of them before any background is decoded. The first drawing's format has the bounds, for the whole
  /// picture. Throws `tooLarge` with a scale that works, and `noMemory`.
  init(_ drawings: [Drawing], _ typesetter: Typesetter) throws(DrawingRefusal) {
    var plans: [PaintingPlan] = []
    for drawing in drawings {
      guard let size = drawing.format.raster else {
        throw DrawingRefusal(.tooLarge, "a panel that is no file of pixels")
      }
      plans.append(try PaintingPlan(drawing, size: size, typesetter))
    }
    guard let first = plans.first else { throw DrawingRefusal(.tooLarge, "a picture without panels") }
    let gaps = DrawingDetails.panelGap * (plans.count - 1)
    do throws(ArtError) {
      size = try PixelSize(
        width: plans.reduce(gaps) { $0 + $1.size.width }, height: plans.map(\.size.height).max() ?? 0)
    } catch {
      throw DrawingRefusal(.tooLarge, "\(error.cause); draw it at a smaller scale")
    }
    try PaintingWork(first.work, beside: plans.dropFirst().map(\.work), size: size, gaps: gaps).check()
    var painters: [Painter] = []
    for plan in plans { painters.append(Painter(plan, beside: painters.last)) }
    self.painters = painters
  }

  func paint(_ rows: Range<Int>, into buffer: PixelBuffer) throws(DrawingRefusal) {
    var all = buffer.part(rows: rows.count)
    let rect = craster_rect(
      left: 0, top: 0, right: Int32(clamping: buffer.width), bottom: Int32(clamping: rows.count))
    craster_fill(&all, rect, Self.ground)
    var left = 0
    for painter in painters {
      let part = rows.clamped(to: 0..<painter.size.height)
      if !part.isEmpty { try painter.paint(part, into: buffer, from: left) }
      left += painter.size.width + DrawingDetails.panelGap
    }
  }
}
