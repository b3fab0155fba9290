// SPDX-License-Identifier: Apache-2.0

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
