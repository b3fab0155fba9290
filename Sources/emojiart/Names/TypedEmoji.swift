// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtNames

extension EmojiText {
  /// What a person types for a new label: the emoji itself, `:name:`, or `@palette:3`. Throws `badText` with what is near.
  init(typed word: String) throws(ArtError) {
    try self.init(word)
  }
}
