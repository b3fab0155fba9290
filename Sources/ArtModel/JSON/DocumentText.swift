// SPDX-License-Identifier: Apache-2.0

/// What a text that begins so seems to be, told by its first bytes alone: JSON of a document, or JSON of something else.
public enum DocumentText: Sendable, Equatable {
  /// JSON as `show --json` and `export` write it.
  case own
  /// JSON as the EmojiArt apps of Stanford's course CS193p write it.
  case course
  /// JSON of another kind.
  case otherJSON

  /// Nil for what does not begin as a JSON object or array.
  public init?(beginning bytes: [UInt8]) {
    var rest = Self.passSpace(bytes[...])
    guard let first = rest.popFirst(), first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      return nil
    }
    self = .otherJSON
    guard first == UInt8(ascii: "{"), let key = Self.key(in: Self.passSpace(rest)) else { return }
    if Self.ownBeginnings.contains(where: { rest.starts(with: $0.utf8) }) {
      self = .own
    } else if Self.courseKeys.contains(key) {
      self = .course
    }
  }

  /// The order of keys in the apps' files is that of a hash table: any of these may be the first.
  private static let courseKeys: Set = [
    "background", "backGround", "backgroundURL", "backgroundImageData", "backgroundColor", "url", "image",
    "imageData", "emojis", "emoji", "uniqueEmojiId", "uniqueEmojiID", "currentEmojiId", "elapsedTime",
  ]

  /// Behind the bracket; keys are sorted there, and nothing is spaced.
  private static let ownBeginnings = [
    #""background":null,"canvas""#, #""background":{"data""#, #""background":{"digest""#, #""canvas":{"#,
  ]

  /// The longest of the keys is shorter.
  private static let longestKey = 40

  private static func key(in bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.first == UInt8(ascii: "\"") else { return nil }
    let name = bytes.dropFirst().prefix(longestKey).prefix { $0 != UInt8(ascii: "\"") }
    return String(decoding: name, as: UTF8.self)
  }

  private static func passSpace(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    bytes.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
  }
}
