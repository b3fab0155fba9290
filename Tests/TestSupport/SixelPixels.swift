// SPDX-License-Identifier: Apache-2.0

extension Pixels {
  /// Decodes sixels (DEC STD 070, with colours of red, green and blue). ImageMagick 6 shows them black.
  package init(sixels bytes: [UInt8]) throws {
    let (head, tail): ([UInt8], [UInt8]) = ([0x1B, 0x50], [0x1B, 0x5C])
    guard bytes.starts(with: head), bytes.suffix(2) == tail[...],
      let begin = bytes.firstIndex(of: UInt8(ascii: "q"))
    else { throw Trouble() }
    var reader = SixelReader(bytes[(begin + 1)...].dropLast(2))
    try self.init(reader.read())
  }

  private init(_ reader: SixelReader) throws {
    try self.init(width: reader.width, height: reader.height, bytes: reader.pixels)
  }
}

private struct SixelReader {
  private var rest: ArraySlice<UInt8>
  private(set) var width = 0
  private(set) var height = 0
  private(set) var pixels: [UInt8] = []

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func read() throws -> SixelReader {
    var palette: [Int: [UInt8]] = [:]
    var color = 0
    var (x, y) = (0, 0)
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""):
        let size = numbers()
        guard size.count == 4, pixels.isEmpty, size[2] * size[3] <= 1 << 24 else { throw Pixels.Trouble() }
        (width, height) = (size[2], size[3])
        pixels = [UInt8](repeating: 0, count: 4 * width * height)
      case UInt8(ascii: "#"):
        let parts = numbers()
        color = parts[0]
        guard parts.count == 5 else { continue }
        guard parts[1] == 2 else { throw Pixels.Trouble() }
        palette[color] = parts[2...].map { UInt8(($0 * 255 + 50) / 100) } + [255]
      case UInt8(ascii: "$"): x = 0
      case UInt8(ascii: "-"): (x, y) = (0, y + 6)
      case UInt8(ascii: "!"):
        let count = numbers()[0]
        guard let sixel = rest.popFirst() else { throw Pixels.Trouble() }
        try set(sixel, x..<x + count, y, palette[color])
        x += count
      default:
        try set(byte, x..<x + 1, y, palette[color])
        x += 1
      }
    }
    return self
  }

  private mutating func set(_ sixel: UInt8, _ columns: Range<Int>, _ top: Int, _ color: [UInt8]?) throws {
    guard (0x3F...0x7E).contains(sixel) else { throw Pixels.Trouble() }
    for row in 0..<6 where (sixel - 0x3F) >> row & 1 == 1 {
      guard let color, columns.upperBound <= width, top + row < height else { throw Pixels.Trouble() }
      for column in columns {
        let place = 4 * ((top + row) * width + column)
        pixels.replaceSubrange(place..<place + 4, with: color)
      }
    }
  }

  private mutating func numbers() -> [Int] {
    var numbers = [0]
    while let byte = rest.first {
      if byte == UInt8(ascii: ";") {
        numbers.append(0)
      } else if (0x30...0x39).contains(byte), numbers[numbers.count - 1] < 1 << 20 {
        numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(byte - 0x30)
      } else {
        break
      }
      rest = rest.dropFirst()
    }
    return numbers
  }
}
