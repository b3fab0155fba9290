// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The English names and keywords of all emoji, from Unicode's own data.
public enum EmojiNames {
  /// What a search gives.
  public struct Found: Equatable, Sendable {
    /// The best, no more than were asked for.
    public let emojis: [NamedEmoji]
    /// How many there are.
    public let count: Int

    /// `emojis` of `count` that there are.
    public init(emojis: [NamedEmoji], count: Int) {
      self.emojis = emojis
      self.count = count
    }
  }

  /// Whether there is anything to look for in a word: a letter, a digit, `#`, `*` or `+`.
  public static func canSearch(_ word: String) -> Bool { NameQuery([word]) != nil }

  /// The emoji whose names or keywords have all of the words or words that begin with them, best first: the name itself, whole
  /// words, beginnings. nil where the words have nothing to look for in them.
  public static func search(_ words: [String], tone: ToneChoice = .none, limit: Int) -> Found? {
    guard let query = NameQuery(words) else { return nil }
    var hits: [(rank: NameQuery.Rank, row: NameTable.Row)] = []
    NameTable.own.forEach(having: query.mark) { row, place in
      if let rank = query.rank(row, at: place) { hits.append((rank, row)) }
    }
    hits.sort { $0.rank < $1.rank }
    var emojis: [NamedEmoji] = []
    var count = 0
    for hit in hits {
      guard emojis.count < limit else {
        count += tone == .all ? 1 + hit.row.versions.parts(at: UInt8(ascii: " ")).count : 1
        continue
      }
      let chosen = NamedEmoji.chosen(tone, of: hit.row)
      count += chosen.count
      emojis += chosen.prefix(limit - emojis.count)
    }
    return Found(emojis: emojis, count: count)
  }

  /// What an emoji is called, in the tones that are asked for, else in its own; compared without U+FE0F. None for what is not one
  /// emoji of the table.
  public static func names(of emoji: String, tone: ToneChoice = .none) -> [NamedEmoji] {
    guard let (row, named) = entry(of: emoji) else { return [] }
    return tone == .none ? [named] : NamedEmoji.chosen(tone, of: row)
  }

  private static func entry(of emoji: String) -> (row: NameTable.Row, named: NamedEmoji)? {
    guard
      emoji.unicodeScalars.contains(where: { !$0.isASCII && ($0.properties.isEmoji || $0.value == 0x20E3) })
    else { return nil }
    let wanted = withoutSelectors(emoji.utf8)
    let isToned = !SkinTone.tones(in: emoji).isEmpty
    var found: (NameTable.Row, NamedEmoji)?
    NameTable.own.forEach { row in
      if !isToned {
        if withoutSelectors(row.emoji) == wanted { found = (row, NamedEmoji(row)) }
      } else if let version = row.versions.parts(at: UInt8(ascii: " ")).first(where: {
        withoutSelectors($0) == wanted
      }) {
        found = (row, NamedEmoji(version.text, of: row))
      }
      return found == nil
    }
    return found
  }

  private static func withoutSelectors(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var plain: [UInt8] = []
    for byte in bytes {
      plain.append(byte)
      if byte == 0x8F, plain.suffix(3) == [0xEF, 0xB8, 0x8F] { plain.removeLast(3) }
    }
    return plain
  }
}
