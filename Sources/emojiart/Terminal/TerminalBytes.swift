// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Looks at what a helper program made for a terminal: the terminal is given nothing else.
enum TerminalBytes {
  /// Whether they are sixels, and nothing else: one device control string, `ESC P … q`, colours, sixels and `ESC \`.
  static func areSixels(_ bytes: [UInt8]) -> Bool {
    let (head, tail): ([UInt8], [UInt8]) = ([0x1B, UInt8(ascii: "P")], [0x1B, UInt8(ascii: "\\")])
    guard bytes.starts(with: head), bytes.suffix(2) == tail[...], bytes.count >= 5 else { return false }
    let body = bytes[2..<bytes.count - 2]
    let parameters = body.prefix(while: isParameter)
    guard parameters.count <= 16 else { return false }
    let data = body.dropFirst(parameters.count)
    // After `q`: ! " # $ - with their numbers, and ? to ~.
    return data.first == UInt8(ascii: "q")
      && data.dropFirst().allSatisfy {
        isParameter($0) || (0x3F...0x7E).contains($0) || "!\"#$-".utf8.contains($0)
      }
  }

  /// Whether they are so many lines at most, of so many block elements and spaces at most, in colours, and nothing else.
  static func areSymbols(_ bytes: [UInt8], columns: Int, rows: Int) -> Bool {
    guard let text = String(validating: bytes, as: UTF8.self) else { return false }
    var (column, row) = (0, 1)
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\u{1B}":
        guard skipColors(&rest) else { return false }
      case "\n":
        row += 1
        column = 0
      case " ", "\u{2580}"..."\u{259F}":
        column += 1
      default: return false
      }
      guard column <= columns, row <= rows else { return false }
    }
    return true
  }

  /// Whether they begin as a PNG does. All of it goes to the terminal in base64, and so cannot be anything to obey.
  static func arePNG(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
  }

  /// What follows an ESC: `[`, numbers, `m`.
  private static func skipColors(_ rest: inout Substring.UnicodeScalarView) -> Bool {
    guard rest.popFirst() == "[" else { return false }
    for _ in 0..<64 {
      guard let scalar = rest.popFirst() else { return false }
      if scalar == "m" { return true }
      guard scalar.isASCII, isParameter(UInt8(scalar.value)) else { return false }
    }
    return false
  }

  private static func isParameter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ";")
  }
}

/// kitty's protocol for pictures.
enum KittyPicture {
  /// Bytes of base64 in one escape sequence.
  private static let chunk = 4096

  /// Shows a PNG where the cursor is, which stays there; over so many columns, or as large as it is. The terminal says nothing back.
  static func sequence(_ png: [UInt8], columns: Int? = nil) -> [UInt8] {
    let text = Base64Encoder.text(png)
    let width = columns.map { ",c=\($0)" } ?? ""
    var result: [UInt8] = []
    result.reserveCapacity(text.count + text.count / chunk * 16 + 128)
    var start = 0
    repeat {
      let end = min(start + chunk, text.count)
      let more = end < text.count ? 1 : 0
      let control = start == 0 ? "a=T,f=100,q=2,C=1\(width),m=\(more)" : "q=2,m=\(more)"
      result += Array("\u{1B}_G\(control);".utf8) + text[start..<end] + [0x1B, UInt8(ascii: "\\")]
      start = end
    } while start < text.count
    return result
  }
}
