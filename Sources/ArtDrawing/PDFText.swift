// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics
import Glibc

/// Shows the text of a label on a page of a PDF file, so that it can be searched, copied and read aloud.
struct PDFText {
  /// The sizes in points of letters that are text. Cairo draws larger ones as shapes, with too few bits for their places.
  private static let sizes = 0.05...5_000.0
  /// How far from the origin they may be, in points.
  private static let reach = 1e6

  let fonts: PDFFonts
  let cairo: OpaquePointer?
  /// From ems to the page.
  let map: Affine

  /// Whether all of a layout can be text.
  func fits(_ layout: GlyphLayout) -> Bool {
    let box = map.bounds(
      x: -layout.width / 2, y: -layout.height / 2, width: layout.width, height: layout.height)
    guard Self.sizes.contains(abs(map.a * map.d - map.b * map.c).squareRoot()),
      box.x > -Self.reach, box.y > -Self.reach, box.x + box.width < Self.reach,
      box.y + box.height < Self.reach
    else { return false }
    return layout.runs.allSatisfy { run in
      guard case .letters(let letters) = run else { return true }
      return fonts.face(letters) != nil
    }
  }

  /// Shows letters.
  func show(_ run: LetterRun, _ ink: Color) {
    let glyphs = run.glyphs.map { cairo_glyph_t(index: UInt($0.number), x: $0.x, y: $0.y) }
    let clusters = run.clusters.map {
      cairo_text_cluster_t(num_bytes: Int32(clamping: $0.bytes), num_glyphs: Int32(clamping: $0.glyphs))
    }
    ink.set(on: cairo)
    show(run.text, fonts.face(run), map, glyphs, clusters)
  }

  /// Writes the characters of an emoji into its box, without ink.
  func show(_ characters: String, in box: GlyphLayout.Placed) {
    guard !characters.isEmpty, box.width > 0, box.height > 0 else { return }
    let map = Self.near(Affine(a: box.width, b: 0, c: 0, d: box.height, e: box.x, f: box.y).then(map))
    let glyph = cairo_glyph_t(index: fonts.blank(for: characters), x: 0, y: 0)
    let cluster = cairo_text_cluster_t(num_bytes: Int32(clamping: characters.utf8.count), num_glyphs: 1)
    cairo_set_source_rgba(cairo, 0, 0, 0, BlankFont.alpha)
    show(characters, fonts.blankFace, map, [glyph], [cluster])
  }

  /// A map of the em of the font without ink that covers nearly what a map of the unit square does, unmirrored. Each size and direction is a font
  /// in Cairo's memory: so there are 4 sizes in an octave, and 24 directions.
  private static func near(_ map: Affine) -> Affine {
    let size = exp2((log2(abs(map.a * map.d - map.b * map.c).squareRoot()) * 4).rounded() / 4)
    let angle = (atan2(-map.c, map.d) / .pi * 12).rounded() * .pi / 12
    let (across, down) = (size * cos(angle), size * sin(angle))
    let center = map.map(Outline.Point(x: 0.5, y: 0.5))
    let (x, y) = (0.5, 0.5 - BlankFont.ascent)
    return Affine(
      a: across, b: down, c: -down, d: across, e: center.x - across * x + down * y,
      f: center.y - down * x - across * y)
  }

  private func show(
    _ text: String, _ face: OpaquePointer?, _ map: Affine, _ glyphs: [cairo_glyph_t],
    _ clusters: [cairo_text_cluster_t]
  ) {
    guard let face else { return }
    var matrix = cairo_matrix_t(xx: map.a, yx: map.b, xy: map.c, yy: map.d, x0: map.e, y0: map.f)
    cairo_save(cairo)
    cairo_set_matrix(cairo, &matrix)
    cairo_set_font_face(cairo, face)
    cairo_set_font_size(cairo, 1)
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        cairo_show_text_glyphs(
          cairo, $0.baseAddress, Int32(clamping: $0.count), glyphs, Int32(clamping: glyphs.count), clusters,
          Int32(clamping: clusters.count),
          cairo_text_cluster_flags_t(0))
      }
    }
    cairo_restore(cairo)
  }
}

// MARK: - Fonts

/// The fonts that a PDF file embeds: those of letters, and one without ink.
final class PDFFonts {
  /// With their files, so that no other file gets the address of one.
  private var faces: [ObjectIdentifier: (file: FontFile, font: EmbeddedFont?)] = [:]
  private var numbers: [String: UInt] = [:]
  private lazy var blankFont = EmbeddedFont(BlankFont.bytes)

