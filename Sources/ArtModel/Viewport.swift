// SPDX-License-Identifier: Apache-2.0

/// What part of some content is seen, and how large: a scroll view's content size, offset and zoom.
///
/// Lengths are in the view's units but where it says content's: a pixel of the content is `zoom` units of the view. Where the
/// content is larger than the view, the view is never beyond its edge; where it is smaller, it is in the middle.
public struct Viewport: Hashable, Sendable {
  /// Width and height, kept within 0.001 and 1,000,000.
  public struct Size: Hashable, Sendable {
    /// Across.
    public let width: Double
    /// Down.
    public let height: Double

    /// A size of these; what is out of bounds becomes the nearest, and what is no number the smallest.
    public init(width: Double, height: Double) {
      self.width = Self.kept(width)
      self.height = Self.kept(height)
    }

    /// That canvas's.
    public init(_ canvas: Canvas) { self.init(width: Double(canvas.width), height: Double(canvas.height)) }

    private static func kept(_ side: Double) -> Double { max(0.001, min(side, Limits.coordinate)) }
  }

  /// The content's size, in its own pixels.
  public let content: Size
  /// The view's own size.
  public private(set) var view: Size
  /// Times the content's own size; between the two below.
  public private(set) var zoom: Double
  /// The smallest: the one that fits, and never more than 1.
  public private(set) var minimumZoom: Double
  /// The largest: so many times the one that fits, or times 1 where that is more.
  public private(set) var maximumZoom: Double
  /// The content's place, in content's pixels, that is at the view's centre.
  public var center: (x: Double, y: Double) { (centerX, centerY) }

  private let maximumTimes: Double
  private var centerX: Double
  private var centerY: Double

  /// All of the content, as large as it fits. `maximumTimes` is kept within 1 and 500: what is seen is never too small for a rectangle.
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

// What is seen.
extension Viewport {
  /// The zoom at which all of the content is in the view, as large as can be.
  public var fitZoom: Double { min(view.width / content.width, view.height / content.height) }

  /// Whether all of the content is in the view, as large as can be.
  public var isFit: Bool { zoom == fitZoom }

  /// Where the view's top left is, from the content's, in the view's units: below zero where the content is smaller.
  public var offset: (x: Double, y: Double) {
    (centerX * zoom - view.width / 2, centerY * zoom - view.height / 2)
  }

  /// What of the content is in the view, in content's pixels.
  public var visible: Rect {
    let (x, width) = Self.cut(center: centerX, length: view.width / zoom, to: content.width)
    let (y, height) = Self.cut(center: centerY, length: view.height / zoom, to: content.height)
    return Rect(trustedX: x, y: y, width: width, height: height)
  }

  /// All of the view in content's pixels, with what is beside the content. Throws `badValue` where that reaches further than a
  /// rectangle can: with a very flat content in a very high view.
  public func window() throws(ArtError) -> Rect {
    let (width, height) = (view.width / zoom, view.height / zoom)
    return try Rect(x: centerX - width / 2, y: centerY - height / 2, width: width, height: height)
  }

  /// The content's place, in its pixels, that is at that place of the view.
  public func contentPlace(x: Double, y: Double) -> (x: Double, y: Double) {
    (centerX + (x - view.width / 2) / zoom, centerY + (y - view.height / 2) / zoom)
  }

  /// The view's place at which that place of the content is; it may lie outside.
  public func viewPlace(x: Double, y: Double) -> (x: Double, y: Double) {
    ((x - centerX) * zoom + view.width / 2, (y - centerY) * zoom + view.height / 2)
  }

  private static func cut(center: Double, length: Double, to side: Double) -> (start: Double, length: Double)
  {
    guard isShorter(length, than: side) else { return (0, side) }
    // What adding up has lost must not reach beyond the end.
    return (max(0, min(center - length / 2, side - length)), length)
  }
}

// What changes it. All of it is put right afterwards; what is no number changes nothing.
extension Viewport {
  /// Shows all of the content, as large as it fits.
  public mutating func zoomToFit() {
    zoom = fitZoom
    (centerX, centerY) = (content.width / 2, content.height / 2)
  }

  /// Zooms to so many times the content's own size. What is at that place of the view stays there as far as the content's edges
  /// let it; without one it is the view's centre.
  public mutating func zoom(to zoom: Double, about place: (x: Double, y: Double)? = nil) {
    let place = place ?? (view.width / 2, view.height / 2)
    guard !zoom.isNaN, place.x.isFinite, place.y.isFinite else { return }
    let held = contentPlace(x: place.x, y: place.y)
    self.zoom = max(minimumZoom, min(zoom, maximumZoom))
    let moved = contentPlace(x: place.x, y: place.y)
    let (x, y) = (centerX + held.x - moved.x, centerY + held.y - moved.y)
    // Too far away, there is no difference.
    if !x.isNaN, !y.isNaN { (centerX, centerY) = (x, y) }
    clamp()
  }

  /// The same, so many times as large as it is now.
  public mutating func zoom(by factor: Double, about place: (x: Double, y: Double)? = nil) {
    guard factor > 0 else { return }
    zoom(to: zoom * factor, about: place)
  }

  /// Shows all of a rectangle of the content, given in its pixels, as large as it fits within the bounds of zooming, and in the
  /// middle as far as the content's edges let it.
  public mutating func zoom(to rect: Rect) {
    zoom = max(minimumZoom, min(view.width / rect.width, view.height / rect.height, maximumZoom))
    (centerX, centerY) = (rect.x + rect.width / 2, rect.y + rect.height / 2)
    clamp()
  }

  /// Moves the view over the content, in the view's units: to the right and down for what is above zero.
  public mutating func scroll(byX x: Double, y: Double) {
    guard x.isFinite, y.isFinite else { return }
    (centerX, centerY) = (centerX + x / zoom, centerY + y / zoom)
    clamp()
  }

  /// Brings that place of the content, in its pixels, to the view's centre.
  public mutating func scroll(toCenterX x: Double, y: Double) {
    guard x.isFinite, y.isFinite else { return }
    (centerX, centerY) = (x, y)
    clamp()
  }

  /// Gives the view another size. What fits goes on fitting; else the zoom stays, and what is at the centre.
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

  /// By more than a division and a multiplication lose: what fits is seen to its edges.
  private static func isShorter(_ length: Double, than side: Double) -> Bool { length < side * (1 - 1e-12) }

  private static func clamped(_ center: Double, length: Double, in side: Double) -> Double {
    isShorter(length, than: side) ? max(length / 2, min(center, side - length / 2)) : side / 2
  }
}

/// Which of two designs fits a terminal, in the manner of a view's size classes.
public enum SizeClass: Hashable, Sendable {
  /// Little room: one thing under the other, in few words.
  case compact
  /// Room for all.
  case regular

  /// Columns and rows from which on there is room for all.
  public static let regularFrom = (columns: 60, rows: 16)

  /// The one rule: with fewer columns or fewer rows it is compact.
  public init(columns: Int, rows: Int) {
    self = columns >= Self.regularFrom.columns && rows >= Self.regularFrom.rows ? .regular : .compact
  }
}
