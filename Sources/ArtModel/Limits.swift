// SPDX-License-Identifier: Apache-2.0

/// What a document may hold. One place, so that every reader and writer agrees.
public enum Limits {
  /// A place lies within this many canvas pixels of the origin, in x and in y.
  public static let coordinate = 1_000_000.0
  /// A font size is above zero and at most this many canvas pixels.
  public static let fontSize = 100_000.0
  /// A canvas is at least 1 and at most this many pixels wide, and high.
  public static let canvasSide = 100_000
  /// Emoji in one document.
  public static let emojiCount = 1_000_000
  /// Changes of one edit: each of four fields of every emoji.
  public static let editChanges = 4_000_000
  /// Characters (extended grapheme clusters) in one emoji's text.
  public static let textCharacters = 16
  /// UTF-8 bytes in one emoji's text.
  public static let textBytes = 256
  /// UTF-8 bytes in the name of an author.
  public static let authorBytes = 64
  /// Keys of requests that one edit names. An edit that names so many may lack older ones.
  public static let editTags = 1_000
  /// UTF-8 bytes in a background's URL.
  public static let urlBytes = 65_536
  /// z-order values lie in this range, so that steps between them cannot overflow.
  public static let zOrder = -(1 << 60)...(1 << 60)
  /// Distance between two neighbours in z-order when there is room to choose.
  public static let zStep = 1 << 20
}

/// Which emojiart this is.
public enum Version {
  /// As people and servers are told.
  public static let current = "0.1.0"
}
