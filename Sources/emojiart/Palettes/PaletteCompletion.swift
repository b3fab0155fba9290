// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore

extension Completion {
  /// What an emoji can be typed as, for the shells: `@animals:3`; nil where the word has begun as something else.
  static func picks(_ words: [String], _ index: Int, _ prefix: String) -> [String]? {
    let word = TypedWord(words, index, prefix)
    guard word.text.isEmpty || Palettes.isPick(word.text) else { return nil }
    return picks(word.text).compactMap { word.offer($0.text, meaning: $0.emoji) }
  }

  /// The palettes that there are.
  @Sendable static func palettes(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    // Where they cannot be read none are offered.
    guard let palettes = try? PaletteStore().palettes() else { return [] }
    return palettes.all.map(\.name.string)
  }

  /// What can be typed for the emoji of palettes where a word has begun so: all of one palette, else the first of each, so
  /// that whatever is offered can be taken.
  static func picks(_ word: String) -> [(text: String, emoji: String)] {
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

/// The word at the cursor when the tabulator was pressed. bash breaks it at `@` and colons, and replaces
/// only what is behind the last colon.
struct TypedWord {
  /// As it was typed.
  let text: String
  /// What of it the shell does not replace.
  private let kept: String
  private let shell: CompletionShell?

  init(_ words: [String], _ index: Int, _ prefix: String) {
    shell = CompletionShell.requesting
    var word = words.indices.contains(index) ? words[index] : prefix
    var before = words.prefix(max(0, index)).map(Self.unescaped)
    var kept = ""
    if shell == .bash, word == ":" || before.last == ":" {
      if word == ":" { word = "" } else { before.removeLast() }
      kept = ":"
      let name = before.popLast() ?? ""
      if Palettes.isPick(name) { kept = name + kept }
      if before.last == "@" { kept = "@\(name):" }
    } else if shell == .bash, before.last == "@" {
      // This part it replaces with what follows.
      word = "@" + word
    }
    text = kept + Self.unescaped(word)
    self.kept = kept
  }

  /// bash writes a backslash before an `@`.
  private static func unescaped(_ word: String) -> String { word.filter { $0 != "\\" } }

  /// A whole word as the shell takes it, and what it means where the shell shows that; nil where the word does not begin so.
  func offer(_ whole: String, meaning: String) -> String? {
    guard whole.hasPrefix(text) else { return nil }
    switch shell {
    case .zsh:
      return whole.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "\\:") + ":"
        + meaning
    case .fish: return "\(whole)\t\(meaning)"
    default: return String(whole.dropFirst(kept.count))
    }
  }
}
