// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtNames
import ArtStore

/// What a word that a person has begun can become.
public enum EmojiCompletion {
  /// One way to go on.
  public struct Offer: Sendable, Equatable {
    /// What is typed then, in full.
    public let text: String
    /// The emoji that it stands for, where that is not in the text.
    public let emoji: String?
  }

  /// What a word for a new label can become: `:honeybee:`, `@animals:3`. Where the palettes cannot be read none of theirs are offered.
  public static func labels(beginningWith word: String) -> [Offer] {
    names(word) + picks(word)
  }

  private static func names(_ word: String) -> [Offer] {
    guard word.hasPrefix(":") else { return [] }
    return EmojiNames.shortcodes(beginningWith: String(word.dropFirst())).map {
      Offer(text: ":\($0):", emoji: nil)
    }
  }

  /// What can be typed for the emoji of palettes where a word has begun so: all of one palette, else the first of each, so
  /// that whatever is offered can be taken.
  private static func picks(_ word: String) -> [Offer] {
    guard word.isEmpty || Palettes.isPick(word), let palettes = try? PaletteStore().palettes() else {
      return []
    }
    let fitting = palettes.all.filter { palette in
      !palette.emojis.isEmpty && (palette.pick(1).hasPrefix(word) || word.hasPrefix("@\(palette.name):"))
    }
    return fitting.flatMap { palette in
      palette.emojis.prefix(fitting.count == 1 ? Palette.limit : 1).enumerated().map {
        Offer(text: palette.pick($0.offset + 1), emoji: $0.element.string)
      }
    }
  }

  /// What names each of these emoji, which are all of a document: by itself, by its id, and `@last`; by its `:name:` where the word
  /// begins so.
  public static func references(of emojis: [Emoji], beginningWith word: String) -> [String] {
    word.hasPrefix(":")
      ? shortcodes(of: emojis) : texts(of: emojis) + emojis.map(\.id.description) + ["@last"]
  }

  /// `🐝` where there is one, `🐝:1` and `🐝:2` where there are two.
  private static func texts(of emojis: [Emoji]) -> [String] {
    let same = Dictionary(grouping: emojis, by: \.text.comparisonKey).values
    return same.flatMap { group in
      group.count == 1
        ? [group[0].text.string] : group.enumerated().map { "\($1.text):\($0 + 1)" }
    }
    .sorted()
  }

  /// The same by name, `:honeybee:` or `:honeybee::2`; what has no name is left out.
  private static func shortcodes(of emojis: [Emoji]) -> [String] {
    let same = Dictionary(grouping: emojis, by: \.text.comparisonKey)
    return same.flatMap { (text, group) -> [String] in
      guard let name = EmojiNames.names(of: text).first?.shortcode else { return [] }
      return group.count == 1 ? [":\(name):"] : group.indices.map { ":\(name)::\($0 + 1)" }
    }
    .sorted()
  }
}

extension Collection<Emoji> {
  /// How many characters of each id name it alone among these, which are all of a document.
  public var typedLengths: [EmojiID: Int] {
    let ids = map(\.id).sorted()
    var lengths: [EmojiID: Int] = [:]
    for (index, id) in ids.enumerated() {
      let before = index > 0 ? ids[index - 1] : nil
      let after = index + 1 < ids.count ? ids[index + 1] : nil
      lengths[id] = id.uniquePrefixLength(between: before, after)
    }
    return lengths
  }
}
