// SPDX-License-Identifier: Apache-2.0

/// A JSON value, for what is too small to need a reader and a writer of its own.
public enum JSON: Sendable, Equatable {
  case null
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  /// A string, or null.
  public static func optional(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }

  /// The text of the value, keys sorted.
  public var text: String {
    var writer = JSONWriter()
    writer.value(self)
    return writer.text
  }
}

extension JSONWriter {
  /// Writes a value, keys sorted.
  public mutating func value(_ value: JSON) {
    switch value {
    case .null: null()
    case .boolean(let flag): boolean(flag)
    case .integer(let number): integer(number)
    case .number(let number): self.number(number)
    case .string(let text): string(text)
    case .array(let elements): array { for element in elements { $0.value(element) } }
    case .object(let members):
      object {
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
          $0.key(name)
          $0.value(member)
        }
      }
    }
  }
}

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

extension JSONReader {
  /// Reads a number as an integer. Throws for a fraction, an exponent, or one that does not fit.
  public mutating func integer() throws(ArtError) -> Int {
    let token = try numberToken()
    if let value = token.exactInteger { return value }
    guard let value = Int(text(of: token)) else { throw error("a number that is not a whole one") }
    return value
  }

  /// Reads a finite number; a negative zero is zero.
  public mutating func number() throws(ArtError) -> Double {
    let token = try numberToken()
    if let value = token.exactValue { return value }
    guard let value = Double(text(of: token)), value.isFinite else { throw error("a number out of range") }
    return value + 0.0
  }
}

/// A number's place in the text, and its digits as they were passed.
private struct NumberToken {
  var range: Range<Int>
  var digits: Int
  var digitCount: Int
  var fractionCount: Int
  var hasExponent: Bool
  var isNegative: Bool

  private static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  /// The value of a short whole number.
  var exactInteger: Int? {
    guard !hasExponent, fractionCount == 0, digitCount <= 15 else { return nil }
    return isNegative ? -digits : digits
  }

  /// The value of a short number: both numbers of the division are exact in a Double, so that it rounds once,
  /// as reading the text would.
  var exactValue: Double? {
    guard !hasExponent, digitCount <= 15 else { return nil }
    return Double(isNegative ? -digits : digits) / Self.powersOfTen[fractionCount]
  }
}

extension JSONReader {
  /// Passes over a number, by JSON's grammar.
  private mutating func numberToken() throws(ArtError) -> NumberToken {
    skipSpace()
    let start = index
    var token = NumberToken(
      range: start..<start, digits: 0, digitCount: 0, fractionCount: 0, hasExponent: false,
      isNegative: skip("-"))
    if skip("0") {
      token.digitCount = 1
    } else {
      guard digits(of: &token) > 0 else { throw error("no number where one is due") }
    }
    if skip(".") {
      token.fractionCount = digits(of: &token)
      guard token.fractionCount > 0 else { throw error("a number that breaks off") }
    }
    if skip("e") || skip("E") {
      token.hasExponent = true
      if !skip("+") { skip("-") }
      guard digits(of: &token) > 0 else { throw error("a number that breaks off") }
    }
    token.range = start..<index
    guard token.range.count <= 400 else { throw error("a number of more than 400 characters") }
    return token
  }

  private func text(of token: NumberToken) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes[token.range]), as: UTF8.self)
  }

  /// Passes over digits; `&*` because a number too long for an Int is read from its text.
  private mutating func digits(of token: inout NumberToken) -> Int {
    let start = index
    while index < bytes.count, (0x30...0x39).contains(bytes[index]) {
      token.digits = token.digits &* 10 &+ Int(bytes[index] - 0x30)
      index += 1
    }
    token.digitCount += index - start
    return index - start
  }

  @discardableResult
  private mutating func skip(_ ascii: Unicode.Scalar) -> Bool {
    guard index < bytes.count, bytes[index] == UInt8(truncatingIfNeeded: ascii.value) else { return false }
    index += 1
    return true
  }
}
