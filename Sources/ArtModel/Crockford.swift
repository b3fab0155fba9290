// SPDX-License-Identifier: Apache-2.0

/// Crockford's base32, lower case: 5 bits a character, sorted like the numbers they stand for.
///
/// Source: https://www.crockford.com/base32.html. Reading what a person typed follows it: case does not
/// matter, `i` and `l` are 1, `o` is 0, hyphens are passed over.
enum Crockford {
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  static func encode(_ bits: UInt64, length: Int) -> String {
    String(unsafeUninitializedCapacity: length) { buffer in
      for index in 0..<length {
        buffer[index] = alphabet[Int((bits >> UInt64(5 * (length - 1 - index))) & 31)]
      }
      return length
    }
  }

  /// Exactly `length` characters of the alphabet as it is written, or nil.
  static func decode(_ text: some Sequence<UInt8>, length: Int) -> UInt64? {
    var bits: UInt64 = 0
    var count = 0
    for byte in text {
      guard count < length, let value = value(of: byte) else { return nil }
      bits = bits << 5 | value
      count += 1
    }
    return count == length ? bits : nil
  }

  /// A character as it is written in a document.
  static func value(of byte: UInt8) -> UInt64? {
    let value = values[Int(byte)]
    return value < 32 ? value : nil
  }

  /// For each byte what it stands for; 32 for one that is not of the alphabet.
  private static let values: [UInt64] = {
    var values = [UInt64](repeating: 32, count: 256)
    for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt64(value) }
    return values
  }()

  /// A character as a person may type it.
  static func typedValue(of byte: UInt8) -> UInt64? {
    let lower = (0x41...0x5a).contains(byte) ? byte + 0x20 : byte
    switch lower {
    case UInt8(ascii: "i"), UInt8(ascii: "l"): return 1
    case UInt8(ascii: "o"): return 0
    default: return value(of: lower)
    }
  }
}
