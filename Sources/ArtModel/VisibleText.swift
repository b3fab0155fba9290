// SPDX-License-Identifier: Apache-2.0

extension String {
  /// The text with control characters, bidirectional controls and byte order marks replaced by visible escapes such as `\u{1b}`, for
  /// printing text from a document, a path or an argument.
  package var visible: String { escaping(\.isShownEscaped) }

  /// The same, and invisible signs as escapes, too: for a message about a text that holds one.
  var revealed: String { escaping { $0.isShownEscaped || $0.isInvisibleSign } }

  private func escaping(_ isEscaped: (Unicode.Scalar) -> Bool) -> String {
    guard unicodeScalars.contains(where: isEscaped) else { return self }
    return unicodeScalars.reduce(into: "") { result, scalar in
      if isEscaped(scalar) {
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

  /// Whether nothing is drawn for the scalar, and it is no part of an emoji: such as a zero width space or a mark of direction.
  package var isInvisibleSign: Bool {
    switch value {
    case 0..<0xAD, 0x200D, 0xFE00...0xFE0F, 0xE0020...0xE007F: false
    // Most emoji are here, and looking up a property takes long.
    case 0x1F000..<0x1FC00: false
    default: properties.isDefaultIgnorableCodePoint
    }
  }

  /// Whether it separates emoji without being seen.
  var isGap: Bool { properties.isWhitespace || isInvisibleSign }

  /// Whether it sets the direction of the text beside it, and needs no other scalar that ends that.
  var isDirectionMark: Bool { value == 0x200E || value == 0x200F || value == 0x061C }

  /// Whether it begins text of its own direction, up to U+2069.
  var beginsIsolate: Bool { (0x2066...0x2068).contains(value) }
}

extension Substring.UnicodeScalarView {
  /// The scalars without those at both ends that are to go.
  func trimmed(_ goes: (Unicode.Scalar) -> Bool) -> Self {
    var rest = drop(while: goes)
    while let last = rest.last, goes(last) { rest.removeLast() }
    return rest
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
