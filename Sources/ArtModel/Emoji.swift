// SPDX-License-Identifier: Apache-2.0

/// One emoji label of a document, or a caption.
///
/// A label is mirrored first, then turned, both about its position.
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
  /// How far it is turned.
  public var rotation: Rotation
  /// Whether left and right are exchanged.
  public var isMirrored: Bool
  /// The colour of letters. Emoji have colours of their own.
  public var color: Color

  /// An emoji with these values.
  public init(
    id: EmojiID, text: EmojiText, position: Point, size: FontSize, z: Int, rotation: Rotation = .zero,
    isMirrored: Bool = false, color: Color = .black
  ) {
    self.id = id
    self.text = text
    self.position = position
    self.size = size
    self.z = z
    self.rotation = rotation
    self.isMirrored = isMirrored
    self.color = color
  }

  /// The same values under another id.
  func with(id: EmojiID) -> Emoji {
    Emoji(
      id: id, text: text, position: position, size: size, z: z, rotation: rotation, isMirrored: isMirrored,
      color: color)
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

    /// All characters of an id.
    init(whole id: EmojiID) {
      bits = id.bits
      length = EmojiID.length
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

/// The text of one label: of an emoji label, or of a caption, which has a box.
///
/// An emoji label has at least one emoji character, 1 to 16 characters, at most 256 bytes, and no control characters. Sequences
/// with joiners, skin tones, flags, keycaps, tags and variation selectors are stored as given. An emoji character is defined by
/// Unicode (https://www.unicode.org/reports/tr51/, ED-1), except that a digit, `#` or `*` counts only in a keycap sequence. Blanks
/// and invisible signs, which chats and pickers put around emoji, are left out at both ends and between emoji.
public struct EmojiText: Hashable, Sendable, CustomStringConvertible {
  /// The text as it is drawn.
  public let string: String
  /// The box, or the empty one. An optional would make each emoji larger, and a large document slower.
  private let storedBox: TextBox

  /// The size of a caption's text, measured when the text was set; nil for an emoji label.
  public var box: TextBox? { isCaption ? storedBox : nil }

  /// Whether it is a caption's.
  public var isCaption: Bool { storedBox != .empty }

  /// Checks the text of an emoji label. A single character without emoji presentation, such as `❤`, gets the missing variation
  /// selector. Throws `badText`.
  public init(_ text: String) throws(ArtError) {
    do throws(ArtError.TextFault) { try self.init(checking: text) } catch { throw .badText(text, error) }
  }

  /// As above, for a caller with its own messages.
  public init(checking typed: String) throws(ArtError.TextFault) {
    let text = Self.tidied(typed)
    if text.isEmpty, !typed.isEmpty { throw .noEmoji }
    if let fault = Self.danger(in: text, limit: Limits.textBytes) { throw fault }
    guard text.unicodeScalars.allSatisfy(Self.isVisible) else { throw .control }
    guard text.count <= Limits.textCharacters else { throw .characters }
    guard text.contains(where: Self.isEmoji) else { throw .noEmoji }
    string = Self.withPresentation(text)
    storedBox = .empty
  }

  /// The text of a caption whose box was measured.
  public init(_ words: Words, box: TextBox) {
    string = words.string
    storedBox = box
  }

  /// Checks a stored text and leaves it unchanged. Unicode versions differ in what is an emoji and what is one
  /// character, and a document must stay valid across versions. So this refuses only texts that are dangerous in any
  /// version. Throws `badText`.
  init(stored text: String, box: TextBox? = nil) throws(ArtError) {
    if box != nil {
      string = try Words(stored: text).string
    } else {
      if let fault = Self.danger(in: text, limit: Limits.textBytes) { throw .badText(text, fault) }
      string = text
    }
    storedBox = box ?? .empty
  }

  /// The same text, checked like user input. Throws `badText`.
  package func asTyped() throws(ArtError) -> EmojiText {
    if let box { EmojiText(try Words(string), box: box) } else { try EmojiText(string) }
  }

  fileprivate static func danger(in text: String, limit: Int) -> ArtError.TextFault? {
    if text.isEmpty { return .empty }
    if text.utf8.count > limit { return .bytes }
    return text.unicodeScalars.contains(where: \.isUnsafeOnTerminal) ? .control : nil
  }

  /// The text without U+FE0F and invisible signs, for comparison: user input may lack them.
  public var comparisonKey: String { Self.comparisonKey(of: string) }

  /// The comparison key of the text on one line, by which a reference names it.
  var referenceKey: String { Self.comparisonKey(of: description) }

  /// As above, for the words of a caption as a user types them.
  static func referenceKey(of typed: String) -> String {
    comparisonKey(of: Words.typed(Words.untyped(typed)))
  }

  /// The comparison key of a text that is not checked.
  static func comparisonKey(of text: String) -> String {
    func counts(_ scalar: Unicode.Scalar) -> Bool { scalar != Self.emojiSelector && !scalar.isInvisibleSign }
    // Most texts are their own keys, and a reference compares those of all emoji.
    guard !text.unicodeScalars.allSatisfy(counts) else { return text }
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: text.unicodeScalars.lazy.filter(counts))
    return String(scalars)
  }

  /// Compares the bytes, not canonical equivalence: texts are stored as given.
  public static func == (left: EmojiText, right: EmojiText) -> Bool {
    left.storedBox == right.storedBox && left.string.utf8.elementsEqual(right.string.utf8)
  }

  /// Consistent with `==`.
  public func hash(into hasher: inout Hasher) {
    var copy = string
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// The text on one line, as users type it: a line feed of a caption is shown as `\n`.
  public var description: String { isCaption ? Words.typed(string) : string }

  /// A short form for titles and messages: the text of an emoji label, or the beginning of a caption in quotes.
  public var label: String { isCaption ? "\"\(description[...].shortened(to: 24))\"" : string }

  /// Whether a character is an emoji by Unicode's definition, and not a single digit, `#` or `*`.
  public static func isEmoji(_ character: Character) -> Bool {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return false }
    if first.isASCII, first.properties.isEmoji, scalars.contains(keycap) { return true }
    return scalars.contains { !$0.isASCII && $0.properties.isEmoji }
  }

  /// Whether it is a caption, or has other characters beside its emoji.
  package var hasLetters: Bool { isCaption || string.contains { !Self.isEmoji($0) } }

  /// Whether an installed font may lack a glyph of it: it has letters, a sequence of emoji, or a character that Unicode 13 of March 2020
  /// does not have. Colour fonts have the older emoji; but which sequences a font joins, no version of Unicode says.
  public var mayBeLacking: Bool { !isCaption && hasLetters || mayHaveLackingEmoji }

  /// The same of its emoji only. The letters of a caption are known when it is measured.
  private var mayHaveLackingEmoji: Bool {
    string.unicodeScalars.contains {
      Self.isPartOfSequence($0) || ($0.properties.age.map { $0.major > 13 } ?? true)
    }
  }

  /// Whether a scalar joins or changes emoji: a joiner, a tag, a skin tone, or half of a flag.
  private static func isPartOfSequence(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case joiner.value, 0x1F1E6...0x1F1FF, 0xE0020...0xE007F: true
    default: scalar.properties.isEmojiModifier
    }
  }

  /// The text without blanks and invisible signs at its ends and between two emoji, and without joiners that join nothing. Beside
  /// a letter a blank stays.
  private static func tidied(_ typed: String) -> String {
    let typed = typed.unicodeScalars
    guard typed.contains(where: \.isGap) || typed.first == joiner || typed.last == joiner else {
      return String(typed)
    }
    var (text, gap, rest) = ("", [Unicode.Scalar](), typed[...])
    while !rest.isEmpty {
      gap += rest.prefix(while: \.isGap)
      rest = rest.drop(while: \.isGap)
      let word = rest.prefix { !$0.isGap }
      rest = rest[word.endIndex...]
      let joined = String(Substring(word.trimmed { $0 == joiner }))
      guard let first = joined.first else { continue }
      if let last = text.last { text.unicodeScalars.append(contentsOf: kept(gap, between: last, and: first)) }
      text += joined
      gap = []
    }
    return text
  }

  /// What is kept of blanks and invisible signs between two characters.
  private static func kept(
    _ gap: [Unicode.Scalar], between last: Character, and first: Character
  ) -> [Unicode.Scalar] {
    let gap = gap.map { $0 == "\t" ? " " : $0 }
    switch (isEmoji(last), isEmoji(first)) {
    case (true, true): return first.unicodeScalars.first.map(joinsBackwards) == true ? [" "] : []
    case (false, false): return gap
    default: return gap.filter { !$0.isInvisibleSign }
    }
  }

  /// Whether a scalar becomes one character with an emoji before it: two regional indicators are a flag, and a skin tone colours a hand.
  private static func joinsBackwards(_ scalar: Unicode.Scalar) -> Bool {
    (0x1F1E6...0x1F1FF).contains(scalar.value) || scalar.properties.isEmojiModifier
  }

  private static let joiner: Unicode.Scalar = "\u{200D}"
  private static let emojiSelector: Unicode.Scalar = "\u{FE0F}"
  private static let keycap: Unicode.Scalar = "\u{20E3}"

  private static func withPresentation(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let only = scalars.first, scalars.count == 1, !only.isASCII, only.properties.isEmoji,
      !only.properties.isEmojiPresentation
    else { return text }
    return text + "\u{FE0F}"
  }

  /// Whether a scalar is seen by itself.
  fileprivate static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
    isVisible(scalar) && !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
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

/// The words of a caption: 1 to 1,000 bytes of text in up to 100 lines, without control characters other than the line feed between
/// two lines. Marks of the direction of text are part of the words; an isolate ends in its line.
public struct Words: Hashable, Sendable, CustomStringConvertible {
  /// The text as it is drawn.
  public let string: String

  /// Checks user input. Line ends of other systems become line feeds; those at the end of the text are left out. A tab becomes a blank, and
  /// an isolate that is open at the end of its line is closed there. Throws `badText`, also for a text without a visible character.
  public init(_ text: String) throws(ArtError) {
    var lines = Self.lines(text.unicodeScalars)
    while let last = lines.last, last.isEmpty { lines.removeLast() }
    try self.init(stored: lines.map(Self.tidied).joined(separator: "\n"))
    guard string.unicodeScalars.contains(where: EmojiText.isSeen) else { throw .badWords(text, .empty) }
  }

  /// Checks a stored text and leaves it unchanged. Throws `badText`.
  init(stored text: String) throws(ArtError) {
    if text.isEmpty { throw .badWords(text, .empty) }
    guard text.utf8.count <= Limits.captionBytes else { throw .badWords(text, .bytes) }
    var (lines, isolates) = (1, 0)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n" where isolates == 0: lines += 1
      case _ where scalar.isDirectionMark: break
      case _ where scalar.beginsIsolate: isolates += 1
      case Self.isolateEnd where isolates > 0: isolates -= 1
      case _ where scalar.isUnsafeOnTerminal: throw .badWords(text, .control)
      default: break
      }
    }
    guard isolates == 0 else { throw .badWords(text, .control) }
    guard lines <= Limits.captionLines else { throw .badWords(text, .characters) }
    string = text
  }

  /// The text as users type it on one line: a line feed is `\n`, and a backslash that would be read with what follows is `\\`.
  static func typed(_ text: String) -> String {
    var typed = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\n": typed.append(contentsOf: "\\n".unicodeScalars)
      case "\\" where rest.first.map({ "n\\\n".unicodeScalars.contains($0) }) == true:
        typed.append(contentsOf: "\\\\".unicodeScalars)
      default: typed.append(scalar)
      }
    }
    return String(typed)
  }

  /// The text that a user has typed: `\n` is a line feed and `\\` a backslash.
  package static func untyped(_ typed: String) -> String {
    var text = String.UnicodeScalarView()
    var rest = typed.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch (scalar, rest.first) {
      case ("\\", "n"): text.append("\n")
      case ("\\", "\\"): text.append("\\")
      default:
        text.append(scalar)
        continue
      }
      rest.removeFirst()
    }
    return String(text)
  }

  private static let isolateEnd: Unicode.Scalar = "\u{2069}"

  /// A line with blanks for tabs, and with each isolate closed in it.
  private static func tidied(_ line: String) -> String {
    var (text, isolates) = (String.UnicodeScalarView(), 0)
    for scalar in line.unicodeScalars {
      if scalar.beginsIsolate { isolates += 1 }
      if scalar == isolateEnd {
        guard isolates > 0 else { continue }
        isolates -= 1
      }
      text.append(scalar == "\t" ? " " : scalar)
    }
    text.append(contentsOf: repeatElement(isolateEnd, count: isolates))
    return String(text)
  }

  /// Scalars, since a carriage return and a line feed are one character.
  private static func lines(_ scalars: String.UnicodeScalarView) -> [String] {
    var text = String.UnicodeScalarView()
    var last: Unicode.Scalar?
    for scalar in scalars {
      if scalar == "\r" { text.append("\n") } else if scalar != "\n" || last != "\r" { text.append(scalar) }
      last = scalar
    }
    return String(text).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Compares the bytes, not canonical equivalence: texts are stored as given.
  public static func == (left: Words, right: Words) -> Bool {
    left.string.utf8.elementsEqual(right.string.utf8)
  }

  /// Consistent with `==`.
  public func hash(into hasher: inout Hasher) {
    var copy = string
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// The text.
  public var description: String { string }
}

/// The width and height of a caption in ems, which are font sizes: above 0, up to 2,000, in millionths.
public struct TextBox: Hashable, Sendable {
  /// The width in the upper half, the height in the lower one.
  private let millionths: UInt64

  /// The width in ems.
  public var width: Double { Double(millionths >> 32) / 1e6 }
  /// The height in ems.
  public var height: Double { Double(UInt32(truncatingIfNeeded: millionths)) / 1e6 }

  /// Without area: the box of no caption.
  fileprivate static let empty = TextBox(millionths: 0)

  private init(millionths: UInt64) { self.millionths = millionths }

  /// Rounds to millionths. Throws `badValue` for a side out of bounds.
  public init(width: Double, height: Double) throws(ArtError) {
    guard let width = Self.millionths(width), let height = Self.millionths(height) else {
      throw .badBox(width, height)
    }
    millionths = UInt64(width) << 32 | UInt64(height)
  }

  private static func millionths(_ side: Double) -> UInt32? {
    guard side > 0, side <= Limits.captionEms else { return nil }
    return UInt32(exactly: (side * 1e6).rounded()).flatMap { $0 > 0 ? $0 : nil }
  }
}
