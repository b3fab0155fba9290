// SPDX-License-Identifier: Apache-2.0

/// What part of some content is seen, and how large: a scroll view's content size, offset and zoom.
///
/// Lengths are in the view's units but where it says content's: a pixel of the content is `zoom` units of the view. STUB.
public struct Viewport: Hashable, Sendable {
  /// Width and height.
  public struct Size: Hashable, Sendable {
    /// Across.
    public var width: Double
    /// Down.
    public var height: Double

    /// A size of these.
    public init(width: Double, height: Double) {
      self.width = width
      self.height = height
    }
  }

  /// The content's size, in its own pixels; both sides above zero.
  public private(set) var content: Size
  /// The view's own size; both sides above zero.
  public private(set) var view: Size
  /// Times the content's own size; between the two below.
  public private(set) var zoom: Double
  /// The smallest.
  public private(set) var minimumZoom: Double
  /// The largest.
  public private(set) var maximumZoom: Double
  /// The content's place, in content's pixels, that is at the view's centre.
  public private(set) var center: (x: Double, y: Double) {
    get { (centerX, centerY) }
    set { (centerX, centerY) = newValue }
  }
  private var centerX = 0.0
  private var centerY = 0.0

  /// All of the content, as large as it fits. The minimum zoom is that one, and never more than 1; the maximum so many times that.
  public init(content: Size, view: Size, maximumTimes: Double = 64) {
    self.content = content
    self.view = view
    zoom = min(view.width / content.width, view.height / content.height)
    minimumZoom = min(zoom, 1)
    maximumZoom = max(zoom, 1) * maximumTimes
    center = (content.width / 2, content.height / 2)
  }
}
