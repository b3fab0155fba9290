// SPDX-License-Identifier: Apache-2.0

/// Characters in colours as a terminal shows them: block elements and spaces, with an SGR sequence for each change of colour.
package struct SymbolScreen: Sendable {
  /// A cell.
  package struct Cell: Equatable, Sendable {
    package var scalar: Unicode.Scalar
    /// Red, green and blue.
    package var foreground: [UInt8]
    package var background: [UInt8]
  }

  /// The text has something else in it.
  package struct Trouble: Error {
    package let what: String
  }

  /// The cells, line by line.
  package private(set) var rows: [[Cell]] = []

  private var foreground: Int?
  private var background: Int?
  private var isInverse = false

  /// Reads lines. Cells outside the text are white on black.
  package init(_ text: some StringProtocol) throws {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var cells: [Cell] = []
      var rest = line.unicodeScalars.filter { $0 != "\r" }[...]
      while let scalar = rest.popFirst() {
        if scalar == "\u{1B}" {
          try obey(&rest)
        } else {
          let (front, back) = (Self.color(foreground ?? 0xFFFFFF), Self.color(background ?? 0))
          cells.append(
            Cell(scalar: scalar, foreground: isInverse ? back : front, background: isInverse ? front : back))
        }
      }
      rows.append(cells)
    }
    if rows.last?.isEmpty == true { rows.removeLast() }
  }

  private mutating func obey(_ rest: inout ArraySlice<Unicode.Scalar>) throws {
    guard rest.popFirst() == "[",
      let end = rest.firstIndex(where: { !"0123456789;:".unicodeScalars.contains($0) })
    else { throw Trouble(what: "no control sequence") }
    let parameters = String(String.UnicodeScalarView(rest[..<end]))
    let final = rest[end]
    rest = rest[(end + 1)...]
    guard final == "m" else { throw Trouble(what: "control sequence \(parameters)\(final)") }
    var numbers = parameters.split(omittingEmptySubsequences: false) { ";:".contains($0) }.map {
      Int($0) ?? 0
    }[...]
    while let number = numbers.popFirst() { try set(number, &numbers) }
  }

  private mutating func set(_ number: Int, _ rest: inout ArraySlice<Int>) throws {
    switch number {
    case 0: (foreground, background, isInverse) = (nil, nil, false)
    // Bold and faint text beside the art.
    case 1, 2, 22: break
    case 7: isInverse = true
    case 27: isInverse = false
    case 30...37: foreground = try Self.indexed(number - 30)
    case 39: foreground = nil
    case 40...47: background = try Self.indexed(number - 40)
    case 49: background = nil
    case 90...97: foreground = try Self.indexed(number - 82)
    case 100...107: background = try Self.indexed(number - 92)
    case 38: foreground = try Self.extended(&rest)
    case 48: background = try Self.extended(&rest)
    default: throw Trouble(what: "SGR \(number)")
    }
  }

  private static func extended(_ rest: inout ArraySlice<Int>) throws -> Int {
    switch rest.popFirst() {
    case 5: return try indexed(rest.popFirst() ?? -1)
    case 2:
      let parts = rest.prefix(3)
      rest = rest.dropFirst(3)
      guard parts.count == 3, parts.allSatisfy((0...255).contains) else { throw Trouble(what: "a colour") }
      return parts.reduce(0) { $0 << 8 | $1 }
    default: throw Trouble(what: "a colour of another kind")
    }
  }

  /// xterm's colours.
  private static func indexed(_ index: Int) throws -> Int {
    let first = [
      0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5, 0x7F7F7F, 0xFF0000,
      0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
    ]
    switch index {
    case 0..<16: return first[index]
    case 16..<232:
      let steps = [0, 0x5F, 0x87, 0xAF, 0xD7, 0xFF]
      let place = index - 16
      return steps[place / 36] << 16 | steps[place / 6 % 6] << 8 | steps[place % 6]
    case 232..<256: return (8 + 10 * (index - 232)) * 0x010101
    default: throw Trouble(what: "colour \(index)")
    }
  }

  private static func color(_ value: Int) -> [UInt8] {
    [UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
  }

  /// The pixels of some rows, each cell of 8 x 16 pixels, cut to a number of columns.
  package func pixels(columns: Int, rows range: Range<Int>) throws -> Pixels {
    var bytes: [UInt8] = []
    for row in range {
      let cells = rows.indices.contains(row) ? rows[row] : []
      for y in 0..<16 {
        for column in 0..<columns {
          let empty = Cell(scalar: " ", foreground: [255, 255, 255], background: [0, 0, 0])
          let cell = column < cells.count ? cells[column] : empty
          for x in 0..<8 {
            bytes += try (Self.covers(cell.scalar, x, y) ? cell.foreground : cell.background) + [255]
          }
        }
      }
    }
    return try Pixels(width: 8 * columns, height: 16 * range.count, bytes: bytes)
  }

  /// Whether a block element covers that pixel of 8 x 16.
  private static func covers(_ scalar: Unicode.Scalar, _ x: Int, _ y: Int) throws -> Bool {
    let quarter = (y < 8 ? 0 : 2) + (x < 4 ? 0 : 1)
    // Bit n is quarter n: upper left, upper right, lower left, lower right.
    let quarters: [Int] = [0b0100, 0b1000, 0b0001, 0b1101, 0b1001, 0b0111, 0b1011, 0b0010, 0b0110, 0b1110]
    let number = Int(scalar.value)
    switch number {
    case 0x20, 0xA0: return false
    case 0x2580: return y < 8
    case 0x2581...0x2588: return y >= 16 - 2 * (number - 0x2580)
    case 0x2589...0x258F: return x < 0x2590 - number
    case 0x2590: return x >= 4
    case 0x2594: return y < 2
    case 0x2595: return x >= 7
    case 0x2596...0x259F: return quarters[number - 0x2596] >> quarter & 1 == 1
    default: throw Trouble(what: "U+\(String(number, radix: 16))")
    }
  }
}
