// SPDX-License-Identifier: Apache-2.0

/// The kind of a JSON text, guessed from its first bytes: a document of emojiart, one of the course's apps, or other
/// JSON.
package enum DocumentText: Sendable, Equatable {
  /// JSON as `show --json` and `export` write it.
  case own
  /// JSON of the EmojiArt apps of Stanford's course CS193p.
  case course
  /// Any other JSON.
  case otherJSON

  /// Nil if the text does not begin like a JSON object or array.
  package init?(beginning bytes: [UInt8]) {
    var rest = Self.skipSpace(bytes[...])
    guard let first = rest.popFirst(), first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      return nil
    }
    self = .otherJSON
    guard first == UInt8(ascii: "{"), let key = Self.key(in: Self.skipSpace(rest)) else { return }
    if Self.ownBeginnings.contains(where: { rest.starts(with: $0.utf8) }) {
      self = .own
    } else if Self.courseKeys.contains(key) {
      self = .course
    }
  }

  /// The apps write keys in the order of a hash table, so any of these may come first.
  private static let courseKeys: Set = [
    "background", "backGround", "backgroundURL", "backgroundImageData", "backgroundColor", "url", "image",
    "imageData", "emojis", "emoji", "uniqueEmojiId", "uniqueEmojiID", "currentEmojiId", "elapsedTime",
  ]

  /// The text after the bracket. Our JSON has sorted keys and no spaces.
  private static let ownBeginnings = [
    #""background":null,"canvas""#, #""background":{"data""#, #""background":{"digest""#, #""canvas":{"#,
  ]

  /// Longer than any of the keys.
  private static let longestKey = 40

  private static func key(in bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.first == UInt8(ascii: "\"") else { return nil }
    let name = bytes.dropFirst().prefix(longestKey).prefix { $0 != UInt8(ascii: "\"") }
    return String(decoding: name, as: UTF8.self)
  }

  private static func skipSpace(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    bytes.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
  }
}
