// SPDX-License-Identifier: Apache-2.0

import ArtProtocol
import Glibc

/// Cuts what is read into lines. Holds one read of 64 KiB and the beginning of a line, at most.
struct StreamLineReader {
  /// A line of the input, without its line break.
  enum Line {
    case line(UnsafeBufferPointer<UInt8>)
    /// It is longer than a line may be; it is passed over.
    case tooLong
  }

  /// Bytes of a line, at most.
  static let limit = ProtocolRequest.limit
  private static let piece = 1 << 16

  private var buffer = [UInt8](repeating: 0, count: 2 * Self.piece)
  /// How much of the buffer is filled: the beginning of a line, without a line break.
  private var filled = 0
  /// Whether the rest of a line that was too long is still to come.
  private var isSkipping = false

  /// Reads once, as much as there is, and hands out the lines that are complete. Returns what `read` does: 0 at the
  /// end of the input, when the last line was handed out, too, and -1 for an error, which `errno` tells.
  mutating func read(from descriptor: Int32, _ body: (Line) -> Void) -> Int {
    if buffer.count - filled < Self.piece {
      buffer.append(contentsOf: repeatElement(0, count: buffer.count))
    }
    let count = buffer.withUnsafeMutableBytes { [filled] bytes in
      Glibc.read(descriptor, bytes.baseAddress.map { $0 + filled }, Self.piece)
    }
    if count > 0 { took(count, body) }
    if count == 0 { ended(body) }
    return count
  }

  private mutating func took(_ count: Int, _ body: (Line) -> Void) {
    let end = filled + count
    var start = 0
    var place = filled
    buffer.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      while let found = memchr(base + place, 0x0A, end - place) {
        let lineEnd = UnsafeRawPointer(found) - UnsafeRawPointer(base)
        if isSkipping {
          isSkipping = false
        } else if lineEnd - start > Self.limit {
          body(.tooLong)
        } else {
          body(.line(UnsafeBufferPointer(rebasing: bytes[start..<lineEnd])))
        }
        start = lineEnd + 1
        place = start
      }
    }
    keep(start..<end, body)
  }

  /// Keeps the beginning of a line.
  private mutating func keep(_ range: Range<Int>, _ body: (Line) -> Void) {
    filled = range.count
    if filled > Self.limit, !isSkipping {
      isSkipping = true
      body(.tooLong)
    }
    if isSkipping { filled = 0 }
    guard range.lowerBound > 0, filled > 0 else { return }
    buffer.withUnsafeMutableBytes { [filled] bytes in
      guard let base = bytes.baseAddress else { return }
      memmove(base, base + range.lowerBound, filled)
    }
  }

  /// A last line may lack its line break.
  private mutating func ended(_ body: (Line) -> Void) {
    if filled > 0 {
      buffer.withUnsafeBufferPointer { body(.line(UnsafeBufferPointer(rebasing: $0[..<filled]))) }
    }
    filled = 0
    isSkipping = false
  }
}
