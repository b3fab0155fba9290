// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import CGraphics
import Glibc

/// What is drawn for a character: a glyph of the font, or a box where the font has none.
enum Glyph: Hashable {
  /// A glyph with a colour bitmap, by its number.
  case color(UInt32)
  /// A box with these code points.
  case missing([UInt32])
}

/// The layout of a text, in ems from the centre of its box; y points downwards.
struct GlyphLayout {
  /// A glyph with its position.
  struct Placed {
    /// The glyph.
    var glyph: Glyph
    /// The left edge.
    var x: Double
    /// The top edge.
    var y: Double
    /// The width.
    var width: Double
    /// The height.
    var height: Double
  }

  /// The glyphs, left to right.
  var glyphs: [Placed]
  /// The width of the text.
  var width: Double
  /// The height of the text.
  var height: Double
  /// The y coordinate of the baseline.
  var baseline: Double
  /// Whether the font lacks a glyph of the text.
  var hasMissingGlyphs: Bool
}

/// A font with colour emoji: layouts of texts, and bitmaps of glyphs.
final class ColorFont {
  let shaper: Shaper
  private let strike: GlyphStrike
  private var layouts: [EmojiText: GlyphLayout] = [:]

  /// The size of an em in the bitmaps, in pixels.
  var pixelsPerEm: Double { strike.pixelsPerEm }
  /// The width of an ordinary glyph's box, in ems.
  var boxWidth: Double { Double(strike.ordinary.width) / pixelsPerEm }
  /// The height of an ordinary glyph's box, in ems.
  var boxHeight: Double { Double(strike.ordinary.height) / pixelsPerEm }

  /// Opens and reads the font at a path. Throws `noFont` and `badFont`.
  convenience init(path: String?) throws(DrawingRefusal) { try self.init(FontFile(path)) }

  /// Reads a font file. Throws `badFont`.
  init(_ file: FontFile) throws(DrawingRefusal) {
    strike = try GlyphStrike(file)
    shaper = try Shaper(file)
  }

  /// The layout of a text: its glyphs on one baseline, with the centre of their box at the label's position.
  func layout(_ text: EmojiText) -> GlyphLayout {
    if let known = layouts[text] { return known }
    // Enough for a large document; an untrusted one may have a million texts.
    if layouts.count >= 1 << 16 { layouts.removeAll() }
    let result = centered(pieces(text.string))
    layouts[text] = result
    return result
  }

  /// The pixels of a glyph; not cached. Throws `noMemory` and `badFont`.
  func bitmap(_ glyph: Glyph) throws(DrawingRefusal) -> PixelBuffer {
    let box = strike.ordinary
    switch glyph {
    case .color(let number): return try strike.bitmap(number)
    case .missing(let scalars):
      return try TofuBox(scalars: scalars, width: box.width, height: box.height).bitmap()
    }
  }

  /// The glyph's PNG file in the font; nil where there is none.
  func png(_ glyph: UInt32) -> [UInt8]? { shaper.png(glyph) }

  /// A glyph's box in pixels of the bitmaps, from the start of the text on the baseline; y points downwards.
  private struct Piece {
    var glyph: Glyph
    var left: Double
    var top: Double
    var width: Double
    var height: Double
  }

  private func pieces(_ text: String) -> [Piece] {
    let shaped = shaper.shape(text)
    // A document may contain joiners and selectors alone; they must stay visible.
    guard !shaped.isEmpty else { return [missing(text.unicodeScalars.map(\.value), at: 0)] }
    var result: [Piece] = []
    var pen = 0.0
    var index = 0
    while index < shaped.count {
      // The glyphs of one cluster; if one of them is missing, one box replaces all.
      let cluster = shaped[index].cluster
      let end = shaped[index...].firstIndex { $0.cluster != cluster } ?? shaped.count
      let glyphs = shaped[index..<end]
      let scalars = Self.scalars(of: text, from: cluster, to: end < shaped.count ? shaped[end].cluster : nil)
      let isBlank = scalars.allSatisfy(\.properties.isWhitespace)
      let extents = glyphs.map { $0.glyph == 0 ? nil : strike.extent($0.glyph) }
      if isBlank || !extents.contains(where: { $0 == nil }) {
        for (glyph, extent) in zip(glyphs, extents) {
          if let extent { result.append(piece(.color(glyph.glyph), extent, glyph, pen)) }
          pen += glyph.advance * pixelsPerEm
        }
      } else {
        let piece = missing(scalars.map(\.value), at: pen)
        result.append(piece)
        pen += piece.width
      }
      index = end
    }
    return result
  }

