// SPDX-License-Identifier: Apache-2.0

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

  /// Ends the text; false where it breaks off, or where bits are left over that are not zero.
  public mutating func finish() -> Bool {
    switch (digitCount, padding) {
    case (0, 0): return true
    case (2, 2) where digits & 0xF == 0:
      bytes.append(UInt8(truncatingIfNeeded: digits >> 4))
      return true
    case (3, 1) where digits & 3 == 0:
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
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()
}
