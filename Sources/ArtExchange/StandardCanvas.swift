// SPDX-License-Identifier: Apache-2.0

import ArtModel

extension Canvas {
  /// The standard canvas, grown to hold all emoji: to both sides alike where they are measured from the centre, so that it stays
  /// whole, and else to the right and down. What would take more than a canvas may have lies outside it.
  static func holding(_ emojis: [ForeignEmoji], of dialect: Dialect) -> Canvas {
    var extent = Extent()
    for emoji in emojis { extent.take(emoji.x, emoji.y, size: emoji.size.pixels) }
    return holding(extent, from: dialect.anchor)
  }

  /// The same for places that are measured from there.
  static func holding(_ extent: Extent, from anchor: PendingBackground.Anchor) -> Canvas {
    let width: Int
    let height: Int
    switch anchor {
    case .topLeft: (width, height) = (whole(extent.right), whole(extent.down))
    case .center:
      width = 2 * whole(max(extent.left, extent.right))
      height = 2 * whole(max(extent.up, extent.down))
    }
    let standard = Canvas.standard
    do throws(ArtError) {
      return try Canvas(
        width: min(max(width, standard.width), Limits.canvasSide),
        height: min(max(height, standard.height), Limits.canvasSide))
    } catch {
      assertionFailure(error.message)
      return standard
    }
  }

  /// How far emoji reach from where they are measured, in each direction.
  struct Extent {
    fileprivate var left = 0.0
    fileprivate var right = 0.0
    fileprivate var up = 0.0
    fileprivate var down = 0.0

    /// Takes an emoji: it is at most 1.25 times its size wide and high.
    mutating func take(_ x: Double, _ y: Double, size: Double) {
      let half = size * 0.625
      left = max(left, half - x)
      right = max(right, half + x)
      up = max(up, half - y)
      down = max(down, half + y)
    }
  }

  private static func whole(_ length: Double) -> Int { Int(length.rounded(.up)) }
}
