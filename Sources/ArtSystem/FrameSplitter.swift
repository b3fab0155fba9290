// SPDX-License-Identifier: Apache-2.0

/// Makes lines of bytes that come in pieces, and the raw bytes that a line announces.
package struct FrameSplitter {
  /// The most bytes in a line.
  private let lineLimit: Int
  /// The most raw bytes after a line.
  private let bytesLimit: Int
  /// What has come of the line that is not at its end.
  private var rest: [UInt8] = []
  /// What has come of raw bytes. They are held here and nowhere else, in room for all of them.
  private var body: [UInt8] = []
  /// How many raw bytes are still to come; nil when a line is.
  private var missing: Int?

  /// A splitter for what is at a line's beginning.
  package init(lineLimit: Int, bytesLimit: Int) {
    self.lineLimit = lineLimit
    self.bytesLimit = bytesLimit
  }

  /// Whether nothing that has come waits for more.
  package var isAtBeginning: Bool { rest.isEmpty && missing == nil }

  /// Takes a piece and hands out what ends in it: each line, without its line break, to `line`, which says how many raw
  /// bytes follow it, if any do; these to `bytes`. False when more comes than the limits let: nothing of that is handed out,
  /// and there is no way on.
  package mutating func take(
    _ piece: ArraySlice<UInt8>, line: ([UInt8]) -> Int?, bytes: ([UInt8]) -> Void
  ) -> Bool {
    var piece = piece
    repeat {
      if let count = missing {
        let part = piece.prefix(count)
        body += part
        piece = piece.dropFirst(part.count)
        missing = count - part.count
        guard part.count == count else { return true }
        missing = nil
        bytes(handOver())
      }
      guard let end = piece.firstIndex(of: 10) else { break }
      guard rest.count + (end - piece.startIndex) <= lineLimit else { return false }
      rest += piece[..<end]
      let announced = line(rest)
      rest.removeAll(keepingCapacity: rest.capacity <= 1 << 16)
      piece = piece[(end + 1)...]
      if let announced {
        guard (0...bytesLimit).contains(announced) else { return false }
        body.reserveCapacity(announced)
        missing = announced
      }
    } while missing != nil || !piece.isEmpty
    rest += piece
    return rest.count <= lineLimit
  }

  /// The raw bytes, which are not held here any more.
  private mutating func handOver() -> [UInt8] {
    var bytes: [UInt8] = []
    swap(&bytes, &body)
    return bytes
  }
}
