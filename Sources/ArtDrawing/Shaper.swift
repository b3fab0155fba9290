// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics

/// Texts to glyphs by HarfBuzz, from one font file and nothing else of the machine.
final class Shaper {
  /// A glyph and how far it goes, in ems.
  struct Shaped {
    /// The glyph's number in the font; 0 is the one for what it lacks.
    var glyph: UInt32
    /// Where its characters begin: bytes of UTF-8 in the text.
    var cluster: Int
    /// To the right, from the pen.
    var x: Double
    /// Upwards, from the pen.
    var y: Double
    /// From the pen to where the next glyph's is.
    var advance: Double
  }

  /// `hb_font_t`.
  let font: OpaquePointer
  private let buffer: OpaquePointer
  private let unitsPerEm: Double
  private let file: FontFile

  /// Keeps the file. Throws `badFont` where it has no glyphs.
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
    // Not guessed, which would look at the environment.
    hb_buffer_set_direction(buffer, HB_DIRECTION_LTR)
    hb_buffer_set_script(buffer, HB_SCRIPT_COMMON)
    hb_buffer_set_language(buffer, hb_language_from_string("und", -1))
    // Joiners and selectors that are left over are nothing.
    hb_buffer_set_flags(buffer, HB_BUFFER_FLAG_REMOVE_DEFAULT_IGNORABLES)
    hb_shape(font, buffer, nil, 0)
    var count: UInt32 = 0
    let glyphs = UnsafeBufferPointer(start: hb_buffer_get_glyph_infos(buffer, &count), count: Int(count))
    let places = UnsafeBufferPointer(start: hb_buffer_get_glyph_positions(buffer, &count), count: Int(count))
    return zip(glyphs, places).map { glyph, place in
      Shaped(
        glyph: glyph.codepoint, cluster: Int(glyph.cluster), x: Double(place.x_offset) / unitsPerEm,
        y: Double(place.y_offset) / unitsPerEm, advance: Double(place.x_advance) / unitsPerEm)
    }
  }

  /// The PNG file that the font holds of a glyph; nil where it has none.
  func png(_ glyph: UInt32) -> [UInt8]? {
    guard let blob = hb_ot_color_glyph_reference_png(font, glyph) else { return nil }
    defer { hb_blob_destroy(blob) }
    var count: UInt32 = 0
    guard let data = hb_blob_get_data(blob, &count), count > 0 else { return nil }
    return Array(UnsafeRawBufferPointer(start: data, count: Int(count)))
  }
}
