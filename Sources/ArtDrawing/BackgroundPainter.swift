// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker

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
