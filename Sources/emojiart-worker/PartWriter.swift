// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Gathers what is drawn until it is worth a part of its own.
struct PartWriter {
  /// Bytes of a part, at most; the pipe takes no more at once.
  private static let length = 1 << 16

  private let output: ReplyWriter
  private var part: [UInt8] = []

  /// One that writes parts there.
  init(_ output: ReplyWriter) {
    self.output = output
    part.reserveCapacity(Self.length)
  }

  /// Takes a piece of any length.
  mutating func take(_ piece: [UInt8]) {
    var rest = piece[...]
    while !rest.isEmpty {
      let taken = rest.prefix(Self.length - part.count)
      part += taken
      rest = rest.dropFirst(taken.count)
      if part.count == Self.length { flush() }
    }
  }

  /// Writes what has gathered.
  mutating func flush() {
    guard !part.isEmpty else { return }
    output.write(.part(bytes: part.count), with: part)
    part.removeAll(keepingCapacity: true)
  }
}
