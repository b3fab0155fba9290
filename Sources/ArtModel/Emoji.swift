// SPDX-License-Identifier: Apache-2.0

/// One emoji label of a document.
public struct Emoji: Hashable, Sendable, Identifiable {
  /// Its identity in the document.
  public let id: EmojiID
  /// The glyphs.
  public var text: EmojiText
  /// The place of its centre.
  public var position: Point
  /// The font size.
  public var size: FontSize
  /// Its place in z-order: higher is nearer, equal ones are ordered by id; in `Limits.zOrder`.
  public var z: Int

  /// An emoji of these values.
  public init(id: EmojiID, text: EmojiText, position: Point, size: FontSize, z: Int) {
    self.id = id
    self.text = text
    self.position = position
    self.size = size
    self.z = z
  }
}
