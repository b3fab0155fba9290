// SPDX-License-Identifier: Apache-2.0

import CStore

/// The checksum of one row: XXH3-64 (https://xxhash.com) of the table's name and every column but the sum.
///
/// Encoding: the name and a zero byte; then each column as a type byte and its value: 0 null; 1 integer, 8 bytes
/// little-endian; 2 text and 3 blob, the length in 8 bytes little-endian and the bytes.
struct RowSum {
  private var bytes: [UInt8]
  /// The hash of what came before `bytes`, once a blob is too long to be copied.
  private var stream: HashStream?
  private static let longest = 1 << 16

  init(_ table: StaticString) {
    bytes = []
    bytes.reserveCapacity(256)
    table.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(0)
  }

  mutating func add(_ value: Statement.Value) {
    switch value {
    case .null: null()
    case .integer(let number): integer(number)
    case .text(let text): self.text(text)
    case .blob(let bytes): bytes.withUnsafeBufferPointer { blob($0) }
    }
  }

  mutating func null() { bytes.append(0) }

  mutating func integer(_ value: Int) {
    bytes.append(1)
    append(value)
  }

  mutating func text(_ utf8: UnsafeBufferPointer<UInt8>) {
    bytes.append(2)
    append(utf8.count)
    bytes.append(contentsOf: utf8)
  }

  mutating func text(_ text: String) {
    var copy = text
    copy.withUTF8 { self.text($0) }
  }

  mutating func optional(_ text: String?) {
    if let text { self.text(text) } else { null() }
  }

  mutating func blob(_ value: UnsafeBufferPointer<UInt8>) {
    bytes.append(3)
    append(value.count)
    if value.count > Self.longest, let stream = stream ?? HashStream() {
      bytes.withUnsafeBufferPointer { stream.add($0) }
      bytes.removeAll(keepingCapacity: true)
      stream.add(value)
      self.stream = stream
    } else {
      bytes.append(contentsOf: value)
    }
  }

  /// The sum as the `sum` column holds it: the 64 bits as a signed integer.
  var value: Int {
    if let stream { return bytes.withUnsafeBufferPointer { stream.value(with: $0) } }
    return bytes.withUnsafeBytes { Int(bitPattern: UInt(XXH3_64bits($0.baseAddress, $0.count))) }
  }

  private mutating func append(_ value: Int) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }
}

/// A hash of bytes that are added in pieces and not copied.
private final class HashStream {
  private let state: OpaquePointer
  /// A copy of the state, to finish with.
  private let end: OpaquePointer

  /// Nil if there is not enough memory.
  init?() {
    guard let state = XXH3_createState() else { return nil }
    guard let end = XXH3_createState() else {
      XXH3_freeState(state)
      return nil
    }
    self.state = state
    self.end = end
    XXH3_64bits_reset(state)
  }

  deinit {
    XXH3_freeState(state)
    XXH3_freeState(end)
  }

  func add(_ bytes: UnsafeBufferPointer<UInt8>) { XXH3_64bits_update(state, bytes.baseAddress, bytes.count) }

  /// The hash of all bytes so far and these.
  func value(with last: UnsafeBufferPointer<UInt8>) -> Int {
    XXH3_copyState(end, state)
    XXH3_64bits_update(end, last.baseAddress, last.count)
    return Int(bitPattern: UInt(XXH3_64bits_digest(end)))
  }
}

/// The sum over the rows of all tables but `art`, modulo 2^64. It does not depend on their order, and
/// updating it costs only the changed rows.
struct Digest: Equatable {
  private(set) var value: Int

  init(_ value: Int = 0) { self.value = value }

  mutating func add(_ sum: Int) { value &+= sum }

  mutating func remove(_ sum: Int) { value &-= sum }
}
