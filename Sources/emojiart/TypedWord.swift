// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

/// The word at the cursor when the tabulator was pressed. bash breaks it at `@` and colons, and replaces
/// only what is behind the last colon.
struct TypedWord {
  /// As it was typed.
  let text: String
  /// What of it the shell does not replace.
  private let kept: String
  /// Behind the colon that ends a name nothing is offered.
  private let isEnded: Bool
  private let shell: CompletionShell?

  init(_ words: [String], _ index: Int, _ prefix: String) {
    shell = CompletionShell.requesting
    var word = words.indices.contains(index) ? words[index] : prefix
    var before = words.prefix(max(0, index)).map(Self.unescaped)
    var kept = ""
    var isEnded = false
    // An empty word is a new one, whatever bash broke before it.
    if shell == .bash, !word.isEmpty, word == ":" || before.last == ":" {
      isEnded = word == ":" && before.last != ":" && before.dropLast().last == ":"
      if word == ":" { word = "" } else { before.removeLast() }
      kept = ":"
      let name = before.popLast() ?? ""
      if Palettes.isPick(name) { kept = name + kept }
      if before.last == "@" { kept = "@\(name):" }
    } else if shell == .bash, !word.isEmpty, before.last == "@" {
      // This part it replaces with what follows.
      word = "@" + word
    }
    text = kept + Self.unescaped(word)
    self.kept = kept
    self.isEnded = isEnded
  }

  /// bash writes a backslash before an `@`.
  private static func unescaped(_ word: String) -> String { word.filter { $0 != "\\" } }

  /// A whole word as the shell takes it, and what it means where the shell shows that; nil where the word does not begin so.
  func offer(_ whole: String, meaning: String? = nil) -> String? {
    guard whole.hasPrefix(text), !isEnded else { return nil }
    switch shell {
    case .zsh: return Completion.escaped(whole) + (meaning.map { ":\($0)" } ?? "")
    case .fish: return whole + (meaning.map { "\t\($0)" } ?? "")
    default: return String(whole.dropFirst(kept.count))
    }
  }
}

extension ToneChoice {
  /// What may be typed for it.
  static let words = SkinTone.allCases.map(\.rawValue) + ["all"]

  /// Reads a skin tone or `all`. Throws `badValue`.
  init(typed word: String) throws(ArtError) {
    if let tone = SkinTone(rawValue: word) {
      self = .tone(tone)
    } else if word == "all" {
      self = .all
    } else {
      let known = Self.words.dropLast().joined(separator: ", ")
      throw ArtError(.badValue, "\(shown(word)) is no skin tone; give \(known) or all")
    }
  }
}

extension NamedEmoji {
  /// What `find --json` writes of it.
  var json: JSON {
    .object([
      "emoji": .string(emoji), "keywords": .array(keywords.map { .string($0) }), "name": .string(name),
      "shortcode": .string(shortcode), "tones": .array(tones.map { .string($0.rawValue) }),
    ])
  }
}
