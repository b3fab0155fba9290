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

  /// The code points that a box shows: without those that only join others or select their look, unless there are no others.
  static func shownScalars(of text: some Sequence<Unicode.Scalar>) -> [UInt32] {
    let all = text.map(\.value)
    let shown = all.filter { $0 != 0x200D && $0 != 0xFE0F }
    return shown.isEmpty ? all : shown
  }
}

/// A font with colour emoji: the bitmaps of its glyphs.
final class ColorFont {
  let shaper: Shaper
  let strike: GlyphStrike

  /// The size of an em in the bitmaps, in pixels.
  var pixelsPerEm: Double { strike.pixelsPerEm }
  /// The width of an ordinary glyph's box, in ems.
  var boxWidth: Double { Double(strike.ordinary.width) / pixelsPerEm }
  /// The height of an ordinary glyph's box, in ems.
  var boxHeight: Double { Double(strike.ordinary.height) / pixelsPerEm }

  /// Reads a font file. Throws `badFont`.
  init(_ file: FontFile) throws(DrawingRefusal) {
    strike = try GlyphStrike(file)
    shaper = try Shaper(file)
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

  /// Whether a glyph stands for a flag that the font does not have: it is the one of a flag that there will never be. ISO 3166 gives AA to no
  /// country, and no region has the code zzzz.
  func isStandIn(_ glyph: UInt32, for scalars: [Unicode.Scalar]) -> Bool {
    guard scalars.count > 1 else { return false }
    let unknown: String
    if (0x1F1E6...0x1F1FF).contains(scalars[0].value) {
      unknown = "🇦🇦"
    } else if scalars.contains(where: { (0xE0020...0xE007F).contains($0.value) }) {
      unknown = "\(scalars[0])\u{E007A}\u{E007A}\u{E007A}\u{E007A}\u{E007F}"
    } else {
      return false
    }
    let glyphs = shape(unknown)
    return glyphs.count == 1 && glyphs[0].glyph == glyph
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
