// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The texts with something that the font has no colour glyph for, each once.
struct LackingTexts {
  private var seen: Set<EmojiText> = []
  /// The first ones.
  private(set) var named: [String] = []
  /// How many there are.
  var count: Int { seen.count }

  /// Takes one.
  mutating func insert(_ text: EmojiText) {
    guard seen.insert(text).inserted, named.count < Drawn.namedTexts else { return }
    named.append(text.string)
  }
}
