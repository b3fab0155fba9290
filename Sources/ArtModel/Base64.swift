// SPDX-License-Identifier: Apache-2.0

/// Bytes as base64 text (RFC 4648, section 4), piece by piece.
public struct Base64Encoder: Sendable {
  fileprivate static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Fewer than three bytes that wait for the next ones.
  private var rest: [UInt8] = []

  /// An encoder that has got nothing yet.
  public init() {}

  /// The text of what can be told already, ASCII.
  public mutating func encode(_ piece: [UInt8]) -> [UInt8] { piece.withUnsafeBytes { encode($0) } }

  /// The same for bytes that are not copied.
  public mutating func encode(_ piece: UnsafeRawBufferPointer) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((rest.count + piece.count) / 3 * 4)
    var start = 0
    while !rest.isEmpty, rest.count < 3, start < piece.count {
      rest.append(piece[start])
      start += 1
    }
    if rest.count == 3 {
      rest.withUnsafeBytes { Self.append($0, to: &text) }
      rest = []
    }
    let end = start + (piece.count - start) / 3 * 3
    Self.append(UnsafeRawBufferPointer(rebasing: piece[start..<end]), to: &text)
    rest += piece[end...]
    return text
  }

  /// The text of what is left; the encoder begins anew.
  public mutating func finish() -> [UInt8] {
    defer { rest = [] }
    guard !rest.isEmpty else { return [] }
    let padding = 3 - rest.count
    var text: [UInt8] = []
    (rest + [UInt8](repeating: 0, count: padding)).withUnsafeBytes { Self.append($0, to: &text) }
    return text.dropLast(padding) + [UInt8](repeating: UInt8(ascii: "="), count: padding)
  }

  /// All at once.
  public static func text(_ bytes: [UInt8]) -> [UInt8] {
    var encoder = Base64Encoder()
    return encoder.encode(bytes) + encoder.finish()
  }

  /// Appends the text of whole groups of three bytes.
  private static func append(_ bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) {
    digits.withUnsafeBufferPointer { digits in
      for start in stride(from: 0, to: bytes.count, by: 3) {
        let (first, second, third) = (bytes[start], bytes[start + 1], bytes[start + 2])
        text.append(digits[Int(first >> 2)])
        text.append(digits[Int((first & 3) << 4 | second >> 4)])
        text.append(digits[Int((second & 15) << 2 | third >> 6)])
        text.append(digits[Int(third & 63)])
      }
    }
  }
}

/// Bytes out of base64 text (RFC 4648, section 4): strict, but for line breaks between the characters.
public struct Base64Decoder: Sendable {
  /// What has been read.
  public private(set) var bytes: [UInt8] = []

  private var digits: UInt32 = 0
  private var digitCount = 0
  private var padding = 0

  /// A decoder for a text of some length.
  public init(reserving characters: Int = 0) { bytes.reserveCapacity(characters / 4 * 3) }

  /// Takes the next character; false for one that cannot stand here.
  public mutating func take(_ character: UInt8) -> Bool {
    let value = Self.values[Int(character)]
    if value < 64, padding == 0 {
      digits = digits << 6 | UInt32(value)
      digitCount += 1
      if digitCount == 4 { putGroup() }
      return true
    }
    if character == UInt8(ascii: "="), digitCount >= 2, digitCount + padding < 4 {
      padding += 1
      return true
    }
    return character == 0x0A || character == 0x0D
  }

  /// Takes whole groups of four characters from the start of these, as far as there are such; says how many characters it took.
  mutating func takeGroups(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    guard digitCount == 0, padding == 0 else { return 0 }
    return Self.values.withUnsafeBufferPointer { values in
      var index = 0
      while index + 4 <= text.count {
        let (a, b) = (values[Int(text[index])], values[Int(text[index + 1])])
        let (c, d) = (values[Int(text[index + 2])], values[Int(text[index + 3])])
        guard (a | b | c | d) < 64 else { break }
        bytes.append(a << 2 | b >> 4)
        bytes.append(b << 4 | c >> 2)
        bytes.append(c << 6 | d)
        index += 4
      }
      return index
    }
  }

  /// Whether a character is one of the 64 digits.
  static func isDigit(_ character: UInt8) -> Bool { values[Int(character)] < 64 }

  /// Ends the text; false where it breaks off, or where bits are left over that are not zero. A text that `isLax` need not have
  /// its padding, and what is left over counts for nothing (https://infra.spec.whatwg.org/#forgiving-base64-decode).
  public mutating func finish(isLax: Bool = false) -> Bool {
    switch (digitCount, padding) {
    case (0, 0): return true
    case (2, 2) where isLax || digits & 0xF == 0, (2, 0) where isLax:
      bytes.append(UInt8(truncatingIfNeeded: digits >> 4))
      return true
    case (3, 1) where isLax || digits & 3 == 0, (3, 0) where isLax:
      bytes.append(UInt8(truncatingIfNeeded: digits >> 10))
      bytes.append(UInt8(truncatingIfNeeded: digits >> 2))
      return true
    default: return false
    }
  }

  private mutating func putGroup() {
    for shift: UInt32 in [16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: digits >> shift)) }
    digits = 0
    digitCount = 0
  }

  /// For each character its value; 255 for one that is no digit.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, digit) in Base64Encoder.digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()
}
