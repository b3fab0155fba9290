// SPDX-License-Identifier: Apache-2.0

extension String {
  /// Text from a document, a path or an argument, made fit for people: control characters and what changes the order of
  /// text become visible escapes, `\u{1b}`.
  public var visible: String {
    guard unicodeScalars.contains(where: \.isUnsafeOnTerminal) else { return self }
    return unicodeScalars.reduce(into: "") { result, scalar in
      if scalar.isUnsafeOnTerminal {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }
}