  private func missing(_ scalars: [UInt32], at pen: Double) -> Piece {
    let box = strike.ordinary
    return Piece(
      glyph: .missing(scalars), left: pen, top: -Double(box.top), width: Double(box.width),
      height: Double(box.height))
  }

  private func piece(_ glyph: Glyph, _ extent: GlyphStrike.Extent, _ shaped: Shaper.Shaped, _ pen: Double)
    -> Piece
  {
    Piece(
      glyph: glyph, left: pen + shaped.x * pixelsPerEm + Double(extent.left),
      top: -shaped.y * pixelsPerEm - Double(extent.top), width: Double(extent.width),
      height: Double(extent.height))
  }

  /// The scalars between two byte offsets of a text; to its end where the second is nil.
  private static func scalars(of text: String, from start: Int, to end: Int?) -> [Unicode.Scalar] {
    var offset = 0
    var result: [Unicode.Scalar] = []
    for scalar in text.unicodeScalars {
      if offset >= start, end.map({ offset < $0 }) ?? true { result.append(scalar) }
      offset += UTF8.width(scalar)
    }
    return result
  }

  private func centered(_ pieces: [Piece]) -> GlyphLayout {
    let left = pieces.map(\.left).min() ?? 0
    let right = pieces.map { $0.left + $0.width }.max() ?? 0
    let top = pieces.map(\.top).min() ?? 0
    let bottom = pieces.map { $0.top + $0.height }.max() ?? 0
    let (middle, center) = ((left + right) / 2, (top + bottom) / 2)
    let em = pixelsPerEm
    return GlyphLayout(
      glyphs: pieces.map {
        GlyphLayout.Placed(
          glyph: $0.glyph, x: ($0.left - middle) / em, y: ($0.top - center) / em, width: $0.width / em,
          height: $0.height / em)
      },
      width: (right - left) / em, height: (bottom - top) / em, baseline: -center / em,
      hasMissingGlyphs: pieces.contains {
        if case .missing = $0.glyph { true } else { false }
      })
  }
}

extension UTF8 {
  fileprivate static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case ..<0x80: 1
    case ..<0x800: 2
    case ..<0x10000: 3
    default: 4
    }
  }
}

// MARK: - The file

/// A font file, mapped into memory.
final class FontFile {
  /// The size limit in bytes.
  static let limit = 1 << 28
  /// The bytes of the file.
  let bytes: UnsafeRawBufferPointer
  /// Its path.
  let path: String

  /// Throws `noFont` and `badFont`.
  init(_ path: String?) throws(DrawingRefusal) {
    guard let path else { throw .noFont() }
    self.path = path
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw .noFont(at: path, SystemError.text(of: errno)) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      (1...Self.limit).contains(status.st_size)
    else { throw .badFont(path) }
    let size = status.st_size
    guard let memory = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0), memory != MAP_FAILED else {
      throw .noMemory
    }
    bytes = UnsafeRawBufferPointer(start: memory, count: size)
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}

/// The result of opening a font early; an error is thrown when the font is needed.
public struct OpenFont {
  private let opened: Result<FontFile, DrawingRefusal>
  /// Whether a path was given.
  let isNamed: Bool

  /// Opens the font at a path and maps it into memory, without reading it.
  public init(path: String?) {
    isNamed = path != nil
    opened = Result { () throws(DrawingRefusal) in try FontFile(path) }
  }

  /// The font file. Throws `noFont` and `badFont`.
  func file() throws(DrawingRefusal) -> FontFile { try opened.get() }
}

// MARK: - Errors

extension DrawingRefusal {
  /// The font has no colour bitmaps.
  static func badFont(_ path: String) -> DrawingRefusal {
    DrawingRefusal(
      .badFont,
      "\(path) is no font with colour emoji as bitmaps, as Noto Color Emoji is (package fonts-noto-color-emoji)"
    )
  }

