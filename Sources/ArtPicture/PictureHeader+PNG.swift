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
  /// Calls for each chunk that is all there, up to the last one; whether that is the end chunk.
  @discardableResult
  static func each(_ file: PictureBytes, _ body: (String, PictureBytes) -> Void) -> Bool {
    var offset = 8
    // Length, kind, data, sum.
    while let length = file.big(offset, 4), let kind = file.fourLetters(offset + 4),
      let data = file.part(offset + 8, length), file.part(offset + 8 + length, 4) != nil
    {
      body(kind, data)
      if kind == "IEND" { return true }
      offset += 12 + length
    }
    return false
  }
}
