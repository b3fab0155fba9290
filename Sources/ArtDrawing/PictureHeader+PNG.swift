// SPDX-License-Identifier: Apache-2.0

// PNG, third edition: https://www.w3.org/TR/png-3/.

extension PictureHeader {
  static func png(_ file: PictureBytes) -> PictureHeader? {
    guard file.big(8, 4) == 13, file.has("IHDR", at: 12), let width = file.big(16, 4),
      let height = file.big(20, 4)
    else { return nil }
    var orientation: Int?
    var frames = 0
    var isBeforeData = true
    PNGChunks.each(file) { kind, data in
      switch kind {
      case "IDAT": isBeforeData = false
      case "acTL": if isBeforeData { frames = data.big(0, 4) ?? 0 }
      case "eXIf": orientation = orientation ?? Exif.orientation(data)
      default: break
      }
    }
    return PictureHeader(
      kind: .png, width: width, height: height, orientation: orientation ?? 1, isAnimated: frames > 1)
  }
}

/// The chunks of a PNG file.
enum PNGChunks {
  /// Calls for each chunk that is all there and has letters for a name, up to the last one; whether that is the end chunk.
  @discardableResult
  static func each(_ file: PictureBytes, _ body: (String, PictureBytes) -> Void) -> Bool {
    var offset = 8
    // Length, kind, data, sum.
    while let length = file.big(offset, 4), let kind = file.fourLetters(offset + 4),
      kind.utf8.allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) }), let data = file.part(offset + 8, length),
      file.part(offset + 8 + length, 4) != nil
    {
      body(kind, data)
      if kind == "IEND" { return true }
      offset += 12 + length
    }
    return false
  }

  /// How many bytes the compressed data stand for: the rows of each pass, and a byte before each (section 7.2). Nil for colours that
  /// cannot be.
  static func dataCount(_ file: PictureBytes, _ header: PictureHeader) -> Int? {
    guard let depth = file.byte(24), let colours = file.byte(25), let interlacing = file.byte(28),
      let samples = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colours], depth <= 16
    else { return nil }
    // Where a pass begins, and how far apart its pixels are (section 8.1).
    let passes: [(left: Int, top: Int, across: Int, down: Int)] =
      interlacing == 0
      ? [(0, 0, 1, 1)]
      : [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    return passes.reduce(0) { sum, pass in
      let width = (header.width - pass.left + pass.across - 1) / pass.across
      let height = (header.height - pass.top + pass.down - 1) / pass.down
      return width > 0 && height > 0 ? sum + height * (1 + (width * samples * depth + 7) / 8) : sum
    }
  }
}
