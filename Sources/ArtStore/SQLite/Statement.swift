// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CStore

/// A prepared statement. A column is read with the type it must have; a value of another type is damage.
final class Statement {
  private let connection: Connection
  private let handle: OpaquePointer

  init(_ sql: String, on connection: Connection) throws(ArtError) {
    var handle: OpaquePointer?
    try connection.check(sqlite3_prepare_v2(connection.handle, sql, -1, &handle, nil))
    guard let handle else { throw ArtError(.inputOutput, "an empty SQL statement on \(connection.name)") }
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  enum Value: Hashable {
    case null
    case integer(Int)
    case text(String)
    case blob([UInt8])
  }

  /// Resets the statement and binds these values.
  func bind(_ values: Value...) throws(ArtError) { try bind(values) }

  /// The same for values in an array.
  func bind(_ values: [Value]) throws(ArtError) {
    sqlite3_reset(handle)
    for (index, value) in values.enumerated() {
      let parameter = Int32(index + 1)
      let code =
        switch value {
        case .null: sqlite3_bind_null(handle, parameter)
        case .integer(let number): sqlite3_bind_int64(handle, parameter, sqlite3_int64(number))
        case .text(let text): art_bind_text(handle, parameter, text, sqlite3_uint64(text.utf8.count))
        case .blob(let bytes): art_bind_blob(handle, parameter, bytes, sqlite3_uint64(bytes.count))
        }
      try connection.check(code)
    }
  }

  /// Steps to the next row; false if there is none.
  func step() throws(ArtError) -> Bool {
    let code = sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(handle)
      return false
    default:
      sqlite3_reset(handle)
      throw connection.error(code)
    }
  }

  /// Runs a statement that returns no rows.
  func run(_ values: Value...) throws(ArtError) { try run(all: values) }

  /// The same for a list of parameters.
  func run(all values: [Value]) throws(ArtError) {
    try bind(values)
    while try step() {}
  }

  /// The same, with a blob as last parameter that SQLite reads in place: it may be large.
  func run(_ values: Value..., lending bytes: [UInt8]) throws(ArtError) {
    let count = values.count
    try bind(values + [.null])
    defer { sqlite3_bind_null(handle, Int32(count + 1)) }
    try bytes.withUnsafeBufferPointer { (buffer) throws(ArtError) in
      try connection.check(
        art_lend_blob(handle, Int32(count + 1), buffer.baseAddress, sqlite3_uint64(buffer.count)))
      while try step() {}
    }
  }

  /// Ends the run, and releases the read lock.
  func reset() { sqlite3_reset(handle) }

  var columnCount: Int { Int(sqlite3_column_count(handle)) }

  func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }

  func integer(_ column: Int) throws(ArtError) -> Int {
    guard sqlite3_column_type(handle, Int32(column)) == SQLITE_INTEGER else { throw unexpected(column) }
    return Int(sqlite3_column_int64(handle, Int32(column)))
  }

  /// The UTF-8 bytes of a text, valid until the next step.
  func utf8(_ column: Int) throws(ArtError) -> UnsafeBufferPointer<UInt8> {
    guard sqlite3_column_type(handle, Int32(column)) == SQLITE_TEXT else { throw unexpected(column) }
    let start = sqlite3_column_text(handle, Int32(column))
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column))))
  }

  /// The bytes of a blob, valid until the next step.
  func blob(_ column: Int) throws(ArtError) -> UnsafeBufferPointer<UInt8> {
    guard sqlite3_column_type(handle, Int32(column)) == SQLITE_BLOB else { throw unexpected(column) }
    let start = sqlite3_column_blob(handle, Int32(column))
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: count)
  }

  func text(_ column: Int) throws(ArtError) -> String {
    guard let text = String(validating: try utf8(column), as: UTF8.self) else { throw unexpected(column) }
    return text
  }

  func optionalText(_ column: Int) throws(ArtError) -> String? {
    isNull(column) ? nil : try text(column)
  }

  /// The stored value, whatever its type; text that is not UTF-8 as bytes.
  func value(_ column: Int) throws(ArtError) -> Value {
    switch sqlite3_column_type(handle, Int32(column)) {
    case SQLITE_INTEGER: return .integer(try integer(column))
    case SQLITE_TEXT:
      let bytes = try utf8(column)
      return String(validating: bytes, as: UTF8.self).map(Value.text) ?? .blob(Array(bytes))
    case SQLITE_BLOB: return .blob(Array(try blob(column)))
    case SQLITE_FLOAT: return .text(String(sqlite3_column_double(handle, Int32(column))))
    default: return .null
    }
  }

  private func unexpected(_ column: Int) -> ArtError {
    let name = sqlite3_column_name(handle, Int32(column)).map { String(cString: $0) } ?? "?"
    return .damaged(connection.name, "a value of another type in the column \(name)")
  }
}

extension Statement.Value {
  /// SQLite's order of keys, which are integers or texts.
  static func < (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left < right
    case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
    default: false
    }
  }
}

extension Statement {
  /// The columns of a row as JSON: numbers, strings, null, and `{"hex":"…"}` for blobs and text that is not
  /// UTF-8.
  var columnsAsJSON: String {
    let columns = (0..<columnCount).map { column -> JSON in
      // A column that cannot be read becomes null: the row is unverified anyway.
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
