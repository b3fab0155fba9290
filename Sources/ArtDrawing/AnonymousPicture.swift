// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A picture file without what it says of its maker: camera, place, times, names, texts, thumbnails, and whatever follows its end.
///
/// The file has the same format and the same coded data. Its colour profile and its orientation stay, because they change how it looks.
public enum AnonymousPicture {
  /// The bytes of the file. Throws `notAnImage` for an unsupported format or an invalid header.
  public static func bytes(of bytes: [UInt8]) throws(Refusal) -> [UInt8] {
    let header = try PictureHeader(bytes)
    let file = PictureBytes(bytes)
    switch header.kind {
    case .png: return png(file, header.orientation)
    case .jpeg: return jpeg(file, header.orientation)
    case .gif: return gif(file)
    case .webp: return webp(file, header.orientation)
    case .avif: return avif(bytes)
    }
  }
}

// MARK: - PNG, JPEG

extension AnonymousPicture {
  /// The chunks that define pixels, colours and frames (PNG, third edition, 11).
  private static let chunks: Set<String> = [
    "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "cLLI",
    "bKGD", "pHYs", "acTL", "fcTL", "fdAT",
  ]

  private static func png(_ file: PictureBytes, _ orientation: Int) -> [UInt8] {
    var result = Array(file.slice.prefix(8))
    var offset = 8
    PNGChunks.each(file) { kind, data in
      if chunks.contains(kind), let chunk = file.part(offset, 12 + data.count) { result += chunk.slice }
      if kind == "IHDR", orientation != 1 {
        let kindAndData = Array("eXIf".utf8) + Exif.bytes(orientation)
        result += big(kindAndData.count - 4) + kindAndData + big(Int(checksum(kindAndData)))
      }
      offset += 12 + data.count
    }
    return result
  }

  /// The segments that decoding needs, and the colour profile (ICC.1:2022, B.4).
  private static func jpeg(_ file: PictureBytes, _ orientation: Int) -> [UInt8] {
    var segments = JPEGSegments(file)
    var result: [UInt8] = [0xFF, 0xD8]
    func append(_ marker: Int, _ data: some Collection<UInt8>) {
      let size = data.count + 2
      result += [0xFF, UInt8(truncatingIfNeeded: marker)]
      result += [UInt8(truncatingIfNeeded: size >> 8), UInt8(truncatingIfNeeded: size)] + data
    }
    if orientation != 1 { append(0xE1, Array("Exif\0\0".utf8) + Exif.bytes(orientation)) }
    while let next = segments.next() {
      if next.marker == JPEGSegments.end { return result + [0xFF, 0xD9] }
      let isProfile = next.marker == 0xE2 && next.data.has("ICC_PROFILE\0", at: 0)
      guard let data = isProfile ? next.data : next.plain else { continue }
      append(next.marker, data.slice)
      if next.marker == JPEGSegments.scan { result += segments.scanData().slice }
    }
    return result
  }

  /// CRC-32 as in PNG, annex D.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 0 ? 0 : 0xEDB8_8320) }
    }
  }

  private static func big(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static func little(_ number: Int) -> [UInt8] { big(number).reversed() }
}

extension Exif {
  /// EXIF data with nothing but an orientation: one directory with one entry.
  fileprivate static func bytes(_ orientation: Int) -> [UInt8] {
    let entry: [UInt8] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(truncatingIfNeeded: orientation), 0, 0]
    return Array("MM".utf8) + [0, 0x2A, 0, 0, 0, 8, 0, 1] + entry + [0, 0, 0, 0]
  }
}

// MARK: - GIF, WebP

extension AnonymousPicture {
  /// Frames with their controls, and how often they are repeated.
  private static func gif(_ file: PictureBytes) -> [UInt8] {
    let blocks = GIFFrames(file)
    var offset = blocks.start
    var result = Array(file.slice.prefix(offset))
    while let introducer = file.byte(offset) {
      var end: Int?
      var isKept = false
      switch introducer {
      case 0x21:
        end = blocks.endOfBlocks(offset + 2)
        let label = file.byte(offset + 1)
        isKept = label == 0xF9 || label == 0xFF && file.has("NETSCAPE2.0", at: offset + 3)
      case 0x2C:
        end = blocks.endOfFrame(offset)
        isKept = true
      case 0: end = offset + 1
      default: break
      }
      guard let end, let block = file.part(offset, end - offset) else { break }
      if isKept { result += block.slice }
      offset = end
    }
    return result + [0x3B]
  }

  private static func webp(_ file: PictureBytes, _ orientation: Int) -> [UInt8] {
    var content: [UInt8] = []
    func append(_ kind: String, _ data: some Collection<UInt8>) {
      content += Array(kind.utf8) + little(data.count) + data + [UInt8](repeating: 0, count: data.count % 2)
    }
    WebPChunks.each(file.from(12)) { chunk in
      switch chunk.kind {
      case "VP8X":
        // Of the flags those of the profile, transparency and animation stay.
        var flags = chunk.data.slice
        if let first = flags.first { flags[flags.startIndex] = first & 0x32 | (orientation == 1 ? 0 : 0x08) }
        append("VP8X", flags)
      case "VP8 ", "VP8L", "ALPH", "ICCP", "ANIM", "ANMF": append(chunk.kind, chunk.data.slice)
      default: break
      }
    }
    if orientation != 1 { append("EXIF", Exif.bytes(orientation)) }
    return Array("RIFF".utf8) + little(content.count + 4) + Array("WEBP".utf8) + content
  }
}

