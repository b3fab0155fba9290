// SPDX-License-Identifier: Apache-2.0

/// How many colours LZW codes stand for. GIF's loader takes codes that cannot be, and too few of them, without a word.
struct LZWLength {
  private static let codes = 4096

  /// Of each code; grows with the codes.
  private var lengths: [Int] = []
  private let clear: Int
  private let minimum: Int

  /// For codes that begin with so many bits for a colour.
  private init(_ codeSize: Int) {
    clear = 1 << codeSize
    minimum = codeSize + 1
    lengths.reserveCapacity(Self.codes)
    reset()
  }

  private mutating func reset() {
    lengths.removeAll(keepingCapacity: true)
    // The colours; to clear and to end stand behind them.
    lengths.append(contentsOf: repeatElement(1, count: clear + 2))
  }

  /// Whether a frame's blocks stand for so many colours at least; false for codes that cannot be before that.
  static func reaches(_ wanted: Int, codeSize: Int, _ blocks: PictureBytes) -> Bool {
    guard (1...8).contains(codeSize) else { return false }
    var length = LZWLength(codeSize)
    return length.reaches(wanted, blocks)
  }

  private mutating func reaches(_ wanted: Int, _ blocks: PictureBytes) -> Bool {
    var size = minimum
    var bits = 0
    var held = 0
    var previous: Int?
    var sum = 0
    var offset = 0
    while let length = blocks.byte(offset), length > 0, let block = blocks.part(offset + 1, length) {
      offset += 1 + length
      for byte in block.slice {
        bits |= Int(byte) << held
        held += 8
        while held >= size {
          let code = bits & ((1 << size) - 1)
          bits >>= size
          held -= size
          if code == clear {
            reset()
            size = minimum
            previous = nil
            continue
          }
          if code == clear + 1 { return false }
          guard let count = take(code, after: previous) else { return false }
          sum += count
          if sum >= wanted { return true }
          previous = code
          if lengths.count == 1 << size, size < 12 { size += 1 }
        }
      }
    }
    return sum >= wanted
  }

  /// The length of a code, after which there is one more; nil for a code that is not there yet.
  private mutating func take(_ code: Int, after previous: Int?) -> Int? {
    guard let previous else { return code < clear ? 1 : nil }
    // The code that is just being made: the previous one and its own first colour.
    guard code <= lengths.count, code < lengths.count || lengths.count < Self.codes else { return nil }
    if lengths.count < Self.codes { lengths.append(lengths[previous] + 1) }
    return lengths[code]
  }
}
