// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A name as it is typed between colons: `Côte d’Ivoire` and `cote_divoire` are both `cote-divoire`.
///
/// Lower case without accents, apostrophes and full stops; `&` is `and`; letters, digits, `#`, `*` and `+` stay, and hyphens part
/// them. `scripts/emoji-names` does the same.
enum Shortcode {
  static func of(_ name: String) -> String {
    var code = String.UnicodeScalarView()
    var isParted = false
    // No generic one: its metadata would take longer to look up than a search takes.
    func put(_ text: String.UnicodeScalarView) {
      if isParted, !code.isEmpty { code.append("-") }
      isParted = false
      code.append(contentsOf: text)
    }
    for scalar in name.unicodeScalars {
      switch scalar {
      case "a"..."z", "0"..."9", "#", "*", "+": put(String(scalar).unicodeScalars)
      case "A"..."Z": put(scalar.properties.lowercaseMapping.unicodeScalars)
      case "’", "'", ".": continue
      case "&":
        isParted = true
        put("and".unicodeScalars)
        isParted = true
      case _ where scalar.properties.generalCategory == .nonspacingMark && scalar.value < 0xFE00: continue
      case _
      where !scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil):
        put(plain(scalar))
      default: isParted = true
      }
    }
    return String(code)
  }

  /// `n` for `ñ`: Unicode's name of a letter says which it is made of.
  private static func plain(_ letter: Unicode.Scalar) -> String.UnicodeScalarView {
    let words = letter.properties.name?.split(separator: " ") ?? []
    guard words.count > 4, words[0] == "LATIN", words[2] == "LETTER", words[3].count == 1, words[4] == "WITH"
    else { return letter.properties.lowercaseMapping.unicodeScalars }
    return words[3].lowercased().unicodeScalars
  }
}

extension EmojiNames {
  /// The emoji that a name stands for, as it is typed between colons: `honeybee`, `bee`, `red-heart`, without the colons. Throws
  /// `badText` with the near ones for a name that fits several or none.
  ///
  /// A name goes before a keyword, and a keyword counts where only one emoji has it.
  public static func emoji(named name: String) throws(ArtError) -> EmojiText {
    let code = Shortcode.of(name)
    guard !code.isEmpty else {
      throw ArtError(
        .badText, ":\(shown(name)): has no letters to look for", about: shown(name), remedy: .searchNames)
    }
    let wanted = Array(code.utf8)
    if let row = NameTable.own.first(where: { $0.shortcode.elementsEqual(wanted) }) {
      return try EmojiText(row.emoji.text)
    }
    if let version = version(code) { return try EmojiText(version.emoji) }
    var having: [NameTable.Row] = []
    NameTable.own.forEach { row in
      if row.hasKeyword(wanted) { having.append(row) }
      return having.count < 2
    }
    switch having.count {
    case 0: throw unknown(name, code)
    case 1: return try EmojiText(having[0].emoji.text)
    default: throw several(name, code)
    }
  }

  /// The names that begin with a shortcode, and the keywords that name one emoji, sorted.
  public static func shortcodes(beginningWith start: String) -> [String] {
    let wanted = Array(start.utf8)
    var names: Set<String> = []
    var keywords: [String: Int] = [:]
    NameTable.own.forEach { row in
      if row.shortcode.starts(with: wanted) { names.insert(row.shortcode.text) }
      for keyword in row.keywords.parts(at: UInt8(ascii: "|")) where keyword.starts(with: wanted) {
        keywords[keyword.text, default: 0] += 1
      }
      return true
    }
    return names.union(keywords.filter { $0.value == 1 }.keys).sorted()
  }

