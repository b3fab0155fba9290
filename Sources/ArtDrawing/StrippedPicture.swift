// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker

/// A picture stripped of its metadata, in a format that every browser supports, in colours of sRGB: no camera, location, profile,
/// text or thumbnail.
///
/// PNG and JPEG of sRGB keep their compressed data. A JPEG of other colours is converted, and compressed anew; of all else, the first frame
/// is converted to PNG. So no program that shows the file has to know colour profiles.
public struct StrippedPicture {
  /// `image/png` or `image/jpeg`.
  public let mediaType: String
  /// Width in pixels, before the orientation is applied.
  public let width: Int
  /// Height in pixels, before the orientation is applied.
  public let height: Int
  /// The orientation: 1 to 8 as in EXIF. The stripped file does not contain it.
  public let orientation: Int
  /// Whether it is a JPEG with four channels, as for printing.
  public let isFourColored: Bool

  private enum Content {
    case parts([PictureBytes])
    case pixels(DecodedPicture)
    case jpeg(DecodedPicture)
  }

  /// The quality of a JPEG that is compressed anew.
  private static let quality = 95

  private let content: Content

  /// Decodes the picture once, so that invalid data is not passed on. Throws `notAnImage` and `tooManyPixels`.
  public init(_ bytes: [UInt8], _ limits: PictureLimits) throws(Refusal) {
    let header = try PictureHeader(bytes)
    try limits.check(header.width, header.height)
    switch header.kind {
    case .png, .jpeg:
      let colors = PictureColors(bytes, header.kind)
      let reduction: Int32 = header.kind == .jpeg ? 8 : 1
      let hasOtherColors = try FirstFrame.of(bytes, header, limits).decode(
        header, colors, reduction: reduction)
      (width, height, orientation) = (header.width, header.height, header.orientation)
      mediaType = header.kind.mediaType
      if hasOtherColors {
        let picture = try DecodedPicture(bytes, scale: 1, limits)
        content = header.kind == .png ? .pixels(picture) : .jpeg(picture)
        isFourColored = false
        return
      }
      let file = PictureBytes(bytes)
      content = .parts(header.kind == .png ? Self.plainPNG(file) : JPEGSegments.plain(file))
      isFourColored = header.kind == .jpeg && JPEGSegments.isFourColored(file)
    case .gif, .webp, .avif:
      let picture = try DecodedPicture(bytes, scale: 1, limits)
      content = .pixels(picture)
      (width, height, orientation) = (picture.width, picture.height, picture.orientation)
      mediaType = PictureKind.png.mediaType
      isFourColored = false
    }
  }

  /// Calls `receive` with the bytes of the file in pieces. Throws `tooManyPixels` for lack of memory; the bytes
  /// are incomplete then.
  public func write(_ receive: @escaping (UnsafeRawBufferPointer) -> Void) throws(Refusal) {
    switch content {
    case .parts(let parts): for part in parts { part.slice.withUnsafeBytes(receive) }
    case .pixels(let picture): try picture.writePNG(receive)
    case .jpeg(let picture): try picture.writeJPEG(quality: Self.quality, receive)
    }
  }

  /// The chunks that are needed to decode the picture, and its transparency.
  private static func plainPNG(_ file: PictureBytes) -> [PictureBytes] {
    var parts = [file.part(0, 8)].compactMap(\.self)
    var offset = 8
    PNGChunks.each(file) { kind, data in
      let isKept = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"].contains(kind)
      if isKept, let chunk = file.part(offset, 12 + data.count) { parts.append(chunk) }
      offset += 12 + data.count
    }
    return parts
  }
}

// MARK: - Formats

extension JPEGSegments {
  fileprivate static func isFourColored(_ file: PictureBytes) -> Bool {
    var segments = JPEGSegments(file)
    while let segment = segments.next() {
      if segment.isFrame { return segment.data.byte(5) == 4 }
    }
    return false
  }

  /// The segments that are needed to decode the picture.
  fileprivate static func plain(_ file: PictureBytes) -> [PictureBytes] {
    var segments = JPEGSegments(file)
    var parts = [PictureBytes([0xFF, 0xD8])]
    while let segment = segments.next() {
      let marker: [UInt8] = [0xFF, UInt8(truncatingIfNeeded: segment.marker)]
      if segment.marker == end {
        parts.append(PictureBytes(marker))
        break
      }
      guard let data = segment.plain else { continue }
      let size = data.count + 2
      parts.append(
        PictureBytes(marker + [UInt8(truncatingIfNeeded: size >> 8), UInt8(truncatingIfNeeded: size)]))
      parts.append(data)
      if segment.marker == scan { parts.append(segments.scanData()) }
    }
    return parts
  }
}

extension JPEGSegments.Segment {
  /// The data; nil for comments and application data, except those of JFIF and Adobe, which define the colours.
  var plain: PictureBytes? {
    switch marker {
    case 0xE0:
      guard data.has("JFIF\0", at: 0), let head = data.part(0, 12) else { return nil }
      // Without the thumbnail.
      return PictureBytes(Array(head.slice) + [0, 0])
    case 0xEE: return data.has("Adobe", at: 0) ? data.part(0, 12) : nil
    // DHT, DAC, SOS, DQT, DNL, DRI.
    case 0xC4, 0xCC, JPEGSegments.scan, 0xDB, 0xDC, 0xDD: return data
    default: return isFrame ? data : nil
    }
  }
}

extension DecodedPicture {
  /// Calls `receive` with the bytes of a JPEG file, whose orientation is still to be applied. Throws `tooManyPixels` for lack of memory.
  fileprivate func writeJPEG(
    quality: Int, _ receive: (UnsafeRawBufferPointer) -> Void
  ) throws(Refusal) {
    do throws(DrawingRefusal) {
      try LossyWriter.writeJPEG(of: self, quality: quality, receive)
    } catch {
      throw Refusal(.tooManyPixels, error.detail)
    }
  }

  /// Calls `receive` with the bytes of a PNG file. Throws `tooManyPixels` for lack of memory.
  fileprivate func writePNG(_ receive: @escaping (UnsafeRawBufferPointer) -> Void) throws(Refusal) {
    let isWritten = withUnsafePointer(to: receive) { receive in
      writePNG(UnsafeMutableRawPointer(mutating: receive)) { bytes, count, context in
        let receive = context?.assumingMemoryBound(to: ((UnsafeRawBufferPointer) -> Void).self)
        receive?.pointee(UnsafeRawBufferPointer(start: bytes, count: count))
      }
    }
    guard isWritten else {
      throw Refusal(
        .tooManyPixels,
        "writing this picture of \(width) x \(height) pixels as PNG takes more memory than it may")
    }
  }
}
