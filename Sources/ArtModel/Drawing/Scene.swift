// SPDX-License-Identifier: Apache-2.0

/// What is seen of a document: values only, for whoever draws them.
public struct Scene: Hashable, Sendable {
  /// An emoji as it is drawn: its centre at its place, its font size its size.
  public struct Label: Hashable, Sendable {
    /// The glyphs.
    public var text: EmojiText
    /// The centre of what is drawn.
    public var position: Point
    /// The font size.
    public var size: FontSize

    /// A label of these values.
    public init(text: EmojiText, position: Point, size: FontSize) {
      self.text = text
      self.position = position
      self.size = size
    }
  }

  /// The canvas, outside of which nothing is drawn.
  public var canvas: Canvas
  /// The emoji, bottom to top.
  public var labels: [Label]
  /// The background's bytes, as they came. It covers the canvas: scaled, if it must be, until both sides reach the canvas's, and
  /// centred.
  public var picture: [UInt8]?

  /// A scene of these.
  public init(canvas: Canvas, labels: [Label], picture: [UInt8]?) {
    self.canvas = canvas
    self.labels = labels
    self.picture = picture
  }

  /// What is seen of that content, with the bytes of its background.
  public init(_ content: DocumentContent, picture: [UInt8]?) {
    self.init(
      canvas: content.canvas,
      labels: content.emojisInOrder().map { Label(text: $0.text, position: $0.position, size: $0.size) },
      picture: picture)
  }
}
