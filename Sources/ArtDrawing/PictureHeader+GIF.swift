// SPDX-License-Identifier: Apache-2.0

// GIF 89a: https://www.w3.org/Graphics/GIF/spec-gif89a.txt.

extension PictureHeader {
  static func gif(_ file: PictureBytes) -> PictureHeader? {
    guard let width = file.little(6, 2), let height = file.little(8, 2) else { return nil }
    var blocks = GIFFrames(file)
    let isAnimated = blocks.next() != nil && blocks.next() != nil
    return PictureHeader(kind: .gif, width: width, height: height, isAnimated: isAnimated)
  }
}

/// The frames of a GIF file.
struct GIFFrames {
  struct Frame {
    let width: Int
    let height: Int
    /// The bits that a colour is coded in, and the coded data's blocks, up to `end`.
    let codeSize: Int
    let data: PictureBytes
    /// Where in the file the frame ends.
    let end: Int
  }

  private let file: PictureBytes
  private var offset: Int

  init(_ file: PictureBytes) {
    self.file = file
    offset = 13 + Self.colours(file.byte(10))
  }

  /// The next frame that is all there.
  mutating func next() -> Frame? {
    while let introducer = file.byte(offset) {
      switch introducer {
      case 0x2C: return frame()
      case 0x21:
        guard let end = endOfBlocks(offset + 2) else { return nil }
        offset = end
      // Some programs fill up with zeros.
      case 0: offset += 1
      default: return nil
      }
    }
    return nil
  }

  private mutating func frame() -> Frame? {
    guard let width = file.little(offset + 5, 2), let height = file.little(offset + 7, 2) else { return nil }
    let coded = offset + 10 + Self.colours(file.byte(offset + 9))
    guard let codeSize = file.byte(coded), let end = endOfBlocks(coded + 1),
      let data = file.part(coded + 1, end - coded - 1)
    else { return nil }
    offset = end
    return Frame(width: width, height: height, codeSize: codeSize, data: data, end: end)
  }

  /// Bytes of the colours that such flags announce.
  private static func colours(_ flags: Int?) -> Int {
    guard let flags, flags & 0x80 != 0 else { return 0 }
    return 3 * (2 << (flags & 7))
  }

  private func endOfBlocks(_ start: Int) -> Int? {
    var offset = start
    while let length = file.byte(offset) {
      offset += 1 + length
      if length == 0 { return offset }
    }
    return nil
  }
}
