// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker

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
  init(_ region: Rect, of canvas: Canvas, to size: PixelSize) {
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
