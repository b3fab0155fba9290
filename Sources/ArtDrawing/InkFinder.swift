// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker

/// Finds what is drawn: the smallest rectangle of the canvas that holds the fill, the background and all glyphs, as they are painted.
///
/// The first look finds it to a pixel of the size that was asked for, the second one, at that rectangle alone, to a part of its longer side.
enum InkFinder {
  /// The pixels of the longer side of the second look.
  private static let side = 2_048.0
  /// At the second look a pixel with less alpha does not count: it is invisible, and bitmaps of fonts have such pixels at their edges.
  private static let leastAlpha: UInt8 = 4
  /// The pixels of a band, about.
  private static let bandPixels = 1 << 18

  /// The report, with the rectangle. Throws `tooLarge` and `noMemory`.
  static func find(
    _ drawing: Drawing, size: PixelSize, _ typesetter: Typesetter
  ) throws(DrawingRefusal) -> Drawn {
    var clear = drawing
    clear.isTransparent = true
    clear.details = DrawingDetails(crop: drawing.details.crop)
    let painter = try Painter(clear, size: size, typesetter)
    var drawn = painter.drawn
    guard let first = try look(painter, at: drawing, leastAlpha: 1, border: 1) else { return drawn }
    clear.region = first
    drawn.ink = first
    do throws(DrawingRefusal) {
      let painter = try Painter(clear, size: closeSize(of: first), typesetter)
      if let second = try look(painter, at: clear, leastAlpha: leastAlpha, border: 0) { drawn.ink = second }
    } catch {
      // Larger than can be painted: the first look is what there is.
      guard error.reason == .tooLarge else { throw error }
    }
    return drawn
  }

  private static func closeSize(of rect: CanvasRect) throws(DrawingRefusal) -> PixelSize {
    let scale = side / max(rect.width, rect.height)
    func length(_ side: Double) -> Int { max(1, Int((side * scale).rounded())) }
    do throws(ArtError) {
      return try PixelSize(width: length(rect.width), height: length(rect.height))
    } catch {
      throw .noMemory
    }
  }

  /// The rectangle of the pixels with that opacity or more, with so many pixels around it, within the region and the canvas.
  private static func look(
    _ painter: Painter, at drawing: Drawing, leastAlpha: UInt8, border: Int
  ) throws(DrawingRefusal) -> CanvasRect? {
    let size = painter.size
    let rows = min(size.height, max(1, bandPixels / size.width))
    let band = try PixelBuffer(width: size.width, height: rows)
    var bounds: (left: Int, top: Int, right: Int, bottom: Int)?
    for top in stride(from: 0, to: size.height, by: rows) {
      let end = min(top + rows, size.height)
      try painter.paint(top..<end, into: band)
      for y in top..<end {
        guard let ink = band.columns(ofRow: y - top, withAlpha: leastAlpha) else { continue }
        let known = bounds ?? (ink.lowerBound, y, ink.upperBound, y + 1)
        bounds = (
          min(known.left, ink.lowerBound), known.top, max(known.right, ink.upperBound), y + 1
        )
      }
    }
    guard let bounds else { return nil }
    let (region, canvas) = (drawing.region, drawing.scene.canvas)
    let (across, down) = (region.width / Double(size.width), region.height / Double(size.height))
    func x(_ pixel: Int) -> Double {
      min(max(region.x + Double(min(max(pixel, 0), size.width)) * across, 0), Double(canvas.width))
    }
    func y(_ pixel: Int) -> Double {
      min(max(region.y + Double(min(max(pixel, 0), size.height)) * down, 0), Double(canvas.height))
    }
    let (left, top) = (x(bounds.left - border), y(bounds.top - border))
    do throws(ArtError) {
      return try CanvasRect(
        x: left, y: top, width: x(bounds.right + border) - left, height: y(bounds.bottom + border) - top)
    } catch {
      throw DrawingRefusal(.tooLarge, "\(error.cause); draw a larger region")
    }
  }
}

extension PixelBuffer {
  /// The columns of a row from the first pixel with that alpha or more to the last one; nil where there is none.
  func columns(ofRow row: Int, withAlpha least: UInt8) -> Range<Int>? {
    // In memory blue, green, red, alpha, where the machine is little-endian.
    let alpha = pixels + row * stride + (UInt32(1).littleEndian == 1 ? 3 : 0)
    guard let first = (0..<width).first(where: { alpha[4 * $0] >= least }) else { return nil }
    let last = (first..<width).last { alpha[4 * $0] >= least } ?? first
    return first..<last + 1
  }

  /// The same of all rows together.
  func columns(withAlpha least: UInt8) -> Range<Int>? {
    (0..<height).compactMap { columns(ofRow: $0, withAlpha: least) }.reduce(nil) { all, row in
      guard let all else { return row }
      return min(all.lowerBound, row.lowerBound)..<max(all.upperBound, row.upperBound)
    }
  }
}
