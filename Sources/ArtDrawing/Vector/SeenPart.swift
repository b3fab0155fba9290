// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// What is seen of a drawing's canvas.
struct SeenPart {
  private let left: Double
  private let top: Double
  private let right: Double
  private let bottom: Double

  init(_ drawing: Drawing) {
    let (canvas, region) = (drawing.scene.canvas, drawing.region)
    left = max(region.x, 0)
    top = max(region.y, 0)
    right = min(region.x + region.width, Double(canvas.width))
    bottom = min(region.y + region.height, Double(canvas.height))
  }

  /// Whether something of a label's box is in it.
  func touches(_ label: Scene.Label, _ layout: GlyphLayout) -> Bool {
    let across = layout.width * label.size.pixels / 2
    let down = layout.height * label.size.pixels / 2
    let (x, y) = (label.position.x, label.position.y)
    return x + across > left && x - across < right && y + down > top && y - down < bottom
  }
}
