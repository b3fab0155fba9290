// SPDX-License-Identifier: Apache-2.0

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
