// SPDX-License-Identifier: Apache-2.0

/// The bounds of a document's values, shared by every reader and writer.
package enum Limits {
  /// The largest distance from the origin in canvas pixels, in x and in y.
  package static let coordinate = 1_000_000.0
  /// The largest font size in canvas pixels. Sizes are above zero.
  package static let fontSize = 100_000.0
  /// The largest width and height of a canvas in pixels. The smallest is 1.
  package static let canvasSide = 100_000
  /// The number of emoji in one document.
  package static let emojiCount = 1_000_000
  /// The largest revision of a document: every JSON reader represents whole numbers up to here exactly.
  package static let revision = 1 << 53
  /// The number of changes in one edit: one for each field of each emoji and of the document.
  package static let editChanges = emojiCount * EmojiField.allCases.count + Field.ofDocument.count
  /// The number of characters (extended grapheme clusters) in one emoji's text.
  package static let textCharacters = 16
  /// The number of UTF-8 bytes in one emoji's text.
  package static let textBytes = 256
  /// The number of UTF-8 bytes in a caption's text.
  package static let captionBytes = 1_000
  /// The number of lines in a caption's text.
  package static let captionLines = 100
  /// The width and the height of a caption in ems.
  package static let captionEms = 2_000.0
  /// The number of UTF-8 bytes in an author's name.
  package static let authorBytes = 64
  /// The number of request keys in one edit. An edit with that many may lack older ones.
  package static let editTags = 1_000
  /// The number of UTF-8 bytes in a path that is stored.
  package static let pathBytes = 4_096
  /// The number of UTF-8 bytes in a background's URL.
  package static let urlBytes = 65_536
  /// The range of z-order values, such that steps between them cannot overflow.
  package static let zOrder = -(1 << 60)...(1 << 60)
  /// The usual distance between two neighbours in z-order.
  package static let zStep = 1 << 20
}

/// The version of emojiart.
package enum EmojiArtVersion {
  /// The version, for `--version` and for servers.
  package static let current = "0.2.0"
  /// What servers of pictures learn of the program: its name, its version, and where its makers are found, which large sites demand. The
  /// project has no domain, so this is the reserved name that its packages have, too.
  package static let userAgent = "emojiart/\(current) (+https://emojiart.invalid/)"
}
