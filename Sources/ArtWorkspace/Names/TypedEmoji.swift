// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtNames
import ArtStore

extension EmojiText {
  /// What a person types for a new label: the emoji itself, `:name:`, or `@palette:3`. Throws `badText` with what is near,
  /// `badValue` with what a palette has, and what reading the palettes throws.
  public init(typed word: String) throws(ArtError) {
    if let name = Self.name(in: word) {
      self = try EmojiNames.emoji(named: name)
    } else {
      do throws(ArtError) {
        try self.init(word)
      } catch {
        guard Palettes.isPick(word) else { throw Self.lackingColons(word) ?? error }
        self = try PaletteStore().palettes().pick(word)
      }
    }
  }

  /// The same for several words.
  public static func typed(_ words: [String]) throws(ArtError) -> [EmojiText] {
    var texts: [EmojiText] = []
    for word in words { texts.append(try EmojiText(typed: word)) }
    return texts
  }

  /// What stands between two colons. A label may have colons about an emoji.
  fileprivate static func name(in word: String) -> String? {
    guard word.utf8.count > 2, word.hasPrefix(":"), word.hasSuffix(":") else { return nil }
    let name = String(word.dropFirst().dropLast())
    return name.contains(where: EmojiText.isEmoji) ? nil : name
  }

  /// What to say of a name without its colons, or without one of them.
  private static func lackingColons(_ word: String) -> ArtError? {
    let name = word.filter { $0 != ":" }
    let letters = name.unicodeScalars.filter(\.properties.isAlphabetic)
    guard letters.count > 1,
      name.unicodeScalars.allSatisfy({
        $0.properties.isAlphabetic || "0123456789-_ ".unicodeScalars.contains($0)
      })
    else { return nil }
    // What is no name is told as what it is: no emoji.
    guard let text = try? EmojiNames.emoji(named: name) else { return nil }
    return ArtError(.badText, "\"\(word)\" has no emoji in it; did you mean :\(name): \(text)?")
  }
}

extension Reference {
  /// What a person types for an emoji that is there: all that `init(_:)` reads, and `:name:` in the place of the emoji itself, or
  /// `:name::2`. Throws `badText` with what is near, and `badValue`.
  public init(typed word: String) throws(ArtError) {
    guard let (name, ordinal) = Self.name(in: word) else {
      self = try Reference(word)
      return
    }
    self = try Reference("\(EmojiNames.emoji(named: name))\(ordinal)")
  }

  /// A name between colons, and what stands behind them, such as `:2`.
  private static func name(in word: String) -> (name: String, ordinal: Substring)? {
    if let name = EmojiText.name(in: word) { return (name, "") }
    guard let colon = word.lastIndex(of: ":"), Int(word[colon...].dropFirst()) != nil,
      let name = EmojiText.name(in: String(word[..<colon]))
    else { return nil }
    return (name, word[colon...])
  }
}
