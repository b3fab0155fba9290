// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker

/// A picture file without what it says of its maker: camera, place, times, names, texts, thumbnails, and whatever no decoder reads, such as
/// bytes behind the coded data.
///
/// The file has the same format and the same coded data. Its orientation and the transform of its colour profile stay, because they change how
/// it looks.
public enum AnonymousPicture {
  /// The bytes of the file. Throws `notAnImage` for an unsupported format or an invalid header.
  public static func bytes(of bytes: [UInt8]) throws(Refusal) -> [UInt8] {
    let header = try PictureHeader(bytes)
    let file = PictureBytes(bytes)
    switch header.kind {
    case .png: return png(file, header)
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

  /// The most bytes of a chunk that decoders read, for a colour type (11.2.1); nil for one of any size.
  private static func largest(_ kind: String, _ colours: Int?) -> Int? {
    let (isPalette, isGrey) = (colours == 3, colours == 0 || colours == 4)
    return switch kind {
    case "sRGB": 1
    case "gAMA", "cICP": 4
    case "cLLI", "acTL": 8
    case "pHYs": 9
    case "mDCV": 24
    case "fcTL": 26
    case "cHRM": 32
    case "sBIT": (isGrey ? 1 : 3) + (colours == 4 || colours == 6 ? 1 : 0)
    case "bKGD": isPalette ? 1 : isGrey ? 2 : 6
    case "tRNS": isPalette ? 256 : isGrey ? 2 : 6
    default: nil
    }
  }

  private static func png(_ file: PictureBytes, _ header: PictureHeader) -> [UInt8] {
    var result = Array(file.slice.prefix(8))
    var left = endOfData(file, header)
    var frames = PNGFrames()
    let colours = file.big(25, 1)
    PNGChunks.each(file) { kind, data in
      switch kind {
      // Decoders skip it.
      case _ where largest(kind, colours).map({ data.count > $0 }) ?? false: break
      case "iCCP":
        if let profile = iCCP(data) { result += chunk(kind, profile) }
      case "IDAT":
        // What follows the compressed data is read by no decoder.
        let used = min(left, data.count)
        left -= used
        if used > 0 || data.count == 0 { result += chunk(kind, data.slice.prefix(used)) }
      case "acTL", "fcTL", "fdAT":
        if frames.shows(kind, data) { result += chunk(kind, data.slice) }
      case let kind where chunks.contains(kind): result += chunk(kind, data.slice)
      default: break
      }
      if kind == "IDAT" { frames.isBeforeData = false }
      if kind == "IHDR", header.orientation != 1 { result += chunk("eXIf", Exif.bytes(header.orientation)) }
    }
    return result
  }

  /// The number of bytes in the IDAT chunks up to the end of the compressed data.
  private static func endOfData(_ file: PictureBytes, _ header: PictureHeader) -> Int {
    var data: [UInt8] = []
    PNGChunks.each(file) { kind, part in if kind == "IDAT" { data += part.slice } }
    let end = PNGChunks.dataCount(file, header).map { cpicture_inflates(data, data.count, $0) } ?? 0
    return end > 0 ? end : data.count
  }

  /// The data of an iCCP chunk (11.3.2.3). Nil for an invalid one.
  private static func iCCP(_ data: PictureBytes) -> [UInt8]? {
    guard let whole = ColorProfile.expanded(data, largest: largestProfile),
      let profile = ColorProfile.anonymous(whole)
    else { return nil }
    let room = profile.count + profile.count / 100 + 64
    let deflated = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      count = cpicture_deflate(profile, profile.count, buffer.baseAddress, room)
    }
    return Array("icc\0\0".utf8) + deflated
  }

  private static let largestProfile = 16 << 20

  private static func chunk(_ kind: String, _ data: some Collection<UInt8>) -> [UInt8] {
    let kindAndData = Array(kind.utf8) + data
    return big(data.count) + kindAndData + big(Int(cpicture_checksum(kindAndData, kindAndData.count)))
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
    let contents = JPEGContents(file)
    var profile = JPEGSegments.profile(file).flatMap { ColorProfile.anonymous($0) }
    while let next = segments.next() {
      if next.marker == JPEGSegments.end { return result + [0xFF, 0xD9] }
      if next.isProfile, let whole = profile.take() {
        let parts = stride(from: 0, to: whole.count, by: JPEGSegments.largestProfilePart).map {
          whole[$0...].prefix(JPEGSegments.largestProfilePart)
        }
        for (index, part) in parts.enumerated() {
          append(
            0xE2,
            Array("ICC_PROFILE\0".utf8) + [
              UInt8(truncatingIfNeeded: index + 1), UInt8(truncatingIfNeeded: parts.count),
            ]
              + part)
        }
      }
      guard let data = next.plain else { continue }
      if let tables = contents.usedTables(next) {
        if !tables.isEmpty { append(next.marker, tables) }
        continue
      }
      append(next.marker, data.slice)
      if next.marker == JPEGSegments.scan { result += segments.scanData().slice }
    }
    return result
  }

  private static func big(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static func little(_ number: Int) -> [UInt8] { big(number).reversed() }
}

/// The frames of an animated PNG file that are shown: as many as acTL says, which stands before the data (PNG, third edition, 11.3.6).
private struct PNGFrames {
  var isBeforeData = true
  private var count = 0
  private var seen = 0

  init() {}

  mutating func shows(_ kind: String, _ data: PictureBytes) -> Bool {
    switch kind {
    case "acTL":
      guard isBeforeData, count == 0 else { return false }
      count = data.big(0, 4) ?? 0
      return true
    case "fcTL":
      seen += 1
      return seen <= count
    default: return 0 < seen && seen <= count
    }
  }
}

/// The tables that the frame and the scans of a JPEG file refer to.
private struct JPEGContents {
  private let quantization: Set<Int>
  private let huffman: Set<Int>

  init(_ file: PictureBytes) {
    var (quantization, huffman): (Set<Int>, Set<Int>) = ([], [])
    var segments = JPEGSegments(file)
    while let next = segments.next(), next.marker != JPEGSegments.end {
      let data = next.data
      if next.isFrame {
        for component in 0..<(data.byte(5) ?? 0) {
          if let table = data.byte(8 + 3 * component) { quantization.insert(table) }
        }
      } else if next.marker == JPEGSegments.scan {
        for component in 0..<(data.byte(0) ?? 0) {
          guard let tables = data.byte(2 + 2 * component) else { continue }
          // A table for AC has a class of its own (ITU-T T.81, B.2.4.2).
          huffman.formUnion([tables >> 4, 0x10 | tables & 15])
        }
      }
    }
    (self.quantization, self.huffman) = (quantization, huffman)
  }

  /// The tables of a DQT or DHT segment that are used; nil for another segment, and for one that is not whole (B.2.4).
  func usedTables(_ segment: JPEGSegments.Segment) -> [UInt8]? {
    guard [0xC4, 0xDB].contains(segment.marker) else { return nil }
    var (left, used): (PictureBytes, [UInt8]) = (segment.data, [])
    while let head = left.byte(0) {
      let size: Int
      if segment.marker == 0xDB {
        size = head >> 4 == 0 ? 65 : 129
      } else {
        guard let counts = left.part(1, 16) else { return nil }
        size = counts.slice.reduce(17) { $0 + Int($1) }
      }
      guard let table = left.part(0, size) else { return nil }
      if segment.marker == 0xDB ? quantization.contains(head & 15) : huffman.contains(head) {
        used += table.slice
      }
      left = left.from(size)
    }
    return used
  }
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
    var profile: [UInt8]?
    WebPChunks.each(file.from(12)) { chunk in
      if chunk.kind == "ICCP" { profile = profile ?? ColorProfile.anonymous(chunk.data.slice) }
    }
    WebPChunks.each(file.from(12)) { chunk in
      switch chunk.kind {
      case "VP8X":
        // Of the flags those of the profile, transparency and animation stay.
        let kept: UInt8 = profile == nil ? 0x12 : 0x32
        var flags = chunk.data.slice
        if let first = flags.first { flags[flags.startIndex] = first & kept | (orientation == 1 ? 0 : 0x08) }
        append("VP8X", flags)
      case "ICCP": if let profile = profile.take() { append("ICCP", profile) }
      case "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF": append(chunk.kind, chunk.data.slice)
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
    let file = PictureBytes(bytes)
    var result = bytes
    var end = 0
    let items = itemsWithoutTracks(file)
    Box.each(file) { box in
      let range = box.data.slice.indices
      end = range.upperBound
      switch box.kind {
      // Of the whole file only these are needed (AVIF 1.1, 2 and 3).
      case "ftyp", "meta", "moov": break
      case "mdat":
        guard let items else { break }
        clear(range, in: &result)
        // Extents may overlap, and be many.
        var end = range.lowerBound
        for item in items.map({ $0.clamped(to: range) }).sorted(by: { $0.lowerBound < $1.lowerBound })
        where item.upperBound > end {
          let rest = max(item.lowerBound, end)..<item.upperBound
          result.replaceSubrange(rest, with: bytes[rest])
          end = item.upperBound
        }
      default: clear(range, in: &result)
      }
      return true
    }
    for range in descriptions(in: file, depth: 0) { clear(range, in: &result) }
    for range in profiles(in: file, depth: 0) {
      clear(range, in: &result)
      guard let profile = ColorProfile.anonymous(bytes[range]) else { continue }
      result.replaceSubrange(range.prefix(profile.count), with: profile)
    }
    return Array(result.prefix(end))
  }

  private static func clear(_ range: Range<Int>, in bytes: inout [UInt8]) {
    for index in range.clamped(to: bytes.indices) { bytes[index] = 0 }
  }

  /// The bytes of all items; nil if there are tracks, whose samples are elsewhere, or if not all items are found.
  private static func itemsWithoutTracks(_ file: PictureBytes) -> [Range<Int>]? {
    guard Box.first("moov", in: file) == nil, let meta = Box.first("meta", in: file)?.dropped(4),
      let places = Box.first("iloc", in: meta)
    else { return nil }
    let found = ItemPlaces(places, data: Box.first("idat", in: meta)).ranges(of: nil)
    return found.isWhole ? found.ranges : nil
  }

  /// The colour profiles, which are properties of items and of samples (ISO/IEC 14496-12, 12.1.5).
  private static func profiles(in boxes: PictureBytes, depth: Int) -> [Range<Int>] {
    guard depth < 10 else { return [] }
    var found: [Range<Int>] = []
    Box.each(boxes) { box in
      let content: PictureBytes?
      switch box.kind {
      case "colr":
        let isProfile = box.data.has("prof", at: 0) || box.data.has("rICC", at: 0)
        if isProfile, let profile = box.data.dropped(4) { found.append(profile.slice.indices) }
        content = nil
      case "iprp", "ipco", "moov", "trak", "mdia", "minf", "stbl": content = box.data
      case "meta": content = box.data.dropped(4)
      case "stsd": content = box.data.dropped(8)
      // The fields of a visual sample entry (12.1.3).
      case "av01": content = box.data.dropped(78)
      default: content = nil
      }
      if let content { found += profiles(in: content, depth: depth + 1) }
      return true
    }
    return found
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
    return ItemPlaces(places, data: Box.first("idat", in: meta)).ranges(of: described).ranges
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

    /// The bytes of the items of these ids, or of all, and whether the box has been read to its end.
    func ranges(of ids: Set<Int>?) -> (ranges: [Range<Int>], isWhole: Bool) {
      var places = self
      var found: [Range<Int>] = []
      var isWhole = true
      guard let version = box.byte(0), let sizes = places.next(2) else { return ([], false) }
      let (offsetSize, lengthSize, baseSize) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
      let indexSize = version == 0 ? 0 : sizes & 15
      guard let count = places.next(version < 2 ? 2 : 4) else { return ([], false) }
      for _ in 0..<count {
        guard let id = places.next(version < 2 ? 2 : 4), let method = places.next(version == 0 ? 0 : 2),
          places.next(2) != nil, let base = places.next(baseSize), let extents = places.next(2)
        else { return (found, false) }
        for _ in 0..<extents {
          guard places.next(indexSize) != nil, let from = places.next(offsetSize),
            let length = places.next(lengthSize)
          else { return (found, false) }
          guard ids?.contains(id) ?? true else { continue }
          let (begin, isTooFar) = base.addingReportingOverflow(from)
          // Without a length an extent has all that follows.
          guard !isTooFar, length > 0, let start = method & 15 == 0 ? 0 : dataStart else {
            isWhole = false
            continue
          }
          let (end, isTooLong) = (begin &+ start).addingReportingOverflow(length)
          if !isTooLong, begin &+ start <= end { found.append(begin &+ start..<end) } else { isWhole = false }
        }
      }
      return (found, isWhole)
    }
  }
}
