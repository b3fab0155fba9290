// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The first frame as a still file of the same kind, which is what is decoded. What comes after it is not looked at.
struct FirstFrame {
  let bytes: [UInt8]
  /// Pixels across and down that the loader must find in them.
  let width: Int
  let height: Int

  /// Throws `notAnImage` where the file ends in the middle of it, and `tooManyPixels` for one that is larger than its picture
  /// may be.
  static func of(_ bytes: [UInt8], _ header: PictureHeader, _ limits: PictureLimits) throws(Refusal)
    -> FirstFrame
  {
    let file = PictureBytes(bytes)
    let whole = FirstFrame(bytes: bytes, width: header.width, height: header.height)
    switch header.kind {
    case .png:
      guard PNGChunks.each(file, { _, _ in }) else { throw .truncated(.png) }
      return whole
    case .jpeg:
      guard JPEGSegments.isWhole(file) else { throw .truncated(.jpeg) }
      return whole
    case .gif:
      return FirstFrame(bytes: try gif(file, limits), width: header.width, height: header.height)
    case .webp: return try webp(whole, file, limits)
    case .avif: return avif(bytes, header)
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
  private static func webp(_ whole: FirstFrame, _ file: PictureBytes, _ limits: PictureLimits) throws(Refusal)
    -> FirstFrame
  {
    guard let length = file.little(4, 4), let riff = file.part(8, length) else { throw .truncated(.webp) }
    guard let first = WebPChunks.first(file), first.kind == "VP8X", (first.data.byte(0) ?? 0) & 0x02 != 0
    else {
      return whole
    }
    var frame: PictureBytes?
    WebPChunks.each(riff.from(4)) { if $0.kind == "ANMF" { frame = frame ?? $0.data } }
    guard let frame, let across = frame.little(6, 3), let down = frame.little(9, 3) else {
      throw .truncated(.webp)
    }
    let (width, height) = (across + 1, down + 1)
    try limits.check(width, height)
    return FirstFrame(bytes: WebPChunks.still(frame.from(16), width, height), width: width, height: height)
  }

  /// The loader takes no sequences; the picture that a sequence has for those who do not, either, is its primary item.
  private static func avif(_ bytes: [UInt8], _ header: PictureHeader) -> FirstFrame {
    var bytes = bytes
    if PictureBytes(bytes).has("avis", at: 8) { bytes.replaceSubrange(8..<12, with: "avif".utf8) }
    let turned = header.turned
    return FirstFrame(bytes: bytes, width: turned.width, height: turned.height)
  }
}

extension WebPChunks {
  /// A file of one picture from the chunks of a frame: its alpha, and its data.
  fileprivate static func still(_ frame: PictureBytes, _ width: Int, _ height: Int) -> [UInt8] {
    let extended: [UInt8] = [0x10, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3)
    let body = Array("WEBPVP8X".utf8) + little(extended.count, 4) + extended + frame.slice
    return Array("RIFF".utf8) + little(body.count, 4) + body
  }

  private static func little(_ number: Int, _ size: Int) -> [UInt8] {
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
  fileprivate static func truncated(_ kind: PictureHeader.Kind) -> Refusal {
    .broken(kind, "it ends in the middle")
  }
}
