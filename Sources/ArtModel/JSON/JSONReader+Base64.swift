// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
  /// What a string says in base64.
  public enum Base64Text: Sendable, Equatable {
    case bytes([UInt8])
    /// It is none: from this byte of the JSON on, or, where it has escapes that base64 does not need, of the string.
    case broken(atByte: Int)
  }

  /// Reads a string and decodes its base64 without making a `String` of it, which would hold a picture twice. A string that is no
  /// base64 is passed over. Throws `badJSON` for what is no string.
  public mutating func base64() throws(ArtError) -> Base64Text {
    guard kind() == .string else { throw error("no string where one is due") }
    let start = index
    index += 1
    let end = bytes[index...].firstIndex(of: UInt8(ascii: "\"")) ?? bytes.count
    var decoder = Base64Decoder(reserving: end - index)
    while index < bytes.count {
      index += decoder.takeGroups(UnsafeBufferPointer(rebasing: bytes[index..<end]))
      guard index < bytes.count else { break }
      if bytes[index] == UInt8(ascii: "\"") {
        let place = index
        index += 1
        return decoder.finish() ? .bytes(decoder.bytes) : .broken(atByte: place)
      }
      guard let (character, length) = base64Character(), decoder.take(character) else { break }
      index += length
    }
    let place = index
    index = start
    return try escapedBase64(else: place)
  }

  /// The character that comes, plain or escaped as encoders do it, and its length in the JSON; nil for another escape.
  private func base64Character() -> (UInt8, Int)? {
    // A line break that is not escaped is no JSON.
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

  /// The same the slow way: some encoders write `+` or `=` as `\u002b`.
  private mutating func escapedBase64(else place: Int) throws(ArtError) -> Base64Text {
    let text = try string()
    var decoder = Base64Decoder(reserving: text.utf8.count)
    for character in text.utf8 where !decoder.take(character) { return .broken(atByte: place) }
    return decoder.finish() ? .bytes(decoder.bytes) : .broken(atByte: place)
  }
}
