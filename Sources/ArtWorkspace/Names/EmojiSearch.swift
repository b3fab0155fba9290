// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtNames

/// Emoji found by words, or words found by emoji.
public struct EmojiSearch: Sendable {
  /// Why nothing was searched for.
  public enum Failure: Error, Equatable, Sendable {
    /// Words and emoji stand together; a search is for one of the two.
    case mixed
    /// That is neither a word nor one emoji.
    case unsearchable(String)
    /// Nothing is found by these words; the emoji whose names are near them.
    case nothing(String, near: [NamedEmoji])
  }

  /// The best ones, as many as were asked for.
  public let emojis: [NamedEmoji]
  /// How many there are in all.
  public let count: Int

  /// Searches for words; each emoji in the place of a word is answered by its name. `limit` is how many are wanted, from 1.
  public init(_ words: [String], tone: ToneChoice = .none, limit: Int) throws(Failure) {
    let found = try Self.found(words, tone, limit)
    guard !found.emojis.isEmpty else {
      let typed = words.joined(separator: " ")
      throw .nothing(typed, near: EmojiNames.names(near: typed))
    }
    (emojis, count) = (found.emojis, found.count)
  }

  private static func found(
    _ words: [String], _ tone: ToneChoice, _ limit: Int
  ) throws(Failure) -> EmojiNames.Found {
    let named = words.map { EmojiNames.names(of: $0, tone: tone) }
    if !named.contains([]) {
      let all = named.flatMap { $0 }
      return EmojiNames.Found(emojis: Array(all.prefix(limit)), count: all.count)
    }
    guard named.allSatisfy(\.isEmpty) else { throw .mixed }
    if let bad = words.first(where: { !EmojiNames.canSearch($0) }) { throw .unsearchable(bad) }
    return EmojiNames.search(words, tone: tone, limit: limit) ?? EmojiNames.Found(emojis: [], count: 0)
  }
}
