// SPDX-License-Identifier: Apache-2.0

import ArtModel

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