  /// The names near one that is none, at most two, nearest first.
  public static func names(near name: String) -> [NamedEmoji] {
    let code = Shortcode.of(name)
    let (length, letters) = (code.utf8.count, letters(of: code.utf8))
    let reach = max(1, length / 3)
    var owners: [String: NamedEmoji] = [:]
    NameTable.own.forEach { row in
      for word in [row.shortcode] + row.keywords.parts(at: UInt8(ascii: "|"))
      // Only what can be near is worth a text: an edit brings in one letter at most, and takes out one.
      where abs(word.count - length) <= reach
        && (self.letters(of: word) ^ letters).nonzeroBitCount <= 2 * reach && owners[word.text] == nil
      {
        owners[word.text] = NamedEmoji(row)
      }
      return true
    }
    return nearest(to: code, among: Array(owners.keys)).compactMap { owners[$0] }
  }

  /// Which letters are in a word, a bit each.
  private static func letters(of word: some Sequence<UInt8>) -> UInt64 {
    word.reduce(0) { $0 | 1 << UInt64($1 & 63) }
  }

  /// A version in skin tones, whose name ends with them.
  private static func version(_ code: String) -> NamedEmoji? {
    guard code.hasSuffix("-skin-tone") else { return nil }
    var found: NamedEmoji?
    NameTable.own.forEach { row in
      if !row.versions.isEmpty, code.utf8.starts(with: row.shortcode) {
        found = NamedEmoji.versions(of: row).first { $0.shortcode == code }
      }
      return found == nil
    }
    return found
  }

  private static func unknown(_ name: String, _ code: String) -> ArtError {
    let (bare, tone) = toned(code)
    let fitting = search([bare], tone: tone, limit: 3)?.emojis ?? []
    let near = fitting.isEmpty ? names(near: code) : fitting
    let cause = "no emoji is called :\(shown(name)):"
    return near.isEmpty
      ? ArtError(.badText, cause, about: shown(name), remedy: .searchNames)
      : ArtError(.badText, "\(cause); did you mean \(listed(near))?", about: shown(name))
  }

  /// A name without the skin tone that it ends with, and the tone.
  private static func toned(_ code: String) -> (String, ToneChoice) {
    // Medium light ends with light, too.
    for tone in SkinTone.allCases.sorted(by: { $0.rawValue.count > $1.rawValue.count }) {
      let end = "-\(tone.rawValue)-skin-tone"
      if code.hasSuffix(end) { return (String(code.dropLast(end.count)), .tone(tone)) }
    }
    return (code, .none)
  }

  /// As much of what was typed as tells it.
  private static func shown(_ name: String) -> String { name[...].shortened(to: 60) }

  private static func several(_ name: String, _ code: String) -> ArtError {
    let found = search([code], limit: 3)
    return ArtError(
      .badText,
      ":\(shown(name)): fits several emoji, such as \(listed(found?.emojis ?? []))", about: shown(code),
      remedy: .listMatches)
  }

  /// What can be typed instead, each with its emoji behind it.
  private static func listed(_ emojis: [NamedEmoji]) -> String {
    let all = emojis.map { ":\($0.shortcode): \($0.emoji)" }
    guard let last = all.last, all.count > 1 else { return all.first ?? "" }
    return "\(all.dropLast().joined(separator: ", ")) or \(last)"
  }
}

/// The skin tones of Unicode, U+1F3FB to U+1F3FF, in their order.
public enum SkinTone: String, CaseIterable, Sendable {
  case light
  case mediumLight = "medium-light"
  case medium
  case mediumDark = "medium-dark"
  case dark

  /// The tone that a scalar stands for.
  init?(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x1F3FB: self = .light
    case 0x1F3FC: self = .mediumLight
    case 0x1F3FD: self = .medium
    case 0x1F3FE: self = .mediumDark
    case 0x1F3FF: self = .dark
    default: return nil
    }
  }

  /// The tones in an emoji from left to right; one where two people have the same.
  static func tones(in emoji: String) -> [SkinTone] {
    let all = emoji.unicodeScalars.compactMap(SkinTone.init)
    return all.count == 2 && all[0] == all[1] ? [all[0]] : all
  }
}

/// In which skin tones emoji are found.
public enum ToneChoice: Equatable, Sendable {
  /// As they are without any.
  case none
  /// In this one, where there is such a version.
  case tone(SkinTone)
  /// Without any, then every version in Unicode's order.
  case all
}