  /// The font of some letters; nil where FreeType cannot read it, or one of the letters.
  func face(_ run: LetterRun) -> OpaquePointer? {
    let key = ObjectIdentifier(run.font)
    let font: EmbeddedFont?
    if let known = faces[key] {
      font = known.font
    } else {
      font = EmbeddedFont(run.font)
      faces[key] = (run.font, font)
    }
    guard let font, run.glyphs.allSatisfy({ font.has($0.number) }) else { return nil }
    return font.face
  }

  /// The font without ink; nil for lack of memory.
  var blankFace: OpaquePointer? { blankFont?.face }

  /// A glyph of the font without ink for these characters: each has its own, so that the font's table has them. When all are used, some are
  /// used again, and Cairo writes the characters beside them.
  func blank(for characters: String) -> UInt {
    if let known = numbers[characters] { return known }
    let number = UInt(numbers.count % (BlankFont.glyphs - 1) + 1)
    numbers[characters] = number
    return number
  }
}

/// A font that Cairo embeds. Its memory has to live as long as Cairo has it in a cache, which may be longer than the file.
private final class EmbeddedFont {
  /// `cairo_font_face_t`.
  let face: OpaquePointer
  private let source: Source
  private var readable: Set<UInt32> = []

  /// FreeType's face, and what it reads.
  private final class Source {
    let library: FT_Library
    let face: FT_Face
    private let bytes: UnsafeRawBufferPointer
    private let owner: FontFile?

    /// Without an owner, the bytes are deallocated with this object. Nil where FreeType finds no outlines in them.
    init?(_ bytes: UnsafeRawBufferPointer, _ owner: FontFile?) {
      var library: FT_Library?
      var face: FT_Face?
      guard FT_Init_FreeType(&library) == 0, let library else { return nil }
      guard
        FT_New_Memory_Face(
          library, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, 0, &face) == 0,
        let face, face.pointee.face_flags & FT_Long(FT_FACE_FLAG_SCALABLE) != 0
      else {
        FT_Done_FreeType(library)
        return nil
      }
      (self.library, self.face, self.bytes, self.owner) = (library, face, bytes, owner)
    }

    deinit {
      FT_Done_FreeType(library)
      if owner == nil { bytes.deallocate() }
    }
  }

  convenience init?(_ file: FontFile) { self.init(Source(file.bytes, file)) }

  /// A font with a copy of these bytes.
  convenience init?(_ bytes: [UInt8]) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
    copy.copyBytes(from: bytes)
    let source = Source(UnsafeRawBufferPointer(copy), nil)
    if source == nil { copy.deallocate() }
    self.init(source)
  }

  private init?(_ source: Source?) {
    let flags = Int32(FT_LOAD_NO_HINTING) | Int32(FT_LOAD_NO_BITMAP)
    guard let source, let face = cairo_ft_font_face_create_for_ft_face(source.face, flags) else { return nil }
    let retained = Unmanaged.passRetained(source)
    let status = cairo_font_face_set_user_data(face, CairoData.key, retained.toOpaque()) { context in
      if let context { Unmanaged<Source>.fromOpaque(context).release() }
    }
    guard status == CAIRO_STATUS_SUCCESS else {
      cairo_font_face_destroy(face)
      retained.release()
      return nil
    }
    (self.face, self.source) = (face, source)
  }

  deinit { cairo_font_face_destroy(face) }

  /// Whether FreeType can read a glyph: Cairo would end the file at one that it cannot.
  func has(_ glyph: UInt32) -> Bool {
    if readable.contains(glyph) { return true }
    guard FT_Load_Glyph(source.face, glyph, Int32(FT_LOAD_NO_SCALE)) == 0,
      source.face.pointee.glyph.pointee.format == FT_GLYPH_FORMAT_OUTLINE
    else { return false }
    readable.insert(glyph)
    return true
  }
}

// MARK: - A font without ink

/// A TrueType font whose glyphs fill an em, for characters that are seen as pictures. Cairo leaves out a glyph without any ink, and PDF's way to show text
/// invisibly is not in its interface: so a glyph has a speck of a 500th of an em in two of its corners, which is shown with the least alpha that Cairo
/// does not leave out.
enum BlankFont {
  /// The number of glyphs; the first one is that for missing characters.
  static let glyphs = 4_096
  /// From the top of a glyph to its baseline, in ems.
  static let ascent = 0.8
  /// The alpha in which it is shown.
  static let alpha = 0.004

