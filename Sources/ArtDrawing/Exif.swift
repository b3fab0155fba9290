// SPDX-License-Identifier: Apache-2.0

/// The orientation in EXIF data: tag 0x0112 of the first directory (Exif 2.32, 4.6.4).
enum Exif {
  /// 1 to 8; 1 where there is none, or none that can be.
  static func orientation(_ data: PictureBytes?) -> Int {
    guard var data else { return 1 }
    // Written so in JPEG; some programs do it elsewhere, too.
    if data.has("Exif\0\0", at: 0) { data = data.from(6) }
    let isLittle = data.has("II*\0", at: 0)
    guard isLittle || data.has([0x4D, 0x4D, 0, 0x2A], at: 0) else { return 1 }
    func number(_ offset: Int, _ size: Int) -> Int? {
      isLittle ? data.little(offset, size) : data.big(offset, size)
    }
    guard let directory = number(4, 4), let count = number(directory, 2) else { return 1 }
    for entry in 0..<count {
      let offset = directory + 2 + 12 * entry
      guard let tag = number(offset, 2) else { return 1 }
      guard tag == 0x0112 else { continue }
      let isShort = number(offset + 2, 2) == 3 && number(offset + 4, 4) == 1
      guard isShort, let value = number(offset + 8, 2), (1...8).contains(value) else { return 1 }
      return value
    }
    return 1
  }
}
