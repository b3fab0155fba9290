// SPDX-License-Identifier: Apache-2.0

/// Reads one JSON text strictly, value by value, in a single pass.
///
/// RFC 8259 and nothing beside it. What other readers let pass is an error with its place: equal keys (this
/// reader would have to choose, and others choose differently), lone surrogates, broken UTF-8, a byte order
/// mark, NUL, numbers beyond a Double, more than 64 levels, text after the value.
public struct JSONReader {
  let bytes: UnsafeBufferPointer<UInt8>
  var index = 0
  private var depth = 0
  private static let deepest = 64

  private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Reads the one value that the bytes are. Throws `badJSON`, and what the body throws.
  public static func read<Value>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (inout JSONReader) throws(ArtError) -> Value
  ) throws(ArtError) -> Value {
    var reader = JSONReader(bytes)
    let value = try body(&reader)
    reader.skipSpace()
    guard reader.index == bytes.count else { throw reader.error("text after the value") }
    return value
  }

  /// The same for a string.
  public static func read<Value>(
    _ text: String, _ body: (inout JSONReader) throws(ArtError) -> Value
  ) throws(ArtError) -> Value {
    let bytes = Array(text.utf8)
    return try bytes.withUnsafeBufferPointer { (buffer) throws(ArtError) in try read(buffer, body) }
  }

  /// An error at this place.
  public func error(_ what: String) -> ArtError { .badJSON(what, atByte: index) }
}

extension JSONReader {
  /// Reads an object; the body reads the value of each key that it is given.
  public mutating func object(
    _ body: (String, inout JSONReader) throws(ArtError) -> Void
  ) throws(ArtError) {
    try enter("{")
    var seen = SeenKeys()
    if !take("}") {
      repeat {
        let key = try string()
        guard seen.insert(key) else { throw error("the key \"\(key[...].shortened(to: 60))\" twice") }
        guard take(":") else { throw error("no colon after a key") }
        try body(key, &self)
      } while take(",")
      guard take("}") else { throw error("an object that does not end") }
    }
    depth -= 1
  }

  /// Reads an array; the body reads each element.
  public mutating func array(_ body: (inout JSONReader) throws(ArtError) -> Void) throws(ArtError) {
    try enter("[")
    if !take("]") {
      repeat { try body(&self) } while take(",")
      guard take("]") else { throw error("an array that does not end") }
    }
    depth -= 1
  }

  /// Reads `null` if that is what comes.
  public mutating func null() -> Bool {
    skipSpace()
    guard bytes[index...].starts(with: "null".utf8) else { return false }
    index += 4
    return true
  }

  /// Reads a comma between the elements of an array whose kinds are known.
  public mutating func comma() throws(ArtError) {
    guard take(",") else { throw error("an array that ends too early") }
  }

  /// Reads the opening bracket of an array whose kinds are known.
  public mutating func open() throws(ArtError) { try enter("[") }

  /// Reads the closing bracket of an array whose kinds are known.
  public mutating func close() throws(ArtError) {
    guard take("]") else { throw error("an array that goes on too long") }
    depth -= 1
  }
}

extension JSONReader {
  /// Reads a string.
  public mutating func string() throws(ArtError) -> String {
    guard take("\"") else { throw error("no string where one is due") }
    let start = index
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        let text = try text(UnsafeBufferPointer(rebasing: bytes[start..<index]).span)
        index += 1
        return text
      case UInt8(ascii: "\\"):
        index = start
        return try escapedString()
      case 0..<0x20: throw error("a control character in a string")
      default: index += 1
      }
    }
    throw error("a string that does not end")
  }

  /// `String(validating:as:)` does the same at four times the price: its generic core looks up metadata.
  private func text(_ utf8: Span<UInt8>) throws(ArtError) -> String {
    do {
      return String(copying: try UTF8Span(validating: utf8))
    } catch {
      throw self.error("broken UTF-8")
    }
  }

  private mutating func escapedString() throws(ArtError) -> String {
    var utf8: [UInt8] = []
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""):
        return try text(utf8.span)
      case UInt8(ascii: "\\"): utf8.append(contentsOf: String(try escape()).utf8)
      case 0..<0x20: throw error("a control character in a string")
      default: utf8.append(byte)
      }
    }
    throw error("a string that does not end")
  }

  private mutating func escape() throws(ArtError) -> Unicode.Scalar {
    guard index < bytes.count else { throw error("a string that does not end") }
    let byte = bytes[index]
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try unicodeEscape()
    default: throw error("an escape that JSON does not have")
    }
  }

  private mutating func unicodeEscape() throws(ArtError) -> Unicode.Scalar {
    let first = try hexadecimal()
    if (0xD800..<0xDC00).contains(first), index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
      bytes[index + 1] == UInt8(ascii: "u")
    {
      index += 2
      let second = try hexadecimal()
      guard (0xDC00..<0xE000).contains(second) else { throw error("half of a surrogate pair") }
      let value = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
      guard let scalar = Unicode.Scalar(value) else { throw error("half of a surrogate pair") }
      return scalar
    }
    guard let scalar = Unicode.Scalar(first) else { throw error("half of a surrogate pair") }
    guard first != 0 else { throw error("a NUL character") }
    return scalar
  }

  private mutating func hexadecimal() throws(ArtError) -> UInt32 {
    guard index + 4 <= bytes.count else { throw error("a string that does not end") }
    var value: UInt32 = 0
    for byte in bytes[index..<index + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw error("an escape that is not hexadecimal")
      }
      value = value << 4 | UInt32(digit)
    }
    index += 4
    return value
  }
}

extension JSONReader {
  private mutating func enter(_ bracket: Unicode.Scalar) throws(ArtError) {
    guard take(bracket) else {
      throw error(bracket == "{" ? "no object where one is due" : "no array where one is due")
    }
    depth += 1
    guard depth <= Self.deepest else { throw error("more than \(Self.deepest) levels") }
  }

  private mutating func take(_ ascii: Unicode.Scalar) -> Bool {
    skipSpace()
    guard index < bytes.count, bytes[index] == UInt8(truncatingIfNeeded: ascii.value) else { return false }
    index += 1
    return true
  }

  mutating func skipSpace() {
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      default: return
      }
    }
  }
}

/// The keys of one object. Most objects have few: an array of those is faster than a set.
private struct SeenKeys {
  private var few: [String] = []
  private var many: Set<String> = []

  /// False for a key that is there.
  mutating func insert(_ key: String) -> Bool {
    if few.contains(key) { return false }
    guard few.count >= 16 else {
      if few.isEmpty { few.reserveCapacity(4) }
      few.append(key)
      return true
    }
    return many.insert(key).inserted
  }
}
