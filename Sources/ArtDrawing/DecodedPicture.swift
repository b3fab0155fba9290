// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker
import Glibc

/// The decoded first frame of a picture in colours of sRGB, on a canvas of the picture's size.
public final class DecodedPicture {
  /// Width in pixels, before the orientation is applied.
  public let width: Int
  /// Height in pixels, before the orientation is applied.
  public let height: Int
  /// The orientation that is still to be applied: 1 to 8 as in EXIF.
  public let orientation: Int
  /// Bytes of a pixel: 3 (red, green, blue) or 4 (with alpha, not premultiplied).
  public let channels: Int
  /// Bytes from one row to the next.
  public let stride: Int

  /// Whether the numbers of the file are not colours of sRGB, and were converted.
  let hasOtherColors: Bool

  private var pixels: cpicture_pixels

  /// Decodes the picture. A `scale` below 1 makes both sides smaller, rounded up, during decoding or after it.
  /// Throws `notAnImage` and `tooManyPixels`. Call it only in a process with limits on memory and time.
  public init(_ bytes: [UInt8], scale: Double, _ limits: PictureLimits) throws(Refusal) {
    let header = try PictureHeader(bytes)
    try limits.check(header.width, header.height)
    let frame = try FirstFrame.of(bytes, header, limits)
    let size = Downscaling(width: header.width, height: header.height, scale: scale)
    pixels = cpicture_pixels()
    orientation = header.orientation
    var wasConverted = false
    do throws(Refusal) {
      let reduction = header.kind == .jpeg ? size.reduction : 1
      wasConverted = try frame.decode(
        header, PictureColors(bytes, header.kind), reduction: Int32(reduction), into: &pixels)
      guard frame.fit(&pixels, to: header) else { throw Refusal.outOfMemory(header) }
      guard size.shrink(&pixels, reducedBy: reduction) else { throw Refusal.outOfMemory(header) }
    } catch {
      cpicture_free(&pixels)
      (width, height, channels, stride, hasOtherColors) = (0, 0, 0, 0, false)
      throw error
    }
    (width, height) = (Int(pixels.width), Int(pixels.height))
    (channels, stride) = (Int(pixels.channels), pixels.stride)
    hasOtherColors = wasConverted
  }

  deinit { cpicture_free(&pixels) }

  /// Calls `body` with all rows; the last one may be shorter than `stride`.
  public func withPixels<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let count = stride * (height - 1) + channels * width
    return body(UnsafeRawBufferPointer(start: pixels.bytes, count: count))
  }
}

extension DecodedPicture {
  /// Calls `receive` with the bytes of a PNG file, and the context; returns whether all were passed.
  func writePNG(_ context: UnsafeMutableRawPointer, _ receive: @escaping cpicture_take) -> Bool {
    cpicture_write_png(&pixels, receive, context)
  }
}

// MARK: - Downscaling

/// Downscaling: by the decoder as far as it can, then by area averaging.
private struct Downscaling {
  let width: Int
  let height: Int
  /// The resulting size; at least 1.
  let across: Int
  let down: Int

  init(width: Int, height: Int, scale: Double) {
    (self.width, self.height) = (width, height)
    let scale = scale > 0 ? min(scale, 1) : scale.isNaN ? 1 : 0
    // The scale is itself rounded: a value just above an integer counts as that integer.
    func scaled(_ side: Int) -> Int { max(1, min(side, Int((Double(side) * scale - 1e-6).rounded(.up)))) }
    (across, down) = (scaled(width), scaled(height))
  }

  /// The factor by which libjpeg may reduce: 1, 2, 4 or 8.
  var reduction: Int {
    [8, 4, 2].first { (width + $0 - 1) / $0 >= across && (height + $0 - 1) / $0 >= down } ?? 1
  }

  /// False for lack of memory.
  func shrink(_ pixels: inout cpicture_pixels, reducedBy reduction: Int) -> Bool {
    let isDone = Int(pixels.width) == across && Int(pixels.height) == down
    // The last pixels of a reduced side may cover pixels beyond the picture.
    let isWhole = width % reduction == 0 && height % reduction == 0
    if isDone, isWhole { return true }
    return cpicture_shrink(
      &pixels, Double(width) / Double(reduction), Double(height) / Double(reduction), Int32(across),
      Int32(down)
    )
  }
}

// MARK: - The first frame

