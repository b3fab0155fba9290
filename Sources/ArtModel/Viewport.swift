// SPDX-License-Identifier: Apache-2.0

/// The visible part of some content and its scale: a scroll view's content size, offset and zoom.
///
/// Lengths are in the view's units unless noted otherwise; one content pixel is `zoom` units. If the content is
/// larger than the view, the view stays within its edges; if it is smaller, it is centred.
public struct Viewport: Hashable, Sendable {
  /// A width and height, clamped to 0.001 … 1,000,000.
  public struct Size: Hashable, Sendable {
    /// The width.
    public let width: Double
    /// The height.
    public let height: Double

    /// A size. Values out of bounds are clamped; NaN becomes the smallest value.
    public init(width: Double, height: Double) {
      self.width = Self.clamped(width)
      self.height = Self.clamped(height)
    }

    /// The size of a canvas.
    public init(_ canvas: Canvas) { self.init(width: Double(canvas.width), height: Double(canvas.height)) }

    private static func clamped(_ side: Double) -> Double { max(0.001, min(side, Limits.coordinate)) }
  }

  /// The content's size, in content pixels.
  public let content: Size
  /// The view's size.
  public private(set) var view: Size
  /// The scale, between `minimumZoom` and `maximumZoom`.
  public private(set) var zoom: Double
  /// The smallest zoom: `fitZoom`, but at most 1.
  public private(set) var minimumZoom: Double
  /// The largest zoom: `maximumTimes` times `fitZoom`, or `maximumTimes` if `fitZoom` is below 1.
  public private(set) var maximumZoom: Double
  /// The point of the content, in content pixels, at the view's centre.
  public var center: (x: Double, y: Double) { (centerX, centerY) }

  private let maximumTimes: Double
  private var centerX: Double
  private var centerY: Double

  /// A viewport that shows the whole content. `maximumTimes` is clamped to 1 … 500, so that the visible part is never
  /// too small for a rectangle.
  public init(content: Size, view: Size, maximumTimes: Double = 64) {
    self.content = content
    self.view = view
    self.maximumTimes = max(1, min(maximumTimes, 500))
    (zoom, minimumZoom, maximumZoom) = (1, 1, 1)
    (centerX, centerY) = (content.width / 2, content.height / 2)
    setBounds()
    zoomToFit()
  }
}

// MARK: - The visible part

extension Viewport {
  /// The largest zoom at which the whole content is visible.
  public var fitZoom: Double { min(view.width / content.width, view.height / content.height) }

  /// Whether the zoom is `fitZoom`.
  public var isFit: Bool { zoom == fitZoom }

  /// The view's top left corner relative to the content's, in the view's units; negative if the content is smaller.
  public var offset: (x: Double, y: Double) {
    (centerX * zoom - view.width / 2, centerY * zoom - view.height / 2)
  }

  /// The visible part of the content, in content pixels.
  public var visible: CanvasRect {
    let (x, width) = Self.cut(center: centerX, length: view.width / zoom, to: content.width)
    let (y, height) = Self.cut(center: centerY, length: view.height / zoom, to: content.height)
    return CanvasRect(trustedX: x, y: y, width: width, height: height)
  }

  /// The whole view in content pixels, including the area beside the content. Throws `badValue` if that exceeds the
  /// bounds of a rectangle, as with a very flat content in a very tall view.
  public func window() throws(ArtError) -> CanvasRect {
    let (width, height) = (view.width / zoom, view.height / zoom)
    return try CanvasRect(x: centerX - width / 2, y: centerY - height / 2, width: width, height: height)
  }

  /// The point of the content, in content pixels, at a point of the view.
  public func contentPlace(x: Double, y: Double) -> (x: Double, y: Double) {
    (centerX + (x - view.width / 2) / zoom, centerY + (y - view.height / 2) / zoom)
  }

  /// The point of the view at a point of the content, in content pixels. It may lie outside the view.
  public func viewPlace(x: Double, y: Double) -> (x: Double, y: Double) {
    ((x - centerX) * zoom + view.width / 2, (y - centerY) * zoom + view.height / 2)
  }

