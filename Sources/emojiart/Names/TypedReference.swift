// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtNames

extension Reference {
  /// What a person types for an emoji that is there: all that `init(_:)` reads, and `:name:` in the place of the emoji itself, or
  /// `:name::2`. Throws `badText` with what is near, and `badValue`.
  init(typed word: String) throws(ArtError) {
    guard let (name, ordinal) = Self.name(in: word) else {
      self = try Reference(word)
      return
    }
    self = try Reference("\(EmojiNames.emoji(named: name))\(ordinal)")
  }

  /// A name between colons, and what stands behind them, such as `:2`.
  private static func name(in word: String) -> (name: String, ordinal: Substring)? {
    if let name = EmojiText.name(in: word) { return (name, "") }
    guard let colon = word.lastIndex(of: ":"), Int(word[colon...].dropFirst()) != nil,
      let name = EmojiText.name(in: String(word[..<colon]))
    else { return nil }
    return (name, word[colon...])
  }
}