/// The first frame, as a file of the same format. Later frames are ignored.
struct FirstFrame {
  let bytes: [UInt8]
  /// The size that the decoder must find.
  let width: Int
  let height: Int
  /// The frame's position on the picture's canvas, where the file does not contain it. Negative where the canvas
  /// shows a part of the frame.
  var left = 0
  var top = 0

  /// Throws `notAnImage` where the file ends within the frame, and `tooManyPixels` for a frame beyond the
  /// limits.
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
      var frames = GIFFrames(file)
      guard let frame = frames.next() else { throw .truncated(.gif) }
      try limits.check(frame.width, frame.height)
      return whole
    case .webp: return try webp(whole, file)
    case .avif:
      guard let aperture = header.aperture else { return whole }
      try limits.check(aperture.storedWidth, aperture.storedHeight)
      return FirstFrame(
        bytes: bytes, width: aperture.storedWidth, height: aperture.storedHeight, left: -aperture.left,
        top: -aperture.top)
    }
  }

  /// libpng accepts damaged compressed data at the end, and in interlaced pictures.
  private static func checkPNG(_ file: PictureBytes, _ header: PictureHeader) throws(Refusal) {
    var data: [UInt8] = []
    data.reserveCapacity(file.count)
    let isWhole = PNGChunks.each(file) { kind, part in if kind == "IDAT" { data += part.slice } }
    guard isWhole else { throw .truncated(.png) }
    guard let expected = PNGChunks.dataCount(file, header),
      cpicture_inflates(data, data.count, expected) > 0
    else {
      throw .broken(.png, "its compressed data are damaged")
    }
  }

  /// The whole file, or the first frame of an animation without the others and the canvas.
  private static func webp(_ whole: FirstFrame, _ file: PictureBytes) throws(Refusal)
    -> FirstFrame
  {
    guard let length = file.little(4, 4), let riff = file.part(8, length) else { throw .truncated(.webp) }
    var frames: [WebPFrame?] = []
    var isAnimation = false
    let isWhole = WebPChunks.each(riff.from(4)) {
      // Without this chunk, frames are ignored.
      if $0.kind == "ANIM", $0.data.count >= 6 { isAnimation = true }
      if $0.kind == "ANMF", isAnimation { frames.append(WebPFrame($0.data, in: whole)) }
    }
    guard isWhole else { throw .truncated(.webp) }
    guard let first = WebPChunks.first(file), first.kind == "VP8X", (first.data.byte(0) ?? 0) & 0x02 != 0
    else {
      return whole
    }
    // Some decoders require all frames to be complete, and no data after them.
    guard file.count <= 9 + length, !frames.contains(where: { $0 == nil }), let frame = frames.first ?? nil
    else {
      throw .broken(.webp, "its frames are not what it says")
    }
    return FirstFrame(
      bytes: frame.still, width: frame.width, height: frame.height, left: frame.left, top: frame.top)
  }

  /// Makes the frame's pixels those of the picture: the part that is shown, or a canvas around them. False for
  /// lack of memory.
  fileprivate func fit(_ pixels: inout cpicture_pixels, to header: PictureHeader) -> Bool {
    guard (width, height) != (header.width, header.height) else { return true }
    let (across, down) = (Int32(header.width), Int32(header.height))
    return header.aperture != nil
      ? cpicture_crop(&pixels, Int32(-left), Int32(-top), across, down)
      : cpicture_place(&pixels, Int32(left), Int32(top), across, down)
  }
}

/// A frame of a WebP animation.
private struct WebPFrame {
  let left: Int
  let top: Int
  let width: Int
  let height: Int
  private let chunks: PictureBytes

  /// Nil for a frame beyond the canvas, or without a picture of its size.
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

  /// A file with this picture alone: its alpha and its data.
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
  /// Whether the end marker follows a scan. libjpeg fills in missing data without an error.
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

// MARK: - Other formats

/// Formats that are not supported, for error messages.
enum ForeignKind {
  private static let marks: [(offset: Int, mark: StaticString, name: String)] = [
    (0, "BM", "a BMP picture"), (0, "II*\0", "a TIFF picture"), (0, "MM\0*", "a TIFF picture"),
    (0, "8BPS", "a Photoshop document"), (0, "%PDF-", "a PDF document"), (0, "%!PS", "a PostScript document"),
    (0, "\0\0\u{1}\0", "an icon (ICO)"), (0, "\0\0\0\u{0C}JXL ", "a JPEG XL picture"),
    (0, "\0\0\0\u{0C}jP  ", "a JPEG 2000 picture"), (0, "qoif", "a QOI picture"),
    (0, "/* XPM", "an XPM picture"),
    (0, "PK\u{3}\u{4}", "a ZIP archive"), (0, "SQLite format 3\0", "an SQLite file"),
  ]

