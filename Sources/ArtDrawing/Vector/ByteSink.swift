// SPDX-License-Identifier: Apache-2.0

import ArtModel

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

/// Base64 of bytes that come in pieces, on their way out.
struct Base64Writer {
  private let sink: ByteSink
  private var encoder = Base64Encoder()

  init(_ sink: ByteSink) { self.sink = sink }

  mutating func write(_ bytes: UnsafeRawBufferPointer) {
    encoder.encode(bytes).withUnsafeBytes { sink.write($0) }
  }

  /// Writes what is left, filled up.
  mutating func end() { encoder.finish().withUnsafeBytes { sink.write($0) } }
}
