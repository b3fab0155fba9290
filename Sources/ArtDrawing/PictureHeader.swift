// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The header of a picture; nothing is decoded.
public struct PictureHeader: Sendable, Hashable {
  /// The format.
  public let kind: PictureKind
  /// Width in pixels as stored; for AVIF, of the clean aperture.
  public let width: Int
  /// Height in pixels, likewise.
  public let height: Int
  /// The orientation as in EXIF: 1 is as stored, 2 to 4 are mirrored or upside down, 5 to 8 swap the sides.
  public let orientation: Int
  /// Whether there are several frames.
  public let isAnimated: Bool
  /// Where the picture lies in the stored one, for AVIF; nil for a picture that is all of it.
  let aperture: CleanAperture?

  init(
    kind: PictureKind, width: Int, height: Int, orientation: Int = 1, isAnimated: Bool = false,
    aperture: CleanAperture? = nil
  ) {
    self.kind = kind
    self.width = width
    self.height = height
    self.orientation = orientation
    self.isAnimated = isAnimated
    self.aperture = aperture
  }

  /// Width and height with the orientation applied.
  public var turned: (width: Int, height: Int) {
    orientation > 4 ? (height, width) : (width, height)
  }

  /// Reads the header. Throws `notAnImage` for an unsupported format or an invalid header.
  public init(_ bytes: [UInt8]) throws(Refusal) {
    let file = PictureBytes(bytes)
    guard let kind = PictureKind(of: bytes) else { throw .notTaken(ForeignKind.name(file)) }
    let header: PictureHeader? =
      switch kind {
      case .png: .png(file)
      case .jpeg: .jpeg(file)
      case .gif: .gif(file)
      case .webp: .webp(file)
      case .avif: .avif(file)
      }
    guard let header, header.width > 0, header.height > 0 else {
      throw .broken(kind, "its header cannot be read")
    }
    self = header
  }
}

extension Refusal {
  /// The bytes are of an unsupported or unknown format.
  static func notTaken(_ name: String?) -> Refusal {
    let what = name.map { "this is \($0)" } ?? "this is no picture"
    return Refusal(.notAnImage, "\(what); PNG, JPEG, GIF, WebP and AVIF are accepted")
  }

  /// The bytes begin as that format, and are invalid.
  static func broken(_ kind: PictureKind, _ why: String) -> Refusal {
    Refusal(.notAnImage, "the \(kind.name) picture cannot be decoded: \(why)")
  }
}

// MARK: - AVIF
//
// https://aomediacodec.github.io/av1-avif/; HEIF: ISO/IEC 23008-12; boxes: ISO/IEC 14496-12, 4.2.

extension PictureHeader {
  static func avif(_ file: PictureBytes) -> PictureHeader? {
    guard let meta = Box.first("meta", in: file)?.dropped(4), let item = primaryItem(meta),
      let properties = Box.first("iprp", in: meta), let container = Box.first("ipco", in: properties)
    else { return nil }
    let wanted = associations(properties, of: item)
    var size: (width: Int, height: Int)?
    var aperture: PictureBytes?
    var angle = 0
    var axis: Int?
    var number = 0
    Box.each(container) { box in
      number += 1
      guard wanted.contains(number) else { return true }
      switch box.kind {
      case "ispe":
        if let width = box.data.big(4, 4), let height = box.data.big(8, 4) { size = (width, height) }
      case "clap": aperture = box.data
      case "irot": angle = (box.data.byte(0) ?? 0) & 3
      case "imir": axis = (box.data.byte(0) ?? 0) & 1
      default: break
      }
      return true
    }
    guard let size else { return nil }
    let isAnimated = file.brands.first == "avis" && hasFrames(file)
    let turn = orientation(angle, axis)
    guard let aperture else {
      return PictureHeader(
        kind: .avif, width: size.width, height: size.height, orientation: turn, isAnimated: isAnimated)
    }
    guard let clean = CleanAperture(aperture, of: size) else { return nil }
    return PictureHeader(
      kind: .avif, width: clean.width, height: clean.height, orientation: turn, isAnimated: isAnimated,
      aperture: clean)
  }

  /// The EXIF orientation of a rotation by quarter turns anticlockwise, followed by a mirroring: axis 0 swaps
  /// top and bottom, 1 left and right.
  static func orientation(_ angle: Int, _ axis: Int?) -> Int {
    switch axis {
    case 0: [4, 5, 2, 7][angle & 3]
    case 1: [2, 7, 4, 5][angle & 3]
    default: [1, 8, 3, 6][angle & 3]
    }
  }

