// SPDX-License-Identifier: Apache-2.0

extension String {
  /// The text with control characters and bidirectional controls replaced by visible escapes such as `\u{1b}`, for
  /// printing text from a document, a path or an argument.
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
