// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics

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
  let unitsPerEm: Double
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

  /// The name of the font's family; empty where it has none.
  var family: String {
    var bytes = [CChar](repeating: 0, count: 64)
    var count = UInt32(bytes.count)
    // Name 1 is the family's.
    hb_ot_name_get_utf8(
      hb_font_get_face(font), 1, hb_language_from_string("en", -1), &count, &bytes)
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether the font has a table of that name.
  func hasTable(_ name: StaticString) -> Bool {
    let blob = hb_face_reference_table(
      hb_font_get_face(font), name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } })
    defer { hb_blob_destroy(blob) }
    return hb_blob_get_length(blob) > 0
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