// MARK: - AVIF

extension AnonymousPicture {
  /// The file with zeros in place of the items and boxes that describe it: the offsets of the others stay (ISO/IEC 14496-12, 8.11; ISO/IEC
  /// 23008-12, annex A).
  private static func avif(_ bytes: [UInt8]) -> [UInt8] {
    var result = bytes
    var end = 0
    Box.each(PictureBytes(bytes)) { box in
      end = box.data.slice.endIndex
      // Of the whole file only these are needed (AVIF 1.1, 2 and 3).
      if !["ftyp", "meta", "moov", "mdat"].contains(box.kind) {
        for index in box.data.slice.indices { result[index] = 0 }
      }
      return true
    }
    for range in descriptions(in: PictureBytes(bytes), depth: 0) {
      for index in range.clamped(to: result.indices) { result[index] = 0 }
    }
    return Array(result.prefix(end))
  }

  private static func descriptions(in boxes: PictureBytes, depth: Int) -> [Range<Int>] {
    guard depth < 4 else { return [] }
    var found: [Range<Int>] = []
    Box.each(boxes) { box in
      let data = box.data
      switch box.kind {
      case "udta", "uuid", "free", "skip": found.append(data.slice.indices)
      case "mvhd", "tkhd", "mdhd":
        // The times of creation and of the last change.
        let size = data.byte(0) == 1 ? 16 : 8
        if let times = data.part(4, size) { found.append(times.slice.indices) }
      case "meta":
        guard let meta = data.dropped(4) else { return true }
        found += items(in: meta) + descriptions(in: meta, depth: depth + 1)
      case "moov", "trak", "mdia": found += descriptions(in: data, depth: depth + 1)
      default: break
      }
      return true
    }
    return found
  }

  /// The bytes of the items that are EXIF, XMP or other text.
  private static func items(in meta: PictureBytes) -> [Range<Int>] {
    guard let infos = Box.first("iinf", in: meta), let version = infos.byte(0),
      let places = Box.first("iloc", in: meta)
    else { return [] }
    var described: Set<Int> = []
    Box.each(infos.from(version == 0 ? 6 : 8)) { box in
      guard box.kind == "infe", let version = box.data.byte(0), version >= 2 else { return true }
      let idSize = version == 2 ? 2 : 4
      if let id = box.data.big(4, idSize), let kind = box.data.fourLetters(6 + idSize),
        ["Exif", "mime", "uri "].contains(kind)
      {
        described.insert(id)
      }
      return true
    }
    return ItemPlaces(places, data: Box.first("idat", in: meta)).ranges(of: described)
  }

  /// The item location box (ISO/IEC 14496-12, 8.11.3).
  private struct ItemPlaces {
    private let box: PictureBytes
    /// Where the data of the item data box begins in the file.
    private let dataStart: Int?
    private var offset = 4

    init(_ box: PictureBytes, data: PictureBytes?) {
      self.box = box
      dataStart = data?.slice.startIndex
    }

    private mutating func next(_ size: Int) -> Int? {
      guard size > 0 else { return 0 }
      // A number of eight bytes whose first one is not zero exceeds any file.
      let number = size == 8 ? (box.byte(offset) == 0 ? box.big(offset + 1, 7) : nil) : box.big(offset, size)
      offset += size
      return number
    }

    func ranges(of ids: Set<Int>) -> [Range<Int>] {
      var places = self
      var found: [Range<Int>] = []
      guard let version = box.byte(0), let sizes = places.next(2) else { return [] }
      let (offsetSize, lengthSize, baseSize) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
      let indexSize = version == 0 ? 0 : sizes & 15
      guard let count = places.next(version < 2 ? 2 : 4) else { return [] }
      for _ in 0..<count {
        guard let id = places.next(version < 2 ? 2 : 4), let method = places.next(version == 0 ? 0 : 2),
          places.next(2) != nil, let base = places.next(baseSize), let extents = places.next(2)
        else { return found }
        for _ in 0..<extents {
          guard places.next(indexSize) != nil, let from = places.next(offsetSize),
            let length = places.next(lengthSize)
          else { return found }
          guard ids.contains(id), let start = method & 15 == 0 ? 0 : dataStart else { continue }
          let (begin, isTooFar) = base.addingReportingOverflow(from)
          let (end, isTooLong) = (begin &+ start).addingReportingOverflow(length)
          if !isTooFar, !isTooLong, begin &+ start <= end { found.append(begin &+ start..<end) }
        }
      }
      return found
    }
  }
}
