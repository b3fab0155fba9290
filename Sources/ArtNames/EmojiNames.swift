// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CEmojiNames

/// The English names and keywords of all emoji, from Unicode's own data.
public enum EmojiNames {
  /// The emoji that a name stands for, as it is typed between colons: `honeybee`, `bee`, `red-heart`, without the colons. Throws
  /// `badText` with the near ones for a name that fits several or none.
  public static func emoji(named name: String) throws(ArtError) -> EmojiText {
    throw ArtError(.badText, "not built yet")
  }
}
