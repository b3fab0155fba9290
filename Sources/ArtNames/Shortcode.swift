// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Normalizes names to shortcodes: `Côte d’Ivoire` and `cote_divoire` both become `cote-divoire`.
///
/// Lower case, without accents, apostrophes and full stops; `&` becomes `and`, `ß` becomes `ss`; letters,
/// digits, `#`, `*` and `+` stay, and the minus of `-1`; everything else becomes a hyphen. `scripts/dev emoji-names` does the same.
enum Shortcode {
  static func of(_ name: String) -> String {
    var code = String.UnicodeScalarView()
    var needsHyphen = false
    var isStart = true
    // Not generic: looking up the metadata would take longer than a search.
    func append(_ text: String.UnicodeScalarView) {
      if needsHyphen, !isStart { code.append("-") }
      needsHyphen = false
      isStart = false
      code.append(contentsOf: text)
    }
    let typed = name.unicodeScalars.drop { $0.properties.isWhitespace }
    if typed.first == "-", let digit = typed.dropFirst().first, "0"..."9" ~= digit {
      code.append("-")
    }
    for scalar in typed {
      switch scalar {
      case "a"..."z", "0"..."9", "#", "*", "+": append(String(scalar).unicodeScalars)
      case "A"..."Z": append(scalar.properties.lowercaseMapping.unicodeScalars)
      case "’", "'", ".": continue
      case "&":
        needsHyphen = true
        append("and".unicodeScalars)
        needsHyphen = true
      case "ß", "ẞ": append("ss".unicodeScalars)
      case "\u{3099}", "\u{309A}":
        // The marks of a voiced kana, which makes another letter: it follows its plain one, or that after it.
        guard let last = code.last, 0x304B...0x30DB ~= last.value,
          let voiced = Unicode.Scalar(last.value + (scalar == "\u{3099}" ? 1 : 2))
        else { continue }
        code.removeLast()
        code.append(voiced)
      case _ where scalar.properties.generalCategory == .nonspacingMark && scalar.value < 0xFE00: continue
      case _
      where !scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil):
        append(plain(scalar))
      default: needsHyphen = true
      }
    }
    return String(code)
  }

  /// `n` for `ñ`: Unicode's name of a letter contains its base letter. Cyrillic and Arabic letters likewise lose their marks.
  private static func plain(_ letter: Unicode.Scalar) -> String.UnicodeScalarView {
    let lower = letter.properties.lowercaseMapping.unicodeScalars
    switch lower.first {
    case "ё": return "е".unicodeScalars
    case "й": return "и".unicodeScalars
    case "ї": return "і".unicodeScalars
    case "ў": return "у".unicodeScalars
    case "آ", "أ", "إ": return "ا".unicodeScalars
    case "ؤ": return "و".unicodeScalars
    case "ئ": return "ي".unicodeScalars
    default: break
    }
    let words = letter.properties.name?.split(separator: " ") ?? []
    guard words.count > 4, words[0] == "LATIN", words[2] == "LETTER", words[3].count == 1, words[4] == "WITH"
    else { return lower }
    return words[3].lowercased().unicodeScalars
  }
}

// MARK: - Lookup by shortcode

extension EmojiNames {
  /// The emoji of a name as it is typed between colons, without the colons: `honeybee`, `bee`, `red-heart`.
  /// Throws `badText` with suggestions for a name that matches several emoji or none.
  ///
  /// A name takes precedence over a shortcode of GitHub or Slack, and that over a keyword, which counts only if one emoji has it.
  /// What no English word is may be the name of one emoji in another language.
  public static func emoji(named name: String) throws(ArtError) -> EmojiText {
    let code = Shortcode.of(name)
    guard !code.isEmpty else {
      throw ArtError(
        .badText, ":\(shown(name)): has no letters to look for", about: shown(name), remedy: .searchNames)
    }
    let wanted = Array(code.utf8)
    let named = named(wanted)
    if let row = named.name { return try EmojiText(row.emoji.text) }
    if let version = version(code) { return try EmojiText(version.emoji) }
    if let row = named.alias { return try EmojiText(row.emoji.text) }
    switch named.keyword.count {
    case 0:
      guard let text = foreign(wanted) else { throw unknown(name, code) }
      return try EmojiText(text)
    case 1: return try EmojiText(named.keyword[0].emoji.text)
    default: throw several(name, code)
    }
  }

  /// The lines that have this name, this shortcode of GitHub or Slack, or this keyword, of which two are enough.
  private static func named(
    _ code: [UInt8]
  ) -> (name: NameTable.Row?, alias: NameTable.Row?, keyword: [NameTable.Row]) {
    var found: (name: NameTable.Row?, alias: NameTable.Row?, keyword: [NameTable.Row]) = (nil, nil, [])
    NameTable.own.forEach(having: code) { row, _ in
      if row.shortcode.elementsEqual(code) {
        found.name = row
      } else if found.alias == nil, row.aliases.hasPart(code) {
        found.alias = row
      } else if found.keyword.count < 2, row.hasKeyword(code) {
        found.keyword.append(row)
      }
    }
    return found
  }

  /// The only emoji that has this name in any language.
  private static func foreign(_ code: [UInt8]) -> String? {
    var found: Set<String> = []
    for language in EmojiLanguage.allCases where !language.isEnglish {
      NameTable(language).forEach(having: [UInt8(ascii: "\t")] + code) { row, _ in
        if row.shortcode.elementsEqual(code) || row.aliases.elementsEqual(code) {
          found.insert(row.emoji.text)
        }
      }
    }
    return found.count == 1 ? found.first : nil
  }

