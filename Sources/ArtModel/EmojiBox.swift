// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The rectangle that a label fills, turned about its centre. Aligning, selecting by region, fitting the canvas and finding what was hit
/// go by it.
///
/// The box of an emoji label follows from the number of its characters, that of a caption was measured when its text was set. So
/// every program and machine knows the same boxes, whatever fonts it has.
public struct EmojiBox: Hashable, Sendable {
  /// The centre's distance from the canvas's left edge in pixels.
  public let x: Double
  /// The centre's distance from the canvas's top edge in pixels.
  public let y: Double
  /// The width before turning, in pixels.
  public let width: Double
  /// The height before turning, in pixels.
  public let height: Double
  /// How far it is turned.
  public let rotation: Rotation

  /// The box of an emoji.
  public init(_ emoji: Emoji) { self.init(DrawingScene.Label(emoji)) }

  /// The box of a label.
  public init(_ label: DrawingScene.Label) {
    let (width, height) = label.text.ems
    (x, y) = (label.position.x, label.position.y)
    (self.width, self.height) = (width * label.size.pixels, height * label.size.pixels)
    rotation = label.rotation
  }

  /// A box whose values are already checked.
  init(centre: Point, width: Double, height: Double, rotation: Rotation) {
    (x, y, self.width, self.height, self.rotation) = (centre.x, centre.y, width, height, rotation)
  }

  /// The corners, clockwise from the one that is top left before turning, rounded to millionths of a pixel.
  public var corners: [(x: Double, y: Double)] {
    let (sine, cosine) = rotation.sineAndCosine
    return [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map { (right, down) in
      let (dx, dy) = (right * width / 2, down * height / 2)
      return (rounded(x + dx * cosine - dy * sine), rounded(y + dx * sine + dy * cosine))
    }
  }

  /// The distances of the leftmost and topmost points from the centre, rounded to millionths of a pixel. The rightmost and the lowest ones are
  /// as far away.
  public var extent: (x: Double, y: Double) {
    let (sine, cosine) = rotation.sineAndCosine
    return (
      rounded((abs(width * cosine) + abs(height * sine)) / 2),
      rounded((abs(width * sine) + abs(height * cosine)) / 2)
    )
  }

  /// The edges of the smallest upright rectangle around it.
  public var edges: (left: Double, top: Double, right: Double, bottom: Double) {
    let (right, down) = extent
    return (x - right, y - down, x + right, y + down)
  }

  /// Whether a point, in canvas pixels, is within it or on its edge.
  public func contains(x: Double, y: Double) -> Bool {
    let (sine, cosine) = rotation.sineAndCosine
    let (dx, dy) = (x - self.x, y - self.y)
    return abs(dx * cosine + dy * sine) <= width / 2 && abs(dy * cosine - dx * sine) <= height / 2
  }

  /// Whether a part of it with an area is within the rectangle. By the theorem of the separating axis, those of both rectangles' sides.
  public func overlaps(_ rect: CanvasRect) -> Bool {
    let (left, top, right, bottom) = edges
    guard left < rect.x + rect.width, right > rect.x, top < rect.y + rect.height, bottom > rect.y else {
      return false
    }
    let (sine, cosine) = rotation.sineAndCosine
    let (dx, dy) = (rect.x + rect.width / 2 - x, rect.y + rect.height / 2 - y)
    let along = (abs(rect.width * cosine) + abs(rect.height * sine)) / 2
    let across = (abs(rect.width * sine) + abs(rect.height * cosine)) / 2
    return abs(dx * cosine + dy * sine) < width / 2 + along
      && abs(dy * cosine - dx * sine) < height / 2 + across
  }
}

extension EmojiText {
  /// The width and height in ems: the measured ones of a caption. For an emoji label these are Noto Color Emoji's, whose glyphs advance by 1.245
  /// ems and are 1.175 ems high; letters beside emoji count like emoji.
  public var ems: (width: Double, height: Double) {
    if let box { return (box.width, box.height) }
    return (1.245 * Double(string.count), 1.175)
  }
}

extension Rotation {
  /// The sine and the cosine; exact for right angles, so that a label turned by these has exact edges.
  package var sineAndCosine: (sine: Double, cosine: Double) {
    switch degrees {
    case 0: return (0, 1)
    case 90: return (1, 0)
    case 180: return (0, -1)
    case -90: return (-1, 0)
    default:
      let radians = degrees * .pi / 180
      return (sin(radians), cos(radians))
    }
  }
}

// MARK: - Several boxes

/// How many labels lie off the canvas.
public struct OffCanvas: Hashable, Sendable {
  /// The number of labels of which nothing is on it.
  public private(set) var outside = 0
  /// The number of labels of which a part is on it, but not the centre: more than half is off.
  public private(set) var half = 0

  /// None so far.
  package init() {}

  /// Counts among these emoji.
  public init(_ emojis: some Sequence<Emoji>, on canvas: Canvas) {
    for emoji in emojis { count(emoji, on: canvas) }
  }

  /// Counts one more emoji.
  package mutating func count(_ emoji: Emoji, on canvas: Canvas) {
    let place = emoji.position
    if (0...Double(canvas.width)).contains(place.x), (0...Double(canvas.height)).contains(place.y) { return }
    if EmojiBox(emoji).overlaps(CanvasRect(canvas)) { half += 1 } else { outside += 1 }
  }

  /// Counts all of a document.
  public init(_ content: DocumentContent) { self.init(content.unorderedEmojis, on: content.canvas) }

  /// The number of all of them.
  public var count: Int { outside + half }

  /// Whether there are none.
  public var isEmpty: Bool { count == 0 }
}

extension Action {
  /// Counts the emoji off the canvas that somebody must be told of after this action: those that it was about, or all of them where it gave
  /// the canvas another size.
  package func offCanvas(among subjects: [Emoji], of art: some ArtReading) throws(ArtError) -> OffCanvas {
    switch self {
    case .remove, .canvas(.fill): OffCanvas()
    case .canvas: OffCanvas(try art.emojisInOrder(), on: art.canvas)
    default: OffCanvas(subjects, on: art.canvas)
    }
  }
}