  /// A bitmap of the font cannot be decoded.
  static func brokenGlyph(_ glyph: UInt32, of path: String) -> DrawingRefusal {
    DrawingRefusal(
      .badFont,
      "the font \(path) is damaged: the bitmap of its glyph \(glyph) cannot be decoded; install it again (package fonts-noto-color-emoji)"
    )
  }
}

// MARK: - FreeType

/// The largest colour bitmaps of a font, read by FreeType.
final class GlyphStrike {
  /// The position and size of a glyph's bitmap, in its own pixels.
  struct Extent: Hashable {
    /// From the pen to the left edge.
    var left: Int
    /// From the baseline up to the top edge.
    var top: Int
    /// The width.
    var width: Int
    /// The height.
    var height: Int
  }

  /// The valid sizes of a bitmap's side, in pixels.
  static let sides = 1...2048

  private let library: FT_Library
  private let face: FT_Face
  private let file: FontFile
  /// The size of an em in pixels.
  let pixelsPerEm: Double
  /// The extent of an ordinary glyph's bitmap.
  let ordinary: Extent

  /// Keeps the file alive. Throws `badFont` where it has no colour bitmaps.
  init(_ file: FontFile) throws(DrawingRefusal) {
    self.file = file
    var library: FT_Library?
    guard FT_Init_FreeType(&library) == 0, let library else { throw .noMemory }
    var face: FT_Face?
    let start = file.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    guard FT_New_Memory_Face(library, start, file.bytes.count, 0, &face) == 0, let face,
      let (index, size) = Self.largest(face), FT_Select_Size(face, index) == 0
    else {
      FT_Done_FreeType(library)
      throw .badFont(file.path)
    }
    self.library = library
    self.face = face
    pixelsPerEm = Double(size.y_ppem) / 64
    let (width, height) = (Int(size.width), Int(size.height))
    // The line of the strike is as high as its bitmaps; the ascender is rounded down to whole pixels.
    let top = Int(face.pointee.size.pointee.metrics.ascender >> 6)
    ordinary = Extent(left: 0, top: top, width: width, height: height)
  }

  deinit { FT_Done_FreeType(library) }

  /// The largest strike of a font with colours, and its index.
  private static func largest(_ face: FT_Face) -> (index: Int32, size: FT_Bitmap_Size)? {
    let font = face.pointee
    guard font.face_flags & FT_Long(FT_FACE_FLAG_COLOR) != 0, let sizes = font.available_sizes else {
      return nil
    }
    let all = UnsafeBufferPointer(start: sizes, count: Int(font.num_fixed_sizes))
    let usable = all.indices.filter { index in
      let size = all[index]
      return sides.contains(Int(size.width)) && sides.contains(Int(size.height))
        && sides.contains(Int(size.y_ppem >> 6))
    }
    return usable.max { all[$0].y_ppem < all[$1].y_ppem }.map { (Int32(clamping: $0), all[$0]) }
  }

  /// The extent of a glyph's bitmap, without decoding it; nil where it has none in colours.
  func extent(_ glyph: UInt32) -> Extent? {
    let flags = Int32(FT_LOAD_COLOR) | Int32(FT_LOAD_BITMAP_METRICS_ONLY)
    guard FT_Load_Glyph(face, glyph, flags) == 0 else { return nil }
    return loadedExtent
  }

  private var loadedExtent: Extent? {
    let slot = face.pointee.glyph.pointee
    let (width, height) = (Int(slot.bitmap.width), Int(slot.bitmap.rows))
    guard slot.format == FT_GLYPH_FORMAT_BITMAP,
      UInt32(slot.bitmap.pixel_mode) == FT_PIXEL_MODE_BGRA.rawValue,
      Self.sides.contains(width), Self.sides.contains(height), abs(slot.bitmap_left) <= 4096,
      abs(slot.bitmap_top) <= 4096
    else { return nil }
    return Extent(left: Int(slot.bitmap_left), top: Int(slot.bitmap_top), width: width, height: height)
  }

  /// The pixels of a glyph that has an extent. Throws `noMemory`, and `badFont` where the bitmap is damaged:
  /// leaving it out would go unnoticed.
  func bitmap(_ glyph: UInt32) throws(DrawingRefusal) -> PixelBuffer {
    guard FT_Load_Glyph(face, glyph, Int32(FT_LOAD_COLOR)) == 0, let extent = loadedExtent else {
      throw try broken(glyph)
    }
    let bitmap = face.pointee.glyph.pointee.bitmap
    guard let start = bitmap.buffer, Int(bitmap.pitch) >= 4 * extent.width else { throw try broken(glyph) }
    let result = try PixelBuffer(width: extent.width, height: extent.height)
    for row in 0..<extent.height {
      (result.pixels + row * result.stride).update(
        from: start + row * Int(bitmap.pitch), count: result.stride)
    }
    return result
  }