  /// The names and GitHub's and Slack's shortcodes that begin with a shortcode, and the keywords of exactly one emoji, sorted.
  public static func shortcodes(beginningWith start: String) -> [String] {
    let wanted = Array(start.utf8)
    var names: Set<String> = []
    var keywords: [String: Int] = [:]
    NameTable.own.forEach { row in
      for name in [row.shortcode] + row.aliases.parts(at: UInt8(ascii: "|")) where name.starts(with: wanted) {
        names.insert(name.text)
      }
      for keyword in row.keywords.parts(at: UInt8(ascii: "|")) where keyword.starts(with: wanted) {
        keywords[keyword.text, default: 0] += 1
      }
      return true
    }
    return names.union(keywords.filter { $0.value == 1 }.keys).sorted()
  }

  /// The names most similar to an unknown one, at most two, nearest first. Where none of the language is similar, English ones.
  public static func names(near name: String, in language: EmojiLanguage = .english) -> [NamedEmoji] {
    let code = Shortcode.of(name)
    let own = language.isEnglish ? [] : rows(near: code, in: NameTable(language), language)
    if own.isEmpty {
      return rows(near: code, in: .own, .english).flatMap { NamedEmoji.chosen(.none, of: $0, in: language) }
    }
    return own.compactMap { NameTable.own.row(of: $0.emoji) }.flatMap {
      NamedEmoji.chosen(.none, of: $0, in: language)
    }
  }

  /// The best lines for the most similar words, at most two, nearest first. Of two words as near, the one that more emoji have.
  private static func rows(near code: String, in table: NameTable, _ language: EmojiLanguage) -> [NameTable
    .Row]
  {
    let (length, letters) = (code.utf8.count, letters(of: code.utf8))
    let reach = max(1, length / 3)
    var counts: [String: Int] = [:]
    table.forEach { row in
      let columns = [row.shortcode] + [row.keywords, row.aliases].flatMap { $0.parts(at: UInt8(ascii: "|")) }
      for column in columns {
        let words = column.parts(at: UInt8(ascii: "-"))
        for word in words.count == 1 ? words : words + [column]
        // Only similar words are converted to `String`: an edit adds at most one letter and removes at most one.
        where abs(word.count - length) <= reach
          && (self.letters(of: word) ^ letters).nonzeroBitCount <= 2 * reach
        {
          counts[word.text, default: 0] += 1
        }
      }
      return true
    }
    var rows: [NameTable.Row] = []
    for word in nearest(to: code, among: Array(counts.keys), preferring: { counts[$0] ?? 0 }) {
      guard let query = NameQuery([word], in: language), let row = table.rows(query).first,
        !rows.contains(where: { $0.shortcode.elementsEqual(row.shortcode) })
      else { continue }
      rows.append(row)
    }
    return rows
  }

  /// The set of letters of a word, one bit each.
  private static func letters(of word: some Sequence<UInt8>) -> UInt64 {
    word.reduce(0) { $0 | 1 << UInt64($1 & 63) }
  }

  /// The variant with skin tones whose shortcode this is, or whose tone follows a shortcode of GitHub or Slack.
  private static func version(_ code: String) -> NamedEmoji? {
    guard code.hasSuffix("-skin-tone") else { return nil }
    var found: NamedEmoji?
    NameTable.own.forEach { row in
      if !row.versions.isEmpty, code.utf8.starts(with: row.shortcode) {
        found = NamedEmoji.versions(of: row).first { $0.shortcode == code }
      }
      return found == nil
    }
    if let found { return found }
    let (bare, tone) = toned(code)
    guard case .tone(let tone) = tone, let row = named(Array(bare.utf8)).alias else { return nil }
    return NamedEmoji.versions(of: row).first { $0.tones == [tone] }
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

  /// Splits a skin tone off the end of a name.
  private static func toned(_ code: String) -> (String, ToneChoice) {
    // `medium-light` must be tried before `light`.
    for tone in SkinTone.allCases.sorted(by: { $0.rawValue.count > $1.rawValue.count }) {
      let end = "-\(tone.rawValue)-skin-tone"
      if code.hasSuffix(end) { return (String(code.dropLast(end.count)), .tone(tone)) }
    }
    return (code, .none)
  }

  /// The name, shortened for a message.
  private static func shown(_ name: String) -> String { name[...].shortened(to: 60) }

  private static func several(_ name: String, _ code: String) -> ArtError {
    let found = search([code], limit: 3)
    return ArtError(
      .badText,
      ":\(shown(name)): fits several emoji, such as \(listed(found?.emojis ?? []))", about: shown(code),
      remedy: .listMatches)
  }

  /// Suggestions, each followed by its emoji.
  private static func listed(_ emojis: [NamedEmoji]) -> String {
    let all = emojis.map { ":\($0.shortcode): \($0.emoji)" }
    guard let last = all.last, all.count > 1 else { return all.first ?? "" }
    return "\(all.dropLast().joined(separator: ", ")) or \(last)"
  }
}

// MARK: - Skin tones

/// Unicode's skin tones, U+1F3FB to U+1F3FF, in this order.
public enum SkinTone: String, CaseIterable, Sendable {
  case light
  case mediumLight = "medium-light"
  case medium
  case mediumDark = "medium-dark"
  case dark

  /// The tone of a modifier.
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

/// The skin tones in which emoji are found.
public enum ToneChoice: Equatable, Sendable {
  /// Without a tone.
  case none
  /// With this tone, where such a variant exists.
  case tone(SkinTone)
  /// Without a tone, then every variant in Unicode's order.
  case all
}
