// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtNames

extension Completion {
  /// How a word for a new label can go on, as it is typed in full.
  static func labels(beginningWith word: String) -> [String] {
    if Palettes.isPick(word) { return picks(word).map(\.text) }
    guard word.hasPrefix(":") else { return [] }
    return EmojiNames.shortcodes(beginningWith: String(word.dropFirst())).map { ":\($0):" }
  }

  /// The same for the shells.
  @Sendable static func labels(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    if let picks = picks(words, index, prefix) { return picks }
    let word = words.indices.contains(index) ? words[index] : prefix
    let before = CompletionShell.requesting == .bash ? colonBefore(words, index) : ""
    guard let before else { return [] }
    // bash puts what is offered behind the colon that it takes for a word.
    let dropped = CompletionShell.requesting == .bash && (word == ":" || !before.isEmpty) ? 1 : 0
    return labels(beginningWith: before + word).filter(isPlain).map { escaped(String($0.dropFirst(dropped))) }
  }

  /// bash takes `:hon` for two words, and `:bee:` for three. nil behind the colon that ends a name.
  private static func colonBefore(_ words: [String], _ index: Int) -> String? {
    guard words.indices.contains(index), words.indices.contains(index - 2) else { return "" }
    let isEnd = words[index] == ":" && words[index - 2] == ":" && words[index - 1] != ":"
    if isEnd { return nil }
    return words[index] != ":" && words[index - 1] == ":" ? ":" : ""
  }
}