  private static func primaryItem(_ meta: PictureBytes) -> Int? {
    guard let box = Box.first("pitm", in: meta), let version = box.byte(0) else { return nil }
    return box.big(4, version == 0 ? 2 : 4)
  }

  /// The indices of an item's properties, from 1.
  private static func associations(_ properties: PictureBytes, of item: Int) -> Set<Int> {
    var found: Set<Int> = []
    Box.each(properties) { box in
      guard box.kind == "ipma", let version = box.data.byte(0), let flags = box.data.byte(3),
        let entries = box.data.big(4, 4)
      else { return true }
      let itemSize = version == 0 ? 2 : 4
      let size = flags & 1 == 0 ? 1 : 2
      var offset = 8
      for _ in 0..<entries {
        guard let id = box.data.big(offset, itemSize), let count = box.data.byte(offset + itemSize) else {
          break
        }
        offset += itemSize + 1
        for _ in 0..<count {
          guard let number = box.data.big(offset, size) else { break }
          // The first bit marks an essential property.
          if id == item { found.insert(number & (size == 1 ? 0x7F : 0x7FFF)) }
          offset += size
        }
      }
      return true
    }
    return found
  }

  /// Whether a track has several samples.
  private static func hasFrames(_ file: PictureBytes) -> Bool {
    guard let movie = Box.first("moov", in: file) else { return false }
    var found = false
    Box.each(movie) { track in
      guard track.kind == "trak" else { return true }
      let path = ["mdia", "minf", "stbl", "stsz"]
      let sizes = path.reduce(track.data as PictureBytes?) { data, kind in
        data.flatMap { Box.first(kind, in: $0) }
      }
      found = found || (sizes?.big(8, 4) ?? 0) > 1
      return !found
    }
    return found
  }
}

/// The part of a stored picture that is shown (`clap`, ISO/IEC 14496-12, 12.1.4), rounded to whole pixels.
struct CleanAperture: Hashable {
  let left: Int
  let top: Int
  let width: Int
  let height: Int
  let storedWidth: Int
  let storedHeight: Int

  /// Nil for an invalid one: each of the four numbers is a fraction, and the offset is that of the centre.
  init?(_ box: PictureBytes, of size: (width: Int, height: Int)) {
    guard let across = Self.side(box, 0, of: size.width), let down = Self.side(box, 8, of: size.height),
      let left = Self.start(box, 16, across, of: size.width),
      let top = Self.start(box, 24, down, of: size.height)
    else { return nil }
    (self.left, self.top, width, height) = (left, top, across, down)
    (storedWidth, storedHeight) = (size.width, size.height)
  }

  private static func side(_ box: PictureBytes, _ offset: Int, of stored: Int) -> Int? {
    guard let numerator = box.big(offset, 4), let denominator = box.big(offset + 4, 4), denominator > 0 else {
      return nil
    }
    return min(stored, (2 * numerator + denominator) / (2 * denominator))
  }

  private static func start(_ box: PictureBytes, _ offset: Int, _ side: Int, of stored: Int) -> Int? {
    guard let numerator = box.big(offset, 4), let denominator = box.big(offset + 4, 4), denominator > 0 else {
      return nil
    }
    let shift = Double(Int32(truncatingIfNeeded: numerator)) / Double(denominator)
    return max(0, min(stored - side, Int(shift + Double(stored - side) / 2 + 0.5)))
  }
}

// MARK: - GIF
//
// GIF 89a: https://www.w3.org/Graphics/GIF/spec-gif89a.txt.

extension PictureHeader {
  static func gif(_ file: PictureBytes) -> PictureHeader? {
    guard let width = file.little(6, 2), let height = file.little(8, 2) else { return nil }
    var blocks = GIFFrames(file)
    let isAnimated = blocks.next() != nil && blocks.next() != nil
    return PictureHeader(kind: .gif, width: width, height: height, isAnimated: isAnimated)
  }
}

/// The frames of a GIF file.
struct GIFFrames {
  /// The offset of the first block.
  let start: Int
  private let file: PictureBytes
  private var offset: Int

  init(_ file: PictureBytes) {
    self.file = file
    start = 13 + Self.colours(file.byte(10))
    offset = start
  }

  /// The size of the next complete frame.
  mutating func next() -> (width: Int, height: Int)? {
    while let introducer = file.byte(offset) {
      switch introducer {
      case 0x2C: return frame()
      case 0x21:
        guard let end = endOfBlocks(offset + 2) else { return nil }
        offset = end
      // Some programs pad with zeros.
      case 0: offset += 1
      default: return nil
      }
    }
    return nil
  }

