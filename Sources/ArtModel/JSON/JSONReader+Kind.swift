// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
  /// What kind of value a text holds.
  public enum Kind: Sendable {
    case object
    case array
    case string
    case number
    case boolean
    case null
  }

  /// What kind of value comes, by its first character; nil where none comes.
  public mutating func kind() -> Kind? {
    skipSpace()
    guard index < bytes.count else { return nil }
    switch bytes[index] {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "-"), 0x30...0x39: return .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
    case UInt8(ascii: "n"): return .null
    default: return nil
    }
  }

  /// Reads `true` or `false`.
  public mutating func boolean() throws(ArtError) -> Bool {
    skipSpace()
    for (word, value) in [("true", true), ("false", false)] where bytes[index...].starts(with: word.utf8) {
      index += word.utf8.count
      return value
    }
    throw error("no true or false where one is due")
  }

  /// Reads a value of any kind, and gives its bytes, which are those of the text.
  public mutating func verbatim() throws(ArtError) -> UnsafeBufferPointer<UInt8> {
    skipSpace()
    let start = index
    try skip()
    return UnsafeBufferPointer(rebasing: bytes[start..<index])
  }

  /// Passes over a value of any kind.
  public mutating func skip() throws(ArtError) {
    switch kind() {
    case .object: try object { (_, reader) throws(ArtError) in try reader.skip() }
    case .array: try array { (reader) throws(ArtError) in try reader.skip() }
    case .string: _ = try string()
    case .number: _ = try number()
    case .boolean: _ = try boolean()
    case .null where null(): break
    case .null, nil: throw error("no value where one is due")
    }
  }
}
