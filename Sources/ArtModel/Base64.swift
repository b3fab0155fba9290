// SPDX-License-Identifier: Apache-2.0

/// Bytes as base64 text (RFC 4648, section 4), piece by piece.
public struct Base64Encoder: Sendable {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Fewer than three bytes that wait for the next ones.
  private var rest: [UInt8] = []

  /// An encoder that has got nothing yet.
  public init() {}

  /// The text of what can be told already, ASCII.
  public mutating func encode(_ piece: [UInt8]) -> [UInt8] {
    let bytes = rest.isEmpty ? piece : rest + piece
    let whole = bytes.count / 3 * 3
    rest = Array(bytes[whole...])
    return Self.text(of: bytes, whole)
  }

  /// The text of what is left; the encoder begins anew.
  public mutating func finish() -> [UInt8] {
    defer { rest = [] }
    guard !rest.isEmpty else { return [] }
    let padding = 3 - rest.count
    let text = Self.text(of: rest + [UInt8](repeating: 0, count: padding), 3)
    return text.dropLast(padding) + [UInt8](repeating: UInt8(ascii: "="), count: padding)
  }

  /// All at once.
  public static func text(_ bytes: [UInt8]) -> [UInt8] {
    var encoder = Base64Encoder()
    return encoder.encode(bytes) + encoder.finish()
  }

  private static func text(of bytes: [UInt8], _ count: Int) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(count / 3 * 4)
    digits.withUnsafeBufferPointer { digits in
      bytes.withUnsafeBufferPointer { bytes in
        for start in stride(from: 0, to: count, by: 3) {
          let (first, second, third) = (bytes[start], bytes[start + 1], bytes[start + 2])
          text.append(digits[Int(first >> 2)])
          text.append(digits[Int((first & 3) << 4 | second >> 4)])
          text.append(digits[Int((second & 15) << 2 | third >> 6)])
          text.append(digits[Int(third & 63)])
        }
      }
    }
    return text
  }
}
