// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

extension EmojiText {
  /// What `@animals:3` names. Throws `badValue` with what there is, and what reading the palettes throws.
  init(pick word: String) throws(ArtError) {
    self = try PaletteStore().palettes().pick(word)
  }
}
