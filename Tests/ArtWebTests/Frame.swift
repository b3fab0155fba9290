// SPDX-License-Identifier: Apache-2.0

/// Frames of a WebSocket.
struct Frame {
  /// The kinds of frames.
  enum Kind: UInt8 {
    case continuation = 0
    case text, binary
    case connectionClose = 8
    case ping, pong
  }

  let kind: Kind?
  let data: [UInt8]

  /// A frame as a page sends it, with the mask 0.
  static func bytes(_ kind: Kind, _ text: String) -> [UInt8] {
    let count = text.utf8.count
    let length: [UInt8] =
      count < 126
      ? [0x80 | UInt8(count)] : count < 65_536 ? [0xFE] + big(count, 2) : [0xFF] + big(count, 8)
    return [0x80 | kind.rawValue] + length + [0, 0, 0, 0] + Array(text.utf8)
  }

  private static func big(_ number: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// Takes a frame of the server from the front of the bytes; nil if it is not whole.
  init?(from bytes: inout [UInt8]) {
    guard bytes.count >= 2 else { return nil }
    let short = Int(bytes[1] & 127)
    let start = short < 126 ? 2 : short == 126 ? 4 : 10
    guard bytes.count >= start else { return nil }
    let size = short < 126 ? short : bytes[2..<start].reduce(0) { $0 << 8 | Int($1) }
    guard bytes.count >= start + size else { return nil }
    kind = Kind(rawValue: bytes[0] & 15)
    data = Array(bytes[start..<(start + size)])
    bytes.removeSubrange(..<(start + size))
  }

  /// The text.
  var text: String { String(decoding: data, as: UTF8.self) }
  /// The code of a closing frame.
  var code: Int { data.prefix(2).reduce(0) { $0 << 8 | Int($1) } }
}