  /// The format, as the rest of "this is"; nil for an unknown one.
  static func name(_ file: PictureBytes) -> String? {
    if file.count == 0 { return "an empty file" }
    if file.has([0xFF, 0x0A], at: 0) { return "a JPEG XL picture" }
    if file.has([0x1F, 0x8B], at: 0) { return "compressed data (gzip)" }
    if let known = marks.first(where: { file.has($0.mark, at: $0.offset) }) { return known.name }
    if file.has("ftyp", at: 4) { return box(file.brands) }
    return text(file)
  }

  private static func box(_ brands: [String]) -> String {
    let isHEIC = brands.contains {
      ["heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"].contains($0)
    }
    return isHEIC ? "a HEIC picture" : "a film"
  }

  /// Texts begin with a tag, after a byte order mark and white space.
  private static func text(_ file: PictureBytes) -> String? {
    let start = file.slice.prefix(1024).drop { [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let text = String(decoding: start, as: UTF8.self).lowercased()
    guard text.hasPrefix("<") else { return nil }
    if text.hasPrefix("<svg") || text.contains("<svg") && text.hasPrefix("<?xml") { return "an SVG picture" }
    if text.hasPrefix("<!doctype svg") || text.hasPrefix("<!--") && text.contains("<svg") {
      return "an SVG picture"
    }
    if text.hasPrefix("<!doctype html") || text.hasPrefix("<html") || text.hasPrefix("<head") {
      return "a web page"
    }
    return text.contains("<html") ? "a web page" : "text"
  }
}

// MARK: - Decoders

/// The decoders of pictures. Those of AVIF are in a library that is opened at run time.
public enum PictureDecoders {
  /// Opens the decoders of these formats; this process can use no others afterwards, and refuses pictures of
  /// other formats as if their decoders were not installed. Call it at most once, before the first picture, in a
  /// process that is about to enter a sandbox.
  public static func prepare(_ kinds: [PictureKind]) {
    // The process uses the names until it ends.
    let names = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: kinds.count + 1)
    for (index, kind) in kinds.enumerated() { names[index] = strdup(kind.rawValue).map { UnsafePointer($0) } }
    cpicture_prepare(names, kinds.count)
  }
}

// MARK: - Bytes

/// A part of a file. Reads outside of it return nil; no offset overflows.
struct PictureBytes {
  private let bytes: [UInt8]
  private let range: Range<Int>

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    range = 0..<bytes.count
  }

  private init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    self.range = range
  }

  var count: Int { range.count }

  /// The part from an offset to the end; empty when the offset is outside.
  func from(_ offset: Int) -> PictureBytes {
    guard offset >= 0, offset <= count else { return PictureBytes([]) }
    return PictureBytes(bytes, range.lowerBound + offset..<range.upperBound)
  }

  /// A part of a given length; nil when it is incomplete.
  func part(_ offset: Int, _ length: Int) -> PictureBytes? {
    guard offset >= 0, length >= 0, offset <= count, length <= count - offset else { return nil }
    let start = range.lowerBound + offset
    return PictureBytes(bytes, start..<start + length)
  }

  /// The bytes of the part.
  var slice: ArraySlice<UInt8> { bytes[range] }

  func byte(_ offset: Int) -> Int? {
    guard offset >= 0, offset < count else { return nil }
    return Int(bytes[range.lowerBound + offset])
  }

  /// A big-endian number of up to seven bytes.
  func big(_ offset: Int, _ size: Int) -> Int? {
    guard let part = part(offset, size) else { return nil }
    return part.slice.reduce(0) { $0 << 8 | Int($1) }
  }

