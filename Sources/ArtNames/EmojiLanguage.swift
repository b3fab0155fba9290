// SPDX-License-Identifier: Apache-2.0

/// A language in which emoji have names, by its BCP 47 code. English is also the language of shortcodes.
///
/// The table of a language is data in the program. It is read when something is looked up in that language, and costs nothing before.
public enum EmojiLanguage: String, CaseIterable, Sendable {
  case english = "en"
  case arabic = "ar"
  /// In simplified characters.
  case chinese = "zh"
  case french = "fr"
  case german = "de"
  case italian = "it"
  case japanese = "ja"
  case polish = "pl"
  case portuguese = "pt"
  case russian = "ru"
  case spanish = "es"
  case ukrainian = "uk"

  /// The language of a BCP 47 tag such as `de-AT`, in any case; nil for one without a table.
  public init?(tag: String) {
    let primary = tag.utf8.prefix { $0 != UInt8(ascii: "-") }
    self.init(rawValue: String(decoding: primary, as: UTF8.self).lowercased())
  }

  /// The language of a POSIX locale such as `de_AT.UTF-8`, `de@euro` or `de`; nil for one without a table, such as `C`.
  public init?(locale: String) {
    let language = locale.utf8.prefix { !"_.@-".utf8.contains($0) }
    self.init(tag: String(decoding: language, as: UTF8.self))
  }

  /// Not by `==`, which would compare the codes.
  var isEnglish: Bool { if case .english = self { true } else { false } }

  /// Whether the language writes words without blanks between them, so that a word may begin anywhere.
  var hasNoBlanks: Bool {
    switch self {
    case .chinese, .japanese: true
    default: false
    }
  }

  /// Whether the last words of a name say what it names, as in *red heart*; the first ones do in *coeur rouge*.
  var headIsLast: Bool {
    switch self {
    case .english, .german, .chinese, .japanese: true
    default: false
    }
  }

  /// Gives versions of one emoji the names of this language, if it has one for the emoji.
  func named(_ versions: [NamedEmoji], _ row: NameTable.Row) -> [NamedEmoji] {
    guard !isEnglish else { return versions }
    let table = NameTable(self)
    guard let own = table.row(of: row.emoji) else { return versions }
    return versions.map { $0.named(own, tones: table.tones) }
  }
}
