// SPDX-License-Identifier: Apache-2.0

import ArtModel

extension Statement {
  /// The columns of a row as JSON: numbers, strings, null, and `{"hex":"…"}` for what is no text.
  var columnsAsJSON: String {
    let columns = (0..<columnCount).map { column -> JSON in
      // A column whose value cannot be read is kept as null: the row is in doubt anyway.
      switch (try? value(column)) ?? .null {
      case .null: .null
      case .integer(let number): .integer(number)
      case .text(let text): .string(text)
      case .blob(let bytes): .object(["hex": .string(Self.hexadecimal(bytes))])
      }
    }
    return JSON.array(columns).text
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
