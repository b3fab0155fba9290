// SPDX-License-Identifier: Apache-2.0

/// What a document says, and numbers, as XML writes them.
enum XMLText {
  /// A text that is no markup, in an element and in an attribute. What XML 1.0 (section 2.2) has no room for becomes U+FFFD.
  static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result.append(contentsOf: "&amp;".unicodeScalars)
      case "<": result.append(contentsOf: "&lt;".unicodeScalars)
      case ">": result.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
      case "'": result.append(contentsOf: "&#39;".unicodeScalars)
      case "\u{FFFE}", "\u{FFFF}", "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// A number in few digits: to a ten-thousandth, small ones to as many digits.
  static func number(_ value: Double) -> String {
    let magnitude = value.magnitude
    guard magnitude > 0, magnitude.isFinite else { return "0" }
    var unit = 10_000.0
    while magnitude * unit < 1000, unit < 1e12 { unit *= 10 }
    let rounded = (value * unit).rounded() / unit
    if let whole = Int(exactly: rounded) { return String(whole) }
    return rounded.description
  }
}
