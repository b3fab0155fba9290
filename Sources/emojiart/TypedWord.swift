// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

/// The word at the cursor when tab was pressed. bash splits it at `@` and colons, and replaces only the part behind
/// the last colon.
struct TypedWord {
  /// The word as the user typed it.
  let text: String
  /// The beginning of the word that the shell does not replace.
  private let kept: String
  /// Whether the word ends with the colon that closes a name. Then there are no candidates.
  private let isEnded: Bool
  private let shell: CompletionShell?

  init(_ words: [String], _ index: Int, _ prefix: String) {
    shell = CompletionShell.requesting
    var word = words.indices.contains(index) ? words[index] : prefix
    var before = words.prefix(max(0, index)).map(Self.unescaped)
    var kept = ""
    var isEnded = false
    // An empty word begins a new one, however bash has split the words before it.
    if shell == .bash, !word.isEmpty, word == ":" || before.last == ":" {
      isEnded = word == ":" && before.last != ":" && before.dropLast().last == ":"
      if word == ":" { word = "" } else { before.removeLast() }
      kept = ":"
      let name = before.popLast() ?? ""
      if Palettes.isPick(name) { kept = name + kept }
      if before.last == "@" { kept = "@\(name):" }
    } else if shell == .bash, !word.isEmpty, before.last == "@" {
      // bash replaces the part from the `@` on.
      word = "@" + word
    }
    text = kept + Self.unescaped(word)
    self.kept = kept
    self.isEnded = isEnded
  }

  /// Removes the backslash that bash writes before an `@`.
  private static func unescaped(_ word: String) -> String { word.filter { $0 != "\\" } }

  /// A candidate in the form that the shell expects, with its meaning if the shell shows it; nil when the candidate
  /// does not begin with the typed text.
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
  /// The words that a user may type.
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
  /// The entry in the output of `find --json`.
  var json: JSON {
    .object([
      "emoji": .string(emoji), "keywords": .array(keywords.map { .string($0) }), "name": .string(name),
      "shortcode": .string(shortcode), "tones": .array(tones.map { .string($0.rawValue) }),
    ])
  }
}
