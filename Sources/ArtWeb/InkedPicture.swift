// SPDX-License-Identifier: Apache-2.0

/// JPEG files of inks with a colour profile, whose colours browsers get wrong: Chromium 156 mixes black into the other inks before it
/// converts them.
enum InkedPicture {
  /// Whether the bytes are such a file, by the segments before its first scan (ITU-T T.81, B.1 and B.2; ICC.1:2022, B.4).
  static func isOne(_ bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: [0xFF, 0xD8]) else { return false }
    var (offset, hasProfile, hasInks) = (2, false, false)
    while offset + 4 <= bytes.count, bytes[offset] == 0xFF {
      let marker = bytes[offset + 1]
      // A marker may have bytes before it that fill.
      if marker == 0xFF {
        offset += 1
        continue
      }
      let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
      let segment = bytes[(offset + 4)...].prefix(max(0, length - 2))
      switch marker {
      case 0xE2: hasProfile = hasProfile || segment.starts(with: "ICC_PROFILE\0".utf8)
      case 0xC4, 0xC8, 0xCC: break
      // The frame: its precision, height, width, and number of colours.
      case 0xC0...0xCF: hasInks = segment.dropFirst(5).first == 4
      case 0xD8, 0xD9, 0xDA: return hasProfile && hasInks
      default: break
      }
      guard length >= 2 else { return false }
      offset += 2 + length
    }
    return false
  }
}
