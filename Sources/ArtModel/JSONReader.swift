// SPDX-License-Identifier: Apache-2.0

/// A JSON value in memory, for texts too small to need their own reader and writer.
package enum JSON: Sendable, Equatable {
  case null
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  /// A string, or null.
  package static func optional(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }

  /// The JSON text, keys sorted.
  package var text: String {
    var writer = JSONWriter()
    writer.value(self)
    return writer.text
  }
}

extension JSONWriter {
  /// Writes a value, keys sorted.
  package mutating func value(_ value: JSON) {
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

/// A strict pull parser for one JSON text, in a single pass.
///
/// It accepts RFC 8259 and nothing else. These are errors, with their line and column: equal keys (parsers differ in
/// which one they choose), lone surrogates, invalid UTF-8, a byte order mark, NUL, numbers beyond a Double, more than
/// 64 levels, and text after the value.
public struct JSONReader {
  let bytes: UnsafeBufferPointer<UInt8>
  var index = 0
  private var depth = 0
  /// The key whose value is read, and where that begins.
  private var member: (key: String, start: Int)?
  private static let maximumDepth = 64

  private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Reads one value that fills the bytes. Throws `badJSON`, and what the body throws.
  public static func read<Value>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (inout JSONReader) throws(ArtError) -> Value
  ) throws(ArtError) -> Value {
    var reader = JSONReader(bytes)
    let value = try body(&reader)
    reader.skipSpace()
    guard reader.index == bytes.count else { throw reader.error("text after the value") }
    return value
  }

  /// Reads one value that fills the string.
  public static func read<Value>(
    _ text: String, _ body: (inout JSONReader) throws(ArtError) -> Value
  ) throws(ArtError) -> Value {
    let bytes = Array(text.utf8)
    return try bytes.withUnsafeBufferPointer { (buffer) throws(ArtError) in try read(buffer, body) }
  }

  /// A `badJSON` error at the current place.
  public func error(_ what: String) -> ArtError { .badJSON(what, at: place) }

  /// The error where something else stands than a value of that kind: at the end of the text, that it ends too early.
  /// It names the key whose value it is.
  package func errorInstead(of kind: String) -> ArtError {
    guard index < bytes.count || bytes.isEmpty else { return error("an end in the middle") }
    guard let member, member.start == index else { return error("no \(kind) where one is due") }
    return error("no \(kind) for \"\(member.key[...].shortened(to: 60))\", where one is due")
  }

  /// The current place as editors count it, from 1: `line 3, column 8`; `column 8` in a text of one line. A column is a scalar.
  private var place: String {
    let newline = UInt8(ascii: "\n")
    let before = bytes.prefix(index)
    let start = before.lastIndex(of: newline).map { $0 + 1 } ?? 0
    let column = "column \(String(decoding: before[start...], as: UTF8.self).unicodeScalars.count + 1)"
    guard bytes.contains(newline) else { return column }
    return "line \(before.count { $0 == newline } + 1), \(column)"
  }
}

extension UnsafeBufferPointer<UInt8> {
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The bytes without a byte order mark of UTF-8 at their beginning, which programs of Windows write.
  package var withoutByteOrderMark: UnsafeBufferPointer<UInt8> {
    starts(with: Self.byteOrderMark) ? UnsafeBufferPointer(rebasing: self[Self.byteOrderMark.count...]) : self
  }
}

// MARK: - Objects and arrays

extension JSONReader {
  /// Reads an object. The body reads the value of each key.
  public mutating func object(
    _ body: (String, inout JSONReader) throws(ArtError) -> Void
  ) throws(ArtError) {
    try enter("{")
    var keys = KeySet()
    if !consume("}") {
      repeat {
        let key = try string()
        guard keys.insert(key) else { throw error("the key \"\(key[...].shortened(to: 60))\" twice") }
        guard consume(":") else { throw error("no colon after a key") }
        skipSpace()
        member = (key, index)
        try body(key, &self)
      } while consume(",")
      guard consume("}") else { throw error("an object that does not end") }
    }
    depth -= 1
  }

  /// Reads an array. The body reads each element.
  public mutating func array(_ body: (inout JSONReader) throws(ArtError) -> Void) throws(ArtError) {
    try enter("[")
    if !consume("]") {
      repeat { try body(&self) } while consume(",")
      guard consume("]") else { throw error("an array that does not end") }
    }
    depth -= 1
  }

  /// Reads `null`; false if another value comes next.
  public mutating func null() -> Bool {
    skipSpace()
    guard bytes[index...].starts(with: "null".utf8) else { return false }
    index += 4
    return true
  }

  /// Reads a comma in an array of fixed structure.
  public mutating func comma() throws(ArtError) {
    guard consume(",") else { throw error("an array that ends too early") }
  }

  /// Reads a comma in an array whose last elements may be missing; false if there is none.
  mutating func optionalComma() -> Bool { consume(",") }

  /// Reads the opening bracket of an array of fixed structure.
  public mutating func open() throws(ArtError) { try enter("[") }

