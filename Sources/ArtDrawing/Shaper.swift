// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics

/// A font of HarfBuzz, from one file.
final class HarfBuzzFont {
  /// `hb_font_t`.
  let font: OpaquePointer
  let unitsPerEm: Double
  /// The file must live as long as the font.
  let file: FontFile

  /// Nil for a file without glyphs.
  init?(_ file: FontFile) {
    self.file = file
    let start = file.bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    let blob = hb_blob_create(start, UInt32(clamping: file.bytes.count), HB_MEMORY_MODE_READONLY, nil, nil)
    let face = hb_face_create(blob, 0)
    unitsPerEm = Double(hb_face_get_upem(face))
    let hasGlyphs = hb_face_get_glyph_count(face) > 0 && unitsPerEm > 0
    let made = hb_font_create(face)
    hb_face_destroy(face)
    hb_blob_destroy(blob)
    guard hasGlyphs, let made else {
      hb_font_destroy(made)
      return nil
    }
    font = made
  }

  deinit { hb_font_destroy(font) }
}

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

  private let opened: HarfBuzzFont
  private let buffer: OpaquePointer
  /// `hb_font_t`.
  var font: OpaquePointer { opened.font }
  var unitsPerEm: Double { opened.unitsPerEm }

  /// Keeps the file alive. Throws `badFont` where it has no glyphs.
  init(_ file: FontFile) throws(DrawingRefusal) {
    guard let opened = HarfBuzzFont(file) else { throw .badFont(file.path) }
    self.opened = opened
    buffer = hb_buffer_create()
  }

  deinit { hb_buffer_destroy(buffer) }

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

  /// The name of the font's family; empty where it has none.
  var family: String {
    var bytes = [CChar](repeating: 0, count: 64)
    var count = UInt32(bytes.count)
    // Name 1 is the family's.
    hb_ot_name_get_utf8(
      hb_font_get_face(font), 1, hb_language_from_string("en", -1), &count, &bytes)
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The bytes of a table; empty where the font has none of that name.
  func table(_ name: StaticString) -> [UInt8] {
    let tag = name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    let blob = hb_face_reference_table(hb_font_get_face(font), tag)
    defer { hb_blob_destroy(blob) }
    var count: UInt32 = 0
    guard let data = hb_blob_get_data(blob, &count) else { return [] }
    return Array(UnsafeRawBufferPointer(start: data, count: Int(count)))
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