  private static func cut(center: Double, length: Double, to side: Double) -> (start: Double, length: Double)
  {
    guard isShorter(length, than: side) else { return (0, side) }
    // Rounding errors must not move the end beyond the side.
    return (max(0, min(center - length / 2, side - length)), length)
  }
}

// MARK: - Changes

extension Viewport {
  /// Shows the whole content.
  public mutating func zoomToFit() {
    zoom = fitZoom
    (centerX, centerY) = (content.width / 2, content.height / 2)
  }

  /// Sets the zoom. The content under `place` of the view, by default its centre, stays there as far as the content's
  /// edges allow. NaN has no effect.
  public mutating func zoom(to zoom: Double, about place: (x: Double, y: Double)? = nil) {
    let place = place ?? (view.width / 2, view.height / 2)
    guard !zoom.isNaN, place.x.isFinite, place.y.isFinite else { return }
    let anchor = contentPlace(x: place.x, y: place.y)
    self.zoom = max(minimumZoom, min(zoom, maximumZoom))
    let moved = contentPlace(x: place.x, y: place.y)
    let (x, y) = (centerX + anchor.x - moved.x, centerY + anchor.y - moved.y)
    // Far away, the difference of two infinities is NaN.
    if !x.isNaN, !y.isNaN { (centerX, centerY) = (x, y) }
    clamp()
  }

  /// Multiplies the zoom by a factor.
  public mutating func zoom(by factor: Double, about place: (x: Double, y: Double)? = nil) {
    guard factor > 0 else { return }
    zoom(to: zoom * factor, about: place)
  }

  /// Shows a rectangle of the content, in content pixels, as large as possible within the bounds of the zoom, and
  /// centred as far as the content's edges allow.
  public mutating func zoom(to rect: CanvasRect) {
    zoom = max(minimumZoom, min(view.width / rect.width, view.height / rect.height, maximumZoom))
    (centerX, centerY) = (rect.x + rect.width / 2, rect.y + rect.height / 2)
    clamp()
  }

  /// Moves the view over the content, in the view's units; positive values go right and down.
  public mutating func scroll(byX x: Double, y: Double) {
    guard x.isFinite, y.isFinite else { return }
    (centerX, centerY) = (centerX + x / zoom, centerY + y / zoom)
    clamp()
  }

  /// Moves a point of the content, in content pixels, to the view's centre.
  public mutating func scroll(toCenterX x: Double, y: Double) {
    guard x.isFinite, y.isFinite else { return }
    (centerX, centerY) = (x, y)
    clamp()
  }

  /// Changes the view's size. A fitting content keeps fitting; otherwise the zoom and the centre stay.
  public mutating func resize(view: Size) {
    let wasFit = isFit
    self.view = view
    setBounds()
    guard !wasFit else { return zoomToFit() }
    zoom = max(minimumZoom, min(zoom, maximumZoom))
    clamp()
  }

  private mutating func setBounds() {
    minimumZoom = min(fitZoom, 1)
    maximumZoom = max(fitZoom, 1) * maximumTimes
  }

  private mutating func clamp() {
    centerX = Self.clamped(centerX, length: view.width / zoom, in: content.width)
    centerY = Self.clamped(centerY, length: view.height / zoom, in: content.height)
  }

  /// Compares with a tolerance above the rounding error of a division and a multiplication, so that a fitting content
  /// is shown to its edges.
  private static func isShorter(_ length: Double, than side: Double) -> Bool { length < side * (1 - 1e-12) }

  private static func clamped(_ center: Double, length: Double, in side: Double) -> Double {
    isShorter(length, than: side) ? max(length / 2, min(center, side - length / 2)) : side / 2
  }
}

// MARK: - Size classes

/// The size class of a terminal, which selects one of two layouts.
package enum SizeClass: Hashable, Sendable {
  /// A narrow or low terminal: one part below the other, short texts.
  case compact
  /// A terminal with space for everything.
  case regular

  /// The smallest regular size.
  package static let regularFrom = (columns: 60, rows: 16)

  /// Compact with fewer columns or fewer rows than `regularFrom`.
  package init(columns: Int, rows: Int) {
    self = columns >= Self.regularFrom.columns && rows >= Self.regularFrom.rows ? .regular : .compact
  }
}
