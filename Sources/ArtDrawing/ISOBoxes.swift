// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A box of ISO/IEC 14496-12: a size, a four-character code, and data, which may contain boxes.
struct Box {
  let kind: String
  let data: PictureBytes

  /// Calls `body` with each box until it returns false; stops at an incomplete one.
  static func each(_ boxes: PictureBytes, _ body: (Box) -> Bool) {
    var offset = 0
    while let size = boxes.big(offset, 4), let kind = boxes.fourLetters(offset + 4) {
      var header = 8
      var length = size
      if size == 1 {
        // A size with a non-zero first byte exceeds any file.
        guard boxes.byte(offset + 8) == 0, let large = boxes.big(offset + 9, 7) else { return }
        header = 16
        length = large
      } else if size == 0 {
        // Up to the end.
        length = boxes.count - offset
      }
      guard length >= header, let data = boxes.part(offset + header, length - header) else { return }
      guard body(Box(kind: kind, data: data)) else { return }
      offset += length
    }
  }

  /// The data of the first box of a kind.
  static func first(_ kind: String, in boxes: PictureBytes) -> PictureBytes? {
    var found: PictureBytes?
    each(boxes) { box in
      if box.kind == kind { found = box.data }
      return found == nil
    }
    return found
  }
}

extension PictureBytes {
  /// The brands of the first box, the major brand first; empty where it is not `ftyp`.
  var brands: [String] { PictureKind.brands(of: slice) }

  /// The part without its first bytes; nil when there are fewer.
  func dropped(_ count: Int) -> PictureBytes? { part(count, self.count - count) }
}
