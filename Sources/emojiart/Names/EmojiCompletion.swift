// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtNames
import ArtStore

extension Completion {
  /// What a word for a new label can become, in full: `:honeybee:`, `@animals:3`.
  static func labels(beginningWith word: String) -> [String] { names(word) + picks(word).map(\.text) }

  /// The same for the shells.
  @Sendable static func labels(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    let word = TypedWord(words, index, prefix)
    return names(word.text).filter(isPlain).compactMap { word.offer($0) }
      + picks(word.text).compactMap { word.offer($0.text, meaning: $0.emoji) }
  }

  private static func names(_ word: String) -> [String] {
    guard word.hasPrefix(":") else { return [] }
    return EmojiNames.shortcodes(beginningWith: String(word.dropFirst())).map { ":\($0):" }
  }

  /// What can be typed for the emoji of palettes where a word has begun so: all of one palette, else the first of each, so
  /// that whatever is offered can be taken.
  private static func picks(_ word: String) -> [(text: String, emoji: String)] {
    // Where the palettes cannot be read none are offered.
    guard word.isEmpty || Palettes.isPick(word), let palettes = try? PaletteStore().palettes() else {
      return []
    }
    let fitting = palettes.all.filter { palette in
      !palette.emojis.isEmpty && (palette.pick(1).hasPrefix(word) || word.hasPrefix("@\(palette.name):"))
    }
    return fitting.flatMap { palette in
      palette.emojis.prefix(fitting.count == 1 ? Palette.limit : 1).enumerated().map {
        (palette.pick($0.offset + 1), $0.element.string)
      }
    }
  }
}