  private static let em: Int16 = 1_000
  private static let name = "EmojiartEmoji"

  /// The file.
  static var bytes: [UInt8] {
    let top = Int16(ascent * 1_000)
    let bottom = top - em
    let glyph = glyph(top: top, bottom: bottom)
    var glyf: [UInt8] = []
    var loca = BigEndian()
    for _ in 0..<glyphs {
      loca.append(UInt32(glyf.count))
      glyf += glyph
    }
    loca.append(UInt32(glyf.count))
    return file([
      ("glyf", glyf), ("head", head(top: top, bottom: bottom)), ("hhea", hhea(top: top, bottom: bottom)),
      ("hmtx", hmtx), ("loca", loca.bytes), ("maxp", maxp), ("name", names),
    ])
  }

  /// Two triangles, in the top left corner and in the bottom right one.
  private static func glyph(top: Int16, bottom: Int16) -> [UInt8] {
    let points: [(x: Int16, y: Int16)] = [
      (0, top), (2, top), (0, top - 2), (em, bottom), (em - 2, bottom), (em, bottom + 2),
    ]
    var data = BigEndian()
    // Contours, the box, the ends of both contours, no instructions, a flag for each point.
    for number in [2, 0, bottom, em, top, 2, 5, 0] as [Int16] { data.append(number) }
    data.bytes += [UInt8](repeating: 1, count: points.count)
    for path in [points.map(\.x), points.map(\.y)] {
      var last: Int16 = 0
      for place in path {
        data.append(place - last)
        last = place
      }
    }
    data.bytes += [UInt8](repeating: 0, count: (4 - data.bytes.count % 4) % 4)
    return data.bytes
  }

  private static func head(top: Int16, bottom: Int16) -> [UInt8] {
    var data = BigEndian()
    for number in [0x1_0000, 0x1_0000, 0, 0x5F0F_3CF5] as [UInt32] { data.append(number) }
    for number in [3, em] { data.append(number) }
    for _ in 0..<4 { data.append(UInt32(0)) }
    for number in [0, bottom, em, top, 0, 8, 2, 1, 0] as [Int16] { data.append(number) }
    return data.bytes
  }

  private static func hhea(top: Int16, bottom: Int16) -> [UInt8] {
    var data = BigEndian()
    data.append(UInt32(0x1_0000))
    for number in [top, bottom, 0, em, 0, 0, em, 1, 0, 0, 0, 0, 0, 0, 0, 1] { data.append(number) }
    return data.bytes
  }

  private static var hmtx: [UInt8] {
    var data = BigEndian()
    data.append(em)
    for _ in 0..<glyphs { data.append(Int16(0)) }
    return data.bytes
  }

  private static var maxp: [UInt8] {
    var data = BigEndian()
    data.append(UInt32(0x1_0000))
    for number in [Int16(clamping: glyphs), 6, 2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0] { data.append(number) }
    return data.bytes
  }

  /// The full name and that of PostScript, for Windows and in English, as UTF-16.
  private static var names: [UInt8] {
    let text: [UInt8] = name.utf8.reduce(into: []) { $0 += [0, $1] }
    var data = BigEndian()
    for number in [0, 2, 30] as [Int16] { data.append(number) }
    for name in [4, 6] as [Int16] {
      for number in [3, 1, 0x409, name, Int16(clamping: text.count), 0] { data.append(number) }
    }
    return data.bytes + text
  }

  private static func file(_ tables: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    var directory = BigEndian()
    directory.append(UInt32(0x1_0000))
    // 7 tables: a search range of 4 entries.
    for number in [7, 64, 2, 48] as [Int16] { directory.append(number) }
    var body: [UInt8] = []
    for table in tables {
      directory.bytes += Array(table.name.utf8)
      let place = 12 + 16 * tables.count + body.count
      for number in [0, UInt32(place), UInt32(table.bytes.count)] { directory.append(number) }
      body += table.bytes + [UInt8](repeating: 0, count: (4 - table.bytes.count % 4) % 4)
    }
    return directory.bytes + body
  }
}

/// Bytes of numbers, the highest byte first.
private struct BigEndian {
  var bytes: [UInt8] = []

  mutating func append(_ number: Int16) { append(UInt16(bitPattern: number)) }
  mutating func append(_ number: UInt16) { bytes += [UInt8(number >> 8), UInt8(number & 0xFF)] }
  mutating func append(_ number: UInt32) {
    append(UInt16(number >> 16))
    append(UInt16(number & 0xFFFF))
  }
}
