// SPDX-License-Identifier: Apache-2.0

extension String {
  /// The text with control characters, bidirectional controls and byte order marks replaced by visible escapes such as `\u{1b}`, for
  /// printing text from a document, a path or an argument.
  package var visible: String {
    guard unicodeScalars.contains(where: \.isShownEscaped) else { return self }
    return unicodeScalars.reduce(into: "") { result, scalar in
      if scalar.isShownEscaped {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether `visible` shows the scalar as an escape: unsafe ones, and the byte order mark, which is invisible.
  fileprivate var isShownEscaped: Bool { isUnsafeOnTerminal || value == 0xFEFF }

  /// Whether a terminal may interpret the scalar as a command or change the order of text because of it: the C0 and
  /// C1 controls, the line and paragraph separators, and the bidirectional controls. All are below U+10000.
  package var isUnsafeOnTerminal: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

extension Substring {
  /// The text, cut to at most `count` scalars, with an ellipsis where it is cut. Counts scalars because a character
  /// may have any number of them.
  package func shortened(to count: Int) -> String {
    guard unicodeScalars.dropFirst(count).first != nil else { return String(self) }
    return String(unicodeScalars.prefix(count - 1)) + "…"
  }
}
