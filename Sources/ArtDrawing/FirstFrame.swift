// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker

/// The first frame as a still file of the same kind, which is what is decoded. What comes after it is not looked at.
struct FirstFrame {
  let bytes: [UInt8]
  /// Pixels across and down that the loader must find in them.
  let width: Int
  let height: Int
  /// Where it lies on the picture's canvas, when the file made of it does not say.
  var left = 0
  var top = 0

  /// Throws `notAnImage` where the file ends in the middle of it, and `tooManyPixels` for one that is larger than its picture
  /// may be.
  static func of(_ bytes: [UInt8], _ header: PictureHeader, _ limits: PictureLimits) throws(Refusal)
    -> FirstFrame
  {
    let file = PictureBytes(bytes)
    let whole = FirstFrame(bytes: bytes, width: header.width, height: header.height)
    switch header.kind {
    case .png:
      try checkPNG(file, header)
      return whole
    case .jpeg:
      guard JPEGSegments.isWhole(file) else { throw .truncated(.jpeg) }
      return whole
    case .gif:
      return FirstFrame(bytes: try gif(file, limits), width: header.width, height: header.height)
    case .webp: return try webp(whole, file)
    case .avif: return avif(bytes, header)
    }
  }

  /// libpng takes what was decompressed until something was wrong, when that was at the end, or in an interlaced picture.
  private static func checkPNG(_ file: PictureBytes, _ header: PictureHeader) throws(Refusal) {
    var data: [UInt8] = []
    data.reserveCapacity(file.count)
    let isWhole = PNGChunks.each(file) { kind, part in if kind == "IDAT" { data += part.slice } }
    guard isWhole else { throw .truncated(.png) }
    guard let expected = PNGChunks.dataCount(file, header), cpixbuf_inflates(data, data.count, expected)
    else {
      throw .broken(.png, "its compressed data are damaged")
    }
  }

  /// Up to the end of the first frame, and an end mark.
  private static func gif(_ file: PictureBytes, _ limits: PictureLimits) throws(Refusal) -> [UInt8] {
    var frames = GIFFrames(file)
    guard let frame = frames.next() else { throw .truncated(.gif) }
    try limits.check(frame.width, frame.height)
    guard frame.width > 0, frame.height > 0,
      LZWLength.reaches(frame.width * frame.height, codeSize: frame.codeSize, frame.data)
    else { throw .broken(.gif, "pixels of its first frame are missing") }
    return Array(file.slice.prefix(frame.end)) + [0x3B]
  }

  /// A file that is as long as it says; of an animation the first frame, without the others and the canvas.
  private static func webp(_ whole: FirstFrame, _ file: PictureBytes) throws(Refusal)
    -> FirstFrame
  {
    guard let length = file.little(4, 4), let riff = file.part(8, length) else { throw .truncated(.webp) }
    var frames: [WebPFrame?] = []
    var isAnimation = false
    let isWhole = WebPChunks.each(riff.from(4)) {
      // Without it the frames are none.
      if $0.kind == "ANIM", $0.data.count >= 6 { isAnimation = true }
      if $0.kind == "ANMF", isAnimation { frames.append(WebPFrame($0.data, in: whole)) }
    }
    guard isWhole else { throw .truncated(.webp) }
    guard let first = WebPChunks.first(file), first.kind == "VP8X", (first.data.byte(0) ?? 0) & 0x02 != 0
    else {
      return whole
    }
    // Decoders of all frames want all of them to be there, and nothing behind them.
    guard file.count <= 9 + length, !frames.contains(where: { $0 == nil }), let frame = frames.first ?? nil
    else {
      throw .broken(.webp, "its frames are not what it says")
    }
    return FirstFrame(
      bytes: frame.still, width: frame.width, height: frame.height, left: frame.left, top: frame.top)
  }

  /// The loader takes no sequences; the picture that a sequence has for those who do not, either, is its primary item.
  private static func avif(_ bytes: [UInt8], _ header: PictureHeader) -> FirstFrame {
    var bytes = bytes
    if PictureBytes(bytes).has("avis", at: 8) { bytes.replaceSubrange(8..<12, with: "avif".utf8) }
    let turned = header.turned
    return FirstFrame(bytes: bytes, width: turned.width, height: turned.height)
  }
}

/// A frame of a WebP animation.
private struct WebPFrame {
  let left: Int
  let top: Int
  let width: Int
  let height: Int
  private let chunks: PictureBytes

  /// Nil for a frame that lies outside of the canvas, or has no picture of its size.
  init?(_ data: PictureBytes, in canvas: FirstFrame) {
    guard let left = data.little(0, 3), let top = data.little(3, 3), let across = data.little(6, 3),
      let down = data.little(9, 3), 2 * left + across < canvas.width, 2 * top + down < canvas.height
    else { return nil }
    (self.left, self.top, width, height) = (2 * left, 2 * top, across + 1, down + 1)
    chunks = data.from(16)
    var sizes: [(width: Int, height: Int)] = []
    let isWhole = WebPChunks.each(chunks) { if let size = WebPChunks.size($0) { sizes.append(size) } }
    guard isWhole, let size = sizes.first, size == (width, height) else { return nil }
  }

  /// A file of this picture alone: its alpha, and its data.
  var still: [UInt8] {
    let extended: [UInt8] = [0x10, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3)
    let body = Array("WEBPVP8X".utf8) + little(extended.count, 4) + extended + chunks.slice
    return Array("RIFF".utf8) + little(body.count, 4) + body
  }

  private func little(_ number: Int, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}

extension JPEGSegments {
  /// Whether the end mark stands behind a scan. libjpeg makes up what is missing, without an error.
  fileprivate static func isWhole(_ file: PictureBytes) -> Bool {
    var segments = JPEGSegments(file)
    var hasScan = false
    while let segment = segments.next() {
      if segment.marker == end { return hasScan }
      if segment.marker == scan { hasScan = true }
    }
    return false
  }
}

extension Refusal {
  fileprivate static func truncated(_ kind: PictureKind) -> Refusal {
    .broken(kind, "it ends in the middle")
  }
}
