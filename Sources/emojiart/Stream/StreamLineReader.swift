// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import ArtSystem
import Glibc

/// Splits the input into lines. It buffers one read of 64 KiB and the beginning of a line, at most.
struct StreamLineReader {
  /// A line of the input, without its line break.
  enum Line {
    case line(UnsafeBufferPointer<UInt8>)
    /// Longer than the limit; the line is skipped.
    case tooLong
  }

  /// The maximum length of a line in bytes.
  static let limit = ProtocolRequest.limit
  private static let piece = 1 << 16

  private var buffer = [UInt8](repeating: 0, count: 2 * Self.piece)
  /// The number of buffered bytes: the beginning of a line, without a line break.
  private var filled = 0
  /// Whether the rest of a line that was too long is to be skipped.
  private var isSkipping = false
  /// The lines that were passed, blank ones included.
  private var passed = 0

  /// Reads once, as much as is available, and passes the complete lines to `body`. Returns the result of `read`: 0 at
  /// the end of the input, after the last line was passed, and -1 for an error in `errno`.
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
    var offset = filled
    buffer.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      while let found = memchr(base + offset, 0x0A, end - offset) {
        let lineEnd = UnsafeRawPointer(found) - UnsafeRawPointer(base)
        if isSkipping {
          isSkipping = false
        } else if lineEnd - start > Self.limit {
          body(.tooLong)
        } else {
          body(.line(UnsafeBufferPointer(rebasing: bytes[start..<lineEnd])))
        }
        start = lineEnd + 1
        offset = start
      }
    }
    keep(start..<end, body)
  }

  /// Buffers the beginning of a line.
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

  /// Passes the last line, which may lack its line break.
  private mutating func ended(_ body: (Line) -> Void) {
    if filled > 0 {
      buffer.withUnsafeBufferPointer { body(.line(UnsafeBufferPointer(rebasing: $0[..<filled]))) }
    }
    filled = 0
    isSkipping = false
  }
}

extension StreamLineReader {
  /// Reads once from stdin. Nil at the end of the input, unless a last line remains. Throws `inputOutput`.
  mutating func readLines(
    _ read: (UnsafeBufferPointer<UInt8>) -> StreamLine?
  ) throws(ArtError) -> [StreamLine]? {
    var lines: [StreamLine] = []
    var number = passed
    let count = self.read(from: 0) { line in
      number += 1
      var next: StreamLine?
      switch line {
      case .line(let bytes):
        next = read(number == 1 ? bytes.withoutByteOrderMark : bytes)
      case .tooLong: next = StreamLine(request: .bad(.lineTooLong()))
      }
      next?.number = number
      if let next { lines.append(next) }
    }
    passed = number
    if count < 0, errno != EINTR, errno != EAGAIN { throw .streamInput() }
    return count == 0 && lines.isEmpty ? nil : lines
  }
}

extension ArtError {
  /// The reader of stdout has gone.
  static let brokenPipe = notWritten(to: "stdout", EPIPE)

  static func streamInput() -> ArtError {
    ArtError(.inputOutput, "cannot read the lines from stdin: \(SystemError.text(of: errno))")
  }

  static func lineTooLong() -> ArtError {
    ArtError(.tooLarge, "a line of more than \(StreamLineReader.limit) bytes; it was skipped")
  }
}
