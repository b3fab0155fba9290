// SPDX-License-Identifier: Apache-2.0

/// One emoji label of a document.
public struct Emoji: Hashable, Sendable, Identifiable {
  /// The identity within the document.
  public let id: EmojiID
  /// The glyphs.
  public var text: EmojiText
  /// The centre of the glyphs.
  public var position: Point
  /// The font size.
  public var size: FontSize
  /// The z-order value, within `Limits.zOrder`. Higher is nearer; equal values are ordered by id.
  public var z: Int

  /// An emoji with these values.
  public init(id: EmojiID, text: EmojiText, position: Point, size: FontSize, z: Int) {
    self.id = id
    self.text = text
    self.position = position
    self.size = size
    self.z = z
  }
}

// MARK: - Ids

/// The identity of an emoji within its document: eight characters of Crockford's base32, drawn at random, so that
/// edits made independently can be merged.
public struct EmojiID: Hashable, Sendable {
  /// The number of characters in an id.
  public static let length = 8
  /// The bits of the eight characters, 5 each, the first character in the highest bits.
  let bits: UInt64

  init(bits: UInt64) { self.bits = bits }

  /// Parses the stored form; nil unless it is eight characters of the lower-case alphabet.
  public init?(_ text: some StringProtocol) {
    self.init(utf8: text.utf8)
  }

  /// Parses UTF-8 bytes.
  public init?(utf8: some Sequence<UInt8>) {
    guard let bits = Crockford.decode(utf8, length: Self.length) else { return nil }
    self.bits = bits
  }

  /// Draws a random id. The caller draws again if it is in use.
  public static func random(using generator: inout some RandomNumberGenerator) -> EmojiID {
    EmojiID(bits: generator.next() & (1 << 40 - 1))
  }
}

extension EmojiID: Comparable {
  /// Orders by bits, which is also the order of the text.
  public static func < (left: EmojiID, right: EmojiID) -> Bool { left.bits < right.bits }
}

extension EmojiID: CustomStringConvertible {
  /// The eight characters.
  public var description: String { Crockford.encode(bits, length: Self.length) }
}

extension EmojiID {
  /// The first characters of an id, as users type them.
  public struct Prefix: Hashable, Sendable, CustomStringConvertible {
    let bits: UInt64
    /// The number of characters, 1 to 8.
    public let length: Int

    /// Parses user input: case is ignored, Crockford's look-alikes are accepted, hyphens are skipped. Nil if no
    /// character or more than eight remain, or if one is not in the alphabet.
    public init?(typed: some StringProtocol) {
      var bits: UInt64 = 0
      var length = 0
      for byte in typed.utf8 where byte != UInt8(ascii: "-") {
        guard length < EmojiID.length, let value = Crockford.typedValue(of: byte) else { return nil }
        bits = bits << 5 | value
        length += 1
      }
      guard length > 0 else { return nil }
      self.bits = bits
      self.length = length
    }

    /// Whether the id begins with these characters.
    public func matches(_ id: EmojiID) -> Bool { id.bits >> free == bits }

    /// The lowest and the highest id with this prefix.
    public var range: ClosedRange<EmojiID> {
      EmojiID(bits: bits << free)...EmojiID(bits: bits << free | (1 << free - 1))
    }

    /// The characters.
    public var description: String { Crockford.encode(bits, length: length) }

    private var free: UInt64 { UInt64(5 * (EmojiID.length - length)) }
  }

  /// The length of the shortest prefix that tells this id from its neighbours in sorted order.
  public func uniquePrefixLength(between neighbours: EmojiID?...) -> Int {
    var length = 1
    for case let other? in neighbours where other != self {
      let shared = ((bits ^ other.bits) << 24).leadingZeroBitCount / 5
      length = max(length, min(shared + 1, Self.length))
    }
    return length
  }
}

// MARK: - Texts

/// The text of one emoji label: at least one emoji character, 1 to 16 characters, at most 256 bytes, no control
/// characters.
///
/// Sequences with joiners, skin tones, flags, keycaps, tags and variation selectors are stored as given. An emoji
/// character is defined by Unicode (https://www.unicode.org/reports/tr51/, ED-1), except that a digit, `#` or `*`
/// counts only in a keycap sequence.
public struct EmojiText: Hashable, Sendable, CustomStringConvertible {
  /// The text as it is drawn.
  public let string: String

  /// Checks a text. A single character without emoji presentation, such as `❤`, gets the missing variation selector.
  /// Throws `badText`.
  public init(_ text: String) throws(ArtError) {
    do throws(ArtError.TextFault) { try self.init(checking: text) } catch { throw .badText(text, error) }
  }

  /// As above, for a caller with its own messages.
  public init(checking text: String) throws(ArtError.TextFault) {
    if let fault = Self.danger(in: text) { throw fault }
    guard text.unicodeScalars.allSatisfy(Self.isVisible) else { throw .control }
    guard text.count <= Limits.textCharacters else { throw .characters }
    guard text.contains(where: Self.isEmoji) else { throw .noEmoji }
    string = Self.withPresentation(text)
  }

  /// Checks a stored text and leaves it unchanged. Unicode versions differ in what is an emoji and what is one
  /// character, and a document must stay valid across versions. So this refuses only texts that are dangerous in any
  /// version. Throws `badText`.
  init(stored text: String) throws(ArtError) {
    if let fault = Self.danger(in: text) { throw .badText(text, fault) }
    string = text
  }

  private static func danger(in text: String) -> ArtError.TextFault? {
    if text.isEmpty { return .empty }
    if text.utf8.count > Limits.textBytes { return .bytes }
    return text.unicodeScalars.contains(where: \.isUnsafeOnTerminal) ? .control : nil
  }

  /// The text without U+FE0F, for comparison: user input may lack the selector.
  public var comparisonKey: String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: string.unicodeScalars.lazy.filter { $0 != Self.emojiSelector })
    return String(scalars)
  }

  /// Compares the bytes, not canonical equivalence: texts are stored as given.
  public static func == (left: EmojiText, right: EmojiText) -> Bool {
    left.string.utf8.elementsEqual(right.string.utf8)
  }

  /// Consistent with `==`.
  public func hash(into hasher: inout Hasher) {
    var copy = string
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// The text.
  public var description: String { string }

  /// Whether a character is an emoji by Unicode's definition, and not a single digit, `#` or `*`.
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

  /// Whether a scalar is assigned and leaves a mark: labels that look the same must be the same. Joiners, tags and
  /// selectors of emoji sequences are allowed.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x200D, 0xFE00...0xFE0F, 0xE0020...0xE007F: return true
    // The blank Braille pattern.
    case 0x2800: return false
    default: break
    }
    let category = scalar.properties.generalCategory
    return category != .unassigned && category != .privateUse && category != .format
      && !scalar.properties.isDefaultIgnorableCodePoint
  }
}