  /// Reads the closing bracket of an array of fixed structure.
  public mutating func close() throws(ArtError) {
    guard consume("]") else { throw error("an array that goes on too long") }
    depth -= 1
  }
}

// MARK: - Strings

extension JSONReader {
  /// Reads a string.
  public mutating func string() throws(ArtError) -> String {
    guard consume("\"") else { throw errorInstead(of: "string") }
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

  /// A string from UTF-8 bytes. `String(validating:as:)` takes four times as long: its generic core looks up
  /// metadata.
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
      guard (0xDC00..<0xE000).contains(second) else { throw error(Self.halfPair) }
      let value = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
      guard let scalar = Unicode.Scalar(value) else { throw error(Self.halfPair) }
      return scalar
    }
    guard let scalar = Unicode.Scalar(first) else { throw error(Self.halfPair) }
    guard first != 0 else { throw error("a NUL character") }
    return scalar
  }

  private static let halfPair = "half of a surrogate pair, as of a text that was cut within an emoji"

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

// MARK: - Tokens

extension JSONReader {
  private mutating func enter(_ bracket: Unicode.Scalar) throws(ArtError) {
    guard consume(bracket) else {
      throw errorInstead(of: bracket == "{" ? "object" : "array")
    }
    depth += 1
    guard depth <= Self.maximumDepth else { throw error("more than \(Self.maximumDepth) levels") }
  }

  private mutating func consume(_ ascii: Unicode.Scalar) -> Bool {
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

/// The keys of one object, compared by their bytes: the names of two documents may be canonically equivalent. Most objects have few keys;
/// searching a short array is faster than hashing.
private struct KeySet {
  private var few: [String] = []
  private var many: Set<[UInt8]> = []

  /// Inserts a key; false if it is already there.
  mutating func insert(_ key: String) -> Bool {
    if few.contains(where: { $0.utf8.elementsEqual(key.utf8) }) { return false }
    guard few.count >= 16 else {
      if few.isEmpty { few.reserveCapacity(4) }
      few.append(key)
      return true
    }
    return many.insert(Array(key.utf8)).inserted
  }
}

// MARK: - Values of any kind

extension JSONReader {
  /// The kinds of JSON values.
  public enum Kind: Sendable {
    case object
    case array
    case string
    case number
    case boolean
    case null
  }

  /// The kind of the next value, by its first character; nil without a value.
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
    throw errorInstead(of: "true or false")
  }

  /// Reads a value of any kind and returns its bytes, which point into the text.
  public mutating func verbatim() throws(ArtError) -> UnsafeBufferPointer<UInt8> {
    skipSpace()
    let start = index
    try skip()
    return UnsafeBufferPointer(rebasing: bytes[start..<index])
  }

  /// Skips a value of any kind.
  public mutating func skip() throws(ArtError) {
    switch kind() {
    case .object: try object { (_, reader) throws(ArtError) in try reader.skip() }
    case .array: try array { (reader) throws(ArtError) in try reader.skip() }
    case .string: _ = try string()
    case .number: _ = try number()
    case .boolean: _ = try boolean()
    case .null where null(): break
    case .null, nil: throw errorInstead(of: "value")
    }
  }
}

// MARK: - Numbers

extension JSONReader {
  /// Reads an integer. Throws `badJSON` for a fraction, an exponent, or a value out of range.
  public mutating func integer() throws(ArtError) -> Int {
    let token = try numberToken()
    if let value = token.exactInteger { return value }
    guard let value = Int(text(of: token)) else { throw error("a number that is not a whole one") }
    return value
  }

  /// Reads a finite number. A negative zero becomes zero.
  public mutating func number() throws(ArtError) -> Double {
    let token = try numberToken()
    if let value = token.exactValue { return value }
    guard let value = Double(text(of: token)), value.isFinite else { throw error("a number out of range") }
    return value + 0.0
  }
}

/// A number's range in the text, and its digits so far.
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

  /// The value of a short integer.
  var exactInteger: Int? {
    guard !hasExponent, fractionCount == 0, digitCount <= 15 else { return nil }
    return isNegative ? -digits : digits
  }

  /// The value of a short decimal number. Both operands of the division are exact in a Double, so that it rounds
  /// once, as parsing the text would.
  var exactValue: Double? {
    guard !hasExponent, digitCount <= 15 else { return nil }
    return Double(isNegative ? -digits : digits) / Self.powersOfTen[fractionCount]
  }
}

extension JSONReader {
  /// Scans a number by JSON's grammar.
  private mutating func numberToken() throws(ArtError) -> NumberToken {
    skipSpace()
    let start = index
    var token = NumberToken(
      range: start..<start, digits: 0, digitCount: 0, fractionCount: 0, hasExponent: false,
      isNegative: skip("-"))
    if skip("0") {
      token.digitCount = 1
    } else {
      guard digits(of: &token) > 0 else { throw errorInstead(of: "number") }
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

  /// Scans digits. Overflow is ignored (`&*`): a long number is parsed from its text.
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
