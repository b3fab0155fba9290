// SPDX-License-Identifier: Apache-2.0

/// An emoji and what it is called.
public struct NamedEmoji: Equatable, Sendable {
  /// The emoji itself, in its full form.
  public let emoji: String
  /// What is typed between colons: `waving-hand-light-skin-tone`.
  public let shortcode: String
  /// Unicode's English name: `waving hand: light skin tone`.
  public let name: String
  /// What else it is found by, as shortcodes.
  public let keywords: [String]
  /// Its skin tones: none, one, or two of two people.
  public let tones: [SkinTone]

  /// Without a skin tone.
  init(_ row: NameTable.Row) {
    emoji = row.emoji.text
    shortcode = row.shortcode.text
    name = row.name.text
    keywords = row.keywords.parts(at: UInt8(ascii: "|")).map(\.text)
    tones = []
  }

  /// A version in skin tones.
  init(_ version: String, of row: NameTable.Row) {
    let tones = SkinTone.tones(in: version)
    let name = row.name.text
    emoji = version
    shortcode = ([row.shortcode.text] + tones.map { "\($0.rawValue)-skin-tone" }).joined(separator: "-")
    self.name =
      name + (name.contains(":") ? ", " : ": ")
      + tones.map { "\($0.rawValue) skin tone" }.joined(separator: ", ")
    keywords = row.keywords.parts(at: UInt8(ascii: "|")).map(\.text)
    self.tones = tones
  }

  /// The versions in skin tones.
  static func versions(of row: NameTable.Row) -> [NamedEmoji] {
    row.versions.parts(at: UInt8(ascii: " ")).map { NamedEmoji($0.text, of: row) }
  }

  /// An emoji in the tones that are asked for.
  static func chosen(_ tone: ToneChoice, of row: NameTable.Row) -> [NamedEmoji] {
    switch tone {
    case .none: return [NamedEmoji(row)]
    case .all: return [NamedEmoji(row)] + versions(of: row)
    case .tone(let tone):
      return [versions(of: row).first { $0.tones == [tone] } ?? NamedEmoji(row)]
    }
  }
}
