// SPDX-License-Identifier: Apache-2.0

/// The glyphs of one emoji label: at least one emoji character, 1 to 16 characters, at most 256 bytes, no
/// control characters.
///
/// Sequences with joiners, skin tones, flags, keycaps, tags and variation selectors stay exactly as given.
/// The definition of an emoji character is Unicode's (https://www.unicode.org/reports/tr51/, ED-1), but a
/// digit, `#` or `*` counts only in a keycap sequence.
public struct EmojiText: Hashable, Sendable, CustomStringConvertible {
  /// The text as it is drawn.
  public let string: String

  /// Checks a text, and gives a lone emoji without emoji presentation (`❤`) the selector it lacks.
  /// Throws `badText`.
  public init(_ text: String) throws(ArtError) {
    do throws(ArtError.TextFault) { try self.init(checking: text) } catch { throw .badText(text, error) }
  }

  /// The same, for a caller that has its own words for what is wrong.
  public init(checking text: String) throws(ArtError.TextFault) {
    if let fault = Self.danger(in: text) { throw fault }
    guard text.unicodeScalars.allSatisfy(Self.isVisible) else { throw .control }
    guard text.count <= Limits.textCharacters else { throw .characters }
    guard text.contains(where: Self.isEmoji) else { throw .noEmoji }
    string = Self.withPresentation(text)
  }

  /// Checks a text that a document holds, and leaves it as it is. What is an emoji and what is one character
  /// changes with Unicode's versions, and a document must not turn bad because of it: so only what is dangerous
  /// in any version is refused. Throws `badText`.
  init(stored text: String) throws(ArtError) {
    if let fault = Self.danger(in: text) { throw .badText(text, fault) }
    string = text
  }

  private static func danger(in text: String) -> ArtError.TextFault? {
    if text.isEmpty { return .empty }
    if text.utf8.count > Limits.textBytes { return .bytes }
    return text.unicodeScalars.contains(where: \.isUnsafeOnTerminal) ? .control : nil
  }

  /// The text without U+FE0F: what a person types may lack it, so texts are compared by this.
  public var comparisonKey: String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: string.unicodeScalars.lazy.filter { $0 != Self.emojiSelector })
    return String(scalars)
  }

  /// Two texts are the same only when their bytes are: a text stays exactly as given.
  public static func == (left: EmojiText, right: EmojiText) -> Bool {
    left.string.utf8.elementsEqual(right.string.utf8)
  }

  /// Agrees with `==`.
  public func hash(into hasher: inout Hasher) {
    var copy = string
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// The text.
  public var description: String { string }

  /// Whether a character is an emoji by Unicode's definition, and not a bare digit, `#` or `*`.
  public static func isEmoji(_ character: Character) -> Bool {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return false }
    if first.isASCII, first.properties.isEmoji, scalars.contains(keycap) { return true }
    return scalars.contains { !$0.isASCII && $0.properties.isEmoji }
  }

  private static let emojiSelector: Unicode.Scalar = "\u{FE0F}"
  private static let keycap: Unicode.Scalar = "\u{20E3}"

  private static func withPresentation(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let only = scalars.first, scalars.count == 1, !only.isASCII, only.properties.isEmoji,
      !only.properties.isEmojiPresentation
    else { return text }
    return text + "\u{FE0F}"
  }

  /// Assigned, and not drawn as nothing or as a blank: two labels that look alike must be alike. The joiner, the
  /// tags and the selectors of emoji sequences are part of what is seen.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x200D, 0xFE00...0xFE0F, 0xE0020...0xE007F: return true
    // The blank pattern of Braille.
    case 0x2800: return false
    default: break
    }
    let category = scalar.properties.generalCategory
    return category != .unassigned && category != .privateUse && category != .format
      && !scalar.properties.isDefaultIgnorableCodePoint
  }
}