  /// A little-endian number of up to seven bytes.
  func little(_ offset: Int, _ size: Int) -> Int? {
    guard let part = part(offset, size) else { return nil }
    return part.slice.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  func has(_ expected: [UInt8], at offset: Int) -> Bool {
    part(offset, expected.count).map { $0.slice.elementsEqual(expected) } ?? false
  }

  func has(_ expected: StaticString, at offset: Int) -> Bool {
    expected.withUTF8Buffer { text in
      part(offset, text.count).map { $0.slice.elementsEqual(text) } ?? false
    }
  }

  /// A four-character code of a chunk or box; invalid UTF-8 is repaired, and matches no known code.
  func fourLetters(_ offset: Int) -> String? {
    part(offset, 4).map { String(decoding: $0.slice, as: UTF8.self) }
  }
}

// MARK: - Checking

/// Checks whether bytes are a picture that a document may contain: the header is within the limits, and the
/// first frame can be decoded.
public enum PictureCheck {
  /// The picture's format, its size with the orientation applied, and whether it has several frames. Throws
  /// `tooBig`, `tooManyPixels` and `notAnImage`. Call it only in a process with limits on memory and time,
  /// because the decoders are C.
  public static func run(_ bytes: [UInt8], _ limits: PictureLimits) throws(Refusal) -> (
    mediaType: String, size: Canvas, isAnimated: Bool
  ) {
    guard bytes.count <= limits.bytes else {
      throw Refusal(.tooBig, "the picture has \(bytes.count) bytes; at most \(limits.bytes) are accepted")
    }
    let header = try PictureHeader(bytes)
    try limits.check(header.width, header.height)
    try FirstFrame.of(bytes, header, limits).decode(header)
    let turned = header.turned
    let size: Canvas
    do {
      size = try Canvas(width: turned.width, height: turned.height)
    } catch {
      throw .tooManyPixels(turned.width, turned.height, limits)
    }
    return (header.kind.mediaType, size, header.isAnimated)
  }
}

extension FirstFrame {
  /// Decodes the frame, reduced by 1, 2, 4 or 8 if its decoder supports that. `pixels`, which the caller frees,
  /// is nil for a check. Returns whether `colors`, which pixels are converted from, are not those of sRGB. Throws `notAnImage` and
  /// `tooManyPixels`.
  @discardableResult
  func decode(
    _ header: PictureHeader, _ colors: PictureColors? = nil, reduction: Int32 = 1,
    into pixels: UnsafeMutablePointer<cpicture_pixels>? = nil
  ) throws(Refusal) -> Bool {
    guard let width = Int32(exactly: width), let height = Int32(exactly: height) else {
      throw .broken(header.kind, "its size cannot be")
    }
    let name = header.kind.rawValue
    let result =
      colors?.withDecoderForm { colors in
        cpicture_decode(name, bytes, bytes.count, width, height, reduction, colors, pixels)
      } ?? cpicture_decode(name, bytes, bytes.count, width, height, reduction, nil, pixels)
    switch result.status {
    case CPICTURE_DECODED: return result.has_other_colors
    case CPICTURE_NO_DECODER: throw .noDecoder(header.kind)
    case CPICTURE_NO_MEMORY: throw .outOfMemory(header)
    case CPICTURE_INCOMPLETE: throw .broken(header.kind, "some of its pixels are missing")
    case CPICTURE_OTHER_SIZE:
      throw .broken(
        header.kind, "it has \(result.width) x \(result.height) pixels and says \(width) x \(height)")
    default: throw .broken(header.kind, result.words)
    }
  }
}

extension PictureLimits {
  /// Throws `tooManyPixels`.
  func check(_ width: Int, _ height: Int) throws(Refusal) {
    let pixels = width.multipliedReportingOverflow(by: height)
    guard width <= side, height <= side, !pixels.overflow, pixels.partialValue <= self.pixels else {
      throw .tooManyPixels(width, height, self)
    }
  }
}

extension cpicture_result {
  fileprivate var words: String {
    withUnsafeBytes(of: message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

extension Refusal {
  fileprivate static func tooManyPixels(_ width: Int, _ height: Int, _ limits: PictureLimits) -> Refusal {
    Refusal(
      .tooManyPixels,
      "the picture has \(width) x \(height) pixels; at most \(limits.pixels) in all and \(limits.side) a side are accepted"
    )
  }

  static func outOfMemory(_ header: PictureHeader) -> Refusal {
    Refusal(
      .tooManyPixels,
      "decoding this \(header.kind.name) picture of \(header.width) x \(header.height) pixels takes more memory than it may"
    )
  }

  /// Transient: the library may be installed later.
  fileprivate static func noDecoder(_ kind: PictureKind) -> Refusal {
    let remedy = kind == .avif ? ": install libavif (the package libavif16; on Debian 12, libavif15)" : ""
    return Refusal(
      .notAnImage, "\(kind.name) pictures cannot be decoded here\(remedy)", isTransient: true)
  }
}
