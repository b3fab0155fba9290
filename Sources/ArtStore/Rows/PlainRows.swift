// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CStore

/// The tables whose rows are only carried and vouched for: their columns, in the order that the sum takes them.
enum PlainTable: CaseIterable {
  case origin
  case image
  case aside

  var name: StaticString {
    switch self {
    case .origin: "origin"
    case .image: "image"
    case .aside: "aside"
    }
  }

  /// The sum is the last column.
  var select: String {
    switch self {
    case .origin: "SELECT origin, sequence, sum FROM origin"
    case .image: "SELECT number, digest, bytes, sum FROM image"
    case .aside: "SELECT number, source, row, reason, time, sum FROM aside"
    }
  }

  /// Puts in a picture's row, and returns its sum.
  static func insertPicture(
    _ bytes: [UInt8], digest: String, number: Int, on connection: Connection
  ) throws(ArtError) -> Int {
    let sum = image.sum(of: [.integer(number), .text(digest), .blob(bytes)])
    try Statement("INSERT INTO image(number, digest, sum, bytes) VALUES(?,?,?,?)", on: connection)
      .run(.integer(number), .text(digest), .integer(sum), lending: bytes)
    return sum
  }

  /// The sum of a row of these values, all columns but the sum.
  func sum(of values: [Statement.Value]) -> Int {
    var sum = RowSum(name)
    for value in values { sum.add(value) }
    return sum.value
  }

  /// The sum that the row's columns have, whatever its column `sum` says.
  func expectedSum(_ row: Statement) throws(ArtError) -> Int {
    var sum = RowSum(name)
    switch self {
    case .origin:
      sum.text(try row.utf8(0))
      sum.integer(try row.integer(1))
    case .image:
      sum.integer(try row.integer(0))
      sum.text(try row.utf8(1))
      sum.blob(try row.blob(2))
    case .aside:
      sum.integer(try row.integer(0))
      sum.text(try row.utf8(1))
      sum.text(try row.utf8(2))
      sum.text(try row.utf8(3))
      sum.integer(try row.integer(4))
    }
    return sum.value
  }

  /// Reads the sum of a row that fits it, and looks at the meaning of its columns. Throws `damaged`.
  func verify(_ row: Statement, of document: String) throws(ArtError) -> Int {
    let sum = try row.integer(row.columnCount - 1)
    guard try expectedSum(row) == sum else {
      throw .damaged(document, "a row of the table \(name) does not fit its sum")
    }
    try checkMeaning(row, of: document)
    return sum
  }

  /// Throws `damaged` for columns that mean nothing. Does not look at the sum.
  func checkMeaning(_ row: Statement, of document: String) throws(ArtError) {
    switch self {
    case .origin:
      guard Origin(try row.text(0)) != nil, (0...Format.largestNumber).contains(try row.integer(1)) else {
        throw .damaged(document, "an origin's row cannot be read")
      }
    case .image:
      guard (1...Format.largestNumber).contains(try row.integer(0)) else {
        throw .damaged(document, "a stored picture has no number")
      }
      guard try row.text(1) == ContentDigest.of(try row.blob(2)) else {
        throw .damaged(document, "a stored picture is not the one of its digest")
      }
    case .aside:
      _ = try (row.text(1), row.text(2), row.text(3))
      guard (1...Format.largestNumber).contains(try row.integer(0)) else {
        throw .damaged(document, "a row set aside has no number")
      }
    }
  }
}

/// The digest that names a stored picture: XXH3-128, 32 hexadecimal digits, lower case, the high half first.
package enum ContentDigest {
  package static func of(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    let hash = XXH3_128bits(bytes.baseAddress, bytes.count)
    return hexadecimal(hash.high64) + hexadecimal(hash.low64)
  }

  /// Twelve characters that stand for the bytes in a name, as those of an id.
  static func mark(of bytes: UnsafeBufferPointer<UInt8>) -> String {
    struct Once: RandomNumberGenerator {
      let bits: UInt64
      mutating func next() -> UInt64 { bits }
    }
    var bits = Once(bits: XXH3_128bits(bytes.baseAddress, bytes.count).high64)
    return DocumentID(using: &bits).description
  }

  private static func hexadecimal(_ bits: UInt64) -> String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
