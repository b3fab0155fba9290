// SPDX-License-Identifier: Apache-2.0

/// A key by its function: Ctrl-A and Home are one. Text comes in runs.
package enum Key: Equatable, Sendable {
  case text(String)
  /// Text of a bracketed paste, without line breaks.
  case paste(String)
  /// A line break within a paste.
  case pastedBreak
  case enter, tab, backspace, delete, deleteOrEnd
  case left, right, wordLeft, wordRight, home, end, up, down
  case killToEnd, killToStart, killWord, yank
  case clearScreen, interrupt, suspend
  /// Ctrl-R.
  case search
  case backTab
  /// Escape alone, not as the beginning of a sequence: see `KeyDecoder.settle`.
  case escape
  /// The arrows with Shift.
  case shiftLeft, shiftRight, shiftUp, shiftDown

  /// The key for each character of a typed text, because each may be a command; any other key as it is.
  package var characters: [Key] {
    guard case .text(let text) = self else { return [self] }
    return text.map { .text(String($0)) }
  }
}

/// Decodes bytes of a terminal to keys. The bytes may be split anywhere; unknown sequences are dropped.
///
///     ground ──ESC──▶ escape ──[──▶ control ──final──▶ ground      arrows, Home, Delete, paste
///       │               ├─────O───▶ application ─────▶ ground      arrows of some terminals
///       │               └─ ]P^_X ─▶ string ─BEL, ST──▶ ground      a late reply of the terminal, dropped
///       └──lead byte──▶ scalar ──last byte───────────▶ ground
///
/// An unexpected byte ends the current sequence and is decoded from `ground`. Within a bracketed paste, there are only
/// `paste`, `pastedBreak` and Ctrl-C, which ends a paste whose end was lost.
package struct KeyDecoder {
  private enum State: Equatable {
    case ground, escape, control, application, string
    case scalar(value: UInt32, left: Int, least: UInt32)
  }

  private enum Step {
    case scalar(Unicode.Scalar)
    case key(Key)
  }

  private var state = State.ground
  private var parameters: [UInt8] = []
  private var isPasting = false
  private var isAfterReturn = false

  /// A decoder in its ground state.
  package init() {}

  /// How long more bytes of the sequence that has begun are waited for before `settle`; nil where none has. ESC is a key of its own, and
  /// answered soon; what follows it comes late over a slow line, and its rest must not be taken for keys.
  package var pause: Duration? {
    switch state {
    case .ground: nil
    case .escape where !isPasting: .milliseconds(50)
    default: .seconds(1)
    }
  }

  /// Ends an incomplete sequence after its pause. Returns `escape` for a lone ESC; any other beginning is dropped.
  @discardableResult
  package mutating func settle() -> Key? {
    defer { state = .ground }
    return state == .escape && !isPasting ? .escape : nil
  }

  package mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    var run = String.UnicodeScalarView()
    var isPastedRun = false
    func endRun() {
      guard !run.isEmpty else { return }
      keys.append(isPastedRun ? .paste(String(run)) : .text(String(run)))
      run.removeAll()
    }
    for byte in bytes {
      switch consume(byte) {
      case .scalar(let scalar):
        if isPasting != isPastedRun { endRun() }
        isPastedRun = isPasting
        run.append(scalar)
      case .key(let key):
        endRun()
        keys.append(key)
      case nil: break
      }
    }
    endRun()
    return keys
  }

  private mutating func consume(_ byte: UInt8) -> Step? {
    switch (state, byte) {
    case (.scalar(let value, let left, let least), 0x80...0xBF):
      let value = value << 6 | UInt32(byte & 0x3F)
      state = left == 1 ? .ground : .scalar(value: value, left: left - 1, least: least)
      guard left == 1, value >= least, !(0x80...0x9F).contains(value) else { return nil }
      return Unicode.Scalar(value).map { .scalar($0) }
    case (.escape, UInt8(ascii: "[")):
      state = .control
      parameters.removeAll()
      return nil
    case (.escape, UInt8(ascii: "O")):
      state = .application
      return nil
    case (.escape, _) where "]P^_X".utf8.contains(byte):
      state = .string
      return nil
    case (.escape, 0x20...0x7F):
      state = .ground
      return known(Self.altKeys[byte])
    case (.control, 0x20...0x3F):
      if parameters.count < 16 { parameters.append(byte) }
      return nil
    case (.control, 0x40...0x7E):
      state = .ground
      return controlSequence(byte)
    case (.application, 0x40...0x7E):
      state = .ground
      return known(Self.arrows[byte])
    case (.string, 0x20...), (.string, 0x07):
      if byte == 0x07 { state = .ground }
      return nil
    default:
      state = .ground
      return first(byte)
    }
  }

  /// A byte outside any sequence.
  private mutating func first(_ byte: UInt8) -> Step? {
    let isSecondOfBreak = isAfterReturn && isPasting && byte == 0x0A
    isAfterReturn = byte == 0x0D
    switch byte {
    case 0x1B: state = .escape
    case 0x20...0x7E: return .scalar(Unicode.Scalar(byte))
    case 0xC2...0xDF: state = .scalar(value: UInt32(byte & 0x1F), left: 1, least: 0x80)
    case 0xE0...0xEF: state = .scalar(value: UInt32(byte & 0x0F), left: 2, least: 0x800)
    case 0xF0...0xF4: state = .scalar(value: UInt32(byte & 0x07), left: 3, least: 0x1_0000)
    case 0x0A, 0x0D: return isSecondOfBreak ? nil : .key(isPasting ? .pastedBreak : .enter)
    case 0x09 where isPasting: return .scalar(" ")
    case 0x03:
      isPasting = false
      return .key(.interrupt)
    default: return known(Self.controls[byte])
    }
    return nil
  }

  private mutating func controlSequence(_ final: UInt8) -> Step? {
    guard final == UInt8(ascii: "~") else {
      let isModified = parameters.contains(UInt8(ascii: ";"))
      if parameters.suffix(2) == [UInt8(ascii: ";"), UInt8(ascii: "2")][...] {
        return known(Self.shiftedArrows[final] ?? Self.arrows[final])
      }
      return known(isModified ? Self.modifiedArrows[final] ?? Self.arrows[final] : Self.arrows[final])
    }
    switch String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self) {
    case "1", "7": return known(.home)
    case "3": return known(.delete)
    case "4", "8": return known(.end)
    case "200": isPasting = true
    case "201": isPasting = false
    default: break
    }
    return nil
  }

  private func known(_ key: Key?) -> Step? { isPasting ? nil : key.map { .key($0) } }

  private static let controls: [UInt8: Key] = [
    0x01: .home, 0x02: .left, 0x04: .deleteOrEnd, 0x05: .end, 0x06: .right, 0x08: .backspace, 0x09: .tab,
    0x07: .escape, 0x0B: .killToEnd, 0x0C: .clearScreen, 0x0E: .down, 0x10: .up, 0x12: .search,
    0x15: .killToStart,
    0x17: .killWord,
    0x19: .yank, 0x1A: .suspend, 0x7F: .backspace,
  ]
  private static let altKeys: [UInt8: Key] = [
    UInt8(ascii: "b"): .wordLeft, UInt8(ascii: "f"): .wordRight, 0x7F: .killWord,
  ]
  private static let arrows: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
    UInt8(ascii: "F"): .end, UInt8(ascii: "H"): .home, UInt8(ascii: "Z"): .backTab,
    // rxvt's, with Shift.
    UInt8(ascii: "a"): .shiftUp, UInt8(ascii: "b"): .shiftDown, UInt8(ascii: "c"): .shiftRight,
    UInt8(ascii: "d"): .shiftLeft,
  ]
  private static let shiftedArrows: [UInt8: Key] = [
    UInt8(ascii: "A"): .shiftUp, UInt8(ascii: "B"): .shiftDown, UInt8(ascii: "C"): .shiftRight,
    UInt8(ascii: "D"): .shiftLeft,
  ]
  /// With Ctrl or Alt.
  private static let modifiedArrows: [UInt8: Key] = [
    UInt8(ascii: "C"): .wordRight, UInt8(ascii: "D"): .wordLeft,
  ]
}
