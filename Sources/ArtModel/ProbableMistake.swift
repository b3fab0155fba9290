// SPDX-License-Identifier: Apache-2.0

/// The text of a label that is probably not what its user meant: emoji with signs or letters beside them, as they come from a list, a
/// sentence or a word processor.
///
///     🐝,🌸    🐝 🌸              “🐝”     🐝
///     🐝x3     🐝 🐝 🐝           Happy🎂   🎂, and words
///
/// Such a text is made as it was typed; it is only told.
public struct ProbableMistake: Equatable, Sendable {
  /// The text as it was typed.
  public let text: String
  /// The emoji that were probably meant, a label each.
  public let meant: [String]
  /// Whether there are words beside the emoji, which make a caption.
  public let hasWords: Bool

  /// Nil for a text that has only emoji, and for one without any.
  public init?(_ text: String) {
    let emoji = text.filter(EmojiText.isEmoji).map(String.init)
    let others = String(text.filter { !EmojiText.isEmoji($0) })
    guard !emoji.isEmpty, !others.isEmpty else { return nil }
    self.text = text
    let letters = others.unicodeScalars.count(where: \.properties.isAlphabetic)
    let times = emoji.count == 1 ? Self.times(others) : nil
    meant = times.map { Array(repeating: emoji[0], count: $0) } ?? emoji
    hasWords = times == nil && letters > 1
  }

  /// The number in `x3`, `3x`, `×3` or `3`, from 2 to 16; nil for anything else.
  private static func times(_ others: String) -> Int? {
    let signs: Set<Character> = ["x", "X", "×", "*"]
    var digits = others[...]
    if let first = digits.first, signs.contains(first) {
      digits.removeFirst()
    } else if let last = digits.last, signs.contains(last) {
      digits.removeLast()
    }
    guard let count = Int(digits), (2...Limits.textCharacters).contains(count) else { return nil }
    return count
  }
}

extension Action {
  /// The new texts of labels that the action brings, each once, in their order.
  public var newTexts: [EmojiText] {
    let texts: [EmojiText] =
      switch self {
      case .add(let texts, at: _, size: _), .addGrid(let texts, _, in: _, size: _): texts
      case .caption(let text, at: _, size: _, color: _), .setText(_, let text): [text]
      default: []
      }
    var known: Set<EmojiText> = []
    return texts.filter { known.insert($0).inserted }
  }

  /// The new texts of the action that are probably mistakes, in their order.
  public var probableMistakes: [ProbableMistake] {
    newTexts.compactMap { $0.isCaption ? nil : ProbableMistake($0.string) }
  }
}
