// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import CGraphics
import Glibc

/// What is drawn of a label: a glyph of the font, or what stands for characters that the font has none for.
enum Glyph: Hashable {
  /// A glyph with a colour bitmap, by its number.
  case color(UInt32)
  /// A box with these code points in it.
  case missing([UInt32])
}

/// How a text is drawn. In ems, from the centre of the whole; y goes downwards.
struct GlyphLayout {
  /// A glyph's bitmap at its place.
  struct Placed {
    /// Which.
    var glyph: Glyph
    /// The left edge.
    var x: Double
    /// The top edge.
    var y: Double
    /// Across.
    var width: Double
    /// Down.
    var height: Double
  }

  /// The glyphs, left to right.
  var glyphs: [Placed]
  /// The whole, across.
  var width: Double
  /// The whole, down.
  var height: Double
  /// Where the glyphs' baseline is.
  var baseline: Double
  /// Whether the font lacks something of it.
  var isLacking: Bool
}

/// A font with colour emoji: how texts are drawn with it, and the glyphs' pixels.
final class ColorFont {
  let shaper: Shaper
  private let strike: GlyphStrike
  private var layouts: [EmojiText: GlyphLayout] = [:]

  /// Pixels of an em in the glyphs' bitmaps.
  var pixelsPerEm: Double { strike.pixelsPerEm }
  /// An ordinary glyph's box, across, in ems.
  var boxWidth: Double { Double(strike.ordinary.width) / pixelsPerEm }
  /// An ordinary glyph's box, down, in ems.
  var boxHeight: Double { Double(strike.ordinary.height) / pixelsPerEm }

  /// Reads the font at a path. Throws `noFont` and `badFont`.
  convenience init(path: String?) throws(DrawingRefusal) { try self.init(FontFile(path)) }

  /// Reads a font that was opened. Throws `badFont`.
  init(_ file: FontFile) throws(DrawingRefusal) {
    strike = try GlyphStrike(file)
    shaper = try Shaper(file)
  }

  /// How a text is drawn: its glyphs side by side on one baseline, the whole box's centre where the label is.
  func layout(_ text: EmojiText) -> GlyphLayout {
    if let known = layouts[text] { return known }
    // As many as a large document has; a stranger's may have a million.
    if layouts.count >= 1 << 16 { layouts.removeAll() }
    let result = centered(pieces(text.string))
    layouts[text] = result
    return result
  }

  /// A glyph's pixels, not kept. Throws `noMemory` and `badFont`.
  func bitmap(_ glyph: Glyph) throws(DrawingRefusal) -> PixelBuffer {
    let box = strike.ordinary
    switch glyph {
    case .color(let number): return try strike.bitmap(number)
    case .missing(let scalars):
      return try MissingBox(scalars: scalars, width: box.width, height: box.height).bitmap()
    }
  }

  /// The PNG file that the font holds of a glyph; nil where it has none.
  func png(_ glyph: UInt32) -> [UInt8]? { shaper.png(glyph) }

  /// A glyph's box in the bitmaps' pixels, from the text's beginning on the baseline; y goes downwards.
  private struct Piece {
    var glyph: Glyph
    var left: Double
    var top: Double
    var width: Double
    var height: Double
  }

  private func pieces(_ text: String) -> [Piece] {
    let shaped = shaper.shape(text)
    // Joiners and selectors alone, which a document may hold, too, are not to vanish from it.
    guard !shaped.isEmpty else { return [missing(text.unicodeScalars.map(\.value), at: 0)] }
    var result: [Piece] = []
    var pen = 0.0
    var index = 0
    while index < shaped.count {
      // Glyphs of the same characters: where one is lacking, one box stands for all.
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

  /// The scalars between two bytes of a text, to its end where there is no second.
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
      isLacking: pieces.contains {
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

/// A font's file, mapped into memory.
final class FontFile {
  /// Bytes that a font may have.
  static let limit = 1 << 28
  /// What it holds.
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

/// A font that was opened before anything is drawn, or why that was not possible, which is said when it is needed.
public struct OpenFont {
  private let opened: Result<FontFile, DrawingRefusal>
  /// Whether a path was given.
  let isNamed: Bool

  /// Opens the font at that path, and maps it into memory; nothing of it is read.
  public init(path: String?) {
    isNamed = path != nil
    opened = Result { () throws(DrawingRefusal) in try FontFile(path) }
  }

  /// The font's file. Throws `noFont` and `badFont`.
  func file() throws(DrawingRefusal) -> FontFile { try opened.get() }
}

extension DrawingRefusal {
  /// It has no colour glyphs as bitmaps.
  static func badFont(_ path: String) -> DrawingRefusal {
    DrawingRefusal(
      .badFont,
      "\(path) is no font with colour emoji as bitmaps, as Noto Color Emoji is (package fonts-noto-color-emoji)"
    )
  }

  /// One of its bitmaps cannot be decoded.
  static func brokenGlyph(_ glyph: UInt32, of path: String) -> DrawingRefusal {
    DrawingRefusal(
      .badFont,
      "the font \(path) is damaged: the bitmap of its glyph \(glyph) cannot be decoded; install it again (package fonts-noto-color-emoji)"
    )
  }
}

/// The colour bitmaps of a font, of its largest size, by FreeType.
final class GlyphStrike {
  /// Where a glyph's bitmap lies, in its own pixels.
  struct Extent: Hashable {
    /// From the pen to its left edge.
    var left: Int
    /// From the baseline up to its top edge.
    var top: Int
    /// Across.
    var width: Int
    /// Down.
    var height: Int
  }

  /// Pixels that a bitmap's side may have.
  static let sides = 1...2048

  private let library: FT_Library
  private let face: FT_Face
  private let file: FontFile
  /// Pixels of an em.
  let pixelsPerEm: Double
  /// An ordinary glyph's bitmap.
  let ordinary: Extent

  /// Keeps the file. Throws `badFont` where it has no colour bitmaps.
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
    // The strike's line is as high as its bitmaps; the ascender is rounded down to whole pixels.
    let top = Int(face.pointee.size.pointee.metrics.ascender >> 6)
    ordinary = Extent(left: 0, top: top, width: width, height: height)
  }

  deinit { FT_Done_FreeType(library) }

  /// The largest size of a font with colours, and its number.
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

  /// Where a glyph's bitmap lies; nil where it has none in colours. Nothing is decoded.
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

  /// The pixels of a glyph that has an extent. Throws `noMemory`, and `badFont` where its bitmap is broken: a picture without it
  /// would look whole.
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

  /// FreeType says the same of a broken bitmap as of too little memory for decoding it. Throws `noMemory` where that is it.
  private func broken(_ glyph: UInt32) throws(DrawingRefusal) -> DrawingRefusal {
    // Twice what a sound one takes is free.
    let side = 2 * max(ordinary.width, ordinary.height)
    _ = try PixelBuffer(width: side, height: side)
    return .brokenGlyph(glyph, of: file.path)
  }
}

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
