// SPDX-License-Identifier: Apache-2.0

/// What a terminal says of itself.
package struct TerminalAnswers: Equatable, Sendable {
  /// Pixels of a cell.
  package struct Cell: Equatable, Sendable {
    /// The bounds of what is believed.
    package static let sides = 2...256
    package let width: Int
    package let height: Int

    /// Nil for what no cell has.
    package init?(width: Int, height: Int) {
      guard Self.sides.contains(width), Self.sides.contains(height) else { return nil }
      (self.width, self.height) = (width, height)
    }
  }

  /// It shows pictures by kitty's protocol.
  package var hasKitty = false
  /// It shows sixels.
  package var hasSixel = false
  /// How large its cells are, if it said so.
  package var cell: Cell?
  /// It has said what it is: nothing more comes.
  package var isComplete = false

  /// What it said.
  package init(
    hasKitty: Bool = false, hasSixel: Bool = false, cell: Cell? = nil, isComplete: Bool = false
  ) {
    (self.hasKitty, self.hasSixel, self.cell, self.isComplete) = (hasKitty, hasSixel, cell, isComplete)
  }
}

/// Bytes from a terminal that was asked to what it answers. They may be cut anywhere, and hold anything; what is no answer is
/// dropped, such as keys that were pressed meanwhile.
///
///     ground ──ESC──▶ escape ──[──▶ control ──final──▶ ground     CSI 6;H;W t: a cell; CSI ?…c: what it is, the last answer
///                        └─ _ P ] ^ X ─▶ string ─BEL, ST─▶ ground     APC Gi=31;OK: kitty's protocol
///
/// A byte that does not fit ends what was begun.
package struct TerminalReplies {
  /// The number of the picture that kitty's protocol is asked about.
  package static let pictureNumber = 31
  /// Bytes of one answer that are kept; a longer one is none.
  package static let longest = 128

  private enum State { case ground, escape, control, string, stringEscape }

  package private(set) var answers = TerminalAnswers()
  private var state = State.ground
  private var kept: [UInt8] = []
  private var isTooLong = false

  /// Nothing was said yet.
  package init() {}

  /// Whether the last bytes are the beginning of something.
  package var isUndecided: Bool { state != .ground }

  package mutating func take(_ bytes: some Sequence<UInt8>) { for byte in bytes { take(byte) } }

  private mutating func take(_ byte: UInt8) {
    switch (state, byte) {
    case (.escape, UInt8(ascii: "[")): begin(.control)
    case (.escape, _) where "_P]^X".utf8.contains(byte):
      begin(.string)
      keep(byte)
    case (.control, 0x20...0x3F): keep(byte)
    case (.control, 0x40...0x7E):
      state = .ground
      if !isTooLong { takeControl(kept, final: byte) }
    case (.string, 0x07), (.stringEscape, UInt8(ascii: "\\")):
      state = .ground
      if !isTooLong { takeString(kept) }
    case (.string, 0x1B): state = .stringEscape
    case (.string, 0x20...): keep(byte)
    case (.stringEscape, _):
      state = .escape
      take(byte)
    case (_, 0x1B): state = .escape
    default: state = .ground
    }
  }

  private mutating func begin(_ new: State) {
    state = new
    kept.removeAll(keepingCapacity: true)
    isTooLong = false
  }

  private mutating func keep(_ byte: UInt8) {
    if kept.count < Self.longest { kept.append(byte) } else { isTooLong = true }
  }

  private mutating func takeControl(_ parameters: [UInt8], final: UInt8) {
    let text = String(decoding: parameters, as: UTF8.self)
    switch final {
    case UInt8(ascii: "c") where text.hasPrefix("?"):
      answers.hasSixel = Self.numbers(text.dropFirst()).dropFirst().contains(4)
      answers.isComplete = true
    case UInt8(ascii: "t"):
      let numbers = Self.numbers(text[...])
      guard numbers.count == 3, numbers[0] == 6 else { return }
      answers.cell = TerminalAnswers.Cell(width: numbers[2], height: numbers[1])
    default: break
    }
  }

  private mutating func takeString(_ bytes: [UInt8]) {
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: ";", maxSplits: 1)
    guard parts.count == 2, parts[0] == "_Gi=\(Self.pictureNumber)" else { return }
    answers.hasKitty = parts[1] == "OK"
  }

  /// Nothing where one of them is none, or has more than four digits.
  private static func numbers(_ text: Substring) -> [Int] {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.utf8.count <= 4 && !$0.hasPrefix("+") ? Int($0) : nil }
    return numbers.count == parts.count ? numbers : []
  }
}
