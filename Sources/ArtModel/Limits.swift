// SPDX-License-Identifier: Apache-2.0

/// The bounds of a document's values, shared by every reader and writer.
public enum Limits {
  /// The largest distance from the origin in canvas pixels, in x and in y.
  public static let coordinate = 1_000_000.0
  /// The largest font size in canvas pixels. Sizes are above zero.
  public static let fontSize = 100_000.0
  /// The largest width and height of a canvas in pixels. The smallest is 1.
  public static let canvasSide = 100_000
  /// The number of emoji in one document.
  public static let emojiCount = 1_000_000
  /// The number of changes in one edit: four fields of every emoji.
  public static let editChanges = 4_000_000
  /// The number of characters (extended grapheme clusters) in one emoji's text.
  public static let textCharacters = 16
  /// The number of UTF-8 bytes in one emoji's text.
  public static let textBytes = 256
  /// The number of UTF-8 bytes in an author's name.
  public static let authorBytes = 64
  /// The number of request keys in one edit. An edit with that many may lack older ones.
  public static let editTags = 1_000
  /// The number of UTF-8 bytes in a background's URL.
  public static let urlBytes = 65_536
  /// The range of z-order values, such that steps between them cannot overflow.
  public static let zOrder = -(1 << 60)...(1 << 60)
  /// The usual distance between two neighbours in z-order.
  public static let zStep = 1 << 20
}

/// The version of emojiart.
public enum Version {
  /// The version, for `--version` and for servers.
  public static let current = "0.1.0"
}
