// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Validates what a helper process made for a terminal, before the terminal gets it.
package enum TerminalBytes {
  /// Whether the bytes are a sixel picture of at most that size, and nothing else: one device control string,
  /// `ESC P … q`, colours, sixels and `ESC \`.
  package static func areSixels(_ bytes: [UInt8], _ size: PixelSize) -> Bool {
    let (head, tail): ([UInt8], [UInt8]) = ([0x1B, UInt8(ascii: "P")], [0x1B, UInt8(ascii: "\\")])
    guard bytes.starts(with: head), bytes.suffix(2) == tail[...], bytes.count >= 5 else { return false }
    let body = bytes[2..<bytes.count - 2]
    let parameters = body.prefix(while: isParameter)
    let data = body.dropFirst(parameters.count)
    guard parameters.count <= 16, data.first == UInt8(ascii: "q") else { return false }
    var sixels = Sixels(data.dropFirst())
    return sixels.fit(size)
  }

  /// Whether the bytes are at most that many rows and columns of block elements and spaces, in colours, and
  /// nothing else.
  package static func areSymbols(_ bytes: [UInt8], columns: Int, rows: Int) -> Bool {
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

  /// Whether the bytes begin as a PNG file of that size. They are sent in base64, so the rest cannot contain
  /// control sequences.
  package static func arePNG(_ bytes: [UInt8], _ size: PixelSize) -> Bool {
    let sides = [size.width, size.height].flatMap { side in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: side >> $0) }
    }
    let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
    return bytes.starts(with: head + Array("IHDR".utf8) + sides)
  }

  /// A colour sequence after its ESC: `[`, numbers, `m`.
  private static func skipColors(_ rest: inout Substring.UnicodeScalarView) -> Bool {
    guard rest.popFirst() == "[" else { return false }
    for _ in 0..<64 {
      guard let scalar = rest.popFirst() else { return false }
      if scalar == "m" { return true }
      guard scalar.isASCII, isParameter(UInt8(scalar.value)) else { return false }
    }
    return false
  }

  fileprivate static func isParameter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ";")
  }
}

// MARK: - Sixels

/// The data of a sixel picture: https://vt100.net/docs/vt3xx-gp/chapter14.html
private struct Sixels {
  /// Rows of pixels in a row of sixels.
  private static let rows = 6
  private static let sixels: ClosedRange<UInt8> = 0x3F...0x7E

  private let bytes: ArraySlice<UInt8>
  private var offset: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    offset = bytes.startIndex
  }

  /// Whether the data are valid and within that size.
  mutating func fit(_ size: PixelSize) -> Bool {
    var (column, bottom) = (0, Self.rows)
    while offset < bytes.endIndex {
      let byte = bytes[offset]
      offset += 1
      switch byte {
      case Self.sixels: column += 1
      case UInt8(ascii: "!"):
        guard let times = numbers(), times.count == 1, offset < bytes.endIndex, Self.sixels ~= bytes[offset]
        else {
          return false
        }
        offset += 1
        column += times[0]
      case UInt8(ascii: "\""):
        guard let raster = numbers(), raster.count == 4, raster[2] <= size.width, raster[3] <= size.height
        else {
          return false
        }
      case UInt8(ascii: "#"):
        guard let color = numbers(), [1, 5].contains(color.count) else { return false }
      case UInt8(ascii: "$"): column = 0
      case UInt8(ascii: "-"):
        column = 0
        bottom += Self.rows
      default: return false
      }
      guard column <= size.width, column == 0 || bottom <= size.height else { return false }
    }
    return true
  }

  /// The numbers at the current position; nil for an invalid one, or one of more than five digits.
  private mutating func numbers() -> [Int]? {
    let text = bytes[offset...].prefix(while: TerminalBytes.isParameter)
    guard text.count <= 32 else { return nil }
    offset += text.count
    let parts = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.count <= 5 ? Int(String(decoding: $0, as: UTF8.self)) : nil }
    return numbers.count == parts.count ? numbers : nil
  }
}

// MARK: - kitty

/// kitty's graphics protocol.
package enum KittyPicture {
  /// The bytes of base64 in one escape sequence.
  private static let chunk = 4096

  /// Shows a PNG file at the cursor, which does not move, under text that is written over it; scaled to that many columns, or in its own size. The
  /// terminal does not reply.
  package static func sequence(_ png: [UInt8], columns: Int? = nil) -> [UInt8] {
    let text = Base64Encoder.text(png)
    let width = columns.map { ",c=\($0)" } ?? ""
    var result: [UInt8] = []
    result.reserveCapacity(text.count + text.count / chunk * 16 + 128)
    var start = 0
    repeat {
      let end = min(start + chunk, text.count)
      let more = end < text.count ? 1 : 0
      let control = start == 0 ? "a=T,f=100,q=2,C=1\(width),z=-1,m=\(more)" : "q=2,m=\(more)"
      result += Array("\u{1B}_G\(control);".utf8) + text[start..<end] + [0x1B, UInt8(ascii: "\\")]
      start = end
    } while start < text.count
    return result
  }

  /// Terminates a picture that was written only in part: ends its sequence and, for kitty's protocol, deletes a
  /// picture that does not exist, which discards the incomplete one.
  package static func closing(isKitty: Bool) -> String {
    "\u{1B}\\" + (isKitty ? "\u{1B}_Ga=d,d=i,i=\(TerminalReplyParser.pictureNumber),q=2\u{1B}\\" : "")
      + "\u{1B}[0m\n"
  }
}
