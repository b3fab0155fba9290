// SPDX-License-Identifier: Apache-2.0

/// Bytes on their way out: gathered into pieces, so that no result is ever held as a whole.
final class ByteSink {
  private static let piece = 1 << 16

  private let take: ([UInt8]) -> Void
  private var held: [UInt8] = []

  init(_ take: @escaping ([UInt8]) -> Void) { self.take = take }

  func write(_ text: String) {
    held.append(contentsOf: text.utf8)
    hand()
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    held.append(contentsOf: bytes)
    hand()
  }

  /// Hands on what is held when it is a piece.
  private func hand() {
    if held.count >= Self.piece { flush() }
  }

  /// Hands on what is held.
  func flush() {
    guard !held.isEmpty else { return }
    take(held)
    held.removeAll(keepingCapacity: true)
  }
}

/// Base64 (RFC 4648, section 4) of bytes that come in pieces.
struct Base64Writer {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private let sink: ByteSink
  /// Bytes that are not yet three.
  private var rest: [UInt8] = []

  init(_ sink: ByteSink) { self.sink = sink }

  mutating func write(_ bytes: UnsafeRawBufferPointer) {
    var start = 0
    while !rest.isEmpty, rest.count < 3, start < bytes.count {
      rest.append(bytes[start])
      start += 1
    }
    var text: [UInt8] = []
    if rest.count == 3 {
      text = Self.encoded(rest[0], rest[1], rest[2])
      rest = []
    }
    let count = (bytes.count - start) / 3 * 3
    text.reserveCapacity(text.count + count / 3 * 4)
    for place in stride(from: start, to: start + count, by: 3) {
      let three = UInt32(bytes[place]) << 16 | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2])
      for shift: UInt32 in [18, 12, 6, 0] { text.append(Self.letters[Int(three >> shift & 63)]) }
    }
    rest += bytes[(start + count)...]
    text.withUnsafeBytes { sink.write($0) }
  }

  /// Writes what is left, filled up.
  mutating func end() {
    guard let first = rest.first else { return }
    let second = rest.count > 1 ? rest[1] : 0
    var text = Self.encoded(first, second, 0)
    text.replaceSubrange((rest.count + 1)..., with: repeatElement(UInt8(ascii: "="), count: 3 - rest.count))
    rest = []
    text.withUnsafeBytes { sink.write($0) }
  }

  private static func encoded(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> [UInt8] {
    let three = UInt32(first) << 16 | UInt32(second) << 8 | UInt32(third)
    return [18, 12, 6, 0].map { letters[Int(three >> $0 & 63)] }
  }
}