  private mutating func frame() -> (width: Int, height: Int)? {
    guard let width = file.little(offset + 5, 2), let height = file.little(offset + 7, 2),
      let end = endOfFrame(offset)
    else { return nil }
    offset = end
    return (width, height)
  }

  /// The offset behind a frame that begins there; nil where it is incomplete.
  func endOfFrame(_ frame: Int) -> Int? {
    endOfBlocks(frame + 10 + Self.colours(file.byte(frame + 9)) + 1)
  }

  /// The size in bytes of the colour table that the flags announce.
  private static func colours(_ flags: Int?) -> Int {
    guard let flags, flags & 0x80 != 0 else { return 0 }
    return 3 * (2 << (flags & 7))
  }

  /// The offset behind the blocks of data that begin there; nil where they are incomplete.
  func endOfBlocks(_ start: Int) -> Int? {
    var offset = start
    while let length = file.byte(offset) {
      offset += 1 + length
      if length == 0 { return offset }
    }
    return nil
  }
}

// MARK: - JPEG
//
// ITU-T T.81, annex B; EXIF: Exif 2.32, 4.7.2.

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
    /// The bytes after the length.
    let data: PictureBytes

    /// Whether the segment contains the size: SOF0 to SOF15, except DHT, JPG and DAC.
    var isFrame: Bool { (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker) }
  }

  private let file: PictureBytes
  private var offset = 2

  init(_ file: PictureBytes) { self.file = file }

  /// The next complete segment; skips the coded data of scans and stray bytes, as libjpeg does.
  mutating func next() -> Segment? {
    while let marker = nextMarker() {
      // Markers without a length: TEM, RST0 to RST7, SOI.
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

  /// The coded data after a scan's header, up to a marker other than RST.
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
      // A zero byte means that the FF is data.
      if marker != 0 { return marker }
    }
    return nil
  }
}

// MARK: - PNG
//
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
  /// Calls `body` with each complete chunk whose name consists of letters; returns whether the last one is
  /// IEND.
  @discardableResult
  static func each(_ file: PictureBytes, _ body: (String, PictureBytes) -> Void) -> Bool {
    var offset = 8
    // Length, kind, data, checksum.
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

  /// The size of the decompressed data: the rows of each pass, each with a filter byte (section 7.2). Nil for
  /// an invalid colour type.
  static func dataCount(_ file: PictureBytes, _ header: PictureHeader) -> Int? {
    guard let depth = file.byte(24), let colours = file.byte(25), let interlacing = file.byte(28),
      let samples = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colours], depth <= 16
    else { return nil }
    // The origin and the spacing of each pass (section 8.1).
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

// MARK: - WebP
//
// https://developers.google.com/speed/webp/docs/riff_container, RFC 9649; VP8: RFC 6386, 9.1.

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

  /// The first chunk, which may be incomplete.
  static func first(_ file: PictureBytes) -> Chunk? {
    guard let kind = file.fourLetters(12), let length = file.little(16, 4) else { return nil }
    let rest = file.from(20)
    return Chunk(kind: kind, data: rest.part(0, length) ?? rest)
  }

  /// Calls `body` with each complete chunk; returns whether the bytes end with one.
  @discardableResult
  static func each(_ chunks: PictureBytes, _ body: (Chunk) -> Void) -> Bool {
    var offset = 0
    while let kind = chunks.fourLetters(offset), let length = chunks.little(offset + 4, 4),
      let data = chunks.part(offset + 8, length)
    {
      body(Chunk(kind: kind, data: data))
      // Chunks are padded to an even length.
      offset += 8 + length + length % 2
    }
    return offset >= chunks.count
  }

  /// The size in the data of a picture chunk; nil for any other chunk.
  static func size(_ chunk: Chunk) -> (width: Int, height: Int)? {
    let data = chunk.data
    switch chunk.kind {
    case "VP8 ":
      guard data.has([0x9D, 0x01, 0x2A], at: 3), let width = data.little(6, 2), let height = data.little(8, 2)
      else { return nil }
      // The upper two bits request scaling, which no decoder does.
      return (width & 0x3FFF, height & 0x3FFF)
    case "VP8L":
      guard data.byte(0) == 0x2F, let sides = data.little(1, 4) else { return nil }
      return (sides & 0x3FFF + 1, sides >> 14 & 0x3FFF + 1)
    default: return nil
    }
  }
}

// MARK: - EXIF

/// The orientation in EXIF data: tag 0x0112 of the first directory (Exif 2.32, 4.6.4).
enum Exif {
  /// 1 to 8; 1 where it is missing or invalid.
  static func orientation(_ data: PictureBytes?) -> Int {
    guard var data else { return 1 }
    // The prefix is required in JPEG; some programs write it in other formats, too.
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