  /// FreeType reports a damaged bitmap and a lack of memory alike. Throws `noMemory` where memory is short.
  private func broken(_ glyph: UInt32) throws(DrawingRefusal) -> DrawingRefusal {
    // Twice what an intact bitmap needs can be allocated.
    let side = 2 * max(ordinary.width, ordinary.height)
    _ = try PixelBuffer(width: side, height: side)
    return .brokenGlyph(glyph, of: file.path)
  }
}

// MARK: - HarfBuzz

/// Converts texts to glyphs with HarfBuzz, from one font file only.
final class Shaper {
  /// A glyph with its position, in ems.
  struct Shaped {
    /// The glyph's number in the font; 0 for a missing glyph.
    var glyph: UInt32
    /// The byte offset of its first character in the text.
    var cluster: Int
    /// To the right of the pen.
    var x: Double
    /// Above the pen.
    var y: Double
    /// The distance to the pen of the next glyph.
    var advance: Double
  }

  /// `hb_font_t`.
  let font: OpaquePointer
  private let buffer: OpaquePointer
  private let unitsPerEm: Double
  private let file: FontFile

  /// Keeps the file alive. Throws `badFont` where it has no glyphs.
  init(_ file: FontFile) throws(DrawingRefusal) {
    self.file = file
    let start = file.bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    let blob = hb_blob_create(start, UInt32(clamping: file.bytes.count), HB_MEMORY_MODE_READONLY, nil, nil)
    let face = hb_face_create(blob, 0)
    font = hb_font_create(face)
    buffer = hb_buffer_create()
    unitsPerEm = Double(hb_face_get_upem(face))
    let glyphs = hb_face_get_glyph_count(face)
    hb_face_destroy(face)
    hb_blob_destroy(blob)
    guard glyphs > 0, unitsPerEm > 0 else { throw .badFont(file.path) }
  }

  deinit {
    hb_buffer_destroy(buffer)
    hb_font_destroy(font)
  }

  /// The glyphs of a text, left to right.
  func shape(_ text: String) -> [Shaped] {
    hb_buffer_clear_contents(buffer)
    var copy = text
    copy.withUTF8 { bytes in
      let start = bytes.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }
      let count = Int32(clamping: bytes.count)
      hb_buffer_add_utf8(buffer, start, count, 0, count)
    }
    // Guessing the segment properties would read the environment.
    hb_buffer_set_direction(buffer, HB_DIRECTION_LTR)
    hb_buffer_set_script(buffer, HB_SCRIPT_COMMON)
    hb_buffer_set_language(buffer, hb_language_from_string("und", -1))
    // Joiners and selectors without a glyph are removed.
    hb_buffer_set_flags(buffer, HB_BUFFER_FLAG_REMOVE_DEFAULT_IGNORABLES)
    hb_shape(font, buffer, nil, 0)
    var count: UInt32 = 0
    let glyphs = UnsafeBufferPointer(start: hb_buffer_get_glyph_infos(buffer, &count), count: Int(count))
    let positions = UnsafeBufferPointer(
      start: hb_buffer_get_glyph_positions(buffer, &count), count: Int(count))
    return zip(glyphs, positions).map { glyph, position in
      Shaped(
        glyph: glyph.codepoint, cluster: Int(glyph.cluster), x: Double(position.x_offset) / unitsPerEm,
        y: Double(position.y_offset) / unitsPerEm, advance: Double(position.x_advance) / unitsPerEm)
    }
  }

  /// The glyph's PNG file in the font; nil where there is none.
  func png(_ glyph: UInt32) -> [UInt8]? {
    guard let blob = hb_ot_color_glyph_reference_png(font, glyph) else { return nil }
    defer { hb_blob_destroy(blob) }
    var count: UInt32 = 0
    guard let data = hb_blob_get_data(blob, &count), count > 0 else { return nil }
    return Array(UnsafeRawBufferPointer(start: data, count: Int(count)))
  }
}
