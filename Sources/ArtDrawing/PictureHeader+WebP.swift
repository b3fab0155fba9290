// SPDX-License-Identifier: Apache-2.0

// WebP: https://developers.google.com/speed/webp/docs/riff_container, RFC 9649; VP8: RFC 6386, 9.1.

extension PictureHeader {
  static func webp(_ file: PictureBytes) -> PictureHeader? {
    guard let first = WebPChunks.first(file) else { return nil }
    guard first.kind == "VP8X" else {
      return WebPChunks.size(first).map { PictureHeader(kind: .webp, width: $0.width, height: $0.height) }
    }
    guard let flags = first.data.byte(0), let width = first.data.little(4, 3),
      let height = first.data.little(7, 3)
    else { return nil }
    var frames = 0
    var orientation: Int?
    WebPChunks.each(file.from(12)) { chunk in
      if chunk.kind == "ANMF" { frames += 1 }
      if chunk.kind == "EXIF", flags & 0x08 != 0 { orientation = orientation ?? Exif.orientation(chunk.data) }
    }
    return PictureHeader(
      kind: .webp, width: width + 1, height: height + 1, orientation: orientation ?? 1,
      isAnimated: flags & 0x02 != 0 && frames > 1)
  }
}

/// The chunks of a WebP file.
enum WebPChunks {
  struct Chunk {
    let kind: String
    let data: PictureBytes
  }

  /// The first one, of which less may be there than it says.
  static func first(_ file: PictureBytes) -> Chunk? {
    guard let kind = file.fourLetters(12), let length = file.little(16, 4) else { return nil }
    let rest = file.from(20)
    return Chunk(kind: kind, data: rest.part(0, length) ?? rest)
  }

  /// Calls for each chunk that is all there; whether the bytes end with one.
  @discardableResult
  static func each(_ chunks: PictureBytes, _ body: (Chunk) -> Void) -> Bool {
    var offset = 0
    while let kind = chunks.fourLetters(offset), let length = chunks.little(offset + 4, 4),
      let data = chunks.part(offset + 8, length)
    {
      body(Chunk(kind: kind, data: data))
      // Filled up to an even number.
      offset += 8 + length + length % 2
    }
    return offset >= chunks.count
  }

  /// The size in the data of one picture; nil for what is no such chunk.
  static func size(_ chunk: Chunk) -> (width: Int, height: Int)? {
    let data = chunk.data
    switch chunk.kind {
    case "VP8 ":
      guard data.has([0x9D, 0x01, 0x2A], at: 3), let width = data.little(6, 2), let height = data.little(8, 2)
      else { return nil }
      // The upper two bits ask for scaling, which nobody does.
      return (width & 0x3FFF, height & 0x3FFF)
    case "VP8L":
      guard data.byte(0) == 0x2F, let sides = data.little(1, 4) else { return nil }
      return (sides & 0x3FFF + 1, sides >> 14 & 0x3FFF + 1)
    default: return nil
    }
  }
}
