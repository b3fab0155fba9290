// SPDX-License-Identifier: Apache-2.0

/// Encodes bytes as base64 text (RFC 4648, section 4), in pieces.
package struct Base64Encoder: Sendable {
  fileprivate static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Fewer than three bytes, kept for the next piece.
  private var rest: [UInt8] = []

  /// An encoder without input.
  package init() {}

  /// The ASCII text of all complete groups of three bytes.
  package mutating func encode(_ piece: [UInt8]) -> [UInt8] { piece.withUnsafeBytes { encode($0) } }

  /// As above, for bytes that need not be copied.
  package mutating func encode(_ piece: UnsafeRawBufferPointer) -> [UInt8] {
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

  /// The text of the remaining bytes, with padding. Resets the encoder.
  package mutating func finish() -> [UInt8] {
    defer { rest = [] }
    guard !rest.isEmpty else { return [] }
    let padding = 3 - rest.count
    var text: [UInt8] = []
    (rest + [UInt8](repeating: 0, count: padding)).withUnsafeBytes { Self.append($0, to: &text) }
    return text.dropLast(padding) + [UInt8](repeating: UInt8(ascii: "="), count: padding)
  }

  /// The base64 text of all bytes.
  package static func text(_ bytes: [UInt8]) -> [UInt8] {
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

// MARK: - Decoding

/// Decodes base64 text (RFC 4648, section 4) strictly, except that line breaks are skipped.
package struct Base64Decoder: Sendable {
  /// The decoded bytes.
  package private(set) var bytes: [UInt8] = []

  private var digits: UInt32 = 0
  private var digitCount = 0
  private var padding = 0

  /// A decoder for a text of about that many characters.
  package init(reserving characters: Int = 0) { bytes.reserveCapacity(characters / 4 * 3) }

  /// Consumes the next character; false if it is not allowed there.
  package mutating func consume(_ character: UInt8) -> Bool {
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

  /// Consumes leading groups of four digits and returns the number of characters consumed.
  fileprivate mutating func consumeGroups(_ text: UnsafeBufferPointer<UInt8>) -> Int {
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

  /// Ends the text; false if it is incomplete or has non-zero bits left over. With `isLax`, padding is optional and
  /// leftover bits are ignored (https://infra.spec.whatwg.org/#forgiving-base64-decode).
  package mutating func finish(isLax: Bool = false) -> Bool {
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

  /// The value of each character; 255 if it is not a digit.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, digit) in Base64Encoder.digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()
}

// MARK: - In JSON

extension JSONReader {
  /// A JSON string read as base64.
  package enum Base64Text: Sendable, Equatable {
    case bytes([UInt8])
    /// Not base64. The offset is that of the first wrong byte, or of the first escape that base64 does not need.
    case broken(atByte: Int)
  }

  /// Reads a string and decodes its base64 without a `String` in between, which would double the memory of a picture.
  /// Skips a string that is not base64. Throws `badJSON` for a value that is not a string.
  package mutating func base64() throws(ArtError) -> Base64Text {
    guard kind() == .string else { throw errorInstead(of: "string") }
    let start = index
    index += 1
    let end = bytes[index...].firstIndex(of: UInt8(ascii: "\"")) ?? bytes.count
    var decoder = Base64Decoder(reserving: end - index)
    while index < bytes.count {
      index += decoder.consumeGroups(UnsafeBufferPointer(rebasing: bytes[index..<end]))
      guard index < bytes.count else { break }
      if bytes[index] == UInt8(ascii: "\"") {
        let place = index
        index += 1
        return decoder.finish() ? .bytes(decoder.bytes) : .broken(atByte: place)
      }
      guard let (character, length) = base64Character(), decoder.consume(character) else { break }
      index += length
    }
    let place = index
    index = start
    return try escapedBase64(else: place)
  }

  /// The next character, plain or in a common escape, and its length in the JSON; nil for another escape.
  private func base64Character() -> (UInt8, Int)? {
    // JSON forbids an unescaped line break in a string.
    guard bytes[index] >= 0x20 else { return nil }
    guard bytes[index] == UInt8(ascii: "\\") else { return (bytes[index], 1) }
    guard index + 1 < bytes.count else { return nil }
    switch bytes[index + 1] {
    case UInt8(ascii: "/"): return (UInt8(ascii: "/"), 2)
    case UInt8(ascii: "n"): return (0x0A, 2)
    case UInt8(ascii: "r"): return (0x0D, 2)
    default: return nil
    }
  }

  /// The slow path, for encoders that write `+` or `=` as `\u002b`.
  private mutating func escapedBase64(else place: Int) throws(ArtError) -> Base64Text {
    let text = try string()
    var decoder = Base64Decoder(reserving: text.utf8.count)
    for character in text.utf8 where !decoder.consume(character) { return .broken(atByte: place) }
    return decoder.finish() ? .bytes(decoder.bytes) : .broken(atByte: place)
  }
}

extension JSONWriter {
  /// Writes bytes as a base64 string. The sink gets the writer's bytes so far, then each piece as it is ready, so
  /// that a large picture is never held as text. Afterwards the writer holds the end of the string only.
  package mutating func base64<Failure>(
    _ picture: [UInt8], emptying sink: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    verbatim(CollectionOfOne(UInt8(ascii: "\"")))
    var encoder = Base64Encoder()
    for start in stride(from: 0, to: picture.count, by: 3 << 14) {
      try sink(bytes)
      piece(encoder.encode(Array(picture[start..<min(start + 3 << 14, picture.count)])))
    }
    try sink(bytes)
    piece(encoder.finish() + [UInt8(ascii: "\"")])
  }
}
