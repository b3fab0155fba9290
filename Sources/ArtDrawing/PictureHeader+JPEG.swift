// SPDX-License-Identifier: Apache-2.0

// JPEG: ITU-T T.81, annex B; EXIF in it: Exif 2.32, 4.7.2.

extension PictureHeader {
  static func jpeg(_ file: PictureBytes) -> PictureHeader? {
    var segments = JPEGSegments(file)
    var size: (width: Int, height: Int)?
    var orientation: Int?
    while let segment = segments.next(), segment.marker != JPEGSegments.scan {
      if segment.isFrame, size == nil {
        guard let height = segment.data.big(1, 2), let width = segment.data.big(3, 2) else { return nil }
        size = (width, height)
      }
      if segment.marker == 0xE1, segment.data.has("Exif\0\0", at: 0) {
        orientation = orientation ?? Exif.orientation(segment.data)
      }
    }
    guard let size else { return nil }
    return PictureHeader(kind: .jpeg, width: size.width, height: size.height, orientation: orientation ?? 1)
  }
}

/// The segments of a JPEG file.
struct JPEGSegments {
  static let end = 0xD9
  static let scan = 0xDA

  struct Segment {
    let marker: Int
    /// After the length.
    let data: PictureBytes

    /// Whether it tells the size: SOF0 to SOF15, without DHT, JPG and DAC, which lie among them.
    var isFrame: Bool { (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker) }
  }

  private let file: PictureBytes
  private var offset = 2

  init(_ file: PictureBytes) { self.file = file }

  /// The next segment that is all there; the coded data of a scan, and what does not belong there, is passed over, as libjpeg does.
  mutating func next() -> Segment? {
    while let marker = nextMarker() {
      // Without a length: TEM, RST0 to RST7, SOI.
      if marker == 0x01 || (0xD0...0xD8).contains(marker) { continue }
      if marker == Self.end { return Segment(marker: marker, data: PictureBytes([])) }
      guard let length = file.big(offset, 2), length >= 2, let data = file.part(offset + 2, length - 2) else {
        return nil
      }
      offset += length
      return Segment(marker: marker, data: data)
    }
    return nil
  }

  /// The coded data behind a scan's header, up to what is a marker and none of a restart.
  mutating func scanData() -> PictureBytes {
    let start = offset
    while let byte = file.byte(offset) {
      if byte == 0xFF, let marker = file.byte(offset + 1), marker != 0, !(0xD0...0xD7).contains(marker) {
        break
      }
      offset += 1
    }
    return file.part(start, offset - start) ?? PictureBytes([])
  }

  private mutating func nextMarker() -> Int? {
    while let byte = file.byte(offset) {
      offset += 1
      guard byte == 0xFF else { continue }
      while file.byte(offset) == 0xFF { offset += 1 }
      guard let marker = file.byte(offset) else { return nil }
      offset += 1
      // A zero means that the FF before it is data.
      if marker != 0 { return marker }
    }
    return nil
  }
}
