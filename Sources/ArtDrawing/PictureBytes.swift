// SPDX-License-Identifier: Apache-2.0

/// A part of a file: what lies outside is absent, and no offset is too large.
struct PictureBytes {
  private let bytes: [UInt8]
  private let range: Range<Int>

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    range = 0..<bytes.count
  }

  private init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    self.range = range
  }

  var count: Int { range.count }

  /// From there to the end; nothing when that lies outside.
  func from(_ offset: Int) -> PictureBytes {
    guard offset >= 0, offset <= count else { return PictureBytes([]) }
    return PictureBytes(bytes, range.lowerBound + offset..<range.upperBound)
  }

  /// So many bytes from there, or nil when they are not all there.
  func part(_ offset: Int, _ length: Int) -> PictureBytes? {
    guard offset >= 0, length >= 0, offset <= count, length <= count - offset else { return nil }
    let start = range.lowerBound + offset
    return PictureBytes(bytes, start..<start + length)
  }

  /// The bytes themselves.
  var slice: ArraySlice<UInt8> { bytes[range] }

  func byte(_ offset: Int) -> Int? {
    guard offset >= 0, offset < count else { return nil }
    return Int(bytes[range.lowerBound + offset])
  }

  /// A number of up to seven bytes, the most significant one first.
  func big(_ offset: Int, _ size: Int) -> Int? {
    guard let part = part(offset, size) else { return nil }
    return part.slice.reduce(0) { $0 << 8 | Int($1) }
  }

  /// A number of up to seven bytes, the least significant one first.
  func little(_ offset: Int, _ size: Int) -> Int? {
    guard let part = part(offset, size) else { return nil }
    return part.slice.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  func has(_ expected: [UInt8], at offset: Int) -> Bool {
    part(offset, expected.count).map { $0.slice.elementsEqual(expected) } ?? false
  }

  func has(_ expected: StaticString, at offset: Int) -> Bool {
    expected.withUTF8Buffer { text in
      part(offset, text.count).map { $0.slice.elementsEqual(text) } ?? false
    }
  }

  /// Four letters, as kinds of chunks and boxes are written; what is none is repaired, and then like none of them.
  func fourLetters(_ offset: Int) -> String? {
    part(offset, 4).map { String(decoding: $0.slice, as: UTF8.self) }
  }
}
