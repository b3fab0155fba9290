// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// An affine map as SVG, PDF and Cairo write it: x' = a x + c y + e, y' = b x + d y + f.
struct Affine: Equatable {
  var a: Double
  var b: Double
  var c: Double
  var d: Double
  var e: Double
  var f: Double

  /// From the pixels of a picture as they are stored to the canvas that the picture covers once it is turned.
  static func cover(_ canvas: Canvas, width: Int, height: Int, orientation: Int) -> Affine {
    let turn = turned(width: Double(width), height: Double(height), orientation: orientation)
    let seen = orientation > 4 ? (width: height, height: width) : (width, height)
    let cover = Cover(picture: seen, canvas: canvas)
    let scale = cover.scale
    return Affine(
      a: scale * turn.a, b: scale * turn.b, c: scale * turn.c, d: scale * turn.d, e: scale * turn.e + cover.x,
      f: scale * turn.f + cover.y)
  }

  /// Exif 2.32, 4.6.4 A, orientation.
  private static func turned(width: Double, height: Double, orientation: Int) -> Affine {
    switch orientation {
    case 2: Affine(a: -1, b: 0, c: 0, d: 1, e: width, f: 0)
    case 3: Affine(a: -1, b: 0, c: 0, d: -1, e: width, f: height)
    case 4: Affine(a: 1, b: 0, c: 0, d: -1, e: 0, f: height)
    case 5: Affine(a: 0, b: 1, c: 1, d: 0, e: 0, f: 0)
    case 6: Affine(a: 0, b: 1, c: -1, d: 0, e: height, f: 0)
    case 7: Affine(a: 0, b: -1, c: -1, d: 0, e: height, f: width)
    case 8: Affine(a: 0, b: -1, c: 1, d: 0, e: 0, f: width)
    default: Affine(a: 1, b: 0, c: 0, d: 1, e: 0, f: 0)
    }
  }
}
