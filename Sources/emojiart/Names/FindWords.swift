// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtNames

extension ToneChoice {
  /// What may be typed for it.
  static let words = SkinTone.allCases.map(\.rawValue) + ["all"]

  /// Reads a skin tone or `all`. Throws `badValue`.
  init(typed word: String) throws(ArtError) {
    if let tone = SkinTone(rawValue: word) {
      self = .tone(tone)
    } else if word == "all" {
      self = .all
    } else {
      let known = Self.words.dropLast().joined(separator: ", ")
      throw ArtError(.badValue, "\(shown(word)) is no skin tone; give \(known) or all")
    }
  }
}

extension NamedEmoji {
  /// What `find --json` writes of it.
  var json: JSON {
    .object([
      "emoji": .string(emoji), "keywords": .array(keywords.map { .string($0) }), "name": .string(name),
      "shortcode": .string(shortcode), "tones": .array(tones.map { .string($0.rawValue) }),
    ])
  }
}
