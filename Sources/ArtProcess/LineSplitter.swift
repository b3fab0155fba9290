// SPDX-License-Identifier: Apache-2.0

/// Makes lines of bytes that come in pieces.
struct LineSplitter {
  /// The most bytes in a line.
  let limit: Int
  /// What has come of the line that is not at its end.
  private var rest: [UInt8] = []

  init(limit: Int) { self.limit = limit }

  /// Takes a piece and hands out the lines that end in it, without their line breaks. False when one is, or will be,
  /// longer than the limit: nothing of it is handed out.
  mutating func take(_ piece: ArraySlice<UInt8>, _ line: ([UInt8]) -> Void) -> Bool {
    var piece = piece
    while let end = piece.firstIndex(of: 10) {
      guard rest.count + (end - piece.startIndex) <= limit else { return false }
      rest += piece[..<end]
      line(rest)
      rest.removeAll(keepingCapacity: rest.capacity <= 1 << 16)
      piece = piece[(end + 1)...]
    }
    rest += piece
    return rest.count <= limit
  }
}
