// SPDX-License-Identifier: Apache-2.0

/// Names and paths in lines: what could end a word or a line, and the backslash, are written `\xHH`.
enum EscapedBytes {
  private static let backslash = UInt8(ascii: "\\")
  private static let digits = Array("0123456789abcdef".utf8)

  static func write(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var written: [UInt8] = []
    for byte in bytes {
      if byte < 0x21 || byte == 0x7F || byte == backslash {
        written += [backslash, UInt8(ascii: "x"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      } else {
        written.append(byte)
      }
    }
    return written
  }

  /// Reads them; nil for what `write` does not write.
  static func read(_ written: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = written.makeIterator()
    while let byte = rest.next() {
      guard byte == backslash else {
        if byte < 0x21 || byte == 0x7F { return nil }
        bytes.append(byte)
        continue
      }
      guard rest.next() == UInt8(ascii: "x"), let high = rest.next().flatMap(digits.firstIndex),
        let low = rest.next().flatMap(digits.firstIndex)
      else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }
}
